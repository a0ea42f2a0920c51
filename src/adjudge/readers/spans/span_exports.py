"""Spans as annotation tools export them: records in which annotators, and models, mark a text.

A module per tool says what its records hold, as a `SpanTool`. Whose marks count, and what offsets count, is settled
here.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from adjudge.readers.io.json_documents import Objects, plain_text, read_each, whole_number
from adjudge.readers.labels.annotation_export import Skipped, left_out
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings, counted
from adjudge.readers.spans.span_offsets import code_points, has_pairs
from adjudge.readers.spans.span_records import LINE_COLUMNS, MAPPED, OWN_PARTS, Holder, Raw, Record, raw_of
from adjudge.readers.spans.violations import Options
from adjudge.schemas.violations import ID, TEXT


class Line(NamedTuple):
    """What one annotator, or a model, marks in a text.

    holder: id, text, annotator, and whatever options may name, under the file's names. marks: see `Record`.
    """

    holder: Holder
    marks: list[Any]
    predicted: bool = False


@dataclass(frozen=True, slots=True)
class SpanTool:
    """A tool whose records hold marked texts.

    what: its records, in messages. lines: of a record; raises DataError in words that follow the record's place. parts:
    see `raw_of`. mapped: the columns that options may map. unit: what a record is called, if not as the file does.
    utf16: whether offsets count UTF-16 units, as tools in JavaScript do, where no quote beside them shows the contrary.
    """

    what: str
    lines: Callable[[Holder], Iterable[Line | Skipped]]
    parts: Mapping[str, str] = field(default_factory=OWN_PARTS.copy)
    mapped: Sequence[str] = MAPPED
    unit: str = ""
    utf16: bool = False


def read_lines(found: Opened[Options], tool: SpanTool, objects: Objects) -> Raw:
    """The records of a tool as lines and spans; where none has an id, a record's number is its id.

    What models predict counts where options name them as annotators, and, of predictions, where nobody annotated.
    """
    names, unit = found.options, tool.unit or objects.unit
    names.check_mapped(tool.what, tool.mapped)
    findings = Findings(unit)
    read = read_each(objects, lambda record: list(tool.lines(record)), findings, unit)
    every = [(number, one) for number, lines in read for one in lines if isinstance(one, Line)]
    skipped = Counter(one for _, lines in read for one in lines if isinstance(one, Skipped))
    who = names.theirs("annotator")
    lines, told = _chosen(every, names, who)
    numbered = names.theirs(ID) == ID and not any(ID in one.holder for _, one in lines)
    units = Counter[str]()
    records = []
    for number, one in lines:
        marks = _at_code_points(one, names, units) if tool.utf16 else one.marks
        records.append(Record(number, {**one.holder, ID: str(number)} if numbered else one.holder, marks))
    names.check(objects.name, (one.holder for _, one in every), LINE_COLUMNS)
    raw = raw_of(objects.name, unit, records, names, findings, len(objects.values), tool.parts)
    voters = tuple(dict.fromkeys(name for _, one in every if (name := plain_text(one.holder.get(who)))))
    return replace(raw, voters=voters).warned((*told, *left_out(skipped), *_converted(units)))


def _chosen(
    every: Sequence[tuple[int, Line]], options: Options, who: str
) -> tuple[Sequence[tuple[int, Line]], list[str]]:
    """Which lines count, and a warning where what models predict does not."""
    people = {plain_text(one.holder.get(who)) for _, one in every if not one.predicted}
    models = set(options.annotators) - people
    alone = options.predictions and not people and not options.annotators
    left = [one for _, one in every if one.predicted and not (alone or plain_text(one.holder.get(who)) in models)]
    if not left:
        return every, []
    listed = ", ".join(dict.fromkeys(plain_text(one.holder.get(who)) or "unnamed" for one in left))
    are = counted(len(left), "prediction is", "predictions are")
    kept = [(number, one) for number, one in every if not one.predicted or plain_text(one.holder.get(who)) in models]
    return kept, [f"{are} left out, of {listed:.100}: name a model to count what it predicts"]


# --- offsets ---


def _at_code_points(line: Line, options: Options, units: Counter[str]) -> list[Any]:
    """Marks with offsets in code points, and quotes as they stand there where only white space differs."""
    text = plain_text(line.holder.get(options.theirs(TEXT)))
    if text is None:
        return line.marks
    points = code_points(text) if has_pairs(text) else {}
    return [_moved(one, text, points, options.offset_base, units) for one in line.marks]


def _moved(mark: Any, text: str, points: Mapping[int, int], base: int, units: Counter[str]) -> Any:  # noqa: ANN401
    first, last = (_offset(mark.get(side), base) for side in ("start", "end")) if type(mark) is dict else (None, None)
    if first is None or last is None:
        return mark
    quote = mark.get("context")
    moved = points.get(first), points.get(last)
    if isinstance(quote, str):
        if _alike(text[first:last], quote):
            return {**mark, "context": text[first:last]}
        if None in moved or not _alike(text[slice(*moved)], quote):
            return mark
        mark = {**mark, "context": text[slice(*moved)]}
    if moved == (first, last) or not points:
        return mark
    units["quoted" if isinstance(quote, str) else "within" if None in moved else "unquoted"] += 1
    if None in moved:
        return mark
    start, end = moved
    return {**mark, "start": str((start or 0) + base), "end": str((end or 0) + base)}


def _offset(value: object, base: int) -> int | None:
    """An offset as a number from 0; None for what is none, which is a problem later."""
    number = whole_number(value)
    return None if number is None or number < base else number - base


def _alike(stands: str, quote: str) -> bool:
    r"""Whether a quote differs from what stands in a text by white space alone, or by `\n` written out."""
    if stands == quote:
        return True
    plain = "".join(stands.split())
    return bool(plain) and plain in ("".join(one.split()) for one in (quote, quote.replace("\\n", "\n")))


def _converted(units: Counter[str]) -> Iterable[str]:
    """Warnings that count the offsets of UTF-16 units."""
    unquoted = ("region without a quote", "regions without a quote")
    for key, words in (("quoted", ("region", "regions")), ("unquoted", unquoted)):
        if units[key]:
            of = counted(units[key], *words)
            yield f"the offsets of {of} count UTF-16 units, as JavaScript does; they were converted"
    if units["within"]:
        of = counted(units["within"], *unquoted)
        yield f"the offsets of {of} count no UTF-16 units; they are read as code points"
