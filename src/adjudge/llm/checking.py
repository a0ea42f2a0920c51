"""Checkers: which passages of a text break which rule, as a model sees it.

A checker finds violations in texts by its own way of asking, and names itself `name@version|model`. What it quotes is
looked for in the text; a quote that the text does not hold stays, as an invented violation without a place.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call, Reply, Status
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import AnyText, Choice, Fields, Form, Listed, Number
from adjudge.text.quote_search import loose_place, places

_SENTENCE = re.compile(r"\S.*?(?:(?<![.!?])[.!?]++[\"'”’)\]]*+(?!\S)|[。！？]++[\"'”’)\]]*+|(?=\n)|\Z)")
_UNFINISHED = re.compile(
    r"(?:\A\(?\d{1,3}|(?<!\w)(?:[^\W\d_]|e\.g|i\.e|z\.B|d\.h|u\.a|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|cf|No|Nr|Fig|approx|bzw|ca"
    r"|Ltd|Inc|Mt|Gen|Sen|Rep|Hr|Fr|Abs|Art))\.\Z"
)
"""How a stretch of text ends of which the point is that of a number in a list, an initial or an abbreviation."""
_AROUND = 300
_MAJORITY = 0.5
_EXPLAINED: Mapping[str, Form] = {"explanation": AnyText(), "correction": AnyText()}
YES_NO = Choice(("yes", "no"))

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
class Checker:
    """A way to find violations, and what it is given: texts by id, rules, and how often each question is asked.

    prompts: the names of its templates.
    """

    name: ClassVar[str]
    prompts: ClassVar[tuple[str, ...]]
    texts: Mapping[str, str]
    rules: Sequence[Rule]
    templates: Mapping[str, Template]
    draws: int = 1

    def label(self, model: str) -> str:
        """How predictions name it: name@version|model."""
        versions = "+".join(self.templates[name].signed.partition("@")[2] for name in self.prompts)
        return f"{self.name}@{versions}|{model}"

    def category(self, rule: str) -> str | None:
        """The category of what breaks a rule."""
        return next((known.category for known in self.rules if known.name == rule), None)

    def first(self) -> Iterator[Call]:
        """The first calls; all of them, unless later ones depend on answers."""
        raise NotImplementedError

    def read(self, call: Call, reply: Reply) -> list[Violation]:
        """The violations that an answer quotes from the text that it is about."""
        quotes = (Violation(**entry, category=self.category(entry["rule"])) for entry in reply.value)
        return located(self.texts[call.about["id"]], quotes)

    def find(self, ask: Ask) -> Found:
        """The violations of each text; the first reply that was no answer where some question was not answered."""
        result: Found = {identity: [] for identity in self.texts}
        for call, reply in ask(self.first):
            so_far = result[call.about["id"]]
            if isinstance(so_far, list) and reply.status == Status.ANSWERED:
                so_far += self.read(call, reply)
            elif isinstance(so_far, list):
                result[call.about["id"]] = reply
        return result

    def _about_texts(self, more: Mapping[str, Form], draws: int) -> Iterator[Call]:
        """A call per text and draw, for quotes with their rules and whatever more."""
        form = Listed(Fields({"quote": AnyText(), "rule": Choice(tuple(rule.name for rule in self.rules)), **more}))
        template, rules = self.templates[self.prompts[0]], {"rules": listed(self.rules)}
        for identity, text in self.texts.items():
            for draw in range(1, draws + 1):
                yield Call(template, form, {"text": text}, rules, {"id": identity}, draw)


class PromptBaseline(Checker):
    """One plain prompt: here are the rules, find what breaks them."""

    name, prompts = "prompt-baseline", ("violations_baseline",)

    def first(self) -> Iterator[Call]:
        """A call per text."""
        return self._about_texts(_EXPLAINED, 1)


class ZeroshotIndex(Checker):
    """Sentences are numbered; the model answers with their numbers, so that nothing can be misquoted."""

    name, prompts = "zeroshot-index", ("violations_index",)

    def first(self) -> Iterator[Call]:
        """A call per text that holds a sentence."""
        names, rules = tuple(rule.name for rule in self.rules), {"rules": listed(self.rules)}
        for identity, text in self.texts.items():
            numbered = [f"{number}. {text[start:end]}" for number, (start, end) in enumerate(sentences(text), 1)]
            if numbered:
                form = Listed(Fields({"sentence": Number(1, len(numbered)), "rule": Choice(names)}))
                judged = {"text": "\n".join(numbered)}
                yield Call(self.templates["violations_index"], form, judged, rules, {"id": identity})

    def read(self, call: Call, reply: Reply) -> list[Violation]:
        """The sentences that an answer numbers."""
        text = self.texts[call.about["id"]]
        spans = sentences(text)
        numbered = [(entry["rule"], *spans[entry["sentence"] - 1]) for entry in reply.value]
        return [Violation(text[start:end], rule, self.category(rule), start) for rule, start, end in numbered]


class BruteContextClassifier(Checker):
    """Every sentence against every rule, with what stands around it: sensitive and dear, for labelling."""

    name, prompts = "brute-context-classifier", ("violations_sentence",)

    def first(self) -> Iterator[Call]:
        """A call per sentence and rule."""
        for identity, text in self.texts.items():
            for start, end in sentences(text):
                judged = {
                    "sentence": text[start:end],
                    "before": text[max(0, start - _AROUND) : start],
                    "after": text[end : end + _AROUND],
                }
                for rule in self.rules:
                    about = {"id": identity, "start": start, "end": end, "rule": rule.name}
                    yield Call(self.templates["violations_sentence"], YES_NO, judged, {"rule": listed([rule])}, about)

    def read(self, call: Call, reply: Reply) -> list[Violation]:
        """The sentence, where the answer is yes."""
        about = call.about
        quote, category = self.texts[about["id"]][about["start"] : about["end"]], self.category(about["rule"])
        found = Violation(quote, about["rule"], category, about["start"], reply.reason or None)
        return [found] if reply.value == "yes" else []


class SelfConsistentExplainer(Checker):
    """Find, verify, explain and correct; found and verified several times, kept by vote."""

    name = "self-consistent-explainer"
    prompts = ("violations_find", "violations_verify", "violations_explain")

    def first(self) -> Iterator[Call]:
        """A call per text and draw."""
        return self._about_texts({}, self.draws)

    def find(self, ask: Ask) -> Found:
        """The violations of each text: found in most draws, verified in most, then explained and corrected.

        A reply that was no answer where no draw was answered, or where one that was found could not be verified.
        """
        draws, lost = defaultdict[str, list[list[Violation]]](list), dict[str, Reply]()
        for call, reply in ask(self.first):
            if reply.status == Status.ANSWERED:
                draws[call.about["id"]].append(self.read(call, reply))
            else:
                lost.setdefault(call.about["id"], reply)
        result: Found = {one: majority(draws[one]) if one in draws else lost[one] for one in self.texts}
        replies = defaultdict[tuple[str, int], list[Reply]](list)
        for call, reply in ask(partial(self._about_each, "violations_verify", YES_NO, result, self.draws)):
            replies[call.about["id"], call.about["place"]].append(reply)
        for identity, many in result.items():
            if isinstance(many, list):
                result[identity] = _confirmed(many, [replies[identity, place] for place in range(len(many))])
        for call, reply in ask(partial(self._about_each, "violations_explain", Fields(_EXPLAINED), result, 1)):
            many, place = result[call.about["id"]], call.about["place"]
            if reply.status == Status.ANSWERED and isinstance(many, list):
                many[place] = replace(many[place], **reply.value)
        return result

    def _about_each(self, name: str, form: Form, violations: Found, draws: int) -> Iterator[Call]:
        rules = {rule.name: listed([rule]) for rule in self.rules}
        for identity, many in violations.items():
            for place, one in enumerate(many if isinstance(many, list) else ()):
                for draw in range(1, draws + 1):
                    judged = {"text": self.texts[identity], "quote": one.quote}
                    about = {"id": identity, "place": place}
                    yield Call(self.templates[name], form, judged, {"rule": rules[one.rule]}, about, draw)


CHECKERS: dict[str, type[Checker]] = {
    kind.name: kind for kind in (PromptBaseline, ZeroshotIndex, BruteContextClassifier, SelfConsistentExplainer)
}


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


def listed(rules: Sequence[Rule]) -> str:
    """Rules as a prompt lists them."""
    return "\n".join(
        f"- {rule.name}: {rule.description}" if rule.description != rule.name else f"- {rule.name}" for rule in rules
    )
