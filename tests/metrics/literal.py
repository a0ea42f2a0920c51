"""Every figure as its meaning says it: a slow reading of the outcomes, row by row, that shares nothing with Adjudge's own.

A reading takes the rows of an items file that a judge has under some keys. It tells of each unit (an item, a pair of
texts, an answer) what the figure reads there, or None where the figure does not speak of it; and then, of what all units
say, the value.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import fsum
from typing import Any

Row = Mapping[str, Any]
Said = dict[Any, Any]
"""Unit -> what the figure reads there; None where it does not speak of it."""


@dataclass(frozen=True)
class Reading:
    """said: what each unit says. value: the figure of all that is said; None where it is undefined.

    complete: whether two runs are compared on the units on which both have the figure, and not on all.
    absent: what a unit says of which a run has no row, since there was nothing to say; None where it is not compared.
    counts: whether what a unit says adds to the figure. uncounted: whether others bear on it all the same: two runs are
    compared on the units that count in both, or in neither.
    """

    said: Callable[[Sequence[Row]], Said]
    value: Callable[[Sequence[Any]], float | None]
    complete: bool = True
    absent: Callable[[], Any] | None = None
    counts: Callable[[Any], bool] = lambda _: True
    uncounted: bool = False


def share(values: Sequence[Any]) -> float | None:
    """The mean of numbers, or of what is true."""
    return fsum(values) / len(values) if values else None


def per_item(what: Callable[[Row], Any], among: Callable[[Row], bool]) -> Callable[[Sequence[Row]], Said]:
    """What each item says in its row, where the row is among those that count; None elsewhere."""
    return lambda rows: {row["item"]: what(row) if among(row) else None for row in rows}


def kappa(labels: Sequence[tuple[Any, Any]]) -> float | None:
    """Cohen's kappa of pairs of labels."""
    n = len(labels)
    if not n:
        return None
    ours, theirs = (Counter(pair[side] for pair in labels) for side in (0, 1))
    chance = sum(ours[label] * theirs[label] for label in ours) / n**2
    return None if chance == 1 else (sum(one == other for one, other in labels) / n - chance) / (1 - chance)


# --- reliability ---


def _in(part: str, outcomes: Iterable[str], what: Callable[[Row], Any]) -> Callable[[Sequence[Row]], Said]:
    known = set(outcomes)
    read = per_item(what, lambda row: row["outcome"] in known)
    return lambda rows: read([row for row in rows if row["part"] == part])


_CHOICES = ("correct", "incorrect")
_FLAGS = ("annotator_only", "reference_only", "both", "neither")


def _flagged(rows: Sequence[Row]) -> Said:
    said: Said = {}
    for row in rows:
        if row["part"] == "flag" and said.get(row["item"]) is None:
            known = row["reference_label"]
            said[row["item"]] = None if known is None else known == "flagged"
    return said


_ORDER, _POSITIVE = "xyz", "x"
Places = tuple[int, int]


def _of_pairs(pair: Callable[[str], Any], value: Callable[[Sequence[Any]], float | None], **more: Any) -> Reading:
    """A figure of what is made of both labels."""
    return Reading(
        _in("choice", _CHOICES, lambda row: (pair(row["label"]), pair(row["reference_label"]))), value, **more
    )


def _weighted(power: int) -> Callable[[Sequence[Places]], float | None]:
    """1 - the mean distance of both places / that of every place of one side from every place of the other."""

    def figure(said: Sequence[Places]) -> float | None:
        seen = [abs(one - other) ** power for one, other in said]
        by_chance = [abs(one - other) ** power for one, _ in said for _, other in said]
        return 1 - (fsum(seen) / len(seen)) / (fsum(by_chance) / len(by_chance)) if any(by_chance) else None

    return figure


def _ranks(places: Sequence[int]) -> list[float]:
    """The mean of the ranks that equal places share."""
    return [sum(other < one for other in places) + (sum(other == one for other in places) + 1) / 2 for one in places]


def _spearman(said: Sequence[Places]) -> float | None:
    """Pearson's correlation of ranks."""
    ours, theirs = (_ranks([pair[side] for pair in said]) for side in (0, 1))
    middle = (len(said) + 1) / 2
    together = fsum((one - middle) * (other - middle) for one, other in zip(ours, theirs, strict=True))
    spreads = [fsum((one - middle) ** 2 for one in side) for side in (ours, theirs)]
    return together / (spreads[0] * spreads[1]) ** 0.5 if all(spreads) else None


