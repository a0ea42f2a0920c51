"""Self-consistency of a judge: over repeated runs, and over time (drift).

How well a judge's confidence is calibrated.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

import numpy as np
import polars as pl

from adjudge.display_names import axis_kind, parse_moment, sort_key
from adjudge.errors import DataError
from adjudge.estimate import Estimate
from adjudge.evaluations.card import tables
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.outcomes import compare_with_people, outcomes
from adjudge.evaluations.card.reading import NOMINAL, CardLabels
from adjudge.metrics.tables import Keys, rows_by_group
from adjudge.readers.problems import count_words, listed
from adjudge.report import truncate
from adjudge.spec import MetricSpec
from adjudge.statistics import calibration
from adjudge.statistics.intraclass import components, pair_agreement
from adjudge.statistics.scores import change_point, mean_change, mean_score

_PERCENT = 100.0
_SCALES = 10
"""Numbers above 1 up to this may come from a scale such as 1 to 5 or 1 to 10, so that they are not read as percent."""
CONFIDENCE, RIGHT = "sure", "right"
"""Columns: the confidence as a share, and whether the label is right."""


def outcomes_with_confidence(card: CardLabels, by: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Outcomes of items that people labelled and for which a judge gives its confidence; and notes.

    They have the columns CONFIDENCE and RIGHT: whether the label is the one that most people give, 1 / k of k that tie.
    A judge's values are percentages if some have a percent sign, or if some are above 10 and none lies between 0 and
    1.
    Raises DataError for values that are no numbers, and for numbers out of range.
    """
    shares, notes = confidence_shares(card.labels_by(card.judges, card.first_labels))
    texts = pl.col("item", "judge", "label").cast(pl.String)
    labels = outcomes(card, by).with_columns(texts).collect().drop_nulls("agrees")
    for columns, keys in ((shares, ["item", "judge"]), (majority_labels(card), ["item", "label"])):
        labels = labels.join(columns, on=keys, how="left", maintain_order="left")
    labels = labels.with_columns(pl.col(RIGHT).fill_null(0.0))
    if silent := labels[CONFIDENCE].null_count():
        unsaid = count_words(silent, "label", "labels")
        notes.append(f"Nothing says how sure the judge is of {unsaid}, which are left out there.")
    if labels["cluster"].null_count() == labels.height:
        labels = labels.drop("cluster")
    return labels.drop_nulls(CONFIDENCE), notes


def majority_labels(card: CardLabels) -> pl.DataFrame:
    """The most frequent labels of people per item; RIGHT is 1 / k for each of k that tie."""
    people = card.labels_by(card.people, card.first_labels).select(pl.col("item", "label").cast(pl.String))
    votes = people.group_by("item", "label").len("votes")
    most = votes.filter(pl.col("votes") == pl.col("votes").max().over("item"))
    return most.select("item", "label", (1 / pl.len().over("item")).alias(RIGHT))


