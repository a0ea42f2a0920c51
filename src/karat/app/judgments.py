"""Labels that a person gives beside those of annotators, and all of them as one file."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import polars as pl

from karat import convert
from karat.api.calls import arguments_of, bound
from karat.app import words
from karat.app.labelling import Form, Labels, label
from karat.app.results import Result
from karat.formats.conversions import CONVERSIONS

_FILE, _TRUSTED, _FLAGGED = "labelled.jsonl", "reference", "reference_flag"
_RULE = "unanimous"
"""How several trusted ones are combined where nothing is said."""
_Kept = Literal["preferences", "reliability"]
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
        found = as_table(result, "data", "reliability")
        return with_labels(found, who, labels, fills=trusted is None).write_ndjson().encode()

    def use(who: str) -> str:
        names = [] if trusted is None else [word for one in (*trusted, who) for word in ("--reference", one)]
        rule = result.report.options.get("reference_rule", _RULE)
        rules = ["--reference-rule", rule] if trusted and rule != _RULE else []
        return shlex.join(["karat", "reliability", "score", _FILE, *names, *rules])

    labels = result.report.options["labels"] or known
    label(result, Form(items, lambda _: ["label"], {one: one for one in labels}, show, save, _FILE, use, order))


def as_table(result: Result, data: str, evaluation: _Kept, **further: Any) -> pl.DataFrame:  # noqa: ANN401
    """Files as one flat table under Karat's names, with all their further columns.

    result: what was made of them, whose options count as far as they concern the reading. data: the argument that
    named the files. further: options that count instead.
    """
    others = {name for one in CONVERSIONS.values() for name in one.options} - {*CONVERSIONS[evaluation].options}
    known = {**result.given, **result.report.options}  # the latter say what was guessed
    taken = arguments_of(convert).keys() & known.keys() - {"data", "output", "gold", *others}
    options = {**{name: known[name] for name in taken}, **further}
    own = CONVERSIONS[evaluation].known(bound(convert, {"data": result.given[data], **options}))
    options["set"] = {name: value for name, value in (options.get("set") or {}).items() if name in own}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        convert(result.given[data], path, evaluation=evaluation, **options)
        return pl.read_parquet(path)


def with_labels(judgments: pl.DataFrame, who: str, labels: Labels, *, fills: bool) -> pl.DataFrame:
    """A long table with a person's labels as judgments, which take the place of earlier ones.

    fills: whether they are the trusted labels of items that lack one in the column of these, and no judgments. What
    the reference flags lacks none. Whoever gives a label flags and skips nothing.
    """
    own = pl.DataFrame({"item": list(labels), "label": [one["label"] for one in labels.values()]}, schema=_OWN)
    said_of = {"flag": pl.lit("no"), "skipped": pl.lit(None, pl.String)}
    if fills:
        flagged = pl.col(_FLAGGED) == "yes" if _FLAGGED in judgments.columns else pl.lit(value=False)
        open_ = (pl.col(_TRUSTED).is_null() & ~flagged.fill_null(value=False)).all().over("item")
        gaps = own.filter(pl.col("item").is_in(judgments.filter(open_)["item"].implode())).rename({"label": "own"})
        joined = judgments.join(gaps, on="item", how="left", maintain_order="left")
        filled = {_TRUSTED: pl.col("own"), **{f"{_TRUSTED}_{name}": value for name, value in said_of.items()}}
        judgments = joined.with_columns(
            pl.when(pl.col("own").is_not_null()).then(value).otherwise(name).alias(name)
            for name, value in filled.items()
            if name in joined.columns
        ).drop("own")
        own = own.join(gaps, on="item", how="anti", maintain_order="left")
    else:
        judgments = judgments.drop(_TRUSTED, *(f"{_TRUSTED}_{name}" for name in said_of), strict=False)
    said = (pl.col("annotator") == who) & pl.col("item").is_in(own["item"].implode())
    alike = [pl.when(pl.col(one).n_unique() == 1).then(pl.col(one).first()).alias(one) for one in judgments.columns]
    items = judgments.group_by("item").agg(alike[1:]).drop("annotator", "label", *said_of, strict=False)
    rows = own.with_columns(
        pl.lit(who).alias("annotator"),
        *(value.alias(name) for name, value in said_of.items() if name in judgments.columns),
    ).join(items, on="item", how="left", maintain_order="left")
    return pl.concat([judgments.filter(~said), rows], how="diagonal")
