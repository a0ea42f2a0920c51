"""`adjudge.look`: what files are, and how they would be scored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from adjudge.api.functions import takes
from adjudge.api.options import LookOptions
from adjudge.errors import AdjudgeError
from adjudge.evaluations.card.options import CardOptions
from adjudge.options.command_lines import command_of
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.profiling.file_profile import Seen
    from adjudge.profiling.result import EvaluationFit, Look

_PLACES = 8
"""How many lists within a file are looked into."""


@takes(LookOptions)
def look(options: LookOptions) -> "Look":
    """What a file is, which evaluation it fits, how Adjudge reads it, and the command line to run.

    The meaning of its columns is guessed from common names and from values; formats of known tools are told
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
    from adjudge.profiling.fitting import best_fit
    from adjudge.profiling.input_files import file_summary, files_of
    from adjudge.profiling.nested_lists import are_judgments, lists_in
    from adjudge.readers.io.source import how_of

    how, values = how_of(options), options.values()
    files = files_of(options.data, how)
    given = {name: values[name] for name in options.given() if name != "data"}
    found = best_fit(files, given)
    own = found.fit is not None and found.fit.format is not None
    places = [] if found.command or own else lists_in(files)
    for place in places:
        inner = files_of(place, how)
        within = best_fit(inner, given)
        if are_judgments(inner[0], within) and (within.command or not found.fit):
            files, found = inner, within
        if found.command:
            break
        places += lists_in(inner) if len(places) < _PLACES else []
    found = with_card(found, files, given)
    if found.fit:
        fit, *others = (_called(one, files) for one in (found.fit, *found.others))
        found = replace(found, fit=fit, others=tuple(others))
    return replace(found, files=tuple(file_summary(one) for one in files))


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


# --- the card, where files hold labels of models beside those of people ---

_LABELLED = ("agreement", "reliability")
"""Evaluations whose options say how labels of several annotators are read, by a card too."""
_READ = (*_LABELLED, "annotations")
"""Evaluations of what a card reads."""
_TAKEN = ("columns", "annotator_columns", "map_values", "constant", "item_columns", "ordered", "level")


def with_card(look: "Look", files: "Sequence[Seen]", given: Mapping[str, Any]) -> "Look":
    """The look with the card among what else files fit, where some annotators are judges and others are not.

    These are models, to judge by their names, or are asked several times about an item, as only judges are.
    """
    from adjudge.profiling.judge_names import judges_in_words, may_name_models, repeated_annotators, with_run_column
    from adjudge.profiling.result import EvaluationFit

    fits = [one for one in (look.fit, *look.others) if one]
    if not (fits and fits[0].evaluation in _READ):
        return look
    guesses = [one.options for one in fits if one.evaluation in _LABELLED] or [{}]
    by_name = may_name_models(files)
    for options in (*guesses, {}) if by_name else guesses:
        taken = {name: value for name, value in options.items() if name in _TAKEN} | dict(given)
        again = repeated_annotators(files, taken)
        read = with_run_column(taken) if again else taken
        again = again if all(one.rows == one.table.height for one in files) else []  # others may follow
        models, people = _told_apart(files, read) if by_name else ([], [])
        judges, others = [*models, *(one for one in again if one not in models)], [*({*people} - {*again})]
        if judges and (others or not models):  # those who are asked again are not all
            names, chosen = [one.source.typed for one in files], {**read, "judges": judges}
            card = EvaluationFit(
                "card",
                judges_in_words(models, again),
                0.0,
                command_of(CardOptions.of({"data": names, **chosen}), names, "card"),
                options=chosen,
                inputs={"data": tuple(names)},
                besides="whether a judge may stand in for people",
                function="card",
            )
            return replace(look, others=(*look.others, card))
    return look


def as_card(look: "Look", files: "Sequence[Seen]") -> "EvaluationFit":
    """How a card reads files, whether or not a name says who is a judge. look: what else they fit."""
    from adjudge.profiling.judge_names import with_run_column
    from adjudge.profiling.result import EvaluationFit

    known = [one for one in (look.fit, *look.others) if one]
    found = next((one for one in with_card(look, files, {}).others if one.evaluation == "card"), None)
    options = next((one.options for one in known if one.evaluation in _LABELLED), {})
    taken = {name: value for name, value in options.items() if name in _TAKEN}
    inputs = {"data": tuple(one.source.typed for one in files)}
    return found or EvaluationFit("card", "", 0.0, "", options=with_run_column(taken), inputs=inputs, function="card")


def _told_apart(files: "Sequence[Seen]", options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The annotators that are models, and the others; nobody where the files are not read as labels."""
    from adjudge.evaluations.card.reading import annotators_in, is_model
    from adjudge.profiling.guesses import with_guesses
    from adjudge.profiling.judge_names import annotator_kinds

    try:
        card = CardOptions.of(options)
        sources = with_guesses({"data": [one.source for one in files]}, card, options)["data"]
        names = annotators_in(sources, card)
        kinds = annotator_kinds(files)
    except AdjudgeError:
        return [], []
    models = [name for name in names if kinds.get(name) == "model" or is_model(name)]
    return models, [name for name in names if name not in models and kinds.get(name) in (None, "human", "unknown")]
