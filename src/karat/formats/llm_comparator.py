"""Files of LLM Comparator: examples with the outputs of two models, and a score of which is better.

{"metadata": {}, "models": [{"name": "small"}, {"name": "large"}], "examples": [{"input_text": "Why?", "tags": [],
  "output_text_a": "So.", "output_text_b": "No.", "score": -1.25, "individual_rater_scores": [], "custom_fields": {}}]}
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.documents import kind, plain_text
from karat.formats.findings import Findings, counted
from karat.formats.opened import Opened, Records
from karat.formats.pairs import Options, check_fixed, read_wide
from karat.formats.reading import first_under, held_under, list_in, object_in, objects_in, read_each
from karat.formats.source import Format
from karat.formats.votes import VALUES
from karat.schemas.pairs import Annotator, Pairs

_EXAMPLES, _SCORE, _RATERS = "examples", "score", "individual_rater_scores"
_TEXTS = {"prompt": "input_text", "text_a": "output_text_a", "text_b": "output_text_b"}


def read_llm_comparator(found: Opened[Options]) -> Pairs:
    """A pair per example; a score above 0 prefers the first output, one below 0 the second, 0 both.

    Scores of single raters, of whom the file does not say who they are, are left out and counted.
    """
    check_fixed(found, "files of LLM Comparator")
    whole, findings = found.first[0] if found.first else {}, Findings("pair")
    models = [plain_text(one.get("name")) for one in objects_in(whole, "models")][:2]
    named = dict(zip(("model_a", "model_b"), models, strict=False))
    examples = held_under(found.objects, _EXAMPLES, "example")
    read = read_each(examples, lambda example: {**_pair(example), **named}, findings)
    findings.settle(drop=found.options.drop)
    if not read:
        raise DataError(f"{found.source.name}: no pair is left after dropping")
    rows = [row for _, row in read]
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    records = Records(found.source.name, "example", names, pl.Series([number for number, _ in read]), rows)
    columns = {name: name for name in (*_TEXTS, *named)}
    pairs = read_wide(found, records, columns, {Annotator(_SCORE, type="model"): _SCORE}, VALUES, default=_SCORE)
    single = sum(len(one[_RATERS]) for one in examples.values if isinstance(one.get(_RATERS), list))
    scores = counted(single, "score of a single rater is", "scores of single raters are")
    told = [f"{scores} left out: the file does not say who they are"] if single else []
    return replace(pairs, warnings=(*pairs.warnings, *told))


def _pair(example: Mapping[str, Any]) -> dict[str, Any]:
    """An example as a pair, with its tags and its own fields."""
    texts = {name: _text(example, key) for name, key in _TEXTS.items()}
    tags = ", ".join(text for tag in list_in(example, "tags") if (text := plain_text(tag)))
    return {**object_in(example, "custom_fields"), **texts, "tags": tags, _SCORE: _vote(example.get(_SCORE))}


def _text(example: Mapping[str, Any], key: str) -> str | None:
    """A text, or the texts among its pieces."""
    value = example.get(key)
    if isinstance(value, list):
        return "".join(str(one.get("data", "")) for one in objects_in(example, key) if one.get("type") == "text")
    return plain_text(value)


def _vote(score: object) -> str | None:
    """The vote that a score stands for; None for none."""
    if score is None:
        return None
    try:
        number = float(plain_text(score) or "nothing")
    except ValueError:
        raise DataError(f", {_SCORE}: expected a number; got {kind(score)}") from None
    return "text_a" if number > 0 else "text_b" if number < 0 else "both"


def _looks_like(found: Opened[Options]) -> bool:
    first = first_under(found.first, _EXAMPLES) if found.is_json else []
    return any({*_TEXTS.values(), _SCORE} <= one.keys() for one in first)


FORMAT = Format("llm-comparator", "annotations", read_llm_comparator, _looks_like, endings=(".json",))
