"""The public functions of counts: intervals, agreement, comparison, planning, resampling, ranking, shrinkage."""

from karat.statistics.agreement import cohen_kappa, cohen_kappa_influence, kappa_from_accuracy, macro_f1
from karat.statistics.clusters import cluster_degrees
from karat.statistics.comparison import (
    Comparison,
    difference_of_variance,
    holm,
    linearised_difference,
    mcnemar_mid_p,
    paired_means_difference,
    paired_t,
)
from karat.statistics.consensus import DawidSkene, dawid_skene
from karat.statistics.flag_rates import true_rate
from karat.statistics.informedness import Informedness, informedness
from karat.statistics.intervals import clopper_pearson_limits, tango_limits, wilson_limits
from karat.statistics.intraclass import intraclass, intraclass_limits
from karat.statistics.planning import (
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
from karat.statistics.powered_planning import Budget, labels_needed
from karat.statistics.prediction_powered import Powered, prediction_powered
from karat.statistics.proportions import (
    clustered_f1,
    clustered_proportion,
    linearised_proportion,
    mean,
    mean_of_proportions,
    mean_of_shares,
    proportion,
)
from karat.statistics.quantiles import beta_quantile, critical_value, normal_quantile, t_quantile, t_two_sided_p
from karat.statistics.ranking import borda, mean_rank, rank_agreement, rank_sets
from karat.statistics.raters import (
    agreement_interval,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
)
from karat.statistics.resampling import bootstrap_weights, named_weights, percentile_interval, resampled_sums
from karat.statistics.shrinkage import shrink
from karat.statistics.strength import (
    clustered_paired_difference,
    clustered_strength,
    clustered_strength_product,
    paired_difference,
    strength,
    strength_product,
)
from karat.statistics.two_way import two_way_estimate
