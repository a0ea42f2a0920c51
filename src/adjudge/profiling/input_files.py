"""The files that were given: their profiles, the trusted ones first, and what is shown of each."""

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from adjudge.errors import DataError
from adjudge.evaluations import NAMES
from adjudge.profiling.column_profile import Table
from adjudge.profiling.file_profile import TABLE, Seen, seen
from adjudge.profiling.result import ColumnSummary, FileSummary
from adjudge.readers.column_names import words
from adjudge.readers.formats import names
from adjudge.readers.inputs import each_of, format_of_folder, sources
from adjudge.readers.io.paths import files_in
from adjudge.readers.io.source import How, Source

_SCORED = 2_000
"""Rows up to which files are scored too, to see whether their line runs; of others all is read that scoring reads."""
_SMALL = 1 << 20
"""Bytes up to which those are whose rows are not known."""
_EXAMPLES = 2
_DATA = {
    *(".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".xlsx", ".xls", ".eval"),
    *(".m2", ".conll", ".bio", ".iob", ".spacy"),
}
"""How the names of files end that hold data, whatever else lies in their folder."""
_TRUSTED = {"gold", "solution", "truth", "reference", "references", "ref", "true", "groundtruth", "human", "key"}
_PREDICTED = {
    *("pred", "preds", "prediction", "predictions", "predicted", "output", "outputs", "ours", "submission", "checker"),
    *("system", "model", "hyp", "hypothesis"),
}
"""Words by which people call the file that is trusted, and those that are compared with it."""
UNSAID = 1
"""The distrust of a file whose name says neither."""


def files_of(
    data: Any,  # noqa: ANN401 - paths and tables
    how: How,
) -> list[Seen]:
    """What was given, whichever evaluation's format it is said to have: trusted files first, as commands take them."""
    whose = next((name for name in NAMES if how.input_format in names(name)), None)
    many = each_of(data)
    readers = [whose or next((name for name in NAMES if format_of_folder(each, name)), None) for each in many]
    found = [one for each, name in zip(many, readers, strict=True) for one in _seen(each, how, name)]
    tables = [place for place, one in enumerate(found) if one.is_table]
    for number, place in enumerate(tables if len(tables) > 1 else (), 1):
        found[place] = replace(found[place], source=replace(found[place].source, name=f"table {number}"))
    return sorted(found, key=distrust)


def _seen(given: object, how: How, evaluation: str | None) -> list[Seen]:
    """An input, or those in a folder; one that is refused before it is read, with the reason."""
    try:
        return [seen(source) for source in sources([given] if evaluation else _held(given), how, evaluation)]
    except DataError as error:
        name, kind = (str(given), "unknown content") if isinstance(given, str | PathLike) else (TABLE, TABLE)
        return [Seen(Source(name, ""), kind, None, None, Table({}), "\n".join(error.frame()))]


def _held(given: object) -> list[Any]:
    """The files of data in a folder that holds several kinds of files; else what was given."""
    if not isinstance(given, str | PathLike) or not Path(given).is_dir():
        return [given]

    every = files_in(Path(given))
    data = [str(one) for one in every if _DATA.intersection(one.suffixes)]
    return data if data and len({one.suffix for one in every}) > 1 else [given]


def distrust(one: Seen) -> int:
    """How little the name of a file says that it is trusted."""
    said = set(words(one.source.stem))
    return 0 if _TRUSTED & said else 2 if _PREDICTED & said else UNSAID


def is_small(one: Seen) -> bool:
    """Whether a file is scored too, to see whether its line runs."""
    return (one.rows or 0) <= _SCORED and (one.rows is not None or (one.size or 0) <= _SMALL)


def file_summary(one: Seen) -> FileSummary:
    """A file, as it is shown."""
    return FileSummary(
        name=one.source.name,
        format=one.container,
        about=one.about,
        size=one.size,
        rows=one.rows,
        looked_at=one.table.height,
        columns=tuple(
            ColumnSummary(each.name, each.kind, len(each.distinct), each.missing, each.distinct[:_EXAMPLES])
            for each in one.table.columns.values()
        ),
        warnings=one.source.warnings,
        wrong=one.wrong,
    )
