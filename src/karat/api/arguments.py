"""What the functions of `karat.api` make of their arguments: checked, and in one form.

Each function takes an argument's name, for messages, and its value, and raises OptionError for what it cannot be.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from math import nan
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from karat.errors import OptionError, encodable, nearest

OnInvalid = Literal["error", "drop"]
Progress = Callable[[str], AbstractContextManager[object]]
"""Called with the name of each step; the step runs inside the context it returns."""

_NO_FIGURE_DEPENDS_ON = frozenset(
    {"data", "gold", "ground_truth", "predictions", "scores", "judged", "answers", "items", "write_config", "progress"}
)
"""Arguments that say where from and where to. All others stand in the signature."""

_SUREST = 0.9999999
"""The greatest confidence whose intervals can be computed with care."""


def bound(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that figures depend on, as they go into the signature, the report and the command."""
    return {name: value for name, value in arguments.items() if name not in _NO_FIGURE_DEPENDS_ON}


def listed(name: str, value: object) -> list[str]:
    """The texts of an option that takes one, several or none."""
    many = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(many, Iterable) or isinstance(many, Mapping | AbstractSet | bytes):
        raise OptionError(f"{name}: expected a text or a list of texts; got {value!r:.60}")
    return list(dict.fromkeys(checked(name, one) for one in many))


def text(name: str, value: object) -> str | None:
    """A text, or None."""
    return None if value is None else checked(name, value)


def checked(name: str, value: object) -> str:
    """A text in UTF-8."""
    if not isinstance(value, str):
        raise OptionError(f"{name}: expected a text; got {value!r:.60}")
    if not encodable(value):
        raise OptionError(f"{name}: expected text in UTF-8; got {value!r:.60}")
    return str(value)


def mapping(name: str, value: object) -> dict[str, Any]:
    """Names and what each stands for; empty for None."""
    if not isinstance(value, Mapping | None):
        raise OptionError(f"{name}: expected names and what each stands for, as a dict; got {value!r:.60}")
    return {checked(name, key): one for key, one in (value or {}).items()}


def names(name: str, value: object) -> dict[str, str]:
    """Names and a text for each."""
    return {key: checked(name, one) for key, one in mapping(name, value).items()}


def values(name: str, value: object) -> dict[str, list[str]]:
    """Names and one or several texts for each."""
    return {key: listed(name, many) for key, many in mapping(name, value).items()}


def boolean(name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise OptionError(f"{name}: expected True or False; got {value!r:.60}")
    return value


def whole(name: str, value: object) -> int:
    """A whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise OptionError(f"{name}: expected a whole number from 0; got {value!r:.60}")
    return int(value)


def confidence(value: object) -> float:
    """A nominal coverage, between 0 and 1."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    if not 0 < number < 1:
        raise OptionError(f"confidence: expected a number between 0 and 1, such as 0.95; got {value!r:.60}")
    if number > _SUREST:
        raise OptionError(f"confidence: expected at most {_SUREST}; got {value!r:.60}")
    return number


def one_of(name: str, value: object, known: Sequence[str]) -> None:
    """Checks that a text is one of those known."""
    if not isinstance(value, str) or value not in known:
        raise OptionError(f'{name}: expected one of {", ".join(known)}; got "{value}"{nearest(str(value), known)}')


def check_common(
    options: Mapping[str, Any], items: str | Path | None, progress: Progress | None, taken: Collection[str] = ()
) -> None:
    """The options that every evaluation has. Raises OptionError before anything is read.

    taken: names that this evaluation has for columns of its own, beside those that all have.
    """
    from karat.render.files import check_target
    from karat.schemas.outcomes import RESERVED

    one_of("on_invalid", options["on_invalid"], get_args(OnInvalid))
    if progress is not None and not callable(progress):
        raise OptionError(f"progress: expected a function; got {progress!r:.60}")
    for name in options["by"]:
        if name in RESERVED or name in taken:
            raise OptionError(f"by: Karat's own tables have a column {name}; rename the file's column to group by it")
    if not isinstance(items, str | PathLike | None):
        raise OptionError(f"items: expected the path of a .parquet file; got {items!r:.60}")
    if items is not None:
        check_target(Path(items), endings=(".parquet",))


def mapped_columns(columns: Mapping[str, str], cluster: str | None, known: Sequence[str]) -> dict[str, str]:
    """Karat's column -> the file's, with the cluster, which has an option of its own."""
    named = dict(columns)
    for name in named:
        if name not in known:
            raise OptionError(f"columns: Karat has no column {name}{nearest(name, known)}; it knows {', '.join(known)}")
    if cluster is not None and named.setdefault("cluster", cluster) != cluster:
        raise OptionError(f"cluster is {cluster}, but columns say cluster={named['cluster']}; give one of them")
    return named
