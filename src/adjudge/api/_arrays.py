"""`adjudge.reliability_of`."""

from collections.abc import Iterable
from typing import Any

from adjudge.api._reliability import reliability
from adjudge.errors import DataError, encodable
from adjudge.report import Report


def reliability_of(
    y_true: Iterable[object],
    y_pred: Iterable[object],
    *,
    annotator: str = "y_pred",
    **options: Any,
) -> Report:
    """How far labels in an array agree with trusted ones in another: `adjudge.reliability` of one annotator.

    Arguments
    ---------
    y_true: The trusted labels, one per item: an array of numpy, a list, a column of polars or pandas. None and NaN are
        items without a trusted label.
    y_pred: The annotator's labels, in the same order. None and NaN are missing.
    annotator: What to call the annotator.
    options: Those of `adjudge.reliability`.

    Returns
    -------
    Its report; items are called by their place, from 1.

    Raises
    ------
    DataError for arrays of different lengths, or of more than one dimension; as `adjudge.reliability` otherwise.

    Example
    -------
    >>> import adjudge
    >>> adjudge.reliability_of([1, 0, 1, 1], [1, 0, 0, 1]).estimate("overall", "reliability").value
    0.75
    """
    import polars as pl

    from adjudge.readers.problems import counted

    trusted, given = (list(map(_plain, labels)) for labels in (y_true, y_pred))
    if len(trusted) != len(given):
        raise DataError(
            f"y_pred: expected {counted(len(trusted), 'label', 'labels')}, as in y_true; got {len(given):,}"
        )
    columns = {"item": range(1, len(given) + 1), "annotator": [annotator] * len(given)}
    labels = {"label": pl.Series(given, strict=False), "reference": pl.Series(trusted, strict=False)}
    return reliability(pl.DataFrame({**columns, **labels}), **options)


def _plain(label: Any) -> Any:
    """A label as Python has it. Raises DataError for a row of labels."""
    found = label.item() if hasattr(label, "item") and getattr(label, "ndim", 0) == 0 else label
    if hasattr(found, "__len__") and not isinstance(found, str):
        raise DataError(f"y_true, y_pred: expected one label per item; got {type(found).__name__} {found!r:.60}")
    if isinstance(found, str) and not encodable(found):
        raise DataError(f"y_true, y_pred: expected text in UTF-8; got {found!r:.60}. Decode it from the right encoding")
    return None if found != found else found  # noqa: PLR0124 - NaN alone differs from itself
