"""Answers to prompts with documents, and verdicts on such answers."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from adjudge.errors import DataError
from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import Choice, Fields, Free
from adjudge.options.shared import Reading
from adjudge.schemas.answers import ANSWER_KEYS, VERDICTS

if TYPE_CHECKING:
    from adjudge.readers.io.source import Source

_KEPT = (
    *("id", "ability", "noise_ratio", "reached_noise", "correct_rate", "reached_correct_rate"),
    *("draw", "query", "answer", "counterfactual"),
)
_YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Answering:
    """Prompts, as `adjudge rag prepare` writes them, and the model that answers them."""

    template: Template
    prompts: Sequence[Mapping[str, Any]]
    model: str

    def calls(self) -> Iterator[Call]:
        """A call per prompt. A draw that was prepared has documents of its own, so that it is another prompt."""
        for number, prompt in enumerate(self.prompts):
            documents = [one["text"] if isinstance(one, Mapping) else str(one) for one in prompt.get("documents") or []]
            judged = {"documents": documents}
            given = {"query": prompt["query"], "several": prompt.get("ability") == "information_integration"}
            yield Call(
                self.template, Free(), judged, given, {"id": prompt["id"], "place": number}, prompt.get("draw") or 1
            )

    def answers(self, ask: Ask) -> Iterator[dict[str, Any]]:
        """An answer per prompt, with what the prompt says of itself; a response that is null failed.

        The answer's own field `prompt` names the template.
        """
        for call, reply in ask(self.calls()):
            prompt = self.prompts[call.about["place"]]
            kept = {name: prompt.get(name) for name in _KEPT if name in prompt}
            yield {
                **kept,
                "documents": prompt.get("documents") or [],
                "model": self.model,
                "response": reply.value,
                "outcome": reply.status.value,
                **({"reason": reply.reason} if reply.value is None else {}),
                "prompt": self.template.signed,
            }


@dataclass(frozen=True, slots=True)
class AnswerJudge:
    """Verdicts on answers: rows of the table of answers, with what the question was where it is known."""

    template: Template
    answers: Sequence[Mapping[str, Any]]
    queries: Mapping[str, str]

    def calls(self) -> Iterator[Call]:
        """A call per answer that came back."""
        for number, answer in enumerate(self.answers):
            if answer["response"] is None:
                continue
            judged = {
                "response": answer["response"],
                "query": self.queries.get(answer["id"], ""),
                "truth": _slots(answer["slots"]),
                "false_answer": "; ".join(answer["false"] or ()),
            }
            yield Call(self.template, _form(answer), judged, {"asked": [*_form(answer).fields]}, {"place": number})

    def verdicts(self, ask: Ask) -> Iterator[dict[str, Any]]:
        """A row per answer that came back: its keys, true or false for each question, null where it has no answer."""
        for call, reply in ask(self.calls()):
            answer = self.answers[call.about["place"]]
            said = reply.value or {}
            row = {name: answer[name] for name in ANSWER_KEYS if answer.get(name) is not None}
            yield {
                **row,
                **{name: said[name] == "yes" if name in said else None for name in VERDICTS},
                "outcome": reply.status.value,
                "reason": reply.reason,
                "prompt": self.template.signed,
            }


def _form(answer: Mapping[str, Any]) -> Fields:
    """What is asked of an answer: whether it corrects documents only where they say something false."""
    asked = [*VERDICTS[:2]] if not answer["false"] else [*VERDICTS]
    if not answer["slots"]:
        asked.remove("correct")
    return Fields(dict.fromkeys(asked, Choice(_YES_NO)))


def _slots(slots: Iterable[Sequence[str]] | None) -> str:
    """A true answer in words: all of these, each in one of its spellings."""
    return "; and ".join(" or ".join(aliases) for aliases in slots or ())


@dataclass(frozen=True, slots=True)
class ExplanationJudge:
    """How explanations are judged. gold, systems: tables with id and CRITERION_explanation; systems by name."""

    template: Template
    gold: pl.DataFrame
    systems: Sequence[tuple[str, pl.DataFrame]]
    criteria: Sequence[str]

    def calls(self) -> Iterator[Call]:
        """A call per item, system and criterion where both explanations are there."""
        items = {row["id"]: row for row in self.gold.iter_rows(named=True)}
        for system, frame in self.systems:
            for row in frame.iter_rows(named=True):
                for criterion in self.criteria:
                    theirs, ours = items[row["id"]].get(f"{criterion}_explanation"), row.get(f"{criterion}_explanation")
                    if theirs and ours:
                        yield self._call(items[row["id"]], system, criterion, (theirs, ours))

    def _call(self, item: dict[str, Any], system: str, criterion: str, explanations: tuple[str, str]) -> Call:
        judged = {name: item.get(name) or "" for name in ("instruction", "output_a", "output_b")}
        judged["reference"], judged["explanation"] = explanations
        about = {"id": item["id"], "system": system, "criterion": criterion}
        return Call(self.template, Choice(_YES_NO), judged, {"criterion": criterion}, about)

    def verdicts(self, ask: Ask) -> list[dict[str, Any]]:
        """A row per call: id, system, criterion, verdict (null where there was no answer) and why; and the prompt."""
        return [
            {
                **call.about,
                "verdict": reply.value,
                "outcome": reply.status.value,
                "reason": reply.reason,
                "prompt": self.template.signed,
            }
            for call, reply in ask(self.calls())
        ]


# --- prompts and questions, as files hold them ---


def questions_of(given: object, reading: Reading) -> tuple[dict[str, str], tuple[str, ...]]:
    """What was asked, by id, and what was done to read it; nothing without a file."""
    from adjudge.readers.inputs import source_beside

    if given is None:
        return {}, ()
    source = source_beside(given, reading)
    return {str(one["id"]): str(one["query"]) for one in prompt_rows(source, ("id", "query"))}, source.warnings


def prompt_rows(source: "Source", needed: Iterable[str]) -> list[dict[str, Any]]:
    """The rows of a file as they are. Raises DataError where one lacks what is needed."""
    from adjudge.readers.io.json_documents import read_objects

    rows = []
    objects = read_objects(source)
    for (place, _), row in zip(objects.places(), objects.plain(), strict=True):
        lacking = [name for name in needed if row.get(name) in (None, "")]
        if lacking:
            raise DataError(f"{place}: expected an object with {', '.join(needed)}; {', '.join(lacking)} is missing")
        rows.append(_plain(row))
    return rows


def _plain(value: Any) -> Any:  # noqa: ANN401 - what JSON holds
    """A value with its numbers as numbers, which readers keep as their text."""
    from adjudge.readers.io.json_documents import Number

    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return json.loads(value) if isinstance(value, Number) else value
