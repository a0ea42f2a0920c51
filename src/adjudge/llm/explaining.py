"""Does a system's explanation give the reason that people gave? A model's verdict on each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call, Status
from adjudge.llm.prompts import Template
from adjudge.llm.replies import Choice

VERDICTS = ("yes", "no")


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
        return Call(self.template, Choice(VERDICTS), judged, {"criterion": criterion}, about)

    def verdicts(self, ask: Ask) -> list[dict[str, Any]]:
        """A row per call: id, system, criterion, verdict (null where there was no answer) and why; and the prompt."""
        return [
            {
                **call.about,
                "verdict": reply.value if reply.status == Status.ANSWERED else None,
                "outcome": reply.status.value,
                "reason": reply.reason,
                "prompt": self.template.signed,
            }
            for call, reply in ask(self.calls())
        ]
