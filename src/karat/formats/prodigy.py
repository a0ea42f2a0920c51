"""JSON lines as Prodigy exports them: a text per line and annotator, with labelled spans.

{"text": "Cures headache.", "spans": [{"start": 0, "end": 5, "label": "claim"}], "answer": "accept",
 "_annotator_id": "db-anna", "_input_hash": 17}
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from karat.formats.documents import kind, not_plain, plain_text
from karat.formats.findings import Findings
from karat.formats.marked import LINE_COLUMNS, Names, Raw, Record, raw_of, sound
from karat.formats.opened import Opened
from karat.formats.source import Format
from karat.formats.violations import Options
from karat.schemas.violations import ID, TEXT

_SKIPPED = ("reject", "ignore")
_ANSWERS = ("accept", *_SKIPPED)
_SPANS = "spans"
_ANNOTATORS = ("_annotator_id", "_session_id")
_MAPPED = (ID, TEXT, "annotator")
_PARTS = {"start": "start", "end": "end", "rule": "label"}


def read_prodigy(found: Opened[Options]) -> Raw:
    """The lines that were accepted; those rejected or ignored are counted in a warning.

    A line's id is its `id`, that of its `meta`, or else its `_input_hash`; its annotator, `_annotator_id` or else
    `_session_id`. What `meta` holds can be named as if it stood in the line.
    """
    objects, names = found.objects, found.options
    names.check_mapped("Prodigy's lines", _MAPPED)
    findings = Findings(objects.unit)
    answered = sound(objects, _wrong, findings)
    skipped = Counter(value["answer"] for value in answered.values if value.get("answer") in _SKIPPED)
    taken = zip(answered.numbers, answered.values, strict=True)
    flat = {number: _flat(value, names) for number, value in taken if value.get("answer") not in _SKIPPED}
    names.check(objects.name, flat.values(), LINE_COLUMNS)
    records = [Record(number, holder, holder.get(_SPANS) or []) for number, holder in flat.items()]
    raw = raw_of(objects.name, objects.unit, records, names, findings, len(objects.values), _PARTS)
    told = ", ".join(f"{answer} {count:,}" for answer, count in sorted(skipped.items()))
    return raw.warned([f"lines that were not accepted are left out: {told}"] if told else [])


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
        flat["annotator"] = next((value[key] for key in _ANNOTATORS if value.get(key) is not None), None)
    flat["checker"] = None
    return flat


def _looks_like(found: Opened[Options]) -> bool:
    return any(isinstance(value.get(_SPANS), list) or "_input_hash" in value for value in found.first)


FORMAT = Format("prodigy", "violations", read_prodigy, _looks_like, -1, (".jsonl",))
