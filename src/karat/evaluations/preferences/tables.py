"""The tables of the report."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from karat.estimate import Estimate, Note
from karat.evaluations.preferences import ranking
from karat.evaluations.preferences.baselines import PREFIX, expected
from karat.evaluations.preferences.counts import Group, System
from karat.evaluations.preferences.figures import OF_EXPLANATIONS, OF_LABELS, OF_RANKS, VIEW
from karat.figures.figure import Figure
from karat.figures.means import mean_estimate
from karat.figures.tables import DIFFERENCE, Compared, Keys, difference_rows, figure_row, left_out_table
from karat.report import FIGURE, typed_table
from karat.schemas.preferences import AVERAGE

_METRICS = {figure.name: figure.about for figure in VIEW.figures} | OF_RANKS


def tables_of(groups: Sequence[Group], by: Sequence[str]) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    systems = [row for group in groups for row in ranking.system_comparisons(group)]
    baselines = [row for group in groups for row in ranking.baseline_comparisons(group)]
    tables = {"scores": typed_table(_scores(groups), [*by, "system", "criterion", *FIGURE])}
    if len(groups[0].systems) > 1:
        ranks = [row for group in groups for row in rank_rows(group, systems)]
        tables["ranks"] = typed_table(ranks, [*by, "system", "criterion", "ranked_metric", *FIGURE])
    kinds = {"systems": difference_rows(systems), "baselines": difference_rows(baselines)}
    differences = [{"compared": kind, **row} for kind, rows in kinds.items() for row in rows]
    tables["differences"] = typed_table(differences, ["compared", *by, "criterion", "first", "second", *DIFFERENCE])
    confusion = [row for group in groups for row in confusion_rows(group)]
    tables["confusion"] = typed_table(confusion, [*by, "system", "criterion", "reference_label", "label", "count"])
    return tables | left_out_table([*systems, *baselines], [*by, "criterion", "first", "second"])


def _scores(groups: Sequence[Group]) -> list[Keys]:
    return [row for group in groups for row in (*score_rows(group), *random_rows(group))]


def score_rows(group: Group) -> Iterator[Keys]:
    """Each system, then each baseline, on each criterion and on average."""
    for system in group.everyone:
        figures = figures_of(system)
        of_labels = group.parts(system, OF_LABELS[0])  # counted once: all figures of labels rest on them
        parts = {figure: of_labels if figure in OF_LABELS else group.parts(system, figure) for figure in figures}
        for place, criterion in enumerate(group.criteria):
            keys = {**group.keys, "system": system.name, "criterion": criterion}
            labels = group.cells(system, OF_LABELS[0], place, group.clusters)
            for figure in figures:
                cells = labels if figure in OF_LABELS else group.cells(system, figure, place, group.clusters)
                yield figure_row(keys, figure.name, figure.estimate(cells, group.confidence))
        keys = {**group.keys, "system": system.name, "criterion": AVERAGE}
        for figure in figures:
            yield figure_row(keys, figure.name, mean_estimate(figure, parts[figure], group.confidence))


def figures_of(system: System) -> list[Figure]:
    """The figures that a system has: of its labels, and of the scores of its explanations."""
    return [*OF_LABELS, *(figure for figure in OF_EXPLANATIONS if figure.name in system.scores)]


def estimate(group: Group, system: System, figure: Figure, place: int) -> Estimate:
    """A figure of a system on the criterion at a place."""
    return figure.estimate(group.cells(system, figure, place, group.clusters), group.confidence)


def random_rows(group: Group) -> Iterator[Keys]:
    """The expected figures of labels drawn at random."""
    judged = group.gold != 0
    counts = [*judged.sum(axis=1).tolist(), int(judged.any(axis=0).sum())]
    for criterion, n in zip((*group.criteria, AVERAGE), counts, strict=True):
        keys = {**group.keys, "system": f"{PREFIX}random", "criterion": criterion}
        for figure in OF_LABELS:
            yield figure_row(keys, figure.name, expected(figure, len(group.labels), n, group.confidence))


def confusion_rows(group: Group) -> Iterator[Keys]:
    """Every combination of labels that occurs, of each system."""
    words, size = ("missing", *group.labels), 1 + len(group.labels)
    for system in group.everyone:
        for place, criterion in enumerate(group.criteria):
            counts = np.bincount(group.places(system, place), minlength=size * size)
            for state in np.flatnonzero(counts[size:]) + size:
                gold, code = divmod(int(state), size)
                yield {
                    **group.keys,
                    "system": system.name,
                    "criterion": criterion,
                    "reference_label": words[gold],
                    "label": words[code],
                    "count": int(counts[state]),
                }


# --- ranks ---


def rank_rows(group: Group, comparisons: Sequence[Compared]) -> list[Keys]:
    """Borda points and mean rank of each system over all figures, and the ranks it may have on each."""
    names = [system.name for system in group.systems]
    values = _values(group)
    rows = _overall(group, names, values)
    for metric, criterion in values:
        own = [
            row
            for row in comparisons
            if (row.figure.name, row.keys["criterion"]) == (metric, criterion)
            and all(row.keys[name] == value for name, value in group.keys.items())
        ]
        sets = ranking.rank_set(names, own, group.confidence)
        n = max((row.result.found.estimate.n for row in own), default=0)
        for name in names:
            keys = {**group.keys, "system": name, "criterion": criterion, "ranked_metric": metric}
            for side in ("low", "high"):
                rank = Estimate(float(getattr(sets[name], side)), n=n, confidence=group.confidence)
                rows.append(figure_row(keys, f"rank_{side}", rank))
    return rows


def _values(group: Group) -> dict[ranking.Ranked, list[float]]:
    """The systems' values of every ranked figure that all of them have."""
    found = {}
    for figure in ranking.ranked_figures(group):
        for place, criterion in enumerate(group.criteria):
            cells = (group.cells(system, figure, place, None) for system in group.systems)
            values = [figure.linearise(one.states, one.totals).value for one in cells]
            known = [value for value in values if value is not None]
            if len(known) == len(values):
                found[figure.name, criterion] = known
    return found


