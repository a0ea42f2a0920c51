"""From texts with true and predicted violations to the tables of a report on checkers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from adjudge.errors import AdjudgeError, OptionError, flag_name
from adjudge.evaluations import scoring
from adjudge.evaluations.scoring import FIRST_ITEMS, Inputs, Step, Texts, input_of, texts_of
from adjudge.evaluations.violations import outcomes as scored
from adjudge.evaluations.violations.examples import example_of, examples, missed_by_all
from adjudge.evaluations.violations.match_settings import rules_of
from adjudge.evaluations.violations.metrics import ABOUT, COUNTS, SIDES, WEIGHTS
from adjudge.evaluations.violations.options import MarkedOptions, MarkOptions, PairsOptions, ViolationsOptions
from adjudge.evaluations.violations.outcomes import CLUSTER, SPLIT
from adjudge.evaluations.violations.span_matching import likeness_of
from adjudge.evaluations.violations.tables import tables_of
from adjudge.metrics.partial_counts import LOCAL_WORKERS, PartialCounts, Settings, Workers, facts_of_part, part_of_file
from adjudge.options.kinds import number
from adjudge.readers.io.source import Source
from adjudge.readers.problems import listed
from adjudge.readers.spans import violations as reader
from adjudge.report import Input
from adjudge.schemas.columns import constant_columns, mapped_columns, requested_column
from adjudge.schemas.violations import ID, PLACE, SEVERITY, TEXT, MarkedTexts
from adjudge.spec import HARD_ITEMS

TAKEN = frozenset(
    {"variant", "average", "rule", "category", "text", "marks", *ABOUT, *COUNTS, *SIDES, *WEIGHTS, "total"}
)
ITEM = "id"


def check(options: ViolationsOptions) -> None:
    """Raises OptionError for names of checkers without their files, and for impossible rules and similarities."""
    names, files = options.checker, options.predictions
    if names and (not all(names) or (isinstance(files, list | tuple) and not files)):
        raise OptionError("names files of predictions, one each; give files, or leave it", option="checker")
    if options.split and SPLIT in options.by:
        raise OptionError(f"expected a name for all texts, or {flag_name('by')} {SPLIT}; got both", option="split")
    for weight in options.severity_weights.values():
        number("severity_weights", weight, low=0)
    reader_options(options)
    rules_of(options)
    likeness_of(options)


def reader_options(options: MarkedOptions) -> reader.SpanReading:
    """The reader's options, from the run's options of the same names."""
    how = reader.SpanReading(
        columns=mapped_columns(options.columns, reader.KNOWN_COLUMNS, constants=constant_columns(options)),
        offset_base=options.offset_base,
        quote_mismatch=options.quote_mismatch,
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
    read_it = reader.read_references if options.references == "best-of" else reader.read_truth
    return read_it(inputs["ground_truth"][0], reader_options(options))


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
        alike, first = likeness_of(options, workers), next(iter(rules.values()))
        settled = [scored.best_reference(read, one, first, alike) for one in marked] if read.other_annotators else []
        truths = [spans for spans, _ in settled] or [read.spans]
        lacking = check_severity_weights(options.severity_weights, [*truths, *(one.spans for one in marked)])
        name = options.truth_annotator
        shared = {one for checker in marked for one in checker.file_warnings}
        # If the truth is one annotator of a file, its warnings carry that name.
        own = (one if one in shared or not name else f"{name} (the truth): {one}" for one in read.warnings)
        trusted = replace(read, name=name or read.name, warnings=tuple(own))
        data = scored.score_checkers(trusted, truths, marked, rules, alike, options, workers)
    with step("counting"):
        outcome_rows = scored.outcomes(data)
        tables, missed = tables_of(data, outcome_rows), missed_by_all(data)
        tables |= {} if missed.is_empty() else {HARD_ITEMS: missed}
    return scoring.EvaluationResult(
        inputs=[*file_inputs, *([config] if config else [])],
        tables=tables,
        outcomes=outcome_rows,
        first=outcome_rows.head(FIRST_ITEMS),
        rows=outcome_rows.select(pl.len()).collect().item(),
        examples=partial(examples, data),
        counts=scored.counts_of(data),
        warnings=[
            *scored.warnings_of(data),
            *(said for _, said in settled),
            *lacking,
            *prediction_warnings(read, marked),
        ],
        notes=scored.notes_of(data),
        found={"absent": list(data.absent)},
        item=partial(example_of, data),
    )


def check_severity_weights(weights: Mapping[str, float], sides: Sequence[pl.DataFrame]) -> list[str]:
    """A warning about violations without a severity. sides: the violations of each.

    Raises OptionError for severities without a weight.
    """
    if not weights:
        return []
    severities = pl.concat([one[SEVERITY] for one in sides])
    if not severities.count():
        raise OptionError(
            f"{flag_name('severity_weights')}: expected violations with a severity; got none",
            fix=f"{flag_name('columns')} severity=COLUMN",
        )
    if unknown := sorted({*severities.drop_nulls()} - weights.keys()):
        known = [f"{name}={weight:g}" for name, weight in weights.items()]
        fix = ",".join([*known, *(f"{name}=..." for name in unknown)])
        raise OptionError("expected a weight for each severity of the data", option="severity_weights", fix=fix[:300])
    lacking = severities.null_count()
    return [f"{lacking:,} of {len(severities):,} violations have no severity, and weigh 1"] if lacking else []


def read_marks(
    truth: MarkedTexts, inputs: Inputs, options: ViolationsOptions | PairsOptions, workers: Workers = LOCAL_WORKERS
) -> tuple[list[MarkedTexts], list[Input]]:
    """The checkers' marks, from files of their own or from the one file that also holds the truth; and all inputs."""
    (trusted,), files = inputs["ground_truth"], inputs["predictions"]
    read = [input_of(trusted, truth.rows)]
    how = replace(reader_options(options), further={}, annotators=options.predicted_annotator)
    annotator = options.truth_annotator
    if not files:
        if not annotator:
            raise OptionError.no_reference(
                f"{trusted.name}: expected a file of predictions beside it, or the annotator whose violations are true",
                truth.voters,
                found=f"the violations of {listed(truth.voters)}" if truth.voters else "",
                fix=f"a file of predictions, or {flag_name('truth_annotator')} {(*truth.voters, 'NAME')[0]}",
            )
        how = replace(how, annotators=how.annotators or [one for one in truth.voters if one != annotator])
        return _other_annotators(trusted, reader.read_predictions(trusted, how, truth, None), annotator), read
    given = options.checker if isinstance(options, ViolationsOptions) else ()
    names: Sequence[str | None] = given or [None] * len(files)
    if len(names) != len(files):
        raise OptionError(f"expected a name for each of {len(files)} predictions; got {len(names)}", option="checker")
    by_file = read_checkers(how, truth, trusted, [*zip(names, files, strict=True)], workers)
    rows = [max((one.rows for one in own), default=0) for own in by_file]
    if annotator and not options.predicted_annotator:
        by_file = [
            _other_annotators(trusted, own, annotator) if source.sha256() == trusted.sha256() else own
            for source, own in zip(files, by_file, strict=True)
        ]
    return [one for own in by_file for one in own], [*read, *map(input_of, files, rows)]


