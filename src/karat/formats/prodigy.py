"""JSON lines as Prodigy exports them: a text per line and annotator, with labelled spans.

{"text": "Cures headache.", "spans": [{"start": 0, "end": 5, "label": "claim"}], "answer": "accept",
 "_annotator_id": "db-anna", "_input_hash": 17}
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from karat.formats.documents import kind, not_plain, plain_text
from karat.formats.findings import Findings, counted
from karat.formats.marked import LINE_COLUMNS, Names, Raw, Record, raw_of, sound
from karat.formats.opened import Opened
from karat.formats.source import Format
from karat.formats.violations import Options
from karat.schemas.violations import ID, TEXT

_SKIPPED = ("reject", "ignore")
_ANSWERS = ("accept", *_SKIPPED)
_SPANS = "spans"
_ANNOTATORS = ("_annotator_id", "_session_id")
_TIME = re.compile(r"-\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}$")
_MAPPED = (ID, TEXT, "annotator")
_PARTS = {"start": "start", "end": "end", "rule": "label"}

_Numbered = tuple[int, dict[str, Any]]
"""A line with its number."""


def read_prodigy(found: Opened[Options]) -> Raw:
    """The lines that were accepted; those rejected or ignored are counted in a warning.

    Where an annotator answered a task again (the same `_task_hash`), the last answer counts; the spans of several tasks
    about one text count together. A line's id is its `id`, that of its `meta`, or else its `_input_hash`; its
    annotator, `_annotator_id` or else `_session_id`. What `meta` holds can be named as if it stood in the line.
    """
    objects, names = found.objects, found.options
    names.check_mapped("Prodigy's lines", _MAPPED)
    findings = Findings(objects.unit)
    answered = sound(objects, _wrong, findings)
    flat = [(number, _flat(value, names)) for number, value in zip(answered.numbers, answered.values, strict=True)]
    last = _last_answers(flat, names)
    skipped = Counter(value["answer"] for _, value in last if value.get("answer") in _SKIPPED)
    taken = [(number, value) for number, value in last if value.get("answer") not in _SKIPPED]
    names.check(objects.name, (value for _, value in taken), LINE_COLUMNS)
    records = _together(taken, names)
    raw = raw_of(objects.name, objects.unit, records, names, findings, len(objects.values), _PARTS)
    return raw.warned(_warnings(skipped, len(flat) - len(last), len(taken) - len(records)))


def _warnings(skipped: Mapping[str, int], again: int, shared: int) -> Iterator[str]:
    if told := ", ".join(f"{answer} {count:,}" for answer, count in sorted(skipped.items())):
        yield f"lines that were not accepted are left out: {told}"
    if again:
        yield f"{counted(again, 'line is', 'lines are')} left out, whose task the same annotator answered again later"
    if shared:
        yield f"{counted(shared, 'line counts', 'lines count')} together with another task about the same text"


def _last_answers(flat: Sequence[_Numbered], names: Names) -> list[_Numbered]:
    """The lines, without those whose task the same annotator answered again later."""
    last: dict[object, _Numbered] = {}
    for nth, (number, value) in enumerate(sorted(flat, key=_time)):
        task = value.get("_task_hash")
        last[(*_about(value, names), task) if isinstance(task, str) else nth] = (number, value)
    return sorted(last.values(), key=itemgetter(0))


def _time(line: _Numbered) -> tuple[float, int]:
    """When a line was answered, as far as it says so, and its number."""
    number, value = line
    try:
        return float(value.get("_timestamp", 0)), number
    except (TypeError, ValueError):
        return 0.0, number


def _about(value: Mapping[str, Any], names: Names) -> tuple[str | None, ...]:
    """Whose line it is, and about which text."""
    keys = (names.theirs("annotator"), *names.id_parts(value), names.theirs(TEXT))
    return tuple(plain_text(value.get(key)) for key in keys)


def _together(lines: Sequence[_Numbered], names: Names) -> list[Record]:
    """A record for each annotator and text: the spans of all tasks about it, each once, where these have hashes."""
    records: dict[object, Record] = {}
    for number, value in lines:
        key = _about(value, names) if isinstance(value.get("_task_hash"), str) else number
        record = records.setdefault(key, Record(number, value, []))
        more = [mark for mark in value.get(_SPANS) or [] if record.number == number or mark not in record.marks]
        records[key] = record._replace(marks=[*record.marks, *more])
    return list(records.values())


def _wrong(value: Mapping[str, object]) -> str | None:
    """What is wrong with a line, in words that follow its number."""
    answer, spans, meta = value.get("answer", "accept"), value.get(_SPANS), value.get("meta")
    if answer not in _ANSWERS:
        return f", answer: expected one of {', '.join(_ANSWERS)}; got {kind(answer)}"
    if spans is not None and not isinstance(spans, list):
        return f", {_SPANS}: expected a list; got {kind(spans)}"
    said = None if meta is None else not_plain(meta)
    return f", meta: {said}" if said else None


def _flat(value: dict[str, Any], names: Names) -> dict[str, Any]:
    """A line with what Karat looks for at its top."""
    meta = value.get("meta")
    inner = meta if isinstance(meta, dict) else {}
    flat = {**inner, **value}
    if names.theirs(ID) == ID and not plain_text(flat.get(ID)):
        flat[ID] = value.get("_input_hash")
    if names.theirs("annotator") == "annotator":
        flat["annotator"] = _person(next((value[key] for key in _ANNOTATORS if value.get(key) is not None), None))
    flat["checker"] = None
    return flat


def _person(session: object) -> object:
    """An annotator's name; of a session without one, which is called by its time, the data set's."""
    return session if not isinstance(session, str) else _TIME.sub("", session)


def _looks_like(found: Opened[Options]) -> bool:
    return any(isinstance(value.get(_SPANS), list) or "_input_hash" in value for value in found.first)


FORMAT = Format("prodigy", "violations", read_prodigy, _looks_like, -1, (".jsonl",))
