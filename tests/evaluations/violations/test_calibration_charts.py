"""The picture of a calibration."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

from karat.api._calibrate import calibrate_violations
from karat.evaluations.charting import ACCENT, SECOND
from karat.evaluations.violations.calibration_charts import pictures
from karat.render.charts import _drawn

TEXT = "Cures headache, the best tea ever, free of charge for all of you."


def rows(rules=("a b", "a c", "d")):
    random = np.random.default_rng(0)
    for number in range(90):
        shift = int(random.integers(0, 10))
        rule = rules[random.integers(len(rules))]
        yield {
            "id": f"t{number % 15}",
            "text": TEXT,
            "predicted": {"start": number % 20, "end": number % 20 + 10, "rule": rule},
            "ground_truth": {"start": number % 20 + shift, "end": number % 20 + shift + 10, "rule": rules[0]},
            "same": bool(random.random() < (0.9 if shift < 4 and rule == rules[0] else 0.3)),
        }


@pytest.fixture(scope="module")
def report():
    return calibrate_violations(pl.DataFrame(list(rows())))


def values(spec, layer):
    return spec["datasets"][layer["data"]["name"]]


def test_there_is_a_panel_per_part_and_measure(report):
    (found,) = pictures(report)
    assert found.name == "flatness"
    assert "dashed line the default weight" in found.caption
    lines = found.chart.to_dict()["vconcat"]
    assert [[panel.get("title", {}).get("text") for panel in line["hconcat"]] for line in lines] == [
        [["overlap"], ["rule"]],
        [None, None],
    ]


def test_curves_and_marks_are_those_of_the_tables(report):
    (found,) = pictures(report)
    spec = found.chart.to_dict()
    shade, fitted, usual, curve = spec["vconcat"][0]["hconcat"][0]["layer"]
    table = report["flatness"].filter(part="overlap", metric="accuracy")
    assert [point["value"] for point in values(spec, curve)] == table["value"].to_list()
    weight = report.estimate("weights", "weight", {"part": "overlap"})
    assert values(spec, shade) == [{"weight": weight.low, "to": weight.high}]
    assert (values(spec, fitted), fitted["mark"]["color"]) == ([{"weight": weight.value}], ACCENT)
    assert (values(spec, usual), usual["mark"]["color"]) == ([{"weight": 0.5}], SECOND)


def test_panels_of_one_measure_share_their_axis(report):
    (found,) = pictures(report)
    spec = found.chart.to_dict()
    for line in spec["vconcat"]:
        domains = {tuple(panel["layer"][-1]["encoding"]["y"]["scale"]["domain"]) for panel in line["hconcat"]}
        assert len(domains) == 1
        points = [point["value"] for panel in line["hconcat"] for point in values(spec, panel["layer"][-1])]
        ((low, high),) = domains
        assert low <= min(points) <= max(points) <= high


def test_the_picture_can_be_drawn(report):
    (found,) = pictures(report)
    assert "overlap" in ET.tostring(_drawn(found.chart.to_dict()), encoding="unicode")


def test_labels_of_axes_are_round():
    noisy = np.random.default_rng(1).random(90) < 0.4
    turned = [{**row, "same": bool(row["same"] != turn)} for row, turn in zip(rows(), noisy, strict=True)]
    report = calibrate_violations(pl.DataFrame(turned))
    (found,) = pictures(report)
    drawn = ET.tostring(_drawn(found.chart.to_dict()), encoding="unicode")
    assert "55\u00a0%" in drawn
    assert not re.search(r"\d\.\d{4,}\u00a0%|>-?\d\.\d{4,}<", drawn)


def test_one_part_has_nothing_to_choose():
    bare = [
        {**row, "predicted": {**row["predicted"], "rule": None}, "ground_truth": {**row["ground_truth"], "rule": None}}
        for row in rows()
    ]
    assert pictures(calibrate_violations(pl.DataFrame(bare))) == []


def test_reports_of_other_commands_have_none(report):
    tables = {name: frame for name, frame in report.tables.items() if name != "weights"}
    assert pictures(replace(report, tables=tables)) == []


def test_without_intervals_there_is_no_shade():
    alone = [{**row, "id": "t"} for row in rows()]
    (found,) = pictures(calibrate_violations(pl.DataFrame(alone)))
    assert len(found.chart.to_dict()["vconcat"][0]["hconcat"][0]["layer"]) == 3
