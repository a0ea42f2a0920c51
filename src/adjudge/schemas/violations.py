"""Violations marked in texts: the valid table.

A violation is a span of a text that breaks a rule: half-open offsets `[start, end)` in Unicode code points from 0, the
rule, a category, an explanation, a suggested correction. All but the offsets may be null.

A checker may also quote words that are not in the text: such a violation has null offsets. It counts as predicted and
overlaps nothing.
"""

from dataclasses import dataclass

import polars as pl

ID = "id"
TEXT = "text"
"""Columns of a table of texts: the id (unique, never null) and the text (null if the data lack it)."""

PLACE = "place"
"""Column of a table of spans: the row of its text in the table of texts, from 0."""

TEXT_PARTS = ("rule", "category", "explanation", "correction")
"""Columns of a violation besides its offsets (text, null if not given)."""

INVENTED = "invented"
"""Column of a table of spans: the words quoted by a violation without offsets, null for any other."""

SEVERITY = "severity"
"""Column of a table of spans: the violation's severity, in the data's own words; unused in matching."""

SPANS: dict[str, pl.DataType] = {
    PLACE: pl.UInt32(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    **dict.fromkeys((*TEXT_PARTS, INVENTED, SEVERITY), pl.String()),
}
"""Columns of a table of spans. Its rows are sorted by all of them, independent of the file's order."""


@dataclass(frozen=True, slots=True)
class MarkedTexts:
    """Texts, and the violations that one side marks in them.

    name: of the checker, or of the ground truth. texts: a row per text: id, text, and further requested columns (text,
    null if the file lacks them). spans: see SPANS. rows: read from the file. warnings: caveats on the metrics. replies:
    statuses of the questions to a model, by text; null if the file lacks one; None if it has none.

    Of the ground truth: voters: annotators in its file to choose from.

    Of an annotator: counted_texts: the texts that count for it. Of a checker: its warnings name it, or its file.
    """

    name: str
    texts: pl.DataFrame
    spans: pl.DataFrame
    rows: int
    warnings: tuple[str, ...] = ()
    replies: pl.Series | None = None
    counted_texts: pl.Series | None = None
    voters: tuple[str, ...] = ()
