"""Inputs transformed by the user's options: with constants, composed columns, and mapped values.

Transformed inputs are in memory: a table as a table, records of JSON as records that are transformed on access. Readers
do not notice. Rows and lines keep their numbers.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError, closest, flag_name
from adjudge.readers.formats import format_named, with_container
from adjudge.readers.io.delimited import DELIMITED
from adjudge.readers.io.json_documents import OnDemand, cell_text, objects_of, read_objects, text_in
from adjudge.readers.io.source import OR, How, Source
from adjudge.readers.parsed_input import opened
from adjudge.readers.problems import listed, quoted
from adjudge.readers.tables import as_text, collect, is_flat, scan, schema_of
from adjudge.schemas.columns import check_column_exists
from adjudge.schemas.spelling import fold_label

JOIN = "+"
"""Separator between the parts of a composed column, and between their values."""

INNER = "."
"""Separator between the name of an object and that of a value in it."""

_JSON = ("json", "jsonl")
ANY = "*"
"""Wildcard at the end of a value or a name; a literal match has precedence."""


def shaped(source: Source) -> Source:
    """The input with constants, composed columns and mapped values; unchanged if there are none.

    Raises OptionError for a constant whose column the input has already, DataError if the input cannot be read.
    """
    how = source.how
    if how.item_columns:
        source = rows_of_items(source, how.item_columns)
    plain, several = with_container(source), any(OR in name for name in _named_columns(how))
    is_changed = bool(how.constant or how.map_values) or any(JOIN in name for name in _named_columns(how))
    if plain.format in _JSON:
        return _shaped_records(source, plain) if is_changed or several or _names_within_objects(how) else source
    with nullcontext() if is_changed else suppress(DataError):  # of a file that is no table
        return _shaped_table(source, plain) if is_changed or several else source
    return source


def rows_of_items(source: Source, asked: Sequence[str]) -> Source:
    """A table with a row per annotator and a column per item as one with a row per judgment.

    asked: see `item_columns`. A table with a row per judgment and none of these columns remains unchanged.
    """
    plain = with_container(source)
    frame = scan(plain)
    schema, (item, label) = schema_of(plain, frame), map(source.how.column_of, ("item", "label"))
    if {item, label} <= {*schema} and not any(_columns_called(one, schema.names()) for one in asked):
        return source.with_warnings(f"{source.name}: no column {listed(asked)}; each of its rows is a label")
    items = item_columns(asked, schema.names(), source.name)
    texts = [as_text(pl.col(name), schema[name]).alias(name) for name in items]
    index = [name for name in schema.names() if name not in items]
    long = frame.with_columns(texts).unpivot(on=items, index=index, variable_name=item, value_name=label)
    made = replace(source, how=replace(source.how, item_columns=()))
    given = (pl.col(label).str.strip_chars() != "") | ("response" in made.how.columns)
    return _in_memory(made, plain, long.filter(given))


def _in_memory(source: Source, plain: Source, frame: pl.LazyFrame) -> Source:
    """The input with its transformed table or records."""
    table = collect(plain, frame)
    if plain.format in _JSON:
        return replace(source, records=objects_of(table, source.name))
    return replace(source, table=table, hashed="" if plain.path else source.sha256())


def item_columns(asked: Sequence[str], names: Sequence[str], place: str) -> list[str]:
    """The columns that are items. asked: their names, or beginnings followed by ANY.

    Raises OptionError for a missing column.
    """
    found = {name: _columns_called(name, names) for name in asked}
    check_column_exists(place, [("item_columns", name) for name in asked if not found[name]], names)
    return list(dict.fromkeys(chain.from_iterable(found.values())))


def _columns_called(asked: str, names: Sequence[str]) -> list[str]:
    """The column of that name, or those with that beginning."""
    begins = asked.endswith(ANY)
    return [asked] if asked in names else [one for one in names if begins and one.startswith(asked[:-1])]


def check_values(sources: Iterable[Source], how: How) -> None:
    """Raises OptionError for a value or a column that is in none of the inputs."""
    inputs = [one for one in sources if not one.damage]
    if inputs and all(one.how.item_columns for one in inputs):  # none of them has such columns
        asked = [("item_columns", one) for one in how.item_columns]
        check_column_exists(inputs[0].name, asked, opened(inputs[0], how).names)
    for name, meanings in how.map_values.items():
        seen = [one.seen[column] for one in inputs for column in _input_columns(how, name) if column in one.seen]
        if not seen:
            names = list(dict.fromkeys(chain.from_iterable(opened(one, how).names for one in inputs)))
            near, (value, meant) = closest(name, names), next(iter(meanings.items()))
            fix = near and f"{near}:{value}={meant}"
            raise OptionError(f'no column "{name}"', option="map_values", found=listed(names), fix=fix)
        values = sorted(frozenset().union(*seen))
        folded = set() if how.exact_labels else set(map(fold_label, values))
        for value, meant in meanings.items():
            begins = value.endswith(ANY) and any(one.startswith(value[:-1]) for one in values)
            if value and value not in values and fold_label(value) not in folded and not begins:
                shown, near = listed(values, 10, quoted), closest(value, values)
                fix = f"{name}:{near or 'VALUE'}={meant}"
                raise OptionError(f"no value {quoted(value)} in {name}", option="map_values", found=shown, fix=fix)


def meaning_of(text: str | None, meanings: Mapping[str, str | None], *, exact: bool = False) -> str | None:
    """The meaning of a value: its own, else that of its longest mapped beginning, else the value itself.

    exact: whether spaces and case count; otherwise a meaning also applies to values that differ only in these, unless
    these have another.

    >>> meaning_of("Yes, it is.", {"Yes*": "1", "*": "0"}), meaning_of("No", {"Yes*": "1"})
    ('1', 'No')
    >>> meaning_of(" YES", {"yes": "1"}), meaning_of(" YES", {"yes": "1"}, exact=True)
    ('1', ' YES')
    """
    if not text:
        return meanings.get("", text)
    if text in meanings:
        return meanings[text]
    alike = set() if exact else {meant for value, meant in meanings.items() if fold_label(value) == fold_label(text)}
    if len(alike) == 1:
        return alike.pop()
    begins = [value for value in meanings if value.endswith(ANY) and text.startswith(value[:-1])]
    return meanings[max(begins, key=len)] if begins else text


def _input_columns(how: How, name: str) -> Sequence[str]:
    """The columns of the input for one of Adjudge's."""
    return (name in ("label", "vote") and how.annotator_columns) or (how.columns.get(name, name),)


