"""One input: made from a seed and a number, given to its reader, and judged.

Whatever a file holds must be read or refused in words. Where a parser of Python's own reads it too, as JSON or CSV, what
Adjudge read must be what it reads from that parser's data written anew.
"""

import csv
import dataclasses
import io
import json
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import polars as pl
from polars.testing import assert_frame_equal

from adjudge.errors import DataError, MissingError, OptionError
from adjudge.evaluations.scoring import scoring
from adjudge.report import Report
from fuzz.beside import ASKED_OF, beside_samples, saved_samples
from fuzz.mutating import mutated
from fuzz.showing import shown_wrong
from made_samples import SAMPLES, Sample

TRIED = [*SAMPLES, *saved_samples(), *beside_samples()]
_BY_READERS = [one for one in TRIED if one.evaluation != "look"]
_BY_LOOKING = [one for one in TRIED if one.evaluation == "look"]
REFUSED = (DataError, OptionError, MissingError)
Frames = list[pl.DataFrame]

_NO_TABLES = {"conll", "mqm", "webanno-tsv"}
"""Formats whose files are called as tables are, and in which quotes are letters."""
_UNREADABLE = (ValueError, RecursionError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
_MEMORY = "/dev/shm"  # noqa: S108 - where it is there, files need no disk
_FOLDER = _MEMORY if Path(_MEMORY).is_dir() else None
_LOOK = 40
"""One in so many inputs is looked at (`adjudge look`), which takes as long as five that are read."""
_WHOLE = 100
"""One in so many inputs goes through the whole evaluation, and all forms of its report: as long as ten that are read."""


@dataclass(frozen=True)
class Tried:
    """What became of an input. outcome: read, refused or wrong. said: what is wrong, else nothing."""

    sample: Sample
    content: bytes
    outcome: str
    said: str = ""


class _NamedTwice(Exception):  # noqa: N818 - not wrong, but nothing to compare
    pass


class _Read(Exception):  # noqa: N818 - no error, but the way out of an evaluation that has read its inputs
    def __init__(self, frames: Frames) -> None:
        super().__init__()
        self.frames = frames


def tried(seed: int, number: int) -> Tried:
    """The input of a number, tried."""
    draw = Random(f"{seed} {number}")
    sample = draw.choice(_BY_READERS if number % _LOOK else _BY_LOOKING)
    content = sample.content
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        with suppress(*_UNREADABLE):  # a second change may find no JSON, no text or no table any more
            content = mutated(content, draw)
    return try_content(sample, content, whole=number % _WHOLE == 1)


def try_content(sample: Sample, content: bytes, *, whole: bool) -> Tried:
    """Reads a file of some content. whole: through the evaluation, with its report in all forms."""
    try:
        found = _frames(sample, content)
        if whole and found is not None and (said := _shown(sample, content)):
            return Tried(sample, content, "wrong", said)
        said = _otherwise(sample, content, found)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return Tried(sample, content, "wrong", "".join(traceback.format_exception(error)))
    return Tried(sample, content, "wrong" if said else "refused" if found is None else "read", said)


def _otherwise(sample: Sample, content: bytes, found: Frames | None) -> str:
    """What is wrong with what was read: a plain form of the file, by another parser, is read otherwise."""
    plain = None if found is None or sample.format in _NO_TABLES else _plain(content, sample.file)
    if found is None or plain is None or plain == content:
        return ""
    again = _frames(sample, plain)
    return "its plain form is refused" if again is None else _different(found, again)


def _plain(content: bytes, file: str) -> bytes | None:
    """A file as Python's parser reads it, written anew; None where it does not."""
    if b"\0" in content or b"\r" in content.replace(b"\r\n", b""):  # of another encoding, or with other line ends
        return None
    with suppress(ValueError, csv.Error, RecursionError, _NamedTwice):
        text = content.decode("utf-8-sig")
        if "\ufeff" in text:  # a second mark, which would be taken for a first one
            return None
        if text.lstrip()[:1] in ("{", "["):
            before = "\n" * text[: len(text) - len(text.lstrip())].count("\n")  # rows without an id are named by lines
            with suppress(ValueError):
                return (before + _plain_json(text)).encode()
            return "".join((_plain_json(line) if line.strip() else "") + "\n" for line in text.split("\n")).encode()
        if file.endswith((".csv", ".tsv")):
            return _plain_table(text, "\t" if file.endswith(".tsv") else ",")
    return None


def _plain_json(text: str) -> str:
    """JSON written anew. An object that names a key twice, of which parsers keep one, has no other form."""
    return json.dumps(json.loads(text, object_pairs_hook=_named_once))


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(made := dict(pairs)) < len(pairs):
        raise _NamedTwice
    return made


def _plain_table(text: str, sign: str) -> bytes | None:
    """A table whose rows are all as wide as its head, and that does not begin as JSON does."""
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True))
    if len({len(row) for row in rows if row}) != 1 or len(rows[0]) < 2 or rows[0][0][:1] in ("{", "["):
        return None
    held = io.StringIO()
    csv.writer(held, delimiter=sign, lineterminator="\n").writerows(rows)
    return held.getvalue().encode()


def _different(found: Frames, expected: Frames) -> str:
    if len(found) != len(expected):
        return f"{len(found)} frames were read; expected {len(expected)}"
    for one, other in zip(found, expected, strict=True):
        try:
            assert_frame_equal(one, other, check_column_order=False, check_exact=True, categorical_as_str=True)
        except AssertionError as error:
            return f"{error}\n{one}\n{other}"
    return ""


# --- what the readers read ---


def _frames(sample: Sample, content: bytes) -> Frames | None:
    """The frames that are read from a file; None where it is refused."""
    with (
        tempfile.TemporaryDirectory(dir=_FOLDER) as folder,
        _reading_alone(_READ_BY.get(sample.evaluation, sample.evaluation)),
    ):
        try:
            report = _scored(sample, _put(sample, folder, content))
        except _Read as read:
            return read.frames
        except REFUSED:
            return None
        return list(_held(report.tables if isinstance(report, Report) else report))


def _shown(sample: Sample, content: bytes) -> str:
    """What is wrong with the report on a file, in any of its forms."""
    with tempfile.TemporaryDirectory(dir=_FOLDER) as folder:
        try:
            report = _scored(sample, _put(sample, folder, content))
        except REFUSED:
            return ""
        return shown_wrong(report) if isinstance(report, Report) else ""


def _scored(sample: Sample, path: Path) -> object:
    return ASKED_OF[sample.evaluation](path) if sample.evaluation in ASKED_OF else sample.score(path)


def _put(sample: Sample, folder: str, content: bytes) -> Path:
    """A file in a folder of one name, since some formats take names from it."""
    inner = Path(folder) / "folder"
    inner.mkdir()
    return sample.put(inner, content)


@contextmanager
def _reading_alone(evaluation: str) -> Iterator[None]:
    """Within it an evaluation ends once it has read its inputs."""
    if evaluation not in EVALUATED:
        yield
        return
    with patch.object(scoring(evaluation), "score", _reads):
        yield


def _reads(read: Any, *_: Any) -> None:
    raise _Read(list(_held(read)))


_READ_BY = {"gold": "rag"}
EVALUATED = {"annotations", "preferences", "rag", "reliability", "violations"}


def _held(value: Any) -> Iterator[pl.DataFrame]:
    """The frames that a value holds, however deep."""
    if isinstance(value, pl.DataFrame):
        yield value
    elif isinstance(value, pl.LazyFrame):
        yield value.collect()
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _held(getattr(value, field.name))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _held(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _held(one)
