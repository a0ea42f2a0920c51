"""`adjudge.preferences`, `adjudge.rank_preferences` and `adjudge.check_preferences`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUT, INPUTS, File, Text, Texts, written
from adjudge.api.options import Option
from adjudge.api.reports import done_to, run, without_items
from adjudge.errors import DataError, OptionError, nearest
from adjudge.report import Report

if TYPE_CHECKING:
    from adjudge.readers.io.source import Source
    from adjudge.readers.preferences.preferences import Options as Reading
    from adjudge.readers.preferences.score_tables import Published
    from adjudge.schemas.preferences import JudgedItems


@documented
def preferences(
    gold: common.LabelledItems,
    predictions: Annotated[Any, Option("A file for each system, or a folder of them.", "PREDICTIONS", INPUTS)],
    *,
    system: Annotated[
        Texts, Option("A system's name, in the order of the files; by default the file's. Repeatable.", "NAME")
    ] = (),
    check: Annotated[
        bool,
        Option("Tell what is wrong with each file of predictions, and score the others if some cannot be scored."),
    ] = False,
    criteria: common.Criteria = (),
    labels: common.Labels = (),
    exact_labels: common.ExactLabels = False,
    explanations: Annotated[
        bool, Option("Score explanations too: by ROUGE-L, and by BERTScore and verdicts where given.")
    ] = False,
    stem: Annotated[bool, Option("Compare word stems in ROUGE-L.")] = False,
    embedding_model: Annotated[Text, Option("Name or folder of a model for BERTScore.", "MODEL")] = None,
    layer: Annotated[int | None, Option("The layer of the model whose vectors are compared.")] = None,
    verdicts: Annotated[File, Option("A judge's verdicts on explanations.", "FILE")] = None,
    unparsed: Annotated[Literal["yes", "no", "missing"], Option("How to count a null verdict.")] = "missing",
    **further: Unpack[common.OnWorkers],
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
    embedding_model: Needs adjudge[embeddings].
    layer: By default the one that the authors of BERTScore recommend, else the last.
    verdicts: A table: id, system, criterion, verdict (yes, no or null).
    unparsed: With missing, null verdicts are left out of the denominator, and counted.

    Returns
    -------
    A Report with the tables scores, confusion, differences and, of several systems, leaderboard and ranks; with check
    also submissions.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> gold = pl.DataFrame({"id": ["1", "2"], "fluency_preference": ["A", "B"]})
    >>> mine = pl.DataFrame({"id": ["2", "1"], "fluency_preference": ["B", "B"]})
    >>> report = adjudge.preferences(gold, mine, system="mine", criteria="fluency")
    >>> report.estimate("scores", "accuracy", {"system": "mine", "criterion": "fluency"}).value
    0.5

    Source: the task of the ELOQUENT 2025 lab on preference prediction.

    Command
    -------
    Compare predicted preferences with people's: accuracy and other figures by criterion, explanations, ranks.

    Tables need the columns id and CRITERION_preference, and CRITERION_explanation with --explanations. For example:

    adjudge preferences score gold.jsonl ours.tsv theirs.tsv --explanations --output report.html

    adjudge preferences score gold.jsonl submissions --check --output board.tex
    """
    return run(preferences, locals())


@documented
def rank_preferences(
    scores: Annotated[Any, Option("Tables of scores, or results files of the shared task.", "SCORES", INPUTS)],
    *,
    lower_is_better: Annotated[Texts, Option("A metric that is better when low. Repeatable.", "METRIC")] = (),
    columns: common.Columns = None,
    **further: Unpack[common.Reading],
) -> Report:
    """Rank systems by published scores: Borda points and mean rank over all figures.

    Each metric on each criterion ranks all systems. Borda points = systems beaten, summed over these figures; a tie
    counts half.

    Arguments
    ---------
    scores: Long (system, criterion, metric, value), wide (a row per system, a column per figure), also in Markdown, or
        the JSON that the shared task's script writes for each system. Numbers may be bold, and have %, ± or brackets.
    lower_is_better: Higher is better, except for these metrics, for columns with an arrow that points down, and for
        metrics that Adjudge knows to be better when low.

    Returns
    -------
    A Report with the table ranks. There are no items, so no intervals and no tests.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"system": ["x", "y"], "criterion": "safety", "metric": "accuracy", "value": [0.9, 0.8]})
    >>> adjudge.rank_preferences(table).estimate("ranks", "borda", {"system": "x"}).value
    1.0

    Source: Borda 1784; Friedman 1937 for mean ranks.

    Command
    -------
    Rank systems by published scores: Borda points and mean ranks over all figures.

    adjudge preferences rank table.md --lower-is-better "error rate"
    """
    values = bound(rank_preferences, locals())
    from adjudge.evaluations.preferences.tables import published_ranks
    from adjudge.evaluations.scoring import input_of
    from adjudge.readers.inputs import sources
    from adjudge.readers.preferences.score_tables import SCORES, read_scores
    from adjudge.schemas.columns import mapped_columns

    inputs = sources(scores, values.reading, "preferences")
    found = read_scores(inputs, mapped_columns(values["columns"], SCORES))
    ranks, warnings = published_ranks(found.frame, _low(values["lower_is_better"], found))
    if ranks.is_empty():
        said = "".join(f"; {one}" for one in warnings)
        names = ", ".join(source.name for source in inputs)
        raise DataError(
            f"{names}: nothing to rank: expected a figure that two systems or more all have; got none{said}"
        )
    return without_items(
        values,
        [input_of(source, height) for source, height in zip(inputs, found.heights, strict=True)],
        {"ranks": ranks},
        evaluation="preferences",
        words="preferences rank",
        counts={"systems": found.frame["system"].n_unique(), "scores": found.frame.height},
        warnings=(*done_to(inputs), *found.warnings, *warnings),
    )


