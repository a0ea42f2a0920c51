"""Systems that predict preferences: which labels they give where others are right; people's labels that lack."""

import shlex
from collections.abc import Mapping, Sequence

import polars as pl
import streamlit as st

from karat.app import words
from karat.app.confusions import confusion
from karat.app.labelling import Form, Labels, label
from karat.app.results import Result
from karat.render.numbers import plain
from karat.schemas.preferences import LABEL, MISSING, TEXTS, Judged

_FILE = "labels.jsonl"
_ORDER = "Those that lack a label stand first."


def _label(result: Result) -> None:
    """Ask for labels on all criteria, first of the items that lack some."""
    if not isinstance(result.read, Judged):
        words.say("The items are not at hand: open the file of items and the predictions themselves.")
        return
    gold = result.read
    lacking = pl.any_horizontal(pl.col(name) == MISSING for name in gold.task.label_columns)
    names = gold.frame.sort(lacking, descending=True, maintain_order=True)["id"].to_list()

    def show(item: str) -> None:
        row = gold.frame.row(by_predicate=pl.col("id") == item, named=True)
        above, *beside = TEXTS
        words.text(above, row[above] or "")
        for place, name in zip(st.columns(len(beside)), beside, strict=True):
            with place:
                words.text(name, row[name] or "")

    def save(_: str, labels: Labels) -> bytes:
        return pl.DataFrame(rows_of(gold, labels, result.given.get("columns", {}))).write_ndjson().encode()

    known = {one: plain(one) for one in gold.task.labels}
    line = shlex.split(result.report.command or "")
    use = shlex.join([_FILE if word == result.given["gold"] else word for word in line])
    label(result, Form(names, lambda _: gold.task.criteria, known, show, save, _FILE, lambda _: use, _ORDER))


def rows_of(gold: Judged, labels: Labels, columns: Mapping[str, str] | None = None) -> list[dict[str, str | None]]:
    """Items as a file of gold has them: with the labels given, and those that they had where none was given.

    columns: Karat's columns -> what the files call them.
    """
    called, found = columns or {}, []
    for row in gold.frame.to_dicts():
        given = labels.get(row["id"], {})
        known = {one: given.get(one, gold.task.word(row[f"{LABEL}{one}"])) for one in gold.task.criteria}
        texts = {name: row[name] for name in ("id", *TEXTS)}
        whole = {**texts, **{f"{one}_preference": said for one, said in known.items()}}
        found.append({called.get(name, name): value for name, value in whole.items()})
    return found


def known(result: Result) -> Mapping[str, Sequence[str]]:
    """Which criteria options may name."""
    return {"CRITERION": result.read.task.criteria} if isinstance(result.read, Judged) else {}


VIEWS = {"Confusion": confusion, "Label": _label}
