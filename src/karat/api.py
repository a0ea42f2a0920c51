"""One function per evaluation: binds reader, outcomes, counts and figures into a Report."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from math import nan
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from karat import __version__
from karat.errors import OptionError, encodable, nearest
from karat.report import Input, Items, Report
from karat.signature import command_line, signature

if TYPE_CHECKING:
    import polars as pl

Rule = Literal["first", "majority", "unanimous"]
Population = Literal["shared", "reference"]
VoteLabels = Literal["valid", "all"]
LengthTies = Literal["none", "b"]
OnInvalid = Literal["error", "drop"]
Progress = Callable[[str], AbstractContextManager[object]]
"""Called with the name of each step; the step runs inside the context it returns."""

_NO_FIGURE_DEPENDS_ON = frozenset({"data", "items", "progress"})
"""Arguments that say where from and where to. All others stand in the signature."""

_FIRST_ITEMS = 10
"""How many judgments' outcomes a report keeps."""

_SAMPLED = 100_000
"""How many judgments, at most, examples are chosen from."""

_SUREST = 0.9999999
"""The greatest confidence whose intervals can be computed with care."""


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
    reference, labels = _listed("reference", reference), _listed("labels", labels)
    by, cluster, columns = _listed("by", by), _text("cluster", cluster), _names("columns", columns)
    confidence, seed, examples = _confidence(confidence), _count("seed", seed), _count("examples", examples)
    exclude_no_consensus = _bool("exclude_no_consensus", exclude_no_consensus)
    flag_values = _flag_values(flag_values)
    options = _bound(locals())
    _check_common(options, items, progress)
    _one_of("reference_rule", reference_rule, get_args(Rule))
    from karat.evaluations.reliability import EVALUATION, outcomes, scoring
    from karat.formats import judgments as reader
    from karat.formats.source import sources
    from karat.schemas import judgments as schema

    step = progress or _silent
    reading = reader.Options(
        columns=_columns(columns, cluster, schema.TEXT),
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
            partial(reader.item_texts, judged),
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
        _listed("annotator", annotator),
        _text("reference", reference),
        _text("against", against),
    )
    annotator_columns, vote_values = (
        _listed("annotator_columns", annotator_columns),
        _values("vote_values", vote_values),
    )
    by, cluster, columns = _listed("by", by), _text("cluster", cluster), _names("columns", columns)
    confidence, seed, examples = _confidence(confidence), _count("seed", seed), _count("examples", examples)
    style, matrix = _bool("style", style), _bool("matrix", matrix)
    options = _bound(locals())
    _check_common(options, items, progress)
    _one_of("population", population, get_args(Population))
    _one_of("labels", labels, get_args(VoteLabels))
    _one_of("length_ties", length_ties, get_args(LengthTies))
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
            examples=_examples(sample, list(EVALUATION.outcomes), examples, partial(scoring.texts_of, sets), seed),
        )


def _report(
    function: Callable[..., Report],
    options: Mapping[str, Any],
    inputs: tuple[Input, ...],
    tables: Mapping[str, "pl.DataFrame"],
    **rest: Any,  # noqa: ANN401 - the other fields of a Report
) -> Report:
    figures = {name: value for name, value in options.items() if name != "examples"}
    evaluation = function.__name__
    defaults = {name: one.default for name, one in inspect.signature(function).parameters.items()}
    repeatable = all(Path(one.path).is_file() for one in inputs)
    return Report(
        evaluation=evaluation,
        tables=tables,
        signature=signature(__version__, evaluation, figures, inputs),
        inputs=inputs,
        options=options,
        karat=__version__,
        command=command_line(evaluation, [one.path for one in inputs], options, defaults) if repeatable else None,
        **rest,
    )


