"""Prompts with a list of candidates, each with a text and a number that says how good it is: votes, score, rank ...

{"prompt": "Why?", "candidates": [{"text": "So.", "model": "m1", "votes": 3}, {"text": "No.", "model": "m2",
 "votes": 1}]}
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.documents import Number, kind, plain_text
from karat.formats.findings import Findings
from karat.formats.opened import Opened, Records
from karat.formats.pairs import Options, check_fixed, read_wide
from karat.formats.reading import read_each
from karat.formats.source import Format
from karat.formats.votes import VALUES
from karat.schemas.pairs import Annotator, Pairs

_TEXTS = ("text", "response", "completion", "output", "answer", "content")
_MODELS = ("model", "model_name", "generator", "system")
_PROMPTS = ("prompt", "question", "instruction", "query", "input")
_NUMBERS = {"votes": 1, "upvotes": 1, "score": 1, "rating": 1, "reward": 1, "elo": 1, "rank": -1, "ranking": -1}
"""What says how good a candidate is, and whether more of it is better."""
_TWO = 2


def read_candidates(found: Opened[Options]) -> Pairs:
    """Every two candidates of a prompt are a pair; the better one is preferred, equal ones are both.

    The number's name is the annotator; a candidate without one is in no pair.
    """
    check_fixed(found, "lists of candidates")
    findings, rows = Findings("pair"), list[dict[str, Any]]()
    key, by = _lists_of(found.first[0]) or ("", "")
    if not key:
        raise DataError(f"{found.source.name}: expected a list of candidates in each record; got none in the first")
    for number, pairs in read_each(found.objects, lambda record: list(_pairs(record, key, by)), findings):
        rows += [{"pair": f"{number}:{name}", **pair} for name, pair in pairs]
    findings.settle(drop=found.options.drop)
    if not rows:
        raise DataError(f"{found.source.name}: expected two candidates with {by} of a prompt; got none")
    names = ("pair", "prompt", "text_a", "text_b", "model_a", "model_b", by)
    records = Records(found.source.name, "pair", names, pl.Series(range(1, len(rows) + 1)), rows)
    columns = {name: name for name in names if name != by}
    return read_wide(found, records, columns, {Annotator(by): by}, VALUES, default=by)


def _pairs(record: dict[str, Any], key: str, by: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The pairs of a record, each with the places of its candidates."""
    held = record.get(key)
    if not isinstance(held, list):
        raise DataError(f", {key}: expected a list of candidates; got {kind(held)}")
    prompt = next((record[name] for name in _PROMPTS if name in record), None)
    given = [(place, one) for place, one in enumerate(held, 1) if isinstance(one, dict) and one.get(by) is not None]
    for (first, one), (second, other) in combinations(given, 2):
        better = _NUMBERS[by] * (_number(one, by) - _number(other, by))
        sides = {f"text_{side}": _first(each, _TEXTS) for side, each in (("a", one), ("b", other))}
        models = {f"model_{side}": _first(each, _MODELS) for side, each in (("a", one), ("b", other))}
        vote = "text_a" if better > 0 else "text_b" if better < 0 else "both"
        yield f"{first}-{second}", {"prompt": prompt, **sides, **models, by: vote}


def _number(candidate: Mapping[str, Any], by: str) -> float:
    try:
        return float(candidate[by])
    except (TypeError, ValueError):
        raise DataError(f", {by}: expected a number; got {plain_text(candidate[by]) or kind(candidate[by])}") from None


def _first(candidate: Mapping[str, Any], names: tuple[str, ...]) -> Any:  # noqa: ANN401 - JSON holds anything
    return next((candidate[name] for name in names if name in candidate), None)


def _lists_of(record: Mapping[str, Any]) -> tuple[str, str] | None:
    """The name of the list of candidates in a record, and of what says how good they are."""
    for key, held in record.items():
        if not (isinstance(held, list) and len(held) >= _TWO and all(isinstance(one, dict) for one in held)):
            continue
        by = next((name for name in _NUMBERS if all(isinstance(one.get(name), Number) for one in held)), None)
        if by and all(isinstance(_first(one, _TEXTS), str) for one in held):
            return key, by
    return None


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first records have prompts, and lists of texts with a number each."""
    asked = all(any(name in value for name in _PROMPTS) for value in found.first)
    return found.is_json and bool(found.first) and asked and all(map(_lists_of, found.first))


FORMAT = Format("candidates", "annotations", read_candidates, _looks_like, -1, (".json", ".jsonl"))
