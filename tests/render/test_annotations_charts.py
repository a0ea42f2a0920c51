import itertools
import json
from xml.etree import ElementTree as ET

import pytest

import karat
from karat.evaluations.annotations.charts import (
    MOST_ANNOTATORS,
    MOST_GROUPS,
    MOST_MATRICES,
    MOST_NAMED,
    MOST_PRINTED,
    SIGNS,
    charts,
)
from karat.evaluations.charting import PALETTE, blend, ink_on, luminance
from karat.names import annotator_names, display_names
from karat.render.charts import picture, pictures
from karat.report import Report

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]></svg>",
    "A\x1b[31mB",
    "x" * 200,
    "x" * 199,
    "\u202eevil",
)
OTHER = {"a": "b", "b": "a"}


def document(annotators, pairs=40, topics=("code",), name="made up"):
    """The reference prefers a and b in turn. annotators: id -> (name, of every 20 votes so many are the reference's).

    None in the place of a number: the annotator has no valid vote.
    """
    comparisons = [
        {
            "id": f"{name}-{number}",
            "prompt": f"prompt {number}",
            "response_a": {"text": "long text " * (number % 3)},
            "response_b": {"text": "text " * (1 + number % 2)},
            "annotations": {"ref": {"pref": "ab"[number % 2]}}
            | {one: vote("ab"[number % 2], number, right) for one, (_, right) in annotators.items()},
            "metadata": {"topic": topics[number % len(topics)]},
        }
        for number in range(pairs)
    ]
    described = {one: {"name": called, "description": "", "type": "human"} for one, (called, _) in annotators.items()}
    metadata = {"version": "2.0", "dataset_name": name, "description": "", "created_at": "2025-01-01"} | {
        "default_annotator": "ref",
        "available_metadata_keys_per_comparison": ["topic"],
    }
    described["ref"] = {"name": "Reference", "description": "", "type": "human"}
    return {"metadata": metadata, "annotators": described, "comparisons": comparisons}


def vote(reference, number, right):
    if right is None:
        return {"pref": None, "no_pref_reason": "not_applicable"}
    return {"pref": reference if number % 20 < right else OTHER[reference]}


@pytest.fixture
def scored(written):
    """A report on made-up annotators."""

    def score(annotators, pairs=40, topics=("code",), **options):
        return karat.annotations(written(document(annotators, pairs, topics)), **options)

    return score


FEW = {"a1": ("weak", 11), "a2": ("strong", 20), "a3": ("contrary", 1), "a4": ("silent", None)}


def spec(chart):
    """A picture's definition, with all data where they are used."""
    found = chart.chart.to_dict()
    datasets = found.get("datasets", {})

    def filled(node):
        if isinstance(node, list):
            return [filled(one) for one in node]
        if not isinstance(node, dict):
            return node
        if node.keys() == {"name"} and node["name"] in datasets:
            return {"values": datasets[node["name"]]}
        return {name: filled(one) for name, one in node.items() if name != "datasets"}

    return filled(found)


def plots(chart):
    """All single plots of a picture, in order."""

    def walk(node):
        found = [inner for kind in ("hconcat", "vconcat") for one in node.get(kind, []) for inner in walk(one)]
        return found or [node]

    return walk(spec(chart))


def rows(plot):
    """The rows of a plot of intervals, or the cells of a matrix: all data but the rule's."""
    datasets = (node["data"]["values"] for node in (plot, *plot["layer"]) if "data" in node)
    return next(values for values in datasets if "value" not in values[0] or len(values[0]) > 1)


def texts(svg):
    return [one.text for one in ET.fromstring(svg).iter(f"{SVG}text") if one.text]  # noqa: S314 - our own


def test_annotators_stand_by_strength_with_the_figures_of_the_table_and_the_undefined_last(scored):
    report = scored(FEW)
    (plot,) = plots(charts(report)[0])
    assert [row["label"] for row in rows(plot)] == ["strong", "weak", "contrary", "silent"]
    for row in rows(plot)[:3]:
        estimate = report.estimate("agreement", "strength", {"annotator": row["annotator"]})
        assert (row["value"], row["low"], row["high"]) == (estimate.value, estimate.low, estimate.high)
    assert [row["value"] for row in rows(plot)] == pytest.approx([1.0, 0.1, -0.9, None])


def test_an_undefined_strength_is_called_so_in_the_picture_and_in_words(scored):
    first = charts(scored(FEW))[0]
    assert [row["word"] for row in rows(plots(first)[0])] == ["", "", "", "undefined"]
    assert first.caption.endswith("Undefined: silent.")
    assert "undefined" in texts(pictures(scored(FEW))[0].svg)


def test_many_undefined_annotators_are_counted_not_named(scored):
    silent = {f"s{number}": (f"silent {number}", None) for number in range(MOST_NAMED + 3)}
    assert "and 4 more." in charts(scored(FEW | silent))[0].caption