def _distance(said: Sequence[Places]) -> float | None:
    return share([abs(one - other) for one, other in said])


def _found(below: Callable[[bool, bool], int]) -> Reading:
    """Items on both sides over those that count below, which are not all items of which the figure speaks."""

    def figure(said: Sequence[tuple[bool, bool]]) -> float | None:
        whole = sum(below(*pair) for pair in said)
        return sum(below(True, True) for pair in said if all(pair)) / whole if whole else None

    return _of_pairs(lambda label: label == _POSITIVE, figure, complete=False)


def _of_reference(*, positive: bool) -> Reading:
    """The share of the items that the reference gives the label, or another, of which the annotator says the same."""
    read = per_item(
        lambda row: (row["label"] == _POSITIVE) is positive,
        lambda row: row["outcome"] in _CHOICES and (row["reference_label"] == _POSITIVE) is positive,
    )
    return Reading(lambda rows: read([row for row in rows if row["part"] == "choice"]), share)


RELIABILITY = {
    "kappa_linear": _of_pairs(_ORDER.index, _weighted(1)),
    "kappa_quadratic": _of_pairs(_ORDER.index, _weighted(2)),
    "spearman": _of_pairs(_ORDER.index, _spearman),
    "mean_absolute_error": _of_pairs(_ORDER.index, _distance),
    "precision": _found(lambda said, _: int(said)),
    "recall": _of_reference(positive=True),
    "specificity": _of_reference(positive=False),
    "f1": _found(lambda said, true: said + true),
    "reliability": Reading(_in("choice", _CHOICES, lambda row: row["label"] == row["reference_label"]), share),
    "flag_mismatch": Reading(_in("flag", _FLAGS, lambda row: row["label"] != row["reference_label"]), share),
    "kappa": Reading(_in("choice", _CHOICES, lambda row: (row["label"], row["reference_label"])), kappa),
    "items": Reading(lambda rows: {row["item"]: True for row in rows}, lambda said: float(len(said))),
    "reference_flagged": Reading(_flagged, share),
}

# --- the card ---


def _beside(own: str, ceiling: str) -> list[Reading]:
    """What a judge reaches, what people reach, and the difference where both are known."""

    def gap(row: Row) -> float | None:
        return None if row[ceiling] is None else row[own] - row[ceiling]

    readings = (lambda row: row[own], lambda row: row[ceiling], gap)
    return [Reading(lambda rows, what=one: {row["item"]: what(row) for row in rows}, share) for one in readings]


CARD = dict(
    zip(
        ("agreement", "people_agreement", "agreement_difference", "distance", "people_distance", "distance_difference"),
        [*_beside("agrees", "ceiling"), *_beside("distance", "ceiling_distance")],
        strict=True,
    )
)

# --- agreement, of grades ---

Grades = Mapping[str, float]
"""Annotator -> grade, of an item."""
EVERYONE = "All annotators"


