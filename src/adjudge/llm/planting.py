"""Synthetic truth: clean texts into which violations are written, so that place, rule and correction are known.

A model rewrites a sentence so that it breaks a rule, and a review removes those that do not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from random import Random
from typing import Any

from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call, Reply, Status
from adjudge.llm.checking import YES_NO, Rule, listed
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import AnyText, Fields

_SENTENCE = re.compile(r"\S.*?(?:(?<![.!?])[.!?]++[\"'”’)\]]*+(?!\S)|[。！？]++[\"'”’)\]]*+|(?=\n)|\Z)")
_UNFINISHED = re.compile(
    r"(?:\A\(?\d{1,3}|(?<!\w)(?:[^\W\d_]|e\.g|i\.e|z\.B|d\.h|u\.a|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|cf|No|Nr|Fig|approx|bzw|ca"
    r"|Ltd|Inc|Mt|Gen|Sen|Rep|Hr|Fr|Abs|Art|Vol|Dept|Capt|Col|Jan|Feb|Aug|Sept?|Oct|Nov|Dec|Approx))\.\Z"
)
"""How a stretch of text ends of which the point is that of a number in a list, an initial or an abbreviation."""
_SCRIPTS_WITHOUT_SPACES = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORDS = re.compile(rf"\s+|[^\W{_SCRIPTS_WITHOUT_SPACES}]+|\S")
"""Words and what stands between them; of Chinese, Japanese, Thai and the like each sign is a word."""


@dataclass(frozen=True, slots=True)
class Change:
    """A passage that was right and is made wrong. start: in the clean text."""

    start: int
    right: str
    wrong: str
    rule: str
    category: str | None = None
    explanation: str | None = None


@dataclass(frozen=True, slots=True)
class Planting:
    """What is planted: in each text up to `each` rules, each in a sentence of its own, drawn with the seed.

    template, review: the prompts that write violations, and that review them.
    """

    texts: Mapping[str, str]
    rules: Sequence[Rule]
    template: Template
    review: Template
    each: int = 2
    seed: int = 0

    def first(self) -> Iterator[Call]:
        """A call per sentence that is to break a rule."""
        form = Fields({"sentence": AnyText(), "explanation": AnyText()})
        for identity, text in self.texts.items():
            random = Random(f"{self.seed}|{identity}")  # noqa: S311 - no secret
            places = sentences(text)
            count = min(self.each, len(places), len(self.rules))
            chosen = random.sample(places, count), random.sample([*self.rules], count)
            for (start, end), rule in zip(*chosen, strict=True):
                judged = {"text": text, "sentence": text[start:end]}
                about = {"id": identity, "start": start, "end": end, "rule": rule.name}
                yield Call(self.template, form, judged, {"rule": listed([rule])}, about)

    def plant(self, ask: Ask) -> tuple[list[dict[str, Any]], int]:
        """A line of truth for each text, with what the model wrote and a review confirms, and how much it removed.

        A line's field `prompt` names the prompts.
        """
        written = [planted for call, reply in ask(self.first) if (planted := self._change(call, reply))]
        changes: dict[str, list[Change]] = {identity: [] for identity in self.texts}
        for call, reply in ask(partial(self._reviews, written)):
            if reply.value == "yes":
                identity, change = written[call.about["place"]]
                changes[identity].append(change)
        prompt = f"{self.template.signed} {self.review.signed}"
        lines = [{**applied(one, self.texts[one], many), "prompt": prompt} for one, many in changes.items()]
        return lines, len(written) - sum(map(len, changes.values()))

    def _change(self, call: Call, reply: Reply) -> tuple[str, Change] | None:
        """The id of a text, and the passage that a model changed in it; None where it changed nothing."""
        if reply.status != Status.ANSWERED:
            return None
        about = call.about
        right, wrong = self.texts[about["id"]][about["start"] : about["end"]], reply.value["sentence"].strip()
        if wrong in ("", right):
            return None
        rule = next(one for one in self.rules if one.name == about["rule"])
        start, right, wrong = difference(right, wrong)
        explanation = reply.value["explanation"]
        return about["id"], Change(about["start"] + start, right, wrong, rule.name, rule.category, explanation)

    def _reviews(self, written: Sequence[tuple[str, Change]]) -> Iterator[Call]:
        rules = {rule.name: listed([rule]) for rule in self.rules}
        for place, (identity, change) in enumerate(written):
            text = applied(identity, self.texts[identity], [change])["text"]
            judged, given = {"quote": change.wrong, "text": text}, {"rule": rules[change.rule]}
            yield Call(self.review, YES_NO, judged, given, {"place": place})


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


def difference(right: str, wrong: str) -> tuple[int, str, str]:
    """Where two texts that differ begin to, and what each says there, in whole words.

    Neither is empty, nor begins or ends with white space, unless a text itself does: of words that are added or left
    out, a word beside them is part of both.

    >>> difference("It is good.", "It is very good.")
    (6, 'good', 'very good')
    """
    texts = [_WORDS.findall(one) for one in (right, wrong)]
    first = _common(*texts)
    last = _common(*(words[first:][::-1] for words in texts))
    while True:
        parts = ["".join(words[first : len(words) - last]) for words in texts]
        if first and any(part[:1].isspace() for part in parts):
            first -= 1
        elif last and any(part[-1:].isspace() for part in parts):
            last -= 1
        elif first and not all(parts):
            first -= 1
        elif last and not all(parts):
            last -= 1
        else:
            return len("".join(texts[0][:first])), parts[0], parts[1]


def _common(words: Sequence[str], others: Sequence[str]) -> int:
    """How many words two lists have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(words, others, strict=False)))


def applied(identity: str, text: str, changes: Sequence[Change]) -> dict[str, Any]:
    """A line of truth: the text with its changes made, and where they stand in it."""
    parts, violations, last, length = [], [], 0, 0
    for change in sorted(changes, key=lambda one: one.start):
        parts += [text[last : change.start], change.wrong]
        start = length + change.start - last
        violation = {"start": start, "end": start + len(change.wrong), "rule": change.rule, "correction": change.right}
        optional = {"category": change.category, "explanation": change.explanation}
        violations.append({**violation, **{name: value for name, value in optional.items() if value is not None}})
        length, last = start + len(change.wrong), change.start + len(change.right)
    return {"id": identity, "text": "".join([*parts, text[last:]]), "violations": violations}
