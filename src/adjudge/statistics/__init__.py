"""The public functions of counts: intervals, agreement, comparison, planning, resampling, ranking, shrinkage."""

from adjudge.statistics.agreement import cohen_kappa, cohen_kappa_influence, kappa_from_accuracy, macro_f1
from adjudge.statistics.clusters import cluster_degrees
from adjudge.statistics.comparison import (
    Comparison,
    difference_of_variance,
    holm,
    linearised_difference,
    mcnemar_mid_p,
    paired_means_difference,
    paired_t,
)
from adjudge.statistics.consensus import DawidSkene, dawid_skene
from adjudge.statistics.informedness import Informedness, informedness
from adjudge.statistics.intervals import clopper_pearson_limits, tango_limits, wilson_limits
from adjudge.statistics.intraclass import intraclass, intraclass_limits
from adjudge.statistics.planning import (
    Design,
    Pilot,
    clustered_design,
    discordance,
    fewest_items,
    mean_width,
    paired_difference_power,
    paired_t_power,
    proportion_width,
    smallest_difference,
)
from adjudge.statistics.prediction_powered import Powered, prediction_powered
from adjudge.statistics.prediction_powered_planning import Budget, labels_needed
from adjudge.statistics.prevalence import true_rate
from adjudge.statistics.proportions import (
    clustered_f1,
    clustered_proportion,
    linearised_proportion,
    mean,
    mean_of_proportions,
    mean_of_shares,
    proportion,
)
from adjudge.statistics.quantiles import beta_quantile, critical_value, normal_quantile, t_quantile, t_two_sided_p
from adjudge.statistics.ranking import borda, mean_rank, rank_agreement, rank_sets
from adjudge.statistics.raters import agreement_interval, fleiss_kappa, gwet_ac, krippendorff_alpha, percent_agreement
from adjudge.statistics.resampling import bootstrap_weights, named_weights, percentile_interval, resampled_sums
from adjudge.statistics.shrinkage import shrink
from adjudge.statistics.strength import (
    clustered_paired_difference,
    clustered_strength,
    clustered_strength_product,
    paired_difference,
    strength,
    strength_product,
)
from adjudge.statistics.two_way import two_way_estimate

__all__ = [
    "Budget",
    "Comparison",
    "DawidSkene",
    "Design",
    "Informedness",
    "Pilot",
    "Powered",
    "agreement_interval",
    "beta_quantile",
    "bootstrap_weights",
    "borda",
    "clopper_pearson_limits",
    "cluster_degrees",
    "clustered_design",
    "clustered_f1",
    "clustered_paired_difference",
    "clustered_proportion",
    "clustered_strength",
    "clustered_strength_product",
    "cohen_kappa",
    "cohen_kappa_influence",
    "critical_value",
    "dawid_skene",
    "difference_of_variance",
    "discordance",
    "fewest_items",
    "fleiss_kappa",
    "gwet_ac",
    "holm",
    "informedness",
    "intraclass",
    "intraclass_limits",
    "kappa_from_accuracy",
    "krippendorff_alpha",
    "labels_needed",
    "linearised_difference",
    "linearised_proportion",
    "macro_f1",
    "mcnemar_mid_p",
    "mean",
    "mean_of_proportions",
    "mean_of_shares",
    "mean_rank",
    "mean_width",
    "named_weights",
    "normal_quantile",
    "paired_difference",
    "paired_difference_power",
    "paired_means_difference",
    "paired_t",
    "paired_t_power",
    "percent_agreement",
    "percentile_interval",
    "prediction_powered",
    "proportion",
    "proportion_width",
    "rank_agreement",
    "rank_sets",
    "resampled_sums",
    "shrink",
    "smallest_difference",
    "strength",
    "strength_product",
    "t_quantile",
    "t_two_sided_p",
    "tango_limits",
    "true_rate",
    "two_way_estimate",
    "wilson_limits",
]
