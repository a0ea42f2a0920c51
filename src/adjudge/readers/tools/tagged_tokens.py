"""Rows of tokens with a list of tags beside them, or several, such as gold_tags and predicted_tags: an annotator each.

{"id": "1", "tokens": ["Cures", "headache"], "gold_tags": ["B-claim", "I-claim"], "predicted_tags": ["O", "O"]}

Also tables with a row per token: sentence_id (or sentence, id ...), token (or word), and a column of tags or several.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import polars as pl

from adjudge.errors import DataError, named
from adjudge.readers.column_names import joined, nearest_to
from adjudge.readers.io.json_documents import Objects, kind
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.spans.span_records import MAPPED, Holder, Raw, raw_of_objects
from adjudge.readers.spans.violations import Options
from adjudge.readers.tables import collect, missing_columns, scan
from adjudge.readers.tools.conll import REBUILT, Tag, broken_starts, marked_tokens, tags_among
from adjudge.schemas.violations import ID, TEXT

_TOKENS = ("tokens", "words")
_WHO = "annotator"


def read_tagged_tokens(found: Opened[Options]) -> Raw:
    """A line for each row and list of tags; of several the list's name is the annotator. Without it nobody looked.

    Of a table with a row per token, a line for each sentence and column of tags.
    """
    names = found.options
    names.check_mapped("tokens with tags", MAPPED)
    objects, warnings = (found.objects, []) if found.is_json or found.is_nested else _sentences(found)
    keys, sentences = _lists(objects.values), list[list[Tag]]()

    def marked(row: Holder) -> Iterator[tuple[Holder, list[Any]]]:
        words = _words(row)
        for key in (key for key in keys if row.get(key) is not None):
            tags = row[key]
            is_whole = words is not None and isinstance(tags, list) and len(tags) == len(words)
            if words is None or not is_whole or not all(isinstance(tag, str) and tag in keys[key] for tag in tags):
                raise DataError(f", {key}: expected a tag such as O or B-claim for each token; got {kind(tags)}")
            sentences.append([keys[key][tag] for tag in tags])
            text, marks = marked_tokens(words, sentences[-1])
            yield {**row, names.theirs(TEXT): text, **({names.theirs(_WHO): key} if len(keys) > 1 else {})}, [*marks]

    raw = raw_of_objects(objects, names, marked)
    return replace(raw, based=False).warned([REBUILT, *broken_starts(sentences), *warnings])


def _words(row: Mapping[str, Any]) -> list[str] | None:
    """The tokens of a row; None where there are none."""
    held = next((row[key] for key in _TOKENS if key in row), None)
    is_text = isinstance(held, list) and all(isinstance(word, str) for word in held)
    return held if is_text else None


def _lists(values: Sequence[object]) -> dict[str, dict[str, Tag]]:
    """The names under which the rows hold lists of tags and nothing else, and what these tags say."""
    held: dict[str, list[object]] = {}
    for row in (value for value in values if isinstance(value, dict)):
        for name, listed in row.items():
            if isinstance(listed, list) and name not in _TOKENS:
                held.setdefault(name, []).extend(listed)
    found = {name: [value for value in listed if isinstance(value, str)] for name, listed in held.items() if listed}
    tags = {name: tags_among(texts) for name, texts in found.items() if len(texts) == len(held[name])}
    return {name: tags_of for name, tags_of in tags.items() if len(tags_of) == len({*found[name]})}


# --- a table ---

_SENTENCES = ("sentenceid", "sentid", "sentence", "sentenceidx", "id", "docid", "documentid")
_LOOKED_AT = 100


def _sentences(found: Opened[Options]) -> tuple[Objects, list[str]]:
    """The sentences of a table with a row per token; and a warning where no column says which these are.

    A cell of the sentence that is empty repeats the one above it.
    """
    names, source = found.options, found.source
    table = collect(source, scan(source)).cast(pl.String)
    token, tags = _tag_columns(table)
    columns = [name for name in table.columns if name not in (token, *tags)]
    parts = names.id_parts(columns) if ID in names.columns else [*filter(None, [nearest_to(_SENTENCES, columns)])]
    if lacking := ", ".join(part for part in parts if part not in columns):
        raise missing_columns(source.name, {ID: lacking}, columns)
    own = pl.concat_str(pl.col(parts).forward_fill(), separator="+") if parts else pl.lit("1")
    table = table.with_columns(pl.col(token).fill_null(""), own.alias(ID))
    rows = table.group_by(pl.col(ID).rle_id().alias(_TOKENS[1]), maintain_order=True).agg(
        pl.col(ID).first().alias(names.theirs(ID)), pl.col(token).alias(_TOKENS[0]), *tags
    )
    objects = Objects(source.name, "sentence", range(1, rows.height + 1), rows.drop(_TOKENS[1]).to_dicts())
    alone = f"no column says of which sentence a token is, so that all are of one text: {named('columns')} id=COLUMN"
    return objects, [] if parts else [alone]


def _tag_columns(table: pl.DataFrame) -> tuple[str, list[str]]:
    """The column of tokens, and those that hold tags alone. Raises DataError where it has none."""
    token = next((name for name in table.columns if joined(name) in ("token", "word", *_TOKENS)), None)
    held = {name: table[name].drop_nulls().unique().to_list() for name in table.columns if name != token}
    tags = [name for name, values in held.items() if values and len(tags_among(values)) == len(values)]
    if token is None or not tags:
        raise DataError(f": expected a column of tokens and one of tags; got {', '.join(table.columns):.300}")
    return token, tags


def _looks_like(found: Opened[Options]) -> bool:
    if found.is_json or found.is_nested:
        return bool(found.first) and all(map(_words, found.first)) and bool(_lists(found.first))
    if not any(joined(name) in ("token", "word") for name in found.names):
        return False
    with suppress(DataError):
        head = collect(found.source, scan(found.source).head(_LOOKED_AT)).cast(pl.String)
        return any(head[name].n_unique() > 1 for name in _tag_columns(head)[1])
    return False


FORMAT = Format(
    "tagged-tokens", "violations", read_tagged_tokens, _looks_like, 1, (".jsonl", ".json", ".parquet", ".csv")
)
