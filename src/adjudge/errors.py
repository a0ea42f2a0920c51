"""Errors in the form that users read: where, what was expected, what was found, how to fix it."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

FRAME = 4
"""The most lines of an error on the command line."""
SHOWN = 10
"""The most messages of one kind that a DataError lists before it counts the rest."""


_BEFORE, _AFTER = "\ue000", "\ue001"
"""Private-use characters that delimit the name of an option in a message."""


def flag_name(option: str) -> str:
    """An option's name in a message: Python shows it as `save_items`, the command line as `--save-items`."""
    return f"{_BEFORE}{option}{_AFTER}"


_FLAGS = {"pilot": "from"}
"""Options whose flags are not their names, since these are Python keywords."""


def flag_of(name: str) -> str:
    """The name of an option on the command line.

    >>> flag_of("save_items")
    '--save-items'
    """
    return f"--{_FLAGS.get(name, name).replace('_', '-')}"


def in_dialect(text: str, *, flags: bool) -> str:
    """A message with the names of options in Python, or as flags of the command line."""
    first, *rest = text.split(_BEFORE)
    parts = (part.partition(_AFTER) for part in rest)
    return first + "".join((flag_of(name) if flags else name) + after for name, _, after in parts)


class AdjudgeError(Exception):
    """Base of every error that Adjudge raises on purpose.

    option: the option that its message is about. found: the unexpected content. fix: the correction;
    for an option, its value. hint: a command that helps. voters: the annotators one of whom must be
    named, if only that is missing. columns: those of Adjudge's that a file lacks, with the likeliest of its own.
    """

    columns: Mapping[str, str] | tuple[()] = ()
    more = 0

    def __init__(
        self, *why: object, option: str = "", found: str = "", fix: str = "", hint: str = "", voters: Iterable[str] = ()
    ) -> None:
        super().__init__(*why)
        self.option, self.found, self.fix, self.hint, self.voters = option, found, fix, hint, tuple(voters)

    @property
    def lines(self) -> tuple[str, ...]:
        """Its messages; a message may contain line breaks of the data."""
        first, *more = map(str, self.args or ("",))
        return (f"{flag_name(self.option)}: {first}" if self.option else first, *more)

    @property
    def problems(self) -> tuple[str, ...]:
        """Its messages in Python, without advice."""
        return tuple(in_dialect(line, flags=False) for line in self._first_lines(len(self.lines)))

    @property
    def advice(self) -> tuple[str, ...]:
        """What was found, how to fix it and where to look, if known."""
        fix = f"{flag_name(self.option)} {self.fix}" if self.option and self.fix else self.fix
        parts = {"found:": self.found, "fix:": fix, "hint:": self.hint}
        return tuple(f"{title:<6} {text}" for title, text in parts.items() if text)

    def frame(self) -> tuple[str, ...]:
        """The command line's text: at most four lines, in which options are named as flags."""
        room = FRAME - len(self.advice)
        fits = len(self.lines) + bool(self.more) <= room
        listed = self._first_lines(room if fits else max(room - 1, 1))
        return tuple(in_dialect(line, flags=True) for line in (*listed, *self.advice)[:FRAME])

    def _first_lines(self, most: int) -> list[str]:
        """Its first messages, and how many more problems there are."""
        rest = len(self.lines[most:]) + self.more
        return [*self.lines[:most], *([f"... and {rest:,} more"] if rest else [])]

    def __str__(self) -> str:
        return "\n".join((*self.problems, *(in_dialect(line, flags=False) for line in self.advice)))

    def _render_traceback_(self) -> list[str]:
        """A notebook's text."""
        return [f"{type(self).__name__}: {self}"]


class DataError(AdjudgeError, ValueError):
    """The input does not have the expected content.

    lines: one per kind of problem, at most SHOWN of them. more: the number of problems that they do not cover.
    """

    def __init__(self, messages: str | Iterable[str], *others: str, more: int = 0, **advice: Any) -> None:  # noqa: ANN401
        listed = [messages, *others] if isinstance(messages, str) else list(messages)
        super().__init__(*listed[:SHOWN], **advice)
        self.more = more + len(listed[SHOWN:])


def merge_errors(errors: Sequence[DataError]) -> DataError:
    """One error with the messages of several, and their common advice."""
    lines = [line for error in errors for line in error.lines]
    advice = {name: {getattr(error, name) for error in errors} for name in ("found", "fix", "hint")}
    shared = {name: values.pop() for name, values in advice.items() if len(values) == 1}
    return DataError(lines, more=sum(error.more for error in errors), **shared)


class OptionError(AdjudgeError, ValueError):
    """An option, an argument or a name is unknown to Adjudge, or contradicts another."""


class UnknownNameError(OptionError, KeyError):
    """A table that a report does not have."""


class GateError(AdjudgeError):
    """Metrics fail their gates or are undefined: a message for each."""


class OutputError(AdjudgeError, OSError):
    """A result cannot be written to its path. Existing content is unchanged."""


class MissingError(AdjudgeError, ImportError):
    """An optional part of Adjudge, or a required service, is missing; the message says what to install or start."""


def encodable(text: str) -> bool:
    r"""Whether text can be written as UTF-8, unlike the surrogates of a name's invalid bytes.

    >>> encodable("naïve"), encodable("\udce9.csv")
    (True, False)
    """
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def check_regular(path: "Path") -> None:
    """Raises OptionError for a pipe or a device, whose opening may block forever."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OptionError(
            f"{path}: expected a regular file, since files are read more than once; got a pipe or a device",
            fix="a file that holds the same, or - for standard input",
        )


def file_bytes(path: "Path") -> bytes:
    """The content of a file. Raises OptionError for a missing, an unreadable and a special file."""
    check_regular(path)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise missing_file(path) from None
    except OSError as error:
        raise OptionError(f"{path}: cannot be read: {error.strerror}") from None


def missing_file(path: "Path", kind: str = "file") -> OptionError:
    """The error for a missing file, with the most similar existing name."""
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    near = closest(path.name, (other.name for other in beside))
    return OptionError(f"{path}: no such {kind}", fix=near and str(path.parent / near))


_CUTOFF = 0.65
"""The least similarity of names, as of three letters of which one differs; that of unrelated flags reaches 0.6."""


def closest(name: str, known: Iterable[str]) -> str:
    """The known name that a misspelt one likely means, with the same first letter; empty if none is similar.

    >>> closest("safty_preference", ["id", "safety_preference"]), closest("safety_preference", ["overall_preference"])
    ('safety_preference', '')
    >>> closest("--gues", ["--guess", "--flag-values"]), closest("--guess", ["--flag-values"])
    ('--guess', '')
    """
    return next((one for one in get_close_matches(name, [*known], cutoff=_CUTOFF) if one[:1] == name[:1]), "")


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint such as ` (did you mean "kappa"?)` for a misspelt name; empty if no known name is similar."""
    best = closest(name, known)
    return f' (did you mean "{best}"?)' if best else ""
