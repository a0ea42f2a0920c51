"""Bootstraps: shared weights, bounded memory, and agreement with a bootstrap done at length."""

import numpy as np
import pytest

from karat.errors import DataError, OptionError
from karat.estimate import Note
from karat.statistics import bootstrap_weights, cluster_bootstrap, item_bootstrap, resampling

RATIO = [[1, 2], [0, 3], [4, 4], [2, 5], [1, 1], [0, 2]]


def ratio(sums):
    return sums[:, 0] / sums[:, 1]


def test_weights_are_draws_with_replacement_and_depend_on_the_seed_alone():
    first, again, other = (np.concatenate(list(bootstrap_weights(5, replicates=7, seed=s))) for s in (1, 1, 2))
    assert first.shape == (7, 5)
    assert (first.sum(axis=1) == 5).all()
    assert (first == again).all()
    assert (first != other).any()


def test_weights_are_the_same_in_blocks_of_any_size(monkeypatch):
    whole = np.concatenate(list(bootstrap_weights(4, replicates=9, seed=3)))
    monkeypatch.setattr(resampling, "_BLOCK", 8)
    blocks = list(bootstrap_weights(4, replicates=9, seed=3))
    assert len(blocks) == 5
    assert (np.concatenate(blocks) == whole).all()


def test_all_figures_of_a_run_share_their_replicates():
    """The interval of a figure is that of its own double, halved: the same clusters were drawn."""
    double = [[2 * y, x] for y, x in RATIO]
    once, twice = cluster_bootstrap(ratio, RATIO, seed=4), cluster_bootstrap(ratio, double, seed=4)
    assert (2 * once.low, 2 * once.high) == pytest.approx((twice.low, twice.high))


def test_the_cluster_bootstrap_is_the_one_done_at_length():
    estimate = cluster_bootstrap(ratio, RATIO, replicates=20_000, seed=5)
    random, table = np.random.default_rng(99), np.array(RATIO)
    figures = [float(np.divide(*table[random.integers(0, 6, 6)].sum(axis=0))) for _ in range(20_000)]
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(figures, [0.025, 0.975]), abs=0.02)
    assert (estimate.value, estimate.n, estimate.method, estimate.note) == (8 / 17, 6, "percentile", Note.BOOTSTRAP)


def test_the_item_bootstrap_draws_binomial_shares():
    estimate = item_bootstrap(lambda cells: cells[:, 0] / cells.sum(axis=1), [300, 700], replicates=20_000, seed=1)
    assert (estimate.value, estimate.n) == (0.3, 1000)
    half = 1.96 * np.sqrt(0.3 * 0.7 / 1000)
    assert (estimate.low, estimate.high) == pytest.approx((0.3 - half, 0.3 + half), abs=2e-3)


def test_replicates_without_a_value_are_counted_not_hidden():
    estimate = cluster_bootstrap(ratio, [[0, 0], [1, 1]], replicates=4000, seed=1)
    assert estimate.note == Note.SOME_RESAMPLES
    never = cluster_bootstrap(
        lambda sums: np.where(np.arange(len(sums)) + len(sums) > 1, np.nan, 1.0), RATIO, replicates=5
    )
    assert (never.low, never.note) == (None, Note.NO_RESAMPLE)


def test_what_cannot_be_resampled_is_undefined():
    assert cluster_bootstrap(ratio, np.zeros((0, 2))).reason == "no clusters"
    assert cluster_bootstrap(ratio, [[0, 0]]).reason == "undefined on these counts"
    assert cluster_bootstrap(ratio, [[1, 2]]).note == Note.ONE_CLUSTER
    assert item_bootstrap(ratio, [0, 0]).reason == "no items"
    assert item_bootstrap(ratio, [1, 0]).reason == "undefined on these counts"


@pytest.mark.parametrize("options", [{"replicates": 0}, {"seed": -1}, {"confidence": 2}])
def test_wrong_options_are_refused(options):
    with pytest.raises(OptionError, match="expected"):
        cluster_bootstrap(ratio, RATIO, **options)
    with pytest.raises(OptionError, match="expected"):
        item_bootstrap(ratio, [1, 2], **options)


def test_what_is_no_table_is_refused():
    with pytest.raises(DataError, match="counts"):
        cluster_bootstrap(ratio, [1, 2])
    with pytest.raises(DataError, match="counts"):
        item_bootstrap(ratio, [-1, 2])