def _graded(rows: Sequence[Row], least: int) -> Said:
    """The grades of each item that has so many."""
    found: dict[Any, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row["judge"] != EVERYONE:
            found[row["item"]][row["judge"]] = float(row["label"])
    return {item: grades if len(grades) >= least else None for item, grades in found.items()}


def _apart(grades: Sequence[float]) -> float:
    """The mean squared distance of two of them."""
    n = len(grades)
    return fsum((one - other) ** 2 for one in grades for other in grades) / (n * (n - 1))


def _alpha(said: Sequence[Grades]) -> float | None:
    every = [grade for grades in said for grade in grades.values()]
    seen = fsum(len(grades) * _apart([*grades.values()]) for grades in said) / len(every) if every else 0.0
    return 1 - seen / _apart(every) if len({*every}) > 1 else None


def _percent(said: Sequence[Grades]) -> float | None:
    """1 less the mean squared distance of an item's grades over that of the extremes."""
    every = [grade for grades in said for grade in grades.values()]
    span = (max(every) - min(every)) ** 2 if every else 0.0
    apart = [_apart([*grades.values()]) for grades in said if len(grades) > 1]
    return 1 - fsum(apart) / len(apart) / (span or 1) if apart else None


def _the_same(said: Sequence[Grades]) -> float | None:
    """Of each item the share of pairs of grades that are equal, on average."""
    pairs = ([*combinations(grades.values(), 2)] for grades in said if len(grades) > 1)
    shares = [share([one == other for one, other in each]) for each in pairs]
    return share(shares) if shares else None


def _beyond(chance: Callable[[Mapping[float, float]], float]) -> Reading:
    """Agreement beyond chance, which knows the mean share of each grade over items."""

    def figure(said: Sequence[Grades]) -> float | None:
        seen = _percent(said)
        known = sorted({grade for grades in said for grade in grades.values()})
        shares = {one: share([[*grades.values()].count(one) / len(grades) for grades in said]) for one in known}
        return None if seen is None or len(known) < 2 else (seen - chance(shares)) / (1 - chance(shares))

    return Reading(lambda rows: _graded(rows, 1), figure, counts=lambda grades: len(grades) > 1, uncounted=True)


def _weights(shares: Mapping[float, float]) -> dict[tuple[float, float], float]:
    span = (max(shares) - min(shares)) ** 2
    return {(one, other): 1 - (one - other) ** 2 / span for one in shares for other in shares}


def _gwet(shares: Mapping[float, float]) -> float:
    q = len(shares)
    return fsum(_weights(shares).values()) / (q * (q - 1)) * fsum(p * (1 - p) for p in shares.values())


def _fleiss(shares: Mapping[float, float]) -> float:
    return fsum(weight * shares[one] * shares[other] for (one, other), weight in _weights(shares).items())


def _one_way(said: Sequence[Grades]) -> tuple[float, float]:
    """ICC(1), and how many grades an item has on average (Donner 1986)."""
    rows = [[*grades.values()] for grades in said]
    every = [grade for row in rows for grade in row]
    n, whole, mean = len(rows), len(every), fsum(every) / len(every)
    between = fsum(len(row) * (fsum(row) / len(row) - mean) ** 2 for row in rows) / (n - 1)
    within = fsum((grade - fsum(row) / len(row)) ** 2 for row in rows for grade in row) / (whole - n)
    k = (whole - sum(len(row) ** 2 for row in rows) / whole) / (n - 1)
    return (between - within) / (between + (k - 1) * within), k


def _one_way_mean(said: Sequence[Grades]) -> float:
    single, k = _one_way(said)
    return k * single / (1 + (k - 1) * single)


@dataclass(frozen=True)
class Squares:
    """Mean squares of n items, of k raters and of error."""

    items: float
    raters: float
    error: float
    n: int
    k: int


def _two_way(ratio: Callable[[Squares], float]) -> Reading:
    """Of a design in which no rater lacks an item (McGraw and Wong 1996)."""

    def figure(said: Sequence[Grades]) -> float | None:
        raters = sorted({who for grades in said for who in grades})
        if any(len(grades) < len(raters) for grades in said):
            return None
        n, k = len(said), len(raters)
        of_items = [fsum(grades.values()) / k for grades in said]
        of_raters = [fsum(grades[who] for grades in said) / n for who in raters]
        mean = fsum(of_items) / n
        items = k * fsum((one - mean) ** 2 for one in of_items) / (n - 1)
        columns = n * fsum((one - mean) ** 2 for one in of_raters) / (k - 1)
        left = fsum(
            (grades[who] - own - column + mean) ** 2
            for grades, own in zip(said, of_items, strict=True)
            for who, column in zip(raters, of_raters, strict=True)
        )
        return ratio(Squares(items, columns, left / ((n - 1) * (k - 1)), n, k))

    return Reading(_pairable, figure)


def _pairable(rows: Sequence[Row]) -> Said:
    return _graded(rows, 2)


AGREEMENT = {
    "alpha": Reading(_pairable, _alpha),
    "percent_agreement": Reading(_pairable, _the_same),
    "weighted_agreement": Reading(_pairable, _percent),
    "gwet_ac": _beyond(_gwet),
    "fleiss_kappa": _beyond(_fleiss),
    "items": Reading(_pairable, lambda said: float(len(said))),
    "agreement_with_others": Reading(lambda rows: {row["item"]: row["value"] for row in rows}, share),
    "labels": Reading(lambda rows: {row["item"]: row["label"] for row in rows}, lambda said: float(len(said))),
    "icc": Reading(_pairable, lambda said: _one_way(said)[0]),
    "icc_mean": Reading(_pairable, _one_way_mean),
    "icc_consistency": _two_way(lambda of: (of.items - of.error) / (of.items + (of.k - 1) * of.error)),
    "icc_consistency_mean": _two_way(lambda of: (of.items - of.error) / of.items),
    "icc_agreement": _two_way(
        lambda of: (of.items - of.error) / (of.items + (of.k - 1) * of.error + of.k / of.n * (of.raters - of.error))
    ),
    "icc_agreement_mean": _two_way(lambda of: (of.items - of.error) / (of.items + (of.raters - of.error) / of.n)),
}

# --- annotations ---

_SIDES = ("text_a", "text_b")


def _of_votes(what: Callable[[Row], Any], among: Callable[[Row], bool]) -> Callable[[Sequence[Row]], Said]:
    read = per_item(what, among)
    return lambda rows: read([row for row in rows if row["part"] == "vote"])


def _valid(row: Row, *names: str) -> bool:
    return all(row[name] in _SIDES for name in names)


def _given(row: Row, *names: str) -> bool:
    return all(row[name] != "missing" for name in names)


def _equal(row: Row) -> bool:
    return bool(row["label"] == row["reference_label"])


def _twice(said: Sequence[bool]) -> float | None:
    return None if not said else 2 * (sum(said) / len(said) - 0.5)


def _strength(said: Sequence[tuple[str, str]]) -> float | None:
    """Kappa with a chance of one half, times relevance."""
    known = _twice([one == other for one, other in said if one in _SIDES and other in _SIDES])
    return None if known is None else known * sum(one in _SIDES for one, _ in said) / len(said)


_TURNED = {"text_a": "text_b", "text_b": "text_a"}


def _swaps(labels: Sequence[str]) -> Callable[[Sequence[Row]], Said]:
    def said(rows: Sequence[Row]) -> Said:
        found = {}
        for row in rows:
            if row["part"] == "swap":
                vote, other = row["label"], row["reference_label"]
                found[row["item"], row["swapped"]] = (
                    vote == _TURNED.get(other, other) if {vote, other} <= {*labels} else None
                )
        return found

    return said


def _orders(labels: Sequence[str], least: int) -> Callable[[Sequence[Row]], Said]:
    """Whether the votes in both orders are right at least so often more than wrong."""

    def said(rows: Sequence[Row]) -> Said:
        votes = {row["item"]: row for row in rows if row["part"] == "vote"}
        found = {}
        for row in rows:
            if row["part"] == "orders":
                both = [votes[row[name]] for name in ("item", "swapped")]
                gold = [one["reference_label"] for one in both]
                gold = [
                    _TURNED.get(other, other) if one == "missing" else one
                    for one, other in ((gold[0], gold[1]), (gold[1], gold[0]))
                ]
                points = [_points(one["label"], right) for one, right in zip(both, gold, strict=True)]
                known = {*gold, *(one["label"] for one in both)} <= {*labels}
                found[row["item"], row["swapped"]] = sum(points) >= least if known else None
        return found

    return said


def _points(vote: str, right: str) -> int:
    if vote == right:
        return 1
    return 0 if right in _SIDES and vote not in _SIDES else -1


_VOTE = ("label", "reference_label")


def annotations(labels: Sequence[str] = _SIDES, *, of_reference: bool = False) -> dict[str, Reading]:
    """Figures with these votes as labels. of_reference: whether the population are the pairs that the reference labels."""

    def known(row: Row) -> bool:
        return row["label"] in labels and row["reference_label"] in labels

    def population(row: Row) -> bool:
        return row["reference_label"] in labels if of_reference else _given(row, *_VOTE)

    two = tuple(labels) == _SIDES
    return {
        "relevance": Reading(_of_votes(lambda row: row["label"] in labels, population), share),
        "coverage": Reading(_of_votes(lambda row: _given(row, "label"), lambda _: True), share),
        "accuracy": Reading(_of_votes(_equal, known), share),
        "kappa": Reading(_of_votes(_equal, lambda row: two and known(row)), _twice),
        "kappa_observed": Reading(_of_votes(lambda row: (row["label"], row["reference_label"]), known), kappa),
        "strength": Reading(
            _of_votes(lambda row: (row["label"], row["reference_label"]), population),
            _strength if two else lambda _: None,
        ),
        "position": Reading(_of_votes(lambda row: row["label"] == "text_a", lambda row: _valid(row, "label")), share),
        "length": Reading(
            _of_votes(lambda row: (row["label"], row["longer"]), lambda row: _given(row, "label", "longer")), _strength
        ),
        "swap_consistency": Reading(_swaps(labels), share),
        "both_orders_accuracy": Reading(_orders(labels, 2), share),
        "net_accuracy": Reading(_orders(labels, 1), share),
    }


# --- preferences ---

_SCORES = ("rouge_l", "bertscore", "judge")


def _of_labels(what: Callable[[Row], Any]) -> Callable[[Sequence[Row]], Said]:
    read = per_item(what, lambda row: row["reference_label"] is not None)
    return lambda rows: read([row for row in rows if row["outcome"] not in _SCORES])


def _recall(said: Sequence[tuple[str, str | None]]) -> float | None:
    labels = sorted({gold for gold, _ in said})
    recalls = [share([label == gold for gold, label in said if gold == one]) or 0.0 for one in labels]
    return share(recalls)


def _macro_f1(said: Sequence[tuple[str, str | None]]) -> float | None:
    found = []
    for one in sorted({gold for gold, _ in said}):
        hits = sum(gold == label == one for gold, label in said)
        found.append(2 * hits / sum((gold == one) + (label == one) for gold, label in said))
    return share(found)


def _scores(name: str) -> Reading:
    def said(rows: Sequence[Row]) -> Said:
        nothing = {row["item"]: None for row in rows}
        return nothing | {row["item"]: row["value"] for row in rows if row["outcome"] == name}

    return Reading(said, share)


_PAIR = _of_labels(lambda row: (row["reference_label"], row["label"]))
PREFERENCES = {
    "accuracy": Reading(_of_labels(_equal), share),
    "balanced_accuracy": Reading(_PAIR, _recall),
    "macro_f1": Reading(_PAIR, _macro_f1),
    "kappa": Reading(_PAIR, kappa),
    "missing": Reading(_of_labels(lambda row: row["label"] is None), share),
    "accuracy_lowest": Reading(_of_labels(lambda row: row["label"] is not None and _equal(row)), share),
    "accuracy_highest": Reading(_of_labels(lambda row: row["label"] is None or _equal(row)), share),
    **{name: _scores(name) for name in _SCORES},
}

# --- rag ---

CLOSED = "closed_book"


def _mean(answers: Sequence[Any]) -> float | None:
    known = [answer for answer in answers if answer is not None]
    return share(known)


def _questions(answer: Callable[[Row], Any], *, closed: bool = False) -> Reading:
    """The mean over questions of the mean over a question's answers; None where no answer can have the property."""

    def said(rows: Sequence[Row]) -> Said:
        answers = defaultdict(list)
        for row in rows:
            if (row["part"] == CLOSED) is closed:
                answers[row["item"]].append(answer(row))
        return {item: _mean(own) for item, own in answers.items()}

    return Reading(said, share)


def _refused_or_right(row: Row) -> Any:
    return None if row["rejected"] is None else row["rejected"] or row["value"] == 1


def _corrected_detected(row: Row) -> Any:
    return row["error_corrected"] if row["error_detected"] else None


def _bound(verdict: str, unknown: bool) -> Reading:  # noqa: FBT001 - what is not known is taken for
    """A verdict with what is not known taken for no, or for yes, where an answer could have had it."""

    def answer(row: Row) -> Any:
        if row[verdict] is not None:
            return row[verdict]
        lies = row["ability"] == "counterfactual_robustness" and row["lied"]
        possible = {"value": row["reference_label"] is not None, "rejected": row["ability"] == "negative_rejection"}
        return unknown if possible.get(verdict, lies) else None

    return _questions(answer)


def _over_noise(rows: Sequence[Row], of: Callable[[Mapping[float, float]], float]) -> Said:
    """What `of` makes of each question's accuracies by noise ratio, where it has one at every ratio of several."""
    answers = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["part"] == "noise_robustness" and row["noise_ratio"] is not None:
            answers[row["item"]][row["noise_ratio"]].append(row["value"])
    own = {item: {x: _mean(said) for x, said in levels.items()} for item, levels in answers.items()}
    ratios = {x for levels in own.values() for x, y in levels.items() if y is not None}
    whole = {item for item, levels in own.items() if len(ratios) > 1 and all(levels.get(x) is not None for x in ratios)}
    return {item: of({x: levels[x] for x in ratios}) if item in whole else None for item, levels in own.items()}


def _slope(accuracies: Mapping[float, float]) -> float:
    """The slope of a line by least squares."""
    middle = sum(accuracies) / len(accuracies)
    rise = sum((x - middle) * y for x, y in accuracies.items())
    return rise / sum((x - middle) ** 2 for x in accuracies)


def agreement(verdict: str, first: str, second: str) -> Reading:
    """What two scorers say of each answer, where both say something."""

    def said(rows: Sequence[Row]) -> Said:
        told: dict[str, dict[Any, Any]] = {first: {}, second: {}}
        for row in rows:
            if row["scorer"] in told:
                told[row["scorer"]][row["item"], row["noise_ratio"], row["draw"]] = row[verdict]
        both = {key: (one, told[second].get(key)) for key, one in told[first].items()}
        return {key: None if None in pair else tuple(map(bool, pair)) for key, pair in both.items()}

    return Reading(said, kappa)


RAG = {
    "accuracy": _questions(lambda row: row["value"]),
    "rejection_rate": _questions(lambda row: row["rejected"]),
    "refusal_rate": _questions(lambda row: row["rejected"]),
    "attack_success_rate": _questions(lambda row: row["misled"]),
    "all_rate": _questions(_refused_or_right),
    "error_detection_rate": _questions(lambda row: row["error_detected"]),
    "error_correction_rate": _questions(lambda row: row["error_corrected"]),
    "error_correction_rate_detected": _questions(_corrected_detected),
    "closed_book_accuracy": _questions(lambda row: row["value"], closed=True),
    "missing": _questions(lambda row: not row["given"]),
    "accuracy_over_noise": Reading(partial(_over_noise, of=lambda levels: _mean(levels.values())), share),
    "slope": Reading(partial(_over_noise, of=_slope), share),
    **{
        f"{name}_{end}": _bound(verdict, end == "highest")
        for name, verdict in (
            ("accuracy", "value"),
            ("rejection_rate", "rejected"),
            ("error_detection_rate", "error_detected"),
            ("error_correction_rate", "error_corrected"),
        )
        for end in ("lowest", "highest")
    },
}

# --- violations ---


def _texts(rows: Sequence[Row]) -> dict[Any, list[Row]]:
    found = defaultdict(list)
    for row in rows:
        found[row["item"]].append(row)
    return found


def _span(row: Row, side: str) -> tuple[int, int]:
    return int(row[f"{side}start"]), int(row[f"{side}end"])


def _matched(rows: Sequence[Row]) -> tuple[float, ...]:
    """Matches, predictions, true violations and the sum of scores of a text."""
    outcomes = Counter(row["outcome"] for row in rows)
    hits = outcomes["true_positive"]
    scores = fsum(row["value"] for row in rows if row["outcome"] == "true_positive")
    return hits, hits + outcomes["false_positive"], hits + outcomes["false_negative"], scores


def _spans(rows: Sequence[Row]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    predicted = [_span(row, "predicted_") for row in rows if row["outcome"] != "false_negative"]
    true = [_span(row, "") for row in rows if row["outcome"] != "false_positive"]
    return predicted, true


def _overlapping(rows: Sequence[Row]) -> tuple[float, ...]:
    """As many pairs of spans as overlap in a text of which no span overlaps two; those that are equal apart."""
    predicted, true = _spans(rows)
    pairs = [(p, t) for p in predicted for t in true if min(p[1], t[1]) > max(p[0], t[0])]
    assert len({p for p, _ in pairs}) == len({t for _, t in pairs}) == len(pairs)
    equal = sum(p == t for p, t in pairs)
    return equal, len(pairs) - equal, len(predicted), len(true)


def _exact(rows: Sequence[Row]) -> tuple[float, ...]:
    equal, _, predicted, true = _overlapping(rows)
    return equal, predicted, true, 0


def _partial(rows: Sequence[Row]) -> tuple[float, ...]:
    equal, other, predicted, true = _overlapping(rows)
    return equal + other / 2, predicted, true, 0


def _characters(rows: Sequence[Row]) -> tuple[float, ...]:
    predicted, true = ({place for span in side for place in range(*span)} for side in _spans(rows))
    return len(predicted & true), len(predicted), len(true), 0


_RATIOS: dict[str, tuple[Callable[[Any], float], Callable[[Any], float]]] = {
    "precision": (lambda said: said[0], lambda said: said[1]),
    "recall": (lambda said: said[0], lambda said: said[2]),
    "f1": (lambda said: 2 * said[0], lambda said: said[1] + said[2]),
    "f05": (lambda said: 1.25 * said[0], lambda said: said[1] + 0.25 * said[2]),
    "match_score": (lambda said: said[3], lambda said: said[2]),
    "match_quality": (lambda said: said[3], lambda said: said[0]),
}
_KINDS = {"": _matched, "exact_": _exact, "partial_": _partial, "character_": _characters}


def _ratio(name: str, count: Callable[[Sequence[Row]], tuple[float, ...]], *, macro: bool) -> Reading:
    part, whole = _RATIOS[name]

    def said(rows: Sequence[Row]) -> Said:
        counts = {item: count(own) for item, own in _texts(rows).items()}
        ratios = {item: (part(own), whole(own)) for item, own in counts.items()}
        if not macro:
            return ratios
        return {item: above / below if below else None for item, (above, below) in ratios.items()}

    if macro:
        return Reading(said, share, absent=lambda: None)
    return Reading(said, _of_sums, complete=False, absent=lambda: (0, 0), counts=lambda one: one[1] > 0)


def _of_sums(said: Sequence[tuple[float, float]]) -> float | None:
    below = sum(one for _, one in said)
    return fsum(one for one, _ in said) / below if below else None


def by_value(part: str, name: str, value: str | None) -> Reading:
    """A ratio of one rule (category): of what is predicted under it, and of what is true under it."""
    ours, theirs = {"rule": ("label", "reference_label"), "category": ("part", "true_category")}[part]

    def said(rows: Sequence[Row]) -> Said:
        found = defaultdict(lambda: (0, 0, 0, 0))
        for row in rows:
            hit = row["outcome"] == "true_positive"
            named = row["outcome"] != "false_negative" and row[ours] == value
            known = row["outcome"] != "false_positive" and row[theirs] == value
            if named or known:
                sums = (named, named and hit, known, known and hit)
                found[row["item"]] = tuple(map(sum, zip(found[row["item"]], sums, strict=True)))
        return dict(found)

    return _of_both_sides(said, name)


def _of_both_sides(said: Callable[[Sequence[Row]], Said], name: str) -> Reading:
    """Precision, recall or F1 of what texts have on both sides: all that is predicted, its hits, all true, its hits."""

    def figure(sums: Sequence[tuple[float, ...]]) -> float | None:
        ours, ours_hit, theirs, theirs_hit = (sum(one) for one in zip(*sums, strict=True)) if sums else (0,) * 4
        if (name != "recall" and not ours) or (name != "precision" and not theirs):
            return None
        p, r = ours and ours_hit / ours, theirs and theirs_hit / theirs
        if name != "f1":
            return p if name == "precision" else r
        return 2 * p * r / (p + r) if p + r else 0.0

    below = {"precision": lambda one: one[0], "recall": lambda one: one[2], "f1": lambda one: one[0] or one[2]}[name]
    return Reading(said, figure, complete=False, absent=lambda: (0, 0, 0, 0), counts=lambda one: below(one) > 0)


VIOLATIONS = {
    (kind + name, average): _ratio(name, count, macro=average == "macro")
    for kind, count in _KINDS.items()
    for name in _RATIOS
    if not kind or not name.startswith(("match", "f05"))
    for average in ("micro", "macro")
}
BY = ("precision", "recall", "f1")
"""Figures of each rule and category."""