def test_what_differs_from_0_after_holm_is_filled_and_the_rest_hollow(scored):
    report = scored(FEW)
    kinds = {row["annotator"]: row["kind"] for row in rows(plots(charts(report)[0])[0])}
    assert (kinds["a2"], kinds["a3"], kinds["a1"]) == ("differs from 0", "differs from 0", "may be 0")
    table = report["agreement"]
    p = dict(table.filter(table["metric"] == "strength").select("annotator", "p_adjusted").iter_rows())
    assert p["a1"] > 0.05 > max(p["a2"], p["a3"])


def test_the_level_of_the_test_goes_with_the_confidence(scored):
    report = scored({"a1": ("one", 14)})
    p = report["agreement"]["p_adjusted"].drop_nulls()[0]
    assert 0.01 < p < 0.05
    for confidence, kind in ((0.95, "differs from 0"), (0.999, "may be 0")):
        first = charts(scored({"a1": ("one", 14)}, confidence=confidence))[0]
        assert rows(plots(first)[0])[0]["kind"] == kind
        assert f"p < {1 - confidence:.2g}" in first.caption


def test_the_axis_has_0_in_its_middle_and_holds_every_interval(scored):
    (plot,) = plots(charts(scored(FEW))[0])
    (low, high) = plot["layer"][2]["encoding"]["x"]["scale"]["domain"]
    assert low == -high
    assert all(low <= row["low"] <= row["high"] <= high for row in rows(plot) if row["value"] is not None)
    assert plot["layer"][0]["data"]["values"] == [{"value": 0.0}]


def test_of_many_annotators_those_farthest_from_0_are_drawn_and_the_caption_says_so(scored):
    many = {f"m{number}": (f"many {number}", number % 5) for number in range(MOST_ANNOTATORS)}
    report = scored(many | {"z1": ("nothing", 10), "z2": ("little", 11)}, matrix=False)
    for chart in charts(report):
        assert "Shown: the 40 of 42 annotators that are farthest from 0." in chart.caption
        drawn = {row["label"] for row in rows(plots(chart)[0])} - {"Reference"}
        assert drawn == {name for name, _ in many.values()}


def test_groups_stand_beside_each_other_over_the_same_rows_and_only_the_first_is_labelled(scored):
    first = charts(scored(FEW, topics=("code", "chat", "law"), by="topic"))[0]
    beside = plots(first)
    assert [plot["title"]["text"] for plot in beside] == [["topic: chat"], ["topic: code"], ["topic: law"]]
    assert len({tuple(row["label"] for row in rows(plot)) for plot in beside}) == 1
    assert [plot["layer"][2]["encoding"]["y"]["axis"]["labels"] for plot in beside] == [True, False, False]


def test_of_many_groups_the_largest_are_drawn(scored):
    topics = [f"t{number:02}" for number in range(MOST_GROUPS + 2)] + [f"t{number:02}" for number in range(MOST_GROUPS)]
    found = charts(scored({"a1": ("one", 15)}, pairs=200, topics=topics, by="topic"))
    titles = [plot["title"]["text"] for plot in plots(found[0])]
    assert titles == [[f"topic: t{number:02}"] for number in range(MOST_GROUPS)]
    assert "the 8 largest of 10 groups" in found[0].caption
    assert len(plots(found[1])) == MOST_MATRICES
    assert "the first 4 of 8 groups" in found[1].caption


def test_data_sets_stand_beside_each_other_and_one_that_lacks_an_annotator_says_so(written):
    one = written(document(FEW, name="first set"), "one.json")
    other = written(document({"a1": ("weak", 12), "b1": ("other", 3)}, name="second set"), "other.json")
    beside = plots(charts(karat.annotations([one, other]))[0])
    assert [plot["title"]["text"] for plot in beside] == [["first set"], ["second set"]]
    words = {row["label"]: row["word"] for row in rows(beside[1])}
    assert (words["strong"], words["other"]) == ("no figure", "")


def test_annotators_of_the_same_name_go_by_their_ids(scored):
    report = scored({"a1": ("twin", 15), "a2": ("twin", 5), "a3": ("alone", 10), "a4": ("a5", 9), "a5": ("sly", 8)})
    assert annotator_names(report.tables.values()) == {
        "a1": "a1",
        "a2": "a2",
        "a3": "alone",
        "a4": "a4",
        "a5": "sly",
        "ref": "Reference",
    }
    assert [row["label"] for row in rows(plots(charts(report)[0])[0])] == ["a1", "alone", "a4", "sly", "a2"]


def test_an_id_with_two_names_goes_by_its_id():
    assert display_names([("a", "one"), ("a", "two"), ("b", "one")]) == {"a": "a", "b": "one"}


def test_the_matrix_holds_the_table_without_its_diagonal(scored):
    report = scored(FEW)
    (plot,) = plots(charts(report)[1])
    order = ["Reference", "strong", "weak", "contrary", "silent"]
    assert [(cell["row"], cell["column"]) for cell in rows(plot)] == list(itertools.permutations(order, 2))
    ids = {name: one for one, name in annotator_names(report.tables.values()).items()}
    for cell in rows(plot):
        keys = {"annotator": ids[cell["row"]], "reference": ids[cell["column"]]}
        assert cell["value"] == report.estimate("matrix", "strength", keys).value
    texts_of = {(cell["row"], cell["column"]): cell["text"] for cell in rows(plot)}
    assert texts_of["weak", "Reference"] == ".10"
    assert texts_of["contrary", "Reference"] == "\u2212.90"
    assert texts_of["strong", "Reference"] == "1"
    assert texts_of["silent", "Reference"] == "–"


