"""A small export of each labelling tool that reliability reads, in the tool's own shape; and how to see what is read."""

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.labels.judgments import JudgmentReading, Judgments, read_judgments

MTURK = """\
"HITId","HITTypeId","WorkerId","AssignmentStatus","WorkTimeInSeconds","Input.text","Input.gold","Answer.quality"
"3H1","3T","A1","Approved","12","Hello","4","4"
"3H1","3T","A2","Rejected","9","Hello","4","5"
"3H2","3T","A1","Approved","11","Go","5","5"
"""

TOLOKA = """\
INPUT:text\tOUTPUT:result\tGOLDEN:result\tHINT:text\tASSIGNMENT:task_id\tASSIGNMENT:assignment_id\tASSIGNMENT:worker_id\tASSIGNMENT:status
Hello\tgood\tgood\t\tt1\ta1\tw1\tAPPROVED
Hello\tbad\tgood\t\tt1\ta2\tw2\tAPPROVED
Go\tbad\t\t\tt2\ta1\tw1\tAPPROVED
"""


def choice(name: str, *chosen: object, **further: object) -> dict[str, object]:
    """A result of Label Studio that judges a whole item."""
    value = {"choices": [*chosen], **further}
    return {"id": "r1", "from_name": name, "to_name": "text", "type": "choices", "value": value}


def annotation(id_: int, who: object, *results: object, **flags: bool) -> dict[str, object]:
    """An annotation of Label Studio, neither cancelled nor of the truth unless it is said to be."""
    flags = {"was_cancelled": False, "ground_truth": False, **flags}
    return {"id": id_, "completed_by": who, **flags, "result": [*results]}


SPAN = {"type": "labels", "from_name": "span", "value": {"start": 0, "end": 4, "labels": ["x"]}}
LABEL_STUDIO = [
    {"id": 1, "data": {"text": "Good.", "lang": "en"}, "annotations": [
        annotation(11, {"id": 1, "email": "ana@x.org"}, choice("tone", "kind"), SPAN),
        annotation(12, 2, choice("tone", "kind"), ground_truth=True),
    ], "predictions": [{"model_version": "bert-1", "result": [choice("tone", "rude")]}]},
    {"id": 2, "data": {"text": "Bad.", "lang": "de"}, "annotations": [annotation(13, 1, was_cancelled=True)], "predictions": []},
]  # fmt: skip

ARGILLA = [{
    "id": "r1", "fields": {"text": "Good."}, "metadata": {"lang": "en"}, "vectors": {}, "status": "completed",
    "suggestions": {"tone": {"value": "rude", "score": 0.9, "agent": "m1"}},
    "responses": {"tone": [{"value": "kind", "user_id": "u1"}, {"value": "rude", "user_id": "u2"}]},
}]  # fmt: skip

PRODIGY = [
    {"text": "Good.", "options": [{"id": "kind", "text": "Kind"}, {"id": "rude", "text": "Rude"}], "accept": accepted,
     "answer": answer, "_input_hash": 7, "_task_hash": 8, "_annotator_id": who, "_session_id": who}
    for who, accepted, answer in [("ana", ["kind"], "accept"), ("ben", ["rude", "kind"], "accept"), ("cleo", [], "ignore")]
]  # fmt: skip

PRODIGY_LABEL = [
    {"text": "Good.", "label": label, "answer": answer, "_input_hash": 7, "_task_hash": task, "_session_id": who}
    for who, label, task, answer in [("ana", "KIND", 8, "accept"), ("ben", "KIND", 8, "reject"), ("ana", "LONG", 9, "ignore")]
]  # fmt: skip

DOCCANO = [
    {"id": 1, "text": "Good.", "label": ["kind"], "Comments": []},
    {"id": 2, "text": "Bad.", "label": ["curt", "rude"], "Comments": []},
    {"id": 3, "text": "Hm.", "label": [], "Comments": []},
]


PROMPTFOO = {
    "evalId": "eval-1",
    "results": {
        "version": 3,
        "timestamp": "2025-01-01T00:00:00Z",
        "prompts": [],
        "results": [
            {
                "id": f"{place}",
                "promptIdx": column,
                "testIdx": test,
                "provider": {"id": f"openai:{model}", "label": ""},
                "prompt": {"raw": "...", "label": "..."},
                "vars": {"text": text, "tone": expected},
                "response": {"output": output},
                "success": output == expected,
                "score": 1,
                "testCase": {"vars": {"text": text}, "assert": [{"type": "equals", "value": "{{tone}}"}]},
                "gradingResult": {"pass": True, "score": 1, "reason": "", "componentResults": []},
            }
            for place, (test, text, expected, column, model, output) in enumerate(
                [
                    (0, "Good.", "kind", 0, "a", "kind"),
                    (0, "Good.", "kind", 1, "b", "rude"),
                    (1, "Bad.", "rude", 0, "a", "rude"),
                    (1, "Bad.", "rude", 1, "b", "rude"),
                ]
            )
        ],
        "stats": {"successes": 3, "failures": 1},
    },
    "config": {},
}

PROMPTFOO_RATED = [
    {
        "promptIdx": 0,
        "testIdx": test,
        "provider": {"id": "m"},
        "vars": {},
        "response": {"output": "Dear all"},
        "testCase": {"assert": [{"type": "llm-rubric", "value": "is kind"}]},
        "gradingResult": {
            "pass": person,
            "componentResults": [
                {"pass": judge, "score": 1, "reason": "", "assertion": {"type": "llm-rubric", "value": "is kind"}},
                {"pass": person, "score": 1, "reason": "", "assertion": {"type": "human"}},
            ],
        },
    }
    for test, judge, person in [(0, True, True), (1, True, False)]
]

