"""What a section of the card gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl


@dataclass(frozen=True, eq=False)
class Made:
    """The tables of a section, and its notes.

    tables: by name; none where the data do not hold what the section is about. notes: a line that then says what would,
    or what must be known of the figures.
    """

    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
