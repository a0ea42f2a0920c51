"""Violations marked in texts: what a valid table is.

A violation is a span of a text that breaks a rule: half-open offsets `[start, end)` in Unicode code points from 0, the
rule, a category, an explanation, a suggested correction. All but the offsets may be null.

A checker may also quote words that its text does not hold: such a violation has no place, so that its offsets are null.
It counts as predicted and overlaps nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

ID = "id"
TEXT = "text"
"""Columns of a table of texts: its id (unique, never null) and what it says (null where the data do not hold it)."""

PLACE = "place"
"""Column of a table of spans: the row of its text in the table of texts, from 0."""

TEXT_PARTS = ("rule", "category", "explanation", "correction")
"""What a violation says beside where it stands (text, null where it says nothing)."""

INVENTED = "invented"
"""Column of a table of spans: the words that a violation without offsets quotes, null for any other."""

SEVERITY = "severity"
"""Column of a table of spans: how bad a violation is, in the data's own words; it takes no part in matching."""

MISPLACED = "misplaced"
"""Column of violations as they are read: whether one quotes other words than stand at its offsets (never null)."""

SPANS: dict[str, pl.DataType] = {
    PLACE: pl.UInt32(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    **dict.fromkeys((*TEXT_PARTS, INVENTED, SEVERITY), pl.String()),
}
"""Columns of a table of spans. Its rows are sorted by all of them, so that no order of a file is left in it."""


@dataclass(frozen=True, slots=True)
class MarkedTexts:
    """Texts, and the violations that one side marks in them.

    name: of the checker, or of the ground truth. texts: a row per text: id, text, and further columns as they were
    asked for (text, null where the file does not give them). spans: see SPANS. rows: read from the file. warnings:
    what a reader of metrics must know. replies: of a model that was asked, what became of the question on each text,
    null where the file does not say it; None where it says it of none. others: of the ground truth, what further
    annotators marked in the same texts, where each text counts with the annotator who fits the predictions best. seen:
    of a checker, which of the texts count for it; None where all do. voters: of the ground truth, whose violations its
    file may be asked for. misplaced: of the ground truth, how many violations quote other words than stand at their
    offsets. of_file: of the first checker of a file, warnings about the file; those of a file that holds no other stand
    among its warnings too. file: of a checker in a file that holds several, the file's name.
    """

    name: str
    texts: pl.DataFrame
    spans: pl.DataFrame
    rows: int
    warnings: tuple[str, ...] = ()
    replies: pl.Series | None = None
    other_annotators: tuple["MarkedTexts", ...] = ()
    counted_texts: pl.Series | None = None
    voters: tuple[str, ...] = ()
    misplaced: int = 0
    file_warnings: tuple[str, ...] = ()
    file: str = ""


def sorted_spans(columns: dict[str, Sequence[object]] | pl.DataFrame) -> pl.DataFrame:
    """Columns as a table of spans, in its types and order."""
    frame = columns if isinstance(columns, pl.DataFrame) else pl.DataFrame(columns, schema=SPANS)
    return frame.select(pl.col(name).cast(dtype) for name, dtype in SPANS.items()).sort(*SPANS)
