"""A judge over time: worked cases by hand."""

import polars as pl
import pytest

import adjudge
from adjudge.evaluations.card.consistency import time_windows
from made import labelled

ANCHORS, OTHERS = 40, 20
RIGHT = {"2026-01": (36, 18), "2026-02": (36, 14), "2026-03": (24, 6)}
"""How many of the anchors, and of the other items of each window, gpt labels as ana does."""


def table():
    rows = []
    for window, (of_anchors, of_others) in RIGHT.items():
        right = {f"anchor{i}": i < of_anchors for i in range(ANCHORS)}
        right |= {f"{window}-{i}": i < of_others for i in range(OTHERS)}
        rows += [(item, "gpt", "yes" if fits else "no", window) for item, fits in right.items()]
        rows += [(item, "ana", "yes", None) for item in right if window == "2026-01" or not item.startswith("anchor")]
    return pl.DataFrame(rows, schema=["item", "annotator", "label", "when"], orient="row")


def test_a_drift_is_told_on_anchors_and_apart_from_items_that_differ():
    """Anchors: 36, 36 and 24 of 40. Others: 18, 14 and 6 of 20."""
    report = adjudge.card(table(), judges="gpt", time="when")
    last = report["windows"].filter(pl.col("window") == "2026-03")
    assert dict(last.select("metric", "value").iter_rows()) == pytest.approx(
        {"window_agreement": 30 / 60, "anchor_agreement": 24 / 40, "anchor_agreement_change": (24 - 36) / 40}
    )
    (drift,) = report["drift"].iter_rows(named=True)
    assert (drift["since"], drift["value"], drift["n"]) == ("2026-03", pytest.approx(-0.3), ANCHORS)
    assert drift["p"] == pytest.approx(
        2 * 0.5**12, rel=1e-3
    )  # twelve go one way and none the other, by mid-P, times two
    assert not report.warnings
    taken = "Of an item that a judge labelled in several windows all other tables take the first label in the file."
    assert taken in report.notes
    assert report.estimate("agreement", table="judges", judge="gpt").value == (36 + 18 + 14 + 6) / 100


def test_distances_drift_too():
    first = labelled({"ana": "3 3 3", "gpt": "3 3 3"}, when=pl.lit("v1"))
    labels = pl.concat([first, labelled({"gpt": "5 4 1"}, when=pl.lit("v2"))])
    report = adjudge.card(labels, judges="gpt", time="when", level="interval")
    assert report["drift"].select("since", "value").row(0) == ("v2", pytest.approx((2 + 1 + 2) / 3))


def test_without_anchors_a_change_may_be_that_of_items():
    alone = table().filter(~pl.col("item").str.starts_with("anchor"))
    report = adjudge.card(alone, judges="gpt", time="when")
    assert report["drift"].select("since", "reason").rows() == [("unknown", "no item is labelled in every window")]
    assert "(missing)" not in repr(report)


def test_windows_are_names_and_numbers_as_they_are_and_moments_cut():
    assert [*time_windows(["10", "9", "9.5"])] == ["9", "9.5", "10"]
    hours = [f"2026-05-0{day}T{hour:02}:00" for day in range(1, 4) for hour in range(8)]
    assert sorted(set(time_windows(hours).values())) == ["2026-05-01", "2026-05-02", "2026-05-03"]
    assert time_windows([f"run {n}" for n in range(25)]) is None
    years = [f"{2000 + n}-01-01" for n in range(20)]
    assert len(set(time_windows(years).values())) == 20
