"""Inputs as the user says that they are to be read: with constants, columns put together, and values that mean others.

What a table becomes is held in memory; what JSON and Parquet become is written to a temporary file of the same kind.
Whatever reads them knows nothing of it. Rows and lines keep their numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError, closest
from adjudge.readers.formats import container, format_named, names
from adjudge.readers.io.delimited import DELIMITED
from adjudge.readers.io.json_documents import json_text, line_batches, parse, plain_text, read_objects, repeated_names
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import How, Source, parted
from adjudge.readers.problems import listed, quoted, said_twice
from adjudge.readers.tables import as_text, collect, damage_of, is_flat, scan, schema_of
from adjudge.schemas.columns import check_column_exists
from adjudge.schemas.spelling import fold_label

JOIN = "+"
"""What stands between the columns that one is put together from, and between their values."""

INNER = "."
"""What stands between the name of an object and that of a value in it."""

_LINES = 10_000
_LISTED = ("json", "jsonl")
_ARROW = "ARROW:schema"
"""What polars itself writes into a Parquet file."""
ANY = "*"
"""What stands at the end of a value, or a name, for whatever may follow; one that really ends so wins."""

ITEM, LABEL = "item", "label"
"""The columns that a table of judgments has in place of those of items."""

_LABELS = ("label", "vote")
"""Adjudge's columns that are the annotators' columns in a wide table."""


def shaped(source: Source) -> Source:
    """The input with its constants, columns that are put together, and values; itself where there are none.

    Raises OptionError for a constant whose column the input holds already, DataError where it cannot be read.
    """
    how = source.how
    if source.damage:
        return source
    if how.item_columns:
        source = _with_rows_of_judgments(source)
    asked = bool(how.constant or how.map_values or _composites(how))
    if not (asked or _nested(how)):
        return source
    plain = _plain(source)
    if plain.format in _LISTED:
        return _shaped_json(source, plain)
    return _shaped_table(source, plain) if asked else source


def _plain(source: Source) -> Source:
    """The input as the flat table, or the JSON, that it looks like."""
    if source.path is not None and source.format not in names(None):
        return replace(source, format=container(source.start()))
    return source


def _with_rows_of_judgments(source: Source) -> Source:
    """A table with a row per annotator and a column per item as one with a row per judgment."""
    plain, asked = _plain(source), source.how.item_columns
    if plain.format in _LISTED:
        records = read_objects(plain).plain()
        items = item_columns(asked, list(dict.fromkeys(chain.from_iterable(records))), source.name)
        path = scratch_file(".json")
        path.write_text(json_text([row for one in records for row in judgment_records(one, items)]), encoding="utf-8")
        return replace(source, path=path, format="json", given=source.given or source.path)
    frame = scan(plain)
    schema = schema_of(plain, frame)
    items = item_columns(asked, schema.names(), source.name)
    texts = {name: as_text(pl.col(name), schema[name]) for name in items}
    return _changed(source, plain, judgment_rows(frame, items, texts))


def item_columns(asked: Sequence[str], names: Sequence[str], place: str) -> list[str]:
    """The columns that are items. asked: their names, or how they begin, with ANY behind.

    Raises OptionError for one that is not there, and where columns have the names that are made.
    """
    found: dict[str, None] = {}
    for name in asked:
        begins = name[:-1] if name.endswith(ANY) and name not in names else None
        fitting = [one for one in names if begins is not None and one.startswith(begins)]
        check_column_exists(place, [] if fitting else [("item_columns", name)], names)
        found |= dict.fromkeys(fitting or [name])
    if both := [name for name in (ITEM, LABEL) if found and name in names and name not in found]:
        raise OptionError(f"{place} has a column {both[0]} already; rename it", option="item_columns")
    return list(found)


def judgment_rows(frame: pl.LazyFrame, items: Sequence[str], texts: Mapping[str, pl.Expr]) -> pl.LazyFrame:
    """A row per row and item, with the item's name and its label; an empty cell is no judgment.

    texts: the columns of items as text.
    """
    long = frame.with_columns(texts[name].alias(name) for name in items).unpivot(
        on=list(items),
        index=[name for name in frame.collect_schema().names() if name not in items],
        variable_name=ITEM,
        value_name=LABEL,
    )
    return long.filter(pl.col(LABEL).str.strip_chars() != "")


def judgment_records(record: Mapping[str, Any], items: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A row per item column of a JSON record with an answer."""
    others = {name: value for name, value in record.items() if name not in items}
    for name in items:
        if (plain_text(record.get(name)) or "").strip():
            yield {**others, ITEM: name, LABEL: record[name]}


