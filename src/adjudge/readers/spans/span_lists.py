"""Spans in plain JSON and tables: Adjudge's own lines, lists of objects with a text, objects of lists, rows."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import DataError, flag_name
from adjudge.readers.column_names import PARTS
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Skipped
from adjudge.readers.problems import left_out
from adjudge.readers.spans import span_records as spans
from adjudge.readers.tables import missing_columns
from adjudge.schemas.outcomes import OUTCOME, UNANSWERED
from adjudge.schemas.violations import ID, INVENTED, TEXT

_BOUNDS = tuple(map(tuple, PARTS["bounds"]))
"""Tools' names of a span's start and end."""
_RULES = PARTS["rules"]
"""Possible names of a span's rule."""
_RESPONSE = "response"


def read_violation_lines(opened: spans.Found) -> spans.Raw:
    """Adjudge's own JSON lines: a text per line, with its violations. Or a JSON array of the same objects.

        {"id": "t1", "text": "Cures headache.", "violations": [{"start": 0, "end": 5, "rule": "no medical claims"}]}

    A violation has start and end, or context (its quote) and perhaps position (approximate); it may have rule,
    category, explanation and correction. A predicted one may instead have invented: quoted words that are not in the
    text. A line may name its annotator, or its checker. A checker's line may have the status of its question to a model
    (outcome); if that was not answered, its violations are null. A warning counts unknown keys of violations. Raises
    OptionError for a name that no line has.
    """
    options = opened.options
    objects = replace(opened.objects, values=list(opened.objects.values)) if options.predictions else opened.objects
    key, parts = opened.file_column(spans.VIOLATIONS), {part: opened.file_column(part) for part in spans.SPAN_COLUMNS}
    if opened.first and not any(key in value for value in objects.values if type(value) is dict):
        fix = f"{flag_name('columns')} violations=KEY, or {flag_name('jq')} PROGRAM that makes a row per span"
        problem, found = f"{objects.name}: no list of violations ({key})", f"{', '.join(opened.first[0]):.300}"
        raise DataError(problem, found=found, fix=fix)
    if options.predictions and any(OUTCOME in value for value in objects.values if type(value) is dict):
        opened = replace(opened, options=replace(options, further={OUTCOME: OUTCOME}))
    known, keys, filled = {*parts.values(), *options.named_columns}, dict[str, None](), Counter[str]()

    def lines(line: spans.Holder) -> Iterator[spans.Line]:
        marked = line.get(key)
        if options.predictions and marked is None and line.get(OUTCOME) in UNANSWERED:
            marked = []
        if not isinstance(marked, list):
            got = documents.kind(marked) if key in line else "nothing"
            raise DataError(f", {key}: expected a list (empty where there are none); got {got}")
        marks = [mark for mark in marked if type(mark) is dict]
        keys.update(documents.keys_of(marks))
        if unknown := [name for name in keys if name not in known]:
            filled.update(name for mark in marks for name in unknown if mark.get(name) is not None)
        yield spans.Line({ID: None, **line}, marked)

    raw = spans.read_lines(opened, spans.SpanTool(lines, parts, spans.KNOWN_COLUMNS), objects)
    spans.SpanReading(columns=options.columns).check(objects.name, keys, spans.SPAN_COLUMNS)
    return raw.warned(left_out(filled.elements(), list(parts.values()), "keys of violations"))


def _has_violations(opened: spans.Found) -> bool:
    """Whether any of the first objects, or rows of a table with lists, has violations."""
    return any(opened.file_column(spans.VIOLATIONS) in value for value in opened.first)


# --- lists with any name ---


def read_span_lists(opened: spans.Found) -> spans.Raw:
    """JSON lines with a text and one or more lists of spans with any name (gold, predicted): an annotator each.

    {"doc_id": 1, "text": "It cures all.", "gold_spans": [{"start": 3, "end": 12, "label": "claim"}],
     "predicted_spans": [[3, 12, "claim"]]}
    {"id": "t1", "text": "Cures headache.", "spans": {"start": [0], "end": [5], "label": ["claim"]}}

    A line for each text and list. If there are several lists, the name is the annotator; a text without a list lacks
    that annotation. An object of lists for all spans of a text, as in data sets of Hugging Face, is a list of spans.
    Without a text, the response replaces it.
    """
    objects = replace(opened.objects, values=list(opened.objects.values))
    rows = [value for value in objects.values if isinstance(value, dict)]
    keys, who = _structs(rows) or span_keys(rows), opened.file_column("annotator")

    def lines(line: spans.Holder) -> Iterator[spans.Line | Skipped]:
        for key in (filled := [key for key in keys if line.get(key) is not None]):
            marks = _marks_in(line[key], key) if isinstance(line[key], dict) else documents.list_in(line, key)
            holder = {**line, who: key} if len(keys) > 1 else line
            yield spans.Line(holder, [violation_of(as_object(mark), f", {key}") for mark in marks])
        if not filled:
            yield Skipped("texts without a list of spans are excluded")

    named = replace(opened.options, columns={**opened.options.columns, TEXT: _text(opened, rows)})
    return spans.read_lines(replace(opened, options=named), spans.SpanTool(lines), objects)


def _text(opened: spans.Found, rows: Sequence[Mapping[str, Any]]) -> str:
    """The name of the rows' text."""
    return next((name for name in (opened.file_column(TEXT), _RESPONSE) if any(name in row for row in rows)), TEXT)