LM_EVAL = [
    {
        "doc_id": doc,
        "doc": {"question": "?", "lang": "en"},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": " no"}},
        "resps": [[["-1.5", "False"]], [["-0.2", "True"]]],
        "filtered_resps": [["-1.5", "False"], ["-0.2", "True"]],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": "d",
        "acc": 1.0,
    }
    for doc, target in [(0, "1"), (1, "0")]
]

INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "tone", "model": "openai/m", "created": "2025-01-01T00:00:00+00:00"},
    "samples": [
        {"id": id_, "epoch": 1, "input": text, "target": tone, "scores": {"match": {"value": right, "answer": "kind"}}}
        for id_, text, tone, right in [(1, "Good.", "kind", "C"), (2, "Bad.", "rude", "I")]
    ],
}


def lines(records: Sequence[object]) -> str:
    """JSON lines."""
    return "".join(json.dumps(one) + "\n" for one in records)


def state(item, said, right, **more):
    """A request of HELM whose choices are polite and curt."""
    references = [{"output": {"text": one}, "tags": ["correct"] if one == right else []} for one in ("polite", "curt")]
    instance = {"id": item, "split": "test", "input": {"text": "Thanks."}, "references": references, **more}
    return {
        "instance": instance,
        "train_trial_index": 0,
        "output_mapping": {"A": "polite", "B": "curt"},
        "result": {"success": True, "completions": [{"text": said, "logprob": -0.1}]},
    }


HELM = {
    "adapter_spec": {"method": "multiple_choice_joint", "model": "openai/gpt-4"},
    "request_states": [
        state("id1", " A", "polite"),
        state("id1", " B", "polite", perturbation={"name": "typos"}),
        state("id2", "So B, I think", "curt"),
    ],
}


def score(trace, source, said, **more):
    """A score of Langfuse."""
    text = {"stringValue": said, "dataType": "CATEGORICAL", "value": None}
    return {"id": f"{trace}{source}", "traceId": trace, "name": "tone", "source": source, **text, **more}


LANGFUSE = [
    score("t1", "ANNOTATION", "polite", authorUserId="u7"),
    score("t2", "ANNOTATION", "curt", authorUserId="u7"),
    score("t1", "EVAL", "polite"),
    score("t2", "EVAL", "polite"),
    score("t2", "API", "curt"),
]


PROMPTFOO_TABLE = """\
text,label,[openai:a] What tone has {{text}}?,[b] What tone has {{text}}?
Good.,kind,"[PASS] (1.00)

kind

Pass Reason: All assertions passed","[FAIL] (0.00, tone: 0.00)

rude

Fail Reason: Expected output to equal kind"
Bad.,rude,[PASS] rude,"[ERROR] (0.00)

API error"
"""


SAMPLES: dict[str, tuple[str, str]] = {
    "helm": ("scenario_state.json", json.dumps(HELM)),
    "langfuse": ("scores.json", json.dumps(LANGFUSE)),
    "mturk": ("batch_results.csv", MTURK),
    "toloka": ("assignments.tsv", TOLOKA),
    "label-studio": ("project.json", json.dumps(LABEL_STUDIO)),
    "argilla": ("records.json", json.dumps(ARGILLA)),
    "prodigy": ("choice.jsonl", lines(PRODIGY)),
    "prodigy, label": ("textcat.jsonl", lines(PRODIGY_LABEL)),
    "doccano": ("ana.jsonl", lines(DOCCANO)),
    "promptfoo": ("results.json", json.dumps(PROMPTFOO)),
    "promptfoo, table": ("results.csv", PROMPTFOO_TABLE),
    "promptfoo, lines": ("results.jsonl", lines(PROMPTFOO_RATED)),
    "lm-eval": ("samples_tone_2025-01-01T00-00-00.000000.jsonl", lines(LM_EVAL)),
    "inspect": ("log.json", json.dumps(INSPECT)),
}
"""Format -> a usual name of such a file, and what it holds. What follows a comma tells shapes of a format apart."""


def judgments(
    *paths: Path,
    reference: Sequence[str] | str = (),
    by: Sequence[str] = (),
    drop: bool = False,
    input_format: str | None = None,
    **columns: str,
) -> Judgments:
    """What is read of some files.

    reference: a column, or a list of trusted annotators. columns: Adjudge's column -> the files'.
    """
    if isinstance(reference, str):
        columns, reference = {**columns, "reference": reference}, ()
    options = JudgmentReading(columns=columns, reference=reference, by=by, drop=drop)
    return read_judgments(sources(list(paths), How(input_format), "reliability"), options)


def rows_of(read: Judgments) -> list[tuple[str | None, ...]]:
    """Who says what of which item and, where rows have one, their reference. Items that were skipped have no label."""
    names = ["item", "annotator", "label", *(["reference_label"] if "reference_label" in read.frame.columns else [])]
    return sorted(read.frame.select(names).cast(pl.String).iter_rows(), key=str)


def trusted(read: Judgments) -> list[tuple[str | None, ...]]:
    """Whom the reference stands for, where it stands apart, and what they say of which item."""
    assert read.references is not None
    return sorted(read.references.select("item", "annotator", "label").cast(pl.String).iter_rows(), key=str)
