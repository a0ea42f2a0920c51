"""One function per evaluation: binds reader, outcomes, counts and figures into a Report."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from karat import __version__, arguments
from karat.arguments import OnInvalid, Progress
from karat.errors import OptionError
from karat.report import Input, Items, Report
from karat.signature import command_line, signature

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from karat.schemas.preferences import Judged, Task

Rule = Literal["first", "majority", "unanimous"]
Population = Literal["shared", "reference"]
VoteLabels = Literal["valid", "all"]
LengthTies = Literal["none", "b"]
Unparsed = Literal["yes", "no", "missing"]
TextsOf = Callable[["pl.DataFrame"], list[dict[str, str]]]
"""From rows of outcomes to what the inputs say of each: name -> text."""

_FIRST_ITEMS = 10
"""How many judgments' outcomes a report keeps."""

_SAMPLED = 100_000
_SAMPLED_ITEMS = 2_000
"""How many judgments, or items, at most, examples are chosen from."""


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
    from karat.evaluations.reliability import EVALUATION, outcomes, scoring
    from karat.formats import judgments as reader
    from karat.formats.source import sources
    from karat.schemas import judgments as schema

    step = progress or _silent
    reading = reader.Options(
        columns=arguments.mapped_columns(columns, cluster, schema.TEXT),
        reference=reference,
        by=by,
        flag_values=flag_values or schema.FLAGS,
        labels=labels or None,
        drop=on_invalid == "drop",
    )
    with step("reading"):
        judged = reader.read_judgments(sources(data, input_format, reader.FORMATS), reading)
        frame = outcomes.prepared(
            judged.frame, judged.references, reference_rule, exclude_no_consensus=exclude_no_consensus
        )
    compare = partial(outcomes.outcomes, by=by)
    outcome = compare(frame)
    with step("counting"):
        counted = scoring.count(outcome, by, clustered="cluster" in judged.frame.columns)
    with step("estimating"):
        tables = scoring.tables_of(counted, by, confidence, flags_known=judged.flags_known)
    numbers = scoring.numbers_of(counted, judged.frame.height)
    return _report(
        reliability,
        options,
        judged.inputs,
        tables,
        counts=numbers | {f"dropped for {column}": count for column, count in judged.dropped.items()},
        warnings=judged.warnings,
        notes=(scoring.note_of(counted, numbers["clusters"], cluster),),
        items=_items(outcome, compare(frame.head(_FIRST_ITEMS)), 2 * judged.frame.height, items, step),
        examples=_examples(
            compare(_sample(frame, judged.frame.height, seed)),
            list(EVALUATION.outcomes),
            examples,
            _of_items(partial(reader.item_texts, judged)),
            seed,
        ),
    )


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
    arguments.check_common(options, items, progress)
    arguments.one_of("population", population, get_args(Population))
    arguments.one_of("labels", labels, get_args(VoteLabels))
    arguments.one_of("length_ties", length_ties, get_args(LengthTies))
    from karat.evaluations.annotations import EVALUATION, scoring
    from karat.evaluations.annotations.tables import Settings
    from karat.formats import pairs as reader
    from karat.formats.source import sources
    from karat.formats.tables import damage_named

    step = progress or _silent
    reading = reader.Options(columns, annotator_columns, vote_values, on_invalid == "drop")
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
        return _report(
            annotations,
            options,
            tuple(Input(source.name, source.sha256(), n) for source, n in zip(inputs, heights, strict=True)),
            tables,
            counts=scoring.counts_of(sets),
            warnings=tuple(dict.fromkeys(warning for pairs in read for warning in pairs.warnings)),
            notes=scoring.notes_of(sets),
            items=_items(outcome, outcome.head(_FIRST_ITEMS), rows, items, step),
            examples=_examples(
                sample, list(EVALUATION.outcomes), examples, _of_items(partial(scoring.texts_of, sets)), seed
            ),
        )


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

    from karat.evaluations.preferences import EVALUATION, scoring
    from karat.formats import preferences as reader
    from karat.formats.source import sources

    step = progress or _silent
    task = _task(criteria, labels)
    _check_explanations(explanations=explanations, stem=stem, embedding_model=embedding_model, layer=layer)
    reading = reader.Options(
        task=task,
        columns=arguments.mapped_columns(columns, None, reader.known_columns(task)),
        by=by,
        cluster=None if cluster == "id" else cluster,
        explanations=explanations,
        drop=on_invalid == "drop",
    )
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
        data = scoring.scored(judged, systems, scores, by=by, cluster=cluster, confidence=confidence, seed=seed)
        tables = scoring.tables_of(data, by)
    height = judged.frame.height
    drawn = np.random.default_rng(seed).choice(height, size=min(height, _SAMPLED_ITEMS), replace=False)
    return _report(
        preferences,
        options,
        tuple(inputs),
        tables,
        named=("verdicts",) if verdicts is not None else (),
        counts=scoring.counts_of(data),
        warnings=(*scoring.warnings_of(data), *warnings),
        notes=scoring.notes_of(data),
        items=_items(
            scoring.outcomes_of(data, by),
            scoring.outcomes_of(data, by, _FIRST_ITEMS),
            scoring.outcomes_count(data),
            items,
            step,
        ),
        examples=_examples(
            scoring.sample_of(data, by, drawn),
            list(EVALUATION.outcomes),
            examples,
            partial(scoring.texts_of, data),
            seed,
        ),
    )


