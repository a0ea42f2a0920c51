"""Labels become figures: of one criterion, and the mean over criteria.

A figure of one criterion has the interval made for it. A mean over criteria rests on the same items several times, so
these intervals are joined by how far an item's influence on one criterion goes with its influence on another.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from math import fsum

import numpy as np

from karat.errors import DataError
from karat.estimate import Estimate, Note
from karat.evaluations.comparing.figures import kappa_of_cells
from karat.evaluations.preferences.counts import Floats, Group, Integers, Labels, Mask, System
from karat.schemas.preferences import MISSING
from karat.statistics import (
    ClusteredCells,
    clustered_proportion,
    cohen_kappa,
    influence_correlations,
    linearised_proportion,
    mean,
    mean_of_proportions,
    mean_over_criteria,
    paired_t,
    proportion,
    share_correlations,
)

REAL = ("rouge_l", "bertscore")
"""Metrics that are scores of items, not shares."""

JUDGE = "judge"
RANKED = ("accuracy", *REAL, JUDGE)
"""Metrics that systems are ranked by."""

RARE = 30
"""Gold items of a label below which balanced accuracy and macro F1 may be less sure than their intervals say."""

NO_GOLD = "no item has a gold label"
NO_SCORE = "no item has a gold explanation"
NO_VERDICT = "no verdict"


def share(group: Group, part: Mask, whole: Mask, reason: str) -> Estimate:
    """Items in `part` / those in `whole`, clustered where they are."""
    if not whole.any():
        return Estimate.undefined(reason, confidence=group.confidence)
    if group.clusters is None:
        return proportion(int((part & whole).sum()), int(whole.sum()), confidence=group.confidence)
    return clustered_proportion(group.counted(part & whole), group.counted(whole), confidence=group.confidence)


def figures(group: Group, system: System, place: int, only: Collection[str] = ()) -> dict[str, Estimate]:
    """A system's figures on the criterion at a place. only: those; all by default."""
    labels = group.predicted(system, place)
    found: dict[str, Callable[[], Estimate]] = {
        "accuracy": lambda: share(group, labels.right, labels.judged, NO_GOLD),
        "balanced_accuracy": lambda: balanced_accuracy(group, labels),
        "macro_f1": lambda: macro_f1(group, labels),
        "kappa": lambda: kappa(group, labels),
        "missing": lambda: share(group, labels.codes == MISSING, labels.judged, NO_GOLD),
    }
    found |= {metric: partial(_score, group, metric, scores[place]) for metric, scores in system.scores.items()}
    return {metric: figure() for metric, figure in found.items() if not only or metric in only}


def value_of(group: Group, system: System, metric: str, place: int) -> float | None:
    """The value of a ranked figure on the criterion at a place."""
    if metric in system.scores:
        scored = system.scores[metric][place]
        scored = scored[~np.isnan(scored)]
        return fsum(scored) / len(scored) if len(scored) else None
    table = group.predicted(system, place).table
    return int(np.trace(table)) / int(table.sum()) if table.any() else None


def _score(group: Group, metric: str, values: Floats) -> Estimate:
    if metric == JUDGE:
        return share(group, values == 1, ~np.isnan(values), NO_VERDICT)
    return mean_score(group, values)


def balanced_accuracy(group: Group, labels: Labels) -> Estimate:
    """The mean over the labels in the gold of the share predicted rightly."""
    present = np.flatnonzero(labels.table.sum(axis=1))
    of_labels = [labels.gold == code for code in present]
    recalls = [share(group, labels.right, of_label, NO_GOLD) for of_label in of_labels]
    if not recalls:
        return Estimate.undefined(NO_GOLD, confidence=group.confidence)
    together = None
    if group.clusters is not None:
        hits, totals = (
            np.stack([group.counted(one) for one in masks]).astype(np.float64)
            for masks in ([labels.right & one for one in of_labels], of_labels)
        )
        together = share_correlations(hits, totals)
    found = mean_of_proportions(recalls, correlations=together, confidence=group.confidence)
    return _noted(found, has_rare_label(labels.table))


