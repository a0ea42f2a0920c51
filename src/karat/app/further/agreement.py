"""Annotators among themselves: labels of a person beside theirs, which others can then be compared with."""

import polars as pl

from karat.app import words
from karat.app.judgments import label_items
from karat.app.results import Result

_ORDER = "Those with the fewest labels stand first."


def _label(result: Result) -> None:
    """Ask for labels, first of the items that have the fewest."""
    if result.read is None:
        words.say("The items are not at hand: open the files of judgments themselves.")
        return
    judged = result.read.frame.select(pl.col("item", "label").cast(pl.String)).drop_nulls()
    items = judged.group_by("item", maintain_order=True).len().sort("len", maintain_order=True)["item"].to_list()
    label_items(result, items, judged["label"].unique().sort().to_list(), [], _ORDER)


VIEWS = {"Label": _label}
OUTCOMES = {
    "with_nobody": "Label that nobody else gives",
    "with_some": "Label that some of the others give",
    "with_most": "Label that most of the others give",
    "with_all": "Label that all others give",
    "alone": "Label of an item that nobody else labels",
}
