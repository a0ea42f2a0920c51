"""Atomic writing of results, in the format of the file's ending."""

import io
import json
import re
import shlex
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from adjudge.errors import MissingError, OptionError, OutputError, closest, encodable
from adjudge.version import NAME

if TYPE_CHECKING:
    import polars as pl

    from adjudge.report import Report

PICTURES = (".png", ".svg", ".pdf")
"""Formats of the chart of a report."""

ENDINGS = (".html", ".json", ".md", ".csv", ".parquet", ".xlsx", ".tex", *PICTURES)
"""Formats of a report; .csv and .parquet make a folder with a file per table."""

FOLDERS = (".csv", ".parquet")

TESTS = ".xml"
"""The format of a test report, which holds the results of gates."""

_OF_THE_SYSTEM = "(os error "
"""Part of polars' messages about a full disk and the like."""

_NAME = 50
"""The characters of a file's name at the start of its temporary folder's name."""
_FORMULA = r"^[=+\-@\t\r]"

_SHEET_NAME = 31
"""The longest name of a sheet."""
_RESERVED = "history"
"""A name reserved by Excel."""
_MADE = datetime(2000, 1, 1)  # noqa: DTZ001 - Excel has no time zones; the same report gives the same bytes


def check_target(path: Path, endings: Sequence[str] = (), *, gated: bool = False) -> None:
    """Raises OptionError if a result cannot be written to `path`; call it before the work is done.

    endings: those of a file; by default it is a report, which for some of its endings is a folder of such files.
    gated: whether a report may have results of gates.
    """
    folder = not endings and path.suffix in FOLDERS
    endings = endings or (*ENDINGS, *([TESTS] if gated else []))
    if path.suffix not in endings:
        near = closest(path.suffix, endings) if path.suffix else ""
        wrong = f"{path}: expected a name that ends in one of {', '.join(endings)}"
        raise OptionError(wrong, fix=str(path.with_suffix(near)) if near else "")
    if path.suffix == ".xlsx":
        check_workbook(str(path))
    if not encodable(str(path)):
        raise OptionError(f"{path}: expected a name in UTF-8; choose another")
    if not path.parent.is_dir():
        raise OptionError(f"{path}: no such folder: {path.parent}", fix=f"mkdir -p {shlex.quote(str(path.parent))}")
    is_table = all(one.suffix == path.suffix and one.is_file() for one in path.iterdir()) if path.is_dir() else False
    if path.exists() and not (is_table if folder else path.is_file()):
        raise OptionError(f"{path}: there is something else of that name", fix="another name")


