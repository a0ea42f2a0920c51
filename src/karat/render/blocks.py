"""Tables of figures with one key across: a block per figure, the values of that key side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from karat.names import short
from karat.render.explanations import note_title
from karat.render.numbers import NO_BREAK, UPTO, metric_of, metric_text, plain, worded
from karat.report import NO_KEYS

if TYPE_CHECKING:
    import polars as pl

    from karat.about import Evaluation, Metric
    from karat.render.wide import Part

_MOST_NAMED = 8
"""How many rows without a value are named."""


def keys_of(frame: "pl.DataFrame") -> list[str]:
    """The key columns of a table of figures."""
    return [name for name in frame.columns if name not in {*NO_KEYS, UPTO}]


def blocks(part: "Part", about: "Evaluation") -> "list[Part]":
    """A table as a block per figure; the rows without a value of the key across come first, as a block of their own."""
    import polars as pl

    part = _with_ranges(part, about.ranges)
    across = pl.col(about.across)
    order = _order(part.frame[about.across].drop_nulls().unique(maintain_order=True).to_list(), about.pooled)
    found = [_together(part, part.frame.filter(across.is_null()))] if part.frame[about.across].null_count() else []
    spread = part.frame.filter(across.is_not_null())
    for name in spread["metric"].unique(maintain_order=True):
        frame = spread.filter(metric=name).with_columns(metric=across).drop(about.across)
        found.append(_block(part, frame, part.metrics[name], order))
    return under_one_title(found)


def under_one_title(found: "Sequence[Part]") -> "list[Part]":
    """Parts of one table: the first alone says what it is called, and what it holds."""
    return [found[0], *(replace(one, title="", about="") for one in found[1:])]


def _with_ranges(part: "Part", ranges: Mapping[str, tuple[str, str]]) -> "Part":
    """The table with two metrics as one where they are the ends of a range, and with what every metric is called."""
    import polars as pl

    frame = part.frame
    metrics = {name: metric_of(part.metrics, name) for name in frame["metric"].unique(maintain_order=True)}
    for title, (low, high) in ranges.items():
        if {low, high} <= metrics.keys():
            keys = keys_of(frame)
            ends = frame.filter(metric=high).select(*keys, pl.lit(low).alias("metric"), pl.col("value").alias(UPTO))
            frame = frame.filter(pl.col("metric") != high)
            frame = frame.join(ends, on=[*keys, "metric"], how="left", nulls_equal=True, maintain_order="left")
            frame = frame.with_columns(metric=pl.col("metric").replace(low, title))
            metrics[title] = replace(metrics[low], title=title)
    return replace(part, frame=frame, metrics=metrics)


def _order(values: Sequence[str], pooled: str) -> dict[str, str]:
    """The values of the key across with their titles, the pooled one last."""
    ordered = sorted(values, key=lambda value: value == pooled)
    return {value: plain(value).capitalize() if value == pooled else short(worded(value)) for value in ordered}


def _together(part: "Part", frame: "pl.DataFrame") -> "Part":
    """The rows about all values of the key across, without the keys that they have no value of."""
    empty = [key for key in keys_of(frame) if frame[key].null_count() == frame.height]
    return replace(part, frame=frame.drop(empty), block="All together", note=_common_note(frame))


def _block(part: "Part", frame: "pl.DataFrame", metric: "Metric", order: Mapping[str, str]) -> "Part":
    """The figures of one metric, with the values of the key across in the place of metrics.

    Rows without any value, and those without anything bad, are named below it.
    """
    import polars as pl

    keys = keys_of(frame)
    empty = pl.col("value").is_null().all().over(keys)
    zero = (pl.col("value").eq_missing(0.0).all().over(keys)) & (metric.better == "low")
    kept = frame.filter(~empty & ~zero)
    said = [*_zeros(frame.filter(zero), keys, metric, every=kept.is_empty()), *_without(frame.filter(empty), keys)]
    n = _common_n(kept, keys)
    texts = {f"n={one:,}" for one in n.values()}
    once = len(texts) == 1 and len(n) == kept["metric"].n_unique()
    return replace(
        part,
        frame=kept,
        metrics={value: replace(metric, title=title) for value, title in order.items()},
        columns={value: f"n={n[value]:,}" if value in n and not once else "" for value in order},
        n=n,
        note=_common_note(kept),
        block=f"{metric.title}, {texts.pop()}" if once else metric.title,
        said=" ".join(f"{metric.title}: {sentence}." for sentence in said),
    )


def _common_n(frame: "pl.DataFrame", keys: Sequence[str]) -> dict[str, int]:
    """Of each column the n of its figures, where it is the same; rows without any interval say their own."""
    import polars as pl

    interval = pl.col("method").is_not_null()
    said = interval.any().over(keys) & (interval | pl.col("note").is_not_null())
    sizes = frame.filter(said).group_by("metric").agg(pl.col("n").unique())
    return {name: found[0] for name, found in sizes.iter_rows() if len(found) == 1}


def _common_note(frame: "pl.DataFrame") -> str:
    """The title of the note of all figures, where it is the same."""
    notes = frame["note"].unique().to_list()
    return note_title(notes[0]) if len(notes) == 1 else ""


def _zeros(frame: "pl.DataFrame", keys: Sequence[str], metric: "Metric", *, every: bool) -> list[str]:
    """That some rows are 0 throughout, or that all are."""
    if frame.is_empty():
        return []
    zero = metric_text(0.0, metric).replace(NO_BREAK, " ")
    return [f"{zero} throughout{'' if every else f' for {_named(frame, keys)}'}"]


def _without(frame: "pl.DataFrame", keys: Sequence[str]) -> list[str]:
    """That some rows have no value, and why."""
    if frame.is_empty():
        return []
    reasons = ", ".join(frame["reason"].drop_nulls().unique(maintain_order=True).head(_MOST_NAMED))
    return [f"no value for {_named(frame, keys)} ({reasons})"]


def _named(frame: "pl.DataFrame", keys: Sequence[str]) -> str:
    rows = frame.select(keys).unique(maintain_order=True).rows()
    more = f" and {len(rows) - _MOST_NAMED:,} more" if len(rows) > _MOST_NAMED else ""
    return ", ".join("/".join(map(short, row)) for row in rows[:_MOST_NAMED]) + more
