"""From judged pairs of violations to the tables of a report of their calibration."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

import numpy as np
import polars as pl

from karat.errors import DataError
from karat.estimate import Estimate, Note
from karat.evaluations.violations.calibration import (
    Held,
    HeldOut,
    Judgments,
    Said,
    allowed,
    auc,
    beside,
    fitted,
    held_out,
    profile,
    resampled,
    unvaried,
    values_of,
)
from karat.evaluations.violations.matching import Similarity
from karat.evaluations.violations.rules import PARTS, Rule, without
from karat.evaluations.violations.scoring import TESTED
from karat.evaluations.violations.spans import Floats, Integers, as_arrays, summed
from karat.formats.judged_pairs import GROUP, JUDGE, PAIR, SAME, JudgedPairs
from karat.report import FIGURE, figure_table, typed_table
from karat.schemas.violations import TEXT_PARTS
from karat.statistics import (
    ClusteredCells,
    Comparison,
    clustered_f1,
    clustered_proportion,
    cohen_kappa,
    cohen_kappa_influence,
    holm,
    linearised_difference,
    linearised_proportion,
    paired_ratio_difference,
)
from karat.statistics.proportions import mapped

CALIBRATED, DEFAULT = "calibrated", "default"
ALL = "all"
"""In the place of judges' names: all of them together."""

MOST_JUDGES = 20
"""Judges that have rows of their own, those with the most judgments."""

