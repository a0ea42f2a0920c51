"""Calibration of matching: pairs to judge, and a rule fitted to them, with its accuracy on other texts.

Half of the pairs to judge are near the threshold, the others of every score.

The model is P(same) = 1 / (1 + exp(-(b + sum c_k x_k))), with x_k the similarity in part k and c_k >= 0. The rule that
follows from it says "same" if sum c_k x_k > -b: if a score with the weights c_k / sum c exceeds the threshold
-b / sum c. If the model does not fit the judgments well, another threshold reproduces more of them (see
`best_threshold`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate
from adjudge.evaluations.violations import span_matching
from adjudge.evaluations.violations.options import CalibrateOptions, PairsOptions
from adjudge.evaluations.violations.span_matching import PARTS, MatchRule, absent_part_warnings, rule_formula
from adjudge.metrics.cells import Floats, Integers, cells_from_states, pairs_from_states
from adjudge.metrics.ratios import Share
from adjudge.metrics.tables import DIFFERENCE, compare_metric, difference_rows, estimate_table
from adjudge.readers.problems import count_words
from adjudge.readers.spans.violations import GROUP, JUDGE, PAIR, SAME, JudgedPairs
from adjudge.report import typed_table
from adjudge.schemas.violations import ID, PLACE, TEXT_PARTS, MarkedTexts
from adjudge.spec import MetricSpec
from adjudge.text.local_models import extra
from adjudge.version import NAME

NEAR = 0.1
"""How far from the threshold a score may be to count as near it."""

_SIDES = ("predicted", "ground_truth")
_KEYS = (PLACE, *_SIDES)
"""What tells pairs apart: two violations of one text."""


def pairs_to_judge(
    truth: MarkedTexts,
    checkers: Sequence[MarkedTexts],
    rule: MatchRule,
    similarities: span_matching.Similarities,
    options: PairsOptions,
) -> tuple[list[dict[str, object]], int]:
    """Pairs as they are written for judging, and how many overlapping pairs they were drawn from (see `drawn`).

    Pairs that several checkers predict alike count once. Raises DataError where nothing overlaps.
    """
    setup = span_matching.set_up_matching([one.spans for one in (truth, *checkers)], {"pairs": rule}, similarities)
    (true, *theirs), applied, batches = setup.tables, setup.rules["pairs"], []
    for predicted in theirs:
        sides = span_matching.SpanSides(predicted, true, setup.similarities)
        for pairs in span_matching.candidate_pairs(sides):
            score = span_matching.pair_scores(
                span_matching.with_similarities(applied.weighted_parts, pairs, sides), applied
            )
            both = (predicted[pairs["predicted"]], true[pairs["truth"]])
            contents = (side.drop(PLACE).to_struct(name) for name, side in zip(_SIDES, both, strict=True))
            batch = pl.DataFrame([both[0][PLACE], *contents, pl.Series("score", score)])
            batches.append(batch.unique(_KEYS, keep="first"))  # each pair of contents once
    frame = pl.concat(batches).unique(_KEYS, keep="first")
    frame = frame.with_columns(truth.texts[ID].gather(frame[PLACE])).sort(ID, *_KEYS).drop(ID)
    if frame.is_empty():
        raise DataError(f"{truth.name}: there is nothing to judge: no predicted violation overlaps a true one")
    rows = sample_pairs(frame["score"].to_numpy(), applied.score, options.count, seed=options.seed)
    return _as_records(frame[rows], truth.texts), frame.height


def sample_pairs(score: Floats, threshold: float, count: int, *, seed: int = 0) -> list[int]:
    """Rows of pairs to judge, in random order: half of them near the threshold, the others anywhere.

    Half, rounded up, have a score within NEAR of the threshold, if there are so many. score: of each pair, in [0, 1].
    count: how many to draw, from 1. Returns at most `count` rows, each once. The same for the same pairs and seed.
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(score))
    near = order[np.abs(score[order] - threshold) <= NEAR][: ceil(count / 2)]
    rest = order[~np.isin(order, near)]
    rows: list[int] = generator.permutation(np.concatenate([near, rest])[:count]).tolist()
    return rows


