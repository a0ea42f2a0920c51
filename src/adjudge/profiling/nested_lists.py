"""Lists of objects within files of JSON, which may hold the records that an evaluation reads."""

from collections.abc import Sequence

from adjudge.profiling.column_profile import Column
from adjudge.profiling.file_profile import Seen
from adjudge.profiling.result import Look


def lists_in(files: Sequence[Seen]) -> list[str]:
    """The lists of objects in a file of JSON, or in its records, as they are named behind it.

    Of a list that is named behind it already, those within its elements: there a list in an object has its elements as
    records, one in records stands in these.
    """
    one = files[0]
    if len(files) > 1 or one.container not in {"json", "jsonl"} or not one.source.given:
        return []
    lists = [name for name, column in one.table.columns.items() if _holds_objects(column)]
    file, sign, part = one.source.name.rpartition("#")
    if not sign:
        return [f"{one.source.name}#{name}" for name in lists]
    above, own = _steps(part, one)
    within = [name for name in lists if name.startswith(f"{own}.")] if own else lists
    return [f"{file}#{above}{name}" for name in within]


def _steps(part: str, one: Seen) -> tuple[str, str]:
    """A part as what names the list of records, ending in a dot if there is any, and the list within these, if any."""
    steps = part.split(".")
    tails = (".".join(steps[at:]) for at in range(len(steps)))
    own = next((tail for tail in tails if any(name.startswith(f"{tail}.") for name in one.table.names)), "")
    above = part.removesuffix(own)
    return above if own or not above else f"{above}.", own


def are_judgments(one: Seen, look: Look) -> bool:
    """Whether the elements of a list are what an evaluation reads: of lists in records, if these say who judged."""
    _, own = _steps(one.source.name.rpartition("#")[2], one)
    who = look.fit.columns.get("annotator", "") if look.fit else ""
    return look.fit is not None and (not own or who.startswith(own.partition(".")[0] + "."))


def _holds_objects(column: Column) -> bool:
    """Whether a column holds lists of objects."""
    lists = [value for value in column.values if isinstance(value, list) and value]
    return bool(lists) and all(isinstance(value[0], dict) for value in lists)
