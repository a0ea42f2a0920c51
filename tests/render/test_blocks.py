"""Tables with one key across, as predicted preferences have them."""

import re

import polars as pl
import pytest

import adjudge
from adjudge.render.html import report_fragment, report_page
from adjudge.render.markdown import report_markdown
from adjudge.render.table_text import tables_text
from adjudge.render.views import table_views
from made_charts import figures
from made_reports import made_report

SPACE = "\u00a0"
TONE, SAFETY = "AAAAABBBBB", "AAAAAAAAAB"


def table(tone=TONE, safety=SAFETY, **more):
    """Ten items with a label of each criterion; a blank stands for none."""
    labels = {"tone": tone, "safety": safety}
    columns = {f"{name}_preference": [one.strip() or None for one in labels[name]] for name in labels}
    return pl.DataFrame({"id": [f"i{number}" for number in range(10)], **columns}).with_columns(**more)


def scored(gold=None, systems=None, **options):
    systems = systems or {"right": table(), "half": table("A" * 10, "A" * 10)}
    gold = table() if gold is None else gold
    options = {"criteria": ["tone", "safety"], "labels": ["A", "B"]} | options
    return adjudge.preferences(gold, list(systems.values()), system=list(systems), **options)


@pytest.fixture(scope="module")
def report():
    return scored()


def lines_after(text, heading):
    """The lines behind a heading of the table of scores, or of the only table."""
    lines = text[max(text.find("\nscores: "), 0) :].replace(SPACE, " ").splitlines()
    return lines[lines.index(heading) + 1 :]


def test_a_block_has_a_row_per_system_and_a_column_per_criterion_with_the_average_last(report):
    head, _, first, second, *_ = lines_after(tables_text(report, width=120), "Accuracy, n=10")
    assert head.split() == ["system", "tone", "safety", "Average"]
    assert first.split()[:2] == ["right", "100.0%"]
    # 5 of 10 and 9 of 10 are right; (50 + 90) / 2 = 70.
    assert re.findall(r"(\d+\.\d)%", second) == ["50.0", "90.0", "70.0"]


def test_baselines_stand_below_the_systems(report):
    rows = lines_after(tables_text(report, width=120), "Accuracy, n=10")[2:7]
    names = [row.split()[0] for row in rows]
    assert names == ["right", "half", "baseline:majority", "baseline:a", "baseline:random"]


def test_what_is_zero_throughout_is_said_in_a_sentence_and_what_has_no_value_is_a_dash_with_its_reason(report):
    text = tables_text(report, width=120).replace(SPACE, " ")
    assert "\nMissing: 0.0% throughout.\n" in text
    row = next(row for row in lines_after(text, "Macro F1, n=10") if row.startswith("baseline:random")).split()
    assert row[1::2] == ["–"] * 3
    assert f"\n{row[2]} not defined for an expected value\n" in text
    assert "**Average" in report_markdown(report)
    assert "Missing: 0.0% throughout." in report_markdown(report)


def test_n_stands_below_each_criterion_where_they_differ_and_in_no_cell():
    report = scored(gold=table(tone="    " + TONE[4:]))
    # 6 items have a gold label of tone, 10 one of safety; the average rests on all 10.
    above, below, _, *rows = lines_after(tables_text(report, width=120), "Balanced accuracy")
    assert above.split() == ["tone", "safety", "Average"]
    assert below.split() == ["system", "n=6", "n=10", "n=10"]
    assert not any("n=" in row for row in rows[: rows.index("")])


def test_n_stands_in_the_cells_where_groups_differ_in_size_and_some_figures_have_no_interval():
    report = scored(gold=table(group=pl.Series(list("xxxxxxxyyy"))), by="group")
    head, _, *rows = lines_after(tables_text(report, width=200), "Accuracy")
    block = [row for row in rows[: rows.index("")] if "random" not in row]
    assert "n=" not in head
    assert [row.count("n=7") for row in block] == [3] * 4 + [0] * 4
    assert [row.count("n=3") for row in block] == [0] * 4 + [3] * 4


