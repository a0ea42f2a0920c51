"""Preferences that a model predicts: what it learns from, its work, and the file of its labels."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.errors import OptionError
from adjudge.llm.options import AskingOptions, PredictOptions
from adjudge.llm.work import Asked, Work, ask_model
from adjudge.render.files import write_whole

if TYPE_CHECKING:
    import polars as pl

    from adjudge.estimate import Estimate
    from adjudge.llm.asking import Ask
    from adjudge.llm.calls import Call
    from adjudge.llm.judging import Judge
    from adjudge.schemas.preferences import JudgedItems, Task

_FEW = "no more items of train have a label on each criterion"


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions for items; they print in a line.

    frame: id, and `CRITERION_preference` (and `CRITERION_explanation` where it gives any) for each criterion. notes:
    remarks. asked: of a language model, how many calls became what; there is no frame where it was not asked (a dry
    run, a batch file). position_inconsistency: of a judge that was asked in both orders, the share of its answers (of
    an item on a criterion) that differ between them. output: the file that was written.
    """

    frame: "pl.DataFrame | None"
    notes: tuple[str, ...] = ()
    asked: Asked | None = None
    position_inconsistency: "Estimate | None" = None
    output: str | Path | None = None

    @property
    def is_incomplete(self) -> bool:
        """Whether a model answered fewer calls than asked for."""
        return self.asked is not None and self.asked.is_incomplete

    def __str__(self) -> str:
        if self.asked is not None or self.frame is None:
            return str(self.asked)
        return f"{f'{self.output}: ' if self.output else ''}{self.frame.height:,} items predicted"


def write_predictions(frame: "pl.DataFrame", options: PredictOptions) -> None:
    """Write predictions, where a file is named."""
    if options.output is not None:
        write_whole(Path(options.output), partial(frame.write_csv, separator="\t"))


def predicted_by_model(
    options: PredictOptions, task: "Task", items: "pl.DataFrame", gold: "JudgedItems | None", told: Iterable[str]
) -> Predictions:
    """The labels that a model predicts, or what asking it would take.

    gold: labelled items to learn from. told: what
    to say before all else.
    """
    from adjudge.llm.judging import Judge
    from adjudge.llm.prompts import template

    plain, name = options.predictor == "baseline", f"preferences_{options.predictor}"
    train, shots, notes = learnt_from(
        None if gold is None else in_words(gold), items, task, options.shots, options.seed
    )
    judge = Judge(
        task,
        template(name, options.prompt),
        len(task.criteria) if plain else options.criteria_per_prompt,
        options.swap and not plain,
        1 if plain else options.samples,
        shots,
    )
    fitted = None if train is None else drawn(train, options.fit_items, options.seed)
    made = _Predicted(judge, items, fitted, options)
    work = Work(made.first, made.gathered, made.write, None if options.output is None else Path(options.output))
    unused, asking = () if shots is not None else ("shots", "answers"), AskingOptions.of(options.values())
    answered = ask_model(asking, name, work, {name: judge.template}, (*told, *notes), unused)
    return Predictions(made.frame, answered.notes, answered, made.inconsistency)


def learnt_from(
    train: "pl.DataFrame | None", items: "pl.DataFrame", task: "Task", shots: int, seed: int
) -> "tuple[pl.DataFrame | None, pl.DataFrame | None, list[str]]":
    """The labelled items for the correction, those that are shown as examples, and notes on what is left out.

    No item that is judged is learnt from. Raises OptionError where there are no others.
    """
    from adjudge.llm.judging import apart, balanced
    from adjudge.readers.problems import counted

    if train is None:
        return None, None, []
    others, notes = apart(train, items), []
    if others.is_empty():
        raise OptionError("expected labelled items other than those to be judged; got these alone", option="train")
    if others.height < train.height:
        left_out = counted(train.height - others.height, "item of train is", "items of train are")
        notes.append(f"{left_out} left out, since the items to judge hold them too")
    if not shots:
        return others, None, notes
    shown = balanced(others, task, shots, seed)
    if shown.height < shots:
        examples = counted(shown.height, "example is", "examples are")
        notes.append(f"{examples} shown, not {shots:,}: {_FEW}")
    return others.join(shown.select("id"), on="id", how="anti"), shown, notes


def drawn(train: "pl.DataFrame", count: int, seed: int) -> "pl.DataFrame | None":
    """The items that the correction is learnt from."""
    return train.sample(min(count, train.height), shuffle=True, seed=seed) if count else None


@dataclass(slots=True, eq=False)
class _Predicted:
    """Predictions of items, as work for a model."""

    judge: "Judge"
    items: "pl.DataFrame"
    train: "pl.DataFrame | None"
    options: PredictOptions
    frame: "pl.DataFrame | None" = None
    inconsistency: "Estimate | None" = None

    def first(self) -> "Iterator[Call]":
        if self.train is not None:
            yield from self.judge.calls(self.train)
        yield from self.judge.calls(self.items)

    def gathered(self, ask: "Ask") -> list[str]:
        """Predict, and say how often the two orders differ."""
        from adjudge.llm.judging import Corrected, Plurality, predictions

        rule: Corrected | Plurality = Plurality(self.judge.task.labels)
        if self.train is not None:
            rule = Corrected(self.judge.task, self.options.objective).fit(self.judge.votes(self.train, ask), self.train)
        votes = self.judge.votes(self.items, ask)
        self.frame = predictions(self.items, votes, self.judge.task, rule)
        self.inconsistency = votes.inconsistency() if self.judge.swap else None
        return [] if self.inconsistency is None else [_inconsistent(self.inconsistency)]

    def write(self, notes: list[str]) -> list[str]:
        if self.frame is not None:
            write_predictions(self.frame, self.options)
        return [f"the prompt was {self.judge.template.signed}", *notes]


def _inconsistent(estimate: "Estimate") -> str:
    """How often the two orders differ, in a line."""
    from adjudge.render.numbers import figure_text, interval_text
    from adjudge.spec import MetricSpec

    if estimate.value is None:
        return f"position inconsistency is undefined: {estimate.reason}"
    limits = interval_text(estimate.low, estimate.high, MetricSpec("Position inconsistency", ""))
    share = f"{figure_text(estimate.value, percent=True)} {limits}".rstrip()
    return f"position inconsistency: the two orders give different labels in {share} of {estimate.n:,} labels"


def read_gold(gold: object, criteria: Sequence[str]) -> "JudgedItems":
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
