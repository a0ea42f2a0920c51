"""`karat.rag`."""

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from karat.api import arguments, readings, reports
from karat.api.arguments import OnInvalid, Progress
from karat.errors import OptionError
from karat.report import Input, Report

Scorer = Literal["strict", "document", "benchmark", "all"]


def rag(
    answers: Any,  # noqa: ANN401 - a path, a table, or several of them
    *,
    scorer: Scorer = "strict",
    exact: bool = False,
    verdicts: str | Path | None = None,
    published: str | Path | None = None,
    model: str | None = None,
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
    """How models answer from documents that are noisy, silent, scattered or false.

    accuracy = correct answers / answers, by the share of documents without the answer; rejection_rate = refusals /
    answers from documents that hold none; error_detection_rate and error_correction_rate where documents lie.

    Arguments
    ---------
    answers: path of JSON lines (or another table) with id, ability (noise_robustness, negative_rejection,
        information_integration or counterfactual_robustness), model, noise_ratio, response (null: it failed), answer
        (a text, or a list of slots, each a text or a list of aliases), counterfactual (what lying documents say), draw,
        documents (an empty list: none were given); a table from Python; or a list of these.
    scorer: "strict" (speaks of answers given, and of what is asserted), "document" (substrings and shared words),
        "benchmark" (as the code of RGB) or "all". exact: whether document takes equal texts alone for correct.
    verdicts: path of a judge's verdicts: id, model, draw, and correct, rejected, error_detected, error_corrected (true,
        false or null); they become the scorer "judge".
    published: path of published results: model, ability, noise_ratio, metric, value.
    model: the model of files that name none; by default the file's name.
    columns: Karat's column -> the files'. by: columns to give every figure for each group of. cluster: column that
        names questions that are not independent.
    confidence, seed, on_invalid, input_format, examples, items, progress: as in `karat.reliability`.

    Returns
    -------
    A Report with the tables scores, differences, outcomes and, of several scorers, agreement and disagreement.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, karat
    >>> rows = {"id": ["1", "2"], "ability": "noise_robustness", "response": ["It is Paris.", "Rome"]}
    >>> keys = {"model": "mine", "scorer": "strict"}
    >>> karat.rag(pl.DataFrame({**rows, "answer": "Paris"}), model="mine").estimate("scores", "accuracy", keys).value
    0.5

    Source: the abilities and the scorer "benchmark" are those of RGB, Chen et al. 2024, arXiv:2309.01431.
    """
    by, columns = arguments.listed("by", by), arguments.names("columns", columns)
    model, cluster = arguments.text("model", model), arguments.text("cluster", cluster)
    exact = arguments.boolean("exact", exact)
    verdicts, published = _path("verdicts", verdicts), _path("published", published)
    confidence, seed, examples = (
        arguments.confidence(confidence),
        arguments.whole("seed", seed),
        arguments.whole("examples", examples),
    )
    options = arguments.bound(locals())
    arguments.one_of("scorer", scorer, get_args(Scorer))
    if exact and scorer not in {"document", "all"}:
        raise OptionError(f"exact: concerns the scorer document; the scorer is {scorer}")
    import polars as pl

    from karat.evaluations.rag import EVALUATION, scoring
    from karat.evaluations.rag.scorers.document import document
    from karat.formats import answers as reader
    from karat.formats.source import sources

    arguments.check_common(options, items, progress, scoring.TAKEN)
    step = progress or reports.silent
    reading = readings.of_rag(options)
    with step("reading"):
        submitted = sources(answers, input_format, reader.FORMATS)
        files = [reader.read_answers(source, reading) for source in submitted]
        frame = reader.together(files)
        inputs = [Input(one.name, one.sha256(), file.rows) for one, file in zip(submitted, files, strict=True)]
        warnings = [warning for file in files for warning in file.warnings]
        if verdicts is not None:
            from karat.formats.answer_verdicts import read_answer_verdicts

            (source,) = sources([verdicts])
            judged, rows, told = read_answer_verdicts(source, frame)
            warnings += told
            inputs.append(Input(source.name, source.sha256(), rows))
        if published is not None:
            from karat.formats.published import read_published

            (source,) = sources([published])
            others = read_published(source, scoring.METRICS)
            inputs.append(Input(source.name, source.sha256(), others.height))
    names = list(scoring.SCORERS) if scorer == "all" else [scorer]
    with step("scoring"):
        made: dict[str, scoring.Scorer] = {**scoring.SCORERS, scoring.DOCUMENT: partial(document, exact=exact)}
        found = {name: scoring.verdicts(frame, made[name]) for name in names}
        if verdicts is not None:
            found[scoring.JUDGE] = judged
    with step("counting"):
        data = scoring.scored(frame, found, by=by, confidence=confidence)
        tables = scoring.tables_of(data)
        if published is not None:
            tables["published"] = scoring.beside_published(tables["scores"], others, by)
    height = frame.height * len(found)
    return reports.report_of(
        rag,
        options,
        tuple(inputs),
        tables,
        named=[name for name in ("verdicts", "published") if options[name] is not None],
        counts=scoring.counts_of(data),
        warnings=tuple(warnings),
        notes=scoring.notes_of(data),
        items=reports.items_of(
            scoring.outcomes(data),
            scoring.outcomes(data, reports.FIRST_ITEMS).head(reports.FIRST_ITEMS),
            height,
            items,
            step,
        ),
        examples=reports.examples_of(
            reports.sampled(scoring.outcomes(data), height, seed).filter(pl.col("scorer").cast(pl.String) == names[0]),
            list(EVALUATION.outcomes),
            examples,
            partial(scoring.texts_of, data),
            seed,
            [scoring.LIED],
        ),
    )


def _path(name: str, value: object) -> str | None:
    if not isinstance(value, str | PathLike | None):
        raise OptionError(f"{name}: expected the path of a file; got {value!r:.60}")
    return None if value is None else str(value)
