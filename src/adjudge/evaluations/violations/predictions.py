"""Matches of every checker: one after the other in this process, or shared out among workers some texts at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from adjudge.evaluations.violations.match_settings import ALONE, MatchRule
from adjudge.evaluations.violations.near_misses import find_near_misses
from adjudge.evaluations.violations.options import SimilarityOptions
from adjudge.evaluations.violations.rows import OVERLAP
from adjudge.evaluations.violations.similarity_cache import Similarities, likeness_of, similarities_of
from adjudge.evaluations.violations.span_matching import SpanSides, match_spans, with_shared_categories
from adjudge.metrics.partial_counts import Workers
from adjudge.schemas.violations import PLACE, TEXT_PARTS

TEXTS_AT_ONCE = 20_000
"""Texts whose violations are matched at once, where they are shared out."""

_WORDS = {"jaccard"}
"""Similarities that need no model, so that any process can work them out."""

MarksAndTruth = tuple[pl.DataFrame, pl.DataFrame]
"""What one checker marks, and what is true for it; see `with_shared_categories`."""


@dataclass(frozen=True, eq=False)
class CheckerMatches:
    """The matches of one checker. matches: variant -> pairs. near: variant -> side -> near misses (see `nearly`)."""

    matches: Mapping[str, pl.DataFrame]
    near_misses: Mapping[str, Mapping[str, pl.DataFrame]]


Matcher = Callable[[Sequence[MarksAndTruth], Mapping[str, MatchRule]], list[CheckerMatches]]
"""Matches each checker by all rules."""


def matcher_for(options: SimilarityOptions, similarities: Similarities, workers: Workers) -> Matcher:
    """How checkers are matched: by other processes, if there are any, unless texts are compared by a model."""
    if workers.remote and _WORDS.issuperset((options.rule_similarity, options.text_similarity)):
        return partial(match_in_pieces, SimilarityOptions.of(options.values()), workers)
    return partial(match_in_turn, similarities)


def match_in_turn(
    similarities: Similarities, checkers: Sequence[MarksAndTruth], rules: Mapping[str, MatchRule]
) -> list[CheckerMatches]:
    """One checker after the other; the similarity of two texts is worked out once for all of them."""
    alike = similarities_of(checkers[0][0], similarities, rules.values())
    return [_match_sides(SpanSides(*both, alike), rules) for both in checkers]


def match_in_pieces(
    options: SimilarityOptions, workers: Workers, checkers: Sequence[MarksAndTruth], rules: Mapping[str, MatchRule]
) -> list[CheckerMatches]:
    """The matches of each checker, some texts at a time on workers."""
    cut = [[*_cut_pieces(both)] for both in checkers]
    pieces = [piece for own in cut for piece in own]
    done = iter(workers.pieces("matching", partial(_match_piece, options, rules), pieces))
    joined = []
    for parts in ([next(done) for _ in own] for own in cut):
        matches = {name: pl.concat([part.matches[name] for part in parts]) for name in parts[0].matches}
        near_misses = {
            name: {side: pl.concat([part.near_misses[name][side] for part in parts]) for side in by_side}
            for name, by_side in parts[0].near_misses.items()
        }
        joined.append(CheckerMatches(matches, near_misses))
    return joined


_TextPiece = tuple[MarksAndTruth, tuple[int, int]]
"""The violations of some texts, and the number of rows of either side before them."""


def _cut_pieces(both: MarksAndTruth) -> Iterator[_TextPiece]:
    plain = [side.cast(dict.fromkeys(TEXT_PARTS, pl.String)) for side in both]
    texts = 1 + max(int(side[PLACE].max() or 0) for side in plain)  # type: ignore[arg-type]
    for first in range(0, texts, TEXTS_AT_ONCE):
        ends = [np.searchsorted(side[PLACE], (first, first + TEXTS_AT_ONCE)) for side in plain]
        predicted, truth = (side[start:end] for side, (start, end) in zip(plain, ends, strict=True))
        yield (predicted, truth), (int(ends[0][0]), int(ends[1][0]))


def _match_piece(options: SimilarityOptions, rules: Mapping[str, MatchRule], piece: _TextPiece) -> CheckerMatches:
    """The matches in some texts, with row numbers among all violations."""
    marks, rows_before = piece
    predicted, truth = with_shared_categories(marks)
    alike = similarities_of(truth, likeness_of(options), rules.values())
    matched = _match_sides(SpanSides(predicted, truth, alike), rules)
    rows = [pl.col(f"^{side}$") + before for side, before in zip(("predicted", "truth"), rows_before, strict=True)]
    near_misses = {
        name: {side: misses.with_columns(rows) for side, misses in by_side.items()}
        for name, by_side in matched.near_misses.items()
    }
    return CheckerMatches({name: pairs.with_columns(rows) for name, pairs in matched.matches.items()}, near_misses)


def _match_sides(sides: SpanSides, rules: Mapping[str, MatchRule]) -> CheckerMatches:
    pairs = match_spans(sides, {**rules, OVERLAP: ALONE})
    near_misses = {variant: find_near_misses(sides, rule, pairs[variant]) for variant, rule in rules.items()}
    return CheckerMatches(pairs, near_misses)
