"""From texts with true and predicted violations to the tables of a report on checkers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any

import polars as pl

from adjudge.errors import AdjudgeError, OptionError, flag_name
from adjudge.evaluations import scoring
from adjudge.evaluations.scoring import FIRST_ITEMS, Inputs, Step, Texts, input_of, texts_of
from adjudge.evaluations.violations import outcomes as scored
from adjudge.evaluations.violations.examples import example_of, examples, missed_by_all
from adjudge.evaluations.violations.match_settings import rules_of
from adjudge.evaluations.violations.metrics import ABOUT, COUNTS, SIDES
from adjudge.evaluations.violations.options import MarkedOptions, MarkOptions, PairsOptions, ViolationsOptions
from adjudge.evaluations.violations.outcomes import CLUSTER
from adjudge.evaluations.violations.span_matching import likeness_of
from adjudge.evaluations.violations.tables import tables_of
from adjudge.metrics.partial_counts import LOCAL_WORKERS, PartialCounts, Settings, Workers, facts_of_part, part_of_file
from adjudge.readers.io.source import Source
from adjudge.readers.problems import listed
from adjudge.readers.spans import violations as reader
from adjudge.report import Input
from adjudge.schemas.columns import constant_columns, mapped_columns, requested_column
from adjudge.schemas.violations import ID, PLACE, TEXT, MarkedTexts
from adjudge.spec import HARD_ITEMS

TAKEN = frozenset({"variant", "average", "rule", "category", "text", "marks", *ABOUT, *COUNTS, *SIDES, "total"})
ITEM = "id"


def check(options: ViolationsOptions) -> None:
    """Raises OptionError for names of checkers without their files, and for impossible rules and similarities."""
    names, files = options.checker, options.predictions
    if names and (not all(names) or (isinstance(files, list | tuple) and not files)):
        raise OptionError("names files of predictions, one each; give files, or leave it", option="checker")
    reader_options(options)
    rules_of(options)
    likeness_of(options)


def reader_options(options: MarkedOptions) -> reader.SpanReading:
    """The reader's options, from the run's options of the same names."""
    how = reader.SpanReading(
        columns=mapped_columns(options.columns, reader.KNOWN_COLUMNS, constants=constant_columns(options)),
        offset_base=options.offset_base,
        drop=options.on_invalid == "drop",
        annotators=[options.truth_annotator] if isinstance(options, MarkOptions) and options.truth_annotator else (),
    )
    if not isinstance(options, ViolationsOptions):
        return how
    cluster = requested_column(options.cluster)
    further = {name: name for name in options.by} | ({CLUSTER: cluster} if cluster else {})
    return replace(how, further=further, shared=options.population == "shared")


def read(inputs: Inputs, options: ViolationsOptions, _: Workers = LOCAL_WORKERS) -> MarkedTexts:
    """The texts with their true violations."""
    return reader.read_truth(inputs["ground_truth"][0], reader_options(options))


def preview(read: MarkedTexts, count: int) -> pl.DataFrame:
    """The first texts, each with its violations."""
    texts = read.texts.head(count).select(ID, TEXT).with_row_index(PLACE)
    place = pl.format("{} to {}", "start", "end")
    marks = pl.concat_str(place, pl.col("rule").fill_null("").str.replace("(.+)", ": $1"))
    spans = read.spans.filter(pl.col(PLACE) < count).group_by(PLACE).agg(violations=marks)
    return texts.join(spans, on=PLACE, how="left", maintain_order="left").drop(PLACE)


def texts(read: MarkedTexts, rows: Sequence[scoring.Row]) -> list[Texts]:
    """The texts."""
    return texts_of(read.texts.lazy(), ID, (TEXT,), rows)


def score(
    read: MarkedTexts, inputs: Inputs, options: ViolationsOptions, step: Step, workers: Workers = LOCAL_WORKERS
) -> scoring.EvaluationResult:
    """Checkers against the ground truth."""
    rules, config = rules_of(options)
    with step("reading"):
        marked, file_inputs = read_marks(read, inputs, options, workers)
    names = [one.name for one in marked]
    if twice := [name for name in names if names.count(name) > 1]:
        fix = f"{flag_name('checker')} NAME,... for each file"
        raise OptionError(f'two checkers are called "{twice[0]:.60}"', fix=fix)
    with step("matching"):
        name = options.truth_annotator
        own = (f"{name} (the truth): {one}" if name else one for one in read.warnings)
        trusted = replace(read, name=name or read.name, warnings=tuple(own))
        data = scored.score_checkers(trusted, marked, rules, likeness_of(options, workers), options)
    with step("counting"):
        outcome_rows = scored.outcomes(data)
        tables, missed = tables_of(data, outcome_rows), missed_by_all(data)
        tables |= {} if missed.is_empty() else {HARD_ITEMS: missed}
    return scoring.EvaluationResult(
        inputs=[*file_inputs, *config],
        tables=tables,
        outcomes=outcome_rows,
        first=outcome_rows.head(FIRST_ITEMS),
        rows=outcome_rows.select(pl.len()).collect().item(),
        examples=partial(examples, data),
        counts=scored.counts_of(data),
        warnings=[*scored.warnings_of(data), *(text for one in marked for text in one.warnings)],
        notes=scored.notes_of(data),
        found={"absent": list(data.absent)},
        item=partial(example_of, data),
    )


def read_marks(
    truth: MarkedTexts, inputs: Inputs, options: ViolationsOptions | PairsOptions, workers: Workers = LOCAL_WORKERS
) -> tuple[list[MarkedTexts], list[Input]]:
    """The checkers' marks, from files of their own or from the one file that also holds the truth; and all inputs.

    The annotator whose marks are the truth is no checker of the same file.
    """
    (trusted,), files = inputs["ground_truth"], inputs["predictions"]
    annotator = options.truth_annotator
    if not files and not annotator:
        raise OptionError.no_reference(
            f"{trusted.name}: expected a file of predictions beside it, or the annotator whose violations are true",
            truth.voters,
            found=f"the violations of {listed(truth.voters)}" if truth.voters else "",
            fix=f"a file of predictions, or {flag_name('truth_annotator')} {(*truth.voters, 'NAME')[0]}",
        )
    names = options.checker if isinstance(options, ViolationsOptions) else ()
    if names and len(names) != len(files):
        raise OptionError(f"expected a name for each of {len(files)} predictions; got {len(names)}", option="checker")
    how = replace(reader_options(options), further={}, annotators=options.predicted_annotator)
    others = [one for one in how.annotators or truth.voters if one != annotator]
    given = []
    for name, source in zip_longest(names, files or [trusted]):
        same = annotator and source.sha256() == trusted.sha256()
        if same and not others:
            raise OptionError(
                f"{trusted.name}: expected predictions of another than {annotator}; got none",
                fix=f"{flag_name('predicted_annotator')} MODEL, if the file holds what models predict",
            )
        given.append((source, name, replace(how, annotators=others) if same else how))
    by_file = read_checkers(truth, trusted, given, workers)
    rows = [max((one.rows for one in own), default=0) for own in by_file]
    return [one for own in by_file for one in own], [input_of(trusted, truth.rows), *map(input_of, files, rows)]


# --- files of predictions, read in parallel: what any worker can hand over or keep ---

_SPANS = "spans"
_FACTS, _COLUMNS = ("name", "rows", "warnings"), ("replies", "counted_texts")
"""What is handed over of a checker besides its spans: facts, and columns that it may lack."""


def read_checkers(
    truth: MarkedTexts,
    trusted: Source,
    given: Sequence[tuple[Source, str | None, reader.SpanReading]],
    workers: Workers,
) -> list[list[MarkedTexts]]:
    """The checkers of each file; none of a file that is left out. given: files, what to call a checker, how to read."""
    by_name = {source.name: (name, how) for source, name, how in given}
    if (len(given) == 1 and not workers.separate) or len(by_name) < len(given):
        return [_read_marks(source, how, truth, name) for source, name, how in given]
    sources = [source for source, *_ in given]
    read = partial(_as_part, truth, by_name)
    parts = workers.files("reading predictions", read, sources, {"truth": trusted.sha256()})
    marks_by_file = {facts_of_part(part)[0]: [*_from_part(part, truth)] for part in parts}
    return [marks_by_file.get(source.name, []) for source in sources]


def _read_marks(source: Source, how: reader.SpanReading, truth: MarkedTexts, name: str | None) -> list[MarkedTexts]:
    """The marks of a file's checkers. Its columns are named as those of the truth, or with Adjudge's own names."""
    try:
        return reader.read_predictions(source, how, truth, name)
    except AdjudgeError:
        if not how.columns:
            raise
        with suppress(AdjudgeError):
            return reader.read_predictions(source, replace(how, columns={}), truth, name)
        raise


def _as_part(
    truth: MarkedTexts, by_name: Mapping[str, tuple[str | None, reader.SpanReading]], source: Source, _: Settings
) -> PartialCounts:
    """The contents of a file of predictions as frames."""
    name, how = by_name[source.name]
    marked = _read_marks(source, how, truth, name)
    facts = [{name: getattr(checker, name) for name in _FACTS} for checker in marked]
    frames: dict[str, pl.DataFrame] = {}
    for place, checker in enumerate(marked):
        frames[f"{_SPANS} {place}"] = checker.spans
        for column in _COLUMNS:
            if (values := getattr(checker, column)) is not None:
                frames[f"{column} {place}"] = values.to_frame()
    return part_of_file(source, facts, frames)


def _from_part(part: PartialCounts, truth: MarkedTexts) -> Iterator[MarkedTexts]:
    """The checkers that `_as_part` made frames of."""
    for place, facts in enumerate(facts_of_part(part)[1]):
        facts["warnings"] = tuple(facts["warnings"])
        frames = {name: part.rows.get(f"{name} {place}") for name in _COLUMNS}
        columns: dict[str, Any] = {name: frame.to_series() for name, frame in frames.items() if frame is not None}
        yield MarkedTexts(texts=truth.texts, spans=part.rows[f"{_SPANS} {place}"], **facts, **columns)
