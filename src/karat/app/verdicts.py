"""A person's verdicts on answers, as the file that `--human` reads."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from karat.app import words
from karat.app.labelling import Form, Labels, label
from karat.app.results import Result
from karat.schemas.answers import ANSWER_KEYS, VERDICTS

_FILE = "verdicts.jsonl"
_SAID = {"true": "yes", "false": "no"}
_OF = {
    "negative_rejection": ("rejected",),
    "counterfactual_robustness": ("correct", "error_detected", "error_corrected"),
}
"""What is asked of the answers that test an ability; of others whether they are correct."""
_QUESTIONS = {
    "correct": "Is the answer correct?",
    "rejected": "Does it say that the documents do not hold the answer?",
    "error_detected": "Does it say that the documents hold an error?",
    "error_corrected": "Does it give the right answer all the same?",
}
_SEED = 0
Row = Mapping[str, Any]


def ask_verdicts(result: Result) -> None:
    """Ask whether answers are right, in random order and without the name of the model: a random sample at any time."""
    if result.read is None:
        words.say("The answers are not at hand: open the files of answers themselves.")
        return
    if not (answers := answers_of(result.outcomes)):
        words.say("No answer was given, so there is none to judge.")
        return

    def show(name: str) -> None:
        row = answers[name]
        said = dict(result.texts([row])[0])
        documents = [one["text"] for one in json.loads(said.pop("documents", "[]"))]
        about = {"question": said.pop("question")} if "question" in said else {"question id": row["item"]}
        asked = {**about, "ability": row["ability"].replace("_", " ")}
        numbered = {f"document {place}": text for place, text in enumerate(documents, start=1)}
        true = {"true answer": row["reference_label"]} if row["reference_label"] else {}
        for title, text in {**asked, **numbered, **true, **said}.items():
            words.text(title, text)

    def save(_: str, labels: Labels) -> bytes:
        return pl.DataFrame(rows_of(answers, labels), infer_schema_length=None).write_ndjson().encode()

    command = f"{result.report.command} {shlex.join(['--human', _FILE])}"
    label(
        result,
        Form(
            list(answers),
            lambda name: _asked_of(answers[name]["ability"]),
            _SAID,
            show,
            save,
            _FILE,
            lambda _: command,
            "Answers are in random order.",
            called="answers",
            questions=_QUESTIONS,
        ),
    )


def _asked_of(ability: str) -> Sequence[str]:
    return _OF.get(ability, ("correct",))


def answers_of(outcomes: pl.LazyFrame) -> dict[str, Row]:
    """The answers that were given, by a number each, in an order that tells nothing of them."""
    keys = ["item", "judge", "ability", "noise_ratio", "draw"]
    given = outcomes.filter(pl.col("given")).unique(keys, keep="first", maintain_order=True).collect()
    mixed = given.sample(fraction=1, shuffle=True, seed=_SEED).to_dicts()
    return {f"answer {number}": row for number, row in enumerate(mixed, start=1)}


def rows_of(answers: Mapping[str, Row], labels: Labels) -> list[dict[str, Any]]:
    """Verdicts as a table that `--human` reads: null where nothing was said."""
    called = {"id": "item", "model": "judge"}
    return [
        {name: answers[one][called.get(name, name)] for name in ANSWER_KEYS}
        | {name: {"true": True, "false": False}.get(said.get(name, "")) for name in VERDICTS}
        for one, said in labels.items()
    ]