def _low(asked: Sequence[str], scores: "Published") -> list[str]:
    """The metrics that are better when low, as options and scores say. Raises OptionError for another's name."""
    metrics = scores.frame["metric"].unique(maintain_order=True).to_list()
    for name in asked:
        if name not in metrics:
            raise OptionError(
                f"lower_is_better: no metric {name}{nearest(name, metrics)}; there are {', '.join(metrics):.300}"
            )
    return [*asked, *scores.low]


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a check.

    rows: rows that can be scored. done: what was repaired. left: what is still wrong with the repaired file.
    """

    rows: int
    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@documented
def check_preferences(
    submission: Annotated[Any, Option("The predictions to be submitted.", "SUBMISSION", INPUT)],
    gold: Annotated[Any, Option("The items, with or without labels.", "ITEMS", INPUT, flag="--gold", required=True)],
    *,
    explanations: Annotated[bool, Option("Require explanations too.")] = False,
    fix: Annotated[
        File, Option("Repair spaces, case, encoding and separator, and write this .tsv.", "FILE", written(".tsv"))
    ] = None,
    criteria: common.Criteria = (),
    labels: common.Labels = (),
    columns: common.Columns = None,
    **further: Unpack[common.Reading],
) -> Checked:
    """Check a file of predictions before it is submitted, and repair what needs no guess.

    Arguments
    ---------
    submission: Tab-separated, unless input_format says otherwise, or it is repaired.
    fix: Names of columns, ids and labels that differ from known ones by spaces or case alone (ids also by the .0 of a
        number) become these. Nothing else is changed: rows, their order and other columns stay; leading zeros are not
        restored.

    Returns
    -------
    Checked: the number of rows and, with fix, what was done and what is left to be mended.

    Raises
    ------
    DataError with all that is wrong: missing, extra or duplicate ids, labels outside the list, empty labels and
    explanations, missing columns, another separator; with fix, only for what cannot be read as a table. OptionError for
    invalid arguments.
    """
    values = bound(check_preferences, locals())
    from adjudge.evaluations.preferences.scoring import reader_options
    from adjudge.readers.inputs import source_of
    from adjudge.readers.preferences.preferences import read_items
    from adjudge.readers.preferences.repairs import repaired
    from adjudge.render.files import write_whole

    how = reader_options(values)
    items, source = (source_of(one, values.reading, "preferences") for one in (gold, submission))
    known = read_items(items, how)
    if values["fix"] is not None:
        table, done = repaired(source, how, known)
        write_whole(values["fix"], partial(table.write_csv, separator="\t"))
        try:
            return Checked(_checked(source_of(values["fix"]), how, known), done)
        except DataError as wrong:
            return Checked(table.height, done, tuple(str(wrong).splitlines()))
    if source.path is not None and values["input_format"] is None and source.format != "tsv":
        raise DataError(
            f"{source.name}: expected a table separated by tabs, as it is submitted; got {source.format}. "
            "Save it with tabs (--fix OUT.tsv does), or name its format with --input-format"
        )
    return Checked(_checked(source, how, known))


def _checked(source: "Source", how: "Reading", gold: "JudgedItems") -> int:
    """How many rows there are. Raises DataError with all that is wrong."""
    from adjudge.readers.preferences.preferences import find_all

    found = find_all(source, how, gold)
    found.findings.settle(drop=False)
    return found.frame.height
