"""Counts become figures: the tables of the report."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from karat.estimate import Estimate
from karat.evaluations.reliability.outcomes import FLAG_OUTCOMES, REASONS
from karat.report import figure_table, typed_table
from karat.statistics import (
    ClusteredCells,
    clustered_proportion,
    cohen_kappa,
    effective_counts,
    proportion,
    shrink,
)

NO_CHOICES = "no item that neither side flagged or left out"
NO_FLAGS = "no item on which both sides say whether to flag"

Key = tuple[str | None, ...]


@dataclass(slots=True)
class Tally:
    """Counts of one annotator (in one group, or in one cluster of it)."""

    items: int = 0
    correct: int = 0
    choices: int = 0
    mismatches: int = 0
    flags: int = 0
    confusion: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, row: Mapping[str, str], count: int) -> None:
        """Count a cell in: `count` outcomes of one part, kind, label and reference label."""
        kind = row["outcome"]
        if row["part"] == "flag":
            self.items += count
            self.flags += count * (kind in FLAG_OUTCOMES)
            self.mismatches += count * (kind in ("annotator_only", "reference_only"))
        elif kind in ("correct", "incorrect"):
            self.choices += count
            self.correct += count * (kind == "correct")
            labels = (row["label"], row["reference_label"])
            self.confusion[labels] = self.confusion.get(labels, 0) + count


def tallies(cells: pl.DataFrame, keys: Sequence[str]) -> dict[Key, Tally]:
    """Cells as tallies, one per combination of the keys, in their order."""
    found: dict[Key, Tally] = defaultdict(Tally)
    for row in cells.iter_rows(named=True):
        found[tuple(row[key] for key in keys)].add(row, row["count"])
    return dict(sorted(found.items(), key=lambda one: [(text is not None, text or "") for text in one[0]]))


def annotators(
    cells: pl.DataFrame,
    clustered: pl.DataFrame | None,
    by: Sequence[str],
    confidence: float,
    *,
    flags_known: bool = True,
) -> pl.DataFrame:
    """The table of each annotator's figures.

    cells: counts per annotator. clustered: the same per cluster too, where the figures are clustered.
    flags_known: whether the data say who flags what.
    """
    of_judge = tallies(cells, [*by, "judge"])
    of_cluster: dict[Key, list[Tally]] = defaultdict(list)
    if clustered is not None:
        for key, tally in tallies(clustered, [*by, "judge", "cluster"]).items():
            of_cluster[key[:-1]].append(tally)
    shrunk = _shrunk(of_judge, of_cluster, confidence)
    rows = []
    for key, tally in of_judge.items():
        named = dict(zip([*by, "annotator"], key, strict=True))
        figures = _figures(tally, of_cluster.get(key), confidence)
        if not flags_known:
            figures["flag_mismatch"] = _no_flags(confidence)
        figures["reliability_shrunk"] = shrunk[key]
        figures["items"] = Estimate(float(tally.items), n=tally.items, confidence=confidence)
        rows += [(named, metric, estimate) for metric, estimate in figures.items()]
    return figure_table([*by, "annotator"], rows)


def _no_flags(confidence: float) -> Estimate:
    return Estimate.undefined("the data have no flags", confidence=confidence)


def _figures(tally: Tally, clusters: list[Tally] | None, confidence: float) -> dict[str, Estimate]:
    return {
        "reliability": _share(tally, clusters, "correct", "choices", NO_CHOICES, confidence),
        "flag_mismatch": _share(tally, clusters, "mismatches", "flags", NO_FLAGS, confidence),
        "kappa": _kappa(tally, clusters, confidence),
    }


def _share(
    tally: Tally, clusters: list[Tally] | None, successes: str, total: str, reason: str, confidence: float
) -> Estimate:
    n = getattr(tally, total)
    if not n:
        return Estimate.undefined(reason, confidence=confidence)
    if clusters is None:
        return proportion(getattr(tally, successes), n, confidence=confidence)
    counts = [[getattr(one, name) for one in clusters] for name in (successes, total)]
    return clustered_proportion(*counts, confidence=confidence)


def _kappa(tally: Tally, clusters: list[Tally] | None, confidence: float) -> Estimate:
    if not tally.choices:
        return Estimate.undefined(NO_CHOICES, confidence=confidence)
    labels = sorted({label for pair in tally.confusion for label in pair})
    code = {label: number for number, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for (label, reference), count in tally.confusion.items():
        table[code[label], code[reference]] = count
    if clusters is None:
        return cohen_kappa(table, confidence=confidence)
    long = [
        (number, code[label], code[reference], count)
        for number, one in enumerate(clusters)
        for (label, reference), count in one.confusion.items()
    ]
    return cohen_kappa(table, confidence=confidence, clusters=ClusteredCells(*np.array(long).T))


def _shrunk(
    of_judge: Mapping[Key, Tally], of_cluster: Mapping[Key, list[Tally]], confidence: float
) -> dict[Key, Estimate]:
    """Shrunk reliability: within each group, toward the group's own prior."""
    groups: dict[Key, list[Key]] = defaultdict(list)
    for key in of_judge:
        groups[key[:-1]].append(key)
    found: dict[Key, Estimate] = {}
    for keys in groups.values():
        counts = [_effective(of_judge[key], of_cluster.get(key)) for key in keys]
        found |= zip(keys, shrink(*zip(*counts, strict=True), confidence=confidence), strict=True)
    return found


