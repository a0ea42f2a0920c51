"""Working out each distinct pair of texts once, however often it occurs."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from adjudge.errors import DataError

if TYPE_CHECKING:
    import polars as pl

Score = Callable[["pl.Series", "pl.Series"], list[float]]
"""From distinct pairs, as predictions and references without nulls, to a figure for each."""


def of_distinct_pairs(name: str, predictions: "pl.Series", references: "pl.Series", score: Score) -> "pl.Series":
    """A figure for each row, as Float64: null where the prediction or the reference is null.

    name: of the column that is returned. predictions, references: texts, of equal lengths. score: is called
    once, and not at all where no row has both texts.

    Raises DataError where the lengths differ.

    >>> import polars as pl
    >>> first, second = pl.Series(["a", "bb", "a", None]), pl.Series(["x", "y", "x", "z"])
    >>> of_distinct_pairs("length", first, second, lambda left, right: [len(text) for text in left]).to_list()
    [1.0, 2.0, 1.0, None]
    """
    import polars as pl

    if len(predictions) != len(references):
        raise DataError(
            f"predictions and references: expected as many of one as of the other; got {len(predictions):,} and "
            f"{len(references):,}"
        )
    rows = pl.DataFrame({"prediction": predictions.cast(pl.String), "reference": references.cast(pl.String)})
    distinct = rows.drop_nulls().unique(maintain_order=True)
    figures = score(distinct["prediction"], distinct["reference"]) if len(distinct) else []
    found = distinct.with_columns(pl.Series("figure", figures, pl.Float64))
    return rows.join(found, on=["prediction", "reference"], how="left", maintain_order="left")["figure"].alias(name)


def distinct_texts(*columns: "pl.Series") -> list[str]:
    """Each distinct text of columns without nulls once, in order of first occurrence, column by column."""
    import polars as pl

    return pl.concat([column.alias("text") for column in columns]).unique(maintain_order=True).to_list()