def confidence_shares(labels: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The confidence of each label of judges as a share (item, judge, CONFIDENCE), and notes.

    Raises DataError for values that are no numbers, and for numbers out of range.
    """
    columns = labels.select(pl.col("item", "certainty").cast(pl.String), judge=pl.col("who").cast(pl.String))
    text, confidence = pl.col("certainty").str.strip_chars(), pl.col(CONFIDENCE)
    number = text.str.strip_suffix("%").str.strip_chars().cast(pl.Float64, strict=False)
    given = columns.filter(text.str.len_chars() > 0).with_columns(number.alias(CONFIDENCE))
    whole = (confidence.max() > _SCALES) & ~((confidence > 0) & (confidence < 1)).any()
    given = given.with_columns(percent=(text.str.ends_with("%").any() | whole).over("judge"))
    most = pl.when("percent").then(_PERCENT).otherwise(1.0)
    wrong = given.filter(~confidence.is_between(0, most).fill_null(value=False))
    for row in wrong.head(1).iter_rows(named=True):
        problem = "expected a number from 0 to 1, or percent from 0 to 100"
        got = truncate(f'"{row["certainty"]}"', 60)
        whose = f"confidence of {row['judge']:.60} on item {row['item']:.60}"
        raise DataError([f"{whose}: {problem}; got {got}"], more=wrong.height - 1)
    judges = given.filter("percent")["judge"].unique().sort().to_list()
    notes = [f"Confidence of {listed(judges)} is read as percent."] if judges else []
    return given.select("item", "judge", confidence / most), notes


METRICS = {
    "mean_certainty": MetricSpec("Certainty", "Mean confidence that the judge states."),
    "right": MetricSpec(
        "Right", "Labels equal to the majority label / items; one of k labels that tie counts 1 / k.", "high"
    ),
    "overconfidence": tables.difference_spec("Too sure by", "Confidence less the share that is right."),
    "overconfidence_single": tables.difference_spec(
        "Too sure by, single humans", "Confidence less the share of humans with the label: lower than the majority's."
    ),
    "plain_error": tables.mean_share_spec(
        "Calibration error",
        "Expected calibration error (ECE), in bins of about equal counts; above 0 by chance alone.",
        "low",
    ),
    "error_by_chance": tables.mean_share_spec(
        "Of it by chance", "Mean ECE of a perfectly calibrated judge on as many items."
    ),
    "calibration_error": tables.mean_share_spec(
        "Corrected error", "Root mean square distance of confidence from the share that is right, less chance.", "low"
    ),
    "brier": tables.number_spec(
        "Brier score", "Mean squared distance of confidence from 1 if right, from 0 if wrong.", "low", bounds=(0.0, 1.0)
    ),
    "risk_area": tables.mean_share_spec(
        "Wrong over all coverages", "Area under the risk-coverage curve (AURC): mean error over all coverages.", "low"
    ),
}
TABLES = {
    "certainty": "Each judge's confidence beside its accuracy against the majority label.",
    "calibration": "Accuracy in bins of about equal counts, by mean confidence.",
}


def calibration_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Rows of the two tables on confidence, with notes."""
    if not card.has("certainty"):
        return
    if card.level not in (NOMINAL, "ordinal"):
        yield "How sure a judge is stands beside how often it is right, which numbers are not."
        return
    labels, notes = outcomes_with_confidence(card, options.by)
    for keys, rows in rows_by_group(labels, [*options.by, "judge"]):
        parts = rows.select(CONFIDENCE, RIGHT, pl.col("agrees").cast(pl.Float64))
        certainty, right, agreed = (part.to_numpy() for part in parts)
        units, confidence = tables.cluster_numbers(rows), options.ci_level
        error = calibration.miscalibration(certainty, right, units, confidence=confidence)
        squares = right * (1 - certainty) ** 2 + (1 - right) * certainty**2
        known = partial(Estimate, n=len(right), confidence=confidence)
        mean, change = (partial(each, units=units, confidence=confidence) for each in (mean_score, mean_change))
        results: dict[str, tables.CardResult] = {
            "mean_certainty": mean(certainty),
            "right": mean(right),
            "overconfidence": change(certainty - right),
            "overconfidence_single": change(certainty - agreed),
            "plain_error": known(error.plain),
            "error_by_chance": known(error.by_chance),
            "calibration_error": error.corrected,
            "brier": mean(squares),
            "risk_area": calibration.risk_coverage_area(certainty, right, units, confidence=confidence),
        }
        for metric, result in results.items():
            yield tables.CardRow("certainty", keys, metric, result)
        for point in calibration.calibration_curve(certainty, right, units, confidence=confidence):
            yield tables.CardRow("calibration", {**keys, "certainty": point.certainty}, "right", point.right)
    yield from notes


CALIBRATION_SECTION = tables.CardSection(METRICS, TABLES, calibration_parts)


_REPEAT_METRICS = {
    "draws": tables.number_spec("Draws", "Mean draws of items with two or more.", decimals=2, bounds=(2.0, None)),
    "self_agreement": MetricSpec(
        "Self-agreement", "Mean over items of the share of pairs of draws that give the same label.", "high"
    ),
    "item_variance": tables.number_spec(
        "Variance of items",
        "Variance of labels between items, beyond that of draws; of names the chance that two differ.",
        bounds=(0.0, None),
    ),
    "draw_variance": tables.number_spec(
        "Variance of draws",
        "Variance of labels within items; of names the probability that two draws differ.",
        "low",
        bounds=(0.0, None),
    ),
    "draw_correlation": tables.number_spec(
        "Due to items",
        "Variance of items / (that + variance of draws): 1 if all draws of an item are equal.",
        "high",
        bounds=(0.0, 1.0),
    ),
}
_REPEAT_TABLES = {
    "steadiness": "Self-consistency over draws of the same items, and where the variance of labels comes from."
}


def repeat_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Rows on self-consistency, with a note on judges without repeated labels."""
    for keys, labels in tables.labels_by_judge(card, options.by) if card.has("draw") else ():
        columns = [name for name in ("order", "time") if name in labels.columns]
        first_group = [pl.col(name).eq_missing(pl.col(name).first().over("item")) for name in columns]
        repeated = labels.filter(True, *first_group).filter(pl.len().over("item") > 1)
        if repeated.is_empty():
            yield f"Steadiness of {keys['judge']} is unknown: no item has two draws."
        else:
            for metric, estimate in _consistency(repeated, card.level, options.ci_level):
                yield tables.CardRow("steadiness", keys, metric, estimate)


def _consistency(labels: pl.DataFrame, level: str, confidence: float) -> Iterator[tuple[str, Estimate]]:
    place = pl.col("place").fill_null(0.0)
    items = labels.group_by("item", maintain_order=True).agg(
        pl.col("^cluster$").first(), sums=place.sum(), squares=(place**2).sum(), size=pl.len()
    )
    sizes, n = items["size"].to_numpy().astype(np.float64), items.height
    yield "draws", Estimate(float(sizes.mean()), n=n, confidence=confidence)
    sums, squares, units = items.select("sums").to_numpy(), items["squares"].to_numpy(), tables.cluster_numbers(items)
    if level in (NOMINAL, "ordinal"):
        texts = labels.select("item", pl.col("label").cast(pl.String), one=1.0)
        by_label = texts.pivot("label", index="item", aggregate_function="sum", sort_columns=True)
        joined = items.select("item").join(by_label, on="item", how="left", maintain_order="left")
        counts = joined.drop("item").fill_null(0.0).to_numpy()
        yield "self_agreement", mean_score(pair_agreement(counts), units, confidence=confidence)
        if level == NOMINAL:
            sums, squares = counts, sizes
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


def _drift_rows(
    labels: pl.DataFrame, windows: Sequence[str], keys: Keys, confidence: float, *, shares: bool
) -> Iterator[tables.CardRow]:
    """The metrics of each window, and the clearest change point on the anchors: the items in all windows.

    labels: of a judge, a row per item and window, with its score. shares: whether scores lie between 0 and 1.
    """
    name = "agreement" if shares else "distance"
    place = pl.col("window").replace_strict(windows, range(len(windows)), return_dtype=pl.Int64)
    anchors = labels.filter(pl.len().over("item") == len(windows)).sort("item", place)
    scores = anchors["score"].to_numpy().reshape(-1, len(windows))
    units = tables.cluster_numbers(anchors[:: len(windows)])
    none = Estimate.undefined(_NO_ANCHORS, confidence=confidence)
    for nth, window in enumerate(windows):
        inside, of_window = labels.filter(window=window), {**keys, "window": window}
        own = inside["score"].to_numpy(), tables.cluster_numbers(inside)
        yield tables.CardRow(
            "windows", of_window, f"window_{name}", tables.mean_estimate(*own, confidence, shares=shares)
        )
        mean = tables.mean_estimate(scores[:, nth], units, confidence, shares=shares) if len(scores) else none
        yield tables.CardRow("windows", of_window, f"anchor_{name}", mean)
        if nth:
            differences = (scores[:, nth] - scores[:, 0]).round(12)
            change = mean_change(differences, units, confidence=confidence) if len(scores) else none
            yield tables.CardRow("windows", of_window, f"anchor_{name}_change", change)
    found = change_point(scores, units, confidence=confidence)
    reason = _NO_ANCHORS if len(windows) > 1 else "the judge has labels in one window only"
    drift = found.found if found else Estimate.undefined(reason, confidence=confidence)
    since = windows[found.window] if found else "unknown"
    yield tables.CardRow("drift", {**keys, "since": since}, f"{name}_drift", drift)


def _drift_metrics(name: str, title: str, better: Literal["high", "low"], *, shares: bool) -> dict[str, MetricSpec]:
    """Metrics of one score: agreement with people, or the distance from them."""
    score = partial(MetricSpec, better=better, percent=shares, bounds=(0.0, 1.0 if shares else None))
    change = partial(MetricSpec, better=better, percent=shares, of_shares=shares, signed=True)
    anchors = f"{title} on the items that the judge labelled in every window"
    return {
        f"window_{name}": score(f"{title}, all items", f"{title} on the items of the window."),
        f"anchor_{name}": score(f"{title}, anchors", f"{anchors}."),
        f"anchor_{name}_change": change("Since the first window", "That less the same in the first window."),
        f"{name}_drift": change(
            "Change since then",
            f"{title} on anchors from this window on less that before, where they differ most (adjusted).",
        ),
    }


_DRIFT_METRICS = {
    **_drift_metrics("agreement", "Agreement with humans", "high", shares=True),
    **_drift_metrics("distance", "Distance from humans", "low", shares=False),
}
_DRIFT_TABLES = {
    "windows": "Each judge in each time window: on all items, and on anchor items, which it labelled in every window. "
    "p is of the changes since the first window, adjusted over the windows.",
    "drift": "Where each judge changes most on its anchors.",
}


def drift_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Rows on windows and on drift, with a note on labels without a time."""
    if not card.has("time"):
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
    people = card.labels_by(card.people, card.first_labels)
    scores = compare_with_people(first_labels, people, "window").rename({"agrees" if equal else "distance": "score"})
    scored = first_labels.join(scores, on=["item", "who", "window"], how="inner", maintain_order="left")
    for keys, labels_of_judge in tables.labels_by_judge(card, options.by, scored):
        present = [window for window in order if window in set(labels_of_judge["window"])]
        yield from _drift_rows(labels_of_judge, present, keys, options.ci_level, shares=equal)
    if first_labels.select("item", "who").is_duplicated().any():
        yield "Of an item that a judge labelled in several windows all other tables take the first label in the file."


DRIFT_SECTION = tables.CardSection(_DRIFT_METRICS, _DRIFT_TABLES, drift_parts)
