"""Labels that have an order, and one label against all others: figures that an option asks for."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

import adjudge
from adjudge import DataError, OptionError
from adjudge.estimate import Caveat
from adjudge.statistics.proportions import proportion

ORDERED = ("kappa_linear", "kappa_quadratic", "spearman", "mean_absolute_error")
POSITIVE = ("precision", "recall", "specificity", "f1")


def table(labels, truth, annotator="x", **columns):
    rows = {"item": range(len(labels)), "annotator": annotator, "label": labels, "reference": truth}
    return pl.DataFrame(rows | columns)


def drawn(labels, n=80, seed=5):
    """Two columns of labels that often agree."""
    draw = np.random.default_rng(seed)
    truth = draw.choice(labels, n)
    return np.where(draw.random(n) < 0.6, truth, draw.choice(labels, n)).tolist(), truth.tolist()


def figures(report, names, **keys):
    return {name: report.estimate(name, table="annotators", **{"annotator": "x"} | keys) for name in names}


def test_figures_of_a_scale_are_those_of_other_tools():
    from sklearn.metrics import cohen_kappa_score, mean_absolute_error

    labels, truth = drawn([1, 2, 3, 4, 5])
    for ordered in (["1", "2", "3", "4", "5"], "numbers", ["5", "4", "3", "2", "1"]):
        found = figures(adjudge.reliability(table(labels, truth), ordered=ordered), ORDERED)
        assert found["kappa_linear"].value == pytest.approx(cohen_kappa_score(labels, truth, weights="linear"))
        assert found["kappa_quadratic"].value == pytest.approx(cohen_kappa_score(labels, truth, weights="quadratic"))
        assert found["spearman"].value == pytest.approx(spearmanr(labels, truth)[0])
        assert found["mean_absolute_error"].value == pytest.approx(mean_absolute_error(labels, truth))
        assert {one.n for one in found.values()} == {80}
        assert all(one.low < one.value < one.high for one in found.values())
        assert found["kappa_linear"].method == "effective-wilson"


@pytest.mark.parametrize(
    ("labels", "truth", "ordered", "error"),
    [
        (["poor", "fair", "good"], ["fair", "fair", "poor"], ["poor", "fair", "good"], (1 + 0 + 2) / 3),
        (["1", "2"], ["5", "2"], ["1", "2", "5"], (4 + 0) / 2),
        (["1", "2"], ["5", "2"], ["2", "1", "5"], (1 + 0) / 2),
    ],
)
def test_labels_that_are_words_have_steps_and_numbers_their_unit(labels, truth, ordered, error):
    found = adjudge.reliability(table(labels, truth), ordered=ordered)
    assert found.estimate("mean_absolute_error", table="annotators", annotator="x").value == error


def test_a_confusion_worked_by_hand():
    """3 found, 1 invented, 2 missed, 4 rightly left: 3/4, 3/5, 4/5, 6/9; Wilson's limits of 3/4 and of 3/6 mapped."""
    labels = ["f"] * 3 + ["f"] + ["p"] * 2 + ["p"] * 4
    truth = ["f"] * 3 + ["p"] + ["f"] * 2 + ["p"] * 4
    found = figures(adjudge.reliability(table(labels, truth), positive="f"), POSITIVE)
    assert [(one.value, one.n) for one in found.values()] == [(0.75, 4), (0.6, 5), (0.8, 5), (pytest.approx(2 / 3), 6)]
    wilson = proportion(3, 6)
    assert found["precision"].low == proportion(3, 4).low
    assert (found["f1"].low, found["f1"].high) == tuple(2 * one / (1 + one) for one in (wilson.low, wilson.high))
    assert found["f1"].caveat is Caveat.FEW_ITEMS


@pytest.mark.parametrize(
    ("labels", "truth", "undefined"),
    [
        (["p", "p"], ["f", "p"], {"precision": "the annotator gives no item the positive label"}),
        (["f", "p"], ["p", "p"], {"recall": "the reference gives no item the positive label"}),
        (["f", "p"], ["f", "f"], {"specificity": "the reference gives every item the positive label"}),
    ],
)
def test_what_is_undefined_says_why(labels, truth, undefined):
    found = figures(adjudge.reliability(table(labels, truth), positive="f"), POSITIVE)
    assert {name: one.reason for name, one in found.items() if one.value is None} == undefined


@pytest.mark.parametrize(
    ("options", "error", "expected"),
    [
        ({"ordered": ["1"]}, OptionError, "ordered: expected at least two labels, from one end to the other, or numbers"),
        ({"labels": ["1", "2", "one"], "positive": "3"}, OptionError, 'positive: no label "3"\nfound: 1, 2, one'),
        ({"positive": "won"}, OptionError, 'positive: no label "won"\nfound: 1, 2, one'),
        ({"ordered": ["1", "2"]}, DataError, 'row 3, column label: expected one of the ordered labels 1, 2; got "one"'),
        ({"ordered": "numbers"}, DataError, 'row 3, column label: expected a number; got "one"'),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_the_labels_are_refused(options, error, expected):
    with pytest.raises(error) as caught:
        adjudge.reliability(table(["1", "2", "one"], ["1", "1", "2"]), **options)
    assert expected in str(caught.value)
