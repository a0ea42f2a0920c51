"""What is found of one kind of bias, and what its rows are called."""

from collections.abc import Sequence
from dataclasses import dataclass

from karat.figures.tables import Keys

BIAS = ("bias", "of")
"""Key columns: the kind of bias, and what is preferred."""
SHARES = ("judge_share", "people_share", "bias")
SCALE = ("judge_scale", "people_scale", "scale_bias")
"""The judge's figure, people's, and the judge's less people's: of shares, and in the unit of the labels."""


@dataclass(frozen=True, eq=False)
class Found:
    """Rows of the tables of biases, without p_adjusted.

    rows: of shares. scale: in the unit of the labels. orders: of what is judged in both orders. lacks: what nothing is
    known of, with the option that would tell. notes: what else must be known.
    """

    rows: Sequence[Keys] = ()
    scale: Sequence[Keys] = ()
    orders: Sequence[Keys] = ()
    lacks: Sequence[str] = ()
    notes: Sequence[str] = ()
