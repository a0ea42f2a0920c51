"""`adjudge.judge`: a rubric for models."""

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import Any

import polars as pl

from adjudge.api.evaluations import card
from adjudge.api.functions import takes
from adjudge.errors import AdjudgeError, MissingError, OptionError
from adjudge.evaluations.inputs import JUDGE_COLUMNS
from adjudge.llm.options import AskingOptions, JudgeOptions
from adjudge.llm.prompts import template
from adjudge.llm.rubric import Rubric, read_rubric, rubric_for
from adjudge.llm.rubric_judging import RubricJudge, check_probes, columns_of, read_items
from adjudge.llm.work import Asked, Work, ask_model, checked_prices
from adjudge.readers.inputs import source_of
from adjudge.readers.io.source import How, Source
from adjudge.readers.problems import count_words
from adjudge.render.files import write_table, write_text
from adjudge.report import Report


@dataclass(frozen=True, slots=True, eq=False)
class ModelRun:
    """The result of asking one model. seconds: of the whole work."""

    model: str
    asked: Asked
    seconds: float = 0.0

    def __str__(self) -> str:
        asked = self.asked
        if asked.plan is not None:
            return f"{self.model}: {asked.plan.counts}; {asked.price}"
        if asked.tally is None:
            return f"{self.model}: {asked if asked.batch else 'not asked'}"
        return f"{self.model}: {asked.tally}; {asked.price}; {self.seconds:,.0f} s"


@dataclass(frozen=True, slots=True, eq=False)
class JudgeLabels:
    """The labels from models; they print in a line per model, with the first table of their card.

    frame: a row per label (see docs/judges.md); None if no model was asked. runs: one per model. output: the written
    file. notes: remarks. card: of the models, if humans labelled any of the items.
    """

    frame: pl.DataFrame | None
    runs: tuple[ModelRun, ...] = ()
    output: Path | None = None
    notes: tuple[str, ...] = ()
    card: Report | None = None

    @property
    def is_incomplete(self) -> bool:
        """Whether a model answered fewer calls than asked for."""
        return any(run.asked.is_incomplete for run in self.runs)

    def __str__(self) -> str:
        lines = [str(run) for run in self.runs]
        if plans := [run.asked.plan for run in self.runs if run.asked.plan]:
            lines[0] = plans[0].prompt_text + lines[0]
        if self.frame is not None or not lines:
            lines.append(f"{self.output}: written")
        if self.card is not None:
            ordered, level = (self.card.options.get(name) for name in ("ordered", "level"))
            order = ["--ordered", quote(",".join(ordered))] if ordered else ["--level", level] * bool(level)
            more = " ".join(["adjudge card", str(self.output), *order])
            lines += ["", str(replace(self.card.summary, findings=(), cautions=(), next=(), gates=(), more=more))]
        return "\n".join(lines)


