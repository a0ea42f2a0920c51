"""`adjudge.predict_preferences` and `adjudge.judge_preferences`: labels, and verdicts on explanations."""

from pathlib import Path
from typing import Annotated, Any, Literal, Unpack

from adjudge.api import _asking as asking
from adjudge.api import options as common
from adjudge.api.calls import Call, bound, documented
from adjudge.api.kinds import INPUT, INPUTS, File, Text, Texts, from_to, written
from adjudge.api.options import Option
from adjudge.api.reports import done_to
from adjudge.errors import OptionError
from adjudge.llm.predicting import Predictions
from adjudge.llm.work import Asked, asked, work_of_rows

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
    values = bound(predict_preferences, locals())
    _check(values)
    from adjudge.evaluations.preferences.baselines import constant_labels
    from adjudge.evaluations.preferences.scoring import reader_options
    from adjudge.llm.predicting import predicted_by_model, write_predictions
    from adjudge.readers.inputs import source_of
    from adjudge.readers.preferences.preferences import read_gold, read_items

    how, by_model = reader_options(values), values["predictor"] in _JUDGES
    if by_model and not {"A", "B"} <= set(how.task.labels):
        raise OptionError(
            f"labels: a language model is asked for A or B, the better response; got {', '.join(how.task.labels)}"
        )
    with values.step("reading"):
        given = [one for one in (items, train) if one is not None]
        opened = [source_of(table, values.reading, "preferences") for table in given]
        read = [reader(source, how) for reader, source in zip((read_items, read_gold), opened, strict=False)]
    told = (*done_to(opened), *(warning for one in read for warning in one.warnings))
    known, gold = read[0].frame, read[1] if read[1:] else None
    if by_model:
        return predicted_by_model(values, how.task, known, gold, told)
    frame = constant_labels(known, gold, how.task)
    write_predictions(frame, values)
    return Predictions(frame, told)


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


# --- verdicts on explanations ---


@documented
def judge_preferences(
    gold: common.LabelledItems,
    predictions: Annotated[Any, Option("A file for each system.", "PREDICTIONS", INPUTS)],
    *,
    model: asking.Model,
    system: Annotated[Texts, Option("A system's name, in the order of the files. Repeatable.", "NAME")] = (),
    criteria: common.Criteria = (),
    columns: common.Columns = None,
    prompt: asking.Prompt = None,
    output: asking.Lines = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> Asked:
    """Let a model say whether systems' explanations give the reasons that people gave.

    Arguments
    ---------
    gold: With {criterion}_explanation, and texts, where the model is to see them.

    Returns
    -------
    Asked: how many calls became what. The file has a row per explanation, as `preferences` reads with `verdicts`: id,
    system, criterion, verdict (yes, no, or null where the model gave none), and the reason.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.

    Command
    -------
    Let a model say whether systems' explanations give the reasons that people gave.

    The file written is for adjudge preferences score --verdicts. For example:

    adjudge preferences judge gold.jsonl ours.tsv --model openai/... --output verdicts.jsonl
    """
    values = bound(judge_preferences, locals())
    from adjudge.evaluations.preferences.scoring import system_names
    from adjudge.llm.answering import ExplanationJudge
    from adjudge.llm.predicting import in_words
    from adjudge.llm.prompts import template
    from adjudge.readers.inputs import sources
    from adjudge.readers.preferences import preferences as reader
    from adjudge.schemas.columns import mapped_columns
    from adjudge.schemas.preferences import make_task

    task = make_task(values["criteria"], ())
    mapped = mapped_columns(values["columns"], reader.known_columns(task))
    reading = reader.Options(task=task, columns=mapped, explanations=True)
    ours, theirs = (sources(one, values.reading, "preferences") for one in (gold, predictions))
    known = reader.read_gold(ours[0], reading)
    names = system_names(theirs, values["system"])
    read = (reader.read_predictions(one, reading, known, name) for one, name in zip(theirs, names, strict=True))
    judge = ExplanationJudge(
        template("preferences_explanation", values["prompt"]),
        in_words(known),
        [(one.name, in_words(one)) for one in read],
        task.criteria,
    )
    work = work_of_rows(judge.calls, judge.verdicts, Path(values["output"]))
    told = (*done_to([*ours, *theirs]), *known.warnings)
    return asked(values, "preferences_judge", work, {"preferences_explanation": judge.template}, told)
