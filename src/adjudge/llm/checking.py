"""A model as a checker: which passages of a text break which rule.

What it quotes is looked for in the text; a quote that the text does not hold stays, as an invented violation without a
place.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call, Reply, Status
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import AnyText, Choice, Fields, Listed
from adjudge.text.quote_search import loose_place, places

YES_NO = Choice(("yes", "no"))
_OPTIONAL = ("explanation", "correction")

TextMarks = dict[str, list["Violation"] | Reply]
"""The violations in each text by id; where a question on it was not answered, what became of that question."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A passage that breaks a rule. start is None for a quote that the text does not hold.

    is_inexact: whether the model quoted it in other signs, which were replaced by the text's.
    """

    quote: str
    rule: str
    category: str | None = None
    start: int | None = None
    explanation: str | None = None
    correction: str | None = None
    is_inexact: bool = False

    @property
    def end(self) -> int | None:
        """Where it ends."""
        return None if self.start is None else self.start + len(self.quote)

    def record(self) -> dict[str, Any]:
        """As a line of predictions holds it; what the text does not hold stands as `invented`, without a place."""
        place = {"invented": self.quote} if self.start is None else {"start": self.start, "end": self.end}
        said = {name: getattr(self, name) for name in ("rule", "category", "explanation", "correction")}
        return {**place, **{name: value for name, value in said.items() if value}}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name, what it asks for, and the category of what breaks it, if any."""

    name: str
    description: str
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Checker:
    """One plain prompt: here are the rules, find what breaks them. texts: by id."""

    template: Template
    texts: Mapping[str, str]
    rules: Sequence[Rule]

    def label(self, model: str) -> str:
        """How predictions name it: name@version|model."""
        return f"prompt-baseline@{self.template.signed.partition('@')[2]}|{model}"

    def calls(self) -> Iterator[Call]:
        """A call per text, for quotes with their rules, explanations and corrections."""
        rule = Choice(tuple(rule.name for rule in self.rules))
        texts = dict.fromkeys(_OPTIONAL, AnyText())
        form = Listed(Fields({"quote": AnyText(), "rule": rule, **texts}, optional=_OPTIONAL))
        for identity, text in self.texts.items():
            yield Call(self.template, form, {"text": text}, {"rules": listed(self.rules)}, {"id": identity})

    def find(self, ask: Ask) -> TextMarks:
        """The violations of each text; the reply where the question on it was not answered."""
        categories, marks = {rule.name: rule.category for rule in self.rules}, TextMarks()
        for call, reply in ask(self.calls):
            identity = call.about["id"]
            marks[identity] = reply
            if reply.status == Status.ANSWERED:
                quotes = (Violation(**entry, category=categories[entry["rule"]]) for entry in reply.value)
                marks[identity] = located(self.texts[identity], quotes)
        return marks


def located(text: str, violations: Iterable[Violation]) -> list[Violation]:
    """Violations with the place of their quote, in the text's own characters; without one where it is not there.

    Quotes are looked for as readers do (adjudge.text.quote_search), then as models write them. One that stands several
    times is placed at the next occurrence that the same rule has not taken yet.
    """
    taken: set[tuple[str, int]] = set()
    found = []
    for one in violations:
        spans = places(text, one.quote)
        place = next((span for span in spans if (one.rule, span[0]) not in taken), spans[0] if spans else None)
        place = place or loose_place(text, one.quote)
        if place is None:
            found.append(one)
            continue
        taken.add((one.rule, place[0]))
        found.append(replace(one, quote=text[slice(*place)], start=place[0], is_inexact=not spans))
    return found


def checked_lines(found: TextMarks, texts: Mapping[str, str], name: str) -> list[dict[str, Any]]:
    """A line of predictions for each text: its violations, null where a question on it was not answered, and why."""
    return [
        {
            "id": identity,
            "text": texts[identity],
            "checker": name,
            "violations": None if isinstance(many, Reply) else [one.record() for one in many],
            "outcome": (many.status if isinstance(many, Reply) else Status.ANSWERED).value,
            **({"reason": many.reason} if isinstance(many, Reply) else {}),
        }
        for identity, many in found.items()
    ]


def listed(rules: Sequence[Rule]) -> str:
    """Rules as a prompt lists them."""
    return "\n".join(
        f"- {rule.name}: {rule.description}" if rule.description != rule.name else f"- {rule.name}" for rule in rules
    )
