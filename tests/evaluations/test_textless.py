"""Judged texts are left out of reports and items files where they are not to be kept."""

import json
from functools import cache

import polars as pl
import pytest

import adjudge

SAID = "the zebra sings"
PAIR = {"prompt": SAID, "text_a": f"{SAID}!", "text_b": "no", "ann": "text_a", "ben": "text_b"}
VOTES = [{"item": i, "annotator": who, "label": "a", "reference": "b", "remark": SAID} for i in (1, 2) for who in "xy"]
ANSWER = {"ability": "noise_robustness", "response": f"{SAID} loudly", "answer": SAID, "question": SAID}
MARKED = {"text": SAID, "violations": [{"start": 0, "end": 9, "rule": "r", "explanation": SAID}]}
INVENTED = {"violations": [{"context": f"{SAID} twice", "rule": "r"}]}
GOLD = {"id": 1, "instruction": SAID, "output_a": SAID, "fluency_preference": "A", "fluency_explanation": SAID}
CASES = {
    "reliability": [VOTES],
    "agreement": [VOTES],
    "annotations": [[PAIR]],
    "rag": [[{"id": i, "model": who, **ANSWER} for i in (1, 2) for who in "xy"]],
    "rag#": [[{"id": i, "model": who, **ANSWER, "response": "no"} for i in (1, 2) for who in "xy"]],
    "violations": [[{"id": "1", **MARKED}], [{"id": "1", **INVENTED}]],
    "preferences": [[GOLD], [GOLD | {"fluency_preference": "B"}]],
}
OPTIONS = {
    "annotations": {"annotator_columns": ["ann", "ben"], "reference": "ann"},
    "preferences": {"criteria": "fluency", "explanations": True},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The report of an evaluation, all that it and its items file say, as text, and that file."""
    folder = tmp_path_factory.mktemp("runs")

    @cache
    def make(name, *, texts):
        inputs = [folder / f"{name}{number}.jsonl" for number in range(len(CASES[name]))]
        for path, rows in zip(inputs, CASES[name], strict=True):
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        items = folder / f"{name}-{texts}.parquet"
        report = getattr(adjudge, name.strip("#"))(*inputs, **OPTIONS.get(name, {}), texts=texts, save_items=items)
        return report, report.to_json() + json.dumps(pl.read_parquet(items).to_dicts()), items

    return make


@pytest.mark.parametrize("name", [name for name in CASES if "#" not in name])
def test_no_text_is_kept_in_reports_and_items_files_where_none_is_to_be(name, made):
    (whole, said, _), (bare, left, _) = made(name, texts=True), made(name, texts=False)
    assert SAID in said
    assert SAID not in left
    assert bare.signature == whole.signature
    assert bare.examples.height == whole.examples.height > 0
    assert bare[bare.about.main].equals(whole[whole.about.main])


def test_a_comparison_shows_no_texts_where_none_are_to_be_kept(made):
    runs, bare = ([made(name, texts=texts)[2] for name in ("rag", "rag#")] for texts in (True, False))
    assert SAID in adjudge.compare(runs).to_json()
    assert SAID not in adjudge.compare(runs, texts=False).to_json()
    assert SAID not in adjudge.compare(bare).to_json()
