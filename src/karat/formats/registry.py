"""The file formats that Karat reads. Each is declared, as FORMAT, by the module of this folder that reads it.

Nothing lists them: a module with a FORMAT is found because it stands here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from sys import modules
from typing import Any

MARK = b"\xef\xbb\xbf"
"""The byte-order mark with which a text file may begin."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    name: as `--input-format` takes it. evaluation: whose input it holds; None for flat tables, which any evaluation may
    read. read: of a flat table, takes the Source and the columns to look for in every record, and gives a lazy frame;
    of others, takes what was `Opened`, and gives what the evaluation's reader works on. recognise: whether a file is of
    this format, from its `Start` (flat tables) or from what was `Opened`. precedence: where several recognise a file,
    the one with the highest has it. endings: how names of such files usually end. said: what it is, unless the first
    line of the module's docstring says so.
    """

    name: str
    evaluation: str | None
    read: Callable[..., Any]
    recognise: Callable[[Any], bool]
    precedence: int = 0
    endings: tuple[str, ...] = ()
    said: str = ""

    @property
    def about(self) -> str:
        """What it is, as docs/formats.md lists it."""
        return self.said or (modules[self.read.__module__].__doc__ or "").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Start:
    """How a file begins: its first bytes without byte-order mark and white space, and the ending of its name."""

    content: bytes
    ending: str


@cache
def formats(evaluation: str | None = None) -> tuple[Format, ...]:
    """The formats of an evaluation, or the flat tables, in the order in which they are asked to recognise a file."""
    modules = [import_module(f"{__package__}.{one.name}") for one in iter_modules([str(Path(__file__).parent)])]
    declared = [vars(module).get("FORMAT", ()) for module in modules]
    found = [form for one in declared for form in ((one,) if isinstance(one, Format) else one)]
    own = [form for form in found if form.evaluation == evaluation]
    return tuple(sorted(own, key=lambda form: (-form.precedence, form.name)))


def names(evaluation: str | None) -> list[str]:
    """What `--input-format` may say for an evaluation: its own formats, and flat tables."""
    own = formats(evaluation) if evaluation else ()
    return [form.name for form in (*own, *formats())]


def named(evaluation: str | None, name: str) -> Format:
    """The format of a name. Raises KeyError where there is none."""
    return {form.name: form for form in formats(evaluation)}[name]


def container(start: Start) -> str:
    """The flat table, or the JSON, that a file looks like."""
    return next(form.name for form in formats() if form.recognise(start))
