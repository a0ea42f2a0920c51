"""The tables of a report of a calibration, and what is said beside them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from karat.estimate import Estimate, Note
from karat.evaluations.violations.calibration import (
    CALIBRATED,
    DEFAULT,
    MAJORITY,
    Calibration,
)
from karat.evaluations.violations.calibration_figures import ALL, OF_JUDGES, OF_RULES
from karat.evaluations.violations.fitting import allowed, decisions
from karat.evaluations.violations.rules import PARTS, absence, formula
from karat.figures.cells import measured, measured_pairs
from karat.figures.tables import DIFFERENCE, Keys, compared, difference_rows, figure_table
from karat.formats.judged_pairs import GROUP, PAIR
from karat.formats.judging_forms import JUDGE, SAME
from karat.report import typed_table
from karat.statistics.comparison import holm
from karat.statistics.resampling import percentile_interval

MOST_JUDGES = 20
"""Judges that have rows of their own, those with the most judgments."""

BASELINES = (DEFAULT, MAJORITY)
"""What a calibrated rule must beat to be worth anything."""
_NAMED = {DEFAULT: "default rule", MAJORITY: "majority, which gives all pairs the same answer"}

_OTHER, _JUDGES = "_other", "judges"
_ONE_TEXT = "fewer than two texts: nothing can be held out"
_FLAT = 0.01
"""Weights at which the accuracy is lower by no more than this are as good as the best."""

_ROUNDING = 1e-9

_Figure = tuple[dict[str, str], str, Estimate]
"""What a table of figures is made of: keys, name and estimate."""


# --- tables ---


def tables_of(data: Calibration) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    return {
        "judges": figure_table(["first", "second"], _judges(data)),
        "calibration": figure_table(["rule"], _calibration(data)),
        "differences": typed_table(_differences(data), ["first", "second", *DIFFERENCE]),
        "weights": figure_table(["part"], _weights(data)),
        "flatness": figure_table(["part", "weight"], _flatness(data)),
    }


def _calibration(data: Calibration) -> Iterator[_Figure]:
    """Each rule on judgments that it was not fitted to, and the threshold of the one fitted to all."""
    n, confidence = len(data.judgments), data.confidence
    usual = Estimate(data.default.score, n=n, confidence=confidence)
    thresholds = {CALIBRATED: _drawn(data, data.rule.score, -1), DEFAULT: usual, MAJORITY: None}
    for name, threshold in thresholds.items():
        cells = None if data.held is None else measured(data.held.answers[name], data.judgments.groups)
        for figure in OF_RULES:
            undefined = Estimate.undefined(_ONE_TEXT, confidence=confidence)
            yield {"rule": name}, figure.name, undefined if cells is None else figure.estimate(cells, confidence)
        if threshold is not None:
            yield {"rule": name}, "threshold", threshold


def _differences(data: Calibration) -> list[Keys]:
    """The calibrated rule minus each baseline on the same judgments, over texts, adjusted together."""
    if data.held is None:
        return []
    answers, found = data.held.answers, []
    for base in BASELINES:
        pairs = measured_pairs(answers[base], answers[CALIBRATED], data.judgments.groups)
        keys = {"first": base, "second": CALIBRATED}
        found += [compared(figure, pairs, keys, data.confidence) for figure in OF_RULES]
    rows = difference_rows(found)
    adjusted = holm([row["p"] for row in rows])
    return [row | {"p_adjusted": p} for row, p in zip(rows, adjusted, strict=True)]


def _weights(data: Calibration) -> Iterator[_Figure]:
    """The weight of each part in the rule fitted to all judgments, beside that of the default."""
    n, confidence = len(data.judgments), data.confidence
    fitted_weights = {part: _drawn(data, data.rule.weights[part], at) for at, part in enumerate(data.default.parts)}
    none = {part: Estimate(0.0, n=n, confidence=confidence, note=Note.NOT_GIVEN) for part in data.absent}
    for part, own in sorted((fitted_weights | none).items(), key=lambda one: PARTS.index(one[0])):
        yield {"part": part}, "weight", own
        usual = float(data.default.weights.get(part, 0.0))
        yield {"part": part}, "default_weight", Estimate(usual, n=n, confidence=confidence)


def _drawn(data: Calibration, value: float, column: int) -> Estimate:
    """A number of the fitted rule, with the percentiles over resamples."""
    n, confidence = len(data.judgments), data.confidence
    if data.draws is None:
        return Estimate(value, n=n, confidence=confidence, note=Note.ONE_CLUSTER)
    return percentile_interval(value, data.draws[:, column], n=n, confidence=confidence)


def _flatness(data: Calibration) -> Iterator[_Figure]:
    """How well the judgments can be reproduced with the weight of one part held at each value."""
    for part, profiled in data.profiles.items():
        for held in profiled.iter_rows(named=True):
            for metric in ("log_likelihood", "accuracy"):
                found = Estimate(held[metric], n=len(data.judgments), confidence=data.confidence)
                yield {"part": part, "weight": f"{held['weight']:.2f}"}, metric, found


# --- judges ---


def _judges(data: Calibration) -> Iterator[_Figure]:
    """Agreement and kappa of every pair of judges on the pairs that both judged, and of all judges."""
    named = data.pairs.frame.drop_nulls(JUDGE)
    most = named.group_by(JUDGE).len().sort("len", JUDGE, descending=[True, False])[JUDGE].head(MOST_JUDGES)
    named = named.filter(pl.col(JUDGE).is_in(most.implode())).cast({SAME: pl.Int64, GROUP: pl.Int64})
    every = named.join(named, on=[PAIR, GROUP], suffix=_OTHER).filter(pl.col(JUDGE) < pl.col(JUDGE + _OTHER))
    every = every.with_columns(pl.struct(JUDGE, JUDGE + _OTHER).rank("dense").alias(_JUDGES))
    parts = every.sort(JUDGE, JUDGE + _OTHER).partition_by(JUDGE, JUDGE + _OTHER, as_dict=True)
    for (first, second), rows in {(ALL, ALL): every, **parts}.items():
        keys = {"first": first, "second": second}
        answers = rows.select(one=SAME, other=SAME + _OTHER, judges=_JUDGES)
        cells = measured(answers, rows[GROUP].to_numpy())
        for figure in OF_JUDGES:
            if figure.where(keys):
                yield keys, figure.name, figure.estimate(cells, data.confidence)


def disagreement(judges: pl.DataFrame) -> list[str]:
    """A warning where judges do not agree beyond chance on the pairs that several judged."""
    for row in judges.filter(first=ALL, metric="kappa").to_dicts():
        if row["low"] is not None and row["low"] <= 0:
            limits = f"{row['low']:.2f} to {row['high']:.2f}"
            said = f"kappa {row['value']:.2f} ({limits}) on {row['n']:,} pairs of judgments"
            first = "No rule can be fitted to that: let them talk about what is the same violation first"
            return [f"judges do not agree beyond chance: {said}. {first}"]
    return []


# --- whether it was worth it ---


def against(data: Calibration, differences: pl.DataFrame) -> list[str]:
    """What speaks against using the calibrated rule, in sentences; nothing where it is better than every baseline.

    It is better where the interval of the difference in accuracy, on texts that it was not fitted to, lies above 0.
    differences: the table of that name.
    """
    if data.held is None:
        return [f"whether the calibrated rule is better than the default one cannot be said: {_ONE_TEXT}"]
    told = []
    rows = differences.filter(metric="accuracy").to_dicts()
    for row in rows:
        if row["low"] is None or row["low"] <= 0:
            values = " against ".join(f"{100 * row[side]:.1f} %" for side in ("second_value", "first_value"))
            limits = "" if row["low"] is None else f", difference {100 * row['low']:+.1f} to {100 * row['high']:+.1f}"
            told.append(
                f"the calibrated rule is no better than the {_NAMED[row['first']]}: accuracy {values}{limits}, on "
                "texts that it was not fitted to"
            )
    if len(np.unique(decisions(data.judgments.values, data.rule))) == 1:
        told.append("the calibrated rule is degenerate: it gives the same answer to all pairs")
    return told


# --- what is said beside the tables ---


def counts_of(data: Calibration) -> dict[str, int]:
    """Counts for the head of the report."""
    frame = data.pairs.frame
    found = {
        "judgments": frame.height,
        "called the same": int(data.judgments.same.sum()),
        "pairs": frame[PAIR].n_unique(),
        "texts": data.judgments.texts,
    }
    judges = frame[JUDGE].drop_nulls().n_unique()
    return found | ({"judge" if judges == 1 else "judges": judges} if judges else {})


def notes_of(data: Calibration) -> tuple[str, ...]:
    """How figures were made, for the foot of the report."""
    rounded = replace(data.rule, score=round(data.rule.score, 3))
    rules = {CALIBRATED: rounded, DEFAULT: data.default}
    notes = [f"{name}: {formula(rule, 'the same')}." for name, rule in rules.items()]
    if data.held is not None:
        notes.append(
            f"Figures of the calibrated rule are cross-validated: {data.held.folds} folds, all pairs "
            "of a text in one, each scored by weights fitted to the others. Scores of different folds come from "
            "different weights, so the AUC compares pairs within folds, weighted by the number of comparisons; that of "
            "the default rule likewise. The majority gives the more frequent answer of the other folds to all pairs."
        )
    notes.append(
        "Intervals treat texts as the sampling units. Those of the figures take the fitted weights as given; those of "
        "the weights and of the threshold are percentiles over texts drawn with replacement."
    )
    return (*notes, _flat(data))


def _flat(data: Calibration) -> str:
    """The range of each weight in which the judgments can be reproduced nearly as well as at best."""
    ranges = []
    for part, held in data.profiles.items():
        near = held.filter(pl.col("accuracy") >= pl.col("accuracy").max() - _FLAT - _ROUNDING)["weight"].to_list()
        ranges.append(f"{part} {min(near):.2f} to {max(near):.2f}")
    return (
        f"How flat the optimum is: with the other weights fitted again, the accuracy stays within {100 * _FLAT:g} "
        f"percentage point of the best for weights in {', '.join(ranges)}."
    )


def warnings_of(data: Calibration) -> list[str]:
    """Warnings about the data."""
    warnings = [*data.pairs.warnings, *absence(data.absent, "what is absent has no weight")]
    failed = 0.0 if data.draws is None else float(np.isnan(data.draws).any(axis=1).mean())
    if failed:
        warnings.append(f"{failed:.1%} of the resamples allow no fit; the intervals of the weights leave them out")
    warnings += [
        f"all pairs are equally alike in {part}, so that nothing says how much it weighs"
        for part in data.default.parts
        if data.judgments.values[part].n_unique() == 1
    ]
    forbidden = int((data.judgments.same & ~allowed(data.judgments.values, data.rule)).sum())
    if forbidden:
        what = "judgment calls a pair" if forbidden == 1 else "judgments call pairs"
        limits = f"overlap is not above {data.rule.overlap:g}"
        if data.rule.rule >= 0:
            limits += f" or their rules' likeness not above {data.rule.rule:g}"
        warnings.append(
            f"{forbidden:,} {what} the same that no score can match, since the {limits}: lower --overlap-threshold "
            "or --rule-threshold where people are right"
        )
    if data.held is not None and data.held.failed:
        warnings.append(
            f"in {data.held.failed} of {data.held.folds} folds nothing could be fitted to the other "
            "folds; the default rule stands in"
        )
    more = data.pairs.frame[JUDGE].drop_nulls().n_unique() - MOST_JUDGES
    if more > 0:
        warnings.append(f"judges holds the {MOST_JUDGES} with the most judgments; {more:,} more have no rows")
    return warnings
