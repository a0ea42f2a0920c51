"""Over time: does a judge drift, told apart from noise and from items that differ?"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from karat.about import Between, Metric
from karat.evaluations.card.beside import adjusted, judged
from karat.evaluations.card.over_time import OverTime
from karat.evaluations.card.reading import NOMINAL, Read
from karat.evaluations.card.section import Made
from karat.evaluations.card.windows import MOST, windows_of
from karat.figures.tables import TESTED, Keys
from karat.formats.findings import counted
from karat.report import typed_table

_ANCHORS = "the items that the judge labelled in every window"


def _metrics(name: str, title: str, better: str, *, shares: bool) -> dict[str, Metric]:
    """Of a score of items, agreement with people or the distance from them."""
    score: Between = (0.0, 1.0 if shares else None)
    twice: Between = (-2.0, 2.0) if shares else (None, None)

    def metric(said: str, meaning: str, *, change: bool = False, between: Between = (None, None)) -> Metric:
        better_end: Any = better
        of_shares = change and shares
        return Metric(said, meaning, better_end, shares, of_shares=of_shares, signed=change, between=between)

    return {
        f"window_{name}": metric(f"{title}, all items", f"{title} on the items of the window.", between=score),
        f"anchor_{name}": metric(f"{title}, anchors", f"{title} on {_ANCHORS}.", between=score),
        f"anchor_{name}_change": metric(
            "Since the first window", "That less the same in the first window, on the same items.", change=True
        ),
        f"other_{name}_change": metric(
            "Other items",
            "On items that are no anchors, less the same in the first window: other items in each window.",
            change=True,
        ),
        f"items_{name}_change": metric(
            "Due to the items", "The change on other items less the change on anchors.", change=True, between=twice
        ),
        f"{name}_drift": metric(
            "Change since then",
            f"{title} on the anchors from this window on less that before it: where the two differ most, with p and "
            "interval adjusted for having sought it.",
            change=True,
        ),
    }


METRICS = {
    **_metrics("agreement", "Agreement with people", "high", shares=True),
    **_metrics("distance", "Distance from people", "low", shares=False),
    "anchor_changed": Metric(
        "Other labels", f"Of {_ANCHORS}, those that have another label than in the first one.", "low"
    ),
}
TABLES = {
    "windows": "Each judge in each window of time: on all items, and on anchors, the items that it labelled in every "
    "window, if any. p is of the changes since the first window, adjusted over the windows.",
    "drift": "Where each judge changes most on its anchors.",
}


def made_of(read: Read, options: Mapping[str, Any]) -> Made:
    """Both tables; a note where nothing says when labels were given."""
    if not read.has("time"):
        return Made(notes=("No column is named that says when labels were given: --time COLUMN names it.",))
    labels = read.of(read.judges).with_columns(pl.col("time").cast(pl.String))
    times = labels["time"].drop_nulls().unique().to_list()
    windows = windows_of(times)
    if windows is None or len(set(windows.values())) <= 1:
        told = (
            "one window" if windows is not None else f"{len(times):,} different times, and at most {MOST} are compared"
        )
        return Made(notes=(f"Nothing is known of changes over time: there is {told}.",))
    named = labels.drop_nulls("time").with_columns(pl.col("time").replace_strict(windows).alias("window"))
    equal, by = read.level in (NOMINAL, "ordinal"), options["by"]
    scored = _scored(named.unique(["item", "who", "window"], keep="first", maintain_order=True), read, equal=equal)
    rows, drifts, notes = list[Keys](), list[Keys](), list[str]()
    for keys, own in judged(read, by, scored):
        over = OverTime.of(own, list(dict.fromkeys(windows.values())), options["confidence"], shares=equal)
        rows += over.rows(keys)
        drifts += over.drift(keys)
        if not len(over.anchors) and len(over.windows) > 1:
            notes.append(f"Changes of {keys['judge']} may be those of its items: none is labelled in every window.")
    tables = {
        "windows": typed_table(adjusted(rows, [*by, "judge", "metric"]), [*by, "judge", "window", *TESTED]),
        "drift": typed_table(adjusted(drifts, [*by, "judge"]), [*by, "judge", "since", *TESTED]),
    }
    if named.select("item", "who", "window").unique().select("item", "who").is_duplicated().any():
        notes.append(
            "Of an item that a judge labelled in several windows all other tables take the first label in the file."
        )
    silent = labels["time"].null_count()
    left = [f"Of {counted(silent, 'label', 'labels')} nothing says when; the windows leave them out."] if silent else []
    return Made({name: table for name, table in tables.items() if table.height}, (*left, *notes))


def _scored(labels: pl.DataFrame, read: Read, *, equal: bool) -> pl.DataFrame:
    """The labels of items that people labelled too, and their score: the share of people who agree, or the distance."""
    theirs = read.of(read.people, read.once).select("item", theirs="label", their_place="place")
    score = pl.col("label") == pl.col("theirs") if equal else (pl.col("place") - pl.col("their_place")).abs()
    further = [name for name in labels.columns if name not in {"item", "who", "window"}]
    beside = labels.join(theirs, on="item", how="inner", maintain_order="left")
    return beside.group_by("item", "who", "window", maintain_order=True).agg(
        score.mean().alias("score"), *(pl.col(name).first() for name in further)
    )
