"""Records of JSON read one by one: what is wrong with one is told with its place, and only that one is left out.

What reads a record raises DataError in words that follow the record's place, such as ", spans: expected a list; got 3".
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Objects, kind, not_plain
from adjudge.readers.problems import Findings

What = TypeVar("What")


def read_each(
    objects: Objects, read: Callable[[dict[str, Any]], What], findings: Findings, unit: str = ""
) -> list[tuple[int, What]]:
    """What is made of each record, with its number. unit: what messages call a record, if not as the file does."""
    found = []
    for number, value in zip(objects.numbers, objects.values, strict=True):
        try:
            check(not_plain(value), "")
            found.append((number, read(value)))
        except DataError as wrong:
            findings.add(f"{objects.name}, {unit or objects.unit} {number}{wrong}", dropped=1)
    return found


def check(wrong: str | None, where: str) -> None:
    """Raises DataError where something is wrong with what stands at a place."""
    if wrong:
        raise DataError(f"{where}: {wrong}")


def list_in(holder: Mapping[str, Any], key: str) -> list[Any]:
    """A list, which may be missing. Raises DataError for anything else."""
    value = holder.get(key)
    if not isinstance(value, list | None):
        raise DataError(f", {key}: expected a list; got {kind(value)}")
    return value or []


def objects_in(holder: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects in a list, which may be missing. Raises DataError for anything else."""
    values = list_in(holder, key)
    for number, value in enumerate(values, 1):
        check(not_plain(value), f", {key} {number}")
    return values


def object_in(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object, which may be missing. Raises DataError for anything else."""
    value = holder.get(key)
    if value is None:
        return {}
    check(not_plain(value), f", {key}")
    return dict(value)