def _names_within_objects(how: How) -> list[str]:
    """The columns in options that may be in objects of JSON: judge.verdict is verdict in judge."""
    parts = chain.from_iterable(part.split(OR) for part in _parts_of_columns(how))
    return [name for name in dict.fromkeys((*how.annotator_columns, *how.map_values, *parts)) if INNER in name]


def _parts_of_columns(how: How) -> Iterable[str]:
    return dict.fromkeys(chain.from_iterable(name.split(JOIN) for name in _named_columns(how)))


def own_name(name: str, columns: Collection[str], place: str) -> str | None:
    """The one of several names, separated by OR, that is a column; None if none is, and for a column's whole name.

    Raises OptionError if several are.
    """
    own = [] if name in columns else [one for one in dict.fromkeys(name.split(OR)) if one in columns]
    if len(own) > 1:
        problem = f"{place} has both columns {own[0]} and {own[1]}; {name} stands for one column of each file"
        raise OptionError(problem, fix=f"leave one of them out of {flag_name('columns')}, or rename it in the file")
    return own[0] if own else None


def _named_columns(how: How) -> Iterable[str]:
    """The columns in options, those composed of several among them."""
    return dict.fromkeys((*how.columns.values(), *how.by, *filter(None, (how.cluster, how.run_column))))


def _check_new(source: Source, columns: Collection[str]) -> None:
    """Raises OptionError for constants of existing columns."""
    for name in columns:
        if name in source.how.constant:
            raise OptionError(f"{source.name} has a column {name} already; leave {name} out", option="constant")


def _meanings(how: How) -> dict[str, dict[str, str | None]]:
    """The input's column -> its value -> the meaning; None for values without a meaning."""
    own = ((name, {value: meant or None for value, meant in one.items()}) for name, one in how.map_values.items())
    return {column: one for name, one in own for column in _input_columns(how, name)}


