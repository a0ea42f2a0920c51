"""`adjudge.reliability` and `adjudge.reliability_of`."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Unpack

from adjudge.api import options as common
from adjudge.api.calls import documented
from adjudge.api.kinds import INPUTS, LISTED, WORD, Text, Texts
from adjudge.api.options import Option
from adjudge.api.reports import run
from adjudge.errors import DataError, encodable
from adjudge.report import Report


@documented
def reliability(
    data: Annotated[Any, Option("Win-tie-loss JSON, or long or wide tables.", "INPUT", INPUTS)],
    *,
    reference: Annotated[Texts, Option("An annotator to trust. Repeatable.", "NAME")] = (),
    reference_rule: Annotated[
        Literal["first", "majority", "unanimous"],
        Option("How the judgments of several trusted annotators are combined."),
    ] = "unanimous",
    exclude_no_consensus: Annotated[
        bool, Option("Leave out items on which no single choice is the annotators' favourite.")
    ] = False,
    flag_values: common.FlagValues = None,
    labels: common.AnyLabels = (),
    exact_labels: common.ExactLabels = False,
    ordered: Annotated[
        Texts,
        Option(
            "The labels from one end to the other, or numbers: adds weighted kappas, Spearman and the mean absolute "
            "error.",
            "LABEL,...",
            LISTED,
        ),
    ] = (),
    positive: Annotated[
        Text, Option("The label to find, such as fail: adds its precision, recall, specificity and F1.", "LABEL", WORD)
    ] = None,
    annotator_columns: common.AnnotatorColumns = (),
    vote_separator: common.VoteSeparator = None,
    **further: Unpack[common.OnWorkers],
) -> Report:
    """How far each annotator agrees with a trusted one: flags first, then the choice.

    reliability = choices equal to the reference's / items that neither side flagged;
    flag_mismatch = items on which the flags differ / items on which both sides say whether to flag.

    Arguments
    ---------
    data: Several are read as one. Long tables have the columns item, annotator, label and optionally flag, skipped,
        cluster, reference, reference_flag, reference_skipped.
    annotator_columns: Of a table with a row per item. A column of votes is the annotator of that name; with
        vote_separator its votes are the annotators NAME#1, NAME#2 ...
    ordered: Labels that are no numbers, or not among those listed, are refused.
    reference_rule: An item on which they reach no verdict is deducted.

    Returns
    -------
    A Report with the tables annotators, overall, deductions, flags and confusion.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"item": [1, 2, 3, 4], "annotator": ["ann"] * 4,
    ...                       "label": ["a", "b", "a", "tie"], "reference": ["a", "b", "b", "tie"]})
    >>> print(adjudge.reliability(table).estimate("annotators", "reliability", {"annotator": "ann"}))
    0.750 [0.301, 0.954] n=4 (few items)

    Command
    -------
    Compare annotators with a trusted reference: reliability, flag mismatch, kappa.

    Long tables need the columns item, annotator, label and a reference: a column, or --reference NAME.
    They may have flag, skipped, cluster, reference_flag, reference_skipped. For example:

    adjudge reliability score votes.csv --columns item=id,annotator=worker,label=answer,reference=gold

    Wide tables have a row per item and a column per annotator:

    adjudge reliability score sheet.csv --annotator-columns ana,ben,cleo --columns reference=gold
    """
    return run(reliability, locals())


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
