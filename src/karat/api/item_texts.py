"""What the inputs of a saved run say of its items, for reading."""

from pathlib import Path
from typing import TYPE_CHECKING

from karat.api.options import documented_as, further_inputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.evaluations.scoring import Row, Texts
    from karat.formats.saved_runs import Run
    from karat.formats.source import Source


def item_texts(run: "Run", rows: "Sequence[Row]") -> "list[Texts] | str":
    """The texts of some rows of a run, each name -> text, cut to what one reads; or why they are not at hand.

    A run's inputs are at hand where they are still where they were, and as they were. They are read again as its
    options say.
    """
    for one in run.inputs:
        if not Path(one.path).is_file():
            return f"{one.path} is not there"
    try:
        return _texts(run, rows)
    except (KeyError, TypeError, ValueError):
        return "it does not say how they were read as this version of Karat does"


def _texts(run: "Run", rows: "Sequence[Row]") -> "list[Texts] | str":
    from karat.evaluations.scoring import scoring
    from karat.formats.source import sources

    evaluation = scoring(run.evaluation)
    read = sources([one.path for one in run.inputs], run.options.get("input_format"), run.evaluation)
    for one, source in zip(run.inputs, read, strict=True):
        if source.sha256() != one.sha256:
            return f"{one.path} was changed since"
    return evaluation.texts(evaluation.read(_inputs(run, read), run.options), rows)


def _inputs(run: "Run", read: "list[Source]") -> "dict[str, list[Source]]":
    """The inputs by argument: without those that options name, which stand last; the second argument has the rest."""
    known = documented_as(run.evaluation)
    own = read[: len(read) - len(further_inputs(known.function, run.options))]
    names = [name for name, one in known.arguments.items() if one.positional]
    return {names[0]: own} if len(names) == 1 else {names[0]: own[:1], names[1]: own[1:]}
