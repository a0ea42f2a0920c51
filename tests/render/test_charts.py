import json
import struct
from xml.etree import ElementTree as ET

import polars as pl
import pytest

import adjudge
from adjudge.errors import DataError
from adjudge.render.charts.output import CHARTS, chart_element, chart_file, chart_legend
from adjudge.render.charts.parts import NAMED_ROWS, NARROW, WIDE
from adjudge.render.palette import LIGHT
from adjudge.report import Report
from made import EXAMPLES
from render.test_screens import COMMANDS

pytestmark = pytest.mark.usefixtures("charts")
SVG = "{http://www.w3.org/2000/svg}"
SCRIPT = "<script>alert(1)</script>"


def judgments(annotators, items=6, **more):
    """Every annotator is right on all items but as many as its number."""
    rows = [
        {"item": f"i{item}", "annotator": name, "label": "a" if item < number else "b", "reference": "b"}
        for number, name in enumerate(annotators)
        for item in range(items)
    ]
    return pl.DataFrame(rows).with_columns(**more)


def parsed(svg):
    return ET.fromstring(svg)  # noqa: S314 - our own


def texts(svg):
    return [element.text for element in parsed(svg).iter(f"{SVG}text") if element.text]


def drawn_rows(report):
    """All rows that a chart draws, of all its layers."""

    def found(node):
        if isinstance(node, list):
            return [row for one in node for row in found(one)]
        if not isinstance(node, dict):
            return []
        own = json.loads(node["data"]["values"]) if "values" in node.get("data", {}) else []
        return own + [row for one in node.values() for row in found(one)]

    spec = report.plot().to_dict()
    return found(spec) + [row for rows in spec.get("datasets", {}).values() for row in json.loads(rows)]


@pytest.fixture(scope="module")
def report():
    return adjudge.reliability(judgments(["ann", "bob", "eve"]))


def test_a_chart_draws_the_estimates_of_the_table_with_their_intervals(report):
    table = report["annotators"].filter(metric="reliability").select("annotator", "value", "low", "high").rows()
    assert {(row["name"], row["value"], row["low"], row["high"]) for row in drawn_rows(report) if "low" in row} == {
        *table
    }


@pytest.mark.parametrize("name", ["preferences", "violations", "rag", "annotations", "agreement", "card", "compare"])
def test_every_chart_draws_the_first_metric_of_its_summary(name, tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    report = COMMANDS[name](tmp_path)
    assert report.summary.chart in CHARTS
    drawn = {row.get(field) for row in drawn_rows(report) for field in ("value", "before")}
    column = next(one for one in report.summary.table.columns if one.kind != "text")
    shown = [row for row in column.cells if name != "agreement" or report.summary.table.rows[row] in ("best", "worse")]
    assert {column.cells[row].value for row in shown} <= drawn
    assert chart_file(report, ".svg").startswith(b"<svg")


def test_hovering_a_point_shows_its_interval_and_n(report):
    tips = [
        title.text.replace("\u00a0", " ") for title in parsed(chart_element(report, WIDE, "r1")).iter(f"{SVG}title")
    ]
    assert "ann: 100.0% [61.0, 100.0], n = 6" in tips  # Wilson: 6 / (6 + 1.96²) = .610


def test_a_png_is_drawn_at_twice_the_size_of_the_svg(report):
    png = chart_file(report, ".png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert png == chart_file(report, ".png")
    root = parsed(chart_file(report, ".svg"))
    assert (width, height) == pytest.approx((2 * float(root.get("width")), 2 * float(root.get("height"))), abs=2)


def test_files_hold_the_title_and_the_verdict(report, tmp_path):
    shown = texts(chart_file(report, ".svg"))
    assert "Reliability with 95% CI" in shown
    assert report.summary.verdict in shown
    report.save(tmp_path / "r.pdf")
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")


def test_a_history_by_numbers_is_drawn(tmp_path):
    for name in ("a", "b"):
        adjudge.rag(EXAMPLES / "rag" / "answers.jsonl").save(tmp_path / f"{name}.json")
    history = adjudge.history([tmp_path / "a.json", tmp_path / "b.json"], by="noise_ratio")
    assert {row["run"] for row in drawn_rows(history) if "run" in row} >= {"0.0", "0.8"}


def test_hostile_names_stay_text_stay_different_and_stay_short():
    names = [
        SCRIPT,
        '"><img src=x onerror=alert(1)>',
        "]]></svg>",
        "A\x00B\x1b[31m",
        "x" * 200,
        "x" * 199,
        "\u202eevil",
        "👩‍👩‍👧",
    ]
    report = adjudge.reliability(judgments(names))
    for svg in [chart_file(report, ".svg").decode(), *(chart_element(report, width, "r") for width in (WIDE, NARROW))]:
        tags = {element.tag for element in parsed(svg).iter()}
        assert tags <= {
            SVG + name for name in ("svg", "g", "path", "rect", "text", "line", "defs", "clipPath", "title")
        }
        tips = [element.text for element in parsed(svg).iter(f"{SVG}title")]
        assert not tips or any(tip.startswith(SCRIPT) for tip in tips)
        shown = texts(svg)
        assert any(text.startswith("<script>") for text in shown)
        assert len({text for text in shown if text.startswith("x")}) == 2
        assert "\u202e" not in svg
        assert max(len(text) for text in shown if text != report.summary.verdict) < 100
    assert chart_file(report, ".png")


def test_charts_of_a_page_take_its_colours_and_have_ids_of_their_own(report):
    forms = [chart_element(report, width, f"r{at}") for at, width in enumerate((WIDE, NARROW))]
    ids = [element.get("id") for svg in forms for element in parsed(svg).iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for svg in forms:
        assert parsed(svg).get("role") == "img"
        assert parsed(svg).get("aria-label") == "Reliability with 95% CI"
        assert "var(--adjudge-ink)" in svg
        assert not any(f'"{colour}"' in svg for colour in LIGHT.values())


def test_many_annotators_are_a_curve_without_names():
    names = [f"annotator-{number:02}" for number in range(NAMED_ROWS + 1)]
    shown = texts(chart_element(adjudge.reliability(judgments(names, 40)), WIDE, "r"))
    assert not any(text.startswith("annotator-") for text in shown)
    few = texts(chart_element(adjudge.reliability(judgments(names[:-1], 40)), WIDE, "r"))
    assert {text for text in few if text.startswith("annotator-")} == {*names[:-1]}


def test_colours_are_explained_only_where_they_differ():
    rows = [{"item": f"i{at}", "annotator": name, "label": "b" if name == "good" else "a", "reference": "b"} for at in range(40) for name in ("good", "bad")]  # fmt: skip
    apart = adjudge.reliability(pl.DataFrame(rows))
    assert [*chart_legend(apart)] == ["best", "worse"]
    assert chart_legend(adjudge.reliability(pl.DataFrame(rows[::2]))) == {}


def test_a_report_without_annotators_has_no_chart_and_says_so(report):
    empty = Report(
        **{name: getattr(report, name) for name in report.__dataclass_fields__}
        | {"tables": {name: frame.clear() for name, frame in report.tables.items()}}
    )
    assert chart_element(empty, WIDE, "r") == ""
    with pytest.raises(DataError, match="nothing to draw"):
        empty.plot()


@pytest.mark.parametrize("name", ["constructor", "toString"])
def test_names_that_objects_of_javascript_have_are_drawn(name):
    found = adjudge.reliability(judgments([name, "ana"], **{name: pl.lit("g")}), by=name)
    assert name in [text.strip("\u2060") for text in texts(chart_file(found, ".svg"))]
    assert chart_file(found, ".png")
