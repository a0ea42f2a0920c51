"""The explorer's views of checkers."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import karat
from made import EXAMPLES
from made_explorer import commands, page_of, said

FILES = [str(EXAMPLES / "violations" / f"{name}.jsonl") for name in ("truth", "careful", "eager")]


@pytest.mark.parametrize("view", ["Overview", "Tables", "Pictures", "Items", "Pairs"])
def test_every_view_opens(view):
    assert not page_of(*FILES, view=view).exception


def test_who_judges_pairs_is_asked_once_for_labels_and_pairs():
    page = page_of(*FILES, view="Pairs")
    assert "Say who you are" in said(page)
    assert not page.get("iframe")
    page = page_of(*FILES, view="Pairs", labeller='Zoe "Z" <b>')
    (frame,) = page.get("iframe")
    assert '<label hidden>Your name <input id="judge"' in frame.proto.srcdoc
    assert 'value="Zoe &#34;Z&#34; &lt;b&gt;"' in frame.proto.srcdoc
    assert "karat violations calibrate judged-Zoe-Z-b-.jsonl" in commands(page)


def test_whose_violations_are_the_truth_is_asked_before_other_options(tmp_path):
    path = tmp_path / "marked.csv"
    rows = ["id,text,annotator,start,end,rule"]
    rows += [f"{place},one two,{who},0,3,r" for place in range(3) for who in ("ann", "ben")]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    page = page_of(str(path))
    first = page.sidebar.selectbox[0]
    assert (first.key, first.options) == ("truth_annotator", ["", "ann", "ben"])
    page = first.select("ann").run()
    assert not page.error
    assert set(page.dataframe[0].value["checker"]) == {"ben"}


def test_a_word_is_chosen_among_words_that_say_what_follows(tmp_path):
    path = tmp_path / "truth.jsonl"
    path.write_text(json.dumps({"id": "1", "text": "This is\n\u202ea cup. This is it.", "violations": []}) + "\n")
    shutil.copy(path, tmp_path / "predicted.jsonl")
    page = page_of(str(path), str(tmp_path / "predicted.jsonl"), view="Label", labeller="zoe", evaluation="violations")
    first, last = (page.selectbox(key=f"{name} 1").options for name in ("first", "last"))
    assert first[:2] == ["1: This is a cup. This is it.", "2: is a cup. This is it."]
    assert first[6] == "7: This is it."
    assert last[0] == first[0]


def test_texts_with_most_errors_come_first_with_their_marks():
    page = page_of(*FILES, view="Texts")
    assert not page.exception
    counts = page.dataframe[0].value
    errors = counts["missed"] + counts["invented"]
    assert list(errors) == sorted(errors, reverse=True)
    assert "<mark" in "".join(one.value for one in page.html)


def test_numbers_of_a_column_have_as_many_decimals_as_one_of_them_needs(monkeypatch):
    from karat.app import lists

    made = {}
    monkeypatch.setattr(lists.st, "dataframe", lambda _, **how: made.update(how["column_config"]))
    frame = pl.DataFrame({"match": [0.84, 0.8671], "noise": [0.2, None], "right": [1.0, 0.0]})
    lists.listed("key", frame, pl.Series(["1", "2"]), {})
    formats = [made[name]["type_config"]["format"] for name in frame.columns]
    assert formats == ["%.3f", "%.1f", "%.0f"]


@pytest.mark.parametrize(("view", "address"), [("Texts", {}), ("Items", {"of-judge": "eager"})])
def test_a_text_is_shown_once_with_the_violations_of_one_checker_explained(view, address):
    page = page_of(*FILES, view=view, **address)
    assert not page.exception
    chosen = page.selectbox(key="item-judge")
    assert chosen.value == ("eager" if address else page.dataframe[0].value["checker"][0])
    for checker in chosen.options:
        shown = "".join(one.value for one in page.selectbox(key="item-judge").select(checker).run().html)
        assert shown.count('class="verdicts"') == 1
        assert f'data-judge="{checker}"' in shown


def test_weights_that_are_tried_change_the_figures_and_the_command_line():
    page = page_of(*FILES, view="Settings", **{"ha-overlap": "0"})
    assert not page.exception
    # the others, .3, .1, .2 and .1, are scaled to sum to 1, with four decimals
    assert "correction=0.1429,explanation=0.2857,overlap=0.0,rule=0.4285" in commands(page)[-1]


def test_what_a_person_marks_is_read_as_the_ground_truth_with_the_same_options(tmp_path):
    """Offsets from 1, a key and a group of the file's own. The checker marks "Three", which the truth lacks."""
    paths = [str(tmp_path / name) for name in ("truth.jsonl", "checker.jsonl", "marked.jsonl")]
    first, second = ({"from": 1, "end": end, "rule": "r"} for end in (4, 6))
    texts = [{"id": "1", "text": "One two", "shop": "a"}, {"id": "2", "text": "Three", "shop": "b"}]
    for path, marks in zip(paths, ([[first], []], [[first], [second]]), strict=False):
        rows = [{**text, "violations": own} for text, own in zip(texts, marks, strict=True)]
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))
    how = {"columns": {"start": "from"}, "offset_base": 1, "by": ["shop"], "predictions": paths[1:2]}
    result = pytest.importorskip("karat.app.results").result_of("violations", {"ground_truth": paths[0], **how})

    page = page_of(*paths[:2], view="Label", labeller="zoe", item="2", offset_base="1", columns="start=from", by="shop")
    page.selectbox(key="rule 2").set_value("r").run()
    page.button(key="add 2").click().run()
    given = page.session_state[f"labels of {result.report.signature} by zoe"]
    marking = pytest.importorskip("karat.app.marking")
    known = marking.marks_of(result.read)
    Path(paths[2]).write_text(marking.lines_of(result.read.texts, known | given, result.given))
    scores = karat.violations(paths[2], **how)["scores"].filter(variant="std", average="micro", metric="recall")
    assert scores.select("shop", "value", "n").rows() == [("a", 1.0, 1), ("b", 1.0, 1)]
    page.button(key="remove 1 2").click().run()
    assert given == {"2": []}
