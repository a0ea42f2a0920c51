"""Functions of counts: intervals, agreement, comparison, resampling, ranking, shrinkage."""

from karat.statistics.agreement import (
    ClusteredCells,
    cohen_kappa,
    cohen_kappa_influence,
    cohen_kappa_variance,
    kappa_fixed_chance,
    kappa_from_accuracy,
)
from karat.statistics.clusters import EffectiveCounts, effective_counts
from karat.statistics.comparison import (
    Comparison,
    clustered_paired_difference,
    difference_of_variance,
    holm,
    linearised_difference,
    mcnemar_mid_p,
    paired_difference,
    paired_ratio_difference,
    paired_t,
    ratio_influence,
    sign_mid_p,
)
from karat.statistics.intervals import (
    Limits,
    clopper_pearson_limits,
    product_limits,
    tango_limits,
    wilson_limits,
)
from karat.statistics.means import mean
from karat.statistics.proportions import (
    clustered_f1,
    clustered_proportion,
    clustered_strength,
    mean_over_criteria,
    proportion,
    strength,
    strength_product,
)
from karat.statistics.quantiles import (
    beta_quantile,
    critical_value,
    normal_quantile,
    regularised_incomplete_beta,
    t_quantile,
    t_two_sided_p,
)
from karat.statistics.ranking import RankSet, borda, mean_rank, rank_sets
from karat.statistics.resampling import bootstrap_weights, cluster_bootstrap, item_bootstrap
from karat.statistics.shrinkage import BetaPrior, beta_binomial_prior, shrink

__all__ = [
    "BetaPrior",
    "ClusteredCells",
    "Comparison",
    "EffectiveCounts",
    "Limits",
    "RankSet",
    "beta_binomial_prior",
    "beta_quantile",
    "bootstrap_weights",
    "borda",
    "clopper_pearson_limits",
    "cluster_bootstrap",
    "clustered_f1",
    "clustered_paired_difference",
    "clustered_proportion",
    "clustered_strength",
    "cohen_kappa",
    "cohen_kappa_influence",
    "cohen_kappa_variance",
    "critical_value",
    "difference_of_variance",
    "effective_counts",
    "holm",
    "item_bootstrap",
    "kappa_fixed_chance",
    "kappa_from_accuracy",
    "linearised_difference",
    "mcnemar_mid_p",
    "mean",
    "mean_over_criteria",
    "mean_rank",
    "normal_quantile",
    "paired_difference",
    "paired_ratio_difference",
    "paired_t",
    "product_limits",
    "proportion",
    "rank_sets",
    "ratio_influence",
    "regularised_incomplete_beta",
    "shrink",
    "sign_mid_p",
    "strength",
    "strength_product",
    "t_quantile",
    "t_two_sided_p",
    "tango_limits",
    "wilson_limits",
]