def _shaped_table(source: Source, plain: Source) -> Source:
    """A table with the new columns of the options."""
    how, meanings = source.how, _meanings(source.how)
    frame = plain.table.lazy() if plain.table is not None else format_named(None, plain.format).read(plain)
    schema = schema_of(plain, frame)
    lists = [name for name in meanings if schema.get(name) == pl.List]
    frame = frame.with_columns(as_text(pl.col(name), schema[name]) for name in lists)
    named = {name: own_name(name, schema, source.name) for name in _parts_of_columns(how)}
    own = {name: pl.col(one) for name, one in named.items() if one}
    frame = frame.with_columns(**own)
    schema = schema_of(plain, frame)
    _check_new(source, schema.names())
    blank = pl.all_horizontal(pl.col(schema.names()).is_null()) if plain.format in DELIMITED else pl.lit(value=False)
    texts = {name: as_text(pl.col(name), dtype) for name, dtype in schema.items() if is_flat(dtype)}
    seen, made = dict[str, frozenset[str]](), dict[str, pl.Expr]()
    for name in meanings.keys() & texts.keys():
        values = collect(plain, frame.select(texts[name].unique().drop_nulls())).to_series()
        seen[name] = frozenset(values)
        new = {one: meaning_of(one, meanings[name], exact=how.exact_labels) for one in (*values, None)}
        texts[name] = made[name] = texts[name].replace(new)
    for name in _named_columns(how):
        parts = name.split(JOIN)
        if name not in schema and all(part in texts for part in parts):
            made[name] = pl.concat_str([texts[part] for part in parts], separator=JOIN)
    made |= {name: pl.when(~blank).then(pl.lit(value)) for name, value in how.constant.items()}
    if not (made or own):
        return source
    return _in_memory(replace(source, seen=seen), plain, frame.with_columns(**made))


def _shaped_records(source: Source, plain: Source) -> Source:
    """JSON whose objects have the new keys of the options; see `_shaped_table`."""
    how, meanings, seen = source.how, _meanings(source.how), defaultdict[str, set[str]](set)
    nested, composites = _names_within_objects(how), [name for name in _named_columns(how) if JOIN in name]
    several = [name for name in _parts_of_columns(how) if OR in name]

    def translate(record: dict[str, Any]) -> dict[str, Any]:
        own = {name: own_name(name, record, source.name) for name in several}
        made = record | {name: record[one] for name, one in own.items() if one}
        for name in meanings.keys() & made.keys():
            if text := cell_text(made[name]):
                seen[name].add(text)
            value = meaning_of(text, meanings[name], exact=how.exact_labels)
            if value != text:
                made[name] = value
        return made

    def reshape(_: int, record: Any) -> Any:  # noqa: ANN401 - JSON holds anything
        if not isinstance(record, dict):
            return record
        _check_new(source, record)
        inner = {name: inner_value(record, name) for name in nested if name not in record}
        made = translate(record | {name: one for name, one in inner.items() if one is not None or name in meanings})
        for name, value in made.items():
            if (meanings or several) and isinstance(value, list):  # objects, such as the violations of a text
                made[name] = [translate(one) if isinstance(one, dict) else one for one in value]
        _compose(made, composites)
        return {**made, **how.constant}

    objects = read_objects(plain)
    values = OnDemand(objects.numbers, objects.values, reshape)
    deque(values, maxlen=0)  # reads all, to report errors and to complete `seen`
    return replace(source, records=replace(objects, values=values), seen={k: frozenset(v) for k, v in seen.items()})


def _compose(record: dict[str, Any], composites: Iterable[str]) -> None:
    """Add composed columns to a record that has one of their parts."""
    for name in composites:
        parts = name.split(JOIN)
        if name not in record and not record.keys().isdisjoint(parts):
            texts = [text_in(record, part) or "" for part in parts]
            record[name] = JOIN.join(texts) if all(texts) else None


def inner_value(record: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - JSON holds anything
    """The value in nested objects, and in lists by its place from 0; None if there is none.

    >>> inner_value({"judge": {"verdict": "PASS"}}, "judge.verdict"), inner_value({"texts": ["a", "b"]}, "texts.1")
    ('PASS', 'b')
    """
    value: Any = record
    for part in name.split(INNER):
        held = {str(place): one for place, one in enumerate(value)} if isinstance(value, list) else value
        value = held.get(part) if isinstance(held, dict) else None
    return value
