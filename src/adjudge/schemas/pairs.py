"""Pairs of responses with the votes of many annotators: the valid data set.

The frame has a row per pair: pair, prompt, text_a, text_b, model_a, model_b (text; only pair, text_a and
text_b are never null), length_a, length_b (characters, UInt32), the data set's own metadata columns
(text), and a column `vote:ID` per annotator (UInt8, never null) with the position of the vote in VOTES.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import xor

import polars as pl

from adjudge.schemas.outcomes import UNANSWERED

VOTES = ("missing", "text_a", "text_b", "both", "neither", "invalid", "not_applicable", *UNANSWERED)
"""The votes, in the order of their codes. Valid means text_a or text_b; missing means not annotated.

The last are the statuses of questions to a model that gave no vote; they count as missing."""

CODE = dict(zip(VOTES, range(len(VOTES)), strict=True))
VALID = (CODE["text_a"], CODE["text_b"])
NOT_GIVEN = (CODE["missing"], *map(CODE.__getitem__, UNANSWERED))

TEXTS = ("pair", "prompt", "text_a", "text_b", "model_a", "model_b")
LENGTHS = ("length_a", "length_b")
VOTE = "vote:"
"""Prefix of an annotator's id in the name of its column."""
TRAIT = "principle"
"""The type of annotators that vote by a trait of the text, such as politeness."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """An annotator. id: unique in the data set. name, description: for display. type: human, model, rule, TRAIT ..."""

    id: str
    name: str | None = None
    description: str | None = None
    type: str = "unknown"

    @property
    def column(self) -> str:
        """The name of the annotator's column of votes."""
        return VOTE + self.id


PeersByAnnotator = Mapping[Annotator, tuple[Annotator, ...]]
"""Reference -> the annotators compared with it."""


@dataclass(frozen=True)
class AnnotatedPairs:
    """A data set of annotated pairs.

    frame: as above; lazy, so that a large file is never in memory as a whole. default: the id of the default
    reference annotator, or None. metadata: the names of the metadata columns. prompts_repeat: whether several
    pairs share a prompt; None if unknown. models: the models of the responses; None if unknown.
    """

    name: str
    frame: pl.LazyFrame
    annotators: tuple[Annotator, ...]
    default: str | None = None
    metadata: tuple[str, ...] = ()
    prompts_repeat: bool | None = None
    models: tuple[str, ...] | None = None
    warnings: tuple[str, ...] = field(default=())

    @property
    def columns(self) -> list[str]:
        """The columns of the frame, in their order."""
        return [*TEXTS, *LENGTHS, *self.metadata, *(annotator.column for annotator in self.annotators)]

    @cached_property
    def swapped_pairs(self) -> pl.DataFrame:
        """The positions (first, second) of pairs in both orders: the same prompt, the same texts swapped."""
        names = ["prompt", "text_a", "text_b"]
        texts = self.frame.select(pl.col("prompt").fill_null(""), "text_a", "text_b").with_row_index("place")
        # Few pairs share their texts with another; only these are compared in full.
        texts = texts.filter(pl.reduce(xor, [pl.col(name).hash() for name in names]).is_duplicated())
        # Each repeat of a pair matches one pair in the other order, so that each counts once.
        texts = texts.with_columns(time=pl.col("place").cum_count().over(names))
        other = texts.rename({"text_a": "text_b", "text_b": "text_a"})
        both = texts.join(other, on=[*names, "time"]).filter(pl.col("place") < pl.col("place_right"))
        same = pl.col("text_a") != pl.col("text_b")
        return both.filter(same).select(first="place", second="place_right").sort("first", "second").collect()


def add_lengths(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The frame with the lengths of both responses, in characters (Unicode code points)."""
    lengths = {f"length_{side}": pl.col(f"text_{side}").str.len_chars().cast(pl.UInt32) for side in "ab"}
    return frame.with_columns(**lengths)
