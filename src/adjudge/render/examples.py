"""Examples of a report on a page: each side's labels for an item, others' labels, and its texts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from adjudge.display_names import annotator_names, short_name
from adjudge.render.marks import MarkedText, marked_text
from adjudge.render.numbers import plain_words, short_number, worded
from adjudge.report import Report, truncate
from adjudge.spec import COMPARISON_TABLE, Evaluation

_NAME = 60


@dataclass(frozen=True, slots=True)
class Text:
    """A text of an item. chosen: the judges who chose it, if it is a choice."""

    name: str
    text: str
    chosen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's label of an item, or None. other: neither the judge nor the reference."""

    who: str
    label: str | None
    reference: bool = False
    other: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """An item as an example of an outcome. short, texts: its fields. beside: texts for side-by-side display.

    others: texts by the judge, and by other judges of the same item, under their names.
    documents: the documents of an answer.
    marked: the item's text with all marks, if the evaluation marks texts.
    """

    item: str
    part: str
    verdicts: tuple[Verdict, ...]
    short: tuple[Text, ...]
    texts: tuple[Text, ...]
    beside: tuple[Text, ...] = ()
    others: tuple[Text, ...] = ()
    documents: tuple[str, ...] = ()
    marked: MarkedText | None = None


_OTHERS, _DOCUMENTS, _SYSTEMS = "others", "documents", "system's "
_OTHER = ("judge", "label", "outcome", "spans")
_KNOWN = {"item", "cluster", "judge", "reference", "part", "label", "reference_label", "outcome", "value", _OTHERS}
_RIGHT = "right"
"""The column of the reference's label in examples of two runs, each of which has a label."""
_LINE = 40
_ROOM = 1_500_000
"""Characters for marked texts in a page."""
_ABOVE = frozenset({"prompt", "instruction", "question"})
"""Texts that come before the others, even if short."""


def titled_examples(report: Report) -> Iterator[tuple[str, Example]]:
    """The report's examples in their order, each with the title of its outcome."""
    about, frame = report.about, report.examples
    names = {one.path: PurePath(one.path).stem for one in report.inputs} | annotator_names(report.tables.values())
    common = [name for name in about.common if name in frame.columns and name not in _KNOWN]
    once = [name for name in common if frame[name].n_unique() == 1]
    for row in frame.drop(once).iter_rows(named=True):
        title = about.outcomes.get(row["outcome"], plain_words(str(row["outcome"])))
        yield title, _example(row, about, names, room=_ROOM // frame.height)


def _example(row: Mapping[str, Any], about: Evaluation, names: Mapping[str, str], *, room: int) -> Example:
    runs = about.main == COMPARISON_TABLE
    others = [
        one
        for one in _list_in(row.get(_OTHERS))
        if isinstance(one, dict) and isinstance(one.get("judge"), str) and isinstance(one.get("label"), str | None)
    ]
    people = (row["judge"], row["reference"], *(one["judge"] for one in others))
    called = {one: short_name(names.get(str(one), str(one)), _NAME) for one in people}
    marks = row.get("marks")
    marked = marked_text(row.get("text"), marks, called[row["judge"]], room) if marks else None
    documents = tuple(truncate(one) for one in _list_in(row.get(_DOCUMENTS)) if isinstance(one, str))
    apart = {"text": marked, "marks": marked, _DOCUMENTS: documents, _RIGHT: runs}
    shown = {name: value for name, value in row.items() if name not in _KNOWN and not apart.get(name)}
    known = {
        name: truncate(short_number(value) if isinstance(value, float) else str(value))
        for name, value in shown.items()
        if value not in (None, "")
    }
    verdicts = _verdicts(row, others, called, about)
    columns = [name for name in dict.fromkeys(name for one in others for name in one) if name not in _OTHER]
    given = [(name, known.pop(name), row["judge"]) for name in columns if name in known]
    given += [(name, one[name], one["judge"]) for one in others for name in columns if isinstance(one.get(name), str)]
    cards = [
        Text(f"{plain_words(name).removeprefix(_SYSTEMS)} of {called[who]}", truncate(text))
        for name, text, who in given
    ]
    beside = list[Text]()
    for title, name in [(plain_words(name), name) for name in about.paired_texts if name in known]:
        chose = [
            one.who for one in verdicts if one.label and f" {title}".endswith(f" {plain_words(one.label).lower()}")
        ]
        beside.append(Text(title, known.pop(name), tuple(chose)))
    values = {value: plain_words(value) for value in about.values}
    texts = [
        Text(about.columns.get(name, plain_words(name)), {**about.value_titles.get(name, {}), **values}.get(text, text))
        for name, text in known.items()
    ]
    long = [text for text in texts if len(text.text) > _LINE or (beside and text.name in _ABOVE)]
    return Example(
        item=truncate(row["item"]),
        part="" if beside and not about.across and not runs else part_title(row["part"] or "", about),
        verdicts=tuple(verdicts),
        short=tuple(text for text in texts if text not in long),
        texts=tuple(long),
        beside=tuple(beside),
        others=tuple(cards),
        documents=documents,
        marked=marked,
    )


def _verdicts(
    row: Mapping[str, Any], others: Sequence[Mapping[str, Any]], called: Mapping[Any, str], about: Evaluation
) -> list[Verdict]:
    """The judge's label, then the reference's if any, then all others; for runs both, then the correct label."""
    runs = about.main == COMPARISON_TABLE  # then both verdicts are judges'
    found = [Verdict(called[row["judge"]], _label(row, about))]
    if row["reference"] is not None or row["reference_label"] is not None:
        label = _label({"label": row["reference_label"]}, about)
        found.append(Verdict(called[row["reference"]], label, reference=not runs))
    if runs and (right := _label({"label": row.get(_RIGHT)}, about)) is not None:
        found.append(Verdict(_RIGHT, right, other=True))
    return found + [Verdict(called[one["judge"]], _label(one, about), other=True) for one in others]


def _label(one: Mapping[str, Any], about: Evaluation) -> str | None:
    """A label; for Adjudge's own verdicts the outcome, which a compared run has in their place."""
    if (label := one["label"]) is None:
        return None
    shown = truncate(about.labels.get(one.get("outcome", label)) or about.labels.get(label, label))
    return plain_words(shown) if shown in about.values else shown


def _list_in(cell: str | None) -> list[Any]:
    """The values in a cell with a list in JSON (see `adjudge.evaluations.scoring`)."""
    try:
        found = json.loads(cell or "")
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def part_title(name: str, about: Evaluation) -> str:
    """The name of a part, or the title of its own tables."""
    return next((titles[name] for titles in about.value_titles.values() if name in titles), worded(name))
