"""The outcome of each vote against the reference's: a row per pair and annotator.

| part | outcome | when |
|---|---|---|
| vote | agree, disagree | both votes are valid |
| vote | annotator_only, reference_only | only one of them is |
| vote | undecided | neither is, but both annotate the pair |
| vote | missing | one of them does not annotate it, or was asked and did not answer |
| swap | same_text, other_text | whether two pairs of the same texts in either order have the same verdict |
| swap | undecided | one of the two votes does not count |
| orders | both_right, rather_right, level, rather_wrong, both_wrong | how the two votes compare with the reference's |
| orders | undecided | one of the two votes, or the reference's, does not count |

With `labels` all, ties count in rows of swaps and orders too.

Behind the key columns stand `longer`, which text has more characters, as a vote, and in rows of swaps `swapped`, the
pair with the same texts in the other order, whose vote is the reference label.
"""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from adjudge.evaluations.annotations import metrics
from adjudge.readers.column_names import VOTES as WORDS
from adjudge.readers.column_names import joined_key
from adjudge.readers.label_values import is_abstention, side_word
from adjudge.readers.pairs.pairs import SIDE_VOTES
from adjudge.schemas.outcomes import first_match, outcomes_frame
from adjudge.schemas.pairs import CODE, NOT_GIVEN, VALID, VOTES, Annotator, PeersByAnnotator

LONGER_VOTE = "vote:style:longer"
"""The column of codes of votes for the longer text."""

_OURS, _THEIRS, _OTHER, _OTHER_REFERENCE = "__ours__", "__theirs__", "__other__", "__other_reference__"


def outcomes(pairs: pl.LazyFrame, beside: PeersByAnnotator, keys: Sequence[str]) -> list[pl.LazyFrame]:
    """The outcomes of a batch of pairs, in any order: a frame for each annotator and reference.

    pairs: pair, cluster (may be null), the columns of votes, LONGER_VOTE, and the key columns. beside: the references,
    each with the annotators to compare with it.
    """
    batch = pairs.with_columns(
        vote_word(pl.col(LONGER_VOTE)).alias(metrics.LONGER), pl.lit(None, pl.String).alias(metrics.SWAPPED)
    )
    columns = _outcome_columns(metrics.VOTE, outcome_of(pl.col(_OURS), pl.col(_THEIRS)))
    return [_outcomes_of(batch, *two, columns, keys) for two in comparisons(beside)]


def swap_outcomes(
    pairs: pl.LazyFrame, swaps: pl.DataFrame, beside: PeersByAnnotator, labels: str, keys: Sequence[str]
) -> list[pl.LazyFrame]:
    """The outcomes of pairs whose texts occur in both orders. swaps: the names of both pairs, first and second.

    labels: which votes count, valid or all.
    """
    first = pairs.join(swaps.lazy(), left_on="pair", right_on="first", maintain_order="right")
    vote, other_vote, trusted = pl.col(_OURS), pl.col(_OTHER), (pl.col(_THEIRS), pl.col(_OTHER_REFERENCE))
    swap = _outcome_columns(metrics.SWAP, swap_outcome(vote, other_vote, labels), other_vote)
    orders = _outcome_columns(metrics.ORDERS, orders_outcome((vote, other_vote), trusted, labels))
    frames, compared = [], set[Annotator]()
    for annotator, reference in comparisons(beside):
        votes = {_OTHER: pl.col(annotator.column), _OTHER_REFERENCE: pl.col(reference.column)}
        other = pairs.select(pl.col("pair").alias("second"), **votes)
        both = first.join(other, on="second", maintain_order="left").with_columns(
            pl.col("second").alias(metrics.SWAPPED), pl.lit(None, pl.String).alias(metrics.LONGER)
        )
        if annotator not in compared:
            compared.add(annotator)
            frames.append(_outcomes_of(both, annotator, annotator, swap, keys))
        if annotator != reference:
            frames.append(_outcomes_of(both, annotator, reference, orders, keys))
    return frames


def comparisons(beside: PeersByAnnotator) -> list[tuple[Annotator, Annotator]]:
    """Each annotator with each reference that it is compared with."""
    return [(annotator, reference) for reference, annotators in beside.items() for annotator in annotators]


def _outcome_columns(part: str, outcome: pl.Expr, reference_vote: pl.Expr | None = None) -> Mapping[str, pl.Expr]:
    """The columns of outcomes as expressions of the columns that `_outcomes_of` names; shared by all annotators.

    reference_vote: the vote that theirs is compared with, by default the reference's.
    """
    return {
        "item": pl.col("pair"),
        **{name: pl.col(name) for name in ("cluster", "judge", "reference")},
        "part": pl.lit(part),
        "label": vote_word(pl.col(_OURS)),
        "reference_label": vote_word(pl.col(_THEIRS) if reference_vote is None else reference_vote),
        "outcome": outcome,
    }


def _outcomes_of(
    batch: pl.LazyFrame, annotator: Annotator, reference: Annotator, columns: Mapping[str, pl.Expr], keys: Sequence[str]
) -> pl.LazyFrame:
    """The outcomes of an annotator against a reference."""
    votes = batch.with_columns(
        pl.lit(annotator.id).alias("judge"),
        pl.lit(reference.id).alias("reference"),
        pl.col(annotator.column).alias(_OURS),
        pl.col(reference.column).alias(_THEIRS),
    )
    return outcomes_frame(columns, votes, [*keys, metrics.LONGER, metrics.SWAPPED])


