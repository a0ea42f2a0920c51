"""Preferences that a model predicts: what it learns from, its work, and the file of its labels."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from adjudge.errors import OptionError
from adjudge.estimate import Estimate
from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call
from adjudge.llm.judging import TOGETHER, Corrected, Judge, balanced, predictions, without_judged
from adjudge.llm.options import AskingOptions, PredictOptions
from adjudge.llm.prompts import template
from adjudge.llm.work import Asked, Work, ask_model
from adjudge.readers.inputs import source_of
from adjudge.readers.preferences import preferences as reader
from adjudge.readers.problems import count_words
from adjudge.render.files import write_whole
from adjudge.render.numbers import interval_text, number_text
from adjudge.schemas.preferences import JudgedItems, Task, make_task
from adjudge.spec import MetricSpec

_FITTED = 200
"""The most labelled items that a judge is corrected by."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions for items; they print in a line.

    frame: id, and `CRITERION_preference` (and `CRITERION_explanation` where it gives any) for each criterion. notes:
    remarks. asked: of a language model, how many calls became what; there is no frame where it was not asked (a dry
    run, a batch file). position_inconsistency: of a judge that was asked in both orders, the share of its answers (of
    an item on a criterion) that differ between them. output: the file that was written.
    """

    frame: pl.DataFrame | None
    notes: tuple[str, ...] = ()
    asked: Asked | None = None
    position_inconsistency: Estimate | None = None
    output: str | Path | None = None

    @property
    def is_incomplete(self) -> bool:
        """Whether a model answered fewer calls than asked for."""
        return self.asked is not None and self.asked.is_incomplete

    def __str__(self) -> str:
        if self.asked is not None or self.frame is None:
            return str(self.asked)
        return f"{f'{self.output}: ' if self.output else ''}{self.frame.height:,} items predicted"


def write_predictions(frame: pl.DataFrame, options: PredictOptions) -> None:
    """Write predictions, where a file is named."""
    if options.output is not None:
        write_whole(Path(options.output), partial(frame.write_csv, separator="\t"))


def predicted_by_model(
    options: PredictOptions, task: Task, items: pl.DataFrame, gold: JudgedItems | None, told: Iterable[str]
) -> Predictions:
    """The labels that a model predicts, or what asking it would take.

    gold: labelled items to learn from. told: what to say before all else.
    """
    plain, name = options.predictor == "baseline", f"preferences_{options.predictor}"
    table = None if gold is None else in_words(gold)
    train, shots, notes = _split_train(table, items, task, options.shots, options.seed)
    together = len(task.criteria) if plain else TOGETHER
    judge = Judge(task, template(name, options.prompt), options.swap and not plain, together, shots)
    fitted = None
    if train is not None:
        fitted = train.sample(min(_FITTED, train.height), shuffle=True, seed=options.seed)
    made: list[tuple[pl.DataFrame, Estimate | None]] = []

    def first() -> Iterator[Call]:
        if fitted is not None:
            yield from judge.calls(fitted)
        yield from judge.calls(items)

    def gathered(ask: Ask) -> None:
        rule = Corrected(task)
        if fitted is not None:
            rule.fit(judge.votes(fitted, ask), fitted)
        votes = judge.votes(items, ask)
        made.append((predictions(items, votes, task, rule), votes.inconsistency() if judge.swap else None))

    def write(*_: object) -> list[str]:
        frame, inconsistency = made[-1]
        write_predictions(frame, options)
        inconsistent = [] if inconsistency is None else [_inconsistent(inconsistency)]
        return [f"the prompt was {judge.template.signed}", *inconsistent]

    work = Work(first, gathered, None if options.output is None else Path(options.output), write)
    asked = ask_model(AskingOptions.of(options.values()), name, work, {name: judge.template}, (*told, *notes))
    frame, inconsistency = made[-1] if made else (None, None)
    return Predictions(frame, asked.notes, asked, inconsistency)


def _split_train(
    train: pl.DataFrame | None, items: pl.DataFrame, task: Task, shots: int, seed: int
) -> "tuple[pl.DataFrame | None, pl.DataFrame | None, list[str]]":
    """The labelled items for the correction, those that are shown as examples, and notes on what is left out.

    No item that is judged is learnt from. Raises OptionError where there are no others.
    """
    if train is None:
        return None, None, []
    others, notes = without_judged(train, items), []
    if others.is_empty():
        raise OptionError("expected labelled items other than those to be judged; got these alone", option="train")
    if others.height < train.height:
        left_out = count_words(train.height - others.height, "item of train is", "items of train are")
        notes.append(f"{left_out} left out, since the items to judge hold them too")
    if not shots:
        return others, None, notes
    shown = balanced(others, task, shots, seed)
    return others.join(shown.select("id"), on="id", how="anti"), shown, notes


def _inconsistent(estimate: Estimate) -> str:
    """How often the two orders differ, in a line."""
    if estimate.value is None:
        return f"position inconsistency is undefined: {estimate.reason}"
    limits = interval_text(estimate.low, estimate.high, MetricSpec("Position inconsistency", ""))
    share = f"{number_text(estimate.value, percent=True)} {limits}".rstrip()
    return f"position inconsistency: the two orders give different labels in {share} of {estimate.n:,} labels"


def read_gold(gold: object, criteria: Sequence[str]) -> JudgedItems:
    """Labelled items of a file in any format."""
    source = source_of(gold, evaluation="preferences")
    return reader.read_gold(source, reader.PreferenceReading(task=make_task(criteria, ())))


def in_words(judged: JudgedItems) -> pl.DataFrame:
    """Items with their labels in words."""
    words = dict(enumerate((None, *judged.task.labels)))
    return judged.frame.with_columns(pl.col(judged.task.label_columns).replace_strict(words, return_dtype=pl.String))
