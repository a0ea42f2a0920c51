"""Errors in the form that users read: where, what was expected, what was found, how to fix it."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from os.path import commonprefix
from typing import TYPE_CHECKING, Self

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
    named, if only that is missing. columns: Adjudge's names of the columns that a file lacks.
    """

    voters: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def __init__(self, *args: object, option: str = "", found: str = "", fix: str = "", hint: str = "") -> None:
        super().__init__(*args)
        self.option, self.found, self.fix, self.hint = option, found, fix, hint

    @property
    def lines(self) -> tuple[str, ...]:
        """Its messages; a message may contain line breaks of the data."""
        first, *more = map(str, self.args or ("",))
        return (f"{flag_name(self.option)}: {first}" if self.option else first, *more)

    @property
    def problems(self) -> tuple[str, ...]:
        """Its messages in Python, without advice."""
        return tuple(in_dialect(line, flags=False) for line in self.lines)

    @property
    def advice(self) -> tuple[str, ...]:
        """What was found, how to fix it and where to look, if known."""
        fix = f"{flag_name(self.option)} {self.fix}" if self.option and self.fix else self.fix
        parts = {"found:": self.found, "fix:": fix, "hint:": self.hint}
        return tuple(f"{title:<6} {text}" for title, text in parts.items() if text)

    def frame(self) -> tuple[str, ...]:
        """The command line's text: at most four lines, in which options are named as flags."""
        problem, *more = self.lines
        room = FRAME - 1 - len(self.advice)
        if len(more) > room:
            shown, total = max(room - 1, 0), getattr(self, "total", len(self.lines))
            more = [*more[:shown], f"... and {total - 1 - shown:,} more"]
        return tuple(in_dialect(line, flags=True) for line in (problem, *more, *self.advice)[:FRAME])

    def __str__(self) -> str:
        return in_dialect("\n".join((*self.lines, *self.advice)), flags=False)

    def _render_traceback_(self) -> list[str]:
        """A notebook's text."""
        return [f"{type(self).__name__}: {self}"]

    @classmethod
    def no_reference(cls, message: str, voters: Iterable[str], **advice: str) -> Self:
        """The error for a missing choice of the reference, or the judge, among these."""
        error = cls(message, **advice)
        error.voters = tuple(voters)
        return error


class DataError(AdjudgeError, ValueError):
    """The input does not have the expected content.

    messages: one line per kind of problem, at most SHOWN of them. total: the number of problems
    in all, including those not listed. told: the number that the messages cover.
    """

    def __init__(
        self, messages: str | Iterable[str], total: int | None = None, told: int | None = None, **advice: str
    ) -> None:
        listed = [messages] if isinstance(messages, str) else list(messages)
        self.messages = tuple(listed[:SHOWN])
        self.total = len(listed) if total is None else total
        self.told = len(self.messages) if told is None else told
        super().__init__(self.messages, self.total, self.told, **advice)

    @property
    def lines(self) -> tuple[str, ...]:
        """Its messages, and how many more there are."""
        rest = self.total - self.told
        return (*self.messages, *([f"... and {rest:,} more"] if rest > 0 else []))


def merge_errors(errors: Sequence[DataError]) -> DataError:
    """One error with the messages of several, and their common advice."""
    if len(errors) == 1:
        return errors[0]
    lines = [line for error in errors for line in error.messages]
    cut = max(len(lines) - SHOWN, 0)
    advice = {name: {getattr(error, name) for error in errors} for name in ("found", "fix", "hint")}
    shared = {name: values.pop() for name, values in advice.items() if len(values) == 1}
    return DataError(lines, sum(error.total for error in errors), sum(error.told for error in errors) - cut, **shared)


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
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_regular(path: "Path") -> None:
    """Raises OptionError for a pipe or a device, whose opening may block forever."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OptionError(
            f"{path}: expected a regular file, since files are read more than once; got a pipe or a device",
            fix="a file that holds the same, or - for standard input",
        )


def missing_file(path: "Path", kind: str = "file") -> OptionError:
    """The error for a missing file, with the most similar existing name."""
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    near = closest(path.name, (other.name for other in beside))
    return OptionError(f"{path}: no such {kind}", fix=near and str(path.parent / near))


def closest(name: str, known: Iterable[str]) -> str:
    """The known name that a misspelt one likely means; empty if none is similar.

    A common ending, as columns of one kind have, does not make names similar.

    >>> closest("safty_preference", ["id", "safety_preference"]), closest("safety_preference", ["overall_preference"])
    ('safety_preference', '')
    """
    for one in get_close_matches(name, list(known), n=5):
        _, mark, words = commonprefix([name[::-1], one[::-1]])[::-1].partition("_")  # noqa: RUF071
        if get_close_matches(name.removesuffix(mark + words), [one.removesuffix(mark + words)]):
            return one
    return ""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint such as ` (did you mean "kappa"?)` for a misspelt name; empty if no known name is similar."""
    best = closest(name, known)
    return f' (did you mean "{best}"?)' if best else ""
