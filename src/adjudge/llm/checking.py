"""Checkers: which passages of a text break which rule, as a model sees it.

A checker finds violations in texts by its own way of asking, and names itself `name@version|model`. What it quotes is
looked for in the text; a quote that the text does not hold stays, as an invented violation without a place.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from adjudge.errors import DataError
from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call, Reply, Status
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import Choice, Fields, Listed, Number, Part, Text
from adjudge.readers.io.source import Source
from adjudge.readers.tables import read_texts, scan, schema_of
from adjudge.text.quote_search import loose_place, places

_SENTENCE = re.compile(r"\S.*?(?:(?<![.!?])[.!?]++[\"'”’)\]]*+(?!\S)|[。！？]++[\"'”’)\]]*+|(?=\n)|\Z)")
_UNFINISHED = re.compile(
    r"(?:\A\(?\d{1,3}|(?<!\w)(?:[^\W\d_]|e\.g|i\.e|z\.B|d\.h|u\.a|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|cf|No|Nr|Fig|approx|bzw|ca"
    r"|Ltd|Inc|Mt|Gen|Sen|Rep|Hr|Fr|Abs|Art))\.\Z"
)
"""How a stretch of text ends of which the point is that of a number in a list, an initial or an abbreviation."""
_AROUND = 300
_MAJORITY = 0.5
_SAID: Mapping[str, Part] = {"explanation": Text(), "correction": Text()}

Found = dict[str, list["Violation"] | Reply]
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
class Checking:
    """What checkers are given: texts by id, rules, and how often each question is asked."""

    texts: Mapping[str, str]
    rules: Sequence[Rule]
    templates: Mapping[str, Template]
    draws: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rules."""
        return tuple(rule.name for rule in self.rules)

    def version(self, names: Sequence[str]) -> str:
        """The versions of the prompts that a checker uses, in one word."""
        return "+".join(self.templates[name].signed.partition("@")[2] for name in names)

    def category(self, rule: str) -> str | None:
        """The category of what breaks a rule."""
        return next((one.category for one in self.rules if one.name == rule), None)

    def located(self, call: Call, reply: Reply) -> list[Violation]:
        """The violations that a reply quotes from the text that it is about."""
        said = (Violation(**one, category=self.category(one["rule"])) for one in reply.value)
        return located(self.texts[call.about["id"]], said)


@dataclass(frozen=True, slots=True)
class _Given:
    """A checker, and what it is given."""

    given: Checking


class PromptBaseline(_Given):
    """One plain prompt: here are the rules, find what breaks them."""

    name, templates = "prompt-baseline", ("violations_baseline",)

    def first(self) -> Iterator[Call]:
        """A call per text."""
        form = Listed(Fields({"quote": Text(), "rule": Choice(self.given.names), **_SAID}))
        template, rules = self.given.templates["violations_baseline"], {"rules": listed(self.given.rules)}
        for identity, text in self.given.texts.items():
            yield Call(template, form, {"text": text}, rules, {"id": identity})

    def found(self, ask: Ask) -> Found:
        """The violations of each text."""
        return {
            call.about["id"]: self.given.located(call, reply) if reply.status == Status.ANSWERED else reply
            for call, reply in ask(self.first())
        }


class ZeroshotIndex(_Given):
    """Sentences are numbered; the model answers with their numbers, so that nothing can be misquoted."""

    name, templates = "zeroshot-index", ("violations_index",)

    def first(self) -> Iterator[Call]:
        """A call per text that holds a sentence."""
        template, rules = self.given.templates["violations_index"], {"rules": listed(self.given.rules)}
        for identity, text in self.given.texts.items():
            numbered = [f"{number}. {text[start:end]}" for number, (start, end) in enumerate(sentences(text), 1)]
            if numbered:
                form = Listed(Fields({"sentence": Number(1, len(numbered)), "rule": Choice(self.given.names)}))
                yield Call(template, form, {"text": "\n".join(numbered)}, rules, {"id": identity})

    def found(self, ask: Ask) -> Found:
        """The violations of each text."""
        found: Found = {identity: [] for identity in self.given.texts}
        for call, reply in ask(self.first()):
            found[call.about["id"]] = reply if reply.status != Status.ANSWERED else self._of(call, reply)
        return found

    def _of(self, call: Call, reply: Reply) -> list[Violation]:
        text = self.given.texts[call.about["id"]]
        places = sentences(text)
        said = [(one["rule"], *places[one["sentence"] - 1]) for one in reply.value]
        return [Violation(text[start:end], rule, self.given.category(rule), start) for rule, start, end in said]


