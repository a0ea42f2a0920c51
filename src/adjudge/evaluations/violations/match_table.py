"""Matches and counts of every checker, and the notes and warnings of the report.

With several annotators as references, each text counts with the one whose marks fit best (`best_reference`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from adjudge.errors import OptionError, named
from adjudge.evaluations.violations.match_settings import MatchRule, absent_part_warnings, rule_formula, without_parts
from adjudge.evaluations.violations.metrics import MOST_VALUES
from adjudge.evaluations.violations.options import ViolationsOptions
from adjudge.evaluations.violations.predictions import Matcher
from adjudge.evaluations.violations.rows import count_matches
from adjudge.evaluations.violations.similarity_cache import Similarities, similarities_of
from adjudge.evaluations.violations.span_matching import (
    SpanSides,
    absent_parts,
    distinct_texts,
    match_spans,
    sum_by_text,
    with_shared_categories,
)
from adjudge.metrics.data_checks import EMPTY, MISPLACED, REPEATED, TRUE
from adjudge.metrics.metric import KIND
from adjudge.schemas.columns import cluster_name
from adjudge.schemas.violations import ID, PLACE, TEXT, TEXT_PARTS, MarkedTexts, sorted_spans

CLUSTER, SPLIT = "cluster", "split"


@dataclass(frozen=True, eq=False)
class CheckerResult:
    """The violations that one checker marks, and the true violations for it.

    matches: variant -> pairs. near: variant -> side -> violations in no match (see `nearly`). replies, seen: see
    `Marked`.
    """

    name: str
    spans: pl.DataFrame
    truth: pl.DataFrame
    matches: Mapping[str, pl.DataFrame]
    near_misses: Mapping[str, Mapping[str, pl.DataFrame]]
    replies: pl.Series | None
    seen: pl.Series | None

    def in_seen_texts(self, spans: pl.DataFrame) -> pl.Series:
        """A mask of the violations in texts that count for the checker."""
        return pl.Series([True]).new_from_index(0, spans.height) if self.seen is None else self.seen[spans[PLACE]]


@dataclass(frozen=True, eq=False)
class ScoredCheckers:
    """All that tables are made of.

    marked: the texts, and whose truth it is. texts: item, cluster and `by` columns, in their order. rows: a row per
    text, as metrics rest on them, for each checker, variant and kind of counts. rules: variant -> the rule as it was
    applied. absent: parts with a weight that no violation has. weights: of severities, none where they do not count.
    """

    marked: MarkedTexts
    checkers: tuple[CheckerResult, ...]
    texts: pl.DataFrame
    rows: pl.DataFrame
    rules: dict[str, MatchRule]
    absent: tuple[str, ...]
    by: tuple[str, ...]
    split: str | None
    confidence: float
    weights: Mapping[str, float]

    @property
    def unit(self) -> str | None:
        """The sampling unit: clusters, or None where each text is a unit of its own."""
        return "cluster" if CLUSTER in self.marked.texts.columns else None

    @property
    def constants(self) -> dict[str, str | None]:
        """Key columns that have one value: the split, unless a column of the texts names it."""
        return {} if SPLIT in self.by else {SPLIT: self.split}

    @property
    def keys(self) -> list[str]:
        """The keys of a checker's metrics."""
        return [*self.by, "checker", *self.constants, "variant"]


