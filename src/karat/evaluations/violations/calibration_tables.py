"""From judged pairs of violations to the tables of a report of their calibration."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.errors import DataError
from karat.estimate import Estimate, Note
from karat.evaluations.violations.calibration import (
    Held,
    HeldOut,
    Judgments,
    Said,
    allowed,
    beside,
    fitted,
    held_out,
    profile,
    resampled,
    values_of,
)
from karat.evaluations.violations.calibration_figures import ALL, OF_JUDGES, OF_RULES
from karat.evaluations.violations.matching import Similarity
from karat.evaluations.violations.rules import PARTS, Rule, without
from karat.evaluations.violations.spans import Floats, as_arrays
from karat.figures.cells import measured, measured_pairs
from karat.figures.tables import DIFFERENCE, Keys, compared, difference_rows
from karat.formats.judged_pairs import GROUP, JUDGE, PAIR, SAME, JudgedPairs
from karat.report import figure_table, typed_table
from karat.schemas.violations import TEXT_PARTS
from karat.statistics import holm
from karat.text.models import extra

CALIBRATED, DEFAULT = "calibrated", "default"
MOST_JUDGES = 20
"""Judges that have rows of their own, those with the most judgments."""

_OTHER, _JUDGES = "_other", "judges"
_ONE_TEXT = "fewer than two texts: nothing can be held out"
_FLAT = 0.01
"""Weights at which the accuracy is lower by no more than this are as good as the best."""

_ROUNDING = 1e-9

_Figure = tuple[dict[str, str], str, Estimate]
"""What a table of figures is made of: keys, name and estimate."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """All that tables rest on.

    pairs: people's judgments. judgments: the same as numbers. rule: fitted to all of them. default: the rule it is
    compared with. parts: those with fitted weights. absent: parts of the default that no violation has. held: the
    answers of both rules on judgments that they were not fitted to; None with one text. draws: weights and threshold
    over texts drawn with replacement (see `resampled`); None with one text. profiles: of each part.
    """

    pairs: JudgedPairs
    judgments: Judgments
    rule: Rule
    default: Rule
    parts: tuple[str, ...]
    absent: tuple[str, ...]
    held: HeldOut | None
    draws: Floats | None
    profiles: Mapping[str, Sequence[Held]]
    confidence: float


def calibration(
    pairs: JudgedPairs,
    default: Rule,
    similarities: Mapping[str, Callable[[pl.Series], Similarity]],
    *,
    folds: int = 5,
    confidence: float = 0.95,
    seed: int = 0,
) -> Calibration:
    """Weights of the default's parts, and a threshold, fitted to judgments, and what says how good they are.

    similarities: part -> what makes a similarity of its texts. Raises DataError where people gave one answer only, or
    no part predicts "same", MissingError where scipy or scikit-learn is not installed.
    """
    with extra("fit", "Calibration"):
        import sklearn  # noqa: F401 - which brings scipy; to fail before any work is done
    (predicted, truth), words = as_arrays([pairs.predicted, pairs.truth])
    usual = without(default, words.absent)
    parts = tuple(part for part in default.parts if part not in words.absent)
    known = [part for part in PARTS if part in ("overlap", "rule", *parts)]
    alike = {
        part: similarities[part](words.texts[part])
        for part in TEXT_PARTS
        if part in similarities and part in known and part not in words.absent
    }
    values = values_of(beside(predicted, truth), predicted, truth, alike, known)
    judgments = Judgments(
        values, pairs.frame[SAME].to_numpy().astype(bool), pairs.frame[GROUP].cast(pl.Int64).to_numpy()
    )
    _check(pairs.name, judgments)
    rule = fitted(judgments, parts, usual)
    if rule is None:
        raise DataError(
            f"{pairs.name}: no part predicts a match: pairs judged to be the same are no more similar than others in "
            f"{', '.join(parts)}. Judge more pairs, or check whether true and false are swapped"
        )
    several = judgments.texts > 1
    return Calibration(
        pairs,
        judgments,
        rule,
        usual,
        parts,
        tuple(part for part in words.absent if part in default.parts),
        held_out(judgments, parts, usual, folds=folds, seed=seed) if several else None,
        resampled(judgments, parts, usual, seed=seed) if several else None,
        {part: profile(judgments, parts, part, usual) for part in parts},
        confidence,
    )


def _check(name: str, judgments: Judgments) -> None:
    """Raises DataError where people gave one answer only."""
    same, count = int(judgments.same.sum()), len(judgments)
    if same in (0, count):
        only = "the same" if same else "not the same"
        raise DataError(
            f"{name}: expected pairs judged as the same and others as not; all {count:,} are judged {only}. "
            "Judge pairs of other scores too, which `karat violations pairs` draws"
        )


# --- tables ---


def tables_of(data: Calibration) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    return {
        "calibration": figure_table(["rule"], _calibration(data)),
        "differences": typed_table(_differences(data), ["first", "second", *DIFFERENCE]),
        "weights": figure_table(["part"], _weights(data)),
        "judges": figure_table(["first", "second"], _judges(data)),
        "flatness": figure_table(["part", "weight"], _flatness(data)),
    }


def _calibration(data: Calibration) -> Iterator[_Figure]:
    """Each rule on judgments that it was not fitted to, and the threshold of the one fitted to all."""
    n, confidence = len(data.judgments), data.confidence
    usual = Estimate(data.default.score, n=n, confidence=confidence)
    thresholds = {CALIBRATED: _drawn(data, data.rule.score, -1), DEFAULT: usual}
    for name, threshold in thresholds.items():
        cells = None if data.held is None else measured(_answers(data, name), data.judgments.groups)
        for figure in OF_RULES:
            undefined = Estimate.undefined(_ONE_TEXT, confidence=confidence)
            yield {"rule": name}, figure.name, undefined if cells is None else figure.estimate(cells, confidence)
        yield {"rule": name}, "threshold", threshold


def _answers(data: Calibration, rule: str) -> dict[str, NDArray[np.generic]]:
    """What a rule says of judgments that it was not fitted to, beside what people say."""
    said: Said = getattr(data.held, rule)
    folds = np.zeros(0, np.int64) if data.held is None else data.held.folds
    return {"same": data.judgments.same, "said": said.same, "score": said.scores, "fold": folds}


def _differences(data: Calibration) -> list[Keys]:
    """The calibrated rule minus the default one on the same judgments, over texts, adjusted together."""
    if data.held is None:
        return []
    pairs = measured_pairs(_answers(data, DEFAULT), _answers(data, CALIBRATED), data.judgments.groups)
    keys = {"first": DEFAULT, "second": CALIBRATED}
    rows = difference_rows([compared(figure, pairs, keys, data.confidence) for figure in OF_RULES])
    adjusted = holm([row["p"] for row in rows])
    return [row | {"p_adjusted": p} for row, p in zip(rows, adjusted, strict=True)]


def _weights(data: Calibration) -> Iterator[_Figure]:
    """The weight of each part in the rule fitted to all judgments, beside that of the default."""
    n, confidence = len(data.judgments), data.confidence
    for part in (one for one in PARTS if one in data.parts or one in data.absent):
        own = Estimate(0.0, n=n, confidence=confidence, note=Note.NOT_GIVEN)
        if part in data.parts:
            own = _drawn(data, data.rule.weights[part], data.parts.index(part))
        yield {"part": part}, "weight", own
        usual = float(data.default.weights.get(part, 0.0))
        yield {"part": part}, "default_weight", Estimate(usual, n=n, confidence=confidence)


def _drawn(data: Calibration, value: float, column: int) -> Estimate:
    """A number of the fitted rule, with the percentiles over resamples."""
    n, confidence = len(data.judgments), data.confidence
    if data.draws is None:
        return Estimate(value, n=n, confidence=confidence, note=Note.ONE_CLUSTER)
    drawn = data.draws[:, column]
    known = drawn[np.isfinite(drawn)]
    if not len(known):
        return Estimate(value, n=n, confidence=confidence, note=Note.NO_RESAMPLE)
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    note = Note.SOME_RESAMPLES if len(known) < len(drawn) else Note.BOOTSTRAP
    return Estimate(value, low, max(low, high), n=n, method="percentile", confidence=confidence, note=note)


def _flatness(data: Calibration) -> Iterator[_Figure]:
    """How well the judgments can be reproduced with the weight of one part held at each value."""
    for part, profiled in data.profiles.items():
        for held in profiled:
            for metric in ("log_likelihood", "accuracy"):
                found = Estimate(getattr(held, metric), n=len(data.judgments), confidence=data.confidence)
                yield {"part": part, "weight": f"{held.weight:.2f}"}, metric, found


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
        answers = {"one": SAME, "other": SAME + _OTHER, "judges": _JUDGES}
        cells = measured({name: rows[column].to_numpy() for name, column in answers.items()}, rows[GROUP].to_numpy())
        for figure in OF_JUDGES:
            if figure.where(keys):
                yield keys, figure.name, figure.estimate(cells, data.confidence)


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
    notes = [f"{name}: {_formula(rule)}." for name, rule in ((CALIBRATED, data.rule), (DEFAULT, data.default))]
    if data.held is not None:
        notes.append(
            f"Figures of the calibrated rule are cross-validated: {len(np.unique(data.held.folds))} folds, all pairs "
            "of a text in one, each scored by weights fitted to the others. Scores of different folds come from "
            "different weights, so the AUC compares pairs within folds, weighted by the number of comparisons; that of "
            "the default rule likewise."
        )
    notes.append(
        "Intervals treat texts as the sampling units. Those of the figures take the fitted weights as given; those of "
        "the weights and of the threshold are percentiles over texts drawn with replacement."
    )
    return (*notes, _flat(data))


def _formula(rule: Rule) -> str:
    score = " + ".join(f"{rule.weights[part]:.3f} {part}" for part in rule.parts)
    limits = f"score > {rule.score:.3f}, overlap > {rule.overlap:g}"
    return f"score = {score}; the same needs {limits}" + (f", rule > {rule.rule:g}" if rule.rule >= 0 else "")


def _flat(data: Calibration) -> str:
    """The range of each weight in which the judgments can be reproduced nearly as well as at best."""
    ranges = []
    for part, held in data.profiles.items():
        best = max(one.accuracy for one in held)
        near = [one.weight for one in held if one.accuracy >= best - _FLAT - _ROUNDING]
        ranges.append(f"{part} {min(near):.2f} to {max(near):.2f}")
    return (
        f"How flat the optimum is: with the other weights fitted again, the accuracy stays within {100 * _FLAT:g} "
        f"percentage point of the best for weights in {', '.join(ranges)}."
    )


def warnings_of(data: Calibration) -> list[str]:
    """Warnings about the data."""
    warnings = [*data.pairs.warnings]
    if data.absent:
        gone = ", and the threshold of rules is left out" if "rule" in data.absent else ""
        warnings.append(f"no violation has a {' or '.join(data.absent)}: the weight is 0{gone}")
    failed = 0.0 if data.draws is None else float(np.isnan(data.draws).any(axis=1).mean())
    if failed:
        warnings.append(f"{failed:.1%} of the resamples allow no fit; the intervals of the weights leave them out")
    warnings += [
        f"all pairs are equally alike in {part}, so that nothing says how much it weighs"
        for part in data.parts
        if np.ptp(data.judgments.values[part]) == 0
    ]
    forbidden = int((data.judgments.same & ~allowed(data.judgments.values, data.rule)).sum())
    if forbidden:
        what = "judgment calls a pair" if forbidden == 1 else "judgments call pairs"
        limits = f"overlap is not above {data.rule.overlap:g}"
        if data.rule.rule >= 0:
            limits += f" or their rules' likeness not above {data.rule.rule:g}"
        warnings.append(
            f"{forbidden:,} {what} the same that no score can match, since the {limits}: lower overlap_threshold or "
            "rule_threshold (--overlap-threshold, --rule-threshold) where people are right"
        )
    if data.held is not None and data.held.failed:
        warnings.append(
            f"in {data.held.failed} of {len(np.unique(data.held.folds))} folds nothing could be fitted to the other "
            "folds; the default rule stands in"
        )
    more = data.pairs.frame[JUDGE].drop_nulls().n_unique() - MOST_JUDGES
    if more > 0:
        warnings.append(f"judges holds the {MOST_JUDGES} with the most judgments; {more:,} more have no rows")
    return warnings