_TWO = 2
_ONE_TEXT = "fewer than two texts: nothing can be held out"
_ONE_JUDGE = "no pair was judged by two people who are named"
_FLAT = 0.01
"""Weights at which the accuracy is lower by no more than this are as good as the best."""

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Calibration:
    """All that tables are made of.

    pairs: what people said. judgments: the same as numbers. rule: fitted to all of it. default: what it stands beside.
    parts: what the weights are fitted of. absent: parts of the default that nobody gives. fixed: parts in which all
    pairs are equally alike. held: what both rules say of judgments that they were not fitted to; None with one text.
    draws: weights and threshold of texts drawn anew (see `resampled`); None with one text. profiles: of each part.
    """

    pairs: JudgedPairs
    judgments: Judgments
    rule: Rule
    default: Rule
    parts: tuple[str, ...]
    absent: tuple[str, ...]
    fixed: tuple[str, ...]
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
    no part speaks for "same".
    """
    (predicted, truth), words = as_arrays([pairs.predicted, pairs.truth])
    absent = tuple(part for part in words.absent if part in default.parts)
    usual = without(default, words.absent)
    parts = tuple(part for part in PARTS if part in default.parts and part not in absent)
    alike = {
        part: similarities[part](words.texts[part])
        for part in TEXT_PARTS
        if part in similarities and (part in parts or part == "rule") and part not in words.absent
    }
    known = [part for part in PARTS if part == "overlap" or part in parts or part == "rule"]
    values = values_of(beside(predicted, truth), predicted, truth, alike, known)
    answers = pairs.frame[SAME].to_numpy().astype(bool)
    judgments = Judgments(values, answers, pairs.frame[GROUP].to_numpy().astype(np.int64))
    _check(pairs.name, judgments, parts)
    rule = fitted(judgments, parts, usual)
    if rule is None:
        raise DataError(
            f"{pairs.name}: no part speaks for the same: pairs called the same are no more alike than the others in "
            f"{', '.join(parts)}. Judge more pairs, or see whether true and false are confused"
        )
    several = judgments.texts >= _TWO
    return Calibration(
        pairs,
        judgments,
        rule,
        usual,
        parts,
        absent,
        tuple(unvaried(judgments, parts)),
        held_out(judgments, parts, usual, folds=folds, seed=seed) if several else None,
        resampled(judgments, parts, usual, seed=seed) if several else None,
        {part: profile(judgments, parts, part, usual) for part in parts},
        confidence,
    )


def _check(name: str, judgments: Judgments, parts: Sequence[str]) -> None:
    """Raises DataError where nothing can be fitted."""
    same, count = int(judgments.same.sum()), len(judgments)
    if same in (0, count):
        only = "the same" if same else "not the same"
        raise DataError(
            f"{name}: expected pairs judged as the same and others as not; all {count:,} are judged {only}. "
            "Judge pairs of other scores too, which `karat violations pairs` draws"
        )
    if not parts:
        raise DataError(f"{name}: expected pairs that say something in one part at least; got none")


# --- tables ---


def tables_of(data: Calibration) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    return {
        "calibration": figure_table(["rule"], _calibration(data)),
        "differences": typed_table(list(_differences(data)), ["first", "second", *TESTED]),
        "weights": figure_table(["part"], _weights(data)),
        "judges": figure_table(["first", "second"], _judges(data)),
        "flatness": figure_table(["part", "weight"], _flatness(data)),
    }


def _said(data: Calibration) -> dict[str, Said]:
    return {CALIBRATED: data.held.calibrated, DEFAULT: data.held.default} if data.held else {}


def _calibration(data: Calibration) -> Iterator[tuple[dict[str, str | None], str, Estimate]]:
    """Each rule on judgments that it was not fitted to, and the threshold of the one fitted to all."""
    for name, rule in ((CALIBRATED, data.rule), (DEFAULT, data.default)):
        said = _said(data).get(name)
        for metric in ("auc", "accuracy", "f1"):
            found = _figure(data, said, metric) if said else Estimate.undefined(_ONE_TEXT, confidence=data.confidence)
            yield {"rule": name}, metric, found
        draws = data.draws[:, -1] if data.draws is not None and name == CALIBRATED else None
        yield {"rule": name}, "threshold", _drawn(data, rule.score, draws, fixed=name == DEFAULT)


def _figure(data: Calibration, said: Said, metric: str) -> Estimate:
    """One figure of what a rule says of judgments, with texts as clusters."""
    judgments = data.judgments
    if metric == "accuracy":
        right, totals = _ratio(judgments, said, metric)
        return clustered_proportion(right, totals, confidence=data.confidence)
    if metric == "f1":
        hits = judgments.per_text(said.same & judgments.same)
        invented, missed = (judgments.per_text(one) for one in _wrong(judgments, said))
        return clustered_f1(hits, invented, missed, confidence=data.confidence)
    found = auc(judgments, said.scores, _folds(data))
    if found.value is None:
        return Estimate.undefined("no fold holds both answers", n=len(judgments), confidence=data.confidence)
    return linearised_proportion(found.value, found.influence, n=len(judgments), confidence=data.confidence)


def _folds(data: Calibration) -> Integers:
    return np.zeros(len(data.judgments), np.int64) if data.held is None else data.held.folds


def _wrong(judgments: Judgments, said: Said) -> tuple[Floats, Floats]:
    """Which judgments are called the same and are not, and which are and are not called so."""
    return (said.same & ~judgments.same).astype(float), (~said.same & judgments.same).astype(float)


def _ratio(judgments: Judgments, said: Said, metric: str) -> tuple[Floats, Floats]:
    """A figure as numerator and denominator of each text; F1 = 2 tp / (2 tp + fp + fn)."""
    if metric == "accuracy":
        return judgments.per_text(said.same == judgments.same), judgments.per_text(np.ones(len(judgments)))
    hits = 2 * judgments.per_text(said.same & judgments.same)
    invented, missed = (judgments.per_text(one) for one in _wrong(judgments, said))
    return hits, hits + invented + missed


def _differences(data: Calibration) -> Iterator[dict[str, object]]:
    """The calibrated rule less the default one on the same judgments, over texts, adjusted together."""
    said = _said(data)
    found = {metric: _difference(data, said, metric) for metric in ("auc", "accuracy", "f1")} if said else {}
    for (metric, one), p in zip(found.items(), holm([one.p for one in found.values()]), strict=True):
        yield {
            "first": CALIBRATED,
            "second": DEFAULT,
            "metric": metric,
            **{name: getattr(one.estimate, name) for name in FIGURE[1:]},
            "p": one.p,
            "p_adjusted": p,
        }


def _difference(data: Calibration, said: Mapping[str, Said], metric: str) -> Comparison:
    sides = (said[CALIBRATED], said[DEFAULT])
    if metric != "auc":
        ratios = [_ratio(data.judgments, side, metric) for side in sides]
        return paired_ratio_difference(ratios[0], ratios[1], confidence=data.confidence)
    ours, theirs = (auc(data.judgments, side.scores, _folds(data)) for side in sides)
    if ours.value is None or theirs.value is None:
        return Comparison(Estimate.undefined("no fold holds both answers", confidence=data.confidence), None)
    return linearised_difference(
        ours.value - theirs.value, ours.influence - theirs.influence, confidence=data.confidence
    )


def _weights(data: Calibration) -> Iterator[tuple[dict[str, str | None], str, Estimate]]:
    """The weight of each part in the rule fitted to all judgments, beside that of the default."""
    for part in (one for one in PARTS if one in data.parts or one in data.absent):
        if part in data.parts:
            draws = None if data.draws is None else data.draws[:, data.parts.index(part)]
            own = _drawn(data, data.rule.weights[part], draws)
        else:
            own = Estimate(0.0, n=len(data.judgments), confidence=data.confidence, note=Note.NOT_GIVEN)
        yield {"part": part}, "weight", own
        usual = float(data.default.weights.get(part, 0.0))
        yield {"part": part}, "default_weight", Estimate(usual, n=len(data.judgments), confidence=data.confidence)


def _drawn(data: Calibration, value: float, draws: Floats | None, *, fixed: bool = False) -> Estimate:
    """A number of the fitted rule with percentiles of it over texts drawn anew."""
    n = len(data.judgments)
    known = np.empty(0) if draws is None else draws[np.isfinite(draws)]
    if not len(known):
        note = None if fixed else Note.ONE_CLUSTER if draws is None else Note.NO_RESAMPLE
        return Estimate(value, n=n, confidence=data.confidence, note=note)
    low, high = np.quantile(known, [(1 - data.confidence) / 2, (1 + data.confidence) / 2])
    note = Note.SOME_RESAMPLES if data.draws is not None and len(known) < len(data.draws) else Note.BOOTSTRAP
    limits = float(low), float(max(low, high))
    return Estimate(value, *limits, n=n, method="percentile", confidence=data.confidence, note=note)


def _flatness(data: Calibration) -> Iterator[tuple[dict[str, str | None], str, Estimate]]:
    """How well the judgments can be met with the weight of one part held at each value."""
    n = len(data.judgments)
    for part, profiled in data.profiles.items():
        for held in profiled:
            keys: dict[str, str | None] = {"part": part, "weight": f"{held.weight:.2f}"}
            for metric in ("log_likelihood", "accuracy"):
                yield keys, metric, Estimate(getattr(held, metric), n=n, confidence=data.confidence)


# --- judges ---


def _judges(data: Calibration) -> Iterator[tuple[dict[str, str | None], str, Estimate]]:
    """Agreement and kappa of every two judges on pairs that both judged, and of all."""
    frame = data.pairs.frame.filter(pl.col(JUDGE).is_not_null())
    counts = frame.group_by(JUDGE).len().sort("len", JUDGE, descending=[True, False])
    names = sorted(counts[JUDGE].head(MOST_JUDGES).to_list())
    own = {name: frame.filter(pl.col(JUDGE) == name).select(PAIR, GROUP, SAME) for name in names}
    shared = {}
    for first, second in combinations(names, _TWO):
        both = own[first].join(own[second].select(PAIR, pl.col(SAME).alias("other")), on=PAIR).sort(PAIR)
        if both.height:
            shared[first, second] = both
    for metric, estimate in _together(data, list(shared.values())).items():
        yield {"first": ALL, "second": ALL}, metric, estimate
    for (first, second), both in shared.items():
        for metric, estimate in _of_two(data, both).items():
            yield {"first": first, "second": second}, metric, estimate


def _cells(both: pl.DataFrame) -> tuple[Floats, Integers, Integers, Integers]:
    """The table of two judges' answers, and the text and both answers of each pair."""
    groups, first, second = (both[name].cast(pl.Int64).to_numpy() for name in (GROUP, SAME, "other"))
    table = np.zeros((_TWO, _TWO))
    np.add.at(table, (first, second), 1)
    return table, groups, first, second


