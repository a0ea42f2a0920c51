"""Reports as Markdown show what the terminal shows."""

import re
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import adjudge
from adjudge.render.html import report_page
from adjudge.render.markdown import LONGEST, escaped, report_markdown
from adjudge.render.terminal import tables_text
from adjudge.report import typed_table
from made import EXAMPLES
from made_reports import made_report

PAIRS = EXAMPLES / "annotations" / "pairs.json"
VOTES = EXAMPLES / "reliability" / "votes.json"
LONG = 50_000


@pytest.fixture(scope="module")
def report():
    return adjudge.annotations(PAIRS, style=True)


def test_an_estimate_stands_with_its_interval_beside_p_and_n(report):
    lines = report_markdown(report).splitlines()
    (omar,) = [line for line in lines if line.startswith("| Omar | 0.73")]
    assert omar.startswith("| Omar | 0.73 (a) [0.45,\u00a00.87] | .007 | 33 | 84.8% [66.7,\u00a094.0] | 33 |")
    assert "- (a) fewer than 100 clusters: The estimate is based on fewer than 100 clusters." in "\n".join(lines)


def test_it_has_the_summary_and_the_tables_of_the_report():
    one = adjudge.reliability(VOTES)
    markdown = report_markdown(one)
    assert f"**{one.summary.verdict}**" in markdown
    assert "\n| ana | 95.2%" in markdown
    titles = re.findall(r"^## (.*)$", markdown, re.MULTILINE)
    assert [title.lower().replace(" ", "_") for title in titles] == [*one]


def test_characters_that_turn_text_about_are_named_and_arabic_stays():
    arabic, turning = "\u0645\u0631\u062d\u0628\u0627", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    table = pl.DataFrame({"annotator": [f"ann{turning}live", arabic], "size": [1.0, 2.0]})
    text = report_markdown(replace(made_report("reliability", {"annotators": table}), command=f"adjudge {turning}"))
    named = "[LRE][RLE][PDF][LRO][RLO][LRI][RLI][FSI][PDI]"
    assert f"| ann{escaped(named)}live | 1 |" in text
    assert f"| {arabic} | 2 |" in text
    assert f"Command: `adjudge {named}`" in text
    assert not set(turning) & set(text)


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
    one = adjudge.reliability(table, by="week")
    assert longest(report_page([one])) == 1999
    assert longest(report_markdown(one)) <= 1999
    assert len(tables_text(one)) < LONG
    assert longest(one.to_json()) == longest(one["confusion"].write_csv()) == LONG


MARKS = st.text(alphabet="ab 1#@!|\\`*_~$[]()<>&;:/.-+=\n\r\t\x00")


def read(text):
    """What a reader of Markdown sees: for each token that is no text its kind, and the text."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    inner = [one for token in tokens for one in token.children or ()]
    return {token.type for token in [*tokens, *inner]}, "".join(one.content for one in inner if one.type == "text")


def words(text):
    """What is left of a text that is shown: white space is one space, control characters are unknown ones."""
    return re.sub("[ \n\r\t]+", " ", text.replace("\x00", "\ufffd").replace("\u200b", "")).strip()


@given(MARKS)
def test_any_text_stays_one_cell_and_is_read_as_it_is(text):
    kinds, shown = read(f"| a | b |\n| --- | --- |\n| x{escaped(text)}x | end |\n")
    assert kinds <= {"inline", "text", "text_special", *(f"{tag}_{end}" for tag in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close"))}  # fmt: skip
    assert words(shown) == words(f"abx{text}xend")


@given(MARKS)
def test_a_note_is_a_paragraph_whatever_it_begins_with(text):
    kinds, shown = read(report_markdown(made_report("reliability", {}, notes=[text + "a"])))
    assert not kinds & {
        "bullet_list_open",
        "ordered_list_open",
        "code_block",
        "hr",
        "html_block",
        "em_open",
        "link_open",
    }
    assert words(text + "a") in words(shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@team", "@.team"),
        ("ann@example.org", "ann@.example.org"),
        ("fixes #12", "fixes #.12"),
        ("owner/name#12", "owner/name#.12"),
        ("!7", "!.7"),
        ("gh-7", "gh-.7"),
        ("https://example.org", "https:.//example.org"),
        ("www.example.org", "www..example.org"),
        ("# 1 high-7 a:b", "# 1 high-7 a:b"),
    ],
)
def test_nobody_is_mentioned_and_nothing_is_linked(text, shown):
    assert escaped(text).replace("\u200b", ".") == shown


def test_a_command_is_code_on_one_line_whatever_it_holds():
    text = report_markdown(made_report("reliability", {}, command="adjudge 'a\n\n# `b`\x1b'"))
    assert "Command: `` adjudge 'a  # `b`\ufffd' ``\n" in text


def test_tables_of_many_rows_are_folded_up_but_not_the_main_one(report):
    text = report_markdown(report)
    folded = re.findall(
        r"^## (.*)\n\n.*\n\n<details><summary>(\d+) rows</summary>\n\n((?:\|.*\n)+)\n</details>$", text, re.MULTILINE
    )
    assert [(title, rows) for title, rows, _ in folded] == [("Bias", "17"), ("Differences", "60")]
    assert [table.count("\n") for *_, table in folded] == [2 + 17, 2 + 60]
    (main,) = re.findall(r"^## Agreement\n\n.*\n\n((?:\|.*\n)+)\n", text, re.MULTILINE)
    assert main.count("\n") == 2 + 16


def figures(names, metrics):
    figure = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9, "method": "wilson", "reason": None, "caveat": None}
    return typed_table([{"annotator": name, "metric": metric, **figure} for name in names for metric in metrics])


def test_long_tables_have_fewer_rows_and_short_names():
    names = [f"{number:02}{'n' * 1500}" for number in range(90)]
    text = report_markdown(made_report("reliability", {"annotators": figures(names, ["kappa"])}))
    assert len(text) <= LONGEST
    assert f"| 00{'n' * 197}… | 0.50 [" in text
    assert text.count("… | 0.50 [") == 60
    assert "... and 30 more rows; --format csv --table annotators prints them all" in text


def test_tables_that_do_not_fit_in_are_named_and_the_others_are_there():
    wide = figures("abcde", [f"metric {number}" for number in range(400)])
    small = figures("xyz", ["kappa"])
    one = made_report("reliability", {"annotators": small, "first": wide, "second": wide, "flags": small})
    text = report_markdown(one)
    assert len(text) <= LONGEST
    assert re.findall("^## (.*)$", text, re.MULTILINE) == ["Annotators", "First", "Flags"]
    assert "Too long for a comment: second; --format csv --table NAME prints one." in text
    assert text.endswith("Signature: `adjudge=0|seed=0`\n")
