import struct
from xml.etree import ElementTree as ET

import polars as pl
import pytest

import adjudge
from adjudge.errors import DataError, OptionError
from adjudge.render.charts import picture, pictures
from adjudge.render.kit import charts
from adjudge.render.kit.style import PALETTE
from adjudge.report import Report, typed_table
from made_charts import figures
from made_reports import made_report

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
    return adjudge.reliability(flags)


def test_a_png_is_drawn_at_twice_the_size_of_the_svg(report):
    png = picture(report, ".png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    root = parsed(picture(report, ".svg"))
    assert (width, height) == pytest.approx((2 * float(root.get("width")), 2 * float(root.get("height"))), abs=2)


def test_only_the_matrix_is_drawn_where_no_reliability_is_defined():
    flagged = judgments(["ann"]).with_columns(flag=pl.lit("yes"), reference_flag=pl.lit("no"))
    assert [chart.name for chart in charts(adjudge.reliability(flagged))] == ["matrix"]


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
    for svg in [picture(report, ".svg").decode(), *(svg for _, forms in pictures(report) for svg in forms)]:
        tags = {element.tag for element in parsed(svg).iter()}
        assert tags <= {
            SVG + name for name in ("svg", "g", "path", "rect", "text", "line", "defs", "clipPath", "tspan", "title")
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
    forms = [svg for _, forms in first + second for svg in forms]
    ids = [element.get("id") for svg in forms for element in parsed(svg).iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for one, svg in ((one, svg) for one, forms in first for svg in forms):
        root = parsed(svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == f"{one.title}. {one.caption}"
        assert "var(--adjudge-ink)" in svg
        assert "pointer-events" not in svg
        assert not any(f'"{colour}"' in svg for colour in PALETTE.values())


def test_files_hold_the_picture_alone_and_say_what_it_is_to_who_cannot_see_it(report, tmp_path):
    drawn = picture(report, ".svg")
    assert not any("Reliability with intervals" in text for text in texts(drawn))
    title = parsed(drawn).find(f"{SVG}title").text
    assert title.startswith("Reliability with intervals. Reliability of each annotator with its 95")
    report.save(tmp_path / "r.pdf", chart="matrix")
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")


def test_a_picture_that_a_report_has_not_is_refused_with_those_it_has(report, tmp_path):
    with pytest.raises(OptionError, match=r"no chart interval\nfound: intervals, matrix\nfix:   chart intervals"):
        report.save(tmp_path / "r.png", chart="interval")
    with pytest.raises(OptionError, match=r"r\.html holds no picture of its own"):
        report.save(tmp_path / "r.html", chart="matrix")
    assert report.plot("matrix").to_dict() != report.plot().to_dict() == report.plot("intervals").to_dict()


def test_a_report_without_annotators_has_no_picture_and_says_so(report):
    empty = Report(
        **{name: getattr(report, name) for name in report.__dataclass_fields__}
        | {"tables": {name: frame.clear() for name, frame in report.tables.items()}}
    )
    assert pictures(empty) == []
    with pytest.raises(DataError, match="nothing to draw"):
        picture(empty, ".png")


def test_every_kind_of_picture_can_be_drawn_and_is_the_same_each_time():
    rows = [("strict", "noise_robustness", "large", noise, "accuracy", 0.9 - noise) for noise in (0.0, 0.4)]
    keys = ("scorer", "ability", "model", "noise_ratio")
    counted = dict(zip((*keys, "outcome", "count"), ("strict", "a", "large", 0.0, "correct", 3), strict=True))
    tables = {
        "scores": figures(keys, rows, ["noise_ratio"]),
        "outcomes": typed_table([counted], numbers=["noise_ratio"]),
    }
    report = made_report("rag", tables)
    drawn = pictures(report)
    assert [one.name for one, _ in drawn] == ["noise", "abilities", "outcomes"]
    assert all(svg.startswith("<svg") for _, forms in drawn for svg in forms)
    assert [forms for _, forms in pictures(report)] == [forms for _, forms in drawn]


@pytest.mark.parametrize("name", ["constructor", "toString"])
def test_names_that_objects_of_javascript_have_are_drawn(name):
    found = adjudge.reliability(judgments([name, "ana"], **{name: pl.lit("g")}), by=name)
    for ending in (".svg", ".png"):
        assert picture(found, ending)
    assert any(one.strip("\u2060") == name for one in texts(picture(found, ".svg")))
