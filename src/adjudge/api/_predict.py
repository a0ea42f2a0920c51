"""`adjudge.predict_preferences`."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from adjudge.api import _asking as asking
from adjudge.api import options as common
from adjudge.api.calls import Call, bound, documented
from adjudge.api.kinds import INPUT, File, Text, from_to, written
from adjudge.api.options import Option
from adjudge.api.reports import done_to
from adjudge.errors import OptionError
from adjudge.render.files import write_whole

if TYPE_CHECKING:
    import polars as pl

    from adjudge.estimate import Estimate

_ASKING = ("prompt", *asking.Asking.__annotations__)
_TRAINED = ("shots", "objective", "fit_items")
"""Options of a judge that say what it does with `train`."""
_USES: dict[str, tuple[str, ...]] = {
    "majority": ("train",),
    "longer": (),
    "judge": ("train", "model", "swap", "samples", "criteria_per_prompt", *_TRAINED, *_ASKING),
    "baseline": ("model", *_ASKING),
}
"""Options that a predictor has a use for, of those that not all have."""

_JUDGES = ("judge", "baseline")
"""Predictors that ask a language model."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions for items.

    frame: id, and `CRITERION_preference` (and `CRITERION_explanation` where it gives any) for each criterion. notes:
    remarks. asked: of a language model, how many calls became what; there is no frame where it was not asked (a dry
    run, a batch file). position_inconsistency: of a judge that was asked in both orders, the share of its answers (of
    an item on a criterion) that differ between them.
    """

    frame: "pl.DataFrame | None"
    notes: tuple[str, ...] = ()
    asked: asking.Asked | None = None
    position_inconsistency: "Estimate | None" = None


@documented
def predict_preferences(
    items: Annotated[Any, Option("A table of id, instruction, output_a, output_b.", "ITEMS", INPUT)],
    *,
    predictor: Annotated[
        Literal["majority", "longer", "judge", "baseline"], Option("The method of prediction.")
    ] = "judge",
    train: Annotated[Any, Option("Labelled items to learn from.", "GOLD", INPUT)] = None,
    model: Annotated[Text, Option("The language model, as PROVIDER/NAME.", "MODEL")] = None,
    shots: Annotated[int, Option("How many items of --train a judge is shown.", kind=from_to(0))] = 4,
    swap: Annotated[bool, Option("Ask a judge in both orders of the responses.")] = True,
    samples: Annotated[int, Option("How often a judge is asked in each order.", kind=from_to(1))] = 1,
    criteria_per_prompt: Annotated[int, Option("How many criteria a judge is asked at once.", kind=from_to(1))] = 5,
    objective: Annotated[
        Literal["accuracy", "balanced_accuracy"],
        Option("What predictions are to be good at: as many items as possible, or each label alike, however rare."),
    ] = "accuracy",
    fit_items: Annotated[
        int,
        Option(
            "How many items of --train a judge is asked about, to learn how to correct it; 0 for none.", kind=from_to(0)
        ),
    ] = 200,
    prompt: asking.Prompt = None,
    criteria: common.Criteria = (),
    labels: common.Labels = (),
    columns: common.Columns = None,
    seed: common.Seed = 0,
    on_invalid: common.OnInvalid = "error",
    output: Annotated[File, Option("The .tsv to write.", "FILE", written(".tsv"), required=True)] = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> Predictions:
    """Predict which of two responses people prefer: from labelled items, by a rule, or by a language model.

    Arguments
    ---------
    predictor: majority predicts the most frequent label of train; longer the longer response, and both_good where both
        are equally long; judge asks a language model, in both orders; baseline asks it once, in one plain prompt (both
        need adjudge[models]).
    train: For majority and judge.
    samples: The most frequent label counts; without train, A and B that are level become both_good.
    objective: Of a judge that is corrected by train. For accuracy the most probable label, which favours common ones;
        for balanced_accuracy a rare label counts as much as a common one.

    Returns
    -------
    Predictions: a frame in the form of a submission, and notes.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed.
    """
    asked = bound(predict_preferences, locals())
    _check(asked)
    if asked["predictor"] in _JUDGES:
        from adjudge.api._predict_judge import judged

        by = judged(asked)
        return Predictions(by.frame, notes=by.asked.notes, asked=by.asked, position_inconsistency=by.inconsistency)
    from adjudge.evaluations.preferences.baselines import constant_labels
    from adjudge.evaluations.preferences.scoring import reader_options
    from adjudge.readers.inputs import source_of
    from adjudge.readers.io.source import how_of
    from adjudge.readers.preferences.preferences import read_gold, read_items

    how = reader_options(asked)
    with asked.step("reading"):
        given = [one for one in (items, train) if one is not None]
        opened = [source_of(table, how_of(asked), "preferences") for table in given]
        known, gold = read_items(opened[0], how), None if train is None else read_gold(opened[1], how)
    told = known.warnings if gold is None else (*known.warnings, *gold.warnings)
    frame = constant_labels(known.frame, gold, how.task)
    if asked["output"] is not None:
        write_whole(asked["output"], partial(frame.write_csv, separator="\t"))
    return Predictions(frame, (*done_to(opened), *told))


def _check(asked: Call) -> None:
    """Raises OptionError for a predictor without what it learns from, and for options that it has no use for."""
    predictor, train = asked["predictor"], asked["train"]
    if predictor == "majority" and train is None:
        raise OptionError("predictor: majority needs labelled items to learn from (--train)")
    if predictor in _JUDGES and asked["model"] is None:
        raise OptionError(f"predictor: {predictor} needs a language model (--model)")
    useful = _USES[predictor]
    known = dict.fromkeys(one for many in _USES.values() for one in many)
    unused = asked.set_among(name for name in known if name not in useful)
    if unused:
        why = "" if useful else ": it learns nothing"
        raise OptionError(f"{unused[0]}: the predictor {predictor} does not use it{why}")
    if predictor == "judge" and train is None and (unused := asked.set_among(_TRAINED)):
        raise OptionError(f"{unused[0]}: a judge has no use for it without labelled items (--train)")
