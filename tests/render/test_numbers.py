import re
from pathlib import Path

import pytest

import adjudge
from adjudge.render.explanations import METHODS
from adjudge.render.numbers import DASH, interval_text, metric_text, number_text, p_text
from adjudge.spec import MetricSpec

SHARE = MetricSpec("Reliability", "", better="high")
KAPPA = MetricSpec("Cohen's kappa", "", better="high", percent=False)
POINTS = MetricSpec("Borda points", "", better="high", percent=False, decimals=1)


SHARES = [(0.7, "70.0%"), (0, "0.0%"), (1, "100.0%"), (0.62963, "63.0%"), (-0.25, "−25.0%"), (None, DASH)]


@pytest.mark.parametrize(("value", "shown"), [*SHARES, (0.00001, "< 0.1%"), (0.99999, "> 99.9%")])
def test_a_share_is_a_percentage_that_looks_like_none_or_all_only_if_it_is(value, shown):
    assert number_text(value, percent=True) == shown.replace(" ", "\u00a0")


@pytest.mark.parametrize("value", [-0.0, -0.0001, 0.0])
def test_zero_has_no_sign(value):
    assert number_text(value, percent=False) == "0.00"


@pytest.mark.parametrize(
    ("value", "shown"), [(13.5, "13.5"), (14.0, "14"), (0.0, "0"), (2.04, "2"), (1234.5, "1,234.5")]
)
def test_points_have_no_more_decimals_than_they_need(value, shown):
    assert metric_text(value, POINTS) == shown


def test_an_interval_is_shown_without_the_unit_and_nothing_where_there_is_none():
    assert interval_text(0.3968, 0.8922, SHARE).split() == ["[39.7,", "89.2]"]
    assert interval_text(-0.239, 0.2, KAPPA).split() == ["[−0.24,", "0.20]"]
    assert interval_text(None, None, SHARE) == ""


def test_every_interval_method_is_explained():
    rooms = (Path(adjudge.__file__).parent / room for room in ("statistics", "figures", "evaluations"))
    texts = (file.read_text() for room in rooms for file in room.rglob("*.py"))
    said = re.compile(r'\bmethod ?= ?"([a-z-]+)"(?:[^"\n]*else "([a-z-]+)")?')
    named = {name for text in texts for both in said.findall(text) for name in both if name}
    assert named > {"two-way", "quadratic"}
    assert named <= METHODS.keys()
    assert all(title and meaning for title, meaning in METHODS.values())


def test_p_values_stand_in_their_order_also_when_they_are_sorted_as_texts():
    ordered = [0.0, 0.0009, 0.001, 0.0042, 0.01, 0.03, 0.5, 0.99, 0.9971, 1.0]
    texts = [p_text(p) for p in ordered]
    assert texts == sorted(texts)
    assert p_text(1.0) == "p > .99".replace(" ", "\u00a0")
