"""`karat.preferences`."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from karat.api import arguments, readings, reports
from karat.api.arguments import OnInvalid, Progress
from karat.errors import DataError, OptionError
from karat.report import Input, Report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.schemas.preferences import Judged

Unparsed = Literal["yes", "no", "missing"]

_SAMPLED = 2_000
"""How many items, at most, examples are chosen from."""


def preferences(
    gold: Any,  # noqa: ANN401 - a path or a table
    predictions: Any,  # noqa: ANN401 - a path, a table, or several of them
    *,
    system: str | Sequence[str] | None = (),
    criteria: str | Sequence[str] | None = (),
    labels: str | Sequence[str] | None = (),
    explanations: bool = False,
    stem: bool = False,
    embedding_model: str | None = None,
    layer: int | None = None,
    verdicts: str | Path | None = None,
    unparsed: Unparsed = "missing",
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
    """How well systems predict which of two responses people prefer, and why.

    On each criterion: accuracy = labels equal to the gold label / items with a gold label, a missing label being
    wrong; balanced accuracy, macro F1 and Cohen's kappa beside it; means over criteria; baselines; ranks.

    Arguments
    ---------
    gold: path of a table (JSON, JSON lines, Parquet, CSV, TSV; also `hf://...`) or a table from Python, a row per
        item: id, instruction, output_a, output_b (these three may be missing), `{criterion}_preference`,
        `{criterion}_explanation` (may be missing).
    predictions: one or several of the same, with id and the labels; with explanations those too. Rows join on id.
    system: the systems' names, in the order of predictions; by default the files' names without ending.
    criteria: what is judged; by default relevance, naturalness, truthfulness, safety, overall_quality.
    labels: the labels allowed; by default A, B, both_good, both_bad.
    explanations: score explanations too, by ROUGE-L (stem: with Porter's stems, as rouge-score has them), and by
        what follows.
    embedding_model: a model's name or local folder for BERTScore (needs karat[embeddings]); layer: whose vectors
        count, by default the one its authors recommend, else the last.
    verdicts: path of a judge's verdicts on explanations: id, system, criterion, verdict (yes, no or null).
        unparsed: what null counts as, "yes", "no" or "missing" (left out, and counted).
    columns: Karat's column -> the files', such as {"id": "item_id", "safety_preference": "safe"}.
    by: columns of the gold to give every figure for each group of.
    cluster: column of the gold that names what is not independent; by default the instruction, where instructions
        repeat; "id" for none.
    confidence, seed, on_invalid, input_format, examples, items, progress: as in `karat.reliability`; with
        on_invalid="drop" a label that is none counts as missing.

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
    """
    system, criteria = arguments.listed("system", system), arguments.listed("criteria", criteria)
    labels, embedding_model = arguments.listed("labels", labels), arguments.text("embedding_model", embedding_model)
    explanations, stem = arguments.boolean("explanations", explanations), arguments.boolean("stem", stem)
    layer = None if layer is None else arguments.whole("layer", layer)
    verdicts = None if verdicts is None else str(verdicts)
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
    options = arguments.bound(locals())
    arguments.check_common(options, items, progress)
    arguments.one_of("unparsed", unparsed, get_args(Unparsed))
    import numpy as np

    from karat.evaluations.preferences import EVALUATION, scoring, tables
    from karat.formats import preferences as reader
    from karat.formats.source import sources

    step = progress or reports.silent
    task = readings.task_of(criteria, labels)
    _check_explanations(explanations=explanations, stem=stem, embedding_model=embedding_model, layer=layer)
    reading = readings.of_preferences(options)
    with step("reading"):
        (trusted,) = sources([gold], input_format, reader.FORMATS)
        submitted = sources(predictions, input_format, reader.FORMATS)
        names = scoring.system_names([(one.name, one.path) for one in submitted], system)
        judged = reader.read_gold(trusted, reading)
        systems = [
            reader.read_predictions(one, reading, judged, name) for one, name in zip(submitted, names, strict=True)
        ]
    inputs = [
        Input(source.name, source.sha256(), one.rows)
        for source, one in zip((trusted, *submitted), (judged, *systems), strict=True)
    ]
    scores, warnings = _explanation_scores(judged, systems, options, step)
    if verdicts is not None:
        found, verdict_input, told = _verdicts(judged, names, verdicts, unparsed)
        inputs.append(verdict_input)
        scores |= {"judge": found}
        warnings += told
    with step("counting"):
        data = scoring.scored(judged, systems, scores, by=by, cluster=cluster, confidence=confidence)
        made = tables.tables_of(data.groups, by)
    height = judged.frame.height
    drawn = np.random.default_rng(seed).choice(height, size=min(height, _SAMPLED), replace=False)
    return reports.report_of(
        preferences,
        options,
        tuple(inputs),
        made,
        named=("verdicts",) if verdicts is not None else (),
        counts=scoring.counts_of(data),
        warnings=(*scoring.warnings_of(data), *warnings),
        notes=scoring.notes_of(data),
        items=reports.items_of(
            scoring.outcomes_of(data, by),
            scoring.outcomes_of(data, by, reports.FIRST_ITEMS),
            scoring.outcomes_count(data),
            items,
            step,
        ),
        examples=reports.examples_of(
            scoring.sample_of(data, by, drawn),
            list(EVALUATION.outcomes),
            examples,
            partial(scoring.texts_of, data),
            seed,
        ),
    )


def rank_preferences(
    scores: Any,  # noqa: ANN401 - a path or a table
    *,
    columns: Mapping[str, str] | None = None,
    input_format: str | None = None,
) -> Report:
    """Rank systems by published scores: Borda points and mean rank over all figures.

    Each metric on each criterion ranks all systems; Borda points = systems beaten, ties half, summed over figures.

    scores: path of a table or a table: system, criterion, metric, value; higher is better, but for metrics that
        Karat knows to be better when low. columns: Karat's column -> the file's. input_format: as in
        `karat.reliability`.
    Returns a Report with the table ranks. There are no items, so no intervals and no tests.
    Raises DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, karat
    >>> table = pl.DataFrame({"system": ["x", "y"], "criterion": "safety", "metric": "accuracy", "value": [0.9, 0.8]})
    >>> karat.rank_preferences(table).estimate("ranks", "borda", {"system": "x"}).value
    1.0

    Source: Borda 1784; Friedman 1937 for mean ranks.
    """
    columns = arguments.names("columns", columns)
    options = arguments.bound(locals())
    import polars as pl

    from karat.evaluations.preferences import tables
    from karat.formats.scores import COLUMNS, read_scores
    from karat.formats.source import sources
    from karat.report import Items
    from karat.schemas.outcomes import OUTCOMES

    (source,) = sources([scores], input_format)
    table = read_scores(source, arguments.mapped_columns(columns, None, COLUMNS))
    ranks, warnings = tables.published_ranks(table)
    nothing = pl.DataFrame(schema=dict.fromkeys(OUTCOMES, pl.String))
    return reports.report_of(
        rank_preferences,
        options,
        (Input(source.name, source.sha256(), table.height),),
        {"ranks": ranks},
        evaluation="preferences",
        command="preferences rank",
        counts={"systems": table["system"].n_unique(), "scores": table.height},
        warnings=tuple(warnings),
        items=Items(nothing, 0),
        examples=nothing,
    )


def check_preferences(
    submission: Any,  # noqa: ANN401 - a path or a table
    gold: Any,  # noqa: ANN401
    *,
    criteria: str | Sequence[str] | None = (),
    labels: str | Sequence[str] | None = (),
    explanations: bool = False,
    columns: Mapping[str, str] | None = None,
    input_format: str | None = None,
) -> int:
    """Check a file of predictions before it is submitted.

    submission: what a system predicts, a table separated by tabs unless input_format says otherwise. gold: the
    items, whose labels need not be there. explanations: whether they are part of the task. criteria, labels, columns,
    input_format: as in `karat.preferences`.
    Returns the number of rows. Raises DataError with all that is wrong: ids that are missing, extra or double,
    labels outside the list, empty labels and explanations, columns that are missing, another separator.
    """
    task = readings.task_of(arguments.listed("criteria", criteria), arguments.listed("labels", labels))
    columns = arguments.names("columns", columns)
    from karat.formats import preferences as reader
    from karat.formats.source import sources

    reading = reader.Options(
        task=task,
        columns=arguments.mapped_columns(columns, None, reader.known_columns(task)),
        explanations=arguments.boolean("explanations", explanations),
    )
    ((items,), (source,)) = (sources([one], input_format, reader.FORMATS) for one in (gold, submission))
    known = reader.read_items(items, reading)
    if source.path is not None and input_format is None and source.format != "tsv":
        raise DataError(
            f"{source.name}: expected a table separated by tabs, as it is submitted; got {source.format}. "
            "Save it with tabs, or name its format with input_format (--input-format)"
        )
    frame, findings = reader.find_problems(source, reading, known)
    reader.find_gaps(source, reading, known, frame, findings)
    findings.settle(drop=False)
    return frame.height


def _check_explanations(*, explanations: bool, stem: bool, embedding_model: str | None, layer: int | None) -> None:
    if (stem or embedding_model) and not explanations:
        given = "stem" if stem else "embedding_model"
        raise OptionError(f"{given} is about explanations; give explanations (--explanations) too")
    if layer is not None and embedding_model is None:
        raise OptionError("layer is that of an embedding model; give embedding_model (--embedding-model) too")


def _explanation_scores(
    judged: "Judged", systems: "Sequence[Judged]", options: Mapping[str, Any], step: Progress
) -> "tuple[dict[str, list[NDArray[np.float64]]], list[str]]":
    """Metric -> scores of each system, and warnings."""
    from karat.evaluations.preferences import explanations

    if not options["explanations"]:
        return {}, []
    from karat.text.rouge import rouge_l

    found = {}
    with step("ROUGE-L"):
        found["rouge_l"] = explanations.scores(judged, systems, partial(rouge_l, stem=options["stem"]))
    if options["embedding_model"]:
        from karat.text.bertscore import bertscore

        with step("BERTScore"):
            compare = partial(bertscore, model=options["embedding_model"], layer=options["layer"])
            found["bertscore"] = explanations.scores(judged, systems, compare)
    absent = {system.name: explanations.absent(judged, system) for system in systems}
    return found, [f"{name}: {n:,} explanations are missing, and score 0" for name, n in absent.items() if n]


def _verdicts(
    judged: "Judged", names: Sequence[str], path: str, unparsed: Unparsed
) -> "tuple[list[NDArray[np.float64]], Input, list[str]]":
    from karat.evaluations.preferences import explanations
    from karat.formats.source import sources
    from karat.formats.verdicts import read_verdicts

    (source,) = sources(path)
    table, warnings = read_verdicts(source, judged.frame["id"], names, judged.task.criteria)
    silent = table["verdict"].null_count()
    if silent:
        warnings.append(f"{source.name}: {silent:,} verdicts are null, and count as {unparsed}")
    found = explanations.verdicts(judged, names, table, unparsed)
    return found, Input(source.name, source.sha256(), table.height), warnings