def _as_records(frame: pl.DataFrame, texts: pl.DataFrame) -> list[dict[str, object]]:
    """Pairs as they are written for judging: id, text, both violations, same and judge empty.

    frame: rows of _KEYS. texts: id and text by place. Each violation also says what it quotes (context) where
    the text is known; parts that it does not say are left out.
    """
    records: list[dict[str, object]] = []
    for row in frame.iter_rows(named=True):
        name, text = texts.row(row["place"])[:2]
        record: dict[str, object] = {"id": name, "text": text}
        for side in _SIDES:
            start, end = row[side]["start"], row[side]["end"]
            quote = {} if text is None or start == end else {"context": text[start:end]}
            parts = {part: row[side][part] for part in TEXT_PARTS if row[side][part] is not None}
            record[side] = {"start": start, "end": end, **quote, **parts}
        records.append(record | {"same": None, "judge": None})
    return records


Booleans = NDArray[np.bool_]

_FOLDS = 5
_RIDGE = 1e-4
"""The penalty on squared coefficients: so small that only separable judgments notice it."""

_TOLERANCE = 1e-9
_PRECISION = {"ftol": 1e-14, "maxiter": 1000}


@dataclass(frozen=True, eq=False, slots=True)
class PairJudgments:
    """Judgments of pairs of violations, a row per judgment.

    values: the similarity of the two violations, in [0, 1], a column for each part, null if both lack it. same: whether
    the pair was called the same. groups: the number of the text, from 0, without gaps.
    """

    values: pl.DataFrame
    same: Booleans
    groups: Integers

    def __len__(self) -> int:
        return len(self.same)

    @property
    def texts(self) -> int:
        """The number of texts."""
        return int(self.groups.max(initial=-1)) + 1

    def features(self, parts: Sequence[str]) -> Floats:
        """Similarities as an array, judgments x parts. What both violations lack has the mean of the other parts.

        So it counts neither for nor against a match, as in a rule, whose other parts share its weight.
        """
        return self.values.select(pl.col(parts).fill_null(pl.mean_horizontal(parts))).to_numpy(order="c")


def decisions(values: pl.DataFrame, rule: MatchRule) -> Booleans:
    """Whether a rule calls each pair the same: score, overlap and similarity of rules exceed their thresholds."""
    same: Booleans = (span_matching.pair_scores(values, rule) > rule.score) & eligible(values, rule)
    return same


def eligible(values: pl.DataFrame, rule: MatchRule) -> Booleans:
    """Whether overlap and similarity of rules exceed their thresholds, whatever the score."""
    similar = (values["rule"] > rule.rule).fill_null(value=True)
    above: Booleans = ((values["overlap"] > rule.overlap) & similar).to_numpy()
    return above


def fit_logistic(features: Floats, same: Booleans) -> Floats:
    """Fit a logistic regression with coefficients >= 0 by maximum likelihood.

    minimise -sum_i log P(same_i | x_i) + lambda / 2 sum c_k^2 over b and c >= 0, lambda = 1e-4, which only keeps the
    solution finite if the judgments are separable. The function is convex; scipy's SLSQP minimises it.

    features: x, judgments x parts. same: per judgment.
    Returns b, then c. With one answer only, c is 0 and b is large.

    >>> fitted = fit_logistic(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([False, True, True, True]))
    >>> bool(fitted[1] > 5)
    True
    """
    from scipy.optimize import minimize

    x = np.column_stack([np.ones(len(same)), features])

    def loss(at: Floats) -> tuple[float, Floats]:
        """The mean loss at some coefficients, and its gradient."""
        logit, penalised = x @ at, np.concatenate([[0], _RIDGE * at[1:]])
        value = float((np.logaddexp(0, logit) - same * logit).sum()) + float(penalised @ at) / 2
        gradient = x.T @ (np.exp(-np.logaddexp(0, -logit)) - same) + penalised
        return value / len(same), gradient / len(same)

    bounds = [(None, None), *[(0, None)] * (x.shape[1] - 1)]
    fitted = minimize(loss, np.zeros(x.shape[1]), jac=True, method="SLSQP", bounds=bounds, options=_PRECISION)
    solution: Floats = fitted.x
    return solution


