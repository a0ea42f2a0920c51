"""`karat.correct`."""

from typing import Annotated, Unpack

from karat.api import options as common
from karat.api.calls import bound, documented
from karat.api.kinds import LISTED, File, Text, Texts, from_to, written
from karat.api.options import Option
from karat.api.reports import check_by, done_to, inputs_of, without_items
from karat.report import Report


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
    draw: common.Draw = None,
    certainty: common.Certainty = None,
    weights: Annotated[
        Text,
        Option(
            "Column with the number of items that each labelled one stands for, as --next-file writes it.", "COLUMN"
        ),
    ] = None,
    strata: Annotated[
        Text, Option("Column with the group of each item, where people labelled different shares of groups.", "COLUMN")
    ] = None,
    width: common.Width = None,
    assurance: common.Assurance = 0.8,
    label_next: Annotated[
        int | None,
        Option("Draw this many items for people to label next, more often those that teach more.", kind=from_to(1)),
    ] = None,
    next_file: Annotated[
        File,
        Option(
            "Write these items, and all labels behind them, to this .csv, with a column weight.",
            "FILE",
            written(".csv"),
        ),
    ] = None,
    flag_values: common.FlagValues = None,
    exact_labels: common.ExactLabels = False,
    annotator_columns: common.AnnotatorColumns = (),
    vote_separator: common.VoteSeparator = None,
    columns: common.Columns = None,
    by: common.By = (),
    cluster: common.Cluster = None,
    confidence: common.Confidence = 0.95,
    seed: common.Seed = 0,
    on_invalid: common.OnInvalid = "error",
    progress: common.Progress = None,
    **further: Unpack[common.Reading],
) -> Report:
    """What people would say of all items, from their labels of some and a judge's of all, and what these are worth.

    corrected = people's figure on the n items that they labelled + w (the judge's figure on all items - its figure on
    the n); w, from 0 to 1 + n / N, is how well the judge tells what people say.

    Arguments
    ---------
    data: As in `karat.card`. Items that people labelled have to be a random sample of those that the judge labelled,
        or one as weights or strata say.
    label_next: One judge's. Those on which it is expected to err more are drawn more often.
    next_file: A row per item to fill in stands first, without annotator and label. It replaces the data:
        `karat.correct(next_file, weights="weight")` takes the unequal chances into account.

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
    >>> import polars as pl, karat
    >>> said = {"gpt": "yes yes yes no yes yes yes no no no", "ana": "yes yes no no"}
    >>> rows = [(i, who, label) for who, labels in said.items() for i, label in enumerate(labels.split())]
    >>> table = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    >>> report = karat.correct(table, judges="gpt")
    >>> report.estimate("corrected", "corrected", {"judge": "gpt", "figure": "share", "label": "yes"}).value
    0.4296875

    Source: Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453 (see `karat.statistics.prediction_powered`).

    Command
    -------
    Correct a judge's figures by people's labels of some items, and say what its labels are worth.

    People label a random sample, a judge all items. For example:

    karat card correct labels.csv --judges gpt --width 0.1

    karat card correct labels.csv --judges gpt --label-next 100 --next-file next.csv

    karat card correct next.csv --judges gpt --weights weight
    """
    values = bound(correct, locals())
    from karat.evaluations.card import correcting, reading
    from karat.evaluations.card.scoring import TAKEN
    from karat.render.files import write_text
    from karat.schemas.columns import check_cluster

    check_by(values["by"], TAKEN)
    check_cluster(values["cluster"], None)
    correcting.check(values)
    options = {**values, "family": (), "own_family": None}
    with values.step("reading"):
        sources = inputs_of(values, "card")["data"]
        read = reading.read_labels(sources, options)
    with values.step("counting"):
        found = correcting.corrected(read, options)
    if found.asked is not None:
        write_text(found.asked.write_csv(), values["next_file"])
    return without_items(
        values,
        read.held.inputs,
        found.tables,
        evaluation="card",
        words="card correct",
        counts=correcting.counts_of(read),
        warnings=(*done_to(sources), *read.warnings, *found.warnings),
        notes=found.notes,
    )
