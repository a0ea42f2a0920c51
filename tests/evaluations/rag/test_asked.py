"""Questions and documents of answers that stand as examples."""

import json

import pytest

import adjudge
from adjudge.readers.answers.answers import documents_in
from adjudge.render.html import items_fragment

LONG = "Nothing is said here. " * 40


@pytest.fixture
def report(tmp_path):
    """Two models and a question with documents that tell the truth and lie; at another noise it has none."""
    asked = {"id": "7", "ability": "counterfactual_robustness", "answer": [["Rome", "Roma"]], "counterfactual": "Paris"}
    documents = [{"text": f"{LONG}It is in ROMA, they say."}, "Paris or Parisians?", "Neither."]
    rows = [
        {**asked, "model": "m", "noise_ratio": 0, "response": "Paris", "query": "Where?", "documents": documents},
        {**asked, "model": "n", "noise_ratio": 0, "response": "Rome", "query": "Where?", "documents": documents[2:]},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return adjudge.rag(path)


def test_an_example_has_the_documents_of_its_own_answer(report):
    row = report.examples.filter(judge="m").row(0, named=True)
    assert row["question"] == "Where?"
    first, second, third = json.loads(row["documents"])
    assert first.startswith("Nothing is said here.")
    assert 650 < len(first) < 750
    assert (second, third) == ("Paris or Parisians?", "Neither.")
    assert len(json.loads(report.examples.filter(judge="n")["documents"][0])) == 1
    assert '<li dir="auto">Paris or Parisians?</li>' in items_fragment(report)


@pytest.mark.parametrize(
    ("value", "texts"),
    [('["a", {"text": "b"}]', ["a", "b"]), ("plain", ["plain"]), ([{"no": "text"}, 3], []), (None, []), ("3", [])],
)
def test_documents_are_lists_of_texts_or_objects_or_such_a_list_as_json(value, texts):
    assert documents_in(value) == texts
