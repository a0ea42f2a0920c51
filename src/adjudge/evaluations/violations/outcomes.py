"""Matches and counts of every checker, and the outcome of each violation by each variant of matching.

With several annotators as references, each text counts with the one whose marks fit best (`best_reference`).

| outcome | value | label, reference_label | when |
|---|---|---|---|
| true_positive | the match's score | the predicted rule, the true one | a prediction and a true violation match |
| false_positive | | the predicted rule, null | a prediction matches nothing |
| false_negative | | null, the true rule | a true violation is matched by nothing |

`part` is the category that the prediction names, of a false_negative the true one. Behind the key columns stand start
and end (of the true violation), predicted_start and predicted_end, and true_category; null where there is none. Where a
prediction quotes words that the text does not hold, it has no offsets, and `detail` says the words. What matches
nothing says why in `failed`, by how much its score is `short`, and where the closest violation of the other side stands
(near_start, near_end): see `find_near_misses`. Where severities have weights, those stand in predicted_weight and
true_weight.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from adjudge.evaluations.violations import span_matching
from adjudge.evaluations.violations.match_settings import MatchRule, absent_part_warnings, rule_formula
from adjudge.evaluations.violations.metrics import ABOUT, MOST_VALUES, count_matches
from adjudge.evaluations.violations.options import ViolationsOptions
from adjudge.metrics.data_checks import EMPTY, MISPLACED, REPEATED, TRUE
from adjudge.metrics.metric import KIND
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.schemas.columns import cluster_name
from adjudge.schemas.outcomes import outcomes_frame
from adjudge.schemas.violations import ID, INVENTED, PLACE, SEVERITY, TEXT, TEXT_PARTS, MarkedTexts, sorted_spans

CLUSTER, SPLIT = "cluster", "split"


@dataclass(frozen=True, eq=False)
class CheckerResult:
    """The violations that one checker marks, and the true violations for it.

    marked: what was read of it. spans, truth: both sides, with shared categories. tables: see `span_matching`.
    """

    marked: MarkedTexts
    spans: pl.DataFrame
    truth: pl.DataFrame
    tables: span_matching.MatchTables

    @property
    def name(self) -> str:
        """The checker's name."""
        return self.marked.name

    def in_counted_texts(self, spans: pl.DataFrame) -> pl.Series:
        """A mask of the violations in texts that count for the checker."""
        counted = self.marked.counted_texts
        return pl.Series([True]).new_from_index(0, spans.height) if counted is None else counted[spans[PLACE]]


@dataclass(frozen=True, eq=False)
class ScoredCheckers:
    """All that tables are made of.

    marked: the texts, and whose truth it is. texts: item, cluster and `by` columns, in their order. rows: a row per
    text, as metrics rest on them, for each checker, variant and kind of counts. rules: variant -> the rule as it was
    applied. absent: parts with a weight that no violation has.
    """

    marked: MarkedTexts
    checkers: tuple[CheckerResult, ...]
    texts: pl.DataFrame
    rows: pl.DataFrame
    rules: dict[str, MatchRule]
    absent: tuple[str, ...]
    options: ViolationsOptions

    @property
    def by(self) -> tuple[str, ...]:
        """The `by` columns."""
        return tuple(self.options.by)

    @property
    def confidence(self) -> float:
        """The confidence level of intervals."""
        return self.options.ci_level

    @property
    def unit(self) -> str | None:
        """The sampling unit: clusters, or None where each text is a unit of its own."""
        return "cluster" if CLUSTER in self.marked.texts.columns else None

    @property
    def constants(self) -> dict[str, str | None]:
        """Key columns that have one value: the split, unless a column of the texts names it."""
        return {} if SPLIT in self.by else {SPLIT: self.options.split}

    @property
    def keys(self) -> list[str]:
        """The keys of a checker's metrics."""
        return [*self.by, "checker", *self.constants, "variant"]


