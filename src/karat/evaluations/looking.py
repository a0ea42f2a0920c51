"""Descriptions of files before they are scored: their contents, the evaluation they fit, and how it reads them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from karat.records import json_text


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
    columns: Karat's column -> the file's. options: what was guessed. lacking: what must be said before it can be run.
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
    """The description of files, and how Karat would read them.

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
        from karat.render.look import look_text

        return look_text(self)

    def __repr__(self) -> str:
        return str(self)
