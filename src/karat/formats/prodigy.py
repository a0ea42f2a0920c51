"""JSON lines as Prodigy exports them: a text per line and annotator, with labelled spans.

{"text": "Cures headache.", "spans": [{"start": 0, "end": 5, "label": "claim"}], "answer": "accept",
 "_annotator_id": "db-anna", "_input_hash": 17}
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from karat.errors import OptionError
from karat.formats.documents import kind, scalar_text
from karat.formats.marked import (
    LINE_COLUMNS,
    Names,
    Objects,
    Problems,
    Raw,
    lines_frame,
    not_plain,
    spans_frame,
)
from karat.formats.violation_lines import check_names, line_columns
from karat.schemas.violations import ID, TEXT

_SKIPPED = ("reject", "ignore")
_ANSWERS = ("accept", *_SKIPPED)
_SPANS = "spans"
_ANNOTATORS = ("_annotator_id", "_session_id")
_MAPPED = (ID, TEXT, "annotator")
_PARTS = {"start": "start", "end": "end", "rule": "label"}


def looks_like_prodigy(value: Mapping[str, object]) -> bool:
    """Whether an object looks like a line of Prodigy."""
    return _SPANS in value or "_input_hash" in value


def read_prodigy(objects: Objects, names: Names) -> Raw:
    """The lines that were accepted; those rejected or ignored are counted in a warning.

    A line's id is its `id`, that of its `meta`, or else its `_input_hash`; its annotator, `_annotator_id` or else
    `_session_id`. What `meta` holds can be named as if it stood in the line.
    """
    own = sorted(set(names.columns).difference(_MAPPED))
    if own:
        raise OptionError(f"columns: of Prodigy's lines, {', '.join(_MAPPED)} may be mapped; got {', '.join(own)}")
    problems, skipped = Problems(), Counter[str]()
    numbers, holders = [], []
    for number, value in zip(objects.numbers, objects.values, strict=True):
        said = _wrong(value)
        if said is None and isinstance(value, dict):
            answer = value.get("answer")
            if answer in _SKIPPED:
                skipped[str(answer)] += 1
                continue
            numbers.append(number)
            holders.append(_flat(value, names))
        else:
            problems.line(f"{objects.name}, {objects.unit} {number}{said}")
    check_names(objects.name, holders, names)
    columns, wrong = line_columns(holders, names, LINE_COLUMNS)
    for index, text in sorted(wrong.items()):
        problems.line(f"{objects.name}, {objects.unit} {numbers[index]}, {text}")
    good = [index for index in range(len(holders)) if index not in wrong]
    lines = Objects(objects.name, objects.unit, [numbers[index] for index in good], [])
    spans, _ = spans_frame(lines, [_spans(holders[index]) for index in good], _PARTS, problems)
    chosen = {name: [column[index] for index in good] for name, column in columns.items()}
    frame = lines_frame(objects.name, lines.numbers, chosen)
    return Raw(objects.name, objects.unit, frame, spans, len(objects.values), problems, _warned(skipped))


def _wrong(value: object) -> str | None:
    """What is wrong with a line, in words that follow its number."""
    said = not_plain(value)
    if said is not None or not isinstance(value, dict):
        return f": {said}"
    answer, spans, meta = value.get("answer", "accept"), value.get(_SPANS), value.get("meta")
    if answer not in _ANSWERS:
        return f", answer: expected one of {', '.join(_ANSWERS)}; got {kind(answer)}"
    if spans is not None and not isinstance(spans, list):
        return f", {_SPANS}: expected a list; got {kind(spans)}"
    said = None if meta is None else not_plain(meta)
    return None if said is None else f", meta: {said}"


def _flat(value: dict[str, object], names: Names) -> dict[str, object]:
    """A line with what Karat looks for at its top."""
    meta = value.get("meta")
    inner = meta if isinstance(meta, dict) else {}
    flat = {**inner, **value}
    if names.theirs(ID) == ID and not _text(flat.get(ID)):
        flat[ID] = value.get("_input_hash")
    if names.theirs("annotator") == "annotator":
        flat["annotator"] = next((value[key] for key in _ANNOTATORS if value.get(key) is not None), None)
    flat["checker"] = None
    return flat


def _text(value: object) -> str | None:
    return None if isinstance(value, list | dict) else scalar_text(value)


def _spans(holder: Mapping[str, object]) -> Sequence[object]:
    spans = holder.get(_SPANS)
    return spans if isinstance(spans, list) else []


def _warned(skipped: Mapping[str, int]) -> tuple[str, ...]:
    if not skipped:
        return ()
    listed = ", ".join(f"{answer} {count:,}" for answer, count in sorted(skipped.items()))
    return (f"lines that were not accepted are left out: {listed}",)