class BruteContextClassifier(_Given):
    """Every sentence against every rule, with what stands around it: sensitive and dear, for labelling."""

    name, templates = "brute-context-classifier", ("violations_sentence",)

    def first(self) -> Iterator[Call]:
        """A call per sentence and rule."""
        template = self.given.templates["violations_sentence"]
        for identity, text in self.given.texts.items():
            for start, end in sentences(text):
                judged = {
                    "sentence": text[start:end],
                    "before": text[max(0, start - _AROUND) : start],
                    "after": text[end : end + _AROUND],
                }
                for rule in self.given.rules:
                    about = {"id": identity, "start": start, "end": end, "rule": rule.name}
                    yield Call(template, Choice(("yes", "no")), judged, {"rule": listed([rule])}, about)

    def found(self, ask: Ask) -> Found:
        """The violations of each text; the first reply that was no answer where some question was not answered."""
        found: Found = {identity: [] for identity in self.given.texts}
        for call, reply in ask(self.first()):
            about, so_far = call.about, found[call.about["id"]]
            if isinstance(so_far, Reply):
                continue
            if reply.status != Status.ANSWERED:
                found[about["id"]] = reply
            elif reply.value == "yes":
                quote = self.given.texts[about["id"]][about["start"] : about["end"]]
                category = self.given.category(about["rule"])
                so_far.append(Violation(quote, about["rule"], category, about["start"], reply.reason or None))
        return found


class SelfConsistentExplainer(_Given):
    """Find, verify, explain and correct; found and verified several times, kept by vote."""

    name = "self-consistent-explainer"
    templates = ("violations_find", "violations_verify", "violations_explain")

    def first(self) -> Iterator[Call]:
        """A call per text and draw."""
        template, rules = self.given.templates["violations_find"], {"rules": listed(self.given.rules)}
        form = Listed(Fields({"quote": Text(), "rule": Choice(self.given.names)}))
        for identity, text in self.given.texts.items():
            for draw in range(1, self.given.draws + 1):
                yield Call(template, form, {"text": text}, rules, {"id": identity}, draw)

    def found(self, ask: Ask) -> Found:
        """The violations of each text: found in most draws, verified in most, then explained and corrected.

        A reply that was no answer where no draw was answered, or where one that was found could not be verified.
        """
        return self._explained(ask, self._verified(ask, self._voted(ask)))

    def _voted(self, ask: Ask) -> Found:
        draws: dict[str, list[list[Violation]]] = defaultdict(list)
        lost: dict[str, Reply] = {}
        for call, reply in ask(self.first()):
            if reply.status != Status.ANSWERED:
                lost.setdefault(call.about["id"], reply)
            else:
                draws[call.about["id"]].append(self.given.located(call, reply))
        return {one: majority(draws[one]) if one in draws else lost[one] for one in self.given.texts}

    def _verified(self, ask: Ask, kept: Found) -> Found:
        template = self.given.templates["violations_verify"]
        said: dict[tuple[str, int], list[Reply]] = defaultdict(list)
        for call, reply in ask(self._about_each(template, Choice(("yes", "no")), kept, self.given.draws)):
            said[call.about["id"], call.about["place"]].append(reply)
        return {
            identity: many
            if isinstance(many, Reply)
            else _confirmed(many, [said[identity, place] for place in range(len(many))])
            for identity, many in kept.items()
        }

    def _explained(self, ask: Ask, kept: Found) -> Found:
        template = self.given.templates["violations_explain"]
        found: Found = {identity: many if isinstance(many, Reply) else [*many] for identity, many in kept.items()}
        for call, reply in ask(self._about_each(template, Fields(_SAID), kept, 1)):
            many = found[call.about["id"]]
            if reply.status == Status.ANSWERED and not isinstance(many, Reply):
                many[call.about["place"]] = replace(many[call.about["place"]], **reply.value)
        return found

    def _about_each(self, template: Template, form: Choice | Fields, kept: Found, draws: int) -> Iterator[Call]:
        rules = {rule.name: listed([rule]) for rule in self.given.rules}
        for identity, many in kept.items():
            for place, one in enumerate(() if isinstance(many, Reply) else many):
                for draw in range(1, draws + 1):
                    judged = {"text": self.given.texts[identity], "quote": one.quote}
                    about = {"id": identity, "place": place}
                    yield Call(template, form, judged, {"rule": rules[one.rule]}, about, draw)