def _other_annotators(trusted: Source, marked: Sequence[MarkedTexts], annotator: str) -> list[MarkedTexts]:
    """The marks of others than the annotator whose marks are the truth, from the same file.

    Warnings about the file that stand with that annotator go with the first of them.
    """
    others = [one for one in marked if one.name != annotator]
    if not others:
        raise OptionError(
            f"{trusted.name}: expected predictions of another than {annotator}; got none",
            fix=f"{flag_name('predicted_annotator')} MODEL, if the file holds what models predict",
        )
    left = [warning for one in marked if one.name == annotator for warning in one.file_warnings]
    others[0] = replace(others[0], file_warnings=(*left, *others[0].file_warnings))
    return others


def prediction_warnings(truth: MarkedTexts, marked: Sequence[MarkedTexts]) -> list[str]:
    """Warnings from reading the predictions, prefixed by the checker, or by a file with several checkers.

    What was said of a file that holds the truth too is not said again.
    """
    before = truth.warnings
    of_files = [f"{own.file}: {one}" for own in marked if own.file for one in own.file_warnings if one not in before]
    pairs = ((own, one) for own in marked for one in own.warnings)
    return of_files + [f"{own.name}: {one}" for own, one in pairs if not (one in before and one in own.file_warnings)]


# --- files of predictions, read in parallel: what any worker can hand over or keep ---

_SPANS = "spans"
_FACTS, _COLUMNS = ("name", "rows", "warnings", "file_warnings", "file"), ("replies", "counted_texts")
"""What is handed over of a checker besides its spans: facts, and columns that it may lack."""


def read_checkers(
    how: reader.SpanReading,
    truth: MarkedTexts,
    trusted: Source,
    given: Sequence[tuple[str | None, Source]],
    workers: Workers,
) -> list[list[MarkedTexts]]:
    """The checkers of each file; none of a file that is left out. given: what to call a checker without a name."""
    names = {source.name: name for name, source in given}
    if (len(given) == 1 and not workers.separate) or len(names) < len(given):
        return [_read_marks(source, how, truth, name) for name, source in given]
    read = partial(_as_part, how, truth, names)
    parts = workers.files("reading predictions", read, [source for _, source in given], {"truth": trusted.sha256()})
    marks_by_file = {facts_of_part(part)[0]: [*_from_part(part, truth)] for part in parts}
    return [marks_by_file.get(source.name, []) for _, source in given]


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
    how: reader.SpanReading, truth: MarkedTexts, names: Mapping[str, str | None], source: Source, _: Settings
) -> PartialCounts:
    """The contents of a file of predictions as frames."""
    marked = _read_marks(source, how, truth, names[source.name])
    facts = [{name: getattr(checker, name) for name in _FACTS} for checker in marked]
    frames: dict[str, pl.DataFrame] = {}
    for place, checker in enumerate(marked):
        frames[f"{_SPANS} {place}"] = checker.spans
        for name in _COLUMNS:
            if (column := getattr(checker, name)) is not None:
                frames[f"{name} {place}"] = column.to_frame()
    return part_of_file(source, facts, frames)


def _from_part(part: PartialCounts, truth: MarkedTexts) -> Iterator[MarkedTexts]:
    """The checkers that `_as_part` made frames of."""
    for place, facts in enumerate(facts_of_part(part)[1]):
        facts |= {name: tuple(facts[name]) for name in ("warnings", "file_warnings")}
        frames = {name: part.rows.get(f"{name} {place}") for name in _COLUMNS}
        columns: dict[str, Any] = {name: frame.to_series() for name, frame in frames.items() if frame is not None}
        yield MarkedTexts(texts=truth.texts, spans=part.rows[f"{_SPANS} {place}"], **facts, **columns)
