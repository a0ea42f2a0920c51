"""Matches of every checker: in this process, or shared out among workers some texts at a time.

The similarity of what two violations say is computed once for each pair of different texts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.errors import OptionError
from adjudge.evaluations.violations.match_settings import ALONE, MatchRule, without_parts
from adjudge.evaluations.violations.metrics import OVERLAP
from adjudge.evaluations.violations.options import SimilarityOptions
from adjudge.evaluations.violations.span_matching import (
    Similarity,
    SpanSides,
    absent_parts,
    distinct_texts,
    find_near_misses,
    match_spans,
    share_categories,
)
from adjudge.metrics.cells import Floats, Integers
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.schemas.violations import PLACE, TEXT_PARTS
from adjudge.text import similarity as texts_similarity
from adjudge.text.similarity import embedder

_FEW = 500
"""Up to so many different texts, all pairs are computed in advance."""

Similarities = Mapping[str, Callable[[pl.Series], Similarity]]
"""Part -> what makes a similarity of its texts."""


def likeness_of(options: SimilarityOptions, workers: Workers = LOCAL_WORKERS) -> Similarities:
    """Part -> the function that computes similarities of its texts. base_url: of a server, if one is asked.

    workers: where local models work.
    """
    base_url, of_texts = options.base_url, options.text_similarity
    specs = {"rule": options.rule_similarity, "explanation": of_texts, "correction": of_texts}
    servers = {spec: base_url if spec.startswith("openai:") else None for spec in specs.values()}
    if base_url not in (None, *servers.values()):
        raise OptionError("is the address of a server, which neither similarity asks; leave it", option="base_url")
    embedded = partial(_embed, workers)
    made = {
        spec: texts_similarity.similarity(spec, base_url=server, embedded=embedded) for spec, server in servers.items()
    }
    return {part: partial(likeness, similarity=made[spec]) for part, spec in specs.items()}


def _embed(workers: Workers, model: str, texts: list[str]) -> NDArray[np.float32]:
    """Vectors of texts by a local model: texts of like length together, since a batch is as long as its longest."""
    order = sorted(range(len(texts)), key=lambda place: (len(texts[place]), texts[place]))
    some = _EMBEDDED_AT_ONCE if workers.remote else len(texts)
    pieces = [[texts[place] for place in order[start : start + some]] for start in range(0, len(texts), some)]
    found = np.concatenate(workers.map_loaded("embedding", partial(embedder, model), pieces))
    return found[np.argsort(order)]


_EMBEDDED_AT_ONCE = 2_000
"""Texts that are embedded at once by another process."""


@dataclass(frozen=True, eq=False)
class MatchSetup:
    """Violations to match, and how.

    tables: the violations of all sides (see `share_categories`). rules: as they are applied, without the parts
    that no violation has. absent: those of these parts that would weigh. similarities: part -> that of its texts.
    """

    tables: list[pl.DataFrame]
    rules: dict[str, MatchRule]
    absent: tuple[str, ...]
    similarities: dict[str, Similarity]


def set_up_matching(
    tables: Sequence[pl.DataFrame], rules: Mapping[str, MatchRule], similarities: Similarities
) -> MatchSetup:
    """All that matching by some rules takes."""
    shared = share_categories(tables)
    absent = absent_parts(shared[0])
    applied = {name: without_parts(rule, absent) for name, rule in rules.items()}
    weighed = tuple(part for part in absent if any(part in rule.weighted_parts for rule in rules.values()))
    return MatchSetup(shared, applied, weighed, similarities_of(shared[0], similarities, applied.values()))


def similarities_of(spans: pl.DataFrame, made: Similarities, rules: Iterable[MatchRule]) -> dict[str, Similarity]:
    """Similarities of the texts in all parts that rules look at. spans: of any side (see `share_categories`)."""
    wanted = {part for rule in rules for part in (*rule.weighted_parts, *(["rule"] if rule.rule >= 0 else []))}
    return {part: make(distinct_texts(spans, part)) for part, make in made.items() if part in wanted}


def likeness(texts: pl.Series, similarity: texts_similarity.Similarity) -> Similarity:
    """The similarity of texts by their numbers. texts: different ones, by number."""
    listed, size = texts.to_list(), len(texts)

    @cache
    def similarities() -> Floats:
        """The similarities of all pairs."""
        pairs = np.divmod(np.arange(size * size), size)
        return similarity(listed, *pairs).reshape(size, size)

    def of_numbers(first: Integers, second: Integers) -> Floats:
        """The similarities of some pairs."""
        if size <= _FEW:
            return similarities()[first, second]
        pairs, places = np.unique(first * size + second, return_inverse=True)
        found: Floats = similarity(listed, *np.divmod(pairs, size))[places]
        return found

    return of_numbers


TEXTS_AT_ONCE = 20_000
"""Texts whose violations are matched at once, where they are shared out."""

_WORDS = {"jaccard"}
"""Similarities that need no model, so that any process can work them out."""

MarksAndTruth = tuple[pl.DataFrame, pl.DataFrame]
"""What one checker marks, and what is true for it; see `share_categories`."""


MATCHES = "matches"
MatchTables = dict[tuple[str, str], pl.DataFrame]
"""What matching makes of one checker: (variant, MATCHES) -> pairs, (variant, side) -> near misses (`near_misses`)."""


def match_checkers(
    checkers: Sequence[MarksAndTruth], setup: MatchSetup, options: SimilarityOptions, workers: Workers
) -> list[MatchTables]:
    """The matches of each checker by all rules.

    Other processes find them, if there are any, some texts at a time, unless texts are compared by a model. Here, the
    similarity of two texts is worked out once for all checkers.
    """
    if not workers.remote or not _WORDS.issuperset((options.rule_similarity, options.text_similarity)):
        return [_match_sides(SpanSides(*both, setup.similarities), setup.rules) for both in checkers]
    cut = [[*_cut_pieces(both)] for both in checkers]
    match_piece = partial(_match_piece, SimilarityOptions.of(options.values()), setup.rules)
    done = iter(workers.pieces("matching", match_piece, [piece for own in cut for piece in own]))
    by_checker = ([next(done) for _ in own] for own in cut)
    return [{key: pl.concat([part[key] for part in parts]) for key in parts[0]} for parts in by_checker]


_TextPiece = tuple[MarksAndTruth, tuple[int, int]]
"""The violations of some texts, and the number of rows of either side before them."""


def _cut_pieces(both: MarksAndTruth) -> Iterator[_TextPiece]:
    plain = [side.cast(dict.fromkeys(TEXT_PARTS, pl.String)) for side in both]
    texts = 1 + max(int(side[PLACE].max() or 0) for side in plain)  # type: ignore[arg-type]
    for first in range(0, texts, TEXTS_AT_ONCE):
        ends = [np.searchsorted(side[PLACE], (first, first + TEXTS_AT_ONCE)) for side in plain]
        predicted, truth = (side[start:end] for side, (start, end) in zip(plain, ends, strict=True))
        yield (predicted, truth), (int(ends[0][0]), int(ends[1][0]))


def _match_piece(options: SimilarityOptions, rules: Mapping[str, MatchRule], piece: _TextPiece) -> MatchTables:
    """The matches in some texts, with row numbers among all violations."""
    marks, rows_before = piece
    predicted, truth = share_categories(marks)
    alike = similarities_of(truth, likeness_of(options), rules.values())
    rows = [pl.col(f"^{side}$") + before for side, before in zip(("predicted", "truth"), rows_before, strict=True)]
    tables = _match_sides(SpanSides(predicted, truth, alike), rules)
    return {key: table.with_columns(rows) for key, table in tables.items()}


def _match_sides(sides: SpanSides, rules: Mapping[str, MatchRule]) -> MatchTables:
    pairs = match_spans(sides, {**rules, OVERLAP: ALONE})
    tables = {(variant, MATCHES): matches for variant, matches in pairs.items()}
    for variant, rule in rules.items():
        near_misses = find_near_misses(sides, rule, pairs[variant])
        tables |= {(variant, side): misses for side, misses in near_misses.items()}
    return tables
