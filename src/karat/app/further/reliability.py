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
from karat.evaluations.reliability.disagreement import differing, disagreement

_MOST = 40
"""How many annotators are compared with one another."""


def _disagreement(result: Result) -> None:
    """On how many items each two annotators give different labels, and these items."""
    judges = result.report["annotators"]["annotator"].unique().sort().to_list()
    if len(judges) < 2:  # noqa: PLR2004 - to differ takes two
        words.say("There is one annotator, and nobody to disagree with.")
        return
    if len(judges) > _MOST:
        words.say(f"There are {len(judges)} annotators; the first {_MOST} are compared with one another.")
    found = disagreement(result.outcomes.filter(pl.col("judge").is_in(judges[:_MOST])))
    words.remark("Items on which two annotators give different labels. Choose a cell to read them.")

    def lead(row: Mapping[str, Any]) -> None:
        look_at("differ-one", row["annotator"])
        look_at("differ-other", row["other"])

    grid(result, found, ("annotator", "other"), "disagreement", lead)
    one, other = (
        one_of(title, judges, key, first=judges[number], place=place)
        for number, (place, title, key) in enumerate(
            zip(st.columns(2), ("Annotator", "and"), ("differ-one", "differ-other"), strict=True)
        )
    )
    names = differing(result.outcomes, one, other)
    if not names:
        words.say(f"{one} and {other} never give different labels to the same item.")
        return
    items.item(result, items.stepped(names))


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
    label_items(result, names, known, None if not named and not items["lacks"].all() else named)


VIEWS = {"Confusion": confusion, "Disagreement": _disagreement, "Label": _label}
