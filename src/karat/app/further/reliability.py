"""Annotators: which labels they give where others are right, and who disagrees with whom."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from karat.app import items, words
from karat.app.confusions import confusion, grid
from karat.app.judgments import label_items
from karat.app.lists import look_at, one_of
from karat.app.results import Result
from karat.app.together import together
from karat.evaluations.reliability.disagreement import differing, disagreement
from karat.render.html import items_fragment

_MOST = 40
"""How many annotators are compared with one another."""
_ORDER = "Those without a trusted label stand first."


def _disagreement(result: Result) -> None:
    """On how many items each two annotators give different labels, and these items."""
    judges = result.report["annotators"]["annotator"].unique().sort().to_list()
    if len(judges) < 2:  # noqa: PLR2004 - to differ takes two
        words.say("There is one annotator, and nobody to disagree with.")
        return
    if len(judges) > _MOST:
        words.say(f"There are {len(judges)} annotators; the first {_MOST} are compared with one another.")
    found = disagreement(result.outcomes.filter(pl.col("judge").is_in(judges[:_MOST])))
    words.remark(
        "On how many items two annotators give different labels; the stronger the colour, the greater their share of "
        "the items that both label, and two who share no item have no number. Choose a cell to read its items, where "
        "the reference is the trusted label."
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


def _label(result: Result) -> None:
    """Ask for labels, first of the items that have no trusted one.

    Where nobody is trusted yet, someone is in the result alone, and no item has a trusted label.
    """
    named, trusted = list(result.given.get("reference", ())), result.report.options["reference"]
    choices = result.outcomes.filter(pl.col("part") == "choice")
    lacks = pl.lit(value=True) if trusted and not named else pl.col("reference_label").is_null().all()
    items = choices.group_by("item", maintain_order=True).agg(lacks=lacks).collect()
    names = items.sort("lacks", descending=True, maintain_order=True)["item"].to_list()
    said = pl.concat([choices.select(pl.col(name).alias("label")) for name in ("label", "reference_label")])
    known = said.select(pl.col("label").drop_nulls().unique().sort()).collect()["label"].to_list()
    label_items(result, names, known, None if not named and not items["lacks"].all() else named, _ORDER)


OUTCOMES = {"flagged": "Choice flagged", "both": "Flagged by both", "neither": "Flagged by neither"}
VIEWS = {"Confusion": confusion, "Disagreement": _disagreement, "Label": _label}
