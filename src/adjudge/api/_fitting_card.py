"""Whether files hold labels of models beside those of people: then the card of the former fits, too."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adjudge.api._guessed import made_of
from adjudge.api.calls import bound, documented_as
from adjudge.api.reports import command_of
from adjudge.errors import AdjudgeError

if TYPE_CHECKING:
    from adjudge.profiling.file_profile import Seen
    from adjudge.profiling.result import EvaluationFit, Look

_LABELLED = ("agreement", "reliability")
"""Evaluations whose options say how labels of several annotators are read, by a card too."""
_READ = (*_LABELLED, "annotations")
"""Evaluations of what a card reads."""
_LONG = 60
"""Longer values are no names."""
_TAKEN = ("columns", "annotator_columns", "values", "set", "item_columns", "ordered", "level")


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
    line = command_of(bound(documented_as("card").function, {"data": names, **options}), names, "card")
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
    return {**others, **({"columns": named} if named else {}), "draw": draw}


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
        call = bound(documented_as("card").function, {"data": [], **options})
        sources = made_of({"data": [one.source for one in files]}, call, options)["data"]
        names = annotators_in(sources, call.settings)
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
