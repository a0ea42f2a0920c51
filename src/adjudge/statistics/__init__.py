"""The public functions of counts: intervals, agreement, comparison, planning, ranking, shrinkage."""

from adjudge.statistics.agreement import cohen_kappa, kappa_from_accuracy
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
from adjudge.statistics.prediction_powered import Budget, Powered, labels_needed, prediction_powered
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

__all__ = ["cluster_degrees", "cohen_kappa", "kappa_from_accuracy"]
__all__ += ["Comparison", "difference_of_variance", "holm", "linearised_difference", "mcnemar_mid_p"]
__all__ += ["paired_means_difference", "paired_t"]
__all__ += ["DawidSkene", "Informedness", "dawid_skene", "informedness"]
__all__ += ["clopper_pearson_limits", "intraclass", "intraclass_limits", "tango_limits", "wilson_limits"]
__all__ += ["Design", "Pilot", "clustered_design", "discordance", "fewest_items", "mean_width"]
__all__ += ["paired_difference_power", "paired_t_power", "proportion_width", "smallest_difference"]
__all__ += ["Budget", "Powered", "labels_needed", "prediction_powered", "true_rate"]
__all__ += ["clustered_f1", "clustered_proportion", "linearised_proportion", "mean", "mean_of_proportions"]
__all__ += ["mean_of_shares", "proportion"]
__all__ += ["beta_quantile", "critical_value", "normal_quantile", "t_quantile", "t_two_sided_p"]
__all__ += ["borda", "mean_rank", "rank_agreement", "rank_sets"]
__all__ += ["agreement_interval", "fleiss_kappa", "gwet_ac", "krippendorff_alpha", "percent_agreement", "shrink"]
__all__ += ["clustered_paired_difference", "clustered_strength", "clustered_strength_product", "paired_difference"]
__all__ += ["strength", "strength_product"]
__all__ += ["two_way_estimate"]