def check_values(sources: Iterable[Source], how: How) -> None:
    """Raises OptionError for a value that stands in none of the inputs, and for a column that none of them has."""
    inputs, _ = parted(list(sources))
    for name, meanings in how.map_values.items():
        held = [one.seen[column] for one in inputs for column in _theirs(how, name) if column in one.seen]
        if not held:
            known = list(dict.fromkeys(chain.from_iterable(map(_columns, inputs))))
            raise OptionError(
                f"no column {name}",
                option="map_values",
                found=listed(known, 20),
                fix=(near := closest(name, known)) and "{}:{}={}".format(near, *next(iter(meanings.items()))),
            )
        found = sorted(frozenset().union(*held))
        for value in meanings:
            alike = not how.exact_labels and fold_label(value) in map(fold_label, found)
            begins = value.endswith(ANY) and any(one.startswith(value[:-1]) for one in found)
            if value and value not in found and not alike and not begins:
                raise OptionError(
                    f"{quoted(value)} never stands in {name}",
                    option="map_values",
                    found=listed(found, 10, quoted) or "nothing",
                    fix=(near := closest(value, found)) and f"{name}:{near}={meanings[value]}",
                )


def meaning_of(text: str, meanings: Mapping[str, str | None], *, exact: bool = False) -> str | None:
    """What a value means: what is said of it, else of the longest beginning of it; itself where nothing is said.

    exact: whether spaces and case count; else what is said of a value is said of all that differ in these alone, where
    nothing else is said of these.

    >>> meaning_of("Yes, it is.", {"Yes*": "1", "*": "0"}), meaning_of("No", {"Yes*": "1"})
    ('1', 'No')
    >>> meaning_of(" YES", {"yes": "1"}), meaning_of(" YES", {"yes": "1"}, exact=True)
    ('1', ' YES')
    """
    if text in meanings:
        return meanings[text]
    alike = set() if exact else {meant for value, meant in meanings.items() if fold_label(value) == fold_label(text)}
    if len(alike) == 1:
        return alike.pop()
    begins = [value for value in meanings if value.endswith(ANY) and text.startswith(value[:-1])]
    return meanings[max(begins, key=len)] if begins else text


def _theirs(how: How, name: str) -> Sequence[str]:
    """The columns of the input that are one of Adjudge's."""
    if how.annotator_columns and name in _LABELS:
        return how.annotator_columns
    return (how.columns.get(name, name),)


def _composites(how: How) -> list[str]:
    """The columns that options name and that may be several."""
    return [name for name in _asked(how) if JOIN in name]


def _nested(how: How) -> list[str]:
    """The columns that options name and that may stand in objects of JSON: judge.verdict is verdict in judge."""
    asked = chain(how.annotator_columns, how.map_values, chain.from_iterable(name.split(JOIN) for name in _asked(how)))
    return [name for name in dict.fromkeys(asked) if INNER in name]


def _asked(how: How) -> Iterable[str]:
    return dict.fromkeys((*how.columns.values(), *how.by, *filter(None, (how.cluster, how.run_column))))


def _check_new(source: Source, columns: Iterable[str]) -> None:
    for name in columns:
        if name in source.how.constant:
            raise OptionError(f"{source.name} has a column {name} already; leave {name} out", option="constant")


def _meanings(how: How) -> dict[str, Callable[[str | None], str | None]]:
    """The input's column -> what its values mean; None for what means nothing."""

    def meaning(meanings: Mapping[str, str]) -> Callable[[str | None], str | None]:
        own = {value: meant or None for value, meant in meanings.items()}
        return lambda text: meaning_of(text, own, exact=how.exact_labels) if text else own.get("", text)

    return {column: meaning(one) for name, one in how.map_values.items() for column in _theirs(how, name)}


def _shaped_table(source: Source, plain: Source) -> Source:
    """A table with the columns that options make."""
    how, meanings = source.how, _meanings(source.how)
    wanted = [*meanings, *chain.from_iterable(name.split(JOIN) for name in _composites(how))]
    frame = plain.table.lazy() if plain.table is not None else format_named(None, plain.format).read(plain, wanted)
    schema = schema_of(plain, frame)
    _check_new(source, schema.names())
    texts = {name: as_text(pl.col(name), schema[name]) for name in meanings if name in schema and is_flat(schema[name])}
    values = {
        name: collect(plain, frame.select(text.unique().drop_nulls())).to_series() for name, text in texts.items()
    }
    frame = frame.with_columns(
        text.replace({one: meanings[name](one) for one in (*values[name], None)}).alias(name)
        for name, text in texts.items()
    )
    schema = schema_of(plain, frame)
    for name in _composites(how):
        parts = name.split(JOIN)
        if name not in schema and all(part in schema for part in parts):
            both = pl.concat_str([as_text(pl.col(part), schema[part]) for part in parts], separator=JOIN)
            frame = frame.with_columns(both.alias(name))
    blank = pl.all_horizontal(pl.col(schema.names()).is_null()) if plain.format in DELIMITED else pl.lit(value=False)
    frame = frame.with_columns(pl.when(~blank).then(pl.lit(value)).alias(name) for name, value in how.constant.items())
    return _changed(replace(source, seen={name: frozenset(one) for name, one in values.items()}), plain, frame)


