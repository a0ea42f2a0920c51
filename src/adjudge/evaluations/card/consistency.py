"""Self-consistency of a judge: over repeated runs, of which the majority or mean may be used, and over time (drift)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.card import tables
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.outcomes import compare_with_people
from adjudge.evaluations.card.reading import NOMINAL, CardLabels
from adjudge.metrics.cells import Floats
from adjudge.metrics.tables import Keys
from adjudge.readers.problems import count_words, listed
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import Comparison, independent_difference, linearised_difference
from adjudge.statistics.proportions import map_estimate
from adjudge.statistics.repeated_draws import components, majority_scores, pair_agreement, stepped_up
from adjudge.statistics.scores import change_point, mean_change, mean_score, sums_of
from adjudge.value_order import axis_kind, parse_moment, sort_key


@dataclass(frozen=True, eq=False)
class RepeatedLabels:
    """Repeated labels of a judge, for items with two or more.

    items: item, and cluster if there are any. labels: those that were drawn. counts: items x labels; of numbers, which
    are not counted, one column of how many there are. sums, squares: of the places that labels have on their scale, and
    of their squares.
    """

    items: pl.DataFrame
    labels: tuple[str, ...]
    counts: Floats
    sums: Floats
    squares: Floats

    @property
    def sizes(self) -> Floats:
        """The number of labels per item."""
        sizes: Floats = self.counts.sum(axis=1)
        return sizes

    @property
    def has_majorities(self) -> bool:
        """Whether any item has three labels or more, so that their majority may differ from one label."""
        return bool((self.sizes >= _FEWEST).any())


def repeated_labels(labels: pl.DataFrame, *, numbers: bool) -> RepeatedLabels:
    """Repeated labels of a judge; with several orders or windows, those of the item's first row.

    numbers: whether labels are numbers, each of which may be another.
    """
    columns = [name for name in ("order", "time") if name in labels.columns]
    first_group = [pl.col(name).eq_missing(pl.col(name).first().over("item")) for name in columns]
    chosen = labels.filter(first_group) if first_group else labels
    chosen = chosen.filter(pl.len().over("item") > 1).with_columns(pl.col("item", "label").cast(pl.String))
    place, cluster = pl.col("place").fill_null(0.0), pl.col("^cluster$").first()
    items = chosen.group_by("item", maintain_order=True).agg(cluster, sums=place.sum(), squares=(place**2).sum())
    if numbers:
        chosen = chosen.with_columns(pl.lit("number").alias("label"))
    names = chosen["label"].unique().sort().to_list()
    rows, codes = (
        chosen[name].cast(pl.Enum(categories)).to_physical().to_numpy().astype(np.int64)
        for name, categories in (("item", items["item"]), ("label", names))
    )
    counts = np.bincount(rows * len(names) + codes, minlength=items.height * len(names)).reshape(
        items.height, len(names)
    )
    sums, squares = (items[name].to_numpy() for name in ("sums", "squares"))
    return RepeatedLabels(items, tuple(names), counts.astype(np.float64), sums, squares)


REPEAT_SIZES = (1, 2, 3, 5, 10)
"""Numbers of draws whose majority or mean is compared with a single draw."""
_FEWEST = 3
"""Draws of which the majority may differ from one: two agree or tie, and are worth one."""

SizedResult: TypeAlias = tuple[int, str, tables.CardResult]
"""How many draws, the metric's name, and the result."""


def gains(draws: RepeatedLabels, people: pl.DataFrame, level: str, confidence: float) -> Iterator[SizedResult]:
    """What several labels per item gain over one."""
    if level in (NOMINAL, "ordinal") and draws.has_majorities:
        yield from _majority_gains(draws, people, confidence)
    if level != NOMINAL:
        yield from _mean_gains(draws, people, confidence)


