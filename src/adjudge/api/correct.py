"""`adjudge.correct`."""

from adjudge.api.functions import step_of, takes
from adjudge.api.reports import check_by, done_to, inputs_of, without_items
from adjudge.evaluations.card.options import CorrectOptions
from adjudge.report import Report


@takes(CorrectOptions)
def correct(options: CorrectOptions) -> Report:
    """Prediction-powered estimates of human labels on all items, from human labels of some and a judge's of all.

    corrected = the human metric on the n labelled items + w (the judge's metric on all items - its metric on the n);
    w, from 0 to 1 + n / N, is how well the judge predicts human labels.

    Returns
    -------
    A Report with the tables corrected, corrected_numbers (means and strengths) and, with width, budget. corrected has
    shares of labels, win rates and the judge's accuracy: by human labels, by the judge alone, corrected, the effective
    sample size in human labels, and w.

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
    >>> report.estimate("corrected", judge="gpt", figure="share", label="yes").value
    0.4296875

    Source: Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453 (see `adjudge.statistics.prediction_powered`).
    """
    from adjudge.evaluations.card import corrected, reading
    from adjudge.evaluations.card.scoring import TAKEN
    from adjudge.evaluations.inputs import settle_judge_tables
    from adjudge.schemas.columns import check_cluster

    check_by(options.by, TAKEN)
    check_cluster(options.cluster, None)
    corrected.check_options(options)
    with step_of(options)("reading"):
        options, inputs, settled = settle_judge_tables("correct", options, inputs_of(options, "card"))
        sources = inputs["data"]
        labels = reading.read_labels(sources, options)
    with step_of(options)("counting"):
        made, warnings, notes = corrected.correct(labels, options)
    return without_items(
        options,
        labels.judgments.inputs,
        made,
        evaluation="card",
        words="card correct",
        counts=labels.counts,
        warnings=(*settled, *done_to(sources), *labels.warnings, *warnings),
        notes=notes,
    )
