"""From marked texts to the tables of the report."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from karat.errors import OptionError
from karat.estimate import Estimate
from karat.evaluations.violations import metrics
from karat.evaluations.violations.counts import OVERLAP, Tally, tallies
from karat.evaluations.violations.matching import Pairs, Similarity, matches
from karat.evaluations.violations.metrics import MACRO, MICRO
from karat.evaluations.violations.rules import Rule, without
from karat.evaluations.violations.spans import NOTHING, Integers, Spans, Words, as_arrays
from karat.report import FIGURE, figure_table, typed_table
from karat.schemas.violations import ID, TEXT_PARTS, Marked
from karat.statistics import clustered_proportion, holm

CLUSTER = "cluster"
TESTED = (*FIGURE, "p", "p_adjusted")

MOST_VALUES = 1000
"""Rules and categories that have rows of their own, the most frequent; more are counted in a warning."""

ALONE = Rule({"overlap": 1.0}, score=0.0, overlap=0.0, rule=-1.0)
"""The rule by which all that overlaps can match."""


@dataclass(frozen=True, eq=False)
class Group:
    """Texts to give figures for. keys: of the `by` columns. texts: their places. clusters: of each, from 0, or None."""

    keys: dict[str, str | None]
    texts: Integers
    clusters: Integers | None
    count: int

    def tally(self, tally: Tally) -> Tally:
        """A tally of all texts as one per text (cluster) of the group."""
        return tally.some(self.texts).summed(self.clusters, self.count)


@dataclass(frozen=True, eq=False)
class Checked:
    """What one checker marks, beside the truth. matches: variant -> pairs. tallies: (variant, kind) -> per text."""

    name: str
    spans: Spans
    matches: dict[str, Pairs]
    tallies: dict[tuple[str, str], Tally]


@dataclass(frozen=True, eq=False)
class Scored:
    """All that tables are made of.

    rules: variant -> the rule as it was applied. absent: parts that weigh something, but that nobody gives. words: the
    texts behind numbers.
    """

    marked: Marked
    truth: Spans
    checkers: tuple[Checked, ...]
    words: Words
    rules: dict[str, Rule]
    absent: tuple[str, ...]
    groups: tuple[Group, ...]
    by: tuple[str, ...]
    split: str | None
    confidence: float
    clustered: bool

    def keys(self, checker: Checked, group: Group | None = None, **more: str | None) -> dict[str, str | None]:
        """The keys of a row."""
        return {**(group.keys if group else {}), "checker": checker.name, "split": self.split, **more}


def scored(
    truth: Marked,
    predicted: Sequence[Marked],
    rules: Mapping[str, Rule],
    similarities: Mapping[str, Callable[[pl.Series], Similarity]],
    *,
    by: Sequence[str],
    cluster: str | None,
    split: str | None,
    confidence: float,
) -> Scored:
    """Matches and counts of every checker. similarities: part -> what makes a similarity of its texts."""
    (ours, *theirs), words = as_arrays([truth.spans, *(one.spans for one in predicted)])
    effective = {name: without(rule, words.absent) for name, rule in rules.items()}
    alike = {
        part: similarities[part](words.texts[part])
        for part in TEXT_PARTS
        if any(part in rule.parts or (part == "rule" and rule.rule >= 0) for rule in effective.values())
        if part in similarities
    }
    checkers = []
    for one, spans in zip(predicted, theirs, strict=True):
        found = matches(spans, ours, {**effective, OVERLAP: ALONE}, alike)
        checkers.append(Checked(one.name, spans, found, tallies(spans, ours, found, truth.texts.height)))
    return Scored(
        truth,
        ours,
        tuple(checkers),
        words,
        effective,
        tuple(part for part in words.absent if any(part in rule.parts for rule in rules.values())),
        tuple(_groups(truth.texts, by, cluster)),
        tuple(by),
        split,
        confidence,
        cluster is not None,
    )


def _groups(texts: pl.DataFrame, by: Sequence[str], cluster: str | None) -> Iterator[Group]:
    """All texts, or those with the same values of the `by` columns; in the order of ids, so that sums are the same."""
    rows = texts.select(*by, *([CLUSTER] if cluster else []), ID).with_row_index("__row__")
    if cluster:
        own = pl.coalesce(pl.col(CLUSTER), pl.concat_str(pl.lit("\x00"), pl.col(ID)))
        rows = rows.with_columns(own.rank("dense").alias(CLUSTER))
    parts = [({}, rows)] if not by else [(_keys(by, values), part) for values, part in rows.group_by(by)]
    order = sorted(parts, key=lambda one: [(value is not None, value or "") for value in one[0].values()])
    for keys, rows_of in order:
        part = rows_of.sort(ID)
        places = part["__row__"].to_numpy().astype(np.int64)
        if not cluster:
            yield Group(keys, places, None, len(places))
            continue
        names, clusters = np.unique(part[CLUSTER].to_numpy(), return_inverse=True)
        yield Group(keys, places, clusters, len(names))


def _keys(by: Sequence[str], values: Sequence[object]) -> dict[str, str | None]:
    return {name: None if value is None else str(value) for name, value in zip(by, values, strict=True)}


# --- tables ---


def tables_of(data: Scored) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    keys = [*data.by, "checker", "split", "variant"]
    tables = {
        "scores": figure_table([*keys, "average"], score_rows(data)),
        "differences": typed_table(list(_differences(data)), [*data.by, "variant", "first", "second", *TESTED]),
        "counts": typed_table(list(_counts(data)), [*keys, "outcome", "count"]),
    }
    for part in ("category", "rule"):
        tables[f"by_{part}"] = figure_table([*keys, part], _breakdown(data, part))
    return {**tables, "matches": match_table(data)}


def score_rows(data: Scored) -> Iterator[tuple[dict[str, str | None], str, Estimate]]:
    """The rows of the table of scores: keys, metric, estimate."""
    for group in data.groups:
        for checker in data.checkers:
            for (variant, kind), tally in checker.tallies.items():
                keys = data.keys(checker, group, variant=variant)
                for metric, estimate in metrics.micro(group.tally(tally), data.confidence).items():
                    yield {**keys, "average": MICRO}, _name(kind, metric), estimate
                some = tally.some(group.texts)
                for metric, estimate in metrics.macro(some, group.clusters, group.count, data.confidence).items():
                    yield {**keys, "average": MACRO}, _name(kind, metric), estimate


def _name(kind: str, metric: str) -> str:
    return f"{kind}_{metric}" if kind else metric


def _differences(data: Scored) -> Iterator[dict[str, object]]:
    """Every two checkers on every figure that compares them, adjusted together for each figure."""
    for group in data.groups:
        for (variant, kind), tally in data.checkers[0].tallies.items():
            for metric in metrics.COMPARED:
                if metric not in metrics.ratios(tally):
                    continue
                pairs = list(combinations(data.checkers, 2))
                found = []
                for pair in pairs:
                    first, second = (group.tally(one.tallies[variant, kind]) for one in pair)
                    found.append(metrics.difference(first, second, metric, data.confidence))
                adjusted = holm([one.p for one in found])
                for (ours, theirs), one, p in zip(pairs, found, adjusted, strict=True):
                    yield {
                        **group.keys,
                        "variant": variant,
                        "first": ours.name,
                        "second": theirs.name,
                        "metric": _name(kind, metric),
                        **{name: getattr(one.estimate, name) for name in FIGURE[1:]},
                        "p": one.p,
                        "p_adjusted": p,
                    }


def _counts(data: Scored) -> Iterator[dict[str, object]]:
    for group in data.groups:
        for checker in data.checkers:
            for (variant, kind), tally in checker.tallies.items():
                if kind and kind != "exact":
                    continue
                own = tally.some(group.texts)
                found, predicted, true = (int(one.sum()) for one in (own.found, own.predicted, own.true))
                counts = {
                    "true_positive": found,
                    "false_positive": predicted - found,
                    "false_negative": true - found,
                }
                for outcome, count in counts.items():
                    yield {**data.keys(checker, group, variant=variant), "outcome": outcome, "count": count}


def _breakdown(data: Scored, part: str) -> Iterator[tuple[dict[str, str | None], str, Estimate]]:
    """Precision over the predictions that name a rule (category), recall over the true ones, and F1 of both."""
    texts = data.words.texts[part]
    if not len(texts):
        return
    for group in data.groups:
        places = np.full(data.marked.texts.height, -1)
        places[group.texts] = np.arange(len(group.texts)) if group.clusters is None else group.clusters
        for checker in data.checkers:
            for variant in data.rules:
                sums = _by_value(data, checker, variant, part, places)
                keys = data.keys(checker, group, variant=variant)
                for number, table in _most_frequent(sums):
                    name = None if number == NOTHING else str(texts[number])
                    for metric, estimate in _of_value(table, data.confidence).items():
                        yield {**keys, part: name}, metric, estimate


def _by_value(data: Scored, checker: Checked, variant: str, part: str, places: Integers) -> pl.DataFrame:
    """For each value of a part and each text (cluster): how many are predicted and true, and how many of each match."""
    pairs = checker.matches[variant]
    frames = []
    for side, spans, rows in (("predicted", checker.spans, pairs.predicted), ("true", data.truth, pairs.truth)):
        hit = np.zeros(len(spans), dtype=np.int64)
        hit[rows] = 1
        frame = pl.DataFrame({"value": spans.parts[part], "place": places[spans.place], "hit": hit})
        frames.append(
            frame.filter(pl.col("place") >= 0)
            .group_by("value", "place")
            .agg(pl.len().cast(pl.Int64).alias(side), pl.col("hit").sum().alias(f"{side}_hit"))
        )
    return frames[0].join(frames[1], on=["value", "place"], how="full", coalesce=True).fill_null(0)


def _most_frequent(sums: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
    total = (pl.col("predicted") + pl.col("true")).sum().alias("total")
    order = sums.group_by("value").agg(total).sort("total", "value", descending=[True, False]).head(MOST_VALUES)
    parts = sums.join(order, on="value", how="semi").sort("value", "place").partition_by("value", as_dict=True)
    for value in order["value"]:
        yield value, parts[(value,)]


def _of_value(table: pl.DataFrame, confidence: float) -> dict[str, Estimate]:
    sides = {name: table[name].to_numpy() for name in ("predicted", "predicted_hit", "true", "true_hit")}
    predicted, predicted_hit, true, true_hit = sides.values()
    precision = _share(predicted_hit, predicted, "nothing is predicted", confidence)
    recall = _share(true_hit, true, "nothing is true", confidence)
    f1 = metrics.harmonic_mean((predicted_hit, predicted), (true_hit, true), precision, recall, confidence)
    return {"precision": precision, "recall": recall, "f1": f1}


def _share(hits: Integers, whole: Integers, reason: str, confidence: float) -> Estimate:
    if not whole.any():
        return Estimate.undefined(reason, confidence=confidence)
    return clustered_proportion(hits, whole, confidence=confidence)


_PART_COLUMNS = {
    "overlap": "overlap",
    "rule": "rule_similarity",
    "category": "category_similarity",
    "explanation": "explanation_similarity",
    "correction": "correction_similarity",
}


def match_table(data: Scored) -> pl.DataFrame:
    """Every matched pair with its score and what it is made of."""
    return pl.concat([_matches_of(data, checker, variant) for checker in data.checkers for variant in data.rules])


def _matches_of(data: Scored, checker: Checked, variant: str) -> pl.DataFrame:
    pairs = checker.matches[variant]
    keys = {"checker": checker.name, "split": data.split, "variant": variant}
    parts = {name: pairs.parts.get(part) for part, name in _PART_COLUMNS.items()}
    return pl.DataFrame(
        {
            "item": data.marked.texts[ID][checker.spans.place[pairs.predicted]],
            "predicted_start": checker.spans.start[pairs.predicted],
            "predicted_end": checker.spans.end[pairs.predicted],
            "start": data.truth.start[pairs.truth],
            "end": data.truth.end[pairs.truth],
            "score": pairs.score,
        }
    ).select(
        *(pl.lit(value, pl.String).alias(name) for name, value in keys.items()),
        pl.all(),
        *(pl.lit(None, pl.Float64).alias(name) if own is None else pl.Series(name, own) for name, own in parts.items()),
    )


# --- what is said beside the tables ---


def counts_of(data: Scored) -> dict[str, int]:
    """What was counted, for the head of the report."""
    found = {
        "text": data.marked.texts.height,
        "true violation": len(data.truth),
        "checker": len(data.checkers),
        "predicted violation": sum(len(one.spans) for one in data.checkers),
    }
    if data.clustered:
        found["cluster"] = sum(group.count for group in data.groups)
    return {name if count == 1 else f"{name}s": count for name, count in found.items()}


def notes_of(data: Scored) -> tuple[str, ...]:
    """How figures were made, for the foot of the report."""
    notes = [f"{name}: {_formula(rule)}." for name, rule in data.rules.items()]
    unit = "the clusters that texts come in" if data.clustered else "texts"
    return (*notes, f"Intervals rest on {unit}, which are what another sample would have others of.")


def _formula(rule: Rule) -> str:
    score = " + ".join(f"{rule.weights[part]:.3g} {part}" for part in rule.parts)
    limits = f"score > {rule.score:g}, overlap > {rule.overlap:g}"
    return f"score = {score}; a match needs {limits}" + (f", rule > {rule.rule:g}" if rule.rule >= 0 else "")


def warnings_of(data: Scored) -> list[str]:
    """What a reader must know of the data."""
    warnings = [*data.marked.warnings]
    if data.absent:
        gone = ", and the threshold of rules is left out" if "rule" in data.absent else ""
        weight = "weight is" if len(data.absent) == 1 else "weights are"
        warnings.append(
            f"nobody gives any {' or '.join(data.absent)}: the {weight} shared out among the other parts{gone}"
        )
    for part in TEXT_PARTS:
        names = [one.name for one in data.checkers if (one.spans.parts[part] != NOTHING).any()]
        lone = names and len(names) < len(data.checkers) and not (data.truth.parts[part] != NOTHING).any()
        if lone and any(part in rule.parts for rule in data.rules.values()):
            warnings.append(
                f"only {', '.join(names)} and not the truth: {part}. It weighs in every score, so that figures of the "
                "other checkers are lower than alone"
            )
    for part in ("category", "rule"):
        more = len(data.words.texts[part]) - MOST_VALUES
        if more > 0:
            warnings.append(
                f"by_{part} holds the {MOST_VALUES:,} most frequent; {more:,} more have no row of their own"
            )
    return warnings


def checker_names(names: Sequence[str]) -> None:
    """Raises OptionError where two checkers have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise OptionError(f'two checkers are called "{twice[0]:.60}"; name each of them with checker (--checker)')
