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
from karat.statistics.intervals import (
    Limits,
    clopper_pearson_limits,
    product_limits,
    tango_limits,
    wilson_limits,
)
from karat.statistics.proportions import (
    clustered_f1,
    clustered_proportion,
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
from karat.statistics.shrinkage import BetaPrior, beta_binomial_prior, shrink

__all__ = [
    "BetaPrior",
    "ClusteredCells",
    "EffectiveCounts",
    "Limits",
    "beta_binomial_prior",
    "beta_quantile",
    "clopper_pearson_limits",
    "clustered_f1",
    "clustered_proportion",
    "cohen_kappa",
    "cohen_kappa_influence",
    "cohen_kappa_variance",
    "critical_value",
    "effective_counts",
    "kappa_fixed_chance",
    "kappa_from_accuracy",
    "mean_over_criteria",
    "normal_quantile",
    "product_limits",
    "proportion",
    "regularised_incomplete_beta",
    "shrink",
    "strength",
    "strength_product",
    "t_quantile",
    "t_two_sided_p",
    "tango_limits",
    "wilson_limits",
]
