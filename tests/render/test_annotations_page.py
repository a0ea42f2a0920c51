"""The report on annotators of response pairs as a page and in the terminal."""

import re
from html.parser import HTMLParser

import pytest

import adjudge
from adjudge.render.examples import example_groups
from adjudge.render.html import report_page
from adjudge.render.tables import printed_table
from adjudge.render.terminal import tables_text

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


def cells(printed):
    return [[cell.text for cell in row] for row in printed.rows]


def test_the_main_table_is_sorted_by_strength_which_stands_first_with_its_p(scored):
    printed = printed_table(scored(), "agreement")
    assert [row[0] for row in cells(printed)] == ["strong", "weak", "contrary"]
    assert [head.title for head in printed.heads[:4]] == ["Annotator", "Strength", "adj. p", "Relevance"]
    assert printed.rows[0][2].text == "< .001"


def test_annotators_go_by_their_names_everywhere(scored):
    report = scored()
    for name in ("agreement", "bias", "votes", "differences", "matrix"):
        shown = {cell for row in cells(printed_table(report, name)) for cell in row}
        assert not {"id0", "id1", "id2", "ref"} & shown, name


def test_groups_have_their_strengths_side_by_side_in_columns_with_the_names_of_the_data(scored):
    report = scored(topics=("code", "chat", "law"), by="topic")
    printed = printed_table(report, "side_by_side")
    titles = {"Annotator", "Greatest difference", "topic: chat", "topic: code", "topic: law"}
    assert titles <= {head.title for head in printed.heads}
    assert "side_by_side" not in scored().tables


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
    pattern = r"\[−?\d+\.\d+,\u00a0−?\d+\.\d+\]"
    assert sorted(re.findall(pattern, text)) == sorted(re.findall(pattern, whole))
