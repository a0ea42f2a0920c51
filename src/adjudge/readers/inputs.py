"""Where data comes from: paths, addresses, folders, patterns and tables of Python, each as a Source."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from mmap import ACCESS_READ, mmap
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError, closest, merge_errors, named
from adjudge.options.shared import Reading
from adjudge.readers.formats import container, formats, names
from adjudge.readers.io.dataframes import is_records, records_file, taken_over
from adjudge.readers.io.decompress import FETCH_AGAIN, files_in_archive, folder_of_archive
from adjudge.readers.io.delimited import DELIMITED, data_in_header
from adjudge.readers.io.header import with_names_above
from adjudge.readers.io.jq_programs import jq_rows
from adjudge.readers.io.paths import check_readable, expanded, files_about, is_address, scratch_file
from adjudge.readers.io.plain_files import as_plain, check_called, is_parquet, without_signs
from adjudge.readers.io.remote import PIPED, STANDARD_INPUT, fetched, from_standard_input, shown
from adjudge.readers.io.source import AS_FOUND, Format, How, Source
from adjudge.readers.parsed_input import format_of, opened
from adjudge.readers.problems import counted, listed
from adjudge.readers.transforms import shaped


def sources(
    data: Any,  # noqa: ANN401 - whatever holds a table
    how: How | None = None,
    evaluation: str | None = None,
    *,
    spare: bool = False,
) -> list[Source]:
    """The inputs behind what a user passes: a path, an address, a table, or a list of these.

    A folder stands for the files in it, a pattern such as runs/*.jsonl for the files of such names, and - for standard
    input.
    Tables come in as polars, or as anything with the Arrow interface (pandas, pyarrow, DuckDB ...).
    how: how they are read; by default all is found out. evaluation: whose input they are; None for flat tables.
    spare: whether one of several that cannot be opened is a Source that says so (damage), and no error.
    Raises OptionError for anything else and for a path that cannot be read (or only once, as a pipe), DataError
    for empty files and for tables that cannot be taken over, MissingError where that needs a package that is
    not installed.
    """
    known, how = names(evaluation), how or AS_FOUND
    if how.input_format not in (None, *known):
        raise OptionError(
            f"expected one of {', '.join(known)}; got {how.input_format}",
            option="input_format",
            fix=closest(str(how.input_format), known),
        )
    many = each_of(data)
    name = "table {}" if len(many) > 1 else "table"
    found: list[Source] = []
    wrong: list[DataError] = []
    for given in many:
        whole = _whole_folder(given, how, evaluation)
        each = [] if whole else expanded(given)
        found += [whole] if whole else []
        first = len(found)
        for one in each:
            called = name.format(len(found) + 1)
            try:
                found.append(shaped(with_header_checked(_source(one, called, how), evaluation)))
            except DataError as error:
                wrong.append(error)
                called = shown(str(one)) if isinstance(one, str | PathLike) else called
                found.append(Source(called, "", damage=error))
        if len(found) > first:
            found[first] = replace(
                found[first], warnings=(*found[first].warnings, *_folder_warnings(given, found[first:]))
            )
    if wrong and not (spare and len(wrong) < len(found)):
        raise merge_errors(wrong)
    return found


def _folder_warnings(given: Any, read: Sequence[Source]) -> list[str]:  # noqa: ANN401
    """What the files read in a folder leave out, and which of them stand in folders within it."""
    told = list[str]()
    if about := files_about(given):
        left = counted(len(about), "file that says", "files that say")
        told.append(f"{given}: {left} what it holds: left out ({listed(about)})")
    if isinstance(given, str | PathLike) and Path(given).is_dir():
        below = [Path(one.name).relative_to(given) for one in read]
        if below and below[0].parent.name:
            is_read = counted(len(below), "file of a folder in it is read", "files of folders in it are read together")
            told.append(f"{given}: {is_read}: {listed(map(str, below), say=str)}")
    return told


def with_header_checked(source: Source, evaluation: str | None) -> Source:
    """The input of an evaluation, with a warning where its first row looks like data and is read as names of columns.

    Raises DataError where the user names none of these columns.
    """
    cells = [] if evaluation is None or source.path is None or source.path.is_dir() else data_in_header(source)
    if not cells or format_of(evaluation or "", opened(source, source.how)):
        return source
    message = f"{source.name}: the first row looks like data: {listed(cells)}"
    if not {*source.how.columns.values(), *source.how.annotator_columns}.intersection(cells):
        raise DataError(message, fix=f"{named('no_header')}, which calls the columns column_1, column_2 ...")
    told = f"{message}; it is read as names of columns. --no-header reads it as data"
    return replace(source, warnings=(*source.warnings, told))


def each_of(data: Any) -> list[Any]:  # noqa: ANN401
    """What a user passes, each input by itself. Raises OptionError where there is none."""
    many = list(data) if isinstance(data, list | tuple) and not is_records(data) else [data]
    if not many:
        raise OptionError("no input was given", fix="at least one file")
    return many


def format_of_folder(data: Any, evaluation: str | None) -> Format | None:  # noqa: ANN401
    """The format of an evaluation in which a folder, or an archive, is one input as a whole; None for anything else."""
    inside = files_in_archive(data)
    if not (inside or (isinstance(data, str | PathLike) and Path(data).is_dir())):
        return None

    def holds(pattern: str) -> bool:
        return any(Path(one).match(pattern) for one in inside) if inside else any(Path(data).rglob(pattern))

    return next((form for form in formats(evaluation) if form.folder and holds(form.folder)), None)


def _whole_folder(data: Any, how: How, evaluation: str | None) -> Source | None:  # noqa: ANN401
    """A folder, or an archive, that is one input as a whole, in a format of an evaluation; None for anything else."""
    form = format_of_folder(data, evaluation)
    if form is None:
        return None
    given = Path(data)
    place = given if given.is_dir() else folder_of_archive(given, how.most)
    return Source(str(data), form.name, place, how=how, given=given)


def source_of(data: Any, how: How | None = None, evaluation: str | None = None) -> Source:  # noqa: ANN401
    """The one input behind what a user passes; see `sources`. Raises OptionError where there are several."""
    found = sources([data], how, evaluation)
    if len(found) > 1:
        several = listed((one.name for one in found), say=str)
        raise OptionError(f"{data}: expected one file; got {len(found)}", found=several)
    return found[0]


def source_beside(data: Any, reading: Reading) -> Source:  # noqa: ANN401
    """The one input that stands beside those of a call, such as rules, verdicts or true answers.

    Of the options of reading it takes those about text and size: its format and columns are its own. A separator that
    its first line does not hold is that of the others.
    """
    how = How(encoding=reading.encoding, separator=reading.separator, max_size=reading.max_size)
    source = source_of(data, how)
    named = {"tab": "\t"}.get(source.how.separator or "", source.how.separator or "")
    if named.encode() in source.start().content.partition(b"\n")[0]:
        return source
    return replace(source, how=replace(source.how, separator=None))


def _source(data: Any, name: str, how: How) -> Source:  # noqa: ANN401
    if isinstance(data, str | PathLike):
        return _of_place(data, how)
    if how.jq:
        raise OptionError(f"{name}: expected a file of JSON; got a table", option="jq")
    if isinstance(data, Mapping) and any(hasattr(one, "to_polars") for one in data.values()):
        raise OptionError(
            f"{name}: expected one data set; got several splits",
            found=", ".join(map(str, data)),
            fix=f'data["{next(iter(data))}"]',
        )
    try:
        table = data if isinstance(data, pl.DataFrame) else taken_over(data, name)
    except DataError:
        if (path := records_file(data) if is_records(data) else None) is None:
            raise
        return _of_file(path, name, how)
    return Source(name, "table", table=table, how=how)


def _of_place(place: str | PathLike[str], how: How) -> Source:
    """An input by its path or address."""
    name, path = str(place), Path(place)
    if is_address(place):
        return _of_file(fetched(name, how.most), shown(name), how)
    if place == STANDARD_INPUT:
        return replace(_of_file(from_standard_input(how.most), PIPED, how), piped=True)
    if path.suffix == ".eval" and path.is_file():
        from adjudge.readers.tools.inspect_logs import eval_source

        check_called(path, path.name, name)
        return eval_source(path, how)
    return _of_file(path, name, how)


def _of_file(given: Path, name: str, how: How) -> Source:
    """A file, as a plain one. Behind its name may stand a part of it, as in book.xlsx#Sheet."""
    file, _, part = name.rpartition("#")
    if file and not given.exists():
        given = Path(file)
    check_readable(given)
    plain = as_plain(given, name, part if str(given) == file else None, how)
    if how.jq:
        plain = jq_rows(replace(plain, format=container(plain.start())), how.jq)
    start = plain.start()
    if not start.content:
        raise DataError(f"{name}: the file is empty")
    form = how.input_format or container(start)
    if form == "parquet" and not is_parquet(plain.file):
        raise DataError(f"{name}: cannot be read as parquet: its first bytes are not PAR1", fix=FETCH_AGAIN)
    told = list[str]()
    if plain.how.no_header and form not in DELIMITED:
        told = [f"--no-header is left out: {form} has names of its own"]
    elif form in DELIMITED and not plain.how.no_header:
        plain, told = _headed(plain)
        form = how.input_format or container(plain.start())
    warnings = (*plain.warnings, *(f"{name}: {one}" for one in told))
    path = plain.path if plain.records is not None else without_signs(plain.file)
    return replace(plain, format=form, path=path, warnings=warnings)


def _headed(plain: Source) -> tuple[Source, list[str]]:
    """Delimited text with the names of columns in its first line alone, and what was done."""
    with plain.file.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        titled = Path(plain.held).suffix.lower() == ".csv"
        headed, told = with_names_above(content, plain.how.separator, titled=titled)
    if headed is None:
        return plain, told
    path = scratch_file(plain.file.suffix)
    path.write_bytes(headed)
    return replace(plain, path=path), told
