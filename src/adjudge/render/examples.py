"""Examples of a report as a page shows them: each side's labels for an item, what others said of it, and its texts."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import polars as pl

from adjudge.display_names import annotator_names, short_name
from adjudge.render.marks import MarkedText, marked_text
from adjudge.render.numbers import plain, short_number, worded
from adjudge.report import Report, truncate
from adjudge.spec import COMPARISON_TABLE, Evaluation

_LINKED = 200
"""Examples of items with longer ids are not linked to."""
LONG_TEXT = 320
_PREVIEW = 140
_CUT = 1900
"""A text that is longer than this and ends in an ellipsis has been cut: those of examples are, at 2,000 characters."""
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

    @property
    def fuller(self) -> str:
        """How much of it is shown where its preview is opened."""
        if len(self.text) <= _CUT or not self.text.endswith("…"):
            return "the whole text"
        return f"more of the text (the first {len(self.text) - 1:,} characters)"


@dataclass(frozen=True, slots=True)
class Document:
    """A document that an answer rests on. pieces: its text, each piece with what it says: answer, lie or nothing."""

    pieces: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """Its text."""
        return "".join(text for text, _ in self.pieces)

    @property
    def holds(self) -> tuple[str, ...]:
        """What it says: the answer, a lie."""
        return tuple(dict.fromkeys(said for _, said in self.pieces if said))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who said what of an item; label is None where nothing was said. other: neither the judge nor the reference."""

    who: str
    label: str | None
    reference: bool = False
    other: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """An item as an example of an outcome. short, texts: what is known of it. beside: texts to stand side by side.

    others: the texts that the judge, and others who judged the same item, gave themselves, under their names.
    marked: the item's text with the marks of all, where the evaluation marks texts. address: its id in a page that
    links to it, else empty.
    """

    item: str
    part: str
    verdicts: tuple[Verdict, ...]
    short: tuple[Text, ...]
    texts: tuple[Text, ...]
    beside: tuple[Text, ...] = ()
    others: tuple[Text, ...] = ()
    documents: tuple[Document, ...] = ()
    marked: MarkedText | None = None
    address: str = ""


_OTHERS, _DOCUMENTS, _SYSTEMS = "others", "documents", "system's "
_OTHER = ("judge", "label", "outcome", "spans")
_KNOWN = {"item", "cluster", "judge", "reference", "part", "label", "reference_label", "outcome", "value", _OTHERS}
_RIGHT = "right"
"""The column of the reference's label in examples of two runs, which stand with a label each."""
_LINE = 40
_ROOM = 1_500_000
"""Characters for marked texts in a page."""
_ABOVE = frozenset({"prompt", "instruction", "question"})
"""Texts that stand above the others, however short."""


def addresses_of(report: Report, before: str = "") -> list[str]:
    """The ids that the report's examples have in a page, one by one; empty where nothing leads there.

    The first example of an item is item=ID, the next item=ID,2. before: what stands before all of them.
    """
    found, counts = list[str](), Counter[str]()
    for item in report.examples["item"] if "item" in report.examples.columns else ():  # none, where none were asked for
        counts[item] += 1
        which = f",{counts[item]}" if counts[item] > 1 else ""
        found.append(f"{before}item={quote(item)}{which}" if len(item) < _LINKED else "")
    return found


def links_to_examples(report: Report, table: pl.DataFrame, addresses: Sequence[str]) -> list[str]:
    """For each row of a table of items the link to the first example of its item, criterion and the like, or nothing.

    addresses: of the examples.
    """
    about, examples = report.about, report.examples
    table = table.rename({about.across or next(iter(about.table_titles), ""): "part"}, strict=False)
    keys = [name for name in table.columns if name in examples.columns and name != "reference_label"]
    found = dict(zip(reversed(examples.select(keys).rows()), reversed(addresses), strict=True))
    return [f"#{found[row]}" if found.get(row) else "" for row in table.select(keys).rows()]


