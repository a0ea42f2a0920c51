"""Matches and counts of every checker, and the outcome of each violation by each variant of matching.

| outcome | value | label, reference_label | when |
|---|---|---|---|
| true_positive | the match's score | the predicted rule, the true one | a prediction and a true violation match |
| false_positive | | the predicted rule, null | a prediction matches nothing |
| false_negative | | null, the true rule | a true violation is matched by nothing |

`part` is the category that the prediction names, of a false_negative the true one. Behind the key columns stand start
and end (of the true violation), predicted_start and predicted_end, and true_category; null where there is none. Where a
prediction quotes words that the text does not hold, it has no offsets, and `detail` says the words. What matches
nothing says why in `failed`: see `find_near_misses`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from adjudge.errors import flag_name
from adjudge.evaluations.violations import span_matching
from adjudge.evaluations.violations.metrics import ABOUT, MOST_VALUES, count_matches
from adjudge.evaluations.violations.options import ViolationsOptions
from adjudge.evaluations.violations.span_matching import MatchRule, absent_part_warnings, rule_formula
from adjudge.metrics.data_checks import EMPTY, REPEATED, TRUE
from adjudge.metrics.metric import KIND
from adjudge.readers.problems import listed
from adjudge.schemas.columns import cluster_name
from adjudge.schemas.outcomes import outcomes_frame
from adjudge.schemas.violations import ID, INVENTED, PLACE, TEXT, MarkedTexts

CLUSTER = "cluster"


@dataclass(frozen=True, eq=False)
class CheckerResult:
    """The violations that one checker marks, and what they match.

    marked: what was read of it. spans: with the categories of all sides. tables: see `span_matching`.
    """

    marked: MarkedTexts
    spans: pl.DataFrame
    tables: span_matching.MatchTables

    @property
    def name(self) -> str:
        """The checker's name."""
        return self.marked.name


@dataclass(frozen=True, eq=False)
class ScoredCheckers:
    """All that tables are made of.

    marked: the texts, and whose truth it is. truth: the true violations, with the categories of all sides. texts:
    item, cluster and `by` columns, in their order. rows: a row per text, as metrics rest on them, for each checker,
    variant and kind of counts. rules: variant -> the rule as it was applied. absent: parts with a weight that no
    violation has.
    """

    marked: MarkedTexts
    checkers: tuple[CheckerResult, ...]
    truth: pl.DataFrame
    texts: pl.DataFrame
    rows: pl.DataFrame
    rules: dict[str, MatchRule]
    absent: tuple[str, ...]
    options: ViolationsOptions

    @property
    def unit(self) -> str | None:
        """The sampling unit: clusters, or None where each text is a unit of its own."""
        return "cluster" if CLUSTER in self.marked.texts.columns else None

    @property
    def keys(self) -> list[str]:
        """The keys of a checker's metrics."""
        return [*self.options.by, "checker", "variant"]


def score_checkers(
    truth: MarkedTexts,
    predicted: Sequence[MarkedTexts],
    rules: Mapping[str, MatchRule],
    similarities: span_matching.Similarities,
    options: ViolationsOptions,
) -> ScoredCheckers:
    """Matches and counts of every checker."""
    setup = span_matching.set_up_matching([truth.spans, *(one.spans for one in predicted)], rules, similarities)
    true, *spans_of = setup.tables
    cluster = CLUSTER if CLUSTER in truth.texts.columns else pl.lit(None, pl.String).alias(CLUSTER)
    texts = truth.texts.select(pl.col(ID).alias("item"), cluster, *options.by)
    checkers, rows = [], []
    for marked, spans in zip(predicted, spans_of, strict=True):
        sides = span_matching.SpanSides(spans, true, setup.similarities)
        tables = span_matching.match_checker(sides, setup.rules)
        checkers.append(CheckerResult(marked, spans, tables))
        pairs = {variant: table for (variant, part), table in tables.items() if part == span_matching.MATCHES}
        for (variant, kind), tally in count_matches(sides, pairs, texts.height).items():
            keys = {"checker": marked.name, "variant": variant, KIND: kind}
            table = texts.with_columns(pl.lit(value, pl.String).alias(name) for name, value in keys.items())
            rows.append(table.hstack(tally))
    counted = pl.concat(rows, how="diagonal").with_columns(pl.col(pl.String).cast(pl.Categorical))
    return ScoredCheckers(truth, tuple(checkers), true, texts, counted, setup.rules, setup.absent, options)


