"""Descriptions of files before they are scored: their contents, the evaluation they fit, and how it reads them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.cells import cell_len

from adjudge.display_names import short_name
from adjudge.json_records import json_text
from adjudge.render.signs import one_line
from adjudge.version import TITLE


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """A column of a file. kind: of its values. differ: how many different ones; missing: rows without one."""

    name: str
    kind: str
    differ: int
    missing: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileSummary:
    """The description of a file.

    format: such as csv. about: what that is. size: in bytes, None of a table from Python. rows: None where they cannot
    be counted. looked_at: the rows that `columns` speak of. warnings: what was done to read it. wrong: why it cannot
    be read, if so.
    """

    name: str
    format: str
    about: str
    size: int | None
    rows: int | None
    looked_at: int
    columns: tuple[ColumnSummary, ...] = ()
    warnings: tuple[str, ...] = ()
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class EvaluationFit:
    """An evaluation that files may be meant for.

    why: what speaks for it. weight: how much, from 0 to 1. format: its own format that the files are in, if any.
    columns: Adjudge's column -> the file's. options: what was guessed. lacking: what must be said before it can be run.
    doubts: what is guessed and should be looked at. command: the line to run, of tables a call from Python; with gaps
    where something is lacking.
    inputs: the files by argument. besides: what it answers besides the first fit, of the same labels, if it does.
    function: the one that reads them, in Python; none where only a command does.
    """

    evaluation: str
    why: str
    weight: float
    command: str
    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    besides: str = ""
    function: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Look:
    """The description of files, and how Adjudge would read them.

    fit: the evaluation that they fit best; None where nothing speaks for any. others: the next ones. rows: the first
    rows as that evaluation reads them. left_out: columns that it has no use for. warnings: of its reader.
    """

    files: tuple[FileSummary, ...]
    fit: EvaluationFit | None = None
    others: tuple[EvaluationFit, ...] = ()
    rows: tuple[Mapping[str, str | None], ...] = ()
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def command(self) -> str | None:
        """The line to run; None where no evaluation fits, or something is lacking."""
        return self.fit.command if self.fit and not self.fit.lacking else None

    def to_json(self) -> str:
        """All of it as JSON text."""
        return json_text({**asdict(self), "command": self.command})

    def __str__(self) -> str:
        parts: list[Iterable[str]] = [*map(_file, self.files), _fitting(self)]
        if self.fit:
            remarks = [f"Warning: {one}" for one in self.warnings] + [f"Check: {one}" for one in self.fit.doubts]
            parts += [_reading(self.fit, self.left_out), _rows(self.rows), remarks, _next(self.fit)]
            parts.append(_besides(self.others))
        return "\n\n".join("\n".join(map(one_line, part)) for part in map(list, parts) if part) + "\n"

    __repr__ = __str__


_COLUMNS = 40
"""The most columns that are listed."""
_CELL, _ROW = 28, 60
_STEP = 1000


def _file(one: FileSummary) -> Iterator[str]:
    facts = [one.about.rstrip(".")]
    facts += [] if one.rows is None else [f"{one.rows:,} {'row' if one.rows == 1 else 'rows'}"]
    facts += [f"{len(one.columns):,} {'column' if len(one.columns) == 1 else 'columns'}"] if one.columns else []
    facts += [] if one.size is None else [_size(one.size)]
    yield f"{one.name}: {'; '.join(facts)}"
    yield from (f"  Read so: {warning}" for warning in one.warnings)
    if one.wrong:
        first, *more = one.wrong.splitlines()
        yield from (f"  Cannot be read: {first}", *(f"    {line}" for line in more))
    if one.columns:
        yield ""
        yield from _aligned([_HEAD, *map(_column, one.columns[:_COLUMNS])])
    if len(one.columns) > _COLUMNS:
        yield f"  and {len(one.columns) - _COLUMNS:,} more columns"
    if one.rows is not None and one.looked_at < one.rows:
        yield f"  (of the first {one.looked_at:,} rows)"


_HEAD = ("column", "holds", "differ", "missing", "such as")


def _column(one: ColumnSummary) -> tuple[str, ...]:
    examples = " | ".join(short_name(example, _CELL) for example in one.examples)
    return short_name(one.name), one.kind, f"{one.differ:,}", f"{one.missing:,}", examples


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
        yield ("  " + "  ".join(cells)).rstrip()


def _fitting(look: Look) -> Iterator[str]:
    if look.fit is None and any(one.wrong for one in look.files):
        yield "What it fits cannot be said before it can be read: mend it, or export it again."
    elif look.fit is None:
        yield f"Fits no evaluation that {TITLE} has: nothing in it says what is judged, and by whom."
    else:
        yield f"Fits {look.fit.evaluation}: {look.fit.why}"
    for other in look.others:
        lacking = f"; lacking: {other.lacking[0]}" if other.lacking else ""
        yield f"  else {other.evaluation}: {other.why}{lacking}"


def _reading(fit: EvaluationFit, left_out: Sequence[str]) -> Iterator[str]:
    judges = fit.options.get("annotator_columns") or ()
    items = fit.options.get("item_columns") or ()
    told = [*fit.columns.items(), *(("annotator", name) for name in judges), *(("item", name) for name in items)]
    if told:
        yield "How it is read:"
        yield from _aligned([(f"{ours} <-", theirs) for ours, theirs in told])
    for option in ("vote_values", "map_values", "constant"):
        for name, value in dict(fit.options.get(option) or {}).items():
            yield f"  {name} = {_meant(value)}"
    if told and left_out:
        yield f"  not read: {', '.join(map(short_name, left_out))}"


def _meant(value: object) -> object:
    """What stands for a column or a vote, in words: of values that mean others, each with what it means."""
    if isinstance(value, Mapping):
        return ", ".join(f"{one}: {meant or 'nothing'}" for one, meant in value.items())
    return ", ".join(value) if isinstance(value, list) else value


def _rows(rows: Sequence[Mapping[str, str | None]]) -> Iterator[str]:
    if not rows:
        return
    yield "The first rows as read:"
    for row in rows:
        said = (f"{name} {short_name(value, _ROW)}" for name, value in row.items() if value is not None)
        yield f"  {'; '.join(said)}"


def _next(fit: EvaluationFit) -> Iterator[str]:
    if fit.lacking:
        yield "Lacking:"
        yield from (f"  {line}" for one in fit.lacking for line in one.splitlines())
    yield "Run, with what is lacking:" if fit.lacking else "Run:"
    yield f"  {fit.command}"


def _besides(others: Sequence[EvaluationFit]) -> Iterator[str]:
    """What else the files may be asked."""
    for one in others:
        if one.besides and not one.lacking:
            yield f"Or ask {one.besides}:"
            yield f"  {one.command}"


def _size(count: int) -> str:
    """Bytes as people say them.

    >>> _size(900), _size(34_500), _size(1_200_000_000)
    ('900 B', '34.5 KB', '1.2 GB')
    """
    size, unit = float(count), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if size < _STEP:
            break
        size, unit = size / _STEP, larger
    return f"{size:.3g} {unit}"