def example_groups(report: Report, addresses: Sequence[str] = ()) -> list[tuple[str, list[Example]]]:
    """The report's examples by outcome, under the outcome's title, in the order of the outcomes.

    addresses: of all examples, where a page links to them.
    """
    titled = list(titled_examples(report, addresses))
    order = dict.fromkeys([*report.about.outcomes.values(), *(title for title, _ in titled)])
    groups = {title: [one for its, one in titled if its == title] for title in order}
    return [(title, examples) for title, examples in groups.items() if examples]


def titled_examples(report: Report, addresses: Sequence[str] = ()) -> Iterator[tuple[str, Example]]:
    """The report's examples in their order, each with the title of its outcome. addresses: as in `example_groups`."""
    about, frame = report.about, report.examples
    names = {one.path: PurePath(one.path).stem for one in report.inputs} | annotator_names(report.tables.values())
    common = [name for name in about.common if name in frame.columns and name not in _KNOWN]
    once = [name for name in common if frame[name].n_unique() == 1]
    places = addresses or [""] * frame.height
    for row, address in zip(frame.drop(once).iter_rows(named=True), places, strict=True):
        title = about.outcomes.get(row["outcome"], plain(str(row["outcome"])))
        yield title, _example(row, about, names, address, room=_ROOM // frame.height)


def explained(examples: Sequence[Example]) -> list[str]:
    """Which signs in examples need a legend: labels in bold among others, marks of violations, phrases that decided."""
    phrases = any(text.pieces for one in examples for text in (*one.short, *one.texts, *one.others))
    return [
        *(["labels"] if any(verdict.other for one in examples for verdict in one.verdicts) else []),
        *(["marks"] if any(one.marked and one.marked.rows for one in examples) else []),
        *(["other marks"] if any(one.marked and one.marked.unlisted for one in examples) else []),
        *(["phrases"] if phrases else []),
    ]


def _said(value: object) -> str:
    """What stands in a column, a number as tables have it."""
    return short_number(value) if isinstance(value, float) else str(value)


def _known_of(row: Mapping[str, Any], *, marked: bool, documents: bool, runs: bool) -> dict[str, str]:
    """What else stands in a row, besides what is shown in a way of its own, where it is."""
    apart = {"text": marked, "marks": marked, _DOCUMENTS: documents, _RIGHT: runs}
    shown = (name for name in row if name not in _KNOWN and not apart.get(name) and row[name] not in (None, ""))
    return {name: truncate(_said(row[name])) for name in shown}


def _example(
    row: Mapping[str, Any], about: Evaluation, names: Mapping[str, str], address: str, *, room: int
) -> Example:
    others = others_of(row.get(_OTHERS) or "")
    runs = about.main == COMPARISON_TABLE
    marked = marked_text(row.get("text"), row.get("marks") or "", _name(row["judge"], names), others, room)
    documents = documents_of(row.get(_DOCUMENTS) or "")
    known = _known_of(row, marked=bool(marked), documents=bool(documents), runs=runs)
    verdicts = _verdicts(row, others, names, about)
    chosen = [(one.who, f"_{one.label.lower()}") for one in verdicts if one.label]
    phrase = known.get("detail", "")
    if any(phrase.casefold() in text.casefold() for name, text in known.items() if phrase and name != "detail"):
        del known["detail"]  # it is marked there
    own = [name for name in dict.fromkeys(name for one in others for name in one) if name not in _OTHER]
    cards = [_own(name, known.pop(name), row["judge"], names, phrase) for name in own if name in known]
    said = ((one, name) for one in others for name in own if isinstance(one.get(name), str))
    cards += [_own(name, one[name], one["judge"], names) for one, name in said]
    beside = [
        Text(plain(name), known.pop(name), chosen=tuple(who for who, label in chosen if f"_{name}".endswith(label)))
        for name in about.paired_texts
        if name in known
    ]
    known = {
        name: about.names.get(name, {}).get(text, plain(text) if text in about.values else text)
        for name, text in known.items()
    }
    texts = [_text(about.columns.get(name, plain(name)), text, phrase) for name, text in known.items()]
    long = [text for text in texts if len(text.text) > _LINE or (beside and text.name in _ABOVE)]
    return Example(
        item=truncate(str(row["item"])),
        part="" if beside and not about.across and not runs else part_title(row["part"] or "", about),
        verdicts=tuple(
            replace(one, label=plain(one.label) if one.label in about.values else one.label) for one in verdicts
        ),
        short=tuple(text for text in texts if text not in long),
        texts=tuple(long),
        beside=tuple(beside),
        others=tuple(cards),
        documents=documents,
        marked=marked,
        address=address,
    )


def _own(name: str, text: str, judge: str, names: Mapping[str, str], phrase: str = "") -> Text:
    """A text of a judge's own, under its name."""
    return _text(f"{plain(name).removeprefix(_SYSTEMS)} of {_name(judge, names)}", truncate(text), phrase)


def _text(name: str, text: str, phrase: str = "") -> Text:
    preview = short_name(truncate(text, _PREVIEW), _PREVIEW) if len(text) > LONG_TEXT else ""
    return Text(name, text, preview, pieces=_around(text, phrase))


def _verdicts(
    row: Mapping[str, Any], others: Sequence[Mapping[str, Any]], names: Mapping[str, str], about: Evaluation
) -> list[Verdict]:
    """What the judge said, then the reference if there is one, then all others; of runs both, then what is right."""
    own = Verdict(_name(row["judge"], names), _label(row, about))
    trusted = about.main != COMPARISON_TABLE  # else both verdicts are judges'
    told = _label({"label": row["reference_label"]}, about)
    reference = Verdict(_name(row["reference"], names), told, trusted)
    right = _label({"label": row.get(_RIGHT)}, about) if about.main == COMPARISON_TABLE else None
    return [
        own,
        *([] if row["reference"] is None and row["reference_label"] is None else [reference]),
        *([] if right is None else [Verdict(_RIGHT, right, other=True)]),
        *(Verdict(_name(one["judge"], names), _label(one, about), other=True) for one in others),
    ]


def _label(one: Mapping[str, Any], about: Evaluation) -> str | None:
    """What was said; of Adjudge's own verdicts what became of the item, which a run compared has in their place."""
    if (said := one["label"]) is None:
        return None
    return truncate(about.labels.get(one.get("outcome", said)) or about.labels.get(said, said))


def _name(who: object, names: Mapping[str, str]) -> str:
    return short_name(names.get(str(who), str(who)), _NAME)


def others_of(said: str) -> list[dict[str, Any]]:
    """What others said of an item (see `adjudge.evaluations.examples`); nothing if the cell holds something else."""
    named = (one for one in _objects(said) if isinstance(one.get("judge"), str))
    return [one for one in named if isinstance(one.get("label"), str | None)]


def documents_of(said: str) -> tuple[Document, ...]:
    """Documents with their marks (see `evaluations.rag.question_texts`); none if the cell holds something else."""
    texts = (one for one in _objects(said) if isinstance(one.get("text"), str))
    return tuple(Document(_marked_pieces(truncate(one["text"]), one.get("marks"))) for one in texts)


def _marked_pieces(text: str, marks: object) -> tuple[tuple[str, str], ...]:
    """A text in pieces, each with what the mark over it says."""
    found, reached = list[tuple[str, str]](), 0
    for mark in marks if isinstance(marks, list) else ():
        match mark:
            case [int(start), int(end), "answer" | "lie" as says] if reached <= start < end <= len(text):
                found += [(text[reached:start], ""), (text[start:end], says)]
                reached = end
    return (*found, (text[reached:], ""))


def _objects(said: str) -> list[dict[str, Any]]:
    """A list of objects that stands in a cell as JSON; empty where it is none."""
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def part_title(name: str, about: Evaluation) -> str:
    """The name of a part, as its tables are called where it has tables of its own."""
    return next((titles[name] for titles in about.table_titles.values() if name in titles), worded(name))


def _around(text: str, phrase: str) -> tuple[str, ...]:
    """The text before, in and behind a phrase, whatever its case; empty where it is not in the text, or all of it."""
    place = text.lower().find(phrase.lower()) if phrase and phrase != text else -1
    end = place + len(phrase)
    return (text[:place], text[place:end], text[end:]) if place >= 0 and len(text.lower()) == len(text) else ()