def _task(criteria: Sequence[str], labels: Sequence[str]) -> "Task":
    from karat.schemas.preferences import AVERAGE, CRITERIA, LABELS, Task

    if AVERAGE in criteria:
        raise OptionError(f"criteria: {AVERAGE} is the mean over criteria; call yours by another name")
    if len(labels) == 1 or "missing" in labels:
        raise OptionError(f"labels: expected at least two, none of them called missing; got {', '.join(labels)}")
    return Task(tuple(criteria) or CRITERIA, tuple(labels) or LABELS)


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
    table, warnings = read_verdicts(source, names, judged.task.criteria)
    silent = table["verdict"].null_count()
    if silent:
        warnings.append(f"{source.name}: {silent:,} verdicts are null, and count as {unparsed}")
    found = explanations.verdicts(judged, names, table, unparsed)
    return found, Input(source.name, source.sha256(), table.height), warnings


def _report(
    function: Callable[..., Report],
    options: Mapping[str, Any],
    inputs: tuple[Input, ...],
    tables: Mapping[str, "pl.DataFrame"],
    *,
    named: Sequence[str] = (),
    **rest: Any,  # noqa: ANN401 - the other fields of a Report
) -> Report:
    """named: options that name a further input, the last of `inputs`; its hash says more than its name."""
    figures = {name: value for name, value in options.items() if name not in ("examples", *named)}
    evaluation = function.__name__
    defaults = {name: one.default for name, one in inspect.signature(function).parameters.items()}
    paths = [one.path for one in inputs[: len(inputs) - len(named)]]
    repeatable = all(Path(one.path).is_file() for one in inputs)
    return Report(
        evaluation=evaluation,
        tables=tables,
        signature=signature(__version__, evaluation, figures, inputs),
        inputs=inputs,
        options=options,
        karat=__version__,
        command=command_line(evaluation, paths, options, defaults) if repeatable else None,
        **rest,
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


def _silent(_: str) -> AbstractContextManager[object]:
    return nullcontext()


def _of_items(texts_of: Callable[[list[str]], dict[str, dict[str, str]]]) -> TextsOf:
    """Texts of items as texts of rows."""

    def of_rows(rows: "pl.DataFrame") -> list[dict[str, str]]:
        found = texts_of(rows["item"].unique().to_list())
        return [found.get(item, {}) for item in rows["item"]]

    return of_rows


def _items(outcome: "pl.LazyFrame", first: "pl.LazyFrame", rows: int, path: str | Path | None, step: Progress) -> Items:
    """The first outcomes, and all of them in a file where one is asked for."""
    from karat.render.files import sha256_of, write_items
    from karat.schemas.outcomes import as_text

    head = as_text(first).collect()
    if path is None:
        return Items(head, rows)
    with step("writing items"):
        write_items(as_text(outcome), Path(path))
    return Items(head, rows, str(path), sha256_of(Path(path)))


def _sample(frame: "pl.LazyFrame", height: int, seed: int) -> "pl.LazyFrame":
    """At most _SAMPLED rows, drawn at random, in random order."""
    import numpy as np
    import polars as pl

    drawn = np.random.default_rng(seed).choice(height, size=min(height, _SAMPLED), replace=False)
    return frame.select(pl.all().gather(drawn))


def _examples(
    sample: "pl.LazyFrame",
    kinds: Sequence[str],
    count: int,
    texts_of: TextsOf,
    seed: int,
) -> "pl.DataFrame":
    """Up to `count` of the sampled outcomes of each kind, with what the inputs' texts say of them."""
    import polars as pl

    from karat.schemas.outcomes import as_text

    rows = as_text(sample).filter(pl.col("outcome").is_in(kinds)).collect()
    rows = rows.sample(fraction=1, shuffle=True, seed=seed)
    order = pl.col("outcome").replace_strict(kinds, range(len(kinds)), return_dtype=pl.Int64)
    chosen = rows.group_by("outcome", maintain_order=True).head(count).sort(order, maintain_order=True)
    texts = texts_of(chosen) if chosen.height else []
    names = sorted({name for row in texts for name in row}.difference(chosen.columns))
    beside = {name: [row.get(name) for row in texts] for name in names}
    added = [pl.Series(name, text, pl.String) for name, text in beside.items()]
    return chosen.drop("value", "cluster").with_columns(added)
