import itertools
import json
import struct
from xml.etree import ElementTree as ET

import polars as pl
import pytest

import karat
from karat.errors import DataError
from karat.evaluations.charting import GOODNESS, PALETTE, UNDEFINED, goodness_colour, ink_on, luminance
from karat.evaluations.reliability.charts import MOST_GROUPS, MOST_ROWS, charts
from karat.names import distinct, short
from karat.render.charts import picture, pictures
from karat.report import Report, typed_table

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


@pytest.fixture(scope="module")
def report():
    flags = judgments(["ann", "bob", "eve"]).with_columns(
        flag=pl.when(annotator="eve").then(pl.lit("yes")).otherwise(pl.lit("no")), reference_flag=pl.lit("no")
    )
    return karat.reliability(flags)


def test_the_matrix_shows_every_annotator_and_figure_and_a_dash_where_there_is_none(report):
    shown = texts(picture(report, ".svg"))
    assert {"ann", "bob", "eve", "Reliability", "Flag mismatch", "Items"} <= set(shown)
    assert {"100.0\u00a0%", "83.3\u00a0%", "0.0\u00a0%", "6", "–"} <= set(shown)
    assert shown.count("–") == 1


def test_the_best_annotator_stands_first_and_the_undefined_last(report):
    shown = texts(picture(report, ".svg"))
    assert sorted(["ann", "bob", "eve"], key=shown.index) == ["ann", "bob", "eve"]


def test_a_png_is_drawn_at_twice_the_size_of_the_svg(report):
    png = picture(report, ".png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    root = parsed(picture(report, ".svg"))
    assert (width, height) == pytest.approx((2 * float(root.get("width")), 2 * float(root.get("height"))), abs=2)


def test_the_same_report_gives_the_same_picture_also_when_read_back_from_json(report, tmp_path):
    report.save(tmp_path / "report.json")
    loaded = Report.load(tmp_path / "report.json")
    assert picture(report, ".svg") == picture(loaded, ".svg")
    assert pictures(report) == pictures(loaded)


def test_an_annotator_without_reliability_is_counted_but_not_drawn_among_the_intervals(report):
    intervals = pictures(report)[1]
    assert "eve" not in texts(intervals.svg)
    assert "Without a figure and not shown: 1." in intervals.caption


def test_only_the_matrix_is_drawn_where_no_reliability_is_defined():
    flagged = judgments(["ann"]).with_columns(flag=pl.lit("yes"), reference_flag=pl.lit("no"))
    assert [chart.name for chart in charts(karat.reliability(flagged))] == ["matrix"]


def test_many_annotators_are_cut_to_those_with_most_items_and_the_caption_says_so():
    few = judgments([f"few-{number}" for number in range(5)], items=2)
    many = judgments([f"many-{number}" for number in range(MOST_ROWS)], items=4)
    drawn = charts(karat.reliability(pl.concat([few, many])))
    for chart in drawn:
        assert "Shown: 100 of 105 annotators" in chart.caption
        spec = json.dumps(chart.chart.to_dict())
        assert "many-99" in spec
        assert "few-" not in spec


def test_every_group_has_a_block_and_only_the_largest_are_drawn():
    groups = [
        judgments(["ann"], items=2 + number, week=pl.lit(f"w{number:02}"), item=f"{number} " + pl.col("item"))
        for number in range(MOST_GROUPS + 2)
    ]
    matrix = charts(karat.reliability(pl.concat(groups), by="week"))[0]
    titles = [block["title"]["text"][0] for block in matrix.chart.to_dict()["vconcat"]]
    assert titles == [f"week: w{number:02}" for number in range(2, MOST_GROUPS + 2)]
    assert "of the 10 largest of 12 groups" in matrix.caption


def test_the_truth_is_drawn_beside_the_estimates_where_it_is_known(report):
    truth = typed_table(
        [{"annotator": "bob", "metric": "reliability", "truth": 0.9, "value": 0.8, "low": 0.1, "high": 1.0}]
    )
    known = Report(
        **{name: getattr(report, name) for name in report.__dataclass_fields__}
        | {"tables": {**report.tables, "truth": truth}}
    )
    assert "true value" in texts(pictures(known)[1].svg)
    assert "true value" not in texts(pictures(report)[1].svg)


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
    report = karat.reliability(judgments(names))
    for svg in [picture(report, ".svg").decode(), *(one.svg for one in pictures(report))]:
        tags = {element.tag for element in parsed(svg).iter()}
        assert tags <= {
            SVG + name for name in ("svg", "g", "path", "rect", "text", "line", "defs", "clipPath", "tspan")
        }
        shown = texts(svg)
        assert "x" * 39 + "…" in shown
        assert "x" * 39 + "… (2)" in shown
        assert SCRIPT in shown
        assert "\u202e" not in svg
        assert max(map(len, shown)) < 60
    assert picture(report, ".png")


def test_pictures_for_a_page_take_its_colours_have_own_ids_and_say_what_they_are(report):
    first, second = (pictures(report, prefix) for prefix in ("r1", "r2"))
    ids = [element.get("id") for one in first + second for element in parsed(one.svg).iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for one in first:
        root = parsed(one.svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == f"{one.title}. {one.caption}"
        assert "var(--karat-ink)" in one.svg
        assert "pointer-events" not in one.svg
        assert not any(f'"{colour}"' in one.svg for colour in PALETTE.values())


def test_a_report_without_annotators_has_no_picture_and_says_so(report):
    empty = Report(
        **{name: getattr(report, name) for name in report.__dataclass_fields__}
        | {"tables": {name: frame.clear() for name, frame in report.tables.items()}}
    )
    assert pictures(empty) == []
    with pytest.raises(DataError, match="nothing to draw"):
        picture(empty, ".png")


def test_colours_get_lighter_from_worst_to_best():
    steps = [luminance(goodness_colour(step / 100)) for step in range(101)]
    assert all(one < other for one, other in itertools.pairwise(steps))
    assert goodness_colour(0) == GOODNESS[0]
    assert goodness_colour(7) == GOODNESS[-1]


@pytest.mark.parametrize("fill", [*(goodness_colour(step / 50) for step in range(51)), UNDEFINED])
def test_text_can_be_read_on_every_cell(fill):
    one, other = sorted([luminance(fill), luminance(ink_on(fill))])
    assert (other + 0.05) / (one + 0.05) >= 4.5


def test_names_are_cut_cleaned_and_kept_apart():
    assert short("a\tb\r\nc") == "a b c"
    assert short("\x00\u202e") == "(blank)"
    assert len(short("long " * 100)) <= 40
    assert distinct(["a", "a\x00", "a (2)", None]) == ["a", "a (2)", "a (2) (2)", "(missing)"]
