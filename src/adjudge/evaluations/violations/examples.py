"""Texts as examples, with all that either side marks in them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
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
"""Column of examples: JSON, a list of violations: side (predicted, true), start, end, match (a number that both sides
of a match share, from 1, else null), score, what failed where there is no match and by how much the score is short, and
what it says. Without start and end, it quotes what is invented."""

_FAILED = ("failed", "short")
_COUNTED = ("violation", "violations")
_COLUMNS = ("item", "judge", "reference", "part", "label", "reference_label", "outcome", "variant", TEXT, MARKS, PEERS)
_SAID = ("start", "end", *TEXT_PARTS, INVENTED)
_MOST = 8
"""The most other checkers shown for an example."""

_Row = Mapping[str, Any]
_Sides = Mapping[str, Sequence[_Row]]


def examples(data: ScoredCheckers, count: int, seed: int) -> pl.DataFrame:
    """Up to `count` texts of each kind for each checker, drawn at random; matches are those of the first variant."""
    draw = np.random.default_rng(seed)
    kinds = list(EVALUATION.outcomes)

    missed = missed_by_all(data)["item"].unique(maintain_order=True).head(count)
    hard = data.marked.texts[ID].is_in(missed.implode()).arg_true().to_numpy()

    def choose(places: Integers, checker: CheckerResult) -> Iterable[int]:
        of_kind = draw.permutation(places)
        first = hard[np.isin(hard, of_kind)] if checker is data.checkers[0] else hard[:0]
        return dict.fromkeys([*of_kind[:count], *first])

    rows = sorted(_example_rows(data, choose), key=lambda row: kinds.index(row["outcome"] or ""))
    return typed_table(rows, _COLUMNS)


def example_of(data: ScoredCheckers, item: str) -> pl.DataFrame:
    """A text, as examples are, for each checker that saw it; none where neither side marks anything."""
    place = data.marked.texts[ID].index_of(item)

    def of_item(places: Integers, _: CheckerResult) -> Iterable[int]:
        return [place] if place is not None and place in places else []

    return typed_table([*_example_rows(data, of_item)], _COLUMNS)


def _example_rows(
    data: ScoredCheckers, chosen: Callable[[Integers, CheckerResult], Iterable[int]]
) -> Iterator[dict[str, str | None]]:
    """Texts as examples, checker by checker. chosen: takes the places of those of a kind, and the checker."""
    variant = next(iter(data.rules))
    sides = {one.name: _matched_spans(one, variant) for one in data.checkers}
    for checker in data.checkers:
        marked = pl.col("predicted") + pl.col("true") > 0
        own_rows = data.rows.filter(checker=checker.name, variant=variant, **{KIND: MATCHED})
        counted = checker.marked.counted_texts
        places = np.arange(data.texts.height) if counted is None else counted.arg_true().to_numpy()
        kinds = own_rows.select(pl.when(marked).then(VIEW.outcome)).to_series()
        wanted = [
            (kind, int(place))
            for kind in EVALUATION.outcomes
            for place in chosen(places[kinds.eq_missing(kind).arg_true().to_numpy()], checker)
        ]
        at = [place for _, place in wanted]
        marks = {name: {side: _by_place(spans, at) for side, spans in own.items()} for name, own in sides.items()}
        for kind, place in wanted:
            here = {name: {side: rows[place] for side, rows in own.items()} for name, own in marks.items()}
            yield _example_row(data, checker, kind, place, here)


def _matched_spans(checker: CheckerResult, variant: str) -> dict[str, pl.DataFrame]:
    """The violations of either side with the match that each is in, and its score; else with what failed."""
    matched, sides = checker.tables[variant, MATCHES].with_row_index("match"), {}
    for side, name, spans in (("true", "truth", checker.truth), ("predicted", "predicted", checker.spans)):
        rows = spans.with_row_index(name).cast({name: pl.Int64})
        for more in (matched.select(name, "match", "score"), checker.tables[variant, name].select(name, *_FAILED)):
            rows = rows.join(more, on=name, how="left", maintain_order="left")
        sides[side] = rows
    return sides


def _by_place(spans: pl.DataFrame, places: Sequence[int]) -> dict[int, list[_Row]]:
    """The violations in some texts, text by text."""
    by_place = spans.filter(pl.col(PLACE).is_in(places)).rows_by_key(PLACE, named=True, include_key=True)
    return {place: [*by_place.get(place, [])] for place in places}


def missed_by_all(data: ScoredCheckers) -> pl.DataFrame:
    """True violations that at least two checkers looked for and none found, by the first variant."""
    variant = next(iter(data.rules))
    sought = pl.concat(
        checker.truth.select(PLACE, "start", "end", "rule", "category")
        .with_columns(
            pl.int_range(pl.len()).is_in(checker.tables[variant, MATCHES]["truth"].implode()).alias("found"),
            judge=pl.lit(checker.name),
        )
        .filter(checker.in_counted_texts(checker.truth))
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


def _example_row(
    data: ScoredCheckers, checker: CheckerResult, kind: str, place: int, marks: Mapping[str, _Sides]
) -> dict[str, str | None]:
    """A text as an example. marks: checker -> side -> its violations there.

    The marks of both sides stand with matches first, numbered from 1, then what is alone. Those of other checkers that
    saw the text: start, end, and the place of the matched true violation among those shown.
    """
    here = marks[checker.name]
    columns = ("start", "end", "match", *TEXT_PARTS, INVENTED, "score", *_FAILED)
    every = [{"side": side, **{name: row[name] for name in columns}} for side, rows in here.items() for row in rows]
    matches = sorted({row["match"] for row in every if row["match"] is not None})
    numbers = {match: number for number, match in enumerate(matches, 1)}
    numbered = sorted(
        ({**row, "match": numbers.get(row["match"])} for row in every), key=lambda row: row["match"] or len(every) + 1
    )
    true = [{name: row[name] for name in _SAID} for row in numbered if row["side"] == "true"]
    seen_by = [one for one in data.checkers if one.marked.counted_texts is None or one.marked.counted_texts[place]]
    others = []
    for name in islice((one.name for one in seen_by if one is not checker), _MOST):
        truths = {row["match"]: {column: row[column] for column in _SAID} for row in marks[name]["true"]}
        spans = []
        for row in marks[name]["predicted"]:
            truth = None if row["match"] is None else truths[row["match"]]
            if row["start"] is not None:
                spans.append((row["start"], row["end"], true.index(truth) if truth in true else None))
        others.append({"judge": name, "label": count_words(len(spans), *_COUNTED), "spans": spans})
    return {
        "item": data.marked.texts[ID][place],
        "judge": checker.name,
        "reference": data.marked.name,
        "part": None,
        "label": count_words(len(here["predicted"]), *_COUNTED),
        "reference_label": count_words(len(here["true"]), *_COUNTED),
        "outcome": kind,
        "variant": next(iter(data.rules)),
        TEXT: data.marked.texts[TEXT][place],
        MARKS: json.dumps(numbered, ensure_ascii=False),
        PEERS: json.dumps(others, ensure_ascii=False) if others else None,
    }
