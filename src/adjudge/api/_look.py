"""`adjudge.look`: what files are, and how they would be scored."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from adjudge.api._guessed import with_guesses
from adjudge.api.functions import takes
from adjudge.api.options import LookOptions
from adjudge.api.reports import command_of
from adjudge.errors import AdjudgeError
from adjudge.evaluations.card.options import CardOptions
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.profiling.column_profile import Column
    from adjudge.profiling.file_profile import Seen
    from adjudge.profiling.result import EvaluationFit, FileSummary, Look

_EXAMPLES = 2
_PLACES = 8
"""How many lists within a file are looked into."""


@takes(LookOptions)
def look(options: LookOptions) -> "Look":
    """What a file is, which evaluation it fits, how Adjudge reads it, and the command line to run.

    What its columns stand for is guessed by the names that people use, and by values; formats of known tools are told
    by their content. Nothing is scored and nothing is written.

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
    from adjudge.api._fitting import best_fit, files_of
    from adjudge.readers.io.source import how_of

    how, values = how_of(options), options.values()
    files = files_of(options.data, how)
    given = {name: values[name] for name in options.given() if name != "data"}
    found = best_fit(files, given)
    own = found.fit is not None and found.fit.format is not None
    places = [] if found.command or own else _lists_in(files)
    for place in places:
        inner = files_of(place, how)
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


# --- the card, where files hold labels of models beside those of people ---

_LABELLED = ("agreement", "reliability")
"""Evaluations whose options say how labels of several annotators are read, by a card too."""
_READ = (*_LABELLED, "annotations")
"""Evaluations of what a card reads."""
_LONG = 60
"""Longer values are no names."""
_TAKEN = ("columns", "annotator_columns", "map_values", "constant", "item_columns", "ordered", "level")


def with_card(look: "Look", files: "Sequence[Seen]", given: Mapping[str, Any]) -> "Look":
    """The look with the card among what else files fit, where some annotators are judges and others are not.

    These are models, to judge by their names, or are asked several times about an item, as only judges are.
    """
    fits = [one for one in (look.fit, *look.others) if one]
    if not (fits and fits[0].evaluation in _READ):
        return look
    guesses = [one.options for one in fits if one.evaluation in _LABELLED] or [{}]
    by_name = _may_be_models(files)
    for options in (*guesses, {}) if by_name else guesses:
        taken = {name: value for name, value in options.items() if name in _TAKEN} | dict(given)
        again = _asked_again(files, taken)
        read = _by_draws(taken) if again else taken
        again = again if all(one.rows == one.table.height for one in files) else []  # others may follow
        models, people = _told_apart(files, read) if by_name else ([], [])
        judges, others = [*models, *(one for one in again if one not in models)], [*({*people} - {*again})]
        if judges and (others or not models):  # those who are asked again are not all
            return replace(look, others=(*look.others, _card(files, {**read, "judges": judges}, _why(models, again))))
    return look


def _card(files: "Sequence[Seen]", options: Mapping[str, Any], why: str) -> "EvaluationFit":
    """The card of some judges, with the line to run."""
    from adjudge.profiling.result import EvaluationFit

    names, asked = [one.source.typed for one in files], "whether a judge may stand in for people"
    line = command_of(CardOptions.of({"data": names, **options}), names, "card")
    inputs = {"data": tuple(names)}
    return EvaluationFit("card", why, 0.0, line, options=options, inputs=inputs, besides=asked, function="card")


def _why(models: Sequence[str], again: Sequence[str]) -> str:
    """Why these are judges."""
    named = f"{', '.join(models)} {'is a model' if len(models) == 1 else 'are models'}, to judge by the name"
    asked = f"{', '.join(again)} label{'s' if len(again) == 1 else ''} items several times, and others do not"
    return "; ".join([*([named] if models else []), *([asked] if again else [])])


def _by_draws(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that name the run column, if a second column beside the item numbers repeated answers of a judge."""
    columns = dict(options.get("columns", {}))
    item, repeated, draw = columns.get("item", "").partition("+")
    if not repeated:
        return dict(options)
    del columns["item"]
    named = columns | ({"item": item} if item != "item" else {})
    others = {name: value for name, value in options.items() if name != "columns"}
    return {**others, **({"columns": named} if named else {}), "run_column": draw}


def _asked_again(files: "Sequence[Seen]", options: Mapping[str, Any]) -> list[str]:
    """Who labels items several times, by a column of draws, where others do not, in the rows that were looked at."""
    from adjudge.profiling.guess import found_names

    columns = options.get("columns", {})
    item, _, draw = columns.get("item", "").partition("+")
    if len(files) != 1 or not draw:
        return []
    (seen,), annotator = files, columns.get("annotator", "annotator")
    table = seen.table
    if found_names("rag", ["draw"], table) != {"draw": draw} or not {item, annotator} <= {*table.names}:
        return []
    pairs = Counter(zip(table[item].values, table[annotator].values, strict=True))
    several = dict.fromkeys(str(who) for (_, who), count in pairs.items() if count > 1 and who is not None)
    return sorted(several) if len(several) < len(table[annotator].distinct) else []


def as_card(look: "Look", files: "Sequence[Seen]") -> "EvaluationFit":
    """How a card reads files, whether or not a name says who is a judge. look: what else they fit."""
    from adjudge.profiling.result import EvaluationFit

    known = [one for one in (look.fit, *look.others) if one]
    found = next((one for one in with_card(look, files, {}).others if one.evaluation == "card"), None)
    options = next((one.options for one in known if one.evaluation in _LABELLED), {})
    taken = {name: value for name, value in options.items() if name in _TAKEN}
    inputs = {"data": tuple(one.source.typed for one in files)}
    return found or EvaluationFit("card", "", 0.0, "", options=_by_draws(taken), inputs=inputs, function="card")


def _may_be_models(files: "Sequence[Seen]") -> bool:
    """Whether a name of a file, a column or a value seems to be that of a model: others are not read again."""
    from adjudge.evaluations.card.reading import is_model

    for one in files:
        if b'"model"' in one.source.start().content:
            return True
        names = {one.source.stem, *one.table.names}
        values = (value for column in one.table.columns.values() if not column.is_prose for value in column.distinct)
        if any(map(is_model, names)) or any(is_model(value) for value in values if len(value) <= _LONG):
            return True
    return False


def _told_apart(files: "Sequence[Seen]", options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The annotators that are models, and the others; nobody where the files are not read as labels."""
    from adjudge.evaluations.card.reading import annotators_in, is_model

    try:
        card = CardOptions.of(options)
        sources = with_guesses({"data": [one.source for one in files]}, card, options)["data"]
        names = annotators_in(sources, card)
        kinds = _kinds(files)
    except AdjudgeError:
        return [], []
    models = [name for name in names if kinds.get(name) == "model" or is_model(name)]
    return models, [name for name in names if name not in models and kinds.get(name) in (None, "human", "unknown")]


def _kinds(files: "Sequence[Seen]") -> dict[str, str]:
    """What kind of annotator somebody is, where pairs say it."""
    from adjudge.readers.pairs.pairs import Options, read_pairs

    marked = [one for one in files if b'"annotators"' in one.source.start().content]
    read = [read_pairs(one.source, Options()) for one in marked]
    return {one.name or one.id: one.type for data in read for one in data.annotators}