def vote_word(code: pl.Expr) -> pl.Expr:
    """A vote as outcomes name it."""
    return code.replace_strict(range(len(VOTES)), VOTES, default=None, return_dtype=pl.String)


def outcome_of(vote: pl.Expr, reference: pl.Expr) -> pl.Expr:
    """The outcome of a vote against the reference's, both given as codes."""
    valid, reference_valid = vote.is_in(VALID), reference.is_in(VALID)
    cases = {
        "agree": valid & reference_valid & (vote == reference),
        "disagree": valid & reference_valid,
        "missing": vote.is_in(NOT_GIVEN) | reference.is_in(NOT_GIVEN),
        "annotator_only": valid,
        "reference_only": reference_valid,
    }
    return first_match(cases, _UNDECIDED, pl.String())


def swap_outcome(vote: pl.Expr, other: pl.Expr, labels: str) -> pl.Expr:
    """The outcome of an annotator's votes on the same texts in either order, given as codes."""
    counted = _label_codes(labels)
    both = vote.is_in(counted) & other.is_in(counted)
    return first_match(
        {metrics.SAME: both & (vote == _swap_sides(other)), metrics.OTHER: both}, _UNDECIDED, pl.String()
    )


def orders_outcome(votes: tuple[pl.Expr, pl.Expr], reference_votes: tuple[pl.Expr, pl.Expr], labels: str) -> pl.Expr:
    """The outcome of an annotator's votes on the same texts in both orders against the reference's, all as codes.

    Where the reference has judged one order alone, its vote there counts for the other one too.
    """
    counted = _label_codes(labels)
    first, second = reference_votes
    gold = _vote_or_swapped(first, second), _vote_or_swapped(second, first)
    both = pl.all_horizontal(one.is_in(counted) for one in (*votes, *gold))
    rights = pl.lit(0)
    for vote, right in zip(votes, gold, strict=True):
        level = ~vote.is_in(VALID) & right.is_in(VALID)
        rights += pl.when(vote == right).then(1).when(level).then(0).otherwise(-1)
    words = zip(metrics.ORDERS_OUTCOMES, range(2, -3, -1), strict=True)
    return first_match({word: both & (rights == points) for word, points in words}, _UNDECIDED, pl.String())


def _label_codes(labels: str) -> list[int]:
    """The codes of the votes that count."""
    return [CODE[vote] for vote in metrics.LABELS[labels]]


def _swap_sides(vote: pl.Expr) -> pl.Expr:
    """The equivalent vote when the two texts change places."""
    a, b = VALID
    return pl.when(vote == a).then(b).when(vote == b).then(a).otherwise(vote)


def _vote_or_swapped(vote: pl.Expr, other: pl.Expr) -> pl.Expr:
    """The vote, or where it is missing the equivalent of the vote in the other order."""
    return pl.when(vote.is_in(NOT_GIVEN)).then(_swap_sides(other)).otherwise(vote)


_UNDECIDED = "undecided"


# --- the votes that the words and numbers of a table mean ---

TEXT_A, TEXT_B, TIE = "text_a", "text_b", "both"
_NUMBERS = ("1 2", "0 1", "1 2 0", "1 2 3", "1 -1 0")
"""Numbers that mean the first response, the second and a tie if a column has no other values; the first list counts."""


def votes_meant(values: Iterable[str], side: str) -> dict[str, str]:
    """Value -> its vote, without missing ones; empty if a value has none. side: the word for the first response.

    >>> votes_meant(["Left", "tie", "skip"], ""), votes_meant(["1", "2", "tie"], "1"), votes_meant(["good"], "")
    ({'Left': 'text_a', 'tie': 'both'}, {'1': 'text_a', '2': 'text_b', 'tie': 'both'}, {})
    """
    distinct = dict.fromkeys(value for value in values if not is_abstention(value))
    numbers = next((each for each in _NUMBERS if distinct.keys() <= {*each.split()}), "")
    known = dict(zip(numbers.split(), (TEXT_A, TEXT_B, TIE), strict=False))
    votes = {value: known.get(value) or _vote(value, side) for value in distinct}
    return votes if all(votes.values()) and {TEXT_A, TEXT_B} & {*votes.values()} else {}


def are_usual(votes: Mapping[str, str]) -> bool:
    """Whether the values are the usual ones for their votes."""
    return all({"a": TEXT_A, "b": TEXT_B}.get(value, value) == vote for value, vote in votes.items())


def _vote(value: str, side: str) -> str:
    """The vote that a word means, as pairs are read; empty for others."""
    if side == "1" and value in ("1", "2"):
        return TEXT_A if value == side else TEXT_B
    known = (vote for vote, synonyms in WORDS.items() if joined_key(value) in synonyms)
    unclear = side == "0" and value[-1:].isdigit()
    return next(known, "" if unclear else SIDE_VOTES.get(side_word(value) or "", ""))
