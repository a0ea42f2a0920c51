"""Texts as examples, with all that either side marks in them."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from adjudge.evaluations.examples import JUDGES, PEERS, TOTAL, first_hard_items
from adjudge.evaluations.violations.declaration import EVALUATION
from adjudge.evaluations.violations.metrics import MATCHED, VIEW
from adjudge.evaluations.violations.outcomes import CheckerResult, ScoredCheckers
from adjudge.evaluations.violations.span_matching import MATCHES
from adjudge.metrics.cells import Integers
from adjudge.metrics.metric import KIND
from adjudge.readers.problems import count_words
from adjudge.report import typed_table
from adjudge.schemas.violations import ID, INVENTED, PLACE, TEXT, TEXT_PARTS

MARKS = "marks"
"""Column of examples: JSON, a list of violations, matches first: side (predicted, true), start, end, what it says, a
number that both sides of a match share (else null), score, and what failed where there is no match. Without start and
end, it quotes what is invented."""

_COLUMNS = ("item", "judge", "reference", "part", "label", "reference_label", "outcome", "variant", TEXT, MARKS, PEERS)
_MOST = 8
"""The most other checkers named for an example."""


def examples(data: ScoredCheckers, count: int, seed: int) -> pl.DataFrame:
    """Up to `count` texts of each kind for each checker, drawn at random; matches are those of the first variant."""
    draw, kinds = np.random.default_rng(seed), list(EVALUATION.outcomes)
    rows = _example_rows(data, lambda places: draw.permutation(places)[:count])
    return typed_table(sorted(rows, key=lambda row: kinds.index(row["outcome"] or "")), _COLUMNS)


def example_of(data: ScoredCheckers, item: str) -> pl.DataFrame:
    """A text, as examples are, for each checker that saw it; none where neither side marks anything."""
    place = data.marked.texts[ID].index_of(item)
    return typed_table([*_example_rows(data, lambda places: places[places == place])], _COLUMNS)


def _example_rows(data: ScoredCheckers, choose: Callable[[Integers], Iterable[int]]) -> Iterator[dict[str, str | None]]:
    """Texts as examples, checker by checker. choose: takes the places of those of a kind."""
    texts, variant, some = data.marked.texts, next(iter(data.rules)), pl.col("predicted") + pl.col("true") > 0
    for checker in data.checkers:
        rows = data.rows.filter(checker=checker.name, variant=variant, **{KIND: MATCHED})
        kinds, counted = rows.select(pl.when(some).then(VIEW.outcome)).to_series(), checker.marked.counted_texts
        places = np.arange(texts.height) if counted is None else counted.arg_true().to_numpy()
        chosen = {
            int(place): kind
            for kind in EVALUATION.outcomes
            for place in choose(places[kinds.eq_missing(kind).arg_true().to_numpy()])
        }
        marks = _marks_by_place(data, checker, variant, [*chosen])
        for place, kind in chosen.items():
            peers = [one for one in data.checkers if one is not checker and one.counts_text(place)][:_MOST]
            others = [{"judge": one.name, "label": _count_marks(one.spans, place)} for one in peers]
            yield {
                "item": texts[ID][place],
                "judge": checker.name,
                "reference": data.marked.name,
                "part": None,
                "label": _count_marks(checker.spans, place),
                "reference_label": _count_marks(data.truth, place),
                "outcome": kind,
                "variant": variant,
                TEXT: texts[TEXT][place],
                MARKS: json.dumps(marks[place], ensure_ascii=False),
                PEERS: json.dumps(others, ensure_ascii=False) if others else None,
            }


def _count_marks(spans: pl.DataFrame, place: int) -> str:
    return count_words(int((spans[PLACE] == place).sum()), "violation", "violations")


def _marks_by_place(
    data: ScoredCheckers, checker: CheckerResult, variant: str, places: Sequence[int]
) -> dict[int, list[dict[str, Any]]]:
    """The violations of both sides in some texts: the match that each is in, and its score; else what failed."""
    matches, sides = checker.tables[variant, MATCHES].with_row_index("match", offset=1), []
    for side, name, spans in (("true", "truth", data.truth), ("predicted", "predicted", checker.spans)):
        said = pl.col(*TEXT_PARTS, INVENTED).cast(pl.String)
        rows = spans.select(PLACE, pl.int_range(pl.len()).alias(name), pl.lit(side).alias("side"), "start", "end", said)
        rows = rows.filter(pl.col(PLACE).is_in(places))
        for more in (matches.select(name, "match", "score"), checker.tables[variant, name]):
            rows = rows.join(more, on=name, how="left", maintain_order="left")
        sides.append(rows.drop(name))
    marks = pl.concat(sides).sort("match", nulls_last=True, maintain_order=True)
    return marks.rows_by_key(PLACE, named=True)


def missed_by_all(data: ScoredCheckers) -> pl.DataFrame:
    """True violations that at least two checkers looked for and none found, by the first variant."""
    variant = next(iter(data.rules))
    sought = pl.concat(
        data.truth.select(PLACE, "start", "end", "rule", "category")
        .with_columns(
            pl.int_range(pl.len()).is_in(checker.tables[variant, MATCHES]["truth"].implode()).alias("found"),
            judge=pl.lit(checker.name),
        )
        .filter(checker.in_counted_texts(data.truth))
        for checker in data.checkers
    )
    spans = sought.group_by(PLACE, "start", "end", "rule", "category", maintain_order=True).agg(
        pl.col("found").any(), pl.col("judge").n_unique().cast(pl.Int64).alias(JUDGES)
    )
    missed = first_hard_items(spans.filter(~pl.col("found"), pl.col(JUDGES) > 1))
    texts = data.marked.texts.select(pl.col(ID).alias("item"), TEXT)[missed[PLACE]]
    words = pl.col(TEXT).str.slice(pl.col("start"), pl.col("end") - pl.col("start")).alias("words")
    every = pl.concat([texts, missed], how="horizontal").select(
        "item", words, "rule", "category", JUDGES, *{TOTAL} & {*missed.columns}
    )
    used = [name for name in every.columns if every[name].null_count() < max(every.height, 1)]
    return every.select(used).cast({pl.Categorical: pl.String})
