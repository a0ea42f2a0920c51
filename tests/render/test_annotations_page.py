"""The report on annotators of response pairs as a page and in the terminal."""

import re
from html.parser import HTMLParser

import polars as pl
import pytest

import adjudge
from adjudge.render.examples import example_groups
from adjudge.render.html import report_page
from adjudge.render.table_text import tables_text
from adjudge.render.views import table_views

SCRIPT = "<script>alert(1)</script>"


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data):
        self.text.append(data)

    def words(self):
        return " ".join(" ".join(self.text).split())


def document(rights, topics=("code",), name="made up", text="a text", pairs=60, prompts=60):
    """Annotators by name, each with the number of its votes out of 20 that are the reference's."""
    comparisons = [
        {
            "id": f"p{number}",
            "prompt": f"prompt {number % prompts}",
            "response_a": {"text": f"{text} {number}"},
            "response_b": {"text": f"other {text} {number % 7}"},
            "annotations": {"ref": {"pref": "ab"[number % 2]}}
            | {
                f"id{place}": {"pref": "ab"[(number + (number % 20 >= right)) % 2]}
                for place, right in enumerate(rights.values())
            },
            "metadata": {"topic": topics[number % len(topics)]},
        }
        for number in range(pairs)
    ]
    described = {f"id{place}": {"name": called, "type": "human"} for place, called in enumerate(rights)}
    return {
        "metadata": {
            "version": "2.0",
            "dataset_name": name,
            "default_annotator": "ref",
            "available_metadata_keys_per_comparison": ["topic"],
        },
        "annotators": described | {"ref": {"name": "Judge Dee", "type": "human"}},
        "comparisons": comparisons,
    }


FEW = {"weak": 11, "strong": 20, "contrary": 1}


@pytest.fixture
def scored(written):
    def score(rights=None, *, topics=("code",), text="a text", pairs=60, prompts=60, name="made up", **options):
        path = written(document(rights or FEW, topics, name, text, pairs, prompts))
        return adjudge.annotations(path, **options)

    return score


def cells(view):
    return [[cell.text for cell in row] for row in view.rows]


def test_groups_have_an_overview_in_rows_and_their_strengths_side_by_side(scored, monkeypatch):
    report = scored(topics=("code", "chat", "law"), by="topic")
    (view,) = table_views(report, "side_by_side")
    heads = ["annotator", "highest", "lowest", "Greatest difference", "topic: chat", "topic: code", "topic: law"]
    assert [column.title for column in view.columns] == heads
    for row in view.rows:
        for topic, cell in zip(("chat", "code", "law"), row[4:], strict=True):
            figures = report["agreement"].filter(pl.col("topic") == topic, pl.col("metric") == "strength")
            value = figures.filter(pl.col("name") == row[0].text)["value"][0]
            assert cell.text == f"{value:.2f}".replace("-", "−")
            assert cell.figure.tone == pytest.approx(value / 1.0)  # "strong" has 1, the farthest from 0
    page = report_page([report])
    assert page.count('class="number above" style="--tone: 45%"') == 3
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b" not in tables_text(report)
    assert "side_by_side" not in scored().tables


def test_the_main_table_is_sorted_by_strength_which_stands_first_with_its_p(scored):
    (view,) = table_views(scored(), "agreement")
    assert [row[0] for row in cells(view)] == ["strong", "weak", "contrary"]
    assert [column.title for column in view.columns[:3]] == ["annotator", "Strength", "Relevance"]
    assert "p adjusted" in view.columns[1].below
    assert view.rows[0][1].figure.p == "p\u00a0<\u00a0.001"
    assert view.rows[0][2].figure.p == ""


def test_annotators_go_by_their_names_everywhere_and_the_id_is_beside_them(scored):
    report = scored()
    for name in ("agreement", "bias", "votes", "differences", "matrix"):
        for view in table_views(report, name):
            shown = {cell for row in cells(view) for cell in row}
            assert not {"id0", "id1", "id2", "ref"} & shown, name
    (view,) = table_views(report, "agreement")
    assert view.rows[0][0].full == "strong (id1)"


def test_differences_are_sorted_by_p_and_say_which_is_taken_from_which(scored):
    report = scored({f"n{number}": number for number in range(12)}, topics=("code", "chat"), by="topic")
    annotators, groups = table_views(report, "differences")
    assert annotators.part.title == "Differences between annotators"
    assert groups.part.title == "Differences between groups"
    assert [column.title for column in annotators.columns] == ["topic", "first", "second", "Strength"]
    assert [column.title for column in groups.columns] == ["annotator", "first", "second", "Strength"]
    table = (
        report["differences"].filter(pl.col("compared") == "annotators").sort("p_adjusted", "p", maintain_order=True)
    )
    assert [row[3] for row in cells(annotators)] == [
        f"{value:+.2f}" if value > 0 else f"{value:.2f}".replace("-", "−") for value in table["value"]
    ]


def test_examples_set_both_texts_side_by_side_and_say_who_chose_which(scored):
    report = scored({"contrary": 10})
    examples = dict(example_groups(report))["Votes that differ"]
    for example in examples:
        assert [text.name for text in example.beside] == ["text a", "text b"]
        assert [text.name for text in example.texts] == ["prompt"]
        chosen = [text.chosen for text in example.beside]
        assert sorted(chosen) == [("Judge Dee",), ("contrary",)]
        assert [(one.who, one.reference) for one in example.verdicts] == [("contrary", False), ("Judge Dee", True)]
        said = {one.who: one.label for one in example.verdicts}
        assert all(said[who] == text.name for text in example.beside for who in text.chosen)
    agreed = dict(example_groups(report))["Votes that agree"][0]
    assert sorted(text.chosen for text in agreed.beside) == [(), ("contrary", "Judge Dee")]


def test_hostile_names_and_texts_stay_text(scored):
    report = scored(
        {SCRIPT: 12, '"><img src=x onerror=alert(1)>': 5, "\x1b[31mred": 9, "{{ 7 * 7 }}": 3},
        topics=(SCRIPT, "</dl></details>"),
        text=f"{SCRIPT} </dd></dl> {{{{ 7 * 7 }}}}",
        name="</title><i>x</i>",
        by="topic",
    )
    pages = report_page([report]), report._repr_html_()
    for html in pages:
        page = Tags(html)
        assert not {"img", "i", "b", "iframe"} & set(page.tags)
        assert page.tags.count("script") == html.startswith("<!DOCTYPE")
        assert page.tags.count("title") - len(re.findall(r"<(?:path|line)[^>]*><title>", html)) <= 1
        assert SCRIPT in page.words()
        assert "{{ 7 * 7 }}" in page.words()
    assert "\x1b" not in pages[0]
    assert "\x1b" not in tables_text(report)


@pytest.mark.parametrize("width", [60, 80, 100, 140, 200, 400])
def test_no_figure_is_broken_however_narrow_the_terminal(scored, width):
    report = scored(topics=("code", "chat"), by="topic")
    text = tables_text(report, width=width)
    whole = tables_text(report, width=1000)
    tables = text[: text.index("\n[a] ")]
    assert max(map(len, tables.splitlines())) <= width
    for pattern in (r"\[−?\d+\.\d+\u00a0to\u00a0−?\d+\.\d+\]", r"\bn=\d+", r"\bp[=<>]\S+"):
        assert sorted(re.findall(pattern, text)) == sorted(re.findall(pattern, whole))
