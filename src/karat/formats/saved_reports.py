"""Reports saved as JSON: those of folders, what to call each, and when it was made."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from karat.errors import DataError, OptionError, encodable
from karat.formats.saved_runs import names_of
from karat.formats.source import check_place
from karat.report import Report, sha256_of

_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<dash>-?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)"
    r"(?:[T_ -](?!\d{4}-\d\d-\d\d)(?P<hour>\d\d)[-:.]?(?P<minute>\d\d)(?:[-:.]?(?P<second>\d\d))?)?(?!\d)"
)
_LATEST = datetime(9999, 12, 31, tzinfo=UTC).timestamp()


@dataclass(frozen=True, slots=True, eq=False)
class SavedReport:
    """A report and where it stands.

    name: what to call it; no two of one reading have the same. path: as given, or below the folder that was given.
    sha256: of the file's bytes. time: when it was made, such as 2026-11-20 or 2026-11-20 10:30. dated: whether its name
    says so, or else when the file was last changed (UTC).
    """

    name: str
    path: str
    report: Report
    sha256: str
    time: str
    dated: bool


def read_saved_reports(places: Sequence[Path]) -> tuple[list[SavedReport], list[str]]:
    """The reports in files and in folders (all that ends in .json there, however deep), and the files that are none.

    A file that is named, or lies in a folder that is named, several times is read once. Raises OptionError for a place
    that is not there or cannot be read, DataError for a named file that is no report.
    """
    named = {place.resolve() for place in places}
    paths = {path.resolve(): path for place in places for path in _files(place)}
    read: dict[Path, Report] = {}
    others = []
    for resolved, path in paths.items():
        try:
            read[path] = _load(path)
        except (DataError, OptionError):
            if resolved in named:
                raise
            others.append(str(path))
    return [_saved(path, name, read[path]) for path, name in zip(read, names_of(list(read)), strict=True)], others


def _files(place: Path) -> list[Path]:
    """The file itself, or those of a folder that end in .json, in the order of their names."""
    check_place(place, "file or folder")
    found = [] if place.is_dir() else [place]
    for folder, below, names in os.walk(place, onerror=_refused) if place.is_dir() else ():
        below.sort()
        found += [Path(folder, name) for name in sorted(names) if Path(name).suffix.lower() == ".json"]
    odd = next((path for path in found if not encodable(str(path))), None)
    if odd is not None:
        raise OptionError(f"{odd}: expected a name in UTF-8. Rename it")
    return found


def _refused(error: OSError) -> None:
    raise OptionError(f"{error.filename}: cannot be read: {error.strerror}") from None


def _load(path: Path) -> Report:
    if not path.is_file():
        raise DataError(f"{path}: expected a report saved by Karat as JSON; got a pipe, a device or a broken link")
    return Report.load(path)


def _saved(path: Path, name: str, report: Report) -> SavedReport:
    said = (date_in(part) for part in (path.stem, *reversed(path.parent.parts)))
    time = next(filter(None, said), "")
    changed = datetime.fromtimestamp(min(max(path.stat().st_mtime, 0), _LATEST), UTC)
    return SavedReport(
        name, str(path), report, sha256_of(path), time or f"{changed:%Y-%m-%d %H:%M:%S}", dated=bool(time)
    )


def date_in(name: str) -> str:
    """The date, and time of day, that the name of a file or folder says in ISO form; the latest of several.

    Empty where it says none.

    >>> date_in("run-2026-11-20"), date_in("20261120T1030_v2"), date_in("2026-11-20_10-30-05"), date_in("run 17")
    ('2026-11-20', '2026-11-20 10:30', '2026-11-20 10:30:05', '')
    >>> date_in("gpt-2025-08-06 2026-11-20"), date_in("2026-11-20_2026-11-27"), date_in("2026-11-20_9999")
    ('2026-11-20', '2026-11-27', '2026-11-20')
    """
    return max(map(_moment, _DATE.finditer(name)), default="")


def _moment(found: re.Match[str]) -> str:
    """The moment that a match names, or else the day; empty where there is no such day."""
    day = "-".join(found.group("year", "month", "day"))
    time = ":".join(filter(None, found.group("hour", "minute", "second")))
    for text in (f"{day} {time}".rstrip(), day):
        with suppress(ValueError):
            datetime.fromisoformat(text)
            return text
    return ""
