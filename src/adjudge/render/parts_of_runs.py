"""The tables of a report on several runs, in the parts in which they are read."""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from adjudge.display_names import short_name
from adjudge.render.numbers import metric_of
from adjudge.render.part import FIRST, RUNS, SECOND, Part, keys_of, under_one_title, without_empty_keys
from adjudge.render.said import sentences_of
from adjudge.spec import COMPARISON_TABLE, Evaluation

_DIFFERENCE = "difference"
_JUDGES = ("judge", "second_judge")


def of_runs(part: Part, about: Evaluation) -> list[Part]:
    """A table of a report on several runs: figures in a block per metric, without columns that hold one value."""
    frame = part.frame
    once = {name: frame[name][0] for name in (*RUNS, *_JUDGES) if name in frame.columns and frame[name].n_unique() == 1}
    said = _who(once) if part.name == COMPARISON_TABLE else ""
    plain_part = replace(part, frame=frame.drop(*once), about=sentences_of(part.about, said))
    if frame.height and {FIRST, SECOND} <= set(frame.columns):
        known = [name for name in about.metrics if name in set(frame["metric"])]
        return under_one_title([_both_values(plain_part, name, once) for name in known])
    if part.name != "changes":
        return [plain_part]
    names = [name for run in RUNS if (name := once.get(run))]
    return [replace(plain_part, frame=_changes(plain_part.frame, once), by=[*part.by, *names])]


def _who(once: Mapping[str, str | None]) -> str:
    """Which runs, and whom, all rows are about, where that is one."""
    if not set(RUNS) <= once.keys():
        return ""
    judges = [once[name] for name in _JUDGES] if set(_JUDGES) <= once.keys() else [None, None]
    first, second = (
        short_name(once[run]) if judge in {None, once[run]} else f"{short_name(judge)} in {short_name(once[run])}"
        for run, judge in zip(RUNS, judges, strict=True)
    )
    return f"The second run is {second}, the first {first}."


def _both_values(part: Part, name: str, once: Mapping[str, str | None]) -> Part:
    """The figures of one metric: both values, and the difference."""
    metric = metric_of(part.metrics, name)
    frame = without_empty_keys(part.frame.filter(metric=name))
    values = [frame.select(*keys_of(frame), metric=pl.lit(run), value=run) for run in (FIRST, SECOND)]
    difference = frame.drop("left_out", strict=False).with_columns(metric=pl.lit(_DIFFERENCE))
    titles = [short_name(once[run]) if run in once else run.capitalize() for run in RUNS]
    metrics = {run: replace(metric, title=title) for run, title in zip((FIRST, SECOND), titles, strict=True)}
    metrics[_DIFFERENCE] = replace(metric, title="Difference", signed=True)
    return replace(
        part,
        frame=pl.concat([*values, difference], how="diagonal_relaxed"),
        metrics=metrics,
        columns=dict.fromkeys(metrics, ""),
        block=metric.title,
    )


def _changes(frame: pl.DataFrame, once: Mapping[str, str | None]) -> pl.DataFrame:
    """Changed items with each run's label (its outcome, where there are none) under its name, and the trusted label."""
    labels = [name for name in frame.columns if name.endswith("_label")]
    said = "label" if any(frame[name].count() for name in labels) else "outcome"
    new = {f"{run}_{said}": once.get(run) or f"{run} {said}" for run in RUNS}
    if said == "label":
        several = "second_reference_label" in labels
        new["reference_label"] = f"right in {once.get('first') or 'first'}" if several else "right"
        new["second_reference_label"] = f"right in {once.get('second') or 'second'}"
    new = {name: title for name, title in new.items() if name in frame.columns}
    others = [name for name in frame.columns if name not in {*labels, *(f"{run}_outcome" for run in RUNS)}]
    if set(others) & set(new.values()) or len(set(new.values())) < len(new):
        return frame
    return frame.select(*others, *new).rename(new)
