"""Inputs as the user says that they are to be read: with constants, columns put together, and values that mean others.

What an input becomes is held in memory: a table as a table, records of JSON as records, which are changed whenever they
are looked at. Whatever reads them knows nothing of it. Rows and lines keep their numbers.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError, closest
from adjudge.readers.formats import format_named, with_container
from adjudge.readers.io.delimited import DELIMITED
from adjudge.readers.io.json_documents import OnDemand, Repeated, not_plain, objects_of, plain_text, read_objects
from adjudge.readers.io.source import How, Source, parted
from adjudge.readers.parsed_input import opened
from adjudge.readers.problems import listed, quoted
from adjudge.readers.tables import as_text, collect, is_flat, scan, schema_of
from adjudge.schemas.columns import check_column_exists
from adjudge.schemas.spelling import fold_label

JOIN = "+"
"""What stands between the columns that one is put together from, and between their values."""

INNER = "."
"""What stands between the name of an object and that of a value in it."""

_JSON = ("json", "jsonl")
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
        source = rows_of_items(source, how.item_columns)
    plain, is_changed = with_container(source), bool(how.constant or how.map_values or _composites(how))
    if plain.format in _JSON:
        return _shaped_records(source, plain) if is_changed or _names_within_objects(how) else source
    return _shaped_table(source, plain) if is_changed else source


def rows_of_items(source: Source, asked: Sequence[str]) -> Source:
    """A table with a row per annotator and a column per item as one with a row per judgment.

    asked: see `item_columns`. A table with a row per judgment that has none of these columns stays as it is.
    """
    plain = with_container(source)
    frame = scan(plain)
    schema, (item, label) = schema_of(plain, frame), (source.how.columns.get(name, name) for name in (ITEM, LABEL))
    if {item, label} <= {*schema} and not any(_columns_called(one, schema.names()) for one in asked):
        return source.with_warnings(f"{source.name}: no column {listed(asked)}; each of its rows is a label")
    items = item_columns(asked, schema.names(), source.name, (item, label))
    texts = [as_text(pl.col(name), schema[name]).alias(name) for name in items]
    index = [name for name in schema.names() if name not in items]
    long = frame.with_columns(texts).unpivot(on=items, index=index, variable_name=item, value_name=label)
    made = replace(source, how=replace(source.how, item_columns=()))
    return _in_memory(made, plain, long.filter(pl.col(label).str.strip_chars() != ""))


def _in_memory(source: Source, plain: Source, frame: pl.LazyFrame) -> Source:
    """The input as what was made of it."""
    table = collect(plain, frame)
    if plain.format in _JSON:
        return replace(source, records=objects_of(table, source.name))
    return replace(source, table=table, hashed="" if plain.path else source.sha256())


def item_columns(
    asked: Sequence[str], names: Sequence[str], place: str, made: Sequence[str] = (ITEM, LABEL)
) -> list[str]:
    """The columns that are items. asked: their names, or how they begin, with ANY behind. made: further columns.

    Raises OptionError for one that is not there, and where columns have the names that are made.
    """
    found: dict[str, None] = {}
    for name in asked:
        columns = _columns_called(name, names)
        check_column_exists(place, [] if columns else [("item_columns", name)], names)
        found |= dict.fromkeys(columns)
    if both := [name for name in made if found and name in names and name not in found]:
        raise OptionError(f"{place} has a column {both[0]} already; rename it", option="item_columns")
    return list(found)


def _columns_called(asked: str, names: Sequence[str]) -> list[str]:
    """The columns of one name, or of those that begin so."""
    begins = asked.endswith(ANY)
    return [asked] if asked in names else [one for one in names if begins and one.startswith(asked[:-1])]


def check_values(sources: Iterable[Source], how: How) -> None:
    """Raises OptionError for a value that stands in none of the inputs, and for a column that none of them has."""
    inputs, _ = parted(list(sources))
    if inputs and all(one.how.item_columns for one in inputs):  # none of them has such columns
        asked = [("item_columns", one) for one in how.item_columns]
        check_column_exists(inputs[0].name, asked, opened(inputs[0], how).names)
    for name, meanings in how.map_values.items():
        held = [one.seen[column] for one in inputs for column in _input_columns(how, name) if column in one.seen]
        if not held:
            known = list(dict.fromkeys(chain.from_iterable(opened(one, how).names for one in inputs)))
            near, (value, meant) = closest(name, known), next(iter(meanings.items()))
            fix = near and f"{near}:{value}={meant}"
            raise OptionError(f"no column {name}", option="map_values", found=listed(known, 20), fix=fix)
        found = sorted(frozenset().union(*held))
        folded = set() if how.exact_labels else set(map(fold_label, found))
        for value, meant in meanings.items():
            begins = value.endswith(ANY) and any(one.startswith(value[:-1]) for one in found)
            if value and value not in found and fold_label(value) not in folded and not begins:
                near, told = closest(value, found), f"no value {quoted(value)} in {name}"
                fix = near and f"{name}:{near}={meant}"
                raise OptionError(told, option="map_values", found=listed(found, 10, quoted) or "nothing", fix=fix)


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


def _input_columns(how: How, name: str) -> Sequence[str]:
    """The columns of the input that are one of Adjudge's."""
    if how.annotator_columns and name in _LABELS:
        return how.annotator_columns
    return (how.columns.get(name, name),)


