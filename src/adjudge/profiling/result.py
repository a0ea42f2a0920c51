"""Descriptions of files before they are scored: their contents, the evaluation they fit, and how it reads them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from rich.cells import cell_len, set_cell_size

from adjudge.display_names import count_of, short_name
from adjudge.json_records import json_text
from adjudge.profiling.file_profile import FileProfile
from adjudge.render.visible_text import one_line
from adjudge.version import TITLE


@dataclass(frozen=True, slots=True)
class EvaluationFit:
    """An evaluation that may fit files.

    why: the evidence for it. weight: its strength, from 0 to 1. format: the evaluation's own format of the files, if
    any. columns: Adjudge's column -> the file's. options: the guessed ones. lacking: information that a run needs.
    doubts: guesses to check. command: the command to run, for tables a call from Python; with gaps
    for missing information.
    inputs: the files by argument. besides: its question besides the first fit, about the same labels, if any.
    function: its reader in Python; none for a mere command.
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

    fit: the evaluation that they fit best, if any. others: the next ones. rows: the first
    rows as that evaluation reads them. warnings: of its reader.
    """

    files: tuple[FileProfile, ...]
    fit: EvaluationFit | None = None
    others: tuple[EvaluationFit, ...] = ()
    rows: tuple[Mapping[str, str | None], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def command(self) -> str | None:
        """The command to run; None if no evaluation fits, or information is missing."""
        return self.fit.command if self.fit and not self.fit.lacking else None

    @property
    def evaluation(self) -> str:
        """The name of the evaluation that fits; empty if none does."""
        return self.fit.evaluation if self.fit else ""

    @property
    def lacking(self) -> tuple[str, ...]:
        """The obstacles to a command: why the files cannot be read, else the missing information."""
        unread = [] if self.fit else [file for file in self.files if file.wrong]
        wrong = [line for file in unread for line in (*file.source.warnings, *file.wrong.splitlines())]
        fits = [fit for fit in (self.fit, *self.others) if fit and fit.lacking]
        return tuple(wrong or (f"{fit.evaluation}: {', '.join(fit.lacking)}" for fit in fits[:2]))

    def to_json(self) -> str:
        """All of it as JSON text."""
        files = [file.to_record() for file in self.files]
        return json_text({**asdict(replace(self, files=())), "files": files, "command": self.command})

    def __str__(self) -> str:
        parts: list[Iterable[str]] = [*map(_file, self.files), _fitting(self)]
        if self.fit:
            remarks = [f"Warning: {text}" for text in self.warnings] + [f"Check: {text}" for text in self.fit.doubts]
            parts += [_rows(self.rows), remarks, _next(self)]
        return "\n\n".join("\n".join(map(one_line, part)) for part in map(list, parts) if part) + "\n"

    __repr__ = __str__


_COLUMNS = 40
"""The most columns that are listed."""
_CELL, _ROW = 28, 60


def _file(file: FileProfile) -> Iterator[str]:
    columns = [*file.table.values()]
    counts = {"row": file.rows, "column": len(columns) or None, "byte": file.size}
    facts = [count_of(count, noun) for noun, count in counts.items() if count is not None]
    yield f"{file.name}: {'; '.join([file.about.rstrip('.'), *facts])}"
    yield from (f"  Read so: {warning}" for warning in file.source.warnings)
    for number, line in enumerate(file.wrong.splitlines()):
        yield f"    {line}" if number else f"  Cannot be read: {line}"
    if columns:
        width = max(cell_len(short_name(name)) for name in ("column", *[*file.table][:_COLUMNS]))
        yield from ("", f"  {'column':{width}}  holds          differ  missing  such as")
    for column in columns[:_COLUMNS]:
        name, examples = short_name(column.name), " | ".join(short_name(text, _CELL) for text in column.distinct[:2])
        numbers = f"{len(column.distinct):>6,}  {column.missing:>7,}"
        yield f"  {set_cell_size(name, width)}  {column.kind:13}  {numbers}  {examples}".rstrip()
    if len(columns) > _COLUMNS:
        yield f"  and {len(columns) - _COLUMNS:,} more columns"


def _fitting(look: Look) -> Iterator[str]:
    if look.fit is None and any(file.wrong for file in look.files):
        yield "What it fits cannot be said before it can be read: mend it, or export it again."
    elif look.fit is None:
        yield f"Fits no evaluation that {TITLE} has: nothing in it says what is judged, and by whom."
    else:
        yield f"Fits {look.fit.evaluation}: {look.fit.why}"
    for other in look.others:
        lacking = f"; lacking: {other.lacking[0]}" if other.lacking else ""
        yield f"  else {other.evaluation}: {other.why}{lacking}"


def _rows(rows: Sequence[Mapping[str, str | None]]) -> Iterator[str]:
    if rows:
        yield "The first rows as read:"
    for row in rows:
        texts = (f"{name} {short_name(value, _ROW)}" for name, value in row.items() if value is not None)
        yield f"  {'; '.join(texts)}"


def _next(look: Look) -> Iterator[str]:
    """The command, after what it lacks, and those for further questions that the files can answer."""
    if look.fit and look.fit.lacking:
        yield "Lacking:"
        yield from (f"  {line}" for text in look.fit.lacking for line in text.splitlines())
    if look.fit:
        yield from ("Run, with what is lacking:" if look.fit.lacking else "Run:", f"  {look.fit.command}")
    for other in look.others:
        if other.besides and not other.lacking:
            yield from ("", f"Or ask {other.besides}:", f"  {other.command}")
