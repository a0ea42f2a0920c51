"""Annotated pairs from any file that holds them; the format is found out from the content."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from karat.errors import OptionError
from karat.formats.alpaca_eval import alpaca_layout
from karat.formats.annotated_pairs_file import read_annotated_pairs
from karat.formats.arena import arena_layout, arena_records
from karat.formats.columnar import is_columnar, read_columnar
from karat.formats.feedback_csv import feedback_layout
from karat.formats.long_votes import read_long
from karat.formats.records import Records, read_records
from karat.formats.source import TABLES, Source, detect_format
from karat.formats.wide_pairs import Layout, read_wide, wide_layout
from karat.schemas.pairs import Pairs

FORMATS = ("annotated-pairs", "feedback-csv", "arena", "alpaca-eval", "wide", "long-votes", "karat", *TABLES)
"""Names of formats of pairs, and of tables that may hold any of them."""

_SNIFFED = 1 << 16


@dataclass(frozen=True, slots=True)
class Options:
    """How to read pairs.

    columns: Karat's name -> the file's (pair, prompt, text_a, text_b, model_a, model_b, annotator, vote).
    annotator_columns: of a wide table. vote_values: a vote of VOTES -> the values that mean it. drop: leave
    out invalid pairs instead of raising.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    annotator_columns: Sequence[str] = ()
    vote_values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    drop: bool = False


def read_pairs(source: Source, options: Options | None = None) -> Pairs:
    """The pairs in a file or table, whatever its format.

    Raises DataError with all that is wrong with the file, OptionError where the options do not fit it.
    """
    options = options or Options()
    container = _container(source)
    if container.format == "parquet" and _chosen(source, "karat", container.path):
        return read_columnar(_without_options(container, options, "Karat's columnar form"))
    if source.format == "annotated-pairs" or _starts_as_object(container):
        return read_annotated_pairs(_without_options(container, options, "AnnotatedPairs JSON"), drop=options.drop)
    records = read_records(container)
    name = _detected(source, records, options)
    if name == "long-votes":
        return read_long(records, options.columns, options.vote_values, _stem(source), drop=options.drop)
    records = arena_records(records) if name == "arena" else records
    layout = _LAYOUTS[name](records, options)
    return read_wide(records, layout, _stem(source), drop=options.drop)


def _stem(source: Source) -> str:
    return source.path.stem if source.path is not None else source.name


def _container(source: Source) -> Source:
    """The source with the format of its file, which a format of pairs may stand in."""
    if source.path is None or source.format in TABLES:
        return source
    with source.path.open("rb") as file:
        return replace(source, format=detect_format(file.read(_SNIFFED), source.path.suffix))


def _chosen(source: Source, name: str, path: Path | None) -> bool:
    return source.format == name or (source.format == "parquet" and path is not None and is_columnar(path))


def _starts_as_object(container: Source) -> bool:
    if container.format != "json" or container.path is None:
        return False
    with container.path.open("rb") as file:
        return file.read(_SNIFFED).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def _without_options(source: Source, options: Options, what: str) -> Source:
    given = [name for name in ("columns", "annotator_columns", "vote_values") if getattr(options, name)]
    if given:
        raise OptionError(f"{source.name}: the names in {what} are fixed; {', '.join(given)} cannot be given")
    return source


def _detected(source: Source, records: Records, options: Options) -> str:
    """The format of a table, from its columns and from what the user says of them."""
    if source.format in {*_LAYOUTS, "long-votes"}:
        return source.format
    if options.annotator_columns:
        return "wide"
    for name, needed in _SIGNS.items():
        if all(options.columns.get(one, one) in records.columns for one in needed):
            return name
    raise OptionError(
        f"{source.name}: cannot tell what this table holds (its columns are {', '.join(records.columns):.300}). "
        "Name the annotators' columns with --annotator-columns, or the format with --input-format"
    )


_SIGNS: Mapping[str, Sequence[str]] = {
    "feedback-csv": ("text_a", "text_b", "preferred_text"),
    "long-votes": ("pair", "annotator", "vote"),
    "alpaca-eval": ("instruction", "output_1", "output_2", "preference"),
    "arena": ("model_a", "model_b", "winner"),
}
_LAYOUTS: Mapping[str, Callable[[Records, Options], Layout]] = {
    "feedback-csv": lambda records, options: feedback_layout(records, options.columns, options.vote_values),
    "alpaca-eval": lambda records, options: alpaca_layout(records, options.columns),
    "arena": lambda records, options: arena_layout(records, options.columns),
    "wide": lambda records, options: wide_layout(
        records, options.columns, options.annotator_columns, options.vote_values
    ),
}
