"""Answers to prompts with documents, and verdicts on such answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import polars as pl

from adjudge.errors import DataError
from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call, Reply
from adjudge.llm.checking import YES_NO
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import Fields, Free
from adjudge.options.shared import Reading
from adjudge.readers.inputs import source_beside
from adjudge.readers.io.json_documents import read_objects
from adjudge.readers.io.source import Source
from adjudge.schemas.answers import ANSWER_KEYS, VERDICTS
from adjudge.schemas.preferences import TEXTS

_KEPT = (
    *("id", "ability", "noise_ratio", "reached_noise"),
    *("draw", "query", "answer", "counterfactual"),
)


def _outcome(reply: Reply, template: Template) -> dict[str, Any]:
    """What became of a question, and by which prompt."""
    return {"outcome": reply.status.value, "reason": reply.reason, "prompt": template.signed}


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
            given = {"query": prompt["query"], "several": prompt.get("ability") == "information_integration"}
            about, draw = {"id": prompt["id"], "place": number}, prompt.get("draw") or 1
            yield Call(self.template, Free(), {"documents": documents}, given, about, draw)

    def answers(self, ask: Ask) -> Iterator[dict[str, Any]]:
        """An answer per prompt, with what the prompt says of itself; a response that is null failed.

        The answer's own field `prompt` names the template.
        """
        for call, reply in ask(self.calls):
            prompt = self.prompts[call.about["place"]]
            outcome = _outcome(reply, self.template)
            if reply.value is not None:
                del outcome["reason"]
            row = {name: prompt[name] for name in _KEPT if name in prompt}
            row |= {"documents": prompt.get("documents") or [], "model": self.model, "response": reply.value}
            yield row | outcome


@dataclass(frozen=True, slots=True)
class AnswerJudge:
    """Verdicts on answers: rows of the table of answers, with what the question was where it is known."""

    template: Template
    answers: Sequence[Mapping[str, Any]]
    queries: Mapping[str, str]

    def calls(self) -> Iterator[Call]:
        """A call per answer that came back: whether it corrects documents only where they say something false."""
        for number, answer in enumerate(self.answers):
            if answer["response"] is None:
                continue
            questions = [*(VERDICTS if answer["false"] else VERDICTS[:2])]
            if not answer["slots"]:
                questions.remove("correct")
            judged = {
                "response": answer["response"],
                "query": self.queries.get(answer["id"], ""),
                "truth": "; and ".join(" or ".join(aliases) for aliases in answer["slots"] or ()),
                "false_answer": "; ".join(answer["false"] or ()),
            }
            form = Fields(dict.fromkeys(questions, YES_NO))
            yield Call(self.template, form, judged, {"asked": questions}, {"place": number})

    def verdicts(self, ask: Ask) -> Iterator[dict[str, Any]]:
        """A row per answer that came back: its keys, true or false for each question, null where it has no answer."""
        for call, reply in ask(self.calls):
            answer, verdicts = self.answers[call.about["place"]], reply.value or {}
            row = {name: answer[name] for name in ANSWER_KEYS if answer.get(name) is not None}
            row |= {name: verdicts[name] == "yes" if name in verdicts else None for name in VERDICTS}
            yield row | _outcome(reply, self.template)


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
            for row, criterion in product(frame.iter_rows(named=True), self.criteria):
                item, column = items[row["id"]], f"{criterion}_explanation"
                if item.get(column) and row.get(column):
                    judged = {name: item.get(name) or "" for name in TEXTS}
                    judged |= {"reference": item[column], "explanation": row[column]}
                    about = {"id": item["id"], "system": system, "criterion": criterion}
                    yield Call(self.template, YES_NO, judged, {"criterion": criterion}, about)

    def verdicts(self, ask: Ask) -> list[dict[str, Any]]:
        """A row per call: id, system, criterion, verdict (null where there was no answer) and why; and the prompt."""
        return [
            {**call.about, "verdict": reply.value, **_outcome(reply, self.template)} for call, reply in ask(self.calls)
        ]


# --- prompts and questions, as files hold them ---


def questions_of(given: object, reading: Reading) -> tuple[dict[str, str], tuple[str, ...]]:
    """What was asked, by id, and what was done to read it; nothing without a file."""
    if given is None:
        return {}, ()
    source = source_beside(given, reading)
    return {str(one["id"]): str(one["query"]) for one in prompt_rows(source, ("id", "query"))}, source.warnings


def prompt_rows(source: Source, needed: Iterable[str]) -> list[dict[str, Any]]:
    """The rows of a file as they are. Raises DataError where one lacks what is needed."""
    rows = []
    objects = read_objects(source)
    for (place, _), row in zip(objects.places(), objects.checked_values(), strict=True):
        lacking = [name for name in needed if row.get(name) in (None, "")]
        if lacking:
            raise DataError(f"{place}: expected an object with {', '.join(needed)}; {', '.join(lacking)} is missing")
        rows.append(row)
    return rows
