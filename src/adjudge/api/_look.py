"""`adjudge.look`: what files are, and how they would be scored."""

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUTS
from adjudge.api.options import Option
from adjudge.version import NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adjudge.profiling.column_profile import Column
    from adjudge.profiling.file_profile import Seen
    from adjudge.profiling.result import EvaluationFit, FileSummary, Look

_EXAMPLES = 2
_PLACES = 8
"""How many lists within a file are looked into."""


@documented
def look(
    data: Annotated[Any, Option("Files of any kind: one, gold and predictions, or a folder.", "FILE", INPUTS)],
    **further: Unpack[common.Reading],
) -> "Look":
    """What a file is, which evaluation it fits, how Adjudge reads it, and the command line to run.

    What its columns stand for is guessed by the names that people use, and by values; formats of known tools are told
    by their content. Nothing is scored and nothing is written.

    Arguments
    ---------
    data: Of several, the trusted one may come first or be told by its name.

    Returns
    -------
    A Look. It prints as text. `command` is the line to run: a command line, or of tables a call from Python. It is None
    where something is lacking, which `fit.lacking` says.

    Raises
    ------
    OptionError for what is not there or cannot be opened. A file that can be opened is never refused.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"task": [1, 2], "worker": "ana", "answer": ["yes", "no"], "gold": ["yes", "yes"]})
    >>> adjudge.look(table).fit.options["columns"]
    {'item': 'task', 'annotator': 'worker', 'label': 'answer', 'reference': 'gold'}
    """
    call = bound(look, locals())
    from adjudge.api._fitting import best_fit, files_of
    from adjudge.api._fitting_card import with_card
    from adjudge.readers.io.source import how_of

    files = files_of(call["data"], how_of(call))
    given = {name: call[name] for name in call.set_among(common.Reading.__annotations__)}
    found = best_fit(files, given)
    own = found.fit is not None and found.fit.format is not None
    places = [] if found.command or own else _lists_in(files)
    for place in places:
        inner = files_of(place, how_of(call))
        within = best_fit(inner, given)
        if _are_judgments(inner[0], within) and (within.command or not found.fit):
            files, found = inner, within
        if found.command:
            break
        places += _lists_in(inner) if len(places) < _PLACES else []
    found = with_card(found, files, given)
    if found.fit:
        fit, *others = (_called(one, files) for one in (found.fit, *found.others))
        found = replace(found, fit=fit, others=tuple(others))
    return replace(found, files=tuple(_file(one) for one in files))


def _called(fit: "EvaluationFit", files: "Sequence[Seen]") -> "EvaluationFit":
    """A fit with the call from Python where it reads a table, which no command line names."""
    tables = {one.source.name: one.source.name.replace(" ", "_") for one in files if one.is_table}
    groups = fit.inputs.values() or [[one.source.name for one in files]]
    if not fit.function or tables.keys().isdisjoint(chain.from_iterable(groups)):
        return fit

    def told(value: object) -> str:
        return tables.get(value, repr(value)) if isinstance(value, str) else repr(value)

    names = [[told(name) for name in group] for group in groups]
    given = [group[0] if len(group) == 1 else f"[{', '.join(group)}]" for group in names]
    call = ", ".join([*given, *(f"{name}={told(value)}" for name, value in fit.options.items())])
    return replace(fit, command=f"{NAME}.{fit.function}({call})")


def _lists_in(files: "Sequence[Seen]") -> list[str]:
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


def _steps(part: str, one: "Seen") -> tuple[str, str]:
    """A part as what names the list of records, ending in a dot if there is any, and the list within these, if any."""
    steps = part.split(".")
    tails = (".".join(steps[at:]) for at in range(len(steps)))
    own = next((tail for tail in tails if any(name.startswith(f"{tail}.") for name in one.table.names)), "")
    above = part.removesuffix(own)
    return above if own or not above else f"{above}.", own


def _are_judgments(one: "Seen", look: "Look") -> bool:
    """Whether the elements of a list are what an evaluation reads: of lists in records, if these say who judged."""
    _, own = _steps(one.source.name.rpartition("#")[2], one)
    who = look.fit.columns.get("annotator", "") if look.fit else ""
    return look.fit is not None and (not own or who.startswith(own.partition(".")[0] + "."))


def _holds_objects(column: "Column") -> bool:
    """Whether a column holds lists of objects."""
    lists = [value for value in column.values if isinstance(value, list) and value]
    return bool(lists) and all(isinstance(value[0], dict) for value in lists)


def _file(one: "Seen") -> "FileSummary":
    """A file, as it is shown."""
    from adjudge.profiling.result import ColumnSummary, FileSummary

    return FileSummary(
        name=one.source.name,
        format=one.container,
        about=one.about,
        size=one.size,
        rows=one.rows,
        looked_at=one.table.height,
        columns=tuple(
            ColumnSummary(each.name, each.kind, len(each.distinct), each.missing, each.distinct[:_EXAMPLES])
            for each in one.table.columns.values()
        ),
        warnings=one.source.warnings,
        wrong=one.wrong,
    )
