"""The report on annotators of response pairs as a page and in the terminal."""

import re

import pytest

import adjudge
from adjudge.render.examples import example_groups
from adjudge.render.html import report_page
from adjudge.render.terminal import tables_text
from made_pairs import comparison
from made_pairs import document as made_up
from render.test_html import Page

SCRIPT = "<script>alert(1)</script>"


def document(rights, topics, name, text):
    """Annotators by name, each with the number of its votes out of 20 that are the reference's."""
    comparisons = [
        comparison(
            f"p{number}",
            {"ref": "ab"[number % 2]}
            | {
                f"id{place}": "ab"[(number + (number % 20 >= right)) % 2] for place, right in enumerate(rights.values())
            },
            a=f"{text} {number}",
            b=f"other {text} {number % 7}",
            prompt=f"prompt {number}",
            metadata={"topic": topics[number % len(topics)]},
        )
        for number in range(60)
    ]
    described = {f"id{place}": {"name": called, "type": "human"} for place, called in enumerate(rights)}
    annotators = described | {"ref": {"name": "Judge Dee", "type": "human"}}
    return made_up(*comparisons, annotators=annotators, dataset_name=name, default_annotator="ref")


FEW = {"weak": 11, "strong": 20, "contrary": 1}


@pytest.fixture
def scored(written):
    def score(rights=FEW, *, topics=("code",), text="a text", name="made up", **options):
        return adjudge.annotations(written(document(rights, topics, name, text)), **options)

    return score


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
        page = Page(html)
        tags = [tag for tag, _ in page.elements]
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
        assert not {"img", "i", "b", "iframe"} & set(tags)
        assert tags.count("script") == html.startswith("<!DOCTYPE")
        assert tags.count("title") - len(re.findall(r"<(?:path|line)[^>]*><title>", html)) <= 1
        assert SCRIPT in page.all_text()
        assert "{{ 7 * 7 }}" in page.all_text()
    assert "\x1b" not in pages[0]
    assert "\x1b" not in tables_text(report)


@pytest.mark.parametrize("width", [80, 100, 140, 200, 400])
def test_no_figure_is_broken_however_narrow_the_terminal(scored, width):
    report = scored(topics=("code", "chat"), by="topic")
    text = tables_text(report, width=width)
    whole = tables_text(report, width=1000)
    tables = text[: text.index("\n[a] ")]
    assert max(map(len, tables.splitlines())) <= width
    pattern = r"\[−?\d+\.\d+,\u00a0−?\d+\.\d+\]"
    assert sorted(re.findall(pattern, text)) == sorted(re.findall(pattern, whole))
