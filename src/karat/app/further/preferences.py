"""Systems that predict preferences: which labels they give where others are right; people's labels that lack."""

import shlex
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import polars as pl
import streamlit as st

from karat.app import words
from karat.app.confusions import confusion
from karat.app.judgments import as_table
from karat.app.labelling import Form, Labels, label
from karat.app.results import Result
from karat.formats.preferences import file_column
from karat.formats.written_tables import FLAT
from karat.render.numbers import plain
from karat.schemas.preferences import LABEL, MISSING, TEXTS, Judged, Task

_FORM = "jsonl"
"""The format of what is saved, where options name none."""
_REWRITE = ("values", "item_columns")
"""Options by which files say something else than what stands in them; what is saved would be rewritten once more."""
_ORDER = "Those that lack a label stand first."


def _label(result: Result) -> None:
    """Ask for labels on all criteria, first of the items that lack some."""
    if not isinstance(result.read, Judged):
        words.say("The items are not at hand: open the file of items and the predictions themselves.")
        return
    if any(result.report.options.get(one) for one in _REWRITE):
        words.say("Labels can be given where files are read as they stand: without --values and --item-columns.")
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
        return _written(with_labels(result, gold.task, labels), form, result.report.options)

    known = {one: plain(one) for one in gold.task.labels}
    line = shlex.split(result.report.command or "")
    named: Any = result.report.options.get("input_format")
    form: str = named if named in FLAT.values() else _FORM
    file = f"labels.{form}"
    use = shlex.join([file if word == result.given["gold"] else word for word in line])
    label(result, Form(names, lambda _: gold.task.criteria, known, show, save, file, lambda _: use, _ORDER))


def with_labels(result: Result, task: Task, labels: Labels) -> pl.DataFrame:
    """The file of gold with all that it had, and the labels given in the place of those that it had.

    Columns are called as the option `columns` says, so that the command holds as before.
    """
    options = {**result.given, **result.report.options}
    called = options.get("columns") or {}
    table = as_table(result, "gold", "preferences", criteria=[*task.criteria], labels=[*task.labels])
    items = table["id"].to_list()
    own = {file_column(f"{LABEL}{one}"): [labels.get(item, {}).get(one) for item in items] for one in task.criteria}
    filled = [pl.coalesce(pl.Series(name, said, pl.String), name).alias(name) for name, said in own.items()]
    needed = {file_column(name) for name in (*TEXTS, *task.why_columns)} & called.keys() - {*table.columns}
    lacking = [pl.lit(None, pl.String).alias(name) for name in sorted(needed)]
    return (
        table.with_columns(*filled, *lacking).rename(called, strict=False).drop(options.get("set") or [], strict=False)
    )


def _written(table: pl.DataFrame, form: str, options: Mapping[str, Any]) -> bytes:
    """The table in a format, as options say of all files that the command reads."""
    if form == "parquet":
        file = BytesIO()
        table.write_parquet(file)
        return file.getvalue()
    if form in {"csv", "tsv"}:
        sign = {"tab": "\t", None: "\t" if form == "tsv" else ","}.get(name := options.get("separator"), name)
        text = table.write_csv(separator=sign or ",")
    else:
        text = table.write_json() if form == "json" else table.write_ndjson()
    return text.encode(options.get("encoding") or "utf-8")


def known(result: Result) -> Mapping[str, Sequence[str]]:
    """Which criteria options may name."""
    return {"CRITERION": result.read.task.criteria} if isinstance(result.read, Judged) else {}


VIEWS = {"Confusion": confusion, "Label": _label}