def fit_rule(judgments: PairJudgments, default: MatchRule, kept: Booleans | None = None) -> MatchRule | None:
    """Fit weights c / sum c and a threshold, -b / sum c kept in [0, 1] or a better one (see `best_threshold`).

    default: the rule whose parts get new weights; the thresholds of overlap and rules stay. kept: which judgments
    count; all by default.
    Returns None if the judgments hold one answer only, or if no part predicts "same" (all c are 0).
    """
    rows = np.ones(len(judgments), bool) if kept is None else kept
    same = judgments.same[rows]
    if same.all() or not same.any():
        return None
    intercept, *coefficients = fit_logistic(judgments.features(default.weighted_parts)[rows], same).tolist()
    total = float(np.sum(coefficients))
    if total <= _TOLERANCE:
        return None
    weights = {part: one / total for part, one in zip(default.weighted_parts, coefficients, strict=True)}
    rule = replace(default, weights=weights, score=float(np.clip(-intercept / total, 0, 1)))
    free = eligible(judgments.values, default)
    if not free.any():
        return rule
    score, same, groups = (
        span_matching.pair_scores(judgments.values, rule)[free],
        judgments.same[free],
        judgments.groups[free],
    )
    return replace(rule, score=best_threshold(rule.score, score, same, groups, rows[free]))


def best_threshold(usual: float, score: Floats, same: Booleans, groups: Integers, kept: Booleans) -> float:
    """The threshold that reproduces most judgments if it clearly beats the usual one; else the usual one.

    Clearly: by at least a standard error, taken over sums of texts, since on few judgments the threshold that fits best
    is a matter of luck. Among equally good thresholds, the nearest to the usual one, halfway between two scores.

    score: of each pair, from 0. same: whether people call the pair the same. groups: its text, from 0. kept: whether
    the judgment counts. No threshold is below 0, so a pair without any similarity never matches.

    >>> score, same = np.array([0.2] * 9 + [0.4] * 9), np.array([False] * 9 + [True] * 9)
    >>> [round(best_threshold(usual, score, same, np.arange(18), same | ~same), 2) for usual in (0.1, 0.25)]
    [0.3, 0.25]
    """
    weight = kept.astype(np.float64)
    cuts, place = np.unique(score, return_inverse=True)
    # What a threshold at each cut gains over a threshold below all scores.
    gain = np.concatenate([[0], np.cumsum(np.bincount(place, np.where(same, -weight, weight), len(cuts)))])
    lows, highs = np.concatenate([[0], cuts]), np.concatenate([cuts, cuts[-1:]])
    between = np.where((lows <= usual) & (usual < highs), usual, (lows + highs) / 2)
    possible = np.append(lows[:-1] < highs[:-1], True)
    best = between[possible & (gain == gain[possible].max())]
    moved = float(best[np.abs(best - usual).argmin()])
    change = weight * (((score > moved) == same).astype(np.float64) - ((score > usual) == same))
    by_text = np.bincount(groups, change)
    return moved if change.sum() > np.sqrt((by_text**2).sum()) else usual


CALIBRATED, DEFAULT, MAJORITY = "calibrated", "default", "majority"
"""The fitted rule and its two baselines; the majority gives all pairs the more frequent answer of other texts."""

_BASELINES = {DEFAULT: "default rule", MAJORITY: "majority, which gives all pairs the same answer"}

ACCURACY = Share(
    "accuracy",
    MetricSpec("Accuracy", "Judgments that the rule reproduces / all judgments.", better="high"),
    pl.col("answer") == pl.col("same"),
    pl.lit(value=True),
)
"""Accuracy over rows with people's answer (same) and the rule's (answer)."""


# --- held-out folds ---