def as_object(mark: Any) -> Any:  # noqa: ANN401 - JSON holds anything
    """A span in a list of start, end and rule as an object; anything else unchanged."""
    parts = mark if isinstance(mark, list) and list(map(documents.is_number, mark)) == [True, True, False] else None
    return mark if parts is None else dict(zip(("start", "end", "rule"), parts, strict=True))


def violation_of(mark: Any, where: str) -> dict[str, Any]:  # noqa: ANN401 - JSON holds anything
    """A span as a violation. Raises DataError for anything but an object."""
    documents.check(documents.not_plain(mark), where)
    place, quote = _place(mark), mark.get("context", mark.get(TEXT))
    flat = {name: one for name, one in mark.items() if not isinstance(one, list | dict)}
    bounds = {"start": place[0], "end": place[1]} if place else {}
    return {**flat, "rule": _rule(mark), "context": documents.plain_text(quote), **bounds}


def _place(mark: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """The start and end of a span; None unless they are numbers."""
    places = ((mark.get(start), mark.get(end)) for start, end in _BOUNDS)
    return next((one for one in places if all(map(documents.is_number, one))), None)


def _rule(mark: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON holds anything
    rule = next((mark[name] for name in _RULES if name in mark), None)
    return rule[0] if isinstance(rule, list) and len(rule) == 1 else rule


def span_keys(values: Iterable[Mapping[str, Any]]) -> list[str]:
    """The keys of objects with only lists of spans, some of which may be empty.

    If some lists have rules, others, such as of tokens, are no marks. A single list holds marks only if it has rules.
    """
    lists = defaultdict[str, list[Any]](list)
    for key, marks in ((key, one) for value in values for key, one in value.items() if isinstance(one, list)):
        lists[key] += map(as_object, marks)
    names = [key for key, many in lists.items() if many and all(isinstance(one, dict) and _place(one) for one in many)]
    ruled = [key for key in names if any(_rule(mark) is not None for mark in lists[key])]
    return ruled or (names if len(names) > 1 else [])


def _structs(values: Iterable[Mapping[str, Any]]) -> list[str]:
    """The keys of rows with objects of lists of starts and of ends."""
    items = ((key, one) for value in values for key, one in value.items() if isinstance(one, dict))
    return list(dict.fromkeys(key for key, one in items if all(isinstance(one.get(name), list) for name in _BOUNDS[0])))


def _marks_in(lists: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The spans in an object of lists. Raises DataError for lists of different lengths."""
    columns = {name: one for name, one in lists.items() if isinstance(one, list)}
    if len(set(map(len, columns.values()))) > 1:
        raise DataError(f", {key}: expected lists of one length")
    return [dict(zip(columns, one, strict=True)) for one in zip(*columns.values(), strict=True)]


def _has_lists(opened: spans.Found) -> bool:
    """Whether the first objects hold objects of lists, or a text and one or more lists of spans."""
    rows = opened.first
    return bool(_structs(rows)) or bool(rows and all(_text(opened, rows) in row for row in rows) and span_keys(rows))


# --- a row per span ---

_PLACES = ("start", "end", "context")


def read_span_table(opened: spans.Found) -> spans.Raw:
    """A table with a row per span: id, start and end or context, and further fields; includes texts without spans.

    A row with empty start and end and no context, or with both -1, means that its annotator found nothing in the text.
    Raises DataError for missing columns, OptionError for missing further ones.
    """
    objects = replace(opened.objects, values=list(opened.objects.values))
    own = {name: opened.file_column(name) for name in (ID, *spans.SPAN_COLUMNS)}
    rows = [row for row in objects.values if isinstance(row, dict)]
    columns = documents.keys_of([dict.fromkeys(opened.names), *rows])
    needed = (ID,) if own["context"] in columns else (ID, *_PLACES[:2])
    if lacking := {name: own[name] for name in needed if own[name] not in columns}:
        raise missing_columns(objects.name, lacking, columns, opened.options.columns)
    opened.options.check(objects.name, columns, spans.SPAN_COLUMNS)

    def lines(row: spans.Holder) -> Iterator[spans.Line]:
        places = [row.get(own[name]) for name in _PLACES]
        is_nowhere = {str(place).strip() for place in places[:2]} <= {"-1", "-1.0"}
        is_empty = is_nowhere or all(place in (None, "") for place in places)
        yield spans.Line(row, [] if is_empty and row.get(own[INVENTED]) in (None, "") else [row])

    tool = spans.SpanTool(lines, own, spans.KNOWN_COLUMNS, whole=False)
    return replace(spans.read_lines(opened, tool, objects), voters=())


def _is_span_table(opened: spans.Found) -> bool:
    """Any table, and JSON whose first objects hold offsets or quotes."""
    places = {opened.file_column(name) for name in _PLACES}
    return not opened.is_json or any(not places.isdisjoint(one) for one in opened.first)


FORMAT = (
    Format("violations", "violations", read_violation_lines, _has_violations, 1, (".jsonl", ".json")),
    Format("span-lists", "violations", read_span_lists, _has_lists, -1, (".jsonl", ".json", ".parquet")),
    Format("spans", "violations", read_span_table, _is_span_table, -2),
)
