"""Judge drift: changes over time windows, separated from noise and from differences between items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.card import tables
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.outcomes import compare_with_people
from adjudge.evaluations.card.reading import NOMINAL, CardLabels
from adjudge.metrics.tables import Keys
from adjudge.readers.problems import count_words
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import Comparison, independent_difference
from adjudge.statistics.scores import change_point, mean_change
from adjudge.value_order import axis_kind, parse_moment, sort_key

MOST_WINDOWS = 24
"""The most windows."""
_FEW = 12
"""The most moments that are each a window of their own."""
_CUTS = (10, 7, 4)
"""Characters of an ISO date that hold its day, its month, its year."""


def time_windows(values: Sequence[str]) -> dict[str, str] | None:
    """Value of a column of times -> its window, in order of time; None if there are too many windows.

    Names and numbers are windows as they are. So are up to 12 moments; more of them are cut to days, months or years,
    the finest of which there are at most 12, or 24 years.

    >>> time_windows(["v10", "v2"])
    {'v2': 'v2', 'v10': 'v10'}
    >>> sorted(set(time_windows([f"2026-{month:02}-{day:02}" for month in (4, 5) for day in range(1, 15)]).values()))
    ['2026-04', '2026-05']
    """
    kind = axis_kind(values)
    ordered = sorted(set(values), key=lambda value: sort_key(value, kind))
    window_of = {value: value for value in ordered}
    if kind == "moment" and len(ordered) > _FEW:
        moments = {value: moment.isoformat() for value in ordered if (moment := parse_moment(value))}
        for cut in _CUTS:
            window_of = {value: moment[:cut] for value, moment in moments.items()}
            if len(set(window_of.values())) <= _FEW:
                break
    return window_of if len(set(window_of.values())) <= MOST_WINDOWS else None


_NO_ANCHORS = "no item is labelled in every window"
_UNKNOWN_START = "unknown"
"""The start of a drift that is undefined."""
_ANCHORS_ONLY = "all items are anchors in one of the windows"


@dataclass(frozen=True, eq=False)
class JudgeOverTime:
    """A judge's scored labels over time. scores: item, window, label and score, a row per item and window.

    windows: in their order. shares: whether scores lie between 0 and 1. Anchors are the items in all windows.
    """

    scores: pl.DataFrame
    windows: Sequence[str]
    confidence: float
    shares: bool

    @cached_property
    def anchors(self) -> pl.DataFrame:
        """The rows of anchors, by item, then by window."""
        place = pl.col("window").replace_strict(self.windows, range(len(self.windows)), return_dtype=pl.Int64)
        return self.scores.filter(pl.len().over("item") == len(self.windows)).sort("item", place)

    def rows(self, keys: Keys) -> Iterator[tables.CardRow]:
        """The metrics of each window, and the clearest change point on the anchors."""
        shape, name = (-1, max(len(self.windows), 1)), "agreement" if self.shares else "distance"
        anchors = self.anchors["score"].to_numpy().reshape(shape)
        labels = self.anchors["label"].cast(pl.String).to_numpy().reshape(shape)
        changed = (labels != labels[:, :1]).astype(np.float64)
        units = tables.cluster_numbers(self.anchors[:: len(self.windows)])
        others = self.scores.join(self.anchors, on="item", how="anti", maintain_order="left")
        none, only = (Estimate.undefined(why, confidence=self.confidence) for why in (_NO_ANCHORS, _ANCHORS_ONLY))
        first = self._mean(others, self.windows[0])
        for nth, window in enumerate(self.windows):
            row = partial(tables.CardRow, "windows", {**keys, "window": window})
            yield row(f"window_{name}", self._mean(self.scores, window))
            mean = tables.mean_estimate(anchors[:, nth], units, self.confidence, shares=self.shares)
            yield row(f"anchor_{name}", mean if len(anchors) else none)
            if nth == 0:
                continue
            change, share, moved = Comparison(none, None), none, Comparison(only, None)
            if len(anchors):
                differences = (anchors[:, nth] - anchors[:, 0]).round(12)
                change = mean_change(differences, units, confidence=self.confidence)
                share = tables.mean_estimate(changed[:, nth], units, self.confidence, shares=True)
            now = self._mean(others, window)
            if now.value is not None and first.value is not None:
                moved = independent_difference(now, first)
            yield row(f"anchor_{name}_change", change)
            yield row("anchor_changed", share)
            yield row(f"other_{name}_change", moved)
            yield row(f"items_{name}_change", independent_difference(moved.estimate, change.estimate))
        found, since = change_point(anchors, units, confidence=self.confidence), _UNKNOWN_START
        reason = _NO_ANCHORS if len(self.windows) > 1 else "the judge has labels in one window only"
        drift: tables.CardResult = Estimate.undefined(reason, confidence=self.confidence)
        if found is not None:
            drift, since = found.found, self.windows[found.window]
        yield tables.CardRow("drift", {**keys, "since": since}, f"{name}_drift", drift)

    def _mean(self, rows: pl.DataFrame, window: str) -> Estimate:
        """The mean score of a window."""
        inside = rows.filter(window=window)
        units = tables.cluster_numbers(inside)
        return tables.mean_estimate(inside["score"].to_numpy(), units, self.confidence, shares=self.shares)


_ANCHOR_ITEMS = "the items that the judge labelled in every window"


def _drift_metrics(name: str, title: str, better: Literal["high", "low"], *, shares: bool) -> dict[str, MetricSpec]:
    """Metrics of one score: agreement with people, or the distance from them."""
    score = partial(MetricSpec, better=better, percent=shares, bounds=(0.0, 1.0 if shares else None))
    change = partial(MetricSpec, better=better, percent=shares, of_shares=shares, signed=True)
    bounds = (-2.0, 2.0) if shares else (None, None)
    return {
        f"window_{name}": score(f"{title}, all items", f"{title} on the items of the window."),
        f"anchor_{name}": score(f"{title}, anchors", f"{title} on {_ANCHOR_ITEMS}."),
        f"anchor_{name}_change": change("Since the first window", "That less the same in the first window."),
        f"other_{name}_change": change("Other items", "The same change on items that are no anchors."),
        f"items_{name}_change": change(
            "Due to the items", "The change on other items less the change on anchors.", bounds=bounds
        ),
        f"{name}_drift": change(
            "Change since then",
            f"{title} on anchors from this window on less that before, where they differ most (adjusted).",
        ),
    }


METRICS = {
    **_drift_metrics("agreement", "Agreement with people", "high", shares=True),
    **_drift_metrics("distance", "Distance from people", "low", shares=False),
    "anchor_changed": MetricSpec(
        "Other labels", f"Of {_ANCHOR_ITEMS}, those that have another label than in the first one.", "low"
    ),
}
TABLES = {
    "windows": "Each judge in each time window: on all items, and on anchor items, which it labelled in every window. "
    "p is of the changes since the first window, adjusted over the windows.",
    "drift": "Where each judge changes most on its anchors.",
}


def drift_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Rows on windows and on drift, with a note if the data have no times."""
    if not card.has("time"):
        yield "No column is named that says when labels were given: --time COLUMN names it."
        return
    labels = card.labels_by(card.judges).with_columns(pl.col("time").cast(pl.String))
    times = labels["time"].drop_nulls().unique().to_list()
    windows = time_windows(times)
    if windows is None or len(set(windows.values())) <= 1:
        many = f"{len(times):,} different times, and at most {MOST_WINDOWS} are compared"
        yield f"Nothing is known of changes over time: there is {many if windows is None else 'one window'}."
        return
    if silent := labels["time"].null_count():
        yield f"Of {count_words(silent, 'label', 'labels')} nothing says when; the windows leave them out."
    named = labels.drop_nulls("time").with_columns(pl.col("time").replace_strict(windows).alias("window"))
    equal, order = card.level in (NOMINAL, "ordinal"), list(dict.fromkeys(windows.values()))
    first_labels = named.unique(["item", "who", "window"], keep="first", maintain_order=True)
    people = card.labels_by(card.people, card.first_labels).select("item", theirs="label", their_place="place")
    scores = compare_with_people(first_labels, people, "window").rename({"agrees" if equal else "distance": "score"})
    scored = first_labels.join(scores, on=["item", "who", "window"], how="inner", maintain_order="left")
    for keys, labels_of_judge in tables.labels_by_judge(card, options.by, scored):
        present = [window for window in order if window in set(labels_of_judge["window"])]
        judge = JudgeOverTime(labels_of_judge, present, options.ci_level, equal)
        yield from judge.rows(keys)
        if not len(judge.anchors) and len(judge.windows) > 1:
            yield f"Changes of {keys['judge']} may be those of its items: none is labelled in every window."
    if first_labels.select("item", "who").is_duplicated().any():
        yield "Of an item that a judge labelled in several windows all other tables take the first label in the file."


DRIFT_SECTION = tables.CardSection(METRICS, TABLES, drift_parts)
