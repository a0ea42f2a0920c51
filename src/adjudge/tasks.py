"""Adjudge's questions as tasks of Inspect: `inspect eval adjudge/preferences_judge -T items=gold.jsonl --model ...`.

A sample is an item. Its scores are 1 and 0, as `adjudge NAME` counts the item; unanswered items have no score.
`adjudge NAME` reads the log as labels, predictions, answers or verdicts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from inspect import signature
from itertools import product
from math import nan
from statistics import fmean
from typing import Any, ParamSpec

import anyio
import polars as pl
from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect
from rich.markup import escape

import adjudge
from adjudge.errors import AdjudgeError
from adjudge.evaluations.violations.metrics import OUTCOMES
from adjudge.llm.answering import Answering
from adjudge.llm.asking import Ask, Calls
from adjudge.llm.calls import Call, Reply, Status
from adjudge.llm.checking import Checker, checked_lines
from adjudge.llm.inspecting import InspectAsker
from adjudge.llm.judging import Corrected, Judge, predictions
from adjudge.llm.options import AskingOptions
from adjudge.llm.predicting import in_words, read_gold
from adjudge.llm.prompts import template
from adjudge.llm.rubric import read_rubric
from adjudge.llm.rubric_judging import RubricJudge, read_items
from adjudge.llm.violation_texts import rules_of, texts_of, truth_of
from adjudge.options.shared import Reading
from adjudge.readers.inputs import source_of
from adjudge.report import Report
from adjudge.version import NAME

TIMEOUT = 120
"""Seconds until an attempt is aborted."""

NameList = str | list[str]
"""Inspect parses `-T criteria=one,two` as a list, and `-T criteria=one` as a text."""

Rows = Iterable[dict[str, Any]]

ItemWork = Callable[[str, Ask], Rows]
"""From an item's name, and a function that asks calls about it, to the rows of its answer."""

Scored = Callable[[str, list[dict[str, Any]]], Mapping[str, float | None]]
"""From an item's name and its rows to its scores, with the same names for every item; None without a score."""

Given = ParamSpec("Given")


def _plainly(make: Callable[Given, Task]) -> Callable[Given, Task]:
    """An Inspect task whose errors are shown as a message without a traceback."""

    @wraps(make)
    def make_task(*given: Given.args, **named: Given.kwargs) -> Task:
        try:
            signature(make).bind(*given, **named)  # raises TypeError for an argument that is missing or unknown
            return make(*given, **named)
        except (AdjudgeError, TypeError) as error:
            raise PrerequisiteError(f"{make.__name__}: {escape(str(error))}") from None

    return task(make_task)


@_plainly
def judge(
    data: str,
    rubric: str,
    human: NameList = "",
    runs: int = 1,
    swap: bool = True,  # noqa: FBT001, FBT002 - Inspect gives it by name
    prompt: str | None = None,
) -> Task:
    """A rubric's question about each item. An item's score is the share of its human labels that the model gives."""
    held = read_rubric(rubric)
    items, _ = read_items(source_of(data, evaluation=None), held, {}, _names(human))
    known, asked = {item.id: item for item in items}, template("rubric", prompt)

    def judging(name: str) -> RubricJudge:
        return RubricJudge(held, asked, [known[name]], runs, swap)

    def work(name: str, ask: Ask) -> Rows:
        return [*judging(name).human_labels(), *judging(name).labels(ask, str(get_model()), None)]

    def score_state(_: str, rows: list[dict[str, Any]]) -> dict[str, float | None]:
        sides = [[row for row in rows if row["kind"] == kind and row["label"]] for kind in ("model", "human")]
        pairs = [(one, by) for one, by in product(*sides) if one["criterion"] == by["criterion"]]
        same = [(one["criterion"], one["label"] == by["label"]) for one, by in pairs]
        return {each: _mean(equal for name, equal in same if name == each) for each in held.criteria}

    return _task({item.id: "\n".join(item.shown.values()) for item in items}, work, score_state)


@_plainly
def preferences_judge(
    items: str,
    criteria: NameList = "",
    swap: bool = True,  # noqa: FBT001, FBT002 - Inspect gives it by name
    prompt: str | None = None,
) -> Task:
    """Which response do humans prefer? items: labelled items, a row each."""
    gold = read_gold(items, _names(criteria))
    table = in_words(gold)
    judge = Judge(gold.task, template("preferences_judge", prompt), swap)

    def items_named(name: str) -> pl.DataFrame:
        return table.filter(pl.col("id") == name)

    def work(name: str, ask: Ask) -> Rows:
        votes = judge.votes(items_named(name), ask)
        return predictions(items_named(name), votes, gold.task, Corrected(gold.task)).to_dicts()

    def score_state(name: str, rows: list[dict[str, Any]]) -> dict[str, float | None]:
        mine = pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String))
        report = adjudge.preferences(items_named(name), mine, system="judge", criteria=gold.task.criteria)
        return dict.fromkeys(gold.task.criteria) | _by_part(report)

    return _task(dict(table.select("id", "instruction").iter_rows()), work, score_state)


