"""Forms in which people judge pairs of violations, and what comes back: tables, tasks of Label Studio, JSON lines.

A table has a column for each part of each violation (predicted_start, ground_truth_rule ...), and `same` and `judge` to
be filled in. A task of Label Studio shows both violations in its text, and asks for the choice `same`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Objects, plain_text, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.spans.span_records import SPAN_COLUMNS
from adjudge.readers.tables import collect, scan
from adjudge.version import NAME

Pair = dict[str, Any]

SIDES = ("predicted", "ground_truth")
JUDGE, SAME = "judge", "same"
CHOICES = {"same": True, "not the same": False}
"""What people choose between in Label Studio."""

_JSON = ("json", "jsonl")
_PARTS = ("start", "end", "context", *(part for part in SPAN_COLUMNS if part not in ("start", "end", "context")))
_WRITTEN = ("start", "end", "context", "rule", "category", "explanation", "correction")
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, **CHOICES}
_PAIR = "pair"
_GUARDED = ("'=", "'+", "'-", "'@")
"""How text begins that a table of Adjudge's keeps spreadsheets from running as a formula."""


# --- written ---


def pair_row(pair: Mapping[str, Any]) -> Pair:
    """A pair as a row of a table."""
    sides = {f"{side}_{part}": pair[side].get(part) for side in SIDES for part in _WRITTEN}
    around = {name: value for name, value in pair.items() if name not in (*SIDES, SAME, JUDGE)}
    return around | sides | {SAME: None, JUDGE: None}


def task_of(pair: Mapping[str, Any]) -> Pair:
    """A pair as a task of Label Studio: both violations in words, and marked in the text."""
    text = pair["text"] or ""
    regions = [_region(text, side, pair[side]) for side in SIDES if text and pair[side]["start"] < pair[side]["end"]]
    told = {side: _told(pair[side]) for side in SIDES}
    return {"data": {"text": text, **told, _PAIR: dict(pair)}, "predictions": [{"result": regions}]}


def _region(text: str, side: str, one: Mapping[str, Any]) -> Pair:
    """A violation as Label Studio marks it, in units of UTF-16."""
    start, end = (len(text[: one[name]].encode("utf-16-le")) // 2 for name in ("start", "end"))
    value = {"start": start, "end": end, "text": text[one["start"] : one["end"]], "labels": [side]}
    return {"from_name": "side", "to_name": "text", "type": "labels", "value": value}


def _told(one: Mapping[str, Any]) -> str:
    quote = f'"{one["context"]}"' if "context" in one else f"{one['start']} to {one['end']}"
    return "\n".join([quote, *(f"{part}: {one[part]}" for part in _WRITTEN[3:] if part in one)])


# --- read ---


def read_pairs(source: Source) -> Objects:
    """The pairs of a file in any of these forms, one for each judgment."""
    if source.table is None and source.format not in _JSON:
        table = collect(source, scan(source))
        if not _is_row(dict.fromkeys(table.columns)):
            raise DataError(
                f"{source.name}: expected pairs to judge, with columns such as predicted_start and ground_truth_start, "
                f"as {NAME} violations pairs writes them; got {', '.join(table.columns):.300}"
            )
        return Objects(source.name, "row", range(1, table.height + 1), [_nested(row) for row in table.to_dicts()])
    objects = read_objects(source, "judged pairs")
    if any(_is_row(value) for value in objects.values[:1]):
        return Objects(objects.name, objects.unit, objects.numbers, [_nested(value) for value in objects.values])
    if any(_is_task(value) for value in objects.values[:1]):
        numbered = zip(objects.numbers, objects.values, strict=True)
        found = [(number, pair) for number, task in numbered for pair in _answers(task)]
        return Objects(objects.name, "task", [number for number, _ in found], [pair for _, pair in found])
    return objects


def _is_row(value: object) -> bool:
    return isinstance(value, dict) and any(f"{side}_{part}" in value for side in SIDES for part in _PARTS)


def _nested(row: Pair) -> Pair:
    """A row as a pair; empty cells say nothing."""
    said = {name: _cell(value) for name, value in row.items() if value is not None and value != ""}
    pair = {name: value for name, value in said.items() if not name.startswith(tuple(f"{side}_" for side in SIDES))}
    for side in SIDES:
        pair[side] = {part: said[f"{side}_{part}"] for part in _PARTS if f"{side}_{part}" in said}
    return pair | {SAME: _answer(pair.get(SAME))}


def _cell(value: object) -> object:
    return value[1:] if isinstance(value, str) and value.startswith(_GUARDED) else value


def _answer(said: object) -> object:
    """True or false where an answer says it in words."""
    return _WORDS.get(str(said).strip().lower(), said) if said is not None else None


def _is_task(value: object) -> bool:
    return isinstance(value, dict) and (_PAIR in value or isinstance(value.get("data"), dict))


def _answers(task: object) -> Iterator[object]:
    """The pair of a task with each annotator's answer; once without any where nobody gave one."""
    data = task.get("data", task) if isinstance(task, dict) else task
    if not isinstance(task, dict) or not isinstance(data, dict) or not isinstance(data.get(_PAIR), dict):
        yield task
        return
    pair = data[_PAIR]
    if "data" not in task:  # JSON-MIN
        yield pair | {SAME: _answer(task.get(SAME)), JUDGE: plain_text(task.get("annotator"))}
        return
    annotations = task.get("annotations")
    if not isinstance(annotations, list | None):
        yield task
        return
    given = [one for one in annotations or () if isinstance(one, dict) and not one.get("was_cancelled")]
    for one in given:
        who = one.get("completed_by")
        name = plain_text(who.get("email")) or plain_text(who.get("id")) if isinstance(who, dict) else plain_text(who)
        yield pair | {SAME: _chosen(one.get("result")), JUDGE: name}
    if not given:
        yield pair


def _chosen(results: object) -> object:
    """The answer among the results of an annotation; what is none is left to be refused."""
    if not isinstance(results, list | None):
        return [results]
    for result in results or ():
        if isinstance(result, dict) and result.get("from_name") == SAME and isinstance(result.get("value"), dict):
            choices = result["value"].get("choices") or [None]
            return _answer(choices[0] if isinstance(choices, list) else choices)
    return None
