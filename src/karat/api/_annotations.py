"""`karat.annotations`."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from karat.api import arguments, readings, reports
from karat.api.arguments import OnInvalid, Progress
from karat.report import Input, Report

Population = Literal["shared", "reference"]
VoteLabels = Literal["valid", "all"]
LengthTies = Literal["none", "b"]


def annotations(
    data: Any,  # noqa: ANN401 - a path, a table, or several of them
    *,
    reference: str | None = None,
    annotator: str | Sequence[str] | None = (),
    style: bool = False,
    against: str | None = None,
    population: Population = "shared",
    labels: VoteLabels = "valid",
    length_ties: LengthTies = "none",
    matrix: bool = True,
    columns: Mapping[str, str] | None = None,
    annotator_columns: str | Sequence[str] | None = (),
    vote_values: Mapping[str, str | Sequence[str]] | None = None,
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
    """Which traits votes on pairs of responses reward, and which traits a model shows.

    Each annotator (a person, a model asked about one trait, a rule, "the response that this model wrote")
    against a reference: relevance = its valid votes / all pairs of the population; accuracy = equal votes /
    pairs on which both are valid; kappa = 2 (accuracy - 0.5); strength = kappa x relevance.

    Arguments
    ---------
    data: path of a data set of annotated pairs (AnnotatedPairs JSON, CSV, Chatbot Arena, AlpacaEval, a wide
        or a long table, Karat's columnar Parquet); a table from Python; or a list of these, which are data
        sets to compare side by side.
    reference: the annotator to compare with, by id or name; by default the data set's own. It may be a model
        (`model:NAME`) or a style rule (`style:longer`).
    annotator: ids, names or patterns (`*`, `?`) of the annotators to score; all of the file by default.
        `model:NAME` is the response that this model wrote, `model:*` every model.
    style: score the style rules too (longer, more lists, ...); see docs/style.md.
    against: the only opponent that counts for `model:` annotators.
    population: "shared", pairs that both annotate, whatever the vote; or "reference", pairs on which the
        reference's vote is valid, where a missing annotation counts as not valid.
    labels: "valid" compares text_a and text_b; "all" counts both and neither as labels too.
    length_ties: whose the longer text is where both are equally long: nobody's ("none"), or text_b's ("b").
    matrix: compare every two annotators too (tables matrix and differences), if there are at most 40.
    columns: Karat's column -> the file's: pair, prompt, text_a, text_b, model_a, model_b, annotator, vote.
    annotator_columns: the columns of a wide table that hold votes.
    vote_values: vote -> its values in the file, such as {"text_a": "1", "text_b": "2", "both": "0"}.
    by: columns of the data sets' metadata to give every figure for each group of.
    cluster: column that names what is not independent; by default the prompt, where prompts repeat; "pair"
        for none.
    confidence, seed, on_invalid, input_format, examples, items, progress: as in `karat.reliability`.

    Returns
    -------
    A Report with the tables overview, agreement, bias, votes, differences and matrix.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, karat
    >>> table = pl.DataFrame({"text_a": ["Yes.", "No."], "text_b": ["Yes, it is!", "No"], "vote": ["b", "b"]})
    >>> report = karat.annotations(table, annotator_columns="vote", reference="style:longer",
    ...                            vote_values={"text_a": "a", "text_b": "b"})
    >>> report.estimate("agreement", "accuracy").value
    0.5

    Source: the figures follow Feedback Forensics (Findeis et al. 2025), apart from undefined ones.
    """
    annotator, reference, against = (
        arguments.listed("annotator", annotator),
        arguments.text("reference", reference),
        arguments.text("against", against),
    )
    annotator_columns, vote_values = (
        arguments.listed("annotator_columns", annotator_columns),
        arguments.values("vote_values", vote_values),
    )
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
    style, matrix = arguments.boolean("style", style), arguments.boolean("matrix", matrix)
    options = arguments.bound(locals())
    from karat.evaluations.annotations.outcomes import TAKEN

    arguments.check_common(options, items, progress, TAKEN)
    arguments.one_of("population", population, get_args(Population))
    arguments.one_of("labels", labels, get_args(VoteLabels))
    arguments.one_of("length_ties", length_ties, get_args(LengthTies))
    from karat.evaluations.annotations import EVALUATION, scoring
    from karat.evaluations.annotations.tables import Settings
    from karat.formats import pairs as reader
    from karat.formats.source import sources
    from karat.formats.tables import damage_named

    step = progress or reports.silent
    reading = readings.of_annotations(options)
    choice = scoring.Choice(annotator, reference, style, against, by, cluster)
    settings = Settings(population, labels, length_ties, confidence)
    inputs = sources(data, input_format, reader.FORMATS)
    with damage_named([source.path for source in inputs if source.path]):
        with step("reading"):
            read = scoring.distinctly_named([reader.read_pairs(source, reading) for source in inputs])
            sets = [scoring.data_set(pairs, choice, settings) for pairs in read]
            heights = [one.votes.height for one in sets]
        with step("counting"):
            tables = scoring.tables_of(sets, by, matrix=matrix)
        outcome, sample = scoring.outcomes_of(sets, by), scoring.sample_of(sets, by, seed)
        rows = sum(height * len(one.annotators) for height, one in zip(heights, sets, strict=True))
        return reports.report_of(
            annotations,
            options,
            tuple(Input(source.name, source.sha256(), n) for source, n in zip(inputs, heights, strict=True)),
            tables,
            counts=scoring.counts_of(sets),
            warnings=tuple(dict.fromkeys(warning for pairs in read for warning in pairs.warnings)),
            notes=scoring.notes_of(sets),
            items=reports.items_of(outcome, outcome.head(reports.FIRST_ITEMS), rows, items, step),
            examples=reports.examples_of(
                sample,
                list(EVALUATION.outcomes),
                examples,
                reports.by_item(partial(scoring.texts_of, sets)),
                seed,
                sorted(TAKEN),
            ),
        )