def hold_out(judgments: PairJudgments, default: MatchRule, *, seed: int = 0) -> pl.DataFrame:
    """For each judgment, the answers of a rule fitted to the other folds, of the default rule and of their majority.

    If the other folds say "same" as often as not, their majority says not. All judgments of a text are in one fold.
    There are at most as many folds as texts.
    Returns a row per judgment: people's answer (same), the fold, from 0, the answers of CALIBRATED, DEFAULT and
    MAJORITY, and whether the default rule replaces the calibrated one (unfitted), since the other folds allow no fit.
    """
    from sklearn.model_selection import GroupKFold

    usual = decisions(judgments.values, default)
    # GroupKFold takes equally large groups in the order of their numbers, so these are drawn at random.
    texts = np.random.default_rng(seed).permutation(judgments.texts)[judgments.groups]
    parts = GroupKFold(min(_FOLDS, judgments.texts)).split(texts, groups=texts)
    fold = np.zeros(len(judgments), np.int64)
    fitted, majority, unfitted = usual.copy(), np.zeros(len(judgments), bool), np.zeros(len(judgments), bool)
    for number, (_, rows) in enumerate(parts):
        fold[rows] = number
        inside = np.isin(np.arange(len(judgments)), rows)
        rule = fit_rule(judgments, default, ~inside)
        unfitted[inside] = rule is None
        fitted[inside] = decisions(judgments.values, rule or default)[inside]
        majority[inside] = 2 * judgments.same[~inside].sum() > (~inside).sum()
    answers = {CALIBRATED: fitted, DEFAULT: usual, MAJORITY: majority}
    return pl.DataFrame({"same": judgments.same, "fold": fold, **answers, "unfitted": unfitted})


# --- the calibration ---


@dataclass(frozen=True, eq=False)
class Calibration:
    """A rule fitted to judged pairs, and how well it does.

    judgments: the pairs as numbers. rule: fitted to all of them. default: the rule it is compared with, without the
    parts that no violation has (absent). held_out: answers to pairs of other texts than the rule was fitted to.
    """

    pairs: JudgedPairs
    judgments: PairJudgments
    rule: MatchRule
    default: MatchRule
    absent: tuple[str, ...]
    held_out: pl.DataFrame
    confidence: float


def calibrate(
    pairs: JudgedPairs, default: MatchRule, similarities: span_matching.Similarities, options: CalibrateOptions
) -> Calibration:
    """Fit the weights of the default's parts, and a threshold, to judged pairs.

    Raises DataError if there is one text or one answer only, or if no part predicts "same"; MissingError if scipy or
    scikit-learn is not installed.
    """
    with extra("fit", "Calibration"):
        import sklearn  # noqa: F401 - which brings scipy; to fail before any work is done
    setup = span_matching.set_up_matching([pairs.predicted, pairs.truth], {DEFAULT: default}, similarities)
    (predicted, truth), usual, rows = setup.tables, setup.rules[DEFAULT], np.arange(pairs.truth.height)
    sides = span_matching.SpanSides(predicted, truth, setup.similarities)
    values = span_matching.with_similarities(
        ("rule", *usual.weighted_parts), span_matching.overlap_pairs(sides, rows, rows), sides
    )
    judgments = PairJudgments(values, pairs.frame[SAME].to_numpy(), pairs.frame[GROUP].cast(pl.Int64).to_numpy())
    if judgments.same.all() or not judgments.same.any():
        raise DataError(
            f"{pairs.name}: expected pairs judged as the same and others as not; all {len(judgments):,} are judged "
            f"{'the same' if judgments.same.any() else 'not the same'}",
            fix="judge pairs of other scores too",
            hint=f"{NAME} violations pairs",
        )
    if judgments.texts == 1:
        raise DataError(f"{pairs.name}: expected pairs of several texts, of which some are held out; got one text")
    rule = fit_rule(judgments, usual)
    if rule is None:
        raise DataError(
            f"{pairs.name}: no part predicts a match: pairs judged to be the same are no more similar than others in "
            f"{', '.join(usual.weighted_parts)}",
            fix="judge more pairs, or check whether true and false are swapped",
        )
    held_out = hold_out(judgments, usual, seed=options.seed)
    return Calibration(pairs, judgments, rule, usual, setup.absent, held_out, options.ci_level)


# --- tables ---

_EstimateRow = tuple[dict[str, str], str, Estimate]
"""Keys, metric and estimate of a row."""