@takes(JudgeOptions)
def judge(options: JudgeOptions) -> JudgeLabels:
    """Ask models to label each item by a rubric.

    Each model, run and order of a pair gives a label; human labels in the data become rows of the same table.

    Returns
    -------
    JudgeLabels, with a frame of item, annotator, kind (human or model), criterion, label, confidence, score,
    explanation, run, position (ab or ba), probe and cost. Confidence is the probability of the label's tokens if the
    server returns it, else what the model states, from 0 to 1. Score is the expected value on a numeric scale.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.
    """
    source, output = source_of(options.data, How.of(options), None), Path(options.output)
    if options.init:
        return _written_rubric(source, output)
    if options.rubric is None or not options.model:
        lacking = "rubric" if options.rubric is None else "model"
        fix = {"rubric": "rubric.toml", "model": "openai/gpt-4o-mini"}[lacking]
        raise OptionError("is needed to ask models", option=lacking, fix=fix)
    if output.suffix == ".toml":
        raise OptionError("expected .csv, .parquet or .jsonl for labels; got .toml", option="output")
    rubric = read_rubric(options.rubric)
    check_probes(options.probe, rubric)
    for model in options.model:
        checked_prices(options, model)
    items, remarks = read_items(source, rubric, options.columns, options.human)
    judging = RubricJudge(
        rubric,
        template("rubric", options.prompt),
        items,
        options.runs,
        options.swap,
        options.confidence,
        tuple(options.probe),
        options.probe_items,
    )
    rows, errors = list[dict[str, Any]](), list[MissingError]()
    runs: list[ModelRun] = []
    for model in options.model:
        spent = sum(run.asked.cost or 0.0 for run in runs)
        try:
            run, labels = _run(options, judging, model, output, spent)
        except MissingError as error:
            errors.append(error)
            problem = "; ".join(" ".join(line.split()) for line in str(error).splitlines())
            runs.append(ModelRun(model, Asked(notes=(problem,), is_incomplete=True)))
            continue
        runs.append(run)
        rows += labels
    if errors and not rows:
        raise errors[0]
    notes = [*source.warnings, *remarks, *(note for run in runs for note in run.asked.notes)]
    if not rows:
        return JudgeLabels(None, tuple(runs), notes=tuple(dict.fromkeys(notes)))
    frame = _frame([*judging.human_labels(), *rows])
    write_table(frame, output)
    report, remarks = _card_of(frame, output, rubric)
    notes += remarks
    return JudgeLabels(frame, tuple(runs), output, tuple(dict.fromkeys(notes)), report)


def _run(
    options: JudgeOptions, judging: RubricJudge, model: str, output: Path, spent: float
) -> tuple[ModelRun, list[dict[str, Any]]]:
    """Ask one model; the rows of its labels. spent: the cost of the models before it."""
    prices, rows = checked_prices(options, model), list[dict[str, Any]]()

    def keep(labels: list[dict[str, Any]], _: Path) -> None:
        rows.extend(labels)

    cost = None if prices is None else prices.of
    work = Work(judging.calls, lambda ask: list(judging.labels(ask, model, cost)), output, keep, spent)
    start = monotonic()
    asking = AskingOptions.of({**options.values(), "model": model})
    asked = ask_model(asking, "judge", work, {"rubric": judging.template})
    return ModelRun(model, asked, monotonic() - start), rows


def _card_of(frame: pl.DataFrame, output: Path, rubric: Rubric) -> tuple[Report | None, list[str]]:
    """The card of labels, if humans and models gave some, and remarks on what it lacks."""
    orders = frame.filter(pl.col("position").is_not_null(), pl.col("probe").is_null())
    answered = orders.group_by("item", "annotator", "criterion", "run").agg(pl.len(), pl.col("label").count())
    one_alone, remarks = answered.filter(len=2, label=1).height, list[str]()
    if one_alone:
        pairs = count_words(one_alone, "pair was answered in one order alone", "pairs were answered in one order alone")
        remarks.append(f"{pairs}, the other order has no label")
    if frame.drop_nulls("label")["kind"].n_unique() <= 1:
        return None, remarks
    try:
        return card(output, **_order_of(rubric)), remarks
    except AdjudgeError as error:
        return None, [*remarks, f"no card: {error}"]


def _order_of(rubric: Rubric) -> dict[str, Any]:
    """The options of a card that say how labels are ordered, if they are so by all criteria."""
    criteria = [*rubric.criteria.values()]
    if not any(one.scale for one in criteria):
        return {"level": "ordinal" if all(one.is_whole for one in criteria) else "interval"}
    first, *others = {one.scale if one.ordered else () for one in criteria}
    return {"ordered": [*first]} if first and not others else {}


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    numbers = {"confidence", "score", "cost"}
    return pl.DataFrame(rows, schema={name: pl.Float64 if name in numbers else pl.String for name in JUDGE_COLUMNS})


def _written_rubric(source: Source, output: Path) -> JudgeLabels:
    """Write a rubric that fits the columns of a table."""
    if output.suffix != ".toml":
        raise OptionError("expected a rubric as .toml", option="output", fix="rubric.toml")
    write_text(rubric_for(columns_of(source)), output)
    return JudgeLabels(None, output=output, notes=("complete the questions before you ask a model",))
