"""Proposals of evaluations for files, and descriptions of files before they are scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudge.evaluations import options_of
from adjudge.json_records import json_text
from adjudge.options.declaration import arguments, command_of
from adjudge.profiling.file_profile import FileProfile
from adjudge.readers.io.source import Format, Source
from adjudge.render.look_screen import look_screen


@dataclass(frozen=True)
class Proposal:
    """A proposal to evaluate files, with its options.

    weight: the strength of the evidence, from 0 to 1. columns: Adjudge's column -> the file's, also those of one
    name. settings: further options. lacking: information that a run needs, each with a remedy. doubts: uncertain
    guesses to check. files: those to evaluate, a reference first. gold: the file of true answers, if it is an option.
    form: the evaluation's own format of the files, if any. call: the command, if it is not that of the evaluation.
    besides: the other question that it answers about the same labels, if any. warnings: those of its reader. is_read:
    whether its reader takes the files, and finds something to judge, or only needs to know whose violations are right.
    voters: the candidates for the reference. gaps: columns that its reader lacks -> the likeliest of the file.
    """

    evaluation: str
    weight: float = 0.0
    columns: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    files: Sequence[FileProfile] = ()
    gold: FileProfile | None = None
    form: Format | None = None
    call: str = ""
    besides: str = ""
    warnings: tuple[str, ...] = ()
    is_read: bool = False
    voters: tuple[str, ...] = ()
    gaps: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """The user's options, with those columns whose names differ from Adjudge's."""
        renamed = {name: theirs for name, theirs in self.columns.items() if name != theirs}
        return {name: value for name, value in {"columns": renamed, **self.settings}.items() if value}

    def sources(self, *, whole: bool = True) -> dict[str, list[Source]]:
        """The files by argument: one for the reference side if there are two sides, and the rest.

        whole: whether to include all rows, not only the first.
        """
        sources = [file.source if whole or self.form else file.part or file.source for file in self.files]
        first, *rest = [name for name, known in arguments(options_of(self.evaluation)).items() if known.positional]
        return {first: sources[:1], rest[0]: sources[1:]} if rest else {first: sources}

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The names of the files by argument; empty for a mere command."""
        return {} if self.call else {name: [one.name for one in many] for name, many in self.sources().items()}

    @property
    def parsed_options(self) -> Any:  # noqa: ANN401 - of any evaluation
        """The options of the evaluation's function."""
        columns = {**self.options.get("columns", {}), **self.gaps}
        return options_of(self.evaluation).of({**self.inputs, **self.options, "columns": columns})

    @property
    def command(self) -> str:
        """The command to run, for tables a call from Python; with gaps for missing information."""
        return self.call or command_of(self.parsed_options, [one.source.typed for one in self.files], self.evaluation)

    @property
    def evidence(self) -> str:
        """The evidence for it."""
        reasons = ", ".join(f"{theirs} is the {ours}" for ours, theirs in self.columns.items())
        return f"it is {self.form.name}. {self.form.about}" if self.form else reasons or "by its values"

    def to_record(self) -> dict[str, Any]:
        """Its JSON form."""
        names = "evaluation weight command columns options lacking doubts warnings inputs besides"
        own = {"format": self.form and self.form.name, "why": self.evidence}
        return {name: getattr(self, name) for name in names.split()} | own


@dataclass(frozen=True, slots=True, repr=False)
class Look:
    """The description of files, and how Adjudge would read them.

    fit: the evaluation that they fit best, if any. others: the next ones.
    """

    files: tuple[FileProfile, ...]
    fit: Proposal | None = None
    others: tuple[Proposal, ...] = ()

    @property
    def command(self) -> str | None:
        """The command to run; None if no evaluation fits, or information is missing."""
        return self.fit.command if self.fit and not self.fit.lacking else None

    @property
    def lacking(self) -> tuple[str, ...]:
        """The obstacles to a command: why the files cannot be read, else the missing information."""
        wrong = [text for one in self.files if one.wrong for text in (*one.source.warnings, *one.wrong.splitlines())]
        fits = [fit for fit in (self.fit, *self.others) if fit and fit.lacking]
        return tuple((not self.fit and wrong) or (f"{fit.evaluation}: {', '.join(fit.lacking)}" for fit in fits[:2]))

    def to_json(self) -> str:
        """All of it as JSON text."""
        found = {"fit": self.fit and self.fit.to_record(), "others": [fit.to_record() for fit in self.others]}
        return json_text({"files": [file.to_record() for file in self.files], **found, "command": self.command})

    def __str__(self) -> str:
        return look_screen(self)

    __repr__ = __str__
