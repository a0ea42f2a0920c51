"""Examples of a report as a page shows them: each side's labels for an item, and its texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from karat.about import COMPARED, Evaluation
from karat.names import annotator_names, short
from karat.render.marks import MarkedText, marked_text
from karat.render.numbers import plain, worded
from karat.report import Report, cut

LONG_TEXT = 320
_PREVIEW = 140
_NAME = 60


@dataclass(frozen=True, slots=True)
class Text:
    """A text of an item. preview: its beginning, where it is long. chosen: by whom, where it could be chosen.

    pieces: the text before, in and behind the phrase that decided, where one did.
    """

    name: str
    text: str
    preview: str = ""
    chosen: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who said what of an item; label is None where nothing was said."""

    who: str
    label: str | None
    reference: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """An item as an example of an outcome. short, texts: what is known of it. beside: texts to stand side by side.

    marked: its text with the marks of both sides, where the evaluation marks texts.
    """

    item: str
    part: str
    verdicts: tuple[Verdict, ...]
    short: tuple[Text, ...]
    texts: tuple[Text, ...]
    beside: tuple[Text, ...] = ()
    marked: MarkedText | None = None


_KNOWN = frozenset({"item", "cluster", "judge", "reference", "part", "label", "reference_label", "outcome", "value"})
_LINE = 40
_ABOVE = frozenset({"prompt", "instruction"})
"""Texts that stand above the others, however short."""


def example_groups(report: Report) -> list[tuple[str, list[Example]]]:
    """The report's examples by outcome, under the outcome's title, in the order of the outcomes."""
    about, frame, names = report.about, report.examples, annotator_names(report.tables.values())
    once = [
        name for name in about.common if name in frame.columns and name not in _KNOWN and frame[name].n_unique() == 1
    ]
    groups: dict[str, list[Example]] = {}
    for row in frame.drop(once).iter_rows(named=True):
        groups.setdefault(row["outcome"], []).append(_example(row, about, names))
    order = [*about.outcomes, *(name for name in groups if name not in about.outcomes)]
    return [(about.outcomes.get(name, plain(str(name))), groups[name]) for name in order if name in groups]


def _example(row: Mapping[str, Any], about: Evaluation, names: Mapping[str, str]) -> Example:
    said = [(str(row[who]), row[label]) for who, label in (("judge", "label"), ("reference", "reference_label"))]
    verdicts = [
        (short(names.get(who, who), _NAME) if names else cut(who), label if label is None else cut(label))
        for who, label in said
    ]
    chosen = [(who, about.choices.get(label or "", label)) for who, label in verdicts]
    marked = marked_text(row.get("text"), row.get("marks") or "")
    apart = {*_KNOWN, *(("text", "marks") if marked else ())}
    known = {name: cut(str(row[name])) for name in row if name not in apart and row[name] not in (None, "")}
    beside = [
        Text(plain(name), known.pop(name), chosen=tuple(who for who, text in chosen if text == name))
        for name in about.beside
        if name in known
    ]
    phrase = known.get("detail", "")
    texts = [
        Text(
            plain(name),
            text,
            short(text, _PREVIEW) if len(text) > LONG_TEXT else "",
            pieces=_around(text, phrase),
        )
        for name, text in known.items()
    ]
    long = [text for text in texts if len(text.text) > _LINE or (beside and text.name in _ABOVE)]
    labels = [plain(label) if label in about.values else label for _, label in verdicts]
    runs = about.main == COMPARED  # both verdicts are judges'
    return Example(
        item=cut(str(row["item"])),
        part="" if beside and not about.across and not runs else _part(row["part"] or "", about),
        verdicts=tuple(
            Verdict(who, label, reference=bool(beside) and place > 0 and not runs)
            for place, ((who, _), label) in enumerate(zip(verdicts, labels, strict=True))
        ),
        short=tuple(text for text in texts if text not in long),
        texts=tuple(long),
        beside=tuple(beside),
        marked=marked,
    )


def _part(name: str, about: Evaluation) -> str:
    """The name of a part, as its tables are called where it has tables of its own."""
    return next((titles[name] for titles in about.apart.values() if name in titles), worded(name))


def _around(text: str, phrase: str) -> tuple[str, ...]:
    """The text before, in and behind a phrase, whatever its case; empty where it is not in the text, or all of it."""
    place = text.lower().find(phrase.lower()) if phrase and phrase != text else -1
    end = place + len(phrase)
    return (text[:place], text[place:end], text[end:]) if place >= 0 and len(text.lower()) == len(text) else ()