def _composites(how: How) -> list[str]:
    """The columns that options name and that may be several."""
    return [name for name in _named_columns(how) if JOIN in name]


def _names_within_objects(how: How) -> list[str]:
    """The columns that options name and that may stand in objects of JSON: judge.verdict is verdict in judge."""
    parts = chain.from_iterable(name.split(JOIN) for name in _named_columns(how))
    return [name for name in dict.fromkeys((*how.annotator_columns, *how.map_values, *parts)) if INNER in name]


def _named_columns(how: How) -> Iterable[str]:
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

    return {column: meaning(one) for name, one in how.map_values.items() for column in _input_columns(how, name)}


def _shaped_table(source: Source, plain: Source) -> Source:
    """A table with the columns that options make."""
    how, meanings = source.how, _meanings(source.how)
    frame = plain.table.lazy() if plain.table is not None else format_named(None, plain.format).read(plain, ())
    schema = schema_of(plain, frame)
    _check_new(source, schema.names())
    blank = pl.all_horizontal(pl.col(schema.names()).is_null()) if plain.format in DELIMITED else pl.lit(value=False)
    texts = {name: as_text(pl.col(name), dtype) for name, dtype in schema.items() if is_flat(dtype)}
    seen, made = dict[str, frozenset[str]](), dict[str, pl.Expr]()
    for name in meanings.keys() & texts.keys():
        values = collect(plain, frame.select(texts[name].unique().drop_nulls())).to_series()
        seen[name] = frozenset(values)
        texts[name] = made[name] = texts[name].replace({one: meanings[name](one) for one in (*values, None)})
    for name in _composites(how):
        parts = name.split(JOIN)
        if name not in schema and all(part in texts for part in parts):
            made[name] = pl.concat_str([texts[part] for part in parts], separator=JOIN)
            if name in _label_columns(how):
                values = collect(plain, frame.select(made[name].unique().drop_nulls())).to_series()
                source, sets = _sets_of_labels(source, name, values)
                made[name] = made[name].replace(sets)
    made |= {name: pl.when(~blank).then(pl.lit(value)) for name, value in how.constant.items()}
    return _in_memory(replace(source, seen=seen), plain, frame.with_columns(**made))


_TICKS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
"""What a column of one label of several says of a row, in small letters."""


def _label_columns(how: How) -> set[str]:
    return {how.columns[name] for name in (LABEL, "reference") if name in how.columns}