def check_apart(targets: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Raises OptionError if a result would overwrite an input or another result."""
    seen = {path.resolve(): "an input" for path in inputs}
    for path in targets:
        other = seen.setdefault(path.resolve(), f"the output {path}")
        if other != f"the output {path}" or [one.resolve() for one in targets].count(path.resolve()) > 1:
            raise OptionError(f"{path}: would overwrite {other}", fix="choose another name")


def save(report: "Report", path: Path, table: str | None = None) -> None:
    """Write a report in the format of `path`'s ending. table: the one to write as .tex."""
    check_target(path, gated=bool(report.gates))
    if path.suffix not in FOLDERS:
        with replacing(path) as partial:
            if path.suffix == ".xlsx":
                content = report_workbook(report)
            elif path.suffix in PICTURES:
                from adjudge.render.charts.output import chart_file

                content = chart_file(report, path.suffix)
            else:
                content = rendered_text(report, path.suffix, table).encode()
            partial.write_bytes(content)
        return
    names = sorted(one.name for one in path.iterdir()) if path.is_dir() else ()
    others = [name for name in names if name.removesuffix(path.suffix) not in {*report.tables, *report.about.tables}]
    if others:  # replacing the folder would delete them
        raise OutputError(f"{path}: holds {others[0]}, which is no table of this report", fix="another name")
    with replacing(path, folder=True) as partial:
        for name, frame in report.tables.items():
            file = partial / f"{name}{path.suffix}"
            if path.suffix == ".parquet":
                frame.write_parquet(file)
            else:
                file.write_text(table_csv(frame), encoding="utf-8")


def rendered_text(report: "Report", ending: str, table: str | None = None) -> str:
    """A report as text, in the format of an ending; for .csv one table, a row per line.

    table: the one for .csv or .tex. Raises OptionError for an unknown table.
    """
    if ending == ".csv":
        from polars.selectors import string

        from adjudge.render.visible_text import ENDS_OF_LINES

        return table_csv(report[table or report.main_table].with_columns(string().str.replace_many(ENDS_OF_LINES)))
    if ending == ".json":
        return report.to_json()
    if ending == ".html":
        from adjudge.render.html import report_page

        return report_page([report])
    if ending == ".md":
        from adjudge.render.markdown import report_markdown

        return report_markdown(report)
    if ending == TESTS:
        return junit_xml(report)
    from adjudge.render.latex import report_latex

    return report_latex(report, table)


def table_csv(frame: "pl.DataFrame") -> str:
    """A table as CSV. Text that a spreadsheet would run as a formula gets an apostrophe before it, in names too."""
    import polars as pl

    texts = [pl.col(name) for name, dtype in frame.schema.items() if dtype == pl.String]
    guarded = [pl.when(text.str.contains(_FORMULA)).then("'" + text).otherwise(text).name.keep() for text in texts]
    names = {name: f"'{name}" for name in frame.columns if re.match(_FORMULA, name)}
    return frame.with_columns(guarded).rename(names).write_csv()


def check_workbook(name: str) -> None:
    """Raises MissingError if the package for workbooks is not installed."""
    try:
        import xlsxwriter  # noqa: F401 - whether it is there
    except ModuleNotFoundError:
        raise MissingError(f"{name}: writing Excel needs xlsxwriter", fix=f'pip install "{NAME}[excel]"') from None


def report_workbook(report: "Report") -> bytes:
    """The workbook. Text stays text even if it looks like a formula; numbers have 16 digits."""
    check_workbook(".xlsx")
    import xlsxwriter

    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        book.set_properties({"created": _MADE})
        for number, (name, frame) in enumerate(report.tables.items(), start=1):
            called = name if len(name) <= _SHEET_NAME and name.lower() != _RESERVED else f"table {number}"
            sheet = book.add_worksheet(called)
            for row, values in enumerate([frame.columns, *frame.rows()]):
                for column, value in enumerate(values):
                    if value is not None:
                        write = sheet.write_string if isinstance(value, str) else sheet.write
                        write(row, column, value)
            sheet.freeze_panes(1, 0)
    return stream.getvalue()


_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML file cannot hold, not even escaped."""


def junit_xml(report: "Report") -> str:
    """A test suite with a case per result of a gate, and as properties the signature and the inputs of the report.

    All cases have different names, since reporters keep only the first of equal ones. There are no times
    in it: the same report and gates give the same bytes. Invalid XML characters become the replacement character.
    """
    from adjudge.display_names import number_repeats
    from adjudge.spec import COMPARISON_TABLE

    suites, results = Element("testsuites"), report.gates
    failures = sum(not result.passed for result in results)
    name = f"{NAME} compare" if COMPARISON_TABLE in report.tables else f"{NAME} {report.evaluation}"
    counts = {"tests": str(len(results)), "failures": str(failures), "errors": "0"}
    suite = SubElement(suites, "testsuite", {"name": name, **counts})
    rests_on = {"signature": report.signature, **{f"sha256 of {one.path}": one.sha256 for one in report.inputs}}
    properties = SubElement(suite, "properties")
    for key, value in rests_on.items():
        SubElement(properties, "property", {"name": _xml_text(key), "value": _xml_text(value)})
    names = [_xml_text(": ".join(filter(None, (one.gate, one.subject)))) for one in results]
    for case, result in zip(number_repeats(names), results, strict=True):
        found = SubElement(suite, "testcase", {"classname": name.replace(" ", "."), "name": case})
        if not result.passed:
            text = _xml_text(str(result))
            SubElement(found, "failure", {"type": "gate", "message": text}).text = text  # GitLab reads the text only
    indent(suites, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _xml_text(text: str) -> str:
    from adjudge.report import truncate

    return _NO_XML.sub("\ufffd", truncate(text))


def write_items(outcomes: "pl.LazyFrame", path: Path, made: Mapping[str, Any]) -> None:
    """Stream outcomes into a Parquet file with their provenance (see adjudge.schemas.outcomes)."""
    from adjudge.schemas.outcomes import MADE_BY

    text = json.dumps({**made, "inputs": [asdict(one) for one in made["inputs"]]}, ensure_ascii=False)
    write_whole(path, lambda partial: outcomes.sink_parquet(partial, metadata={MADE_BY: text}))


def write_table(frame: "pl.DataFrame", path: Path) -> None:
    """A table as data to be read again: CSV, JSON lines or Parquet, by the ending."""
    writers: dict[str, Callable[[Path], object]] = {".parquet": frame.write_parquet, ".jsonl": frame.write_ndjson}
    write_whole(path, writers.get(path.suffix, frame.write_csv))


def write_text(text: str, path: Path) -> None:
    """A text as a file in UTF-8."""
    write_whole(path, lambda partial: partial.write_text(text, encoding="utf-8", newline="\n"))


def write_lines(records: Iterable[Mapping[str, object]], path: Path) -> None:
    """Records as JSON lines, one per line."""
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(one, ensure_ascii=False, allow_nan=False) + "\n" for one in records)


def write_whole(path: Path, write: Callable[[Path], object]) -> Path:
    """Replace the file at `path` once `write` has written all of it; returns `path`."""
    with replacing(path) as partial:
        write(partial)
    return path


@contextmanager
def replacing(path: Path, *, folder: bool = False) -> Iterator[Path]:
    """A temporary file (or folder) next to `path`, which replaces it once the block has run.

    If anything fails, the file at `path` stays as it was. Raises OutputError if the disk is full or
    the place cannot be written to; other errors of polars are passed on.
    """
    from polars.exceptions import PolarsError

    partial: Path | None = None
    path = path.resolve()
    try:
        partial = Path(mkdtemp(prefix=f".{path.name[:_NAME]}.", dir=path.parent))
        target = partial / path.name
        if folder:
            target.mkdir()
        yield target
        old = partial / f"{path.name}.old"
        if path.is_file():  # keeps its permissions
            target.chmod(stat.S_IMODE(path.stat().st_mode))
        elif path.is_dir():
            path.rename(old)
        try:
            target.rename(path)
        except BaseException:  # a signal too
            if old.exists():
                old.rename(path)
            raise
    except (OSError, PolarsError) as error:
        if not isinstance(error, OSError) and _OF_THE_SYSTEM not in str(error):
            raise
        reason = getattr(error, "strerror", None) or str(error).split("\n")[0]
        raise OutputError(f"{path}: cannot be written: {reason}. What was there is unchanged") from None
    finally:
        if partial is not None:
            shutil.rmtree(partial, ignore_errors=True)
