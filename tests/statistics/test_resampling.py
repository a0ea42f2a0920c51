"""Bootstraps: weights in bounded memory, and agreement with a bootstrap done at length."""

import numpy as np
import pytest

from adjudge.errors import DataError, OptionError
from adjudge.estimate import Caveat
from adjudge.statistics import bootstrap_weights, named_weights, percentile_interval, resampled_sums, resampling


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


def test_weights_by_name_depend_on_neither_order_nor_company_nor_blocks(monkeypatch):
    names = [f"text {number}" for number in range(400)]
    whole = np.concatenate(list(named_weights(names, replicates=50, seed=3)))
    assert (whole.mean(), whole.var()) == (pytest.approx(1, abs=0.02), pytest.approx(1, abs=0.04))
    assert len(np.unique(whole, axis=0)) == 400
    monkeypatch.setattr(resampling, "_BLOCK", 100)
    few = list(named_weights(names[7:3:-1], replicates=30, seed=3))
    assert len(few) == 2
    assert (np.concatenate(few) == whole[7:3:-1, :30]).all()
    assert (next(named_weights(names, replicates=50, seed=4)) != whole[:2]).any()


def test_the_table_of_poisson_numbers_has_their_chances():
    held = np.bincount(resampling._POISSON)
    chances = np.exp(-1) / np.cumprod([1, *range(1, 9)])
    assert held.sum() == 2**16 == held @ np.arange(9)
    assert held / 2**16 == pytest.approx(chances, abs=1.5 / 2**16)


def test_sums_of_files_add_up_to_those_of_all_and_spread_as_a_bootstrap_s():
    """The mean of 200 values: a standard error of their deviation over the root of 200."""
    names, values = [f"c{number}" for number in range(200)], np.random.default_rng(1).integers(0, 9, (200, 1))
    table = np.hstack([values, np.ones_like(values)])
    whole = resampled_sums(names, table, replicates=4000)
    parts = [resampled_sums(names[place], table[place], replicates=4000) for place in (slice(150, None), slice(150))]
    assert (whole == sum(parts)).all()
    assert np.std(whole[:, 0] / whole[:, 1]) == pytest.approx(values.std() / 200**0.5, rel=0.04)
    with pytest.raises(DataError, match="a row of sums for each of 2 clusters"):
        resampled_sums(["a", "b"], [[1.0]])


def test_percentiles_of_a_ratio_over_clusters_are_those_of_a_bootstrap_done_at_length():
    table = np.array([[1, 2], [0, 3], [4, 4], [2, 5], [1, 1], [0, 2]])
    sums = np.concatenate([block @ table for block in bootstrap_weights(6, replicates=20_000, seed=5)])
    estimate = percentile_interval(8 / 17, sums[:, 0] / sums[:, 1], n=6)
    random = np.random.default_rng(99)
    figures = [float(np.divide(*table[random.integers(0, 6, 6)].sum(axis=0))) for _ in range(20_000)]
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(figures, [0.025, 0.975]), abs=0.02)
    assert (estimate.value, estimate.n, estimate.method, estimate.caveat) == (8 / 17, 6, "percentile", Caveat.BOOTSTRAP)


def test_resamples_without_a_value_are_noted_not_hidden():
    some = percentile_interval(1.0, [np.nan, 1.0, 1.0], n=2)
    assert (some.low, some.high, some.caveat) == (1.0, 1.0, Caveat.SOME_RESAMPLES)
    never = percentile_interval(1.0, [np.nan, np.nan], n=2)
    assert (never.low, never.caveat) == (None, Caveat.NO_RESAMPLE)


@pytest.mark.parametrize("options", [{"clusters": 0}, {"replicates": 0}, {"seed": -1}])
def test_wrong_options_are_refused(options):
    with pytest.raises(OptionError, match="expected"):
        next(bootstrap_weights(**{"clusters": 2} | options))
    if "clusters" not in options:
        with pytest.raises(OptionError, match="expected"):
            next(named_weights(["a"], **options))
    with pytest.raises(OptionError, match="expected"):
        percentile_interval(1.0, [1.0], n=1, confidence=2)
