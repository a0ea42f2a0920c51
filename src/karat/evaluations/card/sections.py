"""The sections of the card, in their order.

A section is a module: METRICS, the figures that it adds; TABLES, name -> what each holds; and `made_of`, which takes
what was read and the options and gives its tables. Tables of figures have the key columns `by` and judge first.
"""

from collections.abc import Mapping
from typing import Any, Protocol, cast

from karat.about import Metric
from karat.evaluations.card import alternative, bias, ceiling, certainty, drift, equivalence, steadiness, worth
from karat.evaluations.card.reading import Read
from karat.evaluations.card.section import Made


class Section(Protocol):
    """What a module of a section declares."""

    METRICS: Mapping[str, Metric]
    TABLES: Mapping[str, str]

    def made_of(self, read: Read, options: Mapping[str, Any]) -> Made:
        """Its tables and notes."""


SECTIONS = cast(
    "tuple[Section, ...]",
    (
        ceiling,
        alternative,
        equivalence,
        bias,
        steadiness,
        certainty,
        drift,
        worth,
    ),
)