def test_ranks_are_whole_numbers_from_the_first_to_the_last_and_points_have_no_needless_decimals():
    many = pl.concat([table(id=pl.col("id") + f"-{number}") for number in range(4)])
    half = many.with_columns(tone_preference=pl.lit("A"), safety_preference=many["safety_preference"])
    report = scored(many, {"right": many, "half": half})
    text = tables_text(report, width=120)
    # Tone: 40 of 40 against 20 of 40. Safety: both are right throughout. Borda 1 + 1/2 and 0 + 1/2.
    ranks = lines_after(text[text.index("\nranks: ") :], "Ranks")
    assert [row.split() for row in ranks[2:4]] == [["right", "Accuracy", "1", "1–2"], ["half", "Accuracy", "2", "1–2"]]
    together = next(row for row in text.splitlines() if row.startswith("right") and "1.5" in row)
    assert together.split()[1:3] == ["1.5", "1.25"]  # mean ranks: (1 + 1.5) / 2
    assert "(missing)" not in text


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_no_line_of_a_table_is_longer_than_the_terminal(width):
    long = {f"{'a-long-name-of-a-system ' * 2}{number}": table() for number in range(3)}
    report = scored(table(group=pl.Series(list("xxxxxyyyyy"))), long, by="group")
    text = tables_text(report, width=width)
    assert all(len(line) <= width for line in text.splitlines() if not line.startswith("Signature"))
    assert all(text.count(f"{name}") for name in ("tone", "safety", "Average"))


def test_names_of_criteria_cannot_steer_the_terminal_or_the_page():
    gold = table().rename({"tone_preference": "\x1b[31m<b>_preference"})
    report = scored(gold, {"one": gold, "two": gold}, criteria=["\x1b[31m<b>", "safety"])
    assert "\x1b" not in tables_text(report)
    assert "<b>" not in report_page([report])
    assert not any("<b>" in line for line in report_markdown(report).splitlines() if not line.startswith("Signature"))


def test_examples_have_both_explanations_side_by_side_and_say_who_chose_which_text():
    texts = {
        "instruction": ["Why?"] * 10,
        "output_a": ["because"] * 10,
        "output_b": ["therefore"] * 10,
        "tone_explanation": ["people say so"] * 10,
        "safety_explanation": ["people think so"] * 10,
    }
    mine = table("B" * 10, "B" * 10, tone_explanation=pl.lit("I say so"), safety_explanation=pl.lit("I think so"))
    gold = table("A" * 10, "B" * 10, **{name: pl.Series(values) for name, values in texts.items()})
    page = report_page([scored(gold, {"mine": mine}, explanations=True, examples=20)])
    example = page[page.index("Prediction differs from people&#39;s") :]
    example = example[: example.index("Prediction agrees")]
    assert '<span class="part">tone</span>' in example
    places = [example.index(text) for text in ("Why?", "because", "therefore", "people say so", "I say so")]
    assert places == sorted(places)
    assert '<bdi>output a</bdi>, chosen by <bdi class="who">gold</bdi>' in example
    assert '<bdi>output b</bdi>, chosen by <bdi class="who">mine</bdi>' in example


def test_published_scores_are_shown_although_there_is_no_main_table():
    published = pl.DataFrame(
        {"system": ["x", "y"], "criterion": "safety", "metric": "accuracy", "value": [0.9, 0.8]},
    )
    report = adjudge.rank_preferences(published)
    head, _, first, second, *_ = lines_after(tables_text(report, width=120), "Ranks")
    assert head.split() == ["system", "ranked", "metric", "safety", "[a]"]
    assert (first.split(), second.split()) == (["x", "Accuracy", "1", "n=2"], ["y", "Accuracy", "2", "n=2"])
    assert "All together" in report_page([report])
    assert "Borda points" in report_fragment(report)


def test_a_key_of_the_evaluation_is_titled_as_adjudges_own_even_where_it_is_asked_for_by_name():
    frame = figures(("annotator", "week"), [("ann", "1", "reliability", 0.5), ("ann", "2", "reliability", 0.6)])
    report = made_report("reliability", {"annotators": frame}, options={"by": ["week", "annotator"]})
    (view,) = table_views(report, "annotators")
    assert {column.title: column.own for column in view.columns[:2]} == {"annotator": True, "week": False}
