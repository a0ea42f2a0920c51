import json
from xml.etree import ElementTree as ET

import polars as pl
import pytest

import karat
from karat.evaluations.charting import ink_on, luminance
from karat.evaluations.preferences.charts import (
    MOST_CRITERIA,
    MOST_GROUPS,
    MOST_LABELS,
    MOST_MATRICES,
    MOST_SYSTEMS,
    SHARES,
    charts,
)
from karat.render.charts import picture, pictures
from karat.report import Report

SVG = "{http://www.w3.org/2000/svg}"
TONE, SAFETY = "AAAAABBBBB", "AAAAAAAAAB"
HOSTILE = ("<script>alert(1)</script>", "]]></svg>", "A\x1b[31mB", "x" * 200, "\u202eevil")


def table(tone=TONE, safety=SAFETY, **more):
    """Ten items with a label of each criterion; a blank stands for none."""
    labels = {"tone": tone, "safety": safety}
    columns = {f"{name}_preference": [one.strip() or None for one in labels[name]] for name in labels}
    return pl.DataFrame({"id": [f"i{number}" for number in range(10)], **columns}).with_columns(**more)


def scored(systems, gold=None, **options):
    options = {"criteria": ["tone", "safety"], "labels": ["A", "B"]} | options
    return karat.preferences(table() if gold is None else gold, list(systems.values()), system=list(systems), **options)


@pytest.fixture(scope="module")
def report():
    """worse: 3 of 10 tones, 9 of 10 safeties; better: 9 of 10 tones, 9 of 10 safeties, one of them missing."""
    return scored({"worse": table("BBBAAAAABA", "A" * 10), "better": table("AAAAABBBBA", " " + SAFETY[1:])})


def named(report):
    return {chart.name: chart for chart in charts(report)}


def plots(chart):
    """All single plots of a picture in order: title, data."""
    found = chart.chart.to_dict()
    datasets = found.get("datasets", {})

    def values(node):
        of = [one["data"] for one in (node, *node["layer"]) if "data" in one]
        held = [one["values"] if "values" in one else datasets[one["name"]] for one in of]
        return max(held, key=lambda rows: len(rows[0]))

    def walk(node):
        inner = [one for kind in ("hconcat", "vconcat") for one in node.get(kind, [])]
        return [found for one in inner for found in walk(one)] if inner else [node]

    return [(title(node), values(node)) for node in walk(found)]


def title(node):
    text = node.get("title", {"text": ""})["text"]
    return text if isinstance(text, str) else " / ".join(text)


def texts(svg):
    return [one.text for one in ET.fromstring(svg).iter(f"{SVG}text") if one.text]  # noqa: S314 - our own


def test_accuracy_is_drawn_per_criterion_with_the_average_first_and_the_best_system_on_top(report):
    found = dict(plots(named(report)["accuracy"]))
    assert list(found) == ["Average of all criteria", "tone", "safety"]
    for rows in found.values():
        assert [row["label"] for row in rows] == [
            "better",
            "worse",
            "baseline:majority",
            "baseline:a",
            "baseline:random",
        ]
    assert [row["value"] for row in found["tone"]] == pytest.approx([0.9, 0.3, 0.5, 0.5, 0.5])
    assert [row["value"] for row in found["safety"]] == pytest.approx([0.9, 0.9, 0.9, 0.9, 0.5])
    assert [row["value"] for row in found["Average of all criteria"]] == pytest.approx([0.9, 0.6, 0.7, 0.7, 0.5])


def test_baselines_are_ticks_and_the_best_of_them_is_a_line_through_the_plot(report):
    chart = named(report)["accuracy"]
    for _, rows in plots(chart):
        assert [row["kind"] == "baseline" for row in rows] == [False, False, True, True, True]
    drawn = json.dumps(chart.chart.to_dict())
    assert drawn.count('"type": "tick"') == 3
    guides = [rows[0]["value"] for rows in chart.chart.to_dict()["datasets"].values() if list(rows[0]) == ["value"]]
    assert sorted(guides) == pytest.approx([0.5, 0.7, 0.9])


def test_a_figure_without_a_value_is_undefined_and_no_point():
    report = scored({"one": table()}, gold=table(tone=" " * 10))
    rows = dict(plots(named(report)["accuracy"]))["tone"]
    assert {row["word"] for row in rows if row["kind"] != "baseline"} == {"undefined"}
    assert "undefined" in texts(picture(report, ".svg"))


def test_scores_of_explanations_are_drawn_where_there_are_any_and_without_baselines():
    said = {f"{name}_explanation": pl.lit("clear and short") for name in ("tone", "safety")}
    mine = {f"{name}_explanation": pl.lit("clear") for name in ("tone", "safety")}
    found = named(scored({"mine": table(**mine)}, table(**said), explanations=True))
    assert list(found) == ["accuracy", "rouge-l", "confusion"]
    # The longest common subsequence is 1 of 1 and 1 of 3 words: F1 = 2 * 1 * 1/3 / (4/3) = 1/2.
    (row,) = dict(plots(found["rouge-l"]))["tone"]
    assert (row["label"], row["value"]) == ("mine", pytest.approx(0.5))
    assert "The axes begin at 0.5." in found["rouge-l"].caption


def test_a_confusion_matrix_counts_gold_labels_in_rows_and_predicted_ones_in_columns(report):
    matrices = plots(named(report)["confusion"])
    assert [name for name, _ in matrices] == ["tone", "safety", "tone", "safety"]
    better_safety = {(cell["row"], cell["column"]): cell["text"] for cell in matrices[1][1]}
    assert better_safety == {
        ("A", "A"): "8", ("A", "B"): "", ("A", "missing"): "1",
        ("B", "A"): "", ("B", "B"): "1", ("B", "missing"): "",
    }  # fmt: skip
    worse_tone = {(cell["row"], cell["column"]): cell["text"] for cell in matrices[2][1]}
    assert (worse_tone["A", "A"], worse_tone["A", "B"], worse_tone["B", "A"], worse_tone["B", "B"]) == (
        "2", "3", "4", "1",
    )  # fmt: skip