def test_the_colours_of_the_matrix_lie_even_about_0(scored):
    (plot,) = plots(charts(scored(FEW))[1])
    scale = plot["layer"][0]["encoding"]["fill"]["scale"]
    assert scale["domain"][0] == -scale["domain"][2]
    assert scale["domain"][1] == 0
    assert max(abs(cell["value"] or 0) for cell in rows(plot)) <= scale["domain"][2]


@pytest.mark.parametrize("extra", [0, 1])
def test_values_are_printed_in_a_matrix_of_so_many_annotators_and_no_more(scored, extra):
    annotators = {f"m{number}": (f"many {number}", number) for number in range(MOST_PRINTED - 1 + extra)}
    (plot,) = plots(charts(scored(annotators))[1])
    marks = [layer["mark"]["type"] for layer in plot["layer"]]
    assert ("text" in marks) is (extra == 0)


def test_strengths_of_both_signs_get_darker_the_farther_from_0_and_can_be_read():
    for side in (0.0, 1.0):
        steps = [luminance(blend(SIGNS, 0.5 + (side - 0.5) * step / 20)) for step in range(21)]
        assert all(one > other for one, other in itertools.pairwise(steps))
    for step in range(41):
        one, other = sorted([luminance(blend(SIGNS, step / 40)), luminance(ink_on(blend(SIGNS, step / 40)))])
        assert (other + 0.05) / (one + 0.05) >= 4.5


def test_position_and_length_show_the_table_bias_with_their_rules_and_the_reference_first(scored):
    report = scored(FEW)
    position, length = plots(charts(report)[2])
    for plot, metric, rule in ((position, "position", 0.5), (length, "length", 0.0)):
        assert plot["layer"][0]["data"]["values"] == [{"value": rule}]
        assert next(row["label"] for row in rows(plot)) == "Reference"
        for row in rows(plot):
            assert row["value"] == report.estimate("bias", metric, {"annotator": row["annotator"]}).value
    assert position["layer"][2]["encoding"]["x"]["scale"]["domain"] == [0.0, 1.0]


def test_where_strength_is_undefined_for_everybody_kappa_takes_its_place(scored):
    first = charts(scored(FEW, labels="all"))[0]
    assert first.title == "Annotators by kappa, observed chance"
    assert "Holm" not in first.caption
    assert rows(plots(first)[0])[0]["value"] is not None


def test_without_a_matrix_there_is_no_picture_of_it(scored):
    assert [chart.name for chart in charts(scored(FEW, matrix=False))] == ["strength", "bias"]


def test_the_same_report_gives_the_same_pictures_also_when_read_back_from_json(scored, tmp_path):
    report = scored(FEW, topics=("code", "chat"), by="topic")
    report.save(tmp_path / "report.json")
    loaded = Report.load(tmp_path / "report.json")
    assert picture(report, ".svg") == picture(loaded, ".svg")
    assert pictures(report) == pictures(loaded)


def test_hostile_names_stay_text_stay_different_and_stay_short(written):
    annotators = {f"h{number}": (name, 2 * number) for number, name in enumerate(HOSTILE)}
    report = karat.annotations(written(document(annotators, topics=HOSTILE[:2], name=HOSTILE[0])), by="topic")
    drawn = pictures(report)
    for svg in [picture(report, ".svg").decode(), *(one.svg for one in drawn)]:
        tags = {one.tag.removeprefix(SVG) for one in ET.fromstring(svg).iter()}  # noqa: S314 - our own
        allowed = {"svg", "g", "path", "rect", "text", "line", "defs", "clipPath", "tspan", "linearGradient", "stop"}
        assert tags <= allowed
        assert "\u202e" not in svg
        assert "\x1b" not in svg
    shown = texts(drawn[0].svg)
    assert {HOSTILE[0], "x" * 39 + "…", "x" * 39 + "… (2)", "A[31mB"} <= set(shown)
    ids = [one.get("id") for drawing in drawn for one in ET.fromstring(drawing.svg).iter() if one.get("id")]  # noqa: S314
    assert len(ids) == len(set(ids))
    assert not any(f'"{colour}"' in one.svg for one in drawn for colour in PALETTE.values())


def test_a_report_without_annotators_has_no_picture(scored):
    report = scored(FEW)
    empty = {name: frame.clear() for name, frame in report.tables.items()}
    fields = {name: getattr(report, name) for name in report.__dataclass_fields__}
    assert charts(Report(**fields | {"tables": empty})) == []


def test_pictures_hold_no_figure_that_json_does_not_know(scored):
    for chart in charts(scored(FEW, topics=("code", "chat"), by="topic")):
        json.dumps(spec(chart), allow_nan=False)
