"""Inputs: paths, addresses, folders, patterns and tables of Python, each as a Source."""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, MissingError, OptionError, closest, flag_name, merge_errors
from adjudge.options.shared import Names, Reading
from adjudge.readers.formats import container, formats, names
from adjudge.readers.io import paths
from adjudge.readers.io.conversions import plain_file
from adjudge.readers.io.delimited import DELIMITED, data_in_header, with_heading
from adjudge.readers.io.json_documents import jq_rows
from adjudge.readers.io.parquet import check_parquet
from adjudge.readers.io.source import Format, How, Source
from adjudge.readers.parsed_input import format_of, opened
from adjudge.readers.problems import listed
from adjudge.readers.tables import objects_in_rows, with_class_names
from adjudge.readers.transforms import shaped


def sources(
    data: Any,  # noqa: ANN401 - whatever holds a table
    how: How | None = None,
    evaluation: str | None = None,
    *,
    spare: bool = False,
) -> list[Source]:
    """The inputs of a user's argument: a path, an address, a table, or a list of these.

    A folder represents its files, a pattern such as runs/*.jsonl the matching files, and - standard input.
    Tables may be of polars, or of anything with the Arrow interface (pandas, pyarrow, DuckDB ...).
    how: how to read them; by default all is detected. evaluation: that reads them; None for flat tables. spare: whether
    an unreadable one of several becomes a Source with its error (damage).
    Raises OptionError for anything else and for a path that cannot be read (or only once, as a pipe), DataError
    for empty files and for tables that cannot be converted, MissingError if a required package is not
    installed.
    """
    known, how = names(evaluation), how or How()
    if how.input_format not in (None, *known):
        message = f'expected one of {", ".join(known)}; got "{how.input_format}"'
        raise OptionError(message, option="input_format", fix=closest(str(how.input_format), known))
    many = each_of(data)
    name = "table {}" if len(many) > 1 else "table"
    read = list[Source]()
    for given in many:
        if form := format_of_folder(given, evaluation):
            read.append(Source(str(given), form.name, Path(given), how=how, given=Path(given)))
            continue
        for one in paths.expanded(given):
            called = name.format(len(read) + 1)
            try:
                read.append(shaped(_source(one, called, how, evaluation)))
            except DataError as error:
                address = paths.shown_address(str(one)) if isinstance(one, str | PathLike) else called
                read.append(Source(address, "", damage=error))
    wrong = [one.damage for one in read if one.damage]
    if wrong and not (spare and len(wrong) < len(read)):
        raise merge_errors(wrong)
    return read


def each_of(data: Any) -> list[Any]:  # noqa: ANN401
    """The separate inputs of a user's argument. Raises OptionError if there is none."""
    many = list(data) if isinstance(data, list | tuple) and not is_records(data) else [data]
    if not many:
        raise OptionError("no input was given", fix="at least one file")
    return many


def format_of_folder(data: Any, evaluation: str | None) -> Format | None:  # noqa: ANN401
    """The evaluation's format with a folder as one input; None for anything else."""
    if not isinstance(data, str | PathLike) or not Path(data).is_dir():
        return None
    whole = (form for form in formats(evaluation) if form.folder)
    return next((form for form in whole if any(Path(data).rglob(form.folder))), None)


def source_of(data: Any, how: How | None = None, evaluation: str | None = None) -> Source:  # noqa: ANN401
    """The only input of a user's argument; see `sources`. Raises OptionError if there are several."""
    inputs = sources([data], how, evaluation)
    if len(inputs) > 1:
        raise OptionError(f"{data}: expected one file", found=listed((one.name for one in inputs), say=str))
    return inputs[0]


def source_beside(data: Any, reading: Reading, columns: Names | None = None) -> Source:  # noqa: ANN401
    """An additional input of a call, such as rules, verdicts or true answers.

    It uses only the encoding and the maximum size of the reading options. columns: of those of answers, the id and the
    true answer concern it.
    """
    named = {name: theirs for name, theirs in (columns or {}).items() if name in ("id", "answer")}
    return source_of(data, How(encoding=reading.encoding, max_size=reading.max_size, columns=named))