def test_a_cell_is_the_darker_the_greater_its_share_of_the_row(report):
    cells = {(cell["row"], cell["column"]): cell["fill"] for cell in plots(named(report)["confusion"])[2][1]}
    # Tones of "worse": 2 and 3 of 5, 4 and 1 of 5.
    order = sorted(cells, key=lambda place: -luminance(cells[place]))
    assert order[-4:] == [("B", "B"), ("A", "A"), ("A", "B"), ("B", "A")]
    assert [luminance(colour) for colour in SHARES] == sorted(map(luminance, SHARES), reverse=True)
    assert ink_on(SHARES[0]) != ink_on(SHARES[-1])


def test_of_many_systems_only_the_most_accurate_have_matrices_and_the_caption_says_so():
    # Of the tones of system n, n are wrong.
    systems = {f"s{n}": table("B" * n + TONE[n:]) for n in reversed(range(MOST_MATRICES + 1))}
    chart = named(scored(systems))["confusion"]
    assert len(plots(chart)) == 2 * MOST_MATRICES
    assert f"the {MOST_MATRICES} systems of the highest accuracy" in chart.caption
    shown = [one["title"]["text"] for one in chart.chart.to_dict()["vconcat"]]
    assert shown == [f"s{n}" for n in range(MOST_MATRICES)]


def test_of_very_many_systems_the_best_are_drawn_and_the_rest_is_counted():
    systems = {f"s{n:02}": table("B" * (n % 5) + TONE[n % 5 :]) for n in range(MOST_SYSTEMS + 1)}
    chart = named(scored(systems))["accuracy"]
    assert sum(row["kind"] != "baseline" for row in plots(chart)[0][1]) == MOST_SYSTEMS
    assert f"Shown: the best {MOST_SYSTEMS} of {MOST_SYSTEMS + 1} systems." in chart.caption


def test_with_many_labels_there_are_no_matrices():
    labels = [f"label {n}" for n in range(MOST_LABELS + 1)]
    gold = pl.DataFrame({"id": labels, "tone_preference": labels})
    assert "confusion" not in named(scored({"one": gold}, gold, criteria="tone", labels=labels))


def test_of_many_criteria_the_first_are_drawn_and_the_rest_is_counted():
    names = [f"c{n}" for n in range(MOST_CRITERIA + 1)]
    gold = pl.DataFrame({"id": ["1", "2"], **{f"{name}_preference": ["A", "B"] for name in names}})
    chart = named(scored({"one": gold, "two": gold}, gold, criteria=names))["accuracy"]
    assert [name for name, _ in plots(chart)][1:] == names[:MOST_CRITERIA]
    assert f"Shown: the first {MOST_CRITERIA} of {MOST_CRITERIA + 1} criteria." in chart.caption


def test_ranks_go_from_the_best_to_the_worst_that_a_system_may_have():
    gold = pl.concat([table(id=pl.col("id") + f"-{number}") for number in range(4)])
    half = gold.with_columns(tone_preference=pl.lit("A"))
    found = dict(plots(named(scored({"half": half, "right": gold}, gold))["ranks"]))
    # Tone: 20 of 40 against 40 of 40 differ; safety: both are right throughout, so either may be first.
    sets = {
        (name, row["label"]): (row["rank_low"], row["rank_high"]) for name in ("tone", "safety") for row in found[name]
    }
    assert sets == {
        ("tone", "half"): (2, 2), ("tone", "right"): (1, 1),
        ("safety", "half"): (1, 2), ("safety", "right"): (1, 2),
    }  # fmt: skip
    assert {row["label"]: row["value"] for row in found[""]} == {"right": 1.5, "half": 0.5}


def test_one_system_is_not_ranked():
    assert "ranks" not in named(scored({"one": table()}))


def test_published_scores_have_ranks_only_and_no_word_of_tests():
    published = pl.DataFrame({"system": ["x", "y"], "criterion": "tone", "metric": "charm", "value": [0.9, 0.8]})
    (chart,) = charts(karat.rank_preferences(published))
    assert chart.name == "ranks"
    assert "significantly" not in chart.caption
    assert "By charm" in texts(picture(karat.rank_preferences(published), ".svg"))


def test_groups_stand_side_by_side_and_those_that_are_left_out_are_counted():
    group = pl.Series([f"g{n % 5}" for n in range(10)])
    chart = named(scored({"one": table()}, table(group=group), by="group"))["accuracy"]
    first = [name for name, _ in plots(chart)][:MOST_GROUPS]
    assert first == [f"Average of all criteria / group: g{n}" for n in range(MOST_GROUPS)]
    assert f"Shown: the first {MOST_GROUPS} of 5 groups." in chart.caption


def test_hostile_names_draw_nothing_but_text():
    report = scored(dict.fromkeys(HOSTILE, table()))
    for one in pictures(report):
        tags = {element.tag.removeprefix(SVG) for element in ET.fromstring(one.svg).iter()}  # noqa: S314 - our own
        assert tags <= {
            "svg",
            "g",
            "path",
            "text",
            "rect",
            "line",
            "defs",
            "clipPath",
            "linearGradient",
            "stop",
            "tspan",
        }
    assert picture(report, ".png")[:4] == b"\x89PNG"


def test_a_report_that_was_read_back_is_drawn_the_same(report, tmp_path):
    report.save(tmp_path / "report.json")
    assert pictures(Report.load(tmp_path / "report.json")) == pictures(report)