def _overall(group: Group, names: Sequence[str], values: Mapping[ranking.Ranked, Sequence[float]]) -> list[Keys]:
    """The rows about all figures together: values without an interval, since none holds (see docs/statistics.md)."""
    if not values:
        return []
    n = int((group.gold != 0).any(axis=0).sum())
    rows = []
    for name, borda, mean in zip(names, ranking.borda_points(values), ranking.mean_ranks(values), strict=True):
        keys = {**group.keys, "system": name, "criterion": None, "ranked_metric": None}
        for metric, value in (("borda", borda), ("mean_rank", mean)):
            rows.append(figure_row(keys, metric, Estimate(value, n=n, confidence=group.confidence)))
    return rows


def published_ranks(scores: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The table of ranks by published scores (system, criterion, metric, value), and warnings.

    Figures that some system lacks are not ranked. A metric that is better when low counts the other way round.
    """
    kept = scores.filter((pl.col("criterion") != AVERAGE) & ~pl.col("system").str.starts_with(PREFIX))
    systems = kept["system"].unique(maintain_order=True).to_list()
    values = _published_values(kept)
    whole = {figure: own for figure, own in values.items() if len(own) == len(systems)}
    rows: list[Keys] = []
    for name, overall in (ranking.published(whole, systems) if whole else {}).items():
        keys = {"system": name, "criterion": None, "ranked_metric": None}
        for metric, value in zip(("borda", "mean_rank"), overall, strict=True):
            rows.append(figure_row(keys, metric, Estimate(value, n=len(whole), note=Note.PUBLISHED)))
    for (metric, criterion), own in whole.items():
        for name, ranks in ranking.observed_ranks(own).items():
            keys = {"system": name, "criterion": criterion, "ranked_metric": metric}
            for side, value in zip(("low", "high"), ranks, strict=True):
                estimate = Estimate(float(value), n=len(systems), note=Note.PUBLISHED)
                rows.append(figure_row(keys, f"rank_{side}", estimate))
    gaps = [f"{metric} of {criterion}" for metric, criterion in values if (metric, criterion) not in whole]
    warnings = [f"figures that some system lacks are not ranked: {', '.join(gaps)}"] if gaps else []
    if kept.height < scores.height:
        warnings.append(f"baselines and averages are not ranked: {scores.height - kept.height:,} scores left out")
    return typed_table(rows, ["system", "criterion", "ranked_metric", *FIGURE]), warnings


def _published_values(scores: pl.DataFrame) -> dict[ranking.Ranked, dict[str, float]]:
    """Figure -> system -> value, so that higher is better."""
    found: dict[ranking.Ranked, dict[str, float]] = {}
    for system, criterion, metric, value in scores.iter_rows():
        own = found.setdefault((metric, criterion), {})
        if value is not None:
            low = metric in _METRICS and _METRICS[metric].better == "low"
            own[system] = -value if low else value
    return found