def _effective(tally: Tally, clusters: list[Tally] | None) -> tuple[float, float]:
    if clusters is None or not tally.choices:
        return tally.correct, tally.choices
    counts = effective_counts([one.correct for one in clusters], [one.choices for one in clusters])
    return counts.successes, counts.n


def overall(sums: pl.DataFrame, by: Sequence[str], confidence: float, *, flags_known: bool = True) -> pl.DataFrame:
    """The table of pooled figures, clustered by item or, where the sums name clusters, by those.

    flags_known: whether the data say who flags what.
    """
    rows = []
    for key, group in _groups(sums, by):
        spoken = group.lazy().filter("known").with_columns(known=pl.lit(1))
        if "cluster" in sums.columns:
            # An item may stand in several clusters; it counts once, in the first of them.
            first = pl.col("cluster").cast(pl.String).min()
            spoken = spoken.group_by("item").agg(first, pl.col("reference_flagged").any(), known=pl.lit(1))
        figures = {
            "reliability": _pooled(group.lazy(), "correct", "choices", NO_CHOICES, confidence),
            "flag_mismatch": _pooled(group.lazy(), "mismatches", "flags", NO_FLAGS, confidence),
            "reference_flagged": _pooled(spoken, "reference_flagged", "known", NO_FLAGS, confidence),
        }
        if not flags_known:
            figures |= dict.fromkeys(("flag_mismatch", "reference_flagged"), _no_flags(confidence))
        rows += [(key, metric, estimate) for metric, estimate in figures.items()]
    return figure_table(by, rows)


def _groups(frame: pl.DataFrame, by: Sequence[str]) -> list[tuple[dict[str, str | None], pl.DataFrame]]:
    if not by:
        return [({}, frame)]
    texts = frame.with_columns(pl.col(by).cast(pl.String))
    groups = texts.partition_by(by, as_dict=True)
    order = sorted(groups, key=lambda key: [(text is not None, text or "") for text in key])
    return [(dict(zip(by, key, strict=True)), groups[key]) for key in order]


def _pooled(sums: pl.LazyFrame, successes: str, total: str, reason: str, confidence: float) -> Estimate:
    """A clustered proportion from sums per item, by way of how many clusters have the same two sums."""
    columns = [successes, total]
    if "cluster" in sums.collect_schema():
        sums = sums.group_by("cluster").agg(pl.col(columns).sum())
    histogram = sums.group_by(columns).len().filter(pl.col(total) > 0).sort(columns).collect(engine="streaming")
    if histogram.is_empty():
        return Estimate.undefined(reason, confidence=confidence)
    correct, n, multiplicity = (histogram[name].cast(pl.Int64).to_numpy() for name in (*columns, "len"))
    if (n == 1).all():
        return proportion(int(correct @ multiplicity), int(n @ multiplicity), confidence=confidence)
    return clustered_proportion(correct, n, multiplicity=multiplicity, confidence=confidence)


def deductions(cells: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """How many judgments left the denominator of reliability, and why (`REASONS`)."""
    found = cells.filter((pl.col("part") == "choice") & (pl.col("outcome") == "deducted"))
    order = pl.col("reason").replace_strict(list(REASONS), list(range(len(REASONS))), return_dtype=pl.Int64)
    return _counted(found.rename({"judge": "annotator", "detail": "reason"}), [*by, "annotator", "reason"], order)


def flags(cells: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Who flags what: a row per annotator and outcome, those that never happened too."""
    found = cells.filter((pl.col("part") == "flag") & (pl.col("outcome") != "deducted"))
    keys = [*by, "annotator"]
    everyone = cells.rename({"judge": "annotator"}).select(keys).unique()
    zeros = everyone.join(pl.DataFrame({"outcome": FLAG_OUTCOMES, "count": [0] * len(FLAG_OUTCOMES)}), how="cross")
    both = pl.concat([found.rename({"judge": "annotator"}).select(zeros.columns), zeros.cast({"count": pl.Int64})])
    order = pl.col("outcome").replace_strict(FLAG_OUTCOMES, range(len(FLAG_OUTCOMES)), return_dtype=pl.Int64)
    return _counted(both, [*keys, "outcome"], order)


def confusion(cells: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Which choice was made where the reference made which, over the choices that count."""
    found = cells.filter(pl.col("outcome").is_in(["correct", "incorrect"])).rename({"judge": "annotator"})
    keys = [*by, "annotator", "label", "reference_label"]
    return _counted(found, keys, pl.col("label"))


def _counted(rows: pl.DataFrame, keys: Sequence[str], last: pl.Expr) -> pl.DataFrame:
    summed = rows.group_by(keys).agg(pl.col("count").sum())
    ordered = summed.sort([*keys[:-1], last, keys[-1]])
    return typed_table(ordered.to_dicts(), [*keys, "count"])