def _bound(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that figures depend on, as they go into the signature, the report and the command."""
    return {name: value for name, value in arguments.items() if name not in _NO_FIGURE_DEPENDS_ON}


def _listed(name: str, value: object) -> list[str]:
    """The texts of an option that takes one, several or none."""
    many = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(many, Iterable) or isinstance(many, Mapping | AbstractSet | bytes):
        raise OptionError(f"{name}: expected a text or a list of texts; got {value!r:.60}")
    return list(dict.fromkeys(_checked(name, one) for one in many))


def _text(name: str, value: object) -> str | None:
    return None if value is None else _checked(name, value)


def _checked(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{name}: expected a text; got {value!r:.60}")
    if not encodable(value):
        raise OptionError(f"{name}: expected text in UTF-8; got {value!r:.60}")
    return str(value)


def _mapping(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping | None):
        raise OptionError(f"{name}: expected names and what each stands for, as a dict; got {value!r:.60}")
    return {_checked(name, key): one for key, one in (value or {}).items()}


def _names(name: str, value: object) -> dict[str, str]:
    return {key: _checked(name, one) for key, one in _mapping(name, value).items()}


def _values(name: str, value: object) -> dict[str, list[str]]:
    return {key: _listed(name, many) for key, many in _mapping(name, value).items()}


def _bool(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"{name}: expected True or False; got {value!r:.60}")
    return value


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise OptionError(f"{name}: expected a whole number from 0; got {value!r:.60}")
    return int(value)


def _confidence(value: object) -> float:
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    if not 0 < number < 1:
        raise OptionError(f"confidence: expected a number between 0 and 1, such as 0.95; got {value!r:.60}")
    if number > _SUREST:
        raise OptionError(f"confidence: expected at most {_SUREST}; got {value!r:.60}")
    return number


def _one_of(name: str, value: object, known: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise OptionError(f'{name}: expected one of {", ".join(known)}; got "{value}"{nearest(str(value), known)}')


def _check_common(options: Mapping[str, Any], items: str | Path | None, progress: Progress | None) -> None:
    """The options that every evaluation has. Raises OptionError before anything is read."""
    from karat.render.files import check_target
    from karat.schemas.outcomes import RESERVED

    _one_of("on_invalid", options["on_invalid"], get_args(OnInvalid))
    if not callable(progress or _silent):
        raise OptionError(f"progress: expected a function; got {progress!r:.60}")
    for name in options["by"]:
        if name in RESERVED:
            raise OptionError(f"by: Karat's own tables have a column {name}; rename the file's column to group by it")
    if not isinstance(items, str | PathLike | None):
        raise OptionError(f"items: expected the path of a .parquet file; got {items!r:.60}")
    if items is not None:
        check_target(Path(items), endings=(".parquet",))


def _columns(columns: Mapping[str, str], cluster: str | None, known: Sequence[str]) -> dict[str, str]:
    """Karat's column -> the file's, with the cluster, which has an option of its own."""
    named = dict(columns)
    for name in named:
        if name not in known:
            raise OptionError(f"columns: Karat has no column {name}{nearest(name, known)}; it knows {', '.join(known)}")
    if cluster is not None and named.setdefault("cluster", cluster) != cluster:
        raise OptionError(f"cluster is {cluster}, but columns say cluster={named['cluster']}; give one of them")
    return named


def _flag_values(values: object) -> dict[str, list[str]]:
    """The values of `flag_values`, checked: both sides, no value on both."""
    found = _values("flag_values", values)
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
    texts_of: Callable[[list[str]], dict[str, dict[str, str]]],
    seed: int,
) -> "pl.DataFrame":
    """Up to `count` of the sampled outcomes of each kind, with what the inputs' texts say of the item."""
    import polars as pl

    from karat.schemas.outcomes import as_text

    rows = as_text(sample).filter(pl.col("outcome").is_in(kinds)).collect()
    rows = rows.sample(fraction=1, shuffle=True, seed=seed)
    order = pl.col("outcome").replace_strict(kinds, range(len(kinds)), return_dtype=pl.Int64)
    chosen = rows.group_by("outcome", maintain_order=True).head(count).sort(order, maintain_order=True)
    texts = texts_of(chosen["item"].unique().to_list()) if chosen.height else {}
    names = sorted({name for row in texts.values() for name in row}.difference(chosen.columns))
    beside = {name: [texts.get(item, {}).get(name) for item in chosen["item"]] for name in names}
    added = [pl.Series(name, text, pl.String) for name, text in beside.items()]
    return chosen.drop("value", "cluster").with_columns(added)
