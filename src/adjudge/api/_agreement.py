"""`adjudge.agreement`."""

from typing import Annotated, Any, Literal, Unpack

from adjudge.api import options as common
from adjudge.api.calls import documented
from adjudge.api.kinds import INPUTS, File, written
from adjudge.api.options import Option
from adjudge.api.reports import run
from adjudge.report import Report


@documented
def agreement(
    data: Annotated[Any, Option("Long or wide tables of labels, or win-tie-loss JSON.", "INPUT", INPUTS)],
    *,
    level: common.Level = None,
    ordered: common.Ordered = (),
    labels: common.AnyLabels = (),
    exact_labels: common.ExactLabels = False,
    flag_values: common.FlagValues = None,
    annotator_columns: common.AnnotatorColumns = (),
    vote_separator: common.VoteSeparator = None,
    consensus: Annotated[
        Literal["pooled", "dawid-skene", "majority", "glad", "mace"] | None,
        Option(
            "What annotators come to on each item: the label with most votes, or the most probable by a model of how "
            "each annotator errs. By default pooled; majority for fewer than three annotators; none for numbers."
        ),
    ] = None,
    consensus_file: Annotated[
        File,
        Option(
            "Write the consensus to this file, .csv or .parquet: labels that other evaluations read as a reference.",
            "FILE",
            written(".csv", ".parquet"),
        ),
    ] = None,
    **further: Unpack[common.OnWorkers],
) -> Report:
    """How far annotators agree with one another, where nothing says who is right.

    alpha = 1 - observed / expected disagreement (Krippendorff); beside it Gwet's AC, Fleiss' kappa and percent
    agreement. Labels may be missing, and items have any number of annotators.

    Arguments
    ---------
    data: Several are read as one. Long tables have the columns item, annotator, label and optionally flag, skipped,
        cluster.
    annotator_columns: Of a table with a row per item. A column of votes is the annotator of that name; with
        vote_separator its votes are the annotators NAME#1, NAME#2 ...
    consensus: dawid-skene weighs annotators by the errors that their labels show (Dawid and Skene 1979); pooled draws
        these to the errors of all, so that few labels are not taken for more than they are; glad also knows how hard
        items are, mace who guesses; both of these need adjudge[crowd].
    consensus_file: A row per item: item, the by columns, annotator (consensus), label, probability (under the model; of
        a majority none), votes for it, labels, skipped (of a tie, which has no label).

    Returns
    -------
    A Report with the tables agreement, annotators, informedness, consensus and others.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError without what glad and mace need.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"item": [1, 1, 2, 2], "annotator": ["ann", "ben"] * 2, "label": ["a", "a", "b", "a"]})
    >>> adjudge.agreement(table).estimate("agreement", "alpha", {"over": "items"}).value
    0.0

    Command
    -------
    How far annotators agree, without a reference: alpha, Gwet's AC, kappas, percent agreement.

    Long tables need the columns item, annotator, label. For example:

    adjudge agreement score votes.csv --columns item=id,annotator=worker,label=answer

    Wide tables have a row per item and a column per annotator:

    adjudge agreement score sheet.csv --annotator-columns ana,ben,cleo --level interval
    """
    return run(agreement, locals())
