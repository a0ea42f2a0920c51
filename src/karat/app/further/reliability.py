"""Annotators: which labels they give where others are right, and who disagrees with whom."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from karat.app import items, words
from karat.app.confusions import confusion, grid
from karat.app.grids import choosing
from karat.app.lists import look_at, one_of
from karat.app.results import Result
from karat.app.together import together
from karat.evaluations.reliability.disagreement import differing, disagreement
from karat.render.html import items_fragment

_MOST = 40
"""How many annotators are compared with one another."""


def _disagreement(result: Result) -> None:
    """On how many items each two annotators give different labels, and these items."""
    judges = result.report["annotators"]["annotator"].unique().sort().to_list()
    if len(judges) < 2:  # noqa: PLR2004 - to differ takes two
        words.say("There is one annotator, and nobody to disagree with.")
        return
    compared = judges
    if len(judges) > _MOST:
        words.say(
            f"There are {len(judges):,} annotators; the {_MOST} with most judgments stand in the table. Below it any "
            "two can be compared."
        )
        most = result.outcomes.group_by("judge").len().sort("len", "judge", descending=[True, False]).head(_MOST)
        compared = most.select("judge").collect()["judge"].to_list()
    found = disagreement(result.outcomes.filter(pl.col("judge").is_in(compared)))
    words.remark(
        "How many items two annotators label differently; the stronger the colour, the greater their share of the "
        f"items that both label. Two who share no item have no number. {choosing('items')} Beside an item, the "
        "reference is the trusted label."
    )

    def lead(row: Mapping[str, Any]) -> None:
        look_at("differ-one", row["annotator"])
        look_at("differ-other", row["other"])

    grid(result, found, ("annotator", "other"), "disagreement", lead, among="shared")
    places = st.columns(2)
    one = one_of("One annotator", judges, "differ-one", place=places[0])
    other = one_of("The other", [name for name in judges if name != one], "differ-other", place=places[1])
    names = differing(result.outcomes, one, other)
    if not names:
        words.say(f"{one} and {other} never give different labels to the same item.")
        return
    _differ(result, items.stepped(names), one, other)


def _differ(result: Result, item: str, one: str, other: str) -> None:
    """An item, where two annotators differ: what these say, then what the reference and all others say."""
    rows = result.outcomes.filter(pl.col("item") == item).collect()
    both = rows.filter(pl.col("judge").is_in([one, other]))
    parts = both.group_by("part").agg(pl.col("label").n_unique() > 1).filter("label")["part"].to_list()
    shown = rows.filter(pl.col("part").is_in(parts)).sort(
        pl.col("judge") != one, pl.col("judge") != other, maintain_order=True
    )
    words.put(items_fragment(together(result, shown, meant=[other])))


OUTCOMES = {"flagged": "Choice flagged", "both": "Flagged by both", "neither": "Flagged by neither"}
VIEWS = {"Confusion": confusion, "Disagreement": _disagreement}
