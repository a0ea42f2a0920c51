"""Alpha, Gwet's AC, Fleiss' kappa: published tables, an independent tool, and influence functions by differences."""

from typing import get_args

import numpy as np
import pytest

from adjudge.errors import DataError
from adjudge.statistics.raters import LabelRatings, Level, fleiss_kappa, gwet_ac, krippendorff_alpha, percent_agreement

_ = np.nan
WORKED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)
"""Krippendorff 2011, example C, raters in rows; also `cac.raw4raters` of Gwet's irrCAC."""

ALL = (krippendorff_alpha, gwet_ac, fleiss_kappa, percent_agreement)


def ratings_of(table, times=None):
    """Ratings of a table with raters in rows and NaN where there is no label."""
    values = np.unique(table[~np.isnan(table)])
    counts = (table[:, :, None] == values).sum(axis=0)
    items, labels = np.nonzero(counts)
    ones = np.ones(table.shape[1])
    return LabelRatings(items, labels, counts[items, labels].astype(float), ones if times is None else times, values)


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)])  # fmt: skip
def test_alpha_of_krippendorff_s_example_is_as_published(level, alpha):
    """Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", example C."""
    assert krippendorff_alpha(ratings_of(WORKED), level).value == pytest.approx(alpha, abs=0.0005)


def test_gwet_s_and_fleiss_figures_of_that_table_are_as_published():
    """The documentation of irrCAC: gwet.ac1.raw, fleiss.kappa.raw, krippen.alpha.raw of cac.raw4raters."""
    found = [one(ratings_of(WORKED)).value for one in (gwet_ac, fleiss_kappa, krippendorff_alpha, percent_agreement)]
    assert [round(one, 5) for one in found] == [0.77544, 0.76117, 0.74342, 0.81818]


def test_fleiss_kappa_of_a_published_table():
    """Ten items of fourteen raters and five labels: .210 (Wikipedia, Fleiss' kappa, worked example)."""
    rows = (
        "0 0 0 0 14, 0 2 6 4 2, 0 0 3 5 6, 0 3 9 2 0, 2 2 8 1 1, 7 7 0 0 0, 3 2 6 3 0, 2 5 3 2 2, 6 5 2 1 0, 0 2 2 3 7"
    )
    table = np.array([[int(count) for count in row.split()] for row in rows.split(",")])
    items, labels = np.nonzero(table)
    ratings = LabelRatings(items, labels, table[items, labels].astype(float), np.ones(10), np.arange(5.0))
    assert fleiss_kappa(ratings).value == pytest.approx(0.210, abs=0.0005)


def drawn(seed, level):
    draw = np.random.default_rng(seed)
    table = draw.integers(0 if level == "ratio" else -2, 4, (4, 9)).astype(float)
    table[draw.random(table.shape) < 0.3] = np.nan
    return table


@pytest.mark.parametrize("level", get_args(Level))
def test_alpha_is_that_of_krippendorff_s_package(level):
    import krippendorff

    for seed in range(20):
        table = drawn(seed, level)
        expected = krippendorff.alpha(table, level_of_measurement=level)
        assert krippendorff_alpha(ratings_of(table), level).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("level", get_args(Level))
@pytest.mark.parametrize("figure", ALL)
def test_the_influence_is_how_far_one_more_item_moves_the_figure(figure, level):
    table, many = drawn(3, level), 1e6
    found = figure(ratings_of(table, np.full(9, many)), level)
    assert found.influence.sum() == pytest.approx(0, abs=1e-15)
    for item in range(9):
        more = figure(ratings_of(table, np.full(9, many) + (np.arange(9) == item)), level).value - found.value
        assert found.influence[item] == pytest.approx(more, rel=1e-3, abs=1e-14)


@pytest.mark.parametrize("figure", [krippendorff_alpha, gwet_ac, fleiss_kappa])
def test_without_two_labels_there_is_no_agreement_beyond_chance(figure):
    with pytest.raises(DataError, match="one and the same"):
        figure(ratings_of(np.ones((3, 4))))
    with pytest.raises(DataError, match="no item has two labels"):
        figure(ratings_of(np.array([[1.0, np.nan], [np.nan, 2.0]])))
    assert percent_agreement(ratings_of(np.ones((3, 4)))).value == 1


def weights(level, values):
    """Gwet 2014, chapter 3: 1 for equal labels, less the farther apart they are."""
    x, ranks, q = values, np.arange(len(values)), len(values)
    steps = np.abs(np.subtract.outer(ranks, ranks))
    apart = {
        "nominal": steps > 0,
        "ordinal": steps * (steps + 1) / (q * (q - 1)),
        "interval": (np.subtract.outer(x, x) / (x[-1] - x[0])) ** 2,
        "ratio": (np.subtract.outer(x, x) / np.add.outer(x, x)) ** 2 / ((x[-1] - x[0]) / (x[-1] + x[0])) ** 2,
    }
    return 1 - apart[level]


@pytest.mark.parametrize("level", get_args(Level))
def test_weighted_figures_are_those_of_tables_of_weights(level):
    """By Gwet's formulas: pa over items with two labels, the shares of labels over all items."""
    ratings = ratings_of(WORKED)
    counts = np.zeros((12, 5))
    counts[ratings.items, ratings.labels] = ratings.counts
    w, raters = weights(level, ratings.places), counts.sum(axis=1)
    two = counts[raters > 1]
    each, r = (two * (two @ w - 1)).sum(axis=1), raters[raters > 1]
    agreed, shares = np.mean(each / (r * (r - 1))), np.mean(counts / raters[:, None], axis=0)
    by_chance = {
        fleiss_kappa: shares @ w @ shares,
        gwet_ac: w.sum() / 20 * (shares @ (1 - shares)),
        percent_agreement: 0,
    }
    for figure, expected in by_chance.items():
        assert figure(ratings, level).value == pytest.approx((agreed - expected) / (1 - expected))
