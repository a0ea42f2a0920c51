import json
from itertools import pairwise

import pytest
from altair import TopLevelSpec

from adjudge.estimate import Estimate
from adjudge.evaluations import evaluation as about
from adjudge.metrics.tables import estimate_table
from adjudge.render.kit import charts
from adjudge.render.kit.lines import MOST_LINES
from adjudge.render.kit.style import ACCENT
from adjudge.report import Items, Report
from made_charts import chart_of, figures


def history(rows, keys=("annotator",), by=None, evaluated="reliability"):
    """A history of rows (run, time or value, values of the keys, metric, value)."""
    at = by or "time"
    figures = [
        (
            dict(zip(("run", at, *keys), row[:-2], strict=True)),
            row[-2],
            Estimate(row[-1], row[-1] - 0.1, row[-1] + 0.05, n=10, method="wilson")
            if row[-1] is not None
            else Estimate.undefined("no items"),
        )
        for row in rows
    ]
    table = estimate_table(("run", at, *keys), figures)
    return Report(
        about(evaluated, ["history"]),
        {"history": table},
        "",
        (),
        {},
        {"by": [by] if by else []},
        table.clear(),
        Items(table.clear(), 0),
        "0",
    )


def drawn(report):
    """The one picture, and its specification."""
    (chart,) = charts(report)
    TopLevelSpec.validate(chart.spec)
    return chart, chart.spec


def layers(spec):
    """All layers with a mark, with their rows."""
    found = [(inner["mark"], inner["data"]["values"]) for inner in spec.get("layer", ())]
    for inner in (*spec.get("hconcat", ()), *spec.get("vconcat", ())):
        found += layers(inner)
    return found


def marked(spec, kind):
    return [(mark, rows) for mark, rows in layers(spec) if mark["type"] == kind]


def runs(days, judges=("ann",), value=0.5):
    return [(day, day, judge, "reliability", value) for day in days for judge in judges]


def test_each_judge_has_a_line_points_intervals_and_a_name():
    _, spec = drawn(history(runs(["2026-11-20", "2026-11-27"], ["ann", "bob"])))
    (first, _) = marked(spec, "line")
    assert [row["value"] for row in first[1]] == [0.5, 0.5]
    assert [(row["low"], row["high"]) for _, rows in marked(spec, "rule") for row in rows] == [(0.4, 0.55)] * 4
    assert [[row["name"] for row in rows] for _, rows in marked(spec, "line")] == [["ann", "ann"], ["bob", "bob"]]
    strokes = [layer["encoding"]["stroke"] for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    assert strokes[0]["scale"]["range"][0] == ACCENT
    assert '"domain": ["ann", "bob"]' in json.dumps(spec)


def test_runs_stand_by_their_moments_and_judges_of_a_run_beside_each_other():
    _, spec = drawn(history(runs(["2026-11-20", "2026-11-22", "2026-11-26"], ["ann", "bob"])))
    (one, first), (two, second) = marked(spec, "line")
    gaps = [after["x"] - before["x"] for before, after in pairwise(first)]
    assert gaps == pytest.approx([2 * 86_400_000, 4 * 86_400_000])
    assert [row["x"] for row in first] == [row["x"] for row in second]
    assert one["xOffset"] < 0 < two["xOffset"]


def test_an_undefined_figure_leaves_a_gap():
    rows = runs(["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"])
    rows[1] = (*rows[1][:-1], None)
    chart, spec = drawn(history(rows))
    ((_, points),) = marked(spec, "line")
    assert [row["value"] for row in points] == [0.5, None, 0.5, 0.5]
    assert "Undefined, and left as a gap: 1." in chart.caption


def test_runs_of_the_same_time_stand_side_by_side_under_their_names():
    rows = [(name, "2026-11-20", "ann", "reliability", 0.5) for name in ("first", "second", "third")]
    chart, spec = drawn(history(rows))
    assert [row["x"] for row in marked(spec, "line")[0][1]] == ["first", "second", "third"]
    assert "the axis has no scale" in chart.caption


@pytest.mark.parametrize(
    ("values", "places"),
    [
        (["1", "2", "10"], [1.0, 2.0, 10.0]),
        (["week 2", "week 10"], ["week 2", "week 10"]),
        (["2026-11-20", "2026-11-21"], [1_795_132_800_000.0, 1_795_219_200_000.0]),
        (["1", None], ["1", "(missing)"]),
    ],
)
def test_values_of_a_column_stand_by_size_or_evenly(values, places):
    rows = [("run", value, "ann", "reliability", 0.5) for value in values]
    _, spec = drawn(history(rows, by="week"))
    assert [row["x"] for row in marked(spec, "line")[0][1]] == places


def test_many_judges_have_a_plot_each_and_the_caption_says_who_is_left_out():
    few = [f"judge {number:02}" for number in range(MOST_LINES)]
    rows = runs(["2026-11-20", "2026-11-27"], few) + runs(["2026-11-20"], ["seldom"])
    chart, spec = drawn(history(rows))
    assert [row["name"] for _, of in marked(spec, "text") for row in of] == few
    assert f"Shown: {MOST_LINES} of {MOST_LINES + 1} annotators, those with the most figures." in chart.caption


def test_names_stay_texts_in_the_data():
    names = [f'"]; alert({number}) //\u2028\\' for number in (1, 2)]
    _, spec = drawn(history([(name, "2026-11-20", "ann", "reliability", 0.5) for name in names]))
    assert [row["x"] for row in marked(spec, "line")[0][1]] == [name.replace("\u2028", " ") for name in names]
    assert "labelExpr" not in spec["layer"][0]["encoding"]["x"]["axis"]


def test_a_history_of_another_shape_has_no_picture():
    assert charts(history([], keys=())) == []
    report = history(runs(["2026-11-20"]))
    bare = {"history": report["history"].drop("run", "time")}
    assert charts(Report(report.about, bare, "", (), {}, {}, report.examples, report.outcomes, "0")) == []


# --- along a key column of one report ---


def noise(rows, numbers=("noise_ratio",)):
    table = figures(("scorer", "ability", "model", "noise_ratio"), rows, numbers)
    return chart_of("rag", "noise", {"scores": table})


def test_there_is_no_picture_without_a_figure_along_the_axis():
    assert noise([("strict", "noise_robustness", "large", None, "accuracy", 0.5)]) is None
    assert noise([("strict", "noise_robustness", "large", 0.2, "accuracy", None)]) is None