def tables_of(data: Calibration) -> dict[str, pl.DataFrame]:
    """All tables of the report.

    The held-out accuracy of each rule, and its threshold; the accuracy of the calibrated rule minus that of each
    baseline; the weight of each part in the rule fitted to all judgments, and in the default rule.
    """
    exact = partial(Estimate, n=len(data.judgments), confidence=data.confidence)
    groups, rules = data.judgments.groups, {CALIBRATED: data.rule, DEFAULT: data.default, MAJORITY: None}
    answers = {name: data.held_out.select("same", answer=name) for name in rules}
    accuracy, weights = list[_EstimateRow](), list[_EstimateRow]()
    for name, rule in rules.items():
        cells = cells_from_states(answers[name], groups)
        accuracy.append(({"rule": name}, ACCURACY.name, ACCURACY.estimate(cells, data.confidence)))
        if rule is not None:
            accuracy.append(({"rule": name}, "threshold", exact(rule.score)))
    differences = []
    for base in _BASELINES:
        pairs = pairs_from_states(answers[base], answers[CALIBRATED], groups)
        keys = {"first": base, "second": CALIBRATED}
        differences.append(compare_metric(ACCURACY, pairs, keys, data.confidence))
    for part in PARTS:
        if part in (*data.default.weighted_parts, *data.absent):
            weight = exact(data.rule.weights.get(part, 0.0))
            if part in data.absent:
                weight = replace(weight, caveat=Caveat.NOT_GIVEN)
            default_weight = exact(float(data.default.weights.get(part, 0.0)))
            weights += [({"part": part}, "weight", weight), ({"part": part}, "default_weight", default_weight)]
    return {
        "calibration": estimate_table(["rule"], accuracy),
        "differences": typed_table(difference_rows(differences), ["first", "second", *DIFFERENCE]),
        "weights": estimate_table(["part"], weights),
    }


# --- messages ---


def objections(differences: pl.DataFrame) -> list[str]:
    """Reasons not to use the calibrated rule: baselines that it does not beat. differences: the table of that name.

    It beats a baseline if the interval of the difference in held-out accuracy lies above 0.
    """
    reasons = []
    for row in differences.to_dicts():
        if row["low"] is None or row["low"] <= 0:
            values = " against ".join(f"{100 * row[side]:.1f}%" for side in ("second_value", "first_value"))
            reasons.append(
                f"the calibrated rule is not significantly better than the {_BASELINES[row['first']]}: accuracy "
                f"{values}, on texts that it was not fitted to"
            )
    return reasons


def counts_of(data: Calibration) -> dict[str, int]:
    """Counts for the head of the report."""
    frame = data.pairs.frame
    counts = {
        "judgments": frame.height,
        "called the same": int(data.judgments.same.sum()),
        "pairs": frame[PAIR].n_unique(),
        "texts": data.judgments.texts,
    }
    return counts | ({"judges": judges} if (judges := frame[JUDGE].drop_nulls().n_unique()) else {})


def notes_of(data: Calibration) -> tuple[str, ...]:
    """Both rules, and how the results were made, for the foot of the report."""
    rules = {CALIBRATED: replace(data.rule, score=round(data.rule.score, 3)), DEFAULT: data.default}
    held_out = (
        f"The accuracy of the calibrated rule is cross-validated: {data.held_out['fold'].n_unique()} folds, all pairs "
        "of a text in one, each judged by a rule fitted to the others. The majority gives the more frequent answer of "
        "the other folds to all pairs. Intervals treat texts as the sampling units and take the fitted rule as given."
    )
    return *(f"{name}: {rule_formula(rule, 'the same')}." for name, rule in rules.items()), held_out


def warnings_of(data: Calibration) -> list[str]:
    """Warnings about the data."""
    warnings = [*data.pairs.warnings, *absent_part_warnings(data.absent, "what is absent has no weight")]
    excluded = int((data.judgments.same & ~eligible(data.judgments.values, data.rule)).sum())
    if excluded:
        warnings.append(
            f"{count_words(excluded, 'judgment calls a pair', 'judgments call pairs')} the same that no "
            "score can match, since overlap or the similarity of rules is too low: lower overlap_threshold or "
            "rule_threshold in --config where humans are right"
        )
    if failed := data.held_out.filter("unfitted")["fold"].n_unique():
        folds = data.held_out["fold"].n_unique()
        warnings.append(f"in {failed} of {folds} folds no rule fits the other folds; the default rule stands in")
    return warnings