def _changed(source: Source, plain: Source, frame: pl.LazyFrame) -> Source:
    """The input that holds what was made of it: in memory, but for Parquet, whose metadata formats look at."""
    if plain.format != "parquet":
        return replace(source, table=collect(plain, frame), hashed="" if plain.path else source.sha256())
    path = scratch_file(".parquet")
    with damage_of(plain):
        metadata = {key: value for key, value in pl.read_parquet_metadata(plain.file).items() if key != _ARROW}
        frame.sink_parquet(path, metadata=metadata)
    return replace(source, path=path, given=source.given or source.path)


def _shaped_json(source: Source, plain: Source) -> Source:
    """JSON or JSON lines whose objects have the keys that options make."""
    records, path, last = _Records(source), scratch_file(plain.file.suffix), 0
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        if plain.format == "jsonl":
            for batch in line_batches(plain, _LINES):
                for number, (place, value) in zip(batch.numbers, batch.places(), strict=True):
                    file.write("\n" * (number - last - 1) + records.text(place, value) + "\n")
                    last = number
        elif isinstance(document := parse(plain.text(), plain.name), list):
            texts = (records.text(f"{plain.name}, record {number}", one) for number, one in enumerate(document, 1))
            file.writelines(chain("[", chain.from_iterable(zip(chain([""], repeat(",\n")), texts, strict=False)), "]"))
        else:
            file.write(records.text(plain.name, document))
    seen = {name: frozenset(values) for name, values in records.seen.items()}
    return replace(source, path=path, given=source.given or source.path, seen=seen)


class _Records:
    """JSON objects with the keys that options make. seen: the values that stood in those keys that mean others."""

    def __init__(self, source: Source) -> None:
        self.source, self.meanings = source, _meanings(source.how)
        self.nested, self.composites = _nested(source.how), _composites(source.how)
        self.seen: dict[str, set[str]] = {}

    def text(self, place: str, value: object) -> str:
        """A value as JSON. Raises DataError where an object holds a name twice."""
        if twice := repeated_names(value):
            raise DataError(f"{place}: {said_twice(twice)}")
        return json_text(self._record(value) if isinstance(value, dict) else value)

    def _record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        _check_new(self.source, record)
        inner = {name: inner_value(record, name) for name in self.nested if name not in record}
        made = self._meant({**record, **{name: value for name, value in inner.items() if value is not None}})
        for name, value in made.items():
            if self.meanings and isinstance(value, list):  # of objects, such as the violations of a text
                made[name] = [self._meant(one) if isinstance(one, dict) else one for one in value]
        for name in self.composites:
            parts = name.split(JOIN)
            if name not in made and not made.keys().isdisjoint(parts):
                texts = [plain_text(made.get(part)) for part in parts]
                made[name] = JOIN.join(filter(None, texts)) if all(texts) else None
        return {**made, **self.source.how.constant}

    def _meant(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """A record whose values are replaced by their meanings."""
        made = dict(record)
        for name in self.meanings.keys() & made.keys():
            text = plain_text(made[name])
            if made[name] is None or text == "":
                made[name] = self.meanings[name](text)
            elif text is not None:
                self.seen.setdefault(name, set()).add(text)
                meant = self.meanings[name](text)
                made[name] = made[name] if meant == text else meant
        return made


def inner_value(record: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - JSON holds anything
    """The value in an object within an object ...; None where there is none.

    >>> inner_value({"judge": {"verdict": "PASS"}}, "judge.verdict")
    'PASS'
    """
    value: Any = record
    for part in name.split(INNER):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _columns(source: Source) -> list[str]:
    """The columns of a table, or the keys of the first objects."""
    plain = _plain(source)
    if plain.format not in _LISTED:
        return schema_of(plain, scan(plain)).names()
    return [name for one in read_objects(plain, most=1).values[:1] if isinstance(one, dict) for name in one]