def _of_two(data: Calibration, both: pl.DataFrame) -> dict[str, Estimate]:
    table, groups, first, second = _cells(both)
    clusters = ClusteredCells(groups, first, second, np.ones(len(groups)))
    return {
        "agreement": _agreement(data, [both]),
        "kappa": cohen_kappa(table, clusters=clusters, confidence=data.confidence),
    }


def _agreement(data: Calibration, several: Sequence[pl.DataFrame]) -> Estimate:
    """How often two judges give the same answer to a pair, with texts as clusters."""
    every = pl.concat(several)
    groups = every[GROUP].cast(pl.Int64).to_numpy()
    alike = (every[SAME] == every["other"]).to_numpy().astype(np.float64)
    agreed, totals = (summed(groups, one, data.judgments.texts) for one in (alike, None))
    return clustered_proportion(agreed, totals, confidence=data.confidence)


def _together(data: Calibration, several: Sequence[pl.DataFrame]) -> dict[str, Estimate]:
    """Agreement of all pairs of judges together, and the mean of their kappas."""
    if not several:
        nothing = Estimate.undefined(_ONE_JUDGE, confidence=data.confidence)
        return dict.fromkeys(("agreement", "kappa", "ceiling"), nothing)
    agreement = _agreement(data, several)
    return {
        "agreement": agreement,
        "kappa": _mean_kappa(data, several),
        "ceiling": mapped(agreement, highest_accuracy),
    }