def score_checkers(
    truth: MarkedTexts,
    truths: Sequence[pl.DataFrame],
    predicted: Sequence[MarkedTexts],
    rules: Mapping[str, MatchRule],
    find: Matcher,
    options: ViolationsOptions,
) -> ScoredCheckers:
    """Matches and counts of every checker.

    truths: the violations that are true for each, or one table for all. find: what matches them.
    """
    by, split = options.by, options.split
    tables = with_shared_categories([*truths, *(one.spans for one in predicted)])
    truth_of, spans_of = tables[: len(truths)] * (len(predicted) // len(truths)), tables[len(truths) :]
    absent = absent_parts(tables[0])
    effective = {name: without_parts(rule, absent) for name, rule in rules.items()}
    cluster = CLUSTER if CLUSTER in truth.texts.columns else pl.lit(None, pl.String).alias(CLUSTER)
    texts = truth.texts.select(pl.col(ID).alias("item"), cluster, *by)
    both = list(zip(spans_of, truth_of, strict=True))
    checkers, rows = [], []
    for checker, (spans, true), result in zip(predicted, both, find(both, effective), strict=True):
        checkers.append(
            CheckerResult(
                checker.name, spans, true, result.matches, result.near_misses, checker.replies, checker.counted_texts
            )
        )
        for (variant, kind), tally in count_matches(SpanSides(spans, true, {}), result.matches, texts.height).items():
            keys = {"checker": checker.name, "variant": variant, KIND: kind} | ({} if SPLIT in by else {SPLIT: split})
            columns = (pl.lit(value, pl.String).alias(name) for name, value in keys.items())
            table = texts.with_columns(columns).hstack(tally)
            rows.append(table if checker.counted_texts is None else table.filter(checker.counted_texts))
    return ScoredCheckers(
        truth,
        tuple(checkers),
        texts,
        pl.concat(rows, how="diagonal").with_columns(pl.col(pl.String).cast(pl.Categorical)),
        effective,
        tuple(part for part in absent if any(part in rule.weighted_parts for rule in rules.values())),
        tuple(by),
        split,
        options.ci_level,
        {name: float(weight) for name, weight in options.severity_weights.items()},
    )


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
                f"only {', '.join(names)} and not the truth: {part}. It weighs in every score, so that figures of the "
                "other checkers are lower than alone"
            )
    for part in ("category", "rule"):
        more = len(distinct_texts(data.checkers[0].truth, part)) - MOST_VALUES
        if more > 0:
            warnings.append(
                f"by_{part} holds the {MOST_VALUES:,} most frequent; {more:,} more have no row of their own"
            )
    return warnings


def check_checker_names(names: Sequence[str]) -> None:
    """Raises OptionError where two checkers have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise OptionError(f'two checkers are called "{twice[0]:.60}"', fix=f"{named('checker')} NAME,... for each file")


# --- several annotators as references ---


def best_reference(
    truth: MarkedTexts, predicted: MarkedTexts, rule: MatchRule, similarities: Similarities
) -> tuple[pl.DataFrame, str]:
    """The true violations where each text has those of its best annotator, of the highest F1 there; and who that was.

    F1 = 2 matches / (predicted + true), 1 where neither marks anything. Of equal ones the annotator with fewer
    violations counts, then the first. Each text is settled by itself; the M2 scorer (Dahlmeier and Ng 2012) takes the
    annotator that makes the metric over all texts so far the highest, which differs where several are about as good.
    """
    references = (truth, *truth.other_annotators)
    predicted_spans, *reference_spans = with_shared_categories([predicted.spans, *(one.spans for one in references)])
    applied = without_parts(rule, absent_parts(predicted_spans))
    alike = similarities_of(predicted_spans, similarities, [applied])
    height = truth.texts.height
    marked = sum_by_text(predicted_spans[PLACE], None, height)
    keys = []
    for spans in reference_spans:
        pairs = match_spans(SpanSides(predicted_spans, spans, alike), {"best": applied})["best"]
        matched = sum_by_text(predicted_spans[PLACE].gather(pairs["predicted"]), None, height)
        true = sum_by_text(spans[PLACE], None, height)
        both = marked + true
        keys.append((np.divide(2 * matched, both, out=np.ones(height), where=both > 0), -true))
    best = np.zeros(height, dtype=np.int64)
    for nth, (f1, fewer) in enumerate(keys):
        best_f1, best_fewer = (np.choose(best, [key[part] for key in keys]) for part in (0, 1))
        best[(f1 > best_f1) | ((f1 == best_f1) & (fewer > best_fewer))] = nth
    chosen = [one.spans.filter(pl.Series(best == nth)[one.spans[PLACE]]) for nth, one in enumerate(references)]
    counts = Counter(best.tolist())
    numbers = ", ".join(f"{nth + 1} in {counts[nth]:,}" for nth in range(len(references)))
    text = f"each text counts with the annotator who fits {predicted.name} best: of {len(references)}, number {numbers}"
    return sorted_spans(pl.concat(chosen)), text
