"""Valid tables of judgments: annotators' labels of items, with the reference's labels.

A coded table holds text as categoricals, so that tens of millions of judgments fit into memory:
item, annotator, label (null where the item was flagged or skipped), flagged, skipped; optionally
cluster, the `by` columns, and reference_label, reference_flagged, reference_skipped.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite

import polars as pl

from adjudge.schemas.columns import CellRule, require_value
from adjudge.schemas.spelling import alike_warnings

FLAGS: dict[str, tuple[str, ...]] = {"flagged": ("yes", "true", "1"), "clean": ("no", "false", "0")}
"""Default values of a flag; `flag_values` replaces them. Case does not count."""

NEEDED = ("item", "annotator", "label")
"""Required columns of a long table of judgments."""

TEXT = (*NEEDED, "flag", "skipped", "cluster", "reference", "reference_flag", "reference_skipped")
"""Columns that are read of a long table of judgments."""


def encode(texts: pl.LazyFrame, by: Sequence[str], flag_values: Mapping[str, Sequence[str]]) -> pl.LazyFrame:
    """A table of texts (columns of TEXT, and `by`) as a coded table. Unreadable cells are null.

    flag_values: "flagged" and "clean" -> their values.
    """
    names = texts.collect_schema().names()
    category = pl.Categorical()
    coded = [pl.col(name).cast(category) for name in (*NEEDED, *by, "cluster") if name in names]
    if "reference" in names:
        coded.append(pl.col("reference").cast(category).alias(LABELS[1]))
    for side in ("reference_", "") if "reference" in names else ("",):  # a missing reference neither flags nor passes
        flag, skip = f"{side}flag", f"{side}skipped"
        no = skipped = pl.lit(value=False)
        if skip in names:
            skipped = pl.when(pl.col(skip).is_null()).then(no).otherwise(_to_boolean(skip, FLAGS))
        flagged = pl.when(pl.col("reference").is_not_null()).then(no) if side else no
        if flag in names:  # a skipped item is not flagged
            flagged = pl.when(pl.col(flag).is_null() & skipped).then(no).otherwise(_to_boolean(flag, flag_values))
        coded += [flagged.alias(f"{side}flagged"), skipped.alias(skip)]
    return texts.select(coded)


def _to_boolean(column: str, values: Mapping[str, Sequence[str]]) -> pl.Expr:
    """Text as a boolean; null for unknown values."""
    meaning = {text.strip().lower(): side == "flagged" for side, texts in values.items() for text in texts}
    lower = pl.col(column).str.strip_chars().str.to_lowercase()
    return lower.replace_strict(list(meaning), list(meaning.values()), default=None, return_dtype=pl.Boolean)


def judgment_rules(
    columns: Sequence[str], flag_values: Mapping[str, Sequence[str]], labels: Sequence[str], order: Sequence[str]
) -> list[CellRule]:
    """The rules of a coded table with these columns.

    labels: the valid ones; empty allows any. order: see `scale_position`; labels without a position are invalid.
    """
    flags = "one of " + ", ".join(text for texts in flag_values.values() for text in texts)
    skips = "true, false or nothing"
    judged = ~pl.col("flagged") & ~pl.col("skipped")
    labelled = [("label", judged)]
    rules_of_table = [
        require_value("item", "the item's id"),
        require_value("annotator", "the annotator's name"),
        CellRule("flag", pl.col("flagged").is_null(), flags),
        CellRule("skipped", pl.col("skipped").is_null(), skips),
        CellRule("label", pl.col("label").is_null() & judged, "a label, since the item is neither flagged nor skipped"),
    ]
    if "reference_label" in columns:
        references = pl.col("reference_label").is_not_null()
        given = (~pl.col("reference_flagged") & ~pl.col("reference_skipped")).fill_null(value=True) & references
        rules_of_table += [
            CellRule("reference_flag", pl.col("reference_flagged").is_null() & references, flags),
            require_value("reference_skipped", skips),
        ]
        labelled.insert(0, ("reference", given))
    for column, counted in labelled:
        label = pl.col("reference_label" if column == "reference" else column)
        if labels:
            wrong, expected = ~label.cast(pl.String).is_in(list(labels)), f"one of {', '.join(labels)}"
            rules_of_table.append(CellRule(column, counted & wrong, expected))
        elif order:
            expected = "a number" if list(order) == [NUMBERS] else f"one of the ordered labels {', '.join(order)}"
            wrong = label.is_not_null() & scale_position(label, order).is_null()
            rules_of_table.append(CellRule(column, counted & wrong, expected))
    return rules_of_table


NUMBERS = "numbers"
"""The order of numeric labels, by value."""


def scale_position(label: pl.Expr, order: Sequence[str]) -> pl.Expr:
    """A label's position on the scale: its value if the order is numeric, else the number of preceding labels.

    order: the labels, lowest to highest, or only NUMBERS. Null for a label without a position.
    """
    number = label.cast(pl.String).cast(pl.Float64, strict=False)
    number = pl.when(number.is_finite()).then(number)
    if list(order) == [NUMBERS]:
        return number
    values = [value for name in order if (value := finite_number(name)) is not None]
    if len(values) == len(order) and sorted(values) in (values, values[::-1]):
        return pl.when(label.cast(pl.String).is_in(list(order))).then(number)
    names = {name: float(nth) for nth, name in enumerate(order)}
    return label.cast(pl.String).replace_strict(names, default=None, return_dtype=pl.Float64)


def finite_number(text: str) -> float | None:
    """The number in a text; None if it is none, or not finite."""
    with suppress(ValueError):
        return value if isfinite(value := float(text)) else None
    return None


_ITEM_KEY = pl.col("item").to_physical().cast(pl.UInt64) * (1 << 32)
"""Plus another number it is a 64-bit key of a pair, quickly counted."""


def repeated_pairs(frame: pl.DataFrame, apart: Sequence[str] = ()) -> pl.DataFrame:
    """The repeated pairs (item, annotator), each once, in order of appearance.

    apart: columns that distinguish rows of a pair, which then do not repeat.
    """
    pairs = frame.select("item", "annotator")
    if frame.select((_ITEM_KEY + pl.col("annotator").to_physical()).n_unique()).item() == frame.height:
        return pairs.clear()
    return pairs.filter(frame.select("item", "annotator", *apart).is_duplicated()).unique(maintain_order=True)


LABELS = ("label", "reference_label")
"""Columns of labels of a coded table."""


def replace_labels(frame: pl.DataFrame, labels: Mapping[str, str | None]) -> pl.DataFrame:
    """A coded table with some labels replaced; None skips the item."""
    names = [name for name in LABELS if name in frame.columns]
    replaced = frame.with_columns(pl.col(names).cast(pl.String).replace(labels).cast(pl.Categorical()))
    gone = replaced["label"].is_null() & frame["label"].is_not_null() & ~frame["flagged"].fill_null(value=True)
    return replaced.with_columns(pl.col("skipped") | gone)


REFERENCES = ("reference_label", "reference_flagged", "reference_skipped")
"""The reference's columns of a coded table."""
NO_REFERENCE = (
    pl.col("reference_label").is_null() & pl.col("reference_flagged").is_null() & ~pl.col("reference_skipped")
)
"""Whether a row of a coded table with columns of the reference has no reference."""