# --- what is said beside the tables ---


def counts_of(data: ScoredCheckers) -> dict[str, int]:
    """Counts for the head of the report."""
    counts = {
        "texts": data.marked.texts.height,
        TRUE: data.truth.height,
        "checkers": len(data.checkers),
        "predicted violations": sum(one.spans.height for one in data.checkers),
    }
    if data.unit:
        cluster_names = cluster_name(pl.col(CLUSTER), pl.col(ID))
        counts["clusters"] = data.marked.texts.select(*data.options.by, cluster_names.alias(CLUSTER)).n_unique()
    given_texts = data.marked.texts[TEXT].drop_nulls()
    texts = given_texts.filter(given_texts.str.strip_chars() != "")
    odd = {EMPTY: len(given_texts) - len(texts), REPEATED: len(texts) - texts.n_unique()}
    return counts | {name: count for name, count in odd.items() if count}


def notes_of(data: ScoredCheckers) -> tuple[str, ...]:
    """How metrics were made, for the foot of the report."""
    notes = [f"{name}: {rule_formula(rule, 'a match')}." for name, rule in data.rules.items()]
    unit = "the clusters that texts come in" if data.unit else "text"
    return (*notes, f"Intervals are clustered by {unit}.")


def warnings_of(data: ScoredCheckers) -> list[str]:
    """Warnings about the data."""
    effect = "the match score uses the other parts; F1 counts partial matches"
    warnings = [*data.marked.warnings, *absent_part_warnings(data.absent, effect)]
    ruled = data.truth.height and not data.truth["rule"].has_nulls()
    lacking = [one.name for one in data.checkers if ruled and one.spans.height and not one.spans["rule"].count()]
    if lacking:
        fix = f"If they have, name it: {flag_name('columns')} rule=COLUMN"
        warnings.append(f"{listed(lacking)} names no rules, so it matches no true violation. {fix}")
    for part in ("category", "rule"):
        more = len(span_matching.distinct_texts(data.truth, part)) - MOST_VALUES
        if more > 0:
            warnings.append(
                f"by_{part} holds the {MOST_VALUES:,} most frequent; {more:,} more have no row of their own"
            )
    return warnings


_PREDICTED = {"start": "predicted_start", "end": "predicted_end"}
_TRUE = {"rule": "true_rule", "category": "true_category"}


def outcomes(data: ScoredCheckers) -> pl.LazyFrame:
    """All outcomes, of each checker and variant: matched pairs, then what else is predicted, then what else is true."""
    frames, truth = [], _describe_spans(data, data.truth).rename(_TRUE)
    true = truth.select(*_TRUE.values(), "start", "end")
    for checker in data.checkers:
        predicted = _describe_spans(data, checker.spans).rename(_PREDICTED)
        for variant in data.rules:
            pairs, extra, lost = (
                checker.tables[variant, part] for part in (span_matching.MATCHES, "predicted", "truth")
            )
            matched = predicted[pairs["predicted"]].with_columns(pairs["score"].alias("value"))
            parts = {
                "true_positive": matched.hstack(true[pairs["truth"]]),
                "false_positive": predicted[extra["predicted"]].hstack(extra.select("failed")),
                "false_negative": truth[lost["truth"]].hstack(lost.select("failed")),
            }
            keys = {"judge": checker.name, "variant": variant}
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
    return outcomes_frame(columns, every, [*data.options.by, "variant", *ABOUT])


def _describe_spans(data: ScoredCheckers, spans: pl.DataFrame) -> pl.DataFrame:
    """The columns of outcomes that describe the violations of one side."""
    columns = spans.select("start", "end", "rule", pl.col("category").cast(pl.String), pl.col(INVENTED).alias("detail"))
    return data.texts[spans[PLACE]].hstack(columns)
