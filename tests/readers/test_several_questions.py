"""Where an export holds the answers to several questions, one must be named."""

import json
import re

import pytest

from adjudge import DataError
from made_labels import (
    ARGILLA,
    INSPECT,
    LM_EVAL,
    MTURK,
    PROMPTFOO,
    PROMPTFOO_RATED,
    TICKED,
    choice,
    judgments,
    lines,
    rows_of,
)

TWO_COLUMNS = MTURK.replace('"Answer.quality"', '"Answer.quality","Answer.tone"')
TWO_COLUMNS = TWO_COLUMNS.replace('"4"\n', '"4","kind"\n').replace('"5"\n', '"5","rude"\n')
LINES = lines([*PROMPTFOO["results"]["results"], *PROMPTFOO_RATED])
RESPONSES = {**ARGILLA[0]["responses"], "why": [{"value": "because", "user_id": "u1"}]}
SCORES = {name: {"value": "C", "answer": "kind"} for name in ("match", "includes")}
SCORED = {**INSPECT, "samples": [{"id": 1, "epoch": 1, "target": "kind", "scores": SCORES}]}
FILTERED = [{**LM_EVAL[0], "target": "18", "filtered_resps": ["18"], "filter": how} for how in ("strict", "loose")]
CHOICES = [choice("tone", "kind"), choice("unsafe", "no")]
TASK = {"id": 1, "data": {}, "annotations": [{"completed_by": who, "result": CHOICES} for who in (1, 2)]}


@pytest.mark.parametrize(
    ("name", "content", "reference", "questions", "label", "read"),
    [
        ("batch.csv", TWO_COLUMNS, "Input.gold", "Answer.quality, Answer.tone", "Answer.quality", 3),
        ("ticked.csv", TICKED, ["a"], "Answer.tone, Answer.sure.on", "Answer.tone", 1),
        ("argilla.json", json.dumps([{**ARGILLA[0], "responses": RESPONSES}]), ["u1"], "tone, why", "tone", 2),
        ("inspect.json", json.dumps(SCORED), (), "match.answer, includes.answer", "includes.answer", 1),
        ("log.jsonl", lines(FILTERED), (), "strict, loose", "strict", 1),
        ("results.jsonl", LINES, (), "output, grade", "grade", 2),
        ("tasks.json", json.dumps([TASK]), ["1"], "tone, unsafe", "tone", 1),
    ],
)
def test_one_of_several_questions_must_be_named(written, name, content, reference, questions, label, read):
    path = written(content, name)
    asked = f"several questions were asked\nfound: {questions}\nfix:   columns label={questions.partition(',')[0]}"
    with pytest.raises(DataError, match=re.escape(asked)):
        judgments(path, reference=reference)
    assert len(rows_of(judgments(path, reference=reference, label=label))) == read


def test_another_question_than_that_of_the_labels_may_be_the_flag(written):
    assert judgments(written([TASK]), reference=["1"], label="tone", flag="unsafe").flags_known
