"""`karat.preferences`, `karat.rank_preferences` and `karat.check_preferences`."""

from typing import Annotated, Any, Literal

from karat.api import options as common
from karat.api.kinds import INPUT, INPUTS, File, Text, Texts
from karat.api.options import Option, bound, documented
from karat.api.reports import run, without_items
from karat.errors import DataError
from karat.report import Report

Gold = Annotated[Any, Option("Items with people's labels: any table, or hf://...", "GOLD", INPUT)]
Predictions = Annotated[Any, Option("A file for each system.", "PREDICTIONS", INPUTS)]
Scores = Annotated[Any, Option("A table of system, criterion, metric, value.", "SCORES", INPUT)]
Submission = Annotated[Any, Option("The predictions to be submitted.", "SUBMISSION", INPUT)]
GoldItems = Annotated[Any, Option("The items, with or without labels.", "ITEMS", INPUT, flag="--gold", required=True)]


@documented
def preferences(
    gold: Gold,
    predictions: Predictions,
    *,
    system: Annotated[
        Texts, Option("A system's name, in the order of the files; by default the file's. Repeatable.", "NAME")
    ] = (),
    criteria: common.Criteria = (),
    labels: common.Labels = (),
    explanations: Annotated[
        bool, Option("Score explanations too: by ROUGE-L, and by BERTScore and verdicts where given.")
    ] = False,
    stem: Annotated[bool, Option("Compare word stems in ROUGE-L.")] = False,
    embedding_model: Annotated[Text, Option("Name or folder of a model for BERTScore.", "MODEL")] = None,
    layer: Annotated[int | None, Option("The layer of the model whose vectors are compared.")] = None,
    verdicts: Annotated[File, Option("A judge's verdicts on explanations.", "FILE")] = None,
    unparsed: Annotated[Literal["yes", "no", "missing"], Option("How to count a null verdict.")] = "missing",
    columns: common.Columns = None,
    by: common.By = (),
    cluster: common.Cluster = None,
    confidence: common.Confidence = 0.95,
    seed: common.Seed = 0,
    on_invalid: common.OnInvalid = "error",
    input_format: common.InputFormat = None,
    examples: common.Examples = 5,
    items: common.Items = None,
    progress: common.Progress = None,
) -> Report:
    """How well systems predict which of two responses people prefer, and why.

    On each criterion: accuracy = labels equal to the gold label / items with a gold label (a missing label is wrong);
    balanced accuracy, macro F1 and Cohen's kappa. Then means over criteria, baselines and ranks.

    Arguments
    ---------
    gold: A row per item: id, instruction, output_a, output_b (these three may be missing), {criterion}_preference,
        {criterion}_explanation (may be missing).
    predictions: With id and the labels, and explanations where these are scored. Rows are joined by id.
    stem: Porter stems, as in rouge-score.
    embedding_model: Needs karat[embeddings].
    layer: By default the one that the authors of BERTScore recommend, else the last.
    verdicts: A table: id, system, criterion, verdict (yes, no or null).
    unparsed: With missing, null verdicts are left out of the denominator, and counted.

    Returns
    -------
    A Report with the tables scores, confusion, differences and, of several systems, ranks.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed.

    Example
    -------
    >>> import polars as pl, karat
    >>> gold = pl.DataFrame({"id": ["1", "2"], "fluency_preference": ["A", "B"]})
    >>> mine = pl.DataFrame({"id": ["2", "1"], "fluency_preference": ["B", "B"]})
    >>> report = karat.preferences(gold, mine, system="mine", criteria="fluency")
    >>> report.estimate("scores", "accuracy", {"system": "mine", "criterion": "fluency"}).value
    0.5

    Source: the task of the ELOQUENT 2025 lab on preference prediction.

    Command
    -------
    Compare predicted preferences with people's: accuracy and other figures by criterion, explanations, ranks.

    Tables need the columns id and CRITERION_preference, and CRITERION_explanation with --explanations. For example:

    karat preferences score gold.jsonl ours.tsv theirs.tsv --explanations --output report.html
    """
    return run(preferences, locals())


@documented
def rank_preferences(
    scores: Scores, *, columns: common.Columns = None, input_format: common.InputFormat = None
) -> Report:
    """Rank systems by published scores: Borda points and mean rank over all figures.

    Each metric on each criterion ranks all systems. Borda points = systems beaten, summed over these figures; a tie
    counts half.

    Arguments
    ---------
    scores: Higher is better, except for metrics that Karat knows to be better when low.

    Returns
    -------
    A Report with the table ranks. There are no items, so no intervals and no tests.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, karat
    >>> table = pl.DataFrame({"system": ["x", "y"], "criterion": "safety", "metric": "accuracy", "value": [0.9, 0.8]})
    >>> karat.rank_preferences(table).estimate("ranks", "borda", {"system": "x"}).value
    1.0

    Source: Borda 1784; Friedman 1937 for mean ranks.

    Command
    -------
    Rank systems by published scores: Borda points and mean ranks over all figures.
    """
    values = bound(rank_preferences, locals())
    from karat.evaluations.preferences.tables import published_ranks
    from karat.evaluations.scoring import input_of
    from karat.formats.published import SCORES, read_scores
    from karat.formats.source import sources
    from karat.schemas.columns import mapped_columns

    (source,) = sources([scores], values["input_format"])
    table = read_scores(source, mapped_columns(values["columns"], SCORES))
    ranks, warnings = published_ranks(table)
    return without_items(
        values,
        [input_of(source, table.height)],
        {"ranks": ranks},
        evaluation="preferences",
        words="preferences rank",
        counts={"systems": table["system"].n_unique(), "scores": table.height},
        warnings=tuple(warnings),
    )


@documented
def check_preferences(
    submission: Submission,
    gold: GoldItems,
    *,
    explanations: Annotated[bool, Option("Require explanations too.")] = False,
    criteria: common.Criteria = (),
    labels: common.Labels = (),
    columns: common.Columns = None,
    input_format: common.InputFormat = None,
) -> int:
    """Check a file of predictions before it is submitted.

    Arguments
    ---------
    submission: Tab-separated, unless input_format says otherwise.

    Returns
    -------
    The number of rows.

    Raises
    ------
    DataError with all that is wrong: missing, extra or duplicate ids, labels outside the list, empty labels and
    explanations, missing columns, another separator. OptionError for invalid arguments.
    """
    values = bound(check_preferences, locals())
    from karat.evaluations.preferences.scoring import reading
    from karat.formats.preferences import find_gaps, find_problems, read_items
    from karat.formats.source import sources

    how = reading(values)
    ((items,), (source,)) = (sources([one], values["input_format"], "preferences") for one in (gold, submission))
    known = read_items(items, how)
    if source.path is not None and values["input_format"] is None and source.format != "tsv":
        raise DataError(
            f"{source.name}: expected a table separated by tabs, as it is submitted; got {source.format}. "
            "Save it with tabs, or name its format with input_format (--input-format)"
        )
    frame, findings = find_problems(source, how, known)
    find_gaps(source, how, known, frame, findings)
    findings.settle(drop=False)
    return frame.height