@_plainly
def rag_robustness(
    questions: str,
    ability: str = "noise_robustness",
    noise_ratio: float = 0.4,
    passages: int = 5,
    seed: int = 0,
    prompt: str | None = None,
) -> Task:
    """Does a model answer from documents that are noisy, empty, scattered or false? questions: in the form of RGB."""
    noise = None if ability == "negative_rejection" else [noise_ratio]
    prepared = adjudge.prepare_rag(questions, ability=ability, noise=noise, passages=passages, seed=seed)  # type: ignore[arg-type]
    prompts = {str(one["id"]): one for one in prepared.prompts}
    asked = template("rag_answer", prompt)

    def work(name: str, ask: Ask) -> Rows:
        return Answering(asked, [prompts[name]], str(get_model())).answers(ask)

    def score_state(_: str, rows: list[dict[str, Any]]) -> dict[str, float | None]:
        return {ability: None} | _by_part(adjudge.rag(pl.DataFrame(rows)))

    return _task({name: str(one["query"]) for name, one in prompts.items()}, work, score_state)


@_plainly
def violations_check(texts: str, rules: str, prompt: str | None = None) -> Task:
    """Which passages break a rule? texts: the truth, in any format of violations; rules: a table of them."""
    (known, _), (listed, _) = texts_of(texts), rules_of(rules, Reading())
    asked = template("violations_baseline", prompt)

    def work(name: str, ask: Ask) -> Rows:
        one = Checker(asked, {name: known[name]}, listed)
        return checked_lines(one.find(ask), one.texts, one.label(str(get_model())))

    def score_state(name: str, rows: list[dict[str, Any]]) -> dict[str, float | None]:
        found = adjudge.violations(truth_of(texts, name), pl.DataFrame(rows)).outcomes.first
        count = {one: found.filter(pl.col("outcome") == one, pl.col("variant") == "std").height for one in OUTCOMES}
        right, invented, missed = count.values()
        return {
            name: _mean([True] * right + [False] * wrong)
            for name, wrong in (("precision", invented), ("recall", missed))
        }

    return _task(known, work, score_state)


# --- reading ---


def _names(given: NameList) -> list[str]:
    """Names with commas between them, or as a list."""
    many = given.split(",") if isinstance(given, str) else given
    return [one.strip() for one in many if one.strip()]


# --- scores of an item ---


def _by_part(report: Report) -> dict[str, float | None]:
    """The outcome of each part of an item; None where there is no answer."""
    rows = report.outcomes.first.iter_rows(named=True)
    return {row["part"]: None if row["outcome"] == "missing" else row["value"] for row in rows}


def _mean(values: Iterable[bool | None]) -> float | None:
    known = [float(one) for one in values if one is not None]
    return fmean(known) if known else None


# --- what all tasks share ---


def _task(shown: Mapping[str, str | None], work: ItemWork, scored: Scored) -> Task:
    samples = [Sample(id=name, input=text or name) for name, text in shown.items()]
    config = GenerateConfig(attempt_timeout=TIMEOUT)
    return Task(dataset=MemoryDataset(samples), solver=_works(work), scorer=_outcomes(scored), config=config)


@solver(name=f"{NAME}/works")
def _works(work: ItemWork) -> Solver:
    """Does the work of the item that a sample names, with one model for all, and keeps the rows in the store.

    Beside the rows stand how many calls were answered, and why others were not.
    """
    askers: list[InspectAsker] = []

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - our own is used
        if not askers:
            model = get_model()
            askers.append(InspectAsker(AskingOptions(model=str(model)), model))
        replies: list[Reply] = []

        async def replies_to(calls: list[Call]) -> list[Reply]:
            answers = await collect(*(askers[0].reply(call) for call in calls))
            for _, output in answers:
                if output is not None and output.choices:
                    state.output = output
            return [reply for reply, _ in answers]

        def ask(calls: Calls) -> Iterator[tuple[Call, Reply]]:
            asked = [*calls()]
            answers = anyio.from_thread.run(replies_to, asked)
            replies.extend(answers)
            yield from zip(asked, answers, strict=True)

        rows = await anyio.to_thread.run_sync(lambda: list(work(str(state.sample_id), ask)))
        lost = [reply for reply in replies if reply.status != Status.ANSWERED]
        reasons = dict.fromkeys(f"{reply.status.value}: {reply.reason}" for reply in lost)
        state.store.set(NAME, {"rows": rows, "answered": len(replies) - len(lost), "reasons": [*reasons]})
        return state

    return solve


@metric
def mean() -> Metric:
    """The mean of the samples that have a score; NaN, and not 0, without any."""

    def mean_of(scores: list[SampleScore]) -> float:
        return fmean(one.score.as_float() for one in scores) if scores else nan

    return mean_of


def _outcomes(scored: Scored) -> Scorer:
    """The scores of an item; unscored if the model answered nothing, with the error as the explanation."""

    @scorer(metrics={"*": [mean()]}, name=f"{NAME}/outcomes")
    def make_metric() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the reference has it
            done = state.store.get(NAME) or {"rows": [], "answered": 0, "reasons": []}
            why = "; ".join(done["reasons"])
            if not done["answered"]:
                return Score.unscored(reason="no_answer", explanation=f"no answer: {why}")
            values = scored(str(state.sample_id), done["rows"]) if done["rows"] else {}
            known = {name: nan if value is None else value for name, value in values.items()}
            if all(value is None for value in values.values()):
                return Score.unscored(reason="nothing_to_score", explanation=why or "nothing to score")
            return Score(value=known, explanation=why or None)

        return score

    return make_metric()