def _set_of_labels(name: str, value: str) -> str | None:
    """What a column says that is put together from one per label, such as toxic of 1+0; None for other cells.

    The word with which all names begin, as in gold_toxic and gold_rude, is no part of the labels.
    """
    parts, ticks = name.split(JOIN), [_TICKS.get(one.lower()) for one in value.split(JOIN)]
    if None in ticks or len(ticks) != len(parts):
        return None
    is_shared = len({part.partition("_")[0] for part in parts}) == 1
    labels = [part.partition("_")[2] if is_shared else part for part in parts]
    return ", ".join(sorted(compress(labels, ticks))) or "none"


def _sets_of_labels(source: Source, name: str, values: Iterable[str]) -> tuple[Source, dict[str, str]]:
    """What each value of such a column is, if all are sets, and the source with a warning."""
    sets = {value: labels for value in values if (labels := _set_of_labels(name, value))}
    if not sets or len(sets) < len({*values}):
        return source, {}
    value, labels = max(sets.items())
    told = "columns of 0 and 1 are read as sets of labels, of which a row without any is none"
    return source.with_warnings(f'{source.name}: {told}: {value} as "{labels:.60}"'), sets


def _with_sets(source: Source, records: Iterable[Any], names: Iterable[str]) -> tuple[Source, set[str]]:
    """The source with warnings of the columns of JSON that are sets of labels, and those columns."""
    found = set[str]()
    for name in names:
        made = (_composed(one, [name]).get(name) for one in records if isinstance(one, dict))
        source, sets = _sets_of_labels(source, name, dict.fromkeys(filter(None, made)))
        found |= {name} if sets else set()
    return source, found


def _shaped_records(source: Source, plain: Source) -> Source:
    """JSON whose objects have the keys that options make; see `_shaped_table`."""
    how, meanings, seen = source.how, _meanings(source.how), defaultdict[str, set[str]](set)
    nested, composites = _names_within_objects(how), _composites(how)

    def translate(record: dict[str, Any]) -> dict[str, Any]:
        made = dict(record)
        for name in meanings.keys() & made.keys():
            text = plain_text(made[name])
            if text:
                seen[name].add(text)
            if not isinstance(made[name], list | dict) and (value := meanings[name](text)) != text:
                made[name] = value
        return made

    def reshape(number: int, record: Any) -> Any:  # noqa: ANN401 - JSON holds anything
        if isinstance(record, Repeated):
            raise DataError(f"{source.name}, {objects.unit} {number}: {not_plain(record)}")
        if not isinstance(record, dict):
            return record
        _check_new(source, record)
        inner = {name: inner_value(record, name) for name in nested if name not in record}
        made = translate({**record, **{name: value for name, value in inner.items() if value is not None}})
        for name, value in made.items():
            if meanings and isinstance(value, list):  # of objects, such as the violations of a text
                made[name] = [translate(one) if isinstance(one, dict) else one for one in value]
        joined = _composed(made, composites)
        of_labels = {name: _set_of_labels(name, joined[name] or "") for name in sets.intersection(joined)}
        return {**made, **joined, **of_labels, **how.constant}

    objects = read_objects(plain)
    source, sets = _with_sets(source, objects.values, _label_columns(how).intersection(composites))
    values = OnDemand(objects.numbers, objects.values, reshape)
    deque(values, maxlen=0)  # looks at all, so that what cannot be is said, and `seen` is whole
    return replace(source, records=replace(objects, values=values), seen={k: frozenset(v) for k, v in seen.items()})


def _composed(record: Mapping[str, Any], composites: Sequence[str]) -> dict[str, str | None]:
    """The columns of a record that are put together from others."""
    parts = {name: name.split(JOIN) for name in composites if name not in record}
    held = {name: [plain_text(record.get(part)) for part in own] for name, own in parts.items() if {*own} & {*record}}
    return {name: JOIN.join(map(str, texts)) if all(texts) else None for name, texts in held.items()}


def inner_value(record: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - JSON holds anything
    """The value in an object within an object ...; None where there is none.

    >>> inner_value({"judge": {"verdict": "PASS"}}, "judge.verdict")
    'PASS'
    """
    value: Any = record
    for part in name.split(INNER):
        value = value.get(part) if isinstance(value, dict) else None
    return value
