"""Reports as Markdown show what the terminal shows."""

import re

import polars as pl
import pytest

import karat
from karat.render.html import report_fragment, report_page
from karat.render.markdown import report_markdown
from karat.render.terminal import report_text
from made import DATA, EXAMPLES

PAIRS = EXAMPLES / "annotations" / "pairs.json"
VOTES = EXAMPLES / "reliability" / "votes.json"
LONG = 100_000


@pytest.fixture(scope="module")
def report():
    return karat.annotations(PAIRS, style=True)


def test_annotators_are_named_once_with_p_beside_their_strength(report):
    lines = report_markdown(report).splitlines()
    assert "| annotator | Strength | Relevance | Coverage | Accuracy | Kappa | Kappa, observed chance |" in lines
    (omar,) = [line for line in lines if line.startswith("| Omar | 0.73")]
    assert omar.startswith(
        "| Omar | 0.73 [0.42\u00a0–\u00a00.88] p\u00a0&lt;\u00a0.001 n=33 (b) | 84.8\u00a0% [66.8\u00a0–\u00a094.0] n=33 (a) |"
    )
    assert "- (a) covers about 90-97 %: With this many clusters" in "\n".join(lines)
    assert "p is adjusted by Holm's method." in "\n".join(lines)


@pytest.mark.parametrize("make", [lambda: karat.annotations(PAIRS, style=True), lambda: karat.reliability(VOTES)])
def test_it_has_the_tables_the_rows_and_the_notes_of_the_terminal(make):
    one = make()
    markdown, terminal = report_markdown(one), report_text(one, width=300)
    titles = re.findall(r"^## (.*)$", markdown, re.MULTILINE)
    assert [title.lower() for title in titles] == re.findall(r"^([a-z ]+): [A-Z]", terminal, re.MULTILINE)
    rows = [line for line in markdown.splitlines() if line.startswith("| ") and not line.startswith("| --")]
    ruled = terminal.count("────\n")
    assert ruled == len(titles)
    shown = re.findall(r"─\n((?:.+\n)+)", terminal)
    more = sum(block.count("... and") for block in shown)
    assert len(rows) - len(titles) == sum(block.count("\n") for block in shown) - more
    assert len(re.findall(r"^- \([a-z]\) ", markdown, re.MULTILINE)) == len(
        re.findall(r"^\[[a-z]\] ", terminal, re.MULTILINE)
    )


def test_comparisons_are_those_with_the_smallest_p_and_the_rest_is_counted(report):
    text = report_markdown(report)
    assert "... and 105 more rows; --format csv --table differences prints them all" in text
    assert "Not printed: votes (79 rows), matrix (578 rows); --format csv --table NAME prints one." in text


def test_counts_have_a_column_per_outcome():
    text = report_markdown(karat.reliability(VOTES))
    assert "| annotator | both | annotator only | reference only | neither |" in text
    assert "| --- | --: | --: | --: | --: |\n| ana | 2 | 1 | 0 | 21 |" in text


def test_a_table_without_rows_is_none():
    assert "None." in report_markdown(karat.reliability(DATA / "reliability" / "flags.json"))


def test_names_are_no_markup():
    table = pl.DataFrame(
        {"item": [1, 2], "annotator": ["@all|*x*", "<b>"], "label": ["a", "b"], "reference": ["a", "b"]}
    )
    text = report_markdown(karat.reliability(table))
    assert "| @\u200ball\\|\\*x\\* |" in text
    assert "| &lt;b&gt; |" in text


def test_a_name_in_a_note_is_no_markup(written):
    text = PAIRS.read_text(encoding="utf-8").replace("household questions", "@team <i>")
    assert "@\u200bteam &lt;i&gt;: the reference is Lena." in report_markdown(karat.annotations(written(text)))


def longest(text):
    return max(len(found[0]) for found in re.finditer(r"([A-Z])\1*", text))


def test_endless_labels_names_and_ids_are_cut_for_reading_and_whole_in_json():
    rows = 6
    table = pl.DataFrame(
        {
            "item": [f"{'I' * LONG}{number}" for number in range(rows)] * 2,
            "annotator": ["A" * LONG + "1"] * rows + ["A" * LONG + "2"] * rows,
            "label": [f"{'L' * LONG}{number % 2}" for number in range(rows)] * 2,
            "reference": [f"{'L' * LONG}{number % 3 % 2}" for number in range(rows)] * 2,
            "flag": ["no", "yes"] * rows,
            "reference_flag": ["no", "no"] * rows,
            "week": ["W" * LONG] * (2 * rows),
        }
    )
    one = karat.reliability(table, by="week")
    for text in (report_page([one]), report_fragment(one), report_markdown(one)):
        assert longest(text) == 1999
    assert len(report_text(one)) < LONG
    assert longest(one.to_json()) == longest(one["confusion"].write_csv()) == LONG
