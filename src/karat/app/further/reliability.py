"""Annotators: which labels they give where others are right, and who disagrees with whom."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import streamlit as st

from karat.api._convert import convert
from karat.api.options import arguments_of
from karat.app import items, words
from karat.app.confusions import confusion, grid
from karat.app.labelling import Form, Labels, label
from karat.app.results import Result
from karat.evaluations.reliability.disagreement import differing, disagreement

_FILE, _TRUSTED = "labelled.jsonl", "reference"
_OWN = {"item": pl.String, "label": pl.String}
_MOST = 40
"""How many annotators are compared with one another."""


def _disagreement(result: Result) -> None:
    """On how many items each two annotators give different labels, and these items."""
    judges = result.report["annotators"]["annotator"].unique().sort().to_list()
    if len(judges) < 2:  # noqa: PLR2004 - to differ takes two
        words.say("There is one annotator, and nobody to disagree with.")
        return
    if len(judges) > _MOST:
        words.say(f"These are {len(judges)} annotators; the first {_MOST} are compared with one another.")
    found = disagreement(result.outcomes.filter(pl.col("judge").is_in(judges[:_MOST])))
    words.remark("Items on which two annotators give different labels. Choose a cell to read them.")

    def lead(row: Mapping[str, Any]) -> None:
        st.session_state["differ-one"], st.session_state["differ-other"] = row["annotator"], row["other"]

    grid(result, found, ("annotator", "other"), "disagreement", lead)
    one, other = (
        place.selectbox(title, judges, index=number, key=key, bind="query-params")
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
    """Ask for labels, first of the items that have no trusted one."""
    if result.read is None:
        words.say("The items are not at hand: open the files of judgments themselves.")
        return
    named, (names, known, fills) = list(result.given.get("reference", ())), _asked(result)

    def show(item: str) -> None:
        for name, text in result.texts([{"item": item, "judge": "", "part": "choice"}])[0].items():
            words.text(name, text)

    def save(who: str, labels: Labels) -> bytes:
        return with_labels(_judgments(result.given), who, labels, fills=fills).write_ndjson().encode()

    def use(who: str) -> str:
        trusted = [] if fills else [word for one in (*named, who) for word in ("--reference", one)]
        return shlex.join(["karat", "reliability", "score", _FILE, *trusted])

    label(result, Form(names, ["label"], dict(zip(known, known, strict=True)), show, save, _FILE, use))


def _asked(result: Result) -> tuple[list[str], list[str], bool]:
    """The items in the order in which they are asked, the labels, and whether some items have trusted ones in the file.

    Where nobody is trusted yet, someone is in the result alone, and no item has a trusted label.
    """
    named, trusted = result.given.get("reference"), result.report.options["reference"]
    choices = result.outcomes.filter(pl.col("part") == "choice")
    lacks = pl.lit(value=True) if trusted and not named else pl.col("reference_label").is_null().all()
    items = choices.group_by("item", maintain_order=True).agg(lacks=lacks).collect()
    names = items.sort("lacks", descending=True, maintain_order=True)["item"].to_list()
    said = pl.concat([choices.select(pl.col(name).alias("label")) for name in ("label", "reference_label")])
    known = said.select(pl.col("label").drop_nulls().unique().sort()).collect()["label"].to_list()
    return names, list(result.report.options["labels"] or known), not (named or items["lacks"].all())


def _judgments(given: Mapping[str, Any]) -> pl.DataFrame:
    """All judgments as one long table."""
    taken = arguments_of(convert).keys() & given.keys() - {"data"}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "judgments.parquet"
        convert(given["data"], path, evaluation="reliability", **{name: given[name] for name in taken})
        return pl.read_parquet(path)


def with_labels(judgments: pl.DataFrame, who: str, labels: Labels, *, fills: bool) -> pl.DataFrame:
    """A long table with a person's labels as judgments, which take the place of earlier ones.

    fills: whether they are the trusted labels of items that have none in the column of these, and no judgments.
    """
    own = pl.DataFrame({"item": list(labels), "label": [one["label"] for one in labels.values()]}, schema=_OWN)
    if fills:
        lack = judgments.filter(pl.col(_TRUSTED).is_null().all().over("item"))["item"].implode()
        gaps = own.filter(pl.col("item").is_in(lack)).rename({"label": "own"})
        joined = judgments.join(gaps, on="item", how="left", maintain_order="left")
        judgments = joined.with_columns(pl.coalesce(_TRUSTED, "own").alias(_TRUSTED)).drop("own")
        own = own.join(gaps, on="item", how="anti", maintain_order="left")
    else:
        judgments = judgments.drop(_TRUSTED, f"{_TRUSTED}_flag", strict=False)
    said = (pl.col("annotator") == who) & pl.col("item").is_in(own["item"].implode())
    alike = [pl.when(pl.col(one).n_unique() == 1).then(pl.col(one).first()).alias(one) for one in judgments.columns]
    items = judgments.group_by("item").agg(alike[1:]).drop("annotator", "label", "flag", strict=False)
    rows = own.with_columns(annotator=pl.lit(who)).join(items, on="item", how="left", maintain_order="left")
    return pl.concat([judgments.filter(~said), rows], how="diagonal")


VIEWS = {"Confusion": confusion, "Disagreement": _disagreement, "Label": _label}