def has_rare_label(table: Integers) -> bool:
    """Whether some gold label stands on so few items that means over labels are surer than they should be."""
    counts = table.sum(axis=1)
    return bool((counts[counts > 0] < RARE).any())


def _noted(estimate: Estimate, rare: bool) -> Estimate:  # noqa: FBT001 - what the note is about
    return replace(estimate, note=Note.RARE_LABELS) if rare and estimate.low is not None else estimate


def macro_f1(group: Group, labels: Labels) -> Estimate:
    """The mean of F1 over the labels that occur in the gold or in the predictions."""
    if not labels.table.any():
        return Estimate.undefined(NO_GOLD, confidence=group.confidence)
    value, influence = f1_influence(labels.table)
    n = int(labels.table.sum())
    units = _spread(group, labels, influence)[group.counted(labels.judged) > 0]
    found = linearised_proportion(value, units, n=n, confidence=group.confidence)
    return _noted(found, has_rare_label(labels.table))


def f1_influence(table: Integers) -> tuple[float, Floats]:
    """Macro F1, and how far an item in each cell moves it: (2 [i = j = k] - F_k ([i = k] + [j = k])) / (r_k + c_k)."""
    size = len(table)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    present = np.flatnonzero((rows + columns > 0) & (np.arange(size) != MISSING))
    influence, values = np.zeros(table.shape), []
    for code in present:
        whole = rows[code] + columns[code]
        f1 = 2 * table[code, code] / whole
        own = np.zeros(table.shape)
        own[code, :] -= f1
        own[:, code] -= f1
        own[code, code] += 2
        influence += own / whole / len(present)
        values.append(f1)
    return float(np.mean(values)), influence


def recall_influence(table: Integers) -> tuple[float, Floats]:
    """Balanced accuracy, and how far an item in each cell moves it: ([i = j] - r_i) / n_i / the number of labels."""
    rows = table.sum(axis=1)
    present = rows > 0
    recalls = np.divide(np.diag(table), rows, out=np.zeros(len(table)), where=present)
    scale = np.divide(1.0, rows * present.sum(), out=np.zeros(len(table)), where=present)
    influence: Floats = (np.eye(len(table)) - recalls[:, None]) * scale[:, None]
    return float(recalls[present].mean()), influence


def kappa(group: Group, labels: Labels) -> Estimate:
    """Cohen's kappa; a missing prediction is a label of its own, that no gold label equals."""
    if group.clusters is None:
        return cohen_kappa(labels.table, confidence=group.confidence)
    size = len(labels.table)
    keys = (group.clusters * size + labels.gold) * size + labels.codes
    cells, counts = np.unique(keys[labels.judged], return_counts=True)
    split = ClusteredCells(cells // size**2, cells // size % size, cells % size, counts)
    return cohen_kappa(labels.table, confidence=group.confidence, clusters=split)


def mean_score(group: Group, values: Floats) -> Estimate:
    """The mean of the items' scores; an item without one is not counted."""
    scored = ~np.isnan(values)
    kept = values[scored]
    if not len(kept):
        return Estimate.undefined(NO_SCORE, confidence=group.confidence)
    if group.clusters is None:
        return within(mean(len(kept), fsum(kept), fsum(kept**2), confidence=group.confidence))
    totals, sizes = group.per_unit(np.where(scored, values, 0.0)), group.counted(scored)
    return within(paired_t(totals, totals=sizes, confidence=group.confidence).estimate)


def within(estimate: Estimate, least: float = 0.0) -> Estimate:
    """The same with limits that leave neither [least, 1] nor the value outside."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate
    low, high = max(estimate.low, least), min(estimate.high, 1.0)
    return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value))


def _spread(group: Group, labels: Labels, influence: Floats) -> Floats:
    """Influences by cell as influences of the group's items (clusters)."""
    return group.per_unit(np.where(labels.judged, influence[labels.gold, labels.codes], 0.0))


# --- means over criteria ---


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean over criteria of a figure, and each item's (cluster's) influence on it.

    correlations: of the influences on the criteria. counted: the items (clusters) that it rests on, as a mask. items:
    how many items that are. rare: whether some label is rare on some criterion.
    """

    value: float
    influence: Floats
    correlations: Floats
    counted: Mask
    items: int
    rare: bool = False


def averages(group: Group, system: System) -> dict[str, Estimate]:
    """A system's figures as means over criteria."""
    return {metric: average(group, system, metric) for metric in (*_CELLS, *system.scores)}


