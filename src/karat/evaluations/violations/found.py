"""Matches of every checker: one after the other in this process, or shared out among workers some texts at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from karat.evaluations.violations.likeness import SIMILARITIES, Similarities, likeness_of, similarities_of
from karat.evaluations.violations.matching import Sides, matches, with_categories
from karat.evaluations.violations.nearly import nearly
from karat.evaluations.violations.rows import OVERLAP
from karat.evaluations.violations.rules import ALONE, Rule
from karat.figures.parts import Workers
from karat.schemas.violations import PLACE, TEXT_PARTS

TEXTS_AT_ONCE = 20_000
"""Texts whose violations are matched at once, where they are shared out."""

_WORDS = {"jaccard"}
"""Similarities that need no model, so that any process can work them out."""

Both = tuple[pl.DataFrame, pl.DataFrame]
"""What one checker marks, and what is true for it; see `with_categories`."""


@dataclass(frozen=True, eq=False)
class Found:
    """The matches of one checker. matches: variant -> pairs. near: variant -> side -> near misses (see `nearly`)."""

    matches: Mapping[str, pl.DataFrame]
    near: Mapping[str, Mapping[str, pl.DataFrame]]


Find = Callable[[Sequence[Both], Mapping[str, Rule]], list[Found]]
"""Matches each checker by all rules."""


def finding(options: Mapping[str, Any], similarities: Similarities, workers: Workers) -> Find:
    """How checkers are matched: by other processes, if there are any, unless texts are compared by a model."""
    specs = {name: options[name] for name in SIMILARITIES.values()}
    if workers.elsewhere and _WORDS.issuperset(specs.values()):
        return partial(shared_out, specs, workers)
    return partial(in_turn, similarities)


def in_turn(similarities: Similarities, checkers: Sequence[Both], rules: Mapping[str, Rule]) -> list[Found]:
    """One checker after the other; the similarity of two texts is worked out once for all of them."""
    alike = similarities_of(checkers[0][0], similarities, rules.values())
    return [_found(Sides(*both, alike), rules) for both in checkers]


def shared_out(
    specs: Mapping[str, str], workers: Workers, checkers: Sequence[Both], rules: Mapping[str, Rule]
) -> list[Found]:
    """The matches of each checker, some texts at a time on workers. specs: option -> similarity."""
    cut = [[*_cut(both)] for both in checkers]
    pieces = [piece for own in cut for piece in own]
    done = iter(workers.pieces("matching", partial(_of_piece, specs, rules), pieces))
    return [_together([next(done) for _ in own]) for own in cut]


@dataclass(frozen=True, eq=False)
class _Piece:
    """The violations of some texts, and the number of rows of either side before them."""

    both: Both
    before: tuple[int, int]


def _cut(both: Both) -> Iterator[_Piece]:
    plain = [side.cast(dict.fromkeys(TEXT_PARTS, pl.String)) for side in both]
    texts = 1 + max(int(side[PLACE].max() or 0) for side in plain)  # type: ignore[arg-type]
    for first in range(0, texts, TEXTS_AT_ONCE):
        ends = [np.searchsorted(side[PLACE], (first, first + TEXTS_AT_ONCE)) for side in plain]
        predicted, truth = (side[start:end] for side, (start, end) in zip(plain, ends, strict=True))
        yield _Piece((predicted, truth), (int(ends[0][0]), int(ends[1][0])))


def _of_piece(specs: Mapping[str, str], rules: Mapping[str, Rule], piece: _Piece) -> Found:
    """The matches in some texts, with row numbers among all violations."""
    predicted, truth = with_categories(piece.both)
    alike = similarities_of(truth, likeness_of({**specs, "base_url": None}), rules.values())
    matched = _found(Sides(predicted, truth, alike), rules)
    rows = [pl.col(f"^{side}$") + before for side, before in zip(("predicted", "truth"), piece.before, strict=True)]
    return Found(
        {name: pairs.with_columns(rows) for name, pairs in matched.matches.items()},
        {name: {one: rest.with_columns(rows) for one, rest in own.items()} for name, own in matched.near.items()},
    )


def _together(parts: Sequence[Found]) -> Found:
    first = parts[0]
    return Found(
        {name: pl.concat([part.matches[name] for part in parts]) for name in first.matches},
        {
            name: {side: pl.concat([part.near[name][side] for part in parts]) for side in by_side}
            for name, by_side in first.near.items()
        },
    )


def _found(sides: Sides, rules: Mapping[str, Rule]) -> Found:
    pairs = matches(sides, {**rules, OVERLAP: ALONE})
    return Found(pairs, {variant: nearly(sides, rule, pairs[variant]) for variant, rule in rules.items()})
