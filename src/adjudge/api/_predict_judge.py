"""The predictors of `adjudge.predict_preferences` that ask a language model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.api import _asking as asking
from adjudge.api._judge import in_words
from adjudge.api.calls import Call
from adjudge.api.reports import done_to
from adjudge.errors import OptionError

if TYPE_CHECKING:
    import polars as pl

    from adjudge.estimate import Estimate
    from adjudge.llm.asking import Ask
    from adjudge.llm.calls import Call as ModelCall
    from adjudge.llm.judging import Judge
    from adjudge.schemas.preferences import Task

_FEW = "no more items of train have a label on each criterion"


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a model predicted: nothing where it was not asked, and no inconsistency where it was asked in one order."""

    asked: asking.Asked
    frame: "pl.DataFrame | None"
    inconsistency: "Estimate | None"


def judged(given: Call) -> Judged:
    """Predictions by a model; the arguments are those of `predict_preferences`."""
    from adjudge.evaluations.preferences.scoring import reader_options
    from adjudge.llm.judging import Judge
    from adjudge.llm.prompts import template
    from adjudge.readers.inputs import source_of
    from adjudge.readers.io.source import how_of
    from adjudge.readers.preferences.preferences import read_gold, read_items

    how, plain = reader_options(given), given["predictor"] == "baseline"
    if not {"A", "B"} <= set(how.task.labels):
        raise OptionError(
            f"labels: a language model is asked for A or B, the better response; got {', '.join(how.task.labels)}"
        )
    with given.step("reading"):
        tables = [given[name] for name in ("items", "train") if given[name] is not None]
        opened = [source_of(table, how_of(given), "preferences") for table in tables]
        read = [reader(source, how) for reader, source in zip((read_items, read_gold), opened, strict=False)]
    items, told = read[0].frame, (*done_to(opened), *(warning for one in read for warning in one.warnings))
    train, shots, notes = learnt_from(in_words(read[1]) if read[1:] else None, items, how.task, given)
    name = "preferences_baseline" if plain else "preferences_judge"
    judge = Judge(
        how.task,
        template(name, given["prompt"]),
        len(how.task.criteria) if plain else given["criteria_per_prompt"],
        given["swap"] and not plain,
        1 if plain else given["samples"],
        shots,
    )
    fitted = None if train is None else drawn(train, given["fit_items"], given["seed"])
    work = _Predicted(judge, items, fitted, given)
    unused = () if shots is not None else ("shots", "answers")
    task = f"preferences_{given['predictor']}"
    asked = asking.asked(given, task, work, {name: judge.template}, (*told, *notes), unused)
    return Judged(asked, work.frame, work.inconsistency)


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
        from functools import partial

        from adjudge.render.files import write_whole

        if self.frame is not None and self.given["output"] is not None:
            write_whole(self.given["output"], partial(self.frame.write_csv, separator="\t"))
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
