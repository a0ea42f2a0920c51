"""A report as an Excel workbook: a sheet per table."""

import io
from datetime import datetime
from typing import TYPE_CHECKING

from adjudge.errors import MissingError
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.report import Report

_LONGEST = 31
"""How long the name of a sheet may be."""
_RESERVED = "history"
"""A name that Excel keeps for itself."""
_MADE = datetime(2000, 1, 1)  # noqa: DTZ001 - Excel knows no time zones; the same report gives the same bytes


def check_workbook(name: str) -> None:
    """Raises MissingError where the package that writes workbooks is not installed."""
    try:
        import xlsxwriter  # noqa: F401 - whether it is there
    except ModuleNotFoundError:
        raise MissingError(f'{name}: writing Excel needs an extra: pip install "{NAME}[excel]"') from None


def report_workbook(report: "Report") -> bytes:
    """The workbook. Text stays text, whatever it begins with; numbers have 16 digits."""
    check_workbook(".xlsx")
    import xlsxwriter

    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        book.set_properties({"created": _MADE})
        for number, (name, frame) in enumerate(report.tables.items(), start=1):
            called = name if len(name) <= _LONGEST and name.lower() != _RESERVED else f"table {number}"
            sheet = book.add_worksheet(called)
            for row, values in enumerate([frame.columns, *frame.rows()]):
                for column, value in enumerate(values):
                    if value is not None:
                        write = sheet.write_string if isinstance(value, str) else sheet.write
                        write(row, column, value)
            sheet.freeze_panes(1, 0)
    return stream.getvalue()