Checker = PromptBaseline | ZeroshotIndex | BruteContextClassifier | SelfConsistentExplainer
CHECKERS: dict[str, type[Checker]] = {one.name: one for one in get_args(Checker)}


def sentences(text: str) -> list[tuple[int, int]]:
    """Where sentences stand: up to a full stop, question or exclamation mark, or the end of a line.

    A point within a word or a number ends none, nor one behind an initial, a known abbreviation or a number that
    begins a line.

    >>> text = "1. Ask Dr. K. Lee, e.g. today. It is late."
    >>> [text[start:end] for start, end in sentences(text)]
    ['1. Ask Dr. K. Lee, e.g. today.', 'It is late.']
    """
    found: list[tuple[int, int]] = []
    for match in _SENTENCE.finditer(text):
        start, end = match.span()
        if found and _UNFINISHED.search(text[slice(*found[-1])]) and "\n" not in text[found[-1][1] : start]:
            start = found.pop()[0]
        found.append((start, end))
    return found


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


def _confirmed(many: Sequence[Violation], said: Sequence[Sequence[Reply]]) -> list[Violation] | Reply:
    """Those that most draws confirm; where one was verified in no draw, which says nothing of it, a reply to that."""
    kept = []
    for one, replies in zip(many, said, strict=True):
        votes = [reply.value == "yes" for reply in replies if reply.status == Status.ANSWERED]
        if not votes:
            return replies[0]
        if sum(votes) > _MAJORITY * len(votes):
            kept.append(one)
    return kept


def checked_lines(found: Found, texts: Mapping[str, str], name: str) -> list[dict[str, Any]]:
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


def majority(draws: Sequence[Sequence[Violation]]) -> list[Violation]:
    """The violations that overlap one of the same rule in more than half of the draws, each once, as first found."""
    kept: list[Violation] = []
    for one in (one for draw in draws for one in draw):
        if any(_same(one, other) for other in kept):
            continue
        if sum(any(_same(one, other) for other in draw) for draw in draws) > _MAJORITY * len(draws):
            kept.append(one)
    return kept


def _same(one: Violation, other: Violation) -> bool:
    if one.rule != other.rule:
        return False
    if one.start is None or other.start is None or one.end is None or other.end is None:
        return one.start == other.start and one.quote == other.quote
    return one.start < other.end and other.start < one.end


# --- the rules ---


def read_rules(source: Source) -> list[Rule]:
    """The rules in a table of rule, description and category (the last two may be missing).

    Raises DataError for a table without rules, and for a rule that stands twice.
    """
    check_needed(source, ("rule",))
    table = read_texts(
        source, {name: name for name in ("rule", "description", "category")}, ("description", "category")
    )
    names = table["rule"].to_list()
    twice = next((name for name in names if names.count(name) > 1), None)
    if not names or None in names or twice is not None:
        got = "none" if not names else "an empty name" if None in names else f'"{twice}" twice'
        raise DataError(f"{source.name}: expected a row per rule, with its name in the column rule; got {got}")
    many = zip(*(table[name].to_list() for name in ("rule", "description", "category")), strict=True)
    return [Rule(name, description or name, category) for name, description, category in many]


def check_needed(source: Source, needed: Sequence[str]) -> None:
    """Raises DataError where a table lacks a column. It has no other name, since --columns is for the texts."""
    found = schema_of(source, scan(source, wanted=needed)).names()
    lacking = [name for name in needed if name not in found]
    if lacking:
        raise DataError(f"{source.name}: no column {', '.join(lacking)}", found=f"{', '.join(found) or 'none':.300}")


def listed(rules: Sequence[Rule]) -> str:
    """Rules as a prompt lists them."""
    return "\n".join(
        f"- {rule.name}: {rule.description}" if rule.description != rule.name else f"- {rule.name}" for rule in rules
    )
