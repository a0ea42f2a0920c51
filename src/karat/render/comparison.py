"""The tables of a report that compares runs, as they are read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karat.about import COMPARED
from karat.names import short
from karat.render.blocks import keys_of, under_one_title
from karat.render.numbers import metric_of
from karat.report import FIGURE

if TYPE_CHECKING:
    import polars as pl

    from karat.about import Evaluation, Metric
    from karat.render.wide import Part

FIRST, SECOND, DIFFERENCE = "first_value", "second_value", "difference"
_RUNS = ("first", "second")
_WHO = (*_RUNS, "judge", "second_judge")
_SAID = (
    *_RUNS,
    *(f"{run}_{name}" for run in _RUNS for name in ("label", "outcome")),
    "reference_label",
    "second_reference_label",
)


def compared_parts(part: "Part", about: "Evaluation") -> "list[Part]":
    """A table of a report on several runs: figures in a block per metric, without columns that hold one value."""
    frame = part.frame
    once = [name for name in _WHO if name in frame.columns and frame.height and frame[name].n_unique() == 1]
    said = _who(frame, once) if part.name == COMPARED else ""
    names = [frame[name][0] if name in once else name for name in _RUNS]
    plain = replace(part, frame=frame.drop(once), about=" ".join(filter(None, [part.about, said])))
    if {FIRST, SECOND} <= set(frame.columns):
        return _blocks(plain, about, names)
    if part.name == "changes":
        return [replace(plain, frame=_changes(plain.frame, names))]
    return [plain]


def _who(frame: "pl.DataFrame", once: Sequence[str]) -> str:
    """Which runs, and whom, all rows are about, where that is one."""
    if not {"first", "second"} <= set(once):
        return ""
    first, second = (short(str(frame[name][0])) for name in _RUNS)
    if not {"judge", "second_judge"} <= set(once):
        return f"Second is {second}, first is {first}."
    judges = [short(str(frame[name][0])) for name in ("judge", "second_judge")]
    return f"Second is {judges[1]} in {second}, first is {judges[0]} in {first}."


def _blocks(part: "Part", about: "Evaluation", names: Sequence[str]) -> "list[Part]":
    if part.frame.is_empty():
        return [part]
    metrics = [name for name in about.metrics if name in set(part.frame["metric"])]
    found = [_block(part, metric_of(part.metrics, name), name, names) for name in metrics]
    return under_one_title(found)


def _block(part: "Part", metric: "Metric", name: str, names: Sequence[str]) -> "Part":
    """The figures of one metric: both values, and the difference."""
    import polars as pl

    of_metric = part.frame.filter(metric=name)
    unsaid = [key for key in keys_of(of_metric) if of_metric[key].null_count() == of_metric.height]
    of_metric = of_metric.drop(unsaid)
    keys = keys_of(of_metric)
    blank = [pl.lit(None).alias(column) for column in (*FIGURE[2:], "p", "p_adjusted")]
    values = [
        of_metric.select(*keys, pl.lit(column).alias("metric"), pl.col(column).alias("value"), *blank)
        for column in (FIRST, SECOND)
    ]
    differences = of_metric.drop(FIRST, SECOND, "left_out", strict=False).with_columns(
        pl.lit(DIFFERENCE).alias("metric")
    )
    frame = pl.concat([one.select(differences.columns) for one in [*values, differences]], how="vertical_relaxed")
    titles = {column: replace(metric, title=_title(one)) for column, one in zip((FIRST, SECOND), names, strict=True)}
    titles[DIFFERENCE] = replace(metric, title="Difference", signed=True)
    return replace(part, frame=frame, metrics=titles, columns=dict.fromkeys(titles, ""), block=metric.title)


def _title(name: str) -> str:
    return name.capitalize() if name in _RUNS else short(name)


def _changes(frame: "pl.DataFrame", names: Sequence[str]) -> "pl.DataFrame":
    """Changed items with each run's label under its name, and the trusted label."""
    labels: dict[str, Any] = {f"{run}_label": name for run, name in zip(_RUNS, names, strict=True)}
    labels["reference_label"] = "right"
    if "second_reference_label" in frame.columns:
        labels |= {"reference_label": f"right in {names[0]}", "second_reference_label": f"right in {names[1]}"}
    if all(frame[name].null_count() == frame.height for name in labels if name in frame.columns):
        labels = {f"{run}_outcome": name for run, name in zip(_RUNS, names, strict=True)}
    known = {name: new for name, new in labels.items() if name in frame.columns}
    others = [name for name in frame.columns if name not in _SAID]
    if set(others) & set(known.values()) or len(set(known.values())) < len(known):
        return frame
    return frame.select(*others, *known).rename(known)
