"""A flat table with a row per item and a column per annotator, which `--annotator-columns` names."""

from collections.abc import Sequence

import polars as pl

from adjudge.errors import OptionError, named
from adjudge.readers.io.json_documents import plain_text
from adjudge.readers.io.source import Format, Source
from adjudge.readers.label_values import list_in_cell
from adjudge.readers.labels.judgments import REFERENCE, Options, Part, Parts, lacks_trust, untrusted, without_reference
from adjudge.readers.labels.turned_tables import constant_sum
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings, listed, quoted
from adjudge.readers.tables import ROW, collect, schema_of, select_text
from adjudge.schemas.columns import check_column_exists

LIST = "json"
"""What the separator of votes is where a cell holds them as a JSON list."""

_COLUMNS = ("item", "cluster", *REFERENCE)
_CELL = "__cell__"
_LOOKED_AT = 100


def read_wide_judgments(found: Opened[Options]) -> Parts:
    """The table as a long one: a row per item and annotator. An empty cell is no judgment.

    Without a column item, a row's number is its id. A trusted annotator that is a column need not stand among
    the annotators' columns. Raises OptionError for columns that are not there or stand for two things.
    """
    source, options = found.source, found.options
    frame, findings = _cells(found), Findings()
    held = [name for name in schema_of(source, frame).names() if name != ROW]
    judges = list(dict.fromkeys([*options.annotator_columns, *(name for name in options.reference if name in held)]))
    names = without_reference(_columns(options, judges), options)
    check_column_exists(source.name, [("annotator_columns", name) for name in judges], held)
    check_column_exists(source.name, options.asked, held)
    if lacks_trust(names, held, options):
        raise untrusted(source.name, held, judges)
    lackable = [name for name in names if name not in {*options.columns, *options.by}]
    columns = names | {_CELL + name: name for name in judges}
    texts = select_text(source, frame, columns, optional=lackable, beside=True)
    long, cells = _long(texts, judges), 0
    if options.vote_separator:
        long = _numbered(_votes(source, long, options.vote_separator, findings))
    else:
        cells = collect(source, texts.select(pl.len())).item() * len(judges)
        numbers = texts.select(_CELL + name for name in judges)
        few = collect(source, numbers.head(_LOOKED_AT)) if options.counts else pl.DataFrame()
        if constant_sum(few) and (each := constant_sum(collect(source, numbers))):
            told = f"{listed(judges)} sum to {each} in nearly all rows, as counts of {each} annotators per label do"
            findings.told.append(f"{source.name}: {told}; to read them so, leave out --annotator-columns")
    positions = names.get("item") not in held
    if positions:
        long = long.with_columns(pl.col(ROW).cast(pl.String).alias("item"))
    return [Part(source, "row", long, names, positions=positions, cells=cells)], findings


def _cells(found: Opened[Options]) -> pl.LazyFrame:
    """The table; where cells hold JSON lists, these as text, whatever the file has them as."""
    options = found.options
    if options.vote_separator != LIST:
        return found.rows([*_columns(options, ()).values(), *options.annotator_columns])
    records, asked = found.records, {*options.annotator_columns, *options.reference}
    held = [name for name in records.columns if name in asked or records.is_flat(name)]
    return pl.LazyFrame([records.rows.alias(ROW), *(records.text(name)[0].alias(name) for name in held)])


def _columns(options: Options, judges: Sequence[str]) -> dict[str, str]:
    """Adjudge's column -> the table's. Raises OptionError if that is an annotator's, or wide tables have none such."""
    if odd := sorted(options.columns.keys() - set(_COLUMNS)):
        stand = f"labels stand in the columns of {named('annotator_columns')}"
        raise OptionError(f"{stand}; leave {odd[0]} out", option="columns")
    names = {name: options.columns.get(name, name) for name in _COLUMNS} | {name: name for name in options.by}
    for option, theirs in options.asked:
        if theirs in judges:
            raise OptionError(
                f"{theirs} is an annotator's column; {named(option.partition('.')[0])} names it too",
                option="annotator_columns",
            )
    return {name: theirs for name, theirs in names.items() if theirs not in judges}


def _long(texts: pl.LazyFrame, judges: Sequence[str]) -> pl.LazyFrame:
    """A row per item and annotator whose cell is filled, in the order of rows and columns."""
    cells = [_CELL + name for name in judges]
    both = texts.with_columns(pl.lit(list(judges)).alias("annotator"), pl.concat_list(cells).alias("label"))
    return both.drop(cells).explode("annotator", "label").filter(pl.col("label").str.strip_chars() != "")


def _votes(source: Source, long: pl.LazyFrame, separator: str, findings: Findings) -> pl.LazyFrame:
    """A long table with a list of votes in each cell. A cell that should be a JSON list and is not is excluded."""
    if separator != LIST:
        return long.with_columns(pl.col("label").str.split(separator))
    frame = collect(source, long)
    lists = [_listed(cell) for cell in frame["label"]]
    for row, one in zip(frame.iter_rows(named=True), lists, strict=True):
        if one is None:
            got = f"{source.name}, row {row[ROW]}, column {row['annotator']}: expected a JSON list of votes; got"
            findings.add(f"{got} {quoted(row['label'])}", dropped=1)
    found = frame.with_columns(pl.Series("label", lists, pl.List(pl.String)))
    return found.filter(pl.col("label").is_not_null()).lazy()


def _listed(cell: str) -> list[str | None] | None:
    """The values of a list; None for what is none, or holds lists or objects."""
    values = list_in_cell(cell)
    flat = values is not None and not any(isinstance(one, list | dict) for one in values)
    return [plain_text(one) for one in values or ()] if flat else None


def _numbered(long: pl.LazyFrame) -> pl.LazyFrame:
    """A row per vote, whose annotator is the column with the vote's place in the cell. An empty place is no vote."""
    places = pl.int_ranges(1, pl.col("label").list.len() + 1).alias(_CELL)
    annotator, label = pl.format("{}#{}", "annotator", _CELL).alias("annotator"), pl.col("label").str.strip_chars()
    each = long.with_columns(places).explode("label", _CELL).with_columns(annotator, label)
    return each.drop(_CELL).filter(pl.col("label") != "")


FORMAT = Format("wide", "reliability", read_wide_judgments, lambda found: bool(found.options.annotator_columns), 1)
