"""Whether files hold labels of models beside those of people: then the card of the former fits, too."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karat.api._guessed import made_of
from karat.api.calls import bound, documented_as
from karat.api.reports import command_of
from karat.errors import KaratError

if TYPE_CHECKING:
    from karat.evaluations.looking import Fit, Look
    from karat.formats.seen import Seen

_LABELLED = ("agreement", "reliability")
"""Evaluations whose options say how labels of several annotators are read, by a card too."""
_READ = (*_LABELLED, "annotations")
"""Evaluations of what a card reads."""
_LONG = 60
"""Longer values are no names."""
_TAKEN = ("columns", "annotator_columns", "vote_separator", "values", "set", "item_columns", "ordered", "level")


def with_card(look: "Look", files: "Sequence[Seen]", given: Mapping[str, Any]) -> "Look":
    """The look with the card among what else files fit, where some annotators are models and others are not."""
    from karat.evaluations.looking import Fit

    fits = [one for one in (look.fit, *look.others) if one]
    if not (fits and fits[0].evaluation in _READ and _may_be_models(files)):
        return look
    guesses = [one.options for one in fits if one.evaluation in _LABELLED] or [{}]
    for options in (*guesses, {}):
        taken = {name: value for name, value in options.items() if name in _TAKEN} | dict(given)
        models, others = _told_apart(files, taken)
        if models and others:
            names = [one.source.typed for one in files]
            call = bound(documented_as("card").function, {"data": names, **taken, "judges": models})
            why = f"{', '.join(models)} {'is a model' if len(models) == 1 else 'are models'}, to judge by the name"
            line, asked = command_of(call, names, "card"), "whether a judge may stand in for people"
            own, inputs = {**taken, "judges": models}, {"data": tuple(names)}
            fit = Fit("card", why, 0.0, line, options=own, inputs=inputs, besides=asked, function="card")
            return replace(look, others=(*look.others, fit))
    return look


def as_card(look: "Look", files: "Sequence[Seen]") -> "Fit":
    """How a card reads files, whether or not a name says who is a judge. look: what else they fit."""
    from karat.evaluations.looking import Fit

    known = [one for one in (look.fit, *look.others) if one]
    found = next((one for one in with_card(look, files, {}).others if one.evaluation == "card"), None)
    options = next((one.options for one in known if one.evaluation in _LABELLED), {})
    taken = {name: value for name, value in options.items() if name in _TAKEN}
    item, repeated, draw = taken.get("columns", {}).get("item", "").partition("+")
    if repeated:  # who labels an item several times is asked several times
        taken |= {"columns": {**taken["columns"], "item": item}, "draw": draw}
    inputs = {"data": tuple(one.source.typed for one in files)}
    return found or Fit("card", "", 0.0, "", options=taken, inputs=inputs, function="card")


def _may_be_models(files: "Sequence[Seen]") -> bool:
    """Whether a name of a file, a column or a value seems to be that of a model: others are not read again."""
    from karat.evaluations.card.models import is_model

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
    from karat.evaluations.card.models import is_model
    from karat.evaluations.card.reading import annotators_in

    try:
        call = bound(documented_as("card").function, {"data": [], **options})
        sources = made_of({"data": [one.source for one in files]}, call, options)["data"]
        names = annotators_in(sources, call.settings)
        kinds = _kinds(files)
    except KaratError:
        return [], []
    models = [name for name in names if kinds.get(name) == "model" or is_model(name)]
    return models, [name for name in names if name not in models and kinds.get(name) in (None, "human", "unknown")]


def _kinds(files: "Sequence[Seen]") -> dict[str, str]:
    """What kind of annotator somebody is, where pairs say it."""
    from karat.formats.pairs import Options, read_pairs

    marked = [one for one in files if b'"annotators"' in one.source.start().content]
    read = [read_pairs(one.source, Options()) for one in marked]
    return {one.name or one.id: one.type for data in read for one in data.annotators}
