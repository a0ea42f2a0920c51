"""Spans in JSON or nested tables: in a list of objects beside a text, or in an object of lists."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import (
    Objects,
    check,
    is_number,
    kind,
    list_in,
    not_plain,
    objects_of,
    plain_text,
    whole_number,
)
from adjudge.readers.io.source import Format
from adjudge.readers.label_values import list_in_cell
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import counted
from adjudge.readers.spans.span_records import MAPPED, Holder, Raw, raw_of_objects
from adjudge.readers.spans.violations import Options
from adjudge.readers.tables import collect, scan
from adjudge.schemas.violations import TEXT

_WHO = "annotator"
_BOUNDS = (
    *(("start", "end"), ("begin", "end"), ("from", "to"), ("start_offset", "end_offset"), ("startOffset", "endOffset")),
    *(("start_index", "end_index"), ("startIndex", "endIndex"), ("start_char", "end_char")),
)
_LENGTH = ("offset", "length")
"""What tools call where a span begins and ends, or where it begins and how long it is."""
_RULES = (
    *("rule", "label", "label_type", "labels", "className", "class", "tag", "entity_group", "entity_type", "type"),
    "entity",
)
"""What a span may call the rule that it is about."""
_RESPONSE, _LOOKED_AT = "response", 100
_NAMED = ("name", "id")
"""Where a rule is an object, what it may call its name."""


def read_span_lists(found: Opened[Options]) -> Raw:
    """JSON lines with a list of spans beside a text, under any name, or several (gold, predicted): an annotator each.

    {"doc_id": 1, "text": "It cures all.", "gold_spans": [{"start": 3, "end": 12, "label": "claim"}],
     "predicted_spans": []}

    A line for each text and list. Of several lists the name is the annotator; without its list nobody looked. Cells of
    other tables may hold such lists as JSON. Where there is no text, the response is it.
    """
    objects = found.objects if found.is_json else replace(found.values, values=_with_lists(found.values.values))
    return _read(found, objects, "lines with lists of spans")


def read_struct_of_lists(found: Opened[Options]) -> Raw:
    """Rows with an object of lists for all spans of a text, as data sets of Hugging Face hold them.

    {"id": "t1", "text": "Cures headache.", "spans": {"start": [0], "end": [5], "label": ["claim"]}}
    """
    return _read(found, found.objects, "rows with an object of lists")


def _read(found: Opened[Options], objects: Objects, what: str) -> Raw:
    """A line for each object and list of spans in it."""
    found.options.check_mapped(what, MAPPED)
    rows = [value for value in objects.values if isinstance(value, dict)]
    keys = _structs(rows) or _lists(rows)
    names = replace(found.options, columns={**found.options.columns, TEXT: _text(found, rows)})

    def marked(line: Holder) -> Iterator[tuple[Holder, list[Any]]]:
        for key in (one for one in keys if line.get(one) is not None):
            who = {names.theirs(_WHO): key} if len(keys) > 1 else {}
            marks = _spans_of(line[key], key) if isinstance(line[key], dict) else list_in(line, key)
            yield {**line, **who}, [_violation(mark, key) for mark in marks]

    alone = sum(all(row.get(key) is None for key in keys) for row in rows)
    told = f"{counted(alone, 'text is', 'texts are')} without a list of spans, and left out"
    return raw_of_objects(objects, names, marked).warned([told] if alone else [])


def _text(found: Opened[Options], rows: Sequence[Mapping[str, Any]]) -> str:
    """What the rows call their text."""
    return next((name for name in (found.theirs(TEXT), _RESPONSE) if any(name in row for row in rows)), TEXT)


def _with_lists(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a table, with the lists that cells hold as text."""

    def opened_cell(cell: object) -> object:
        listed = list_in_cell(cell) if isinstance(cell, str) and cell.startswith("[") else None
        return cell if listed is None else listed

    return [{name: opened_cell(cell) for name, cell in row.items()} for row in rows]


def _violation(mark: object, key: str) -> object:
    """A span as a violation. Raises DataError for what is no object."""
    if not isinstance(mark, dict):
        check(f"expected spans; got {kind(mark)}", f", {key}")
        return mark
    check(not_plain(mark), f", {key}")
    place, quote = _place(mark), mark.get("context", mark.get(TEXT))
    parts = {"rule": _rule(mark), "context": plain_text(quote)}
    parts |= {"start": place[0], "end": place[1]} if place else {}
    return {**{name: one for name, one in mark.items() if not isinstance(one, list | dict)}, **parts}


def _place(mark: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """Where a span begins and ends; None where it does not say so in numbers."""
    for start, end in (*_BOUNDS, _LENGTH):
        first, last = mark.get(start), mark.get(end)
        if is_number(first) and is_number(last):
            if (start, end) != _LENGTH:
                return first, last
            place, length = whole_number(first), whole_number(last)
            return first, last if place is None or length is None else place + length
    return None


def _rule(mark: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON holds anything
    rule = next((mark[name] for name in _RULES if name in mark), None)
    if isinstance(rule, list) and len(rule) == 1:
        return rule[0]
    return next((rule[name] for name in _NAMED if name in rule), None) if isinstance(rule, dict) else rule


def _lists(values: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names under which objects hold lists of spans, and nothing else; some of them may be empty.

    Where some have rules, others, as of tokens, mark nothing. A single list is one of marks only if it has rules.
    """
    found: dict[str, list[object]] = {}
    for value in values:
        for key, held in value.items():
            if isinstance(held, list):
                found.setdefault(key, []).extend(held)
    spans = [key for key, marks in found.items() if marks and all(map(_is_span, marks))]
    ruled = [key for key in spans if any(isinstance(mark, dict) and _rule(mark) is not None for mark in found[key])]
    return ruled or (spans if len(spans) > 1 else [])


def _structs(values: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names under which rows hold objects with lists of starts and of ends."""
    held = ((key, one) for value in values for key, one in value.items() if isinstance(one, dict))
    return list(dict.fromkeys(key for key, one in held if all(isinstance(one.get(name), list) for name in _BOUNDS[0])))


def _spans_of(lists: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The spans in an object of lists. Raises DataError where these are not of one length."""
    held = {name: one for name, one in lists.items() if isinstance(one, list)}
    if len({len(one) for one in held.values()}) > 1:
        told = ", ".join(f"{name} {len(one)}" for name, one in held.items())
        raise DataError(f", {key}: expected lists of one length; got {told}")
    return [dict(zip(held, one, strict=True)) for one in zip(*held.values(), strict=True)]


def _holds_struct(found: Opened[Options]) -> bool:
    return bool(_structs(found.first))


def _is_span(mark: object) -> bool:
    return isinstance(mark, dict) and _place(mark) is not None


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first objects, or cells of a table, hold a text and a list of spans, or several."""
    rows = found.first
    if not found.is_json and not found.is_nested:
        head = collect(found.source, scan(found.source).head(_LOOKED_AT))
        rows = _with_lists(objects_of(head, found.source.name).values)
    return bool(rows) and all(_text(found, rows) in row for row in rows) and bool(_lists(rows))


FORMAT = (
    Format("span-lists", "violations", read_span_lists, _looks_like, -1, (".jsonl", ".json")),
    Format("struct-of-lists", "violations", read_struct_of_lists, _holds_struct, 0, (".parquet", ".jsonl")),
)