def _majority_gains(draws: RepeatedLabels, people: pl.DataFrame, confidence: float) -> Iterator[SizedResult]:
    """Agreement of the majority with people, by number of labels, and the gain over one label."""
    shares = people.with_columns(pl.col("item", "label").cast(pl.String)).group_by("item")
    columns = [str(nth) for nth in range(len(draws.labels))]
    given = shares.agg(
        (pl.col("label") == name).mean().alias(nth) for nth, name in zip(columns, draws.labels, strict=True)
    )
    joined = draws.items.select("item").join(given, on="item", how="left", maintain_order="left")
    scores = joined.select(pl.col(columns).cast(pl.Float64)).to_numpy()
    units, judged = tables.cluster_numbers(draws.items), ~np.isnan(scores[:, 0])
    for size in REPEAT_SIZES:
        rows = judged & (draws.sizes >= size)
        if rows.any() and (size == 1 or size >= _FEWEST):
            units_of_rows = None if units is None else units[rows]
            of_size, of_one = (majority_scores(draws.counts[rows], scores[rows], n).round(12) for n in (size, 1))
            yield size, "majority_agreement", mean_score(of_size, units_of_rows, confidence=confidence)
            if size > 1:
                gain = (of_size - of_one).round(12)
                yield size, "majority_gain", mean_change(gain, units_of_rows, confidence=confidence)


def _mean_gains(draws: RepeatedLabels, people: pl.DataFrame, confidence: float) -> Iterator[SizedResult]:
    """Distance of the mean from people, by number of labels: variance between repeated labels falls with it."""
    people_means = people.with_columns(pl.col("item").cast(pl.String)).group_by("item").agg(pl.col("place").mean())
    joined = draws.items.join(people_means, on="item", how="left", maintain_order="left")
    centre = joined["place"].to_numpy().astype(np.float64)
    judged, units = ~np.isnan(centre), tables.cluster_numbers(draws.items)
    sizes, sums, squares = draws.sizes[judged], draws.sums[judged], draws.squares[judged]
    units_of_rows = None if units is None else units[judged]
    spread = (squares - sums**2 / sizes) / (sizes - 1)
    single = squares / sizes - 2 * centre[judged] * sums / sizes + centre[judged] ** 2
    correlation = components(draws.sums[:, None], draws.squares, draws.sizes, units, confidence=confidence).correlation
    for size in REPEAT_SIZES:
        distances = single - (1 - 1 / size) * spread
        mean = tables.mean_estimate(distances, units_of_rows, confidence, shares=False)
        # Unbiased estimates of squared distances may be negative, so their mean is cut at 0.
        yield size, "mean_error", map_estimate(mean, lambda value: float(np.sqrt(max(value, 0.0))))
        if size > 1:
            yield size, "mean_gain", _root_difference(distances, single, units_of_rows, confidence)
        yield size, "reliability_of_mean", map_estimate(correlation, partial(stepped_up, draws=size))


def _root_difference(
    several: Floats, single: Floats, units: tables.Codes | None, confidence: float
) -> tables.CardResult:
    """The root of one mean less that of another, by linearisation."""
    roots = [float(np.sqrt(max(part.mean(), 0.0))) for part in (several, single) if len(single)]
    if not all(roots) or not roots:
        reason = "the mean is where people's mean is" if roots else "no item that people labelled"
        return Estimate.undefined(reason, confidence=confidence)
    root_of_several, root_of_single = roots
    influence = (several - several.mean()) / (2 * root_of_several) - (single - single.mean()) / (2 * root_of_single)
    sums, sizes = sums_of(influence / len(single), units)
    return linearised_difference(root_of_several - root_of_single, sums, sizes=sizes, confidence=confidence)


_MOST_LABELS = 1000
"""The most different labels of a judge; more are texts, or numbers without a level."""

