"""Labels that a person gives beside those of annotators, and all of them as one file."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from karat import convert
from karat.api.calls import arguments_of
from karat.app import words
from karat.app.labelling import Form, Labels, label
from karat.app.results import Result

_FILE, _TRUSTED = "labelled.jsonl", "reference"
_OWN = {"item": pl.String, "label": pl.String}


def label_items(
    result: Result, items: Sequence[str], known: Sequence[str], trusted: Sequence[str] | None, order: str
) -> None:
    """Ask for labels of items, in this order, which is said too.

    known: the labels that occur. trusted: whose labels are trusted besides the person's; None where the file has a
    column of trusted labels, whose gaps the person fills.
    """
    if result.read is None:
        words.say("The items are not at hand: open the files of judgments themselves.")
        return
    part = result.outcomes.select("part").first().collect().item()

    def show(item: str) -> None:
        for name, text in result.texts([{"item": item, "judge": "", "part": part}])[0].items():
            words.text(name, text)

    def save(who: str, labels: Labels) -> bytes:
        return with_labels(_judgments(result.given), who, labels, fills=trusted is None).write_ndjson().encode()

    def use(who: str) -> str:
        names = [] if trusted is None else [word for one in (*trusted, who) for word in ("--reference", one)]
        return shlex.join(["karat", "reliability", "score", _FILE, *names])

    labels = result.report.options["labels"] or known
    label(result, Form(items, lambda _: ["label"], {one: one for one in labels}, show, save, _FILE, use, order))


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
