"""`adjudge.look`: the contents of files, and the command that scores them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from adjudge.api.functions import takes
from adjudge.api.options import LookOptions
from adjudge.errors import AdjudgeError
from adjudge.evaluations.card.options import CardOptions
from adjudge.readers.column_names import HUMAN, NAMES, joined_key, words
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.profiling.file_profile import FileProfile
    from adjudge.profiling.result import Look, Proposal


@takes(LookOptions)
def look(options: LookOptions) -> "Look":
    """Describe a file: the evaluation that it fits, how Adjudge reads it, and the command to run.

    The meaning of its columns is guessed from common names and from values; formats of known tools are recognised
    by their content. Small files are scored on trial; nothing is written.

    Returns
    -------
    A Look. It prints as text. `command` is the command to run, or for tables a call from Python. It is None
    if information is missing, which `fit.lacking` lists.

    Raises
    ------
    OptionError for a file that is missing or cannot be opened. A file that can be opened is never refused.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"task": [1, 2], "worker": "ana", "answer": ["yes", "no"], "gold": ["yes", "yes"]})
    >>> adjudge.look(table).fit.options["columns"]
    {'item': 'task', 'annotator': 'worker', 'label': 'answer', 'reference': 'gold'}
    """
    from adjudge.profiling.file_profile import profiles_of
    from adjudge.profiling.fitting import best_fit
    from adjudge.readers.io.source import How

    how, values = How.of(options), options.values()
    files = profiles_of(options.data, how)
    given = {name: values[name] for name in options.given_names() if name != "data"}
    result = with_card(best_fit(files, given), files, given)
    if result.fit:
        fit, *others = (_as_call(each, files) for each in (result.fit, *result.others))
        result = replace(result, fit=fit, others=tuple(others))
    return replace(result, files=tuple(files))


def _as_call(fit: "Proposal", files: "Sequence[FileProfile]") -> "Proposal":
    """A fit with the call from Python if it reads a table, which a command line cannot name."""
    from adjudge.profiling.file_profile import TABLE

    tables = {file.name: file.name.replace(" ", "_") for file in files if file.format == TABLE}
    groups = fit.inputs.values()
    if tables.keys().isdisjoint(chain.from_iterable(groups)):
        return fit

    def argument_text(value: object) -> str:
        return tables.get(value, repr(value)) if isinstance(value, str) else repr(value)

    names = [[argument_text(name) for name in group] for group in groups]
    given = [group[0] if len(group) == 1 else f"[{', '.join(group)}]" for group in names]
    call = ", ".join([*given, *(f"{name}={argument_text(value)}" for name, value in fit.options.items())])
    return replace(fit, call=f"{NAME}.{fit.evaluation}({call})")


# --- the card, for files with labels of both models and humans ---

_LABELLED = ("agreement", "reliability")
"""Evaluations whose options for reading labels of several annotators also apply to a card."""
_TAKEN = ("columns", "annotator_columns", "map_values", "constant", "item_columns", "ordered", "level", "no_header")


def with_card(look: "Look", files: "Sequence[FileProfile]", given: Mapping[str, Any]) -> "Look":
    """The look with the card as another fit, if some annotators are judges and others are not.

    Judges have names of models, or label an item several times.
    """
    fits = [fit for fit in (look.fit, *look.others) if fit]
    if not (fits and fits[0].evaluation in (*_LABELLED, "annotations")):
        return look
    for guess in (*(fit.options for fit in fits if fit.evaluation in _LABELLED), {}):
        options = {**_card_options(guess), **given}
        models, people = _models_and_people(files, options)
        judges = sorted({*models, *_asked_again(files, options)})
        people = [name for name in people if name not in judges]
        reference = {*words(options.get("columns", {}).get("reference", ""))}
        if judges and (people or reference & HUMAN):
            card = _card(files, {**options, "judges": judges})
            card = replace(card, besides="whether a judge can replace human annotators")
            mutual = look.fit if look.command and look.fit and look.fit.evaluation == "agreement" else None
            if mutual and any(HUMAN & {*words(name)} for name in people):
                return replace(look, fit=replace(card, columns=mutual.columns), others=(mutual, *look.others))
            return replace(look, others=(*look.others, card))
    return look


def as_card(look: "Look", files: "Sequence[FileProfile]") -> "Proposal":
    """The card's options for reading files, whether or not a name identifies a judge. look: their other fits."""
    fits = [fit for fit in (look.fit, *look.others) if fit]
    card = next((fit for fit in with_card(look, files, {}).others if fit.evaluation == "card"), None)
    options = next((fit.options for fit in fits if fit.evaluation in _LABELLED), {})
    return card or _card(files, _card_options(options))


def _card(files: "Sequence[FileProfile]", options: Mapping[str, Any]) -> "Proposal":
    from adjudge.profiling.result import Proposal

    return Proposal("card", settings=options, files=files)


def _card_options(guess: Mapping[str, Any]) -> dict[str, Any]:
    """Options for reading labels, with a second column of the item as that of a judge's repeated runs."""
    options = {name: guess[name] for name in _TAKEN if name in guess}
    item, _, draw = options.get("columns", {}).get("item", "").partition("+")
    if joined_key(draw) in NAMES["rag"]["draw"]:
        columns = {name: theirs for name, theirs in {**options["columns"], "item": item}.items() if name != theirs}
        options |= {"columns": columns, "run_column": draw}
    return options


def _asked_again(files: "Sequence[FileProfile]", options: Mapping[str, Any]) -> list[str]:
    """The annotators with several labels on an item in a file; none if only its first rows are known."""
    table, columns = files[0].table, options.get("columns", {})
    names = [columns.get(name, name) for name in ("item", "annotator")]
    if "run_column" not in options or files[0].rows != table.height or not {*names} <= {*table}:
        return []
    return [str(who) for (_, who), count in Counter(table.rows(names)).items() if count > 1]


def _models_and_people(files: "Sequence[FileProfile]", options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The annotators that are models, and the others; both empty if the files are not read as labels."""
    from adjudge.evaluations.card.reading import annotators_in, is_model
    from adjudge.profiling.fitting import with_guesses
    from adjudge.readers.pairs.pairs import PairReading, read_pairs

    try:
        card = CardOptions.of(options)
        sources = [file.part or file.source for file in files]
        names = annotators_in(with_guesses({"data": sources}, card)["data"], card)
        marked = [source for source in sources if b'"annotators"' in source.start().content]
        annotators = [who for source in marked for who in read_pairs(source, PairReading()).annotators]
    except AdjudgeError:
        return [], []
    kinds = {who.name or who.id: who.type for who in annotators}
    models = [name for name in names if kinds.get(name) == "model" or is_model(name)]
    return models, [name for name in names if name not in models and kinds.get(name) in (None, "human", "unknown")]