def average(group: Group, system: System, metric: str) -> Estimate:
    """One figure as mean over criteria; undefined where it is on any of them.

    Each criterion's interval, joined by the correlations of the items' (clusters') influences on the criteria.
    """
    if metric == "accuracy" and group.clusters is None:
        right = np.stack([group.predicted(system, place).right for place in range(len(group.criteria))])
        return mean_over_criteria(right.T, group.judged.T, confidence=group.confidence)
    found = mean_of(group, system, metric)
    if isinstance(found, str):
        return Estimate.undefined(found, confidence=group.confidence)
    single = [figures(group, system, place, [metric])[metric] for place in range(len(group.criteria))]
    joined = mean_of_proportions(single, correlations=found.correlations, confidence=group.confidence)
    notes = [one.note for one in single if one.note]
    rare = Note.RARE_LABELS in notes and joined.low is not None
    note = Note.RARE_LABELS if rare else joined.note or next(iter(notes), None)
    least = -1.0 if metric == "kappa" else 0.0
    return within(replace(joined, value=found.value, n=found.items, note=note), least)


def mean_of(group: Group, system: System, metric: str) -> Mean | str:
    """The mean of a figure over criteria, or why there is none."""
    values, influences, rare = [], [], False
    for place, criterion in enumerate(group.criteria):
        found = _part(group, system, metric, place)
        if isinstance(found, str):
            return f"{criterion}: {found}"
        values.append(found[0])
        influences.append(found[1])
        rare |= has_rare_label(group.predicted(system, place).table)
    counted = np.any([_counted(group, system, metric, place) for place in range(len(values))], axis=0)
    return Mean(
        value=float(np.mean(values)),
        influence=np.sum(influences, axis=0) / len(influences),
        correlations=influence_correlations(np.stack(influences, axis=1)),
        counted=group.counted(counted) > 0,
        items=int(counted.sum()),
        rare=rare and metric in {"balanced_accuracy", "macro_f1"},
    )


def _counted(group: Group, system: System, metric: str, place: int) -> Mask:
    """The items that a figure on a criterion rests on."""
    found: Mask = ~np.isnan(system.scores[metric][place]) if metric in system.scores else group.judged[place]
    return found


def _part(group: Group, system: System, metric: str, place: int) -> tuple[float, Floats] | str:
    """A figure on a criterion, and each item's (cluster's) influence on it."""
    if metric in system.scores:
        values = system.scores[metric][place]
        scored = ~np.isnan(values)
        n = int(scored.sum())
        if not n:
            return NO_VERDICT if metric == JUDGE else NO_SCORE
        value = fsum(values[scored]) / n
        return value, group.per_unit(np.where(scored, values - value, 0.0) / n)
    labels = group.predicted(system, place)
    if not labels.table.any():
        return NO_GOLD
    try:
        value, influence = _CELLS[metric](labels.table)
    except DataError:
        return "people and the system use one and the same label"
    return value, _spread(group, labels, influence)


def _ratio_influence(table: Integers, counted: Mask) -> tuple[float, Floats]:
    n = table.sum()
    value = float(table[counted].sum() / n)
    return value, (counted - value) / n


def _accuracy_influence(table: Integers) -> tuple[float, Floats]:
    return _ratio_influence(table, np.eye(len(table), dtype=bool))


def _missing_influence(table: Integers) -> tuple[float, Floats]:
    absent = np.zeros(table.shape, dtype=bool)
    absent[:, MISSING] = True
    return _ratio_influence(table, absent)


_CELLS: dict[str, Callable[[Integers], tuple[float, Floats]]] = {
    "accuracy": _accuracy_influence,
    "balanced_accuracy": recall_influence,
    "macro_f1": f1_influence,
    "kappa": kappa_of_cells,
    "missing": _missing_influence,
}
