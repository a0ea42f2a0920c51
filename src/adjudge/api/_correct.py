"""`adjudge.correct`."""

from typing import Annotated, Unpack

from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import LISTED, WORD, Text, Texts
from adjudge.api.options import Option
from adjudge.api.reports import check_by, done_to, inputs_of, without_items
from adjudge.report import Report


@documented
def correct(
    data: common.OfPeopleAndJudges,
    *,
    judges: Annotated[
        Texts,
        Option("Whose labels are corrected; * stands for any letters, as in gpt-*.", "NAME,...", LISTED),
    ] = (),
    reference: Annotated[
        Texts, Option("Who the people are; by default all who are no judges.", "NAME,...", LISTED)
    ] = (),
    level: common.Level = None,
    ordered: common.Ordered = (),
    choices: common.Choices = (),
    run_column: common.RunColumn = None,
    confidence_column: common.ConfidenceColumn = None,
    weights: Annotated[
        Text, Option("Column with the number of items that each labelled one stands for.", "COLUMN", WORD)
    ] = None,
    strata: Annotated[
        Text,
        Option("Column with the group of each item, where people labelled different shares of groups.", "COLUMN", WORD),
    ] = None,
    width: common.Width = None,
    assurance: common.Assurance = 0.8,
    flag_values: common.FlagValues = None,
    exact_labels: common.ExactLabels = False,
    annotator_columns: common.AnnotatorColumns = (),
    vote_separator: common.VoteSeparator = None,
    columns: common.Columns = None,
    by: common.By = (),
    cluster: common.Cluster = None,
    ci_level: common.CILevel = 0.95,
    on_invalid: common.OnInvalid = "error",
    progress: common.Progress = None,
    **further: Unpack[common.Reading],
) -> Report:
    """What people would say of all items, from their labels of some and a judge's of all, and what these are worth.

    corrected = people's figure on the n items that they labelled + w (the judge's figure on all items - its figure on
    the n); w, from 0 to 1 + n / N, is how well the judge tells what people say.

    Arguments
    ---------
    data: As in `adjudge.card`. Items that people labelled have to be a random sample of those that the judge labelled,
        or one as weights or strata say.

    Returns
    -------
    A Report with the tables corrected (shares of labels, win rates, and how far the judge is right: people's figure,
    the judge's alone, the corrected one, how many of people's labels this is worth, and w), corrected_numbers (means
    and strengths) and, with width, budget.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> said = {"gpt": "yes yes yes no yes yes yes no no no", "ana": "yes yes no no"}
    >>> rows = [(i, who, label) for who, labels in said.items() for i, label in enumerate(labels.split())]
    >>> table = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    >>> report = adjudge.correct(table, judges="gpt")
    >>> report.estimate("corrected", "corrected", {"judge": "gpt", "figure": "share", "label": "yes"}).value
    0.4296875

    Source: Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453 (see `adjudge.statistics.prediction_powered`).

    Command
    -------
    Correct a judge's figures by people's labels of some items, and say what its labels are worth.

    People label a random sample, a judge all items. For example:

    adjudge card correct labels.csv --judges gpt --width 0.1
    """
    values = bound(correct, locals())
    from adjudge.evaluations.card import corrected, reading
    from adjudge.evaluations.card.scoring import TAKEN
    from adjudge.schemas.columns import check_cluster

    check_by(values["by"], TAKEN)
    check_cluster(values["cluster"], None)
    corrected.check_options(values)
    options = {**values, "family": (), "own_family": None}
    with values.step("reading"):
        sources = inputs_of(values, "card")["data"]
        labels = reading.read_labels(sources, options)
    with values.step("counting"):
        result = corrected.correct(labels, options)
    return without_items(
        values,
        labels.judgments.inputs,
        result.tables,
        evaluation="card",
        words="card correct",
        counts=labels.counts,
        warnings=(*done_to(sources), *labels.warnings, *result.warnings),
        notes=result.notes,
    )
