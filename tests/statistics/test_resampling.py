"""Bootstraps: weights in bounded memory, and agreement with a bootstrap done at length."""

import numpy as np
import pytest

from karat.errors import OptionError
from karat.estimate import Note
from karat.statistics import bootstrap_weights, percentile_interval, resampling


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


def test_percentiles_of_a_ratio_over_clusters_are_those_of_a_bootstrap_done_at_length():
    table = np.array([[1, 2], [0, 3], [4, 4], [2, 5], [1, 1], [0, 2]])
    sums = np.concatenate([block @ table for block in bootstrap_weights(6, replicates=20_000, seed=5)])
    estimate = percentile_interval(8 / 17, sums[:, 0] / sums[:, 1], n=6)
    random = np.random.default_rng(99)
    figures = [float(np.divide(*table[random.integers(0, 6, 6)].sum(axis=0))) for _ in range(20_000)]
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(figures, [0.025, 0.975]), abs=0.02)
    assert (estimate.value, estimate.n, estimate.method, estimate.note) == (8 / 17, 6, "percentile", Note.BOOTSTRAP)


def test_resamples_without_a_value_are_noted_not_hidden():
    some = percentile_interval(1.0, [np.nan, 1.0, 1.0], n=2)
    assert (some.low, some.high, some.note) == (1.0, 1.0, Note.SOME_RESAMPLES)
    never = percentile_interval(1.0, [np.nan, np.nan], n=2)
    assert (never.low, never.note) == (None, Note.NO_RESAMPLE)


@pytest.mark.parametrize("options", [{"clusters": 0}, {"replicates": 0}, {"seed": -1}])
def test_wrong_options_are_refused(options):
    with pytest.raises(OptionError, match="expected"):
        next(bootstrap_weights(**{"clusters": 2} | options))
    with pytest.raises(OptionError, match="expected"):
        percentile_interval(1.0, [1.0], n=1, confidence=2)
