"""Pairs as files: AnnotatedPairs JSON, Karat's columnar form, and tables with a row per pair or per vote."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import polars as pl

from karat.errors import OptionError
from karat.formats.annotated_pairs_json import annotated_pairs_json
from karat.formats.columnar import write_columnar
from karat.formats.conversion import Conversion, Settings
from karat.formats.merged_pairs import merged
from karat.formats.pairs import RESERVED, RESPONSES, Options, read_pairs
from karat.formats.pseudonyms import anonymised, people
from karat.formats.source import Source
from karat.formats.tables import batches, height_of
from karat.schemas.pairs import CODE, TEXTS, VOTES, Pairs

DEFAULT = "preferred_text"
BY_ENDING = {
    ".json": "annotated-pairs",
    ".parquet": "karat",
    **dict.fromkeys((".csv", ".tsv", ".jsonl"), "feedback-csv"),
}
"""The format that a file has whose name ends so, unless another is named."""

_BATCH = 20_000
_WORDS = dict(enumerate(VOTES[1:], 1))


def write_pairs(pairs: Pairs, path: Path, form: str, ending: str) -> None:
    """Stream a data set into a file.

    form: annotated-pairs, karat, feedback-csv or long-votes. ending: what the file's name will end with.
    Raises OptionError where two columns would have the same name.
    """
    if form == "karat":
        write_columnar(pairs, path)
    elif form == "annotated-pairs":
        _write(path, annotated_pairs_json(pairs))
    else:
        frame = _wide(pairs) if form == "feedback-csv" else _long(pairs)
        if ending == ".parquet":
            frame.sink_parquet(path)
        else:
            _write(path, _lines(frame, ending))


def _write(path: Path, blocks: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(blocks)


def _lines(frame: pl.LazyFrame, ending: str) -> Iterable[str]:
    """A table as CSV, TSV or JSON lines, in blocks. Texts are written as they are: the file is data, not a sheet."""
    sign = "\t" if ending == ".tsv" else ","
    for place, batch in enumerate(batches(frame, _BATCH)):
        yield batch.write_ndjson() if ending == ".jsonl" else batch.write_csv(include_header=place == 0, separator=sign)


def _wide(pairs: Pairs) -> pl.LazyFrame:
    """A row per pair and a column per annotator; preferred_text is the default annotator's, else the first one's."""
    default = pairs.default or (pairs.annotators[0].id if pairs.annotators else None)
    votes = {one.column: DEFAULT if one.id == default else one.id for one in pairs.annotators}
    responses, texts = ({name: name for name in some} for some in (RESPONSES, TEXTS))
    names = responses | votes | texts | {name: name.removeprefix(RESERVED) for name in pairs.metadata}
    spelt = pl.col(list(votes)).replace_strict(_WORDS, default=None, return_dtype=pl.String)
    return _named(pairs, pairs.frame.with_columns(spelt), names)


def _long(pairs: Pairs) -> pl.LazyFrame:
    """A row per vote, the first of a pair with all that is said of it; a pair without votes has one that is missing."""
    said = [*TEXTS[1:], *pairs.metadata]
    votes = {one.column: one.id for one in pairs.annotators}
    cast = pl.concat_list(
        pl.struct(pl.lit(name).alias("annotator"), pl.col(column).alias("vote")) for column, name in votes.items()
    )
    given = cast.list.filter(pl.element().struct.field("vote") != CODE["missing"])
    rows = pl.when(given.list.len() > 0).then(given).otherwise(cast.list.head(1))
    long = pairs.frame.select("pair", *said, rows.alias("said")).explode("said").unnest("said")
    first = pl.col("pair") != pl.col("pair").shift(fill_value=pl.lit(None, pl.String))
    told = [pl.when(first.fill_null(value=True)).then(pl.col(name)).alias(name) for name in said]
    spelt = pl.col("vote").replace_strict(dict(enumerate(VOTES)), return_dtype=pl.String)
    names = {name: name for name in ("pair", "annotator", "vote", *TEXTS[1:])}
    return _named(
        pairs, long.with_columns(*told, spelt), names | {name: name.removeprefix(RESERVED) for name in pairs.metadata}
    )


def _named(pairs: Pairs, frame: pl.LazyFrame, names: Mapping[str, str]) -> pl.LazyFrame:
    """Columns under the names that they get in a table. Raises OptionError where two would have the same."""
    twice = sorted({name for name in names.values() if list(names.values()).count(name) > 1})
    if twice:
        raise OptionError(f'{pairs.name}: a table would hold two columns "{twice[0]:.60}". Choose another format')
    return frame.select(pl.col(column).alias(name) for column, name in names.items())


# --- converting ---


@dataclass(frozen=True)
class _Held:
    """Pairs that are ready to be written. rows: file -> its pairs."""

    pairs: Pairs
    rows: Mapping[str, int]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know of the files."""
        return self.pairs.warnings

    def says_anything(self) -> bool:
        """Pairs say something, whoever votes on them."""
        return True

    def people(self) -> list[str]:
        """Annotators who are no principles, rules or models."""
        return [one.id for one in people(self.pairs)]

    def anonymised(self, key: Mapping[str, str]) -> Self:
        """With pseudonyms for these."""
        return replace(self, pairs=anonymised(self.pairs, key))

    def write(self, path: Path, form: str, ending: str) -> int:
        """Write a file; returns its pairs."""
        write_pairs(self.pairs, path, form, ending)
        return height_of(self.pairs.frame)


def _read(sources: Sequence[Source], values: Settings) -> _Held:
    """The pairs of all files. Raises DataError with all that is wrong with one of them, and for all clashes."""
    drop = values["on_invalid"] == "drop"
    names = (values["columns"], values["annotator_columns"], values["vote_values"])
    options = Options(*names, drop=drop, exact_labels=values["exact_labels"])
    sets = [read_pairs(one, options) for one in sources]
    rows = {source.name: height_of(one.frame) for source, one in zip(sources, sets, strict=True)}
    return _Held(merged(sets, [one.name for one in sources], drop=drop), rows)


CONVERSION = Conversion(
    "pairs",
    "pair",
    BY_ENDING,
    ("output_format", "pseudonyms", "annotator_columns", "vote_values", "exact_labels"),
    lambda _: (*TEXTS, "annotator", "vote"),
    lambda _: False,  # its formats recognise tables themselves
    _read,
)
