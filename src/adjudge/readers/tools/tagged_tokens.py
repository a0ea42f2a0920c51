"""Rows of tokens with a list of tags beside them, or several, such as gold_tags and predicted_tags: an annotator each.

{"id": "1", "tokens": ["Cures", "headache"], "gold_tags": ["B-claim", "I-claim"], "predicted_tags": ["O", "O"]}
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Number, kind
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.spans.span_records import MAPPED, Holder, Raw, raw_of_objects
from adjudge.readers.spans.violations import Options
from adjudge.readers.tools.conll import REBUILT, TAG, marked_tokens
from adjudge.schemas.violations import TEXT

_TOKENS = ("tokens", "words")
_WHO = "annotator"


def read_tagged_tokens(found: Opened[Options]) -> Raw:
    """A line for each row and list of tags; of several the list's name is the annotator. Without it nobody looked."""
    names = found.options
    names.check_mapped("tokens with tags", MAPPED)
    keys = _lists(found.objects.values)

    def marked(row: Holder) -> Iterator[tuple[Holder, list[Any]]]:
        words = _words(row)
        for key in (one for one in keys if row.get(one) is not None):
            tags = row[key]
            if words is None or not isinstance(tags, list) or len(tags) != len(words) or not all(map(_is_tag, tags)):
                raise DataError(f", {key}: expected a tag such as O or B-claim for each token; got {kind(tags)}")
            text, marks = marked_tokens(list(zip(words, tags, strict=True)))
            yield {**row, names.theirs(TEXT): text, **({names.theirs(_WHO): key} if len(keys) > 1 else {})}, [*marks]

    raw = raw_of_objects(found.objects, names, marked)
    return replace(raw, based=False).warned([REBUILT])


def _words(row: Mapping[str, Any]) -> list[str] | None:
    """The tokens of a row; None where there are none."""
    held = next((row[key] for key in _TOKENS if key in row), None)
    is_text = isinstance(held, list) and all(isinstance(one, str) and not isinstance(one, Number) for one in held)
    return held if is_text else None


def _lists(values: Sequence[object]) -> list[str]:
    """The names under which the rows hold lists of tags."""
    rows = [value for value in values if isinstance(value, dict)]
    names = dict.fromkeys(name for row in rows for name, held in row.items() if isinstance(held, list) and held)
    return [name for name in names if name not in _TOKENS and _are_tags([row.get(name) for row in rows])]


def _are_tags(lists: Sequence[object]) -> bool:
    """Whether lists hold tags and nothing else, as far as they are lists."""
    return all(_is_tag(tag) for one in lists if isinstance(one, list) for tag in one)


def _is_tag(tag: object) -> bool:
    return isinstance(tag, str) and TAG.fullmatch(tag) is not None


def _looks_like(found: Opened[Options]) -> bool:
    rows = found.first
    return bool(rows) and all(map(_words, rows)) and bool(_lists(rows))


FORMAT = Format("tagged-tokens", "violations", read_tagged_tokens, _looks_like, 1, (".jsonl", ".json", ".parquet"))
