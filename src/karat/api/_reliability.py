"""`karat.reliability`."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from karat.api import arguments, readings, reports
from karat.api.arguments import OnInvalid, Progress
from karat.errors import OptionError
from karat.report import Report

Rule = Literal["first", "majority", "unanimous"]


def reliability(
    data: Any,  # noqa: ANN401 - a path, a table, or several of them
    *,
    reference: str | Sequence[str] | None = (),
    reference_rule: Rule = "unanimous",
    exclude_no_consensus: bool = False,
    flag_values: Mapping[str, str | Sequence[str]] | None = None,
    labels: str | Sequence[str] | None = (),
    columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] | None = (),
    cluster: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    on_invalid: OnInvalid = "error",
    input_format: str | None = None,
    examples: int = 5,
    items: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """How far each annotator agrees with a trusted reference: flags first, then the choice.

    reliability = choices equal to the reference's / items that neither side flagged;
    flag_mismatch = items on which the flags differ / all items of the annotator.

    Arguments
    ---------
    data: path of a win-tie-loss JSON or of a long table (CSV, TSV, JSON lines, Parquet, JSON records)
        with the columns item, annotator, label and optionally flag, skipped, cluster, reference,
        reference_flag, reference_skipped; a table from Python (polars, pandas, pyarrow ...); or a list
        of these, which are read as one.
    reference: the annotators to trust, where no column `reference` says what is right.
    reference_rule: how several trusted judges of an item become one: "first", "majority" or
        "unanimous" (default). Where they disagree the item is deducted.
    exclude_no_consensus: deduct items on which the annotators have no unique most frequent choice.
    flag_values: {"flagged": ..., "clean": ...}, the values (one or several) that mean it. By default
        yes, true, 1 and no, false, 0.
    labels: the only labels allowed; any label is, by default.
    columns: Karat's column -> the file's, such as {"item": "orig_id"}.
    by: columns of the file to give every figure for each group of.
    cluster: column that names what is not independent (a document, a prompt). Then all figures are
        clustered by it; else only the pooled row is, by item.
    confidence: nominal coverage of the intervals, in (0, 1).
    seed: of the choice of examples.
    on_invalid: "error" refuses a file with invalid rows; "drop" leaves them out and counts them.
    input_format: csv, tsv, jsonl, json, parquet or win-tie-loss; found out by default.
    examples: how many items of each outcome to show.
    items: a .parquet file to write the outcomes to, a row per item, annotator and part.
    progress: called with the name of each step, for a progress bar.

    Returns
    -------
    A Report with the tables annotators, overall, deductions, flags and confusion.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, karat
    >>> table = pl.DataFrame({"item": [1, 2, 3, 4], "annotator": ["ann"] * 4,
    ...                       "label": ["a", "b", "a", "tie"], "reference": ["a", "b", "b", "tie"]})
    >>> print(karat.reliability(table).estimate("annotators", "reliability", {"annotator": "ann"}))
    0.750 [0.301, 0.954] n=4 (few items)
    """
    reference, labels = arguments.listed("reference", reference), arguments.listed("labels", labels)
    by, cluster, columns = (
        arguments.listed("by", by),
        arguments.text("cluster", cluster),
        arguments.names("columns", columns),
    )
    confidence, seed, examples = (
        arguments.confidence(confidence),
        arguments.whole("seed", seed),
        arguments.whole("examples", examples),
    )
    exclude_no_consensus = arguments.boolean("exclude_no_consensus", exclude_no_consensus)
    flag_values = _flag_values(flag_values)
    options = arguments.bound(locals())
    arguments.check_common(options, items, progress)
    arguments.one_of("reference_rule", reference_rule, get_args(Rule))
    from karat.evaluations.reliability import EVALUATION, outcomes, scoring, tables
    from karat.formats import judgments as reader
    from karat.formats.source import sources

    step = progress or reports.silent
    reading = readings.of_reliability(options)
    with step("reading"):
        judged = reader.read_judgments(sources(data, input_format, reader.FORMATS), reading)
        frame = outcomes.prepared(
            judged.frame,
            judged.references,
            reference_rule,
            exclude_no_consensus=exclude_no_consensus,
            flags_known=judged.flags_known,
        )
    compare = partial(outcomes.outcomes, by=by)
    outcome = compare(frame)
    clustered = "cluster" in judged.frame.columns
    with step("counting"):
        made = tables.tables_of(outcome, by, confidence, clustered=clustered)
        numbers = scoring.numbers_of(outcome, judged.frame.height, clustered=clustered)
    return reports.report_of(
        reliability,
        options,
        judged.inputs,
        made,
        counts=numbers | {f"dropped for {column}": count for column, count in judged.dropped.items()},
        warnings=judged.warnings,
        notes=(scoring.note_of(numbers["clusters"], cluster, clustered=clustered),),
        items=reports.items_of(outcome, compare(frame.head(reports.FIRST_ITEMS)), 2 * judged.frame.height, items, step),
        examples=reports.examples_of(
            compare(reports.sampled(frame, judged.frame.height, seed)),
            list(EVALUATION.outcomes),
            examples,
            reports.by_item(partial(reader.item_texts, judged)),
            seed,
        ),
    )


def _flag_values(values: object) -> dict[str, list[str]]:
    """The values of `flag_values`, checked: both sides, no value on both."""
    found = arguments.values("flag_values", values)
    if not found:
        return {}
    if found.keys() != {"flagged", "clean"} or not all(found.values()):
        got = ", ".join(f"{side}={text}" for side, texts in found.items() for text in texts)
        raise OptionError(f"flag_values: expected values for both, such as flagged=NSFW,clean=OK; got {got}")
    both = {text.casefold() for text in found["flagged"]} & {text.casefold() for text in found["clean"]}
    if both:
        raise OptionError(f"flag_values: {min(both)} stands for both flagged and clean")
    return found