def highest_accuracy(agreement: float) -> float:
    """The accuracy that no rule exceeds on average, if two judges give the same answer so often.

    (1 + sqrt(2 a - 1)) / 2. Where judges call pair i the same with probability p_i, each for himself, two of them
    agree with probability a_i = p_i^2 + (1 - p_i)^2, and the best rule meets an answer with probability
    max(p_i, 1 - p_i) = (1 + sqrt(2 a_i - 1)) / 2; the mean of this over pairs is no greater than its value at the mean
    of a_i (Jensen). It exceeds a, since a rule, unlike a second judge, need not err.

    agreement: a, in [0, 1]; below 1/2, which such judges only reach by chance, counts as 1/2.

    >>> highest_accuracy(0.82), highest_accuracy(1.0), highest_accuracy(0.3)
    (0.9, 1.0, 0.5)
    """
    return (1 + round(sqrt(max(2 * agreement - 1, 0.0)), 12)) / 2


def _mean_kappa(data: Calibration, several: Sequence[pl.DataFrame]) -> Estimate:
    """The mean of kappas, each weighing as its pairs are many, linearised over texts.

    sum_p n_p kappa_p / sum_p n_p; two judges of whom both gave one and the same answer have none and are left out.
    """
    if len(several) == 1:
        return _of_two(data, several[0])["kappa"]
    total, mean, influence = 0.0, 0.0, np.zeros(data.judgments.texts)
    for both in several:
        table, groups, first, second = _cells(both)
        kappa = cohen_kappa(table).value
        if kappa is not None:
            total, mean = total + len(groups), mean + len(groups) * kappa
            np.add.at(influence, groups, cohen_kappa_influence(table)[first, second])
    if not total:
        return Estimate.undefined("all judges gave one and the same answer", confidence=data.confidence)
    seen = np.unique(np.concatenate([both[GROUP].to_numpy() for both in several]))
    found = linearised_difference(mean / total, influence[seen] / total, confidence=data.confidence).estimate
    if found.low is None or found.high is None:
        return replace(found, n=round(total))
    return replace(found, low=max(found.low, -1.0), high=min(found.high, 1.0), n=round(total))


# --- what is said beside the tables ---


def counts_of(data: Calibration) -> dict[str, int]:
    """What was counted, for the head of the report."""
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
    folds = 0 if data.held is None else len(np.unique(data.held.folds))
    notes = [f"{name}: {_formula(rule)}." for name, rule in ((CALIBRATED, data.rule), (DEFAULT, data.default))]
    if folds:
        notes.append(
            f"Figures of the calibrated rule are of judgments that it was not fitted to: {folds} folds, all pairs of a "
            "text in one. Scores of different folds come from different weights, so the AUC compares within folds, "
            "weighted by their comparisons; that of the default rule likewise."
        )
    notes.append(
        "Intervals rest on texts, which are what another sample would have others of; those of the figures take the "
        "fitted weights as they are, those of the weights and of the threshold are percentiles over texts drawn anew."
    )
    return (*notes, _flat(data))


def _formula(rule: Rule) -> str:
    score = " + ".join(f"{rule.weights[part]:.3f} {part}" for part in rule.parts)
    limits = f"score > {rule.score:.3f}, overlap > {rule.overlap:g}"
    return f"score = {score}; the same needs {limits}" + (f", rule > {rule.rule:g}" if rule.rule >= 0 else "")


def _flat(data: Calibration) -> str:
    """The range of each weight in which the judgments can be met nearly as well as at best."""
    ranges = []
    for part, held in data.profiles.items():
        best = max(one.accuracy for one in held)
        near = [one.weight for one in held if one.accuracy >= best - _FLAT - _ROUNDING]
        ranges.append(f"{part} {min(near):.2f} to {max(near):.2f}")
    return (
        f"How flat the optimum is: with the other weights fitted anew, the accuracy stays within {100 * _FLAT:g} "
        f"percentage point of the best for some weights in {', '.join(ranges)}."
    )


def warnings_of(data: Calibration) -> list[str]:
    """What a reader must know of the data."""
    warnings = [*data.pairs.warnings]
    if data.absent:
        gone = ", and the threshold of rules is left out" if "rule" in data.absent else ""
        warnings.append(f"nobody gives any {' or '.join(data.absent)}: the weight is 0{gone}")
    failed = 0.0 if data.draws is None else float(np.isnan(data.draws).any(axis=1).mean())
    if failed:
        warnings.append(f"{failed:.1%} of the resamples allow no fit; the intervals of the weights leave them out")
    warnings += [
        f"all pairs are equally alike in {part}, so that nothing says how much it weighs" for part in data.fixed
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
