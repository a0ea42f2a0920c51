"""Votes in cells of tables: which values mean which vote, and what is none."""

from collections.abc import Mapping, Sequence

import polars as pl

from adjudge.errors import OptionError, nearest
from adjudge.schemas.columns import CellRule
from adjudge.schemas.pairs import CODE, VOTES

VALUES: Mapping[str, int] = {**CODE, "a": CODE["text_a"], "b": CODE["text_b"]}
"""What a vote may look like where nobody says otherwise."""


def vote_codes(values: Mapping[str, Sequence[str]] | None) -> Mapping[str, int]:
    """Value -> code, from vote -> values as a user gives them; VALUES where none are given.

    Raises OptionError for an unknown vote, and for a value that stands for two.
    """
    if not values:
        return VALUES
    found: dict[str, int] = {}
    for vote, texts in values.items():
        if vote not in CODE:
            known = ", ".join(VOTES)
            raise OptionError(f'vote_values: expected one of {known}; got "{vote}"{nearest(vote, VOTES)}')
        for text in texts:
            if found.setdefault(text, CODE[vote]) != CODE[vote]:
                raise OptionError(f'vote_values: "{text}" stands for {VOTES[found[text]]} and for {vote}')
    return found


_MODELS = ("model_a", "model_b")


def votes_for_models(
    frame: pl.DataFrame, columns: Sequence[str], values: Mapping[str, int]
) -> tuple[pl.DataFrame, Mapping[str, int]]:
    """Columns of votes in which the name of one of a pair's models is a vote for its text, and what values then mean.

    A value that means a vote by itself is that vote, whatever models are called.
    """
    if not set(_MODELS) <= set(frame.columns):
        return frame, values
    differ = pl.col(_MODELS[0]) != pl.col(_MODELS[1])
    for column in columns:
        named = differ & ~pl.col(column).is_in(list(values))
        first, second = (named & (pl.col(column) == pl.col(model)) for model in _MODELS)
        meant = pl.when(first).then(pl.lit("text_a")).when(second).then(pl.lit("text_b")).otherwise(column)
        frame = frame.with_columns(meant.alias(column))
    return frame, {**values, **{side: CODE[side] for side in ("text_a", "text_b") if side not in values}}


def vote_code(column: str, values: Mapping[str, int]) -> pl.Expr:
    """A column of votes as codes; null where it holds nothing, or none of the values that mean a vote."""
    texts = (pl.col(column), pl.col(column).str.strip_suffix(".0"))
    return pl.coalesce(text.replace_strict(values, default=None, return_dtype=pl.UInt8) for text in texts)


def vote_rule(column: str, values: Mapping[str, int]) -> CellRule:
    """A cell holds a vote or nothing."""
    broken = pl.col(column).is_not_null() & vote_code(column, values).is_null()
    return CellRule(column, broken, f"one of {', '.join(values)}", values)