_least_0 = partial(tables.number_spec, bounds=(0.0, None))
_part_of_1 = partial(tables.number_spec, better="high", bounds=(0.0, 1.0))
_REPEAT_METRICS = {
    "draws": tables.number_spec("Draws", "Mean draws of items with two or more.", decimals=2, bounds=(2.0, None)),
    "self_agreement": MetricSpec(
        "Self-agreement", "Mean over items of the share of pairs of draws that give the same label.", "high"
    ),
    "item_variance": _least_0(
        "Variance of items",
        "Variance of labels between items, beyond that of draws; of names the chance that two differ.",
    ),
    "draw_variance": _least_0(
        "Variance of draws", "Variance of labels within items; of names the probability that two draws differ.", "low"
    ),
    "draw_correlation": _part_of_1(
        "Due to items", "Variance of items / (that + variance of draws): 1 if all draws of an item are equal."
    ),
    "majority_agreement": MetricSpec(
        "Majority with people",
        "Agreement of the majority of so many draws with people, over all subsets of draws; ties count in equal parts.",
        better="high",
    ),
    "majority_gain": tables.difference_spec(
        "Over one draw", "That less the agreement of one draw, on the same items.", "high"
    ),
    "mean_error": _least_0(
        "Distance of the mean",
        "Root mean square distance of the mean of so many draws from people's mean; extrapolated for more.",
        better="low",
    ),
    "mean_gain": tables.number_spec(
        "Over one draw's distance", "That less the distance of a single draw.", "low", signed=True
    ),
    "reliability_of_mean": _part_of_1(
        "Reliability of the mean", "How far the mean of so many draws is due to items (Spearman-Brown)."
    ),
}
_REPEAT_TABLES = {
    "steadiness": "Self-consistency over draws of the same items, and where the variance of labels comes from.",
    "draws_worth": "The majority, or the mean, of several draws against people, beside a single draw.",
}


def repeat_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Rows on self-consistency, with a note if there are no repeated labels."""
    if not card.has("draw"):
        yield "Steadiness is unknown: nothing tells draws of an item apart; give --run-column COLUMN."
        return
    confidence, few = options.ci_level, dict[str, None]()
    people, equal = card.labels_by(card.people), card.level in (NOMINAL, "ordinal")
    for keys, labels in tables.labels_by_judge(card, options.by):
        unknown = f"Steadiness of {keys['judge']} is unknown"
        if equal and labels["label"].n_unique() > _MOST_LABELS:
            yield f"{unknown}: it gives more than {_MOST_LABELS:,} labels."
            continue
        draws = repeated_labels(labels, numbers=not equal)
        if not len(draws.counts):
            yield f"{unknown}: no item has two draws."
            continue
        for metric, estimate in _consistency(draws, card.level, confidence):
            yield tables.CardRow("steadiness", keys, metric, estimate)
        for size, metric, result in gains(draws, people, card.level, confidence):
            yield tables.CardRow("draws_worth", {**keys, "draws": float(size)}, metric, result)
        if equal and not draws.has_majorities:
            few[keys["judge"]] = None
    if few:
        yield (
            "To tell what the majority of several draws is worth takes three draws of an item or more; these judges "
            f"have two at most: {listed([*few])}."
        )


def _consistency(draws: RepeatedLabels, level: str, confidence: float) -> Iterator[tuple[str, Estimate]]:
    units, sizes = tables.cluster_numbers(draws.items), draws.sizes
    n = len(sizes)
    yield "draws", Estimate(float(sizes.mean()), n=n, confidence=confidence)
    if level in (NOMINAL, "ordinal"):
        yield "self_agreement", mean_score(pair_agreement(draws.counts), units, confidence=confidence)
    sums, squares = (draws.counts, sizes) if level == NOMINAL else (draws.sums[:, None], draws.squares)
    variances = components(sums, squares, sizes, units, confidence=confidence)
    yield "item_variance", Estimate(variances.between, n=n, confidence=confidence)
    yield "draw_variance", Estimate(variances.within, n=n, confidence=confidence)
    yield "draw_correlation", variances.correlation


REPEATS_SECTION = tables.CardSection(_REPEAT_METRICS, _REPEAT_TABLES, repeat_parts)


# --- judge drift: changes over time windows, apart from noise and from differences between items ---

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
        none, only = (
            Estimate.undefined(why, confidence=self.confidence)
            for why in (_NO_ANCHORS, "all items are anchors in one of the windows")
        )
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
        found, since = change_point(anchors, units, confidence=self.confidence), "unknown"
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


_DRIFT_METRICS = {
    **_drift_metrics("agreement", "Agreement with people", "high", shares=True),
    **_drift_metrics("distance", "Distance from people", "low", shares=False),
    "anchor_changed": MetricSpec(
        "Other labels", f"Of {_ANCHOR_ITEMS}, those that have another label than in the first one.", "low"
    ),
}
_DRIFT_TABLES = {
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


DRIFT_SECTION = tables.CardSection(_DRIFT_METRICS, _DRIFT_TABLES, drift_parts)
