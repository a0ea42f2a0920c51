"""Which pairs of violations are worth judging: those near the threshold first, then some of every score."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

import numpy as np
import polars as pl

from karat.evaluations.violations import matching
from karat.evaluations.violations.calibration import scores, values_of
from karat.evaluations.violations.matching import Pairs, Similarity
from karat.evaluations.violations.rules import Rule
from karat.evaluations.violations.spans import Floats, Integers, Spans, Words

NEAR = 0.1
"""How far from the threshold a score may be to count as near it."""

MOST_PER_TEXT = 3
"""Pairs of one text that are drawn, unless there are too few texts for that."""

_BINS = 10
_SPAN = ("start", "end", "rule", "category", "explanation", "correction")


def candidates(
    predicted: Spans, truth: Spans, words: Words, rule: Rule, similarities: Mapping[str, Similarity]
) -> pl.DataFrame:
    """All pairs of violations of one text that overlap, with their scores: each pair of contents once.

    rule: as it is applied, without parts that nobody gives. Returns place (of the text), predicted_PART and
    ground_truth_PART for start, end, rule ..., and score, in an order that does not depend on that of the violations.
    """
    found = []
    for p, t in matching.candidates(predicted, truth):
        pairs = matching.compared(predicted, truth, p, t)
        score = scores(values_of(pairs, predicted, truth, similarities, rule.parts), rule)
        found.append(_frame(pairs, predicted, truth, words, np.broadcast_to(score, len(pairs))))
    nothing = np.empty(0, np.int64)
    every = pl.concat(found or [_frame(Pairs(nothing, nothing, np.empty(0), {}), predicted, truth, words, np.empty(0))])
    return every.sort(_keys(every))


def _frame(pairs: Pairs, predicted: Spans, truth: Spans, words: Words, score: Floats) -> pl.DataFrame:
    """Pairs as a table, each pair of contents once."""
    columns = {"place": predicted.place[pairs.predicted], **_said("predicted", predicted, pairs.predicted, words)}
    frame = pl.DataFrame({**columns, **_said("ground_truth", truth, pairs.truth, words), "score": score})
    return frame.unique(_keys(frame), keep="first")


def _keys(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if name != "score"]


def _said(side: str, spans: Spans, rows: Integers, words: Words) -> dict[str, pl.Series]:
    found = {"start": pl.Series(spans.start[rows]), "end": pl.Series(spans.end[rows])}
    found |= {part: words.of(part, numbers[rows]) for part, numbers in spans.parts.items()}
    return {f"{side}_{name}": one for name, one in found.items()}


def drawn(places: Integers, score: Floats, threshold: float, count: int, *, seed: int = 0) -> list[int]:
    """Rows of pairs to judge, in random order: half of them near the threshold, the others evenly over scores.

    Half, rounded up, have a score within NEAR of the threshold; the rest come in turn from ten bins of the score, from
    0 to 1. Where one of these runs out, the other gives more. Of one text at most MOST_PER_TEXT are drawn, or
    count / texts where that is more.

    places: the text of each pair. score: of each, in [0, 1]. count: how many to draw, from 1.
    Returns at most `count` rows, each once; fewer where there are no more. The same for the same pairs and seed.
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(score))
    near = np.abs(score - threshold) <= NEAR
    most = max(MOST_PER_TEXT, ceil(count / max(len(np.unique(places)), 1)))
    taken: dict[int, int] = {}
    bins = np.minimum((score * _BINS).astype(np.int64), _BINS - 1)
    spread = list(_in_turn([order[bins[order] == number].tolist() for number in range(_BINS)]))
    first = _taken(order[near[order]].tolist(), ceil(count / 2), places, taken, most)
    already = set(first)
    rest = _taken([row for row in spread if row not in already], count - len(first), places, taken, most)
    chosen = [*first, *rest]
    found: list[int] = np.array(chosen, np.int64)[generator.permutation(len(chosen))].tolist()
    return found


def _in_turn(several: Sequence[Sequence[int]]) -> Iterator[int]:
    """One of each list in turn, until all have run out."""
    for turn in range(max(map(len, several), default=0)):
        yield from (one[turn] for one in several if turn < len(one))


def _taken(rows: Sequence[int], count: int, places: Integers, taken: dict[int, int], most: int) -> list[int]:
    """The first rows of texts of which no more than `most` are taken; `taken` counts on."""
    found: list[int] = []
    for row in rows:
        if len(found) == count:
            break
        place = int(places[row])
        if taken.get(place, 0) < most:
            taken[place] = taken.get(place, 0) + 1
            found.append(row)
    return found


def as_records(frame: pl.DataFrame, texts: pl.DataFrame, *, show_score: bool = False) -> list[dict[str, object]]:
    """Pairs as they are written for judging: id, text, both violations, the score if asked for, same and judge empty.

    frame: rows of `candidates`. texts: id and text by place. Each violation also says what it quotes (context), where
    the text is known; parts that it does not say are left out.
    """
    found: list[dict[str, object]] = []
    for row in frame.iter_rows(named=True):
        name, text = texts.row(row["place"])[:2]
        record: dict[str, object] = {"id": name, "text": text}
        record |= {side: _violation(row, side, text) for side in ("predicted", "ground_truth")}
        record |= {"score": row["score"]} if show_score else {}
        found.append(record | {"same": None, "judge": None})
    return found


def _violation(row: Mapping[str, object], side: str, text: str | None) -> dict[str, object]:
    said = {name: row[f"{side}_{name}"] for name in _SPAN if row[f"{side}_{name}"] is not None}
    start, end = said["start"], said["end"]
    if text is None or not (isinstance(start, int) and isinstance(end, int)) or start == end:
        return said
    return {"start": start, "end": end, "context": text[start:end]} | said