def fill_references(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The frame with missing references filled by the item's first reference, and the number of filled ones."""
    if "reference_label" not in frame.columns or not frame.select(NO_REFERENCE.any()).item():
        return frame, 0
    given = frame.filter(~NO_REFERENCE).select("item", *REFERENCES)
    first = given.unique("item", keep="first", maintain_order=True)
    joined = frame.join(first, on="item", how="left", suffix="_said", maintain_order="left")
    taken = NO_REFERENCE & pl.col("reference_skipped_said").is_not_null()
    filled = (pl.when(taken).then(pl.col(f"{name}_said")).otherwise(name).alias(name) for name in REFERENCES)
    return joined.with_columns(filled).select(frame.columns), joined.select(taken.sum()).item()


def contradictory_items(frame: pl.DataFrame) -> pl.DataFrame:
    """Items whose reference differs between rows; only the column `item`, each once."""
    items = frame.select("item")
    if "reference_label" not in frame.columns:
        return items.clear()
    label = (pl.col("reference_label").to_physical().cast(pl.UInt64) + 1).fill_null(0)
    flagged, skipped = (pl.col(name).cast(pl.UInt64).fill_null(2) for name in REFERENCES[1:])
    if frame.select((_ITEM_KEY + label * 9 + flagged * 3 + skipped).n_unique()).item() == items.n_unique():
        return items.clear()
    references = frame.select("item", *REFERENCES).unique(maintain_order=True).select("item")
    return references.filter(references.is_duplicated()).unique(maintain_order=True)


def label_warnings(frame: pl.DataFrame, reference_labels: pl.Series, *others: pl.DataFrame) -> list[str]:
    """Warnings about near-equal names and labels, and about annotators without a label of the reference.

    others: further coded tables, whose names of items and annotators are compared too.
    """
    warnings = list[str]()
    for column in ("annotator", "item"):
        names = pl.concat([one[column].unique() for one in (frame, *others)]).unique().cast(pl.String)
        warnings += alike_warnings(f"{column}s", names)
    table = frame.select("annotator", "label").unique().drop_nulls().cast(pl.String).group_by("annotator").agg("label")
    each = {name: {*labels} for name, labels in table.sort("annotator").iter_rows()}
    given, expected = set[str]().union(*each.values()), {*reference_labels.unique().drop_nulls().cast(pl.String)}
    warnings += alike_warnings("labels", pl.Series(sorted(given | expected), dtype=pl.String))
    if given and expected and not given & expected:
        each = {"annotators": given}
    for name, labels in each.items():
        if expected and not labels & expected and (len(labels) > 1 or labels == given):
            some = " against ".join(f"{', '.join(sorted(side)):.60}" for side in (labels, expected))
            warnings.append(f"{name} and reference have no label in common: {some}; --map-values says what they mean")
    return warnings