def is_records(data: object) -> bool:
    """Whether data is a list of dicts, which are rows."""
    return isinstance(data, list) and bool(data) and all(isinstance(one, Mapping) for one in data)


def as_frame(data: Any, name: str) -> pl.DataFrame:  # noqa: ANN401
    """A table of another library or of Python, or a lazy one of polars, as a frame."""
    is_frame = any(hasattr(data, one) for one in ("__arrow_c_stream__", "to_polars"))
    if not is_frame and not isinstance(data, pl.LazyFrame | Mapping) and not is_records(data):
        kinds = "polars, pandas, pyarrow, another with the Arrow interface, a dict of columns, a list of dicts"
        raise OptionError(f"expected a path, or a table ({kinds}); got {type(data).__name__}")
    try:
        if isinstance(data, pl.LazyFrame):
            return data.collect()
        if hasattr(data, "to_polars"):
            features = data.features.to_dict() if getattr(data, "features", None) else {}
            return with_class_names(pl.LazyFrame(data.to_polars()), features).collect()
        return pl.DataFrame(data, infer_schema_length=None)
    except ImportError as error:
        missing = error.name or "pyarrow"
        raise MissingError(f"{name}: a table of this kind needs {missing}", fix=f"pip install {missing}") from None
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - whatever it raises
        got = f"{type(error).__name__}: {' '.join(str(error).split()):.200}"
        message = f"{name}: expected a table whose columns have a name and a type of their own; got {got}"
        raise DataError(message, fix="a file of JSON lines, if a column holds texts and lists") from None


def _source(place: Any, name: str, how: How, evaluation: str | None) -> Source:  # noqa: ANN401
    """An input by its path or address, or a table with a name.

    Its first row may look like data only if the user names a column by it; else raises DataError for an evaluation.
    """
    if not isinstance(place, str | PathLike):
        if how.jq:
            raise OptionError(f"{name}: expected a file of JSON; got a table", option="jq")
        return Source(name, "table", table=place if isinstance(place, pl.DataFrame) else as_frame(place, name), how=how)
    name, path = str(place), Path(place)
    if path.suffix == ".eval" and path.is_file():
        from adjudge.readers.tools.inspect_archives import eval_source

        return eval_source(path, how)
    if paths.is_address(place):
        name, path = paths.shown_address(name), paths.fetched(name, how.most)
    elif place == paths.STANDARD_INPUT:
        name, path = paths.PIPED, paths.from_standard_input(how.most)
    source = _of_file(path, name, how)
    if evaluation and (cells := data_in_header(source)):
        named = {*how.named_columns, *how.annotator_columns}.intersection(cells)
        if not (named or format_of(evaluation, opened(source, how))):
            text = f"{source.name}: the first row looks like data: {listed(cells)}"
            raise DataError(text, fix=flag_name("no_header"))
    return source


def _of_file(given: Path, name: str, how: How) -> Source:
    """A file as a plain one. A part may follow its name, as in book.xlsx#Sheet."""
    file, _, part = name.partition("#")
    if part and not given.exists():
        given = Path(file)
    paths.check_readable(given)
    plain = plain_file(given, name, part if part and str(given) == file else None, how)
    if how.jq:
        table = with_heading(replace(plain, format=container(plain.start())))
        plain = jq_rows(plain, objects_in_rows(table), how.jq)
    start = plain.start()
    if not start.content:
        raise DataError(f"{name}: the file is empty", fix="export the file again")
    form = how.input_format or container(start)
    if "parquet" in (form, container(start)):
        check_parquet(plain.file, name, how.most)
    for option in ("no_header", "header_rows"):
        if getattr(how, option) and form not in DELIMITED:
            plain = plain.with_warnings(f"{name}: --{option.replace('_', '-')} is ignored: {form} has its own names")
    return with_heading(replace(plain, format=form))
