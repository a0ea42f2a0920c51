"""Which pairs of violations are worth judging: half of them near the threshold, the others of every score."""

from collections.abc import Sequence
from math import ceil

import numpy as np
import polars as pl

from adjudge.errors import DataError
from adjudge.evaluations.violations.match_settings import MatchRule, without_parts
from adjudge.evaluations.violations.similarity_cache import Similarities, similarities_of
from adjudge.evaluations.violations.span_matching import (
    Floats,
    Integers,
    SpanSides,
    absent_parts,
    candidate_pairs,
    pair_scores,
    with_shared_categories,
    with_similarities,
)
from adjudge.schemas.violations import ID, PLACE, TEXT_PARTS, MarkedTexts

NEAR = 0.1
"""How far from the threshold a score may be to count as near it."""

MOST_PER_TEXT = 3
"""How many pairs of one text are drawn at most, unless there are too few texts for that."""

_BINS = 10
_SIDES = ("predicted", "ground_truth")
_KEYS = (PLACE, *_SIDES)
"""What tells pairs apart: two violations of one text."""


def pairs_to_judge(
    truth: MarkedTexts,
    checkers: Sequence[MarkedTexts],
    rule: MatchRule,
    similarities: Similarities,
    count: int,
    *,
    seed: int = 0,
    show_score: bool = False,
) -> tuple[list[dict[str, object]], int]:
    """Pairs as they are written for judging, and how many overlapping pairs they were drawn from (see `drawn`).

    Pairs that several checkers predict alike count once. Raises DataError where nothing overlaps.
    """
    true, *theirs = with_shared_categories([one.spans for one in (truth, *checkers)])
    applied = without_parts(rule, absent_parts(true))
    alike = similarities_of(true, similarities, [applied])
    batches = []
    for predicted in theirs:
        sides = SpanSides(predicted, true, alike)
        for pairs in candidate_pairs(sides, applied.most):
            score = pair_scores(with_similarities(applied.weighted_parts, pairs, sides), applied)
            both = (predicted[pairs["predicted"]], true[pairs["truth"]])
            contents = (side.drop(PLACE).to_struct(name) for name, side in zip(_SIDES, both, strict=True))
            batch = pl.DataFrame([both[0][PLACE], *contents, pl.Series("score", score)])
            batches.append(batch.unique(_KEYS, keep="first"))  # each pair of contents once
    frame = pl.concat(batches).unique(_KEYS, keep="first")
    frame = frame.with_columns(truth.texts[ID].gather(frame[PLACE])).sort(ID, *_KEYS).drop(ID)
    if frame.is_empty():
        raise DataError(f"{truth.name}: there is nothing to judge: no predicted violation overlaps a true one")
    rows = sample_pairs(frame[PLACE].to_numpy(), frame["score"].to_numpy(), applied.score, count, seed=seed)
    return as_records(frame[rows], truth.texts, show_score=show_score), frame.height


def sample_pairs(places: Integers, score: Floats, threshold: float, count: int, *, seed: int = 0) -> list[int]:
    """Rows of pairs to judge, in random order: half of them near the threshold, the others evenly over scores.

    Half, rounded up, have a score within NEAR of the threshold; the rest come in turn from ten bins of the score, from
    0 to 1. Where one of these runs out, the other gives more. At most MOST_PER_TEXT pairs of one text are drawn, or
    count / texts where that is more.

    places: the text of each pair. score: of each, in [0, 1]. count: how many to draw, from 1.
    Returns at most `count` rows, each once; fewer where there are no more. The same for the same pairs and seed.
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(score))
    most = max(MOST_PER_TEXT, ceil(count / max(len(np.unique(places)), 1)))
    frame = pl.DataFrame({"row": order, "place": places[order], "score": score[order]}).with_columns(
        near=(pl.col("score") - threshold).abs() <= NEAR,
        bin=(pl.col("score") * _BINS).floor().clip(upper_bound=_BINS - 1),
    )
    frame = frame.with_columns(turn=pl.int_range(pl.len()).over("bin"))
    few = pl.int_range(pl.len()).over("place") < most
    first = frame.filter("near").filter(few).head(ceil(count / 2))
    rest = frame.join(first, on="row", how="anti", maintain_order="left")
    chosen = pl.concat([first, rest.sort("turn", "bin")]).filter(few).head(count)["row"].to_list()
    return [chosen[place] for place in generator.permutation(len(chosen))]


def as_records(frame: pl.DataFrame, texts: pl.DataFrame, *, show_score: bool = False) -> list[dict[str, object]]:
    """Pairs as they are written for judging: id, text, both violations, the score if asked for, same and judge empty.

    frame: rows of _KEYS and score. texts: id and text by place. Each violation also says what it quotes (context) where
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
        record |= {"score": row["score"]} if show_score else {}
        records.append(record | {"same": None, "judge": None})
    return records
