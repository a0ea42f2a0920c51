"""What an evaluation says of how its files become files in formats of Karat's own."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from karat.formats.source import Source

Settings = Mapping[str, Any]
"""The options of `karat.convert`, checked."""


class Held(Protocol):
    """What files hold, as one data set that is ready to be written."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know of the files."""

    @property
    def rows(self) -> Mapping[str, int]:
        """The name of each file -> how many rows were read from it."""

    def says_anything(self) -> bool:
        """Whether there is a vote, a label, an answer or a violation in it."""

    def people(self) -> list[str]:
        """The annotators who get pseudonyms."""

    def anonymised(self, key: Mapping[str, str]) -> Self:
        """The same with pseudonyms in the place of people's names. key: all of `people` -> their pseudonyms."""

    def write(self, path: Path, form: str, ending: str) -> int:
        """Write a file; returns how many rows it holds. form: the format. ending: how its name will end."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """How files of an evaluation are converted.

    what: they hold. unit: what a row of it is. forms: how the name of a file to write ends -> the format that it then
    has. options: those of `karat.convert` that concern this evaluation, among those that do not concern all. known: the
    columns that may be mapped. holds: whether a flat table with some of Karat's columns is one of this evaluation.
    read: what files hold.
    """

    what: str
    unit: str
    forms: Mapping[str, str]
    options: tuple[str, ...]
    known: Callable[[Settings], Sequence[str]]
    holds: Callable[[Collection[str]], bool]
    read: Callable[[Sequence[Source], Settings], Held]