def score_checkers(
    truth: MarkedTexts,
    truths: Sequence[pl.DataFrame],
    predicted: Sequence[MarkedTexts],
    rules: Mapping[str, MatchRule],
    similarities: span_matching.Similarities,
    options: ViolationsOptions,
    workers: Workers = LOCAL_WORKERS,
) -> ScoredCheckers:
    """Matches and counts of every checker. truths: the violations that are true for each, or one table for all."""
    setup = span_matching.set_up_matching([*truths, *(one.spans for one in predicted)], rules, similarities)
    truth_of, spans_of = setup.tables[: len(truths)] * (len(predicted) // len(truths)), setup.tables[len(truths) :]
    cluster = CLUSTER if CLUSTER in truth.texts.columns else pl.lit(None, pl.String).alias(CLUSTER)
    texts = truth.texts.select(pl.col(ID).alias("item"), cluster, *options.by)
    both = list(zip(spans_of, truth_of, strict=True))
    checkers, rows = [], []
    for marked, (spans, true), found in zip(
        predicted, both, span_matching.match_checkers(both, setup, options, workers), strict=True
    ):
        checkers.append(CheckerResult(marked, spans, true, found))
        pairs = {variant: table for (variant, part), table in found.items() if part == span_matching.MATCHES}
        for (variant, kind), tally in count_matches(
            span_matching.SpanSides(spans, true, {}), pairs, texts.height
        ).items():
            split = {} if SPLIT in options.by else {SPLIT: options.split}
            keys = {"checker": marked.name, "variant": variant, KIND: kind} | split
            table = texts.with_columns(pl.lit(value, pl.String).alias(name) for name, value in keys.items())
            table = table.hstack(tally)
            rows.append(table if marked.counted_texts is None else table.filter(marked.counted_texts))
    counted = pl.concat(rows, how="diagonal").with_columns(pl.col(pl.String).cast(pl.Categorical))
    return ScoredCheckers(truth, tuple(checkers), texts, counted, setup.rules, setup.absent, options)


# --- what is said beside the tables ---


def counts_of(data: ScoredCheckers) -> dict[str, int]:
    """Counts for the head of the report."""
    true = {one.truth.height for one in data.checkers}
    counts = {
        "texts": data.marked.texts.height,
        **dict.fromkeys([TRUE] if len(true) == 1 else [], min(true)),
        "checkers": len(data.checkers),
        "predicted violations": sum(one.spans.height for one in data.checkers),
    }
    if data.unit:
        cluster_names = cluster_name(pl.col(CLUSTER), pl.col(ID))
        counts["clusters"] = data.marked.texts.select(*data.by, cluster_names.alias(CLUSTER)).n_unique()
    given_texts = data.marked.texts[TEXT].drop_nulls()
    texts = given_texts.filter(given_texts.str.strip_chars() != "")
    odd = {
        EMPTY: len(given_texts) - len(texts),
        REPEATED: len(texts) - texts.n_unique(),
        MISPLACED: 0 if data.marked.other_annotators else data.marked.misplaced,
    }
    return counts | {name: count for name, count in odd.items() if count}


def notes_of(data: ScoredCheckers) -> tuple[str, ...]:
    """How metrics were made, for the foot of the report."""
    notes = [f"{name}: {rule_formula(rule, 'a match')}." for name, rule in data.rules.items()]
    unit = "the clusters that texts come in" if data.unit else "text"
    return (*notes, f"Intervals are clustered by {unit}.")


def warnings_of(data: ScoredCheckers) -> list[str]:
    """Warnings about the data."""
    warnings = [*data.marked.warnings, *absent_part_warnings(data.absent, "the match score rests on the other parts")]
    for part in TEXT_PARTS:
        names = [one.name for one in data.checkers if one.spans[part].count()]
        lone = names and len(names) < len(data.checkers) and not any(one.truth[part].count() for one in data.checkers)
        if lone and any(part in rule.weighted_parts for rule in data.rules.values()):
            warnings.append(
                f"only {', '.join(names)} and not the truth: {part}. It weighs in every score, so that metrics of the "
                "other checkers are lower than alone"
            )
    for part in ("category", "rule"):
        more = len(span_matching.distinct_texts(data.checkers[0].truth, part)) - MOST_VALUES
        if more > 0:
            warnings.append(
                f"by_{part} holds the {MOST_VALUES:,} most frequent; {more:,} more have no row of their own"
            )
    return warnings


# --- several annotators as references ---


def best_reference(
    truth: MarkedTexts, predicted: MarkedTexts, rule: MatchRule, similarities: span_matching.Similarities
) -> tuple[pl.DataFrame, str]:
    """The true violations where each text has those of its best annotator, of the highest F1 there; and who that was.

    F1 = 2 matches / (predicted + true), 1 where neither marks anything. Of equal ones the annotator with fewer
    violations counts, then the first. Each text is settled by itself; the M2 scorer (Dahlmeier and Ng 2012) takes the
    annotator that makes the metric over all texts so far the highest, which differs where several are about as good.
    """
    references, height = (truth, *truth.other_annotators), truth.texts.height
    setup = span_matching.set_up_matching(
        [predicted.spans, *(one.spans for one in references)], {"best": rule}, similarities
    )
    predicted_spans, *reference_spans = setup.tables
    marked = span_matching.sum_by_text(predicted_spans[PLACE], None, height)
    f1, true = np.ones((len(references), height)), np.zeros((len(references), height))
    for nth, spans in enumerate(reference_spans):
        sides = span_matching.SpanSides(predicted_spans, spans, setup.similarities)
        pairs = span_matching.match_spans(sides, setup.rules)["best"]
        matched = span_matching.sum_by_text(predicted_spans[PLACE].gather(pairs["predicted"]), None, height)
        true[nth] = span_matching.sum_by_text(spans[PLACE], None, height)
        both = marked + true[nth]
        np.divide(2 * matched, both, out=f1[nth], where=both > 0)
    best = np.where(f1 == f1.max(axis=0), true, np.inf).argmin(axis=0)
    chosen = [one.spans.filter(pl.Series(best == nth)[one.spans[PLACE]]) for nth, one in enumerate(references)]
    counts = Counter(best.tolist())
    numbers = ", ".join(f"{nth + 1} in {counts[nth]:,}" for nth in range(len(references)))
    text = f"each text counts with the annotator who fits {predicted.name} best: of {len(references)}, number {numbers}"
    return sorted_spans(pl.concat(chosen)), text


_PREDICTED = {"start": "predicted_start", "end": "predicted_end", "weight": "predicted_weight"}
_TRUE = {"rule": "true_rule", "category": "true_category", "weight": "true_weight"}


def outcomes(data: ScoredCheckers) -> pl.LazyFrame:
    """All outcomes, of each checker and variant: matched pairs, then what else is predicted, then what else is true."""
    frames = []
    for checker in data.checkers:
        truth = _describe_spans(data, checker.truth).rename(_TRUE)
        predicted = _describe_spans(data, checker.spans).rename(_PREDICTED)
        true = truth.select(*_TRUE.values(), "start", "end")
        counts = checker.in_counted_texts(checker.truth)
        for variant in data.rules:
            pairs, extra, lost = (
                checker.tables[variant, part] for part in (span_matching.MATCHES, "predicted", "truth")
            )
            lost = lost.filter(counts.gather(lost["truth"]))
            matched = predicted[pairs["predicted"]].with_columns(pairs["score"].alias("value"))
            parts = {
                "true_positive": matched.hstack(true[pairs["truth"]]),
                "false_positive": predicted[extra["predicted"]].hstack(extra[span_matching.NEAR]),
                "false_negative": truth[lost["truth"]].hstack(lost[span_matching.NEAR]),
            }
            keys = {"judge": checker.name, **data.constants, "variant": variant}
            for outcome, rows in parts.items():
                literals = (pl.lit(text, pl.String).alias(name) for name, text in [*keys.items(), ("outcome", outcome)])
                frames.append(rows.with_columns(literals))
    columns = {name: pl.col(name) for name in ("item", "cluster", "judge", "outcome", "value", "detail")}
    columns |= {
        "reference": pl.lit(data.marked.name),
        "part": pl.when(pl.col("outcome") == "false_negative").then("true_category").otherwise("category"),
        "label": pl.col("rule"),
        "reference_label": pl.col("true_rule"),
    }
    every = pl.concat(frames, how="diagonal").lazy()
    return outcomes_frame(columns, every, [*data.by, *data.constants, "variant", *ABOUT])


def _describe_spans(data: ScoredCheckers, spans: pl.DataFrame) -> pl.DataFrame:
    """The columns of outcomes that describe the violations of one side."""
    detail = pl.col(INVENTED).alias("detail")
    weights = {name: float(weight) for name, weight in data.options.severity_weights.items()}
    weight = pl.col(SEVERITY).replace_strict(weights, default=1.0, return_dtype=pl.Float64)
    columns = spans.select(
        "start",
        "end",
        detail,
        "rule",
        pl.col("category").cast(pl.String),
        (weight if weights else pl.lit(None, pl.Float64)).alias("weight"),
    )
    return data.texts[spans[PLACE]].hstack(columns)
