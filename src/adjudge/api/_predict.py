"""`adjudge.predict_preferences` and `adjudge.judge_preferences`: labels, and verdicts on explanations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from adjudge.api import _asking as asking
from adjudge.api import options as common
from adjudge.api.calls import Call, bound, documented
from adjudge.api.kinds import INPUT, INPUTS, File, Text, Texts, from_to, written
from adjudge.api.options import Option
from adjudge.api.reports import done_to
from adjudge.errors import OptionError
from adjudge.render.files import write_whole

if TYPE_CHECKING:
    import polars as pl

    from adjudge.estimate import Estimate
    from adjudge.llm.asking import Ask
    from adjudge.llm.calls import Call as ModelCall
    from adjudge.llm.judging import Judge
    from adjudge.schemas.preferences import JudgedItems, Task

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

_FEW = "no more items of train have a label on each criterion"
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
    from adjudge.evaluations.preferences.baselines import constant_labels
    from adjudge.evaluations.preferences.scoring import reader_options
    from adjudge.readers.inputs import source_of
    from adjudge.readers.preferences.preferences import read_gold, read_items

    how, by_model = reader_options(asked), asked["predictor"] in _JUDGES
    if by_model and not {"A", "B"} <= set(how.task.labels):
        raise OptionError(
            f"labels: a language model is asked for A or B, the better response; got {', '.join(how.task.labels)}"
        )
    with asked.step("reading"):
        given = [one for one in (items, train) if one is not None]
        opened = [source_of(table, asked.reading, "preferences") for table in given]
        read = [reader(source, how) for reader, source in zip((read_items, read_gold), opened, strict=False)]
    told = (*done_to(opened), *(warning for one in read for warning in one.warnings))
    known, gold = read[0].frame, read[1] if read[1:] else None
    if by_model:
        return _predicted_by_model(asked, how.task, known, gold, told)
    frame = constant_labels(known, gold, how.task)
    _write_predictions(frame, asked)
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


def _write_predictions(frame: "pl.DataFrame", asked: Mapping[str, Any]) -> None:
    if asked["output"] is not None:
        write_whole(asked["output"], partial(frame.write_csv, separator="\t"))


def _predicted_by_model(
    given: Call, task: "Task", items: "pl.DataFrame", gold: "JudgedItems | None", told: Iterable[str]
) -> Predictions:
    from adjudge.llm.judging import Judge
    from adjudge.llm.prompts import template

    plain, name = given["predictor"] == "baseline", f"preferences_{given['predictor']}"
    train, shots, notes = learnt_from(None if gold is None else in_words(gold), items, task, given)
    judge = Judge(
        task,
        template(name, given["prompt"]),
        len(task.criteria) if plain else given["criteria_per_prompt"],
        given["swap"] and not plain,
        1 if plain else given["samples"],
        shots,
    )
    fitted = None if train is None else drawn(train, given["fit_items"], given["seed"])
    made = _Predicted(judge, items, fitted, given)
    work, unused = asking.Work(made.first, made.gathered, made.write), () if shots is not None else ("shots", "answers")
    asked = asking.asked(given, name, work, {name: judge.template}, (*told, *notes), unused)
    return Predictions(made.frame, asked.notes, asked, made.inconsistency)


def learnt_from(
    train: "pl.DataFrame | None", items: "pl.DataFrame", task: "Task", given: Mapping[str, Any]
) -> "tuple[pl.DataFrame | None, pl.DataFrame | None, list[str]]":
    """The labelled items for the correction, those that are shown as examples, and notes on what is left out.

    given: with shots and seed. No item that is judged is learnt from. Raises OptionError where there are no others.
    """
    from adjudge.llm.judging import apart, balanced
    from adjudge.readers.problems import counted

    if train is None:
        return None, None, []
    others, notes = apart(train, items), []
    if others.is_empty():
        raise OptionError("train: expected labelled items other than those to be judged; got these alone")
    if others.height < train.height:
        left_out = counted(train.height - others.height, "item of train is", "items of train are")
        notes.append(f"{left_out} left out, since the items to judge hold them too")
    if not given["shots"]:
        return others, None, notes
    shots = balanced(others, task, given["shots"], given["seed"])
    if shots.height < given["shots"]:
        shown = counted(shots.height, "example is", "examples are")
        notes.append(f"{shown} shown, not {given['shots']:,}: {_FEW}")
    return others.join(shots.select("id"), on="id", how="anti"), shots, notes


def drawn(train: "pl.DataFrame", count: int, seed: int) -> "pl.DataFrame | None":
    """The items that the correction is learnt from."""
    return train.sample(min(count, train.height), shuffle=True, seed=seed) if count else None


@dataclass(slots=True, eq=False)
class _Predicted:
    """Predictions of items, as work for a model."""

    judge: "Judge"
    items: "pl.DataFrame"
    train: "pl.DataFrame | None"
    given: Mapping[str, Any]
    frame: "pl.DataFrame | None" = None
    inconsistency: "Estimate | None" = None

    def first(self) -> "Iterator[ModelCall]":
        if self.train is not None:
            yield from self.judge.calls(self.train)
        yield from self.judge.calls(self.items)

    def gathered(self, ask: "Ask") -> list[str]:
        """Predict, and say how often the two orders differ."""
        from adjudge.llm.judging import Corrected, Plurality, predictions

        rule: Corrected | Plurality = Plurality(self.judge.task.labels)
        if self.train is not None:
            rule = Corrected(self.judge.task, self.given["objective"]).fit(
                self.judge.votes(self.train, ask), self.train
            )
        votes = self.judge.votes(self.items, ask)
        self.frame = predictions(self.items, votes, self.judge.task, rule)
        self.inconsistency = votes.inconsistency() if self.judge.swap else None
        return [] if self.inconsistency is None else [_inconsistent(self.inconsistency)]

    def write(self, notes: list[str]) -> list[str]:
        if self.frame is not None:
            _write_predictions(self.frame, self.given)
        return [f"the prompt was {self.judge.template.signed}", *notes]


def _inconsistent(estimate: "Estimate") -> str:
    """How often the two orders differ, in a line."""
    from adjudge.render.numbers import figure_text, interval_text
    from adjudge.spec import MetricSpec

    if estimate.value is None:
        return f"position inconsistency is undefined: {estimate.reason}"
    limits = interval_text(estimate.low, estimate.high, MetricSpec("Position inconsistency", ""))
    share = f"{figure_text(estimate.value, percent=True)}{f' [{limits}]' if limits else ''}"
    return f"position inconsistency: the two orders give different labels in {share} of {estimate.n:,} labels"


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
) -> asking.Asked:
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
    work = asking.work_of_rows(judge.calls, judge.verdicts, Path(values["output"]))
    told = (*done_to([*ours, *theirs]), *known.warnings)
    return asking.asked(values, "preferences_judge", work, {"preferences_explanation": judge.template}, told)


def read_gold(gold: Any, criteria: Sequence[str]) -> "JudgedItems":
    """Labelled items of a file in any format."""
    from adjudge.readers.inputs import source_of
    from adjudge.readers.preferences import preferences as reader
    from adjudge.schemas.preferences import make_task

    source = source_of(gold, evaluation="preferences")
    return reader.read_gold(source, reader.Options(task=make_task(criteria, ())))


def in_words(judged: "JudgedItems") -> "pl.DataFrame":
    """Items with their labels and explanations in words, in columns as files call them."""
    import polars as pl

    from adjudge.readers.preferences.preferences import file_column
    from adjudge.schemas.preferences import LABEL

    words = dict(enumerate((None, *judged.task.labels)))
    return judged.frame.select(
        pl.col(name).replace_strict(words, return_dtype=pl.String).alias(file_column(name))
        if name.startswith(LABEL)
        else pl.col(name).alias(file_column(name) if ":" in name else name)
        for name in judged.frame.columns
    )
