"""From texts with true and predicted violations to the tables of a report on checkers.

Texts as examples, with all that either side marks in them.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
import polars as pl

from adjudge.errors import AdjudgeError, OptionError, flag_name
from adjudge.evaluations import scoring
from adjudge.evaluations.scoring import (
    FIRST_ITEMS,
    JUDGES,
    PEERS,
    TOTAL,
    Inputs,
    Step,
    Texts,
    first_hard_items,
    input_of,
    texts_of,
)
from adjudge.evaluations.violations import outcomes as scored
from adjudge.evaluations.violations.declaration import EVALUATION
from adjudge.evaluations.violations.metrics import ABOUT, COUNTS, MATCHED, SIDES, VIEW
from adjudge.evaluations.violations.options import MarkedOptions, MarkOptions, PairsOptions, ViolationsOptions
from adjudge.evaluations.violations.outcomes import CLUSTER, CheckerResult, ScoredCheckers
from adjudge.evaluations.violations.span_matching import MATCHES, likeness_of, rules_of
from adjudge.evaluations.violations.tables import tables_of
from adjudge.metrics.cells import Integers
from adjudge.metrics.metric import KIND
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.readers.io.source import Source
from adjudge.readers.problems import count_words, listed
from adjudge.readers.spans import violations as reader
from adjudge.report import typed_table
from adjudge.schemas.columns import constant_columns, mapped_columns, requested_column
from adjudge.schemas.violations import ID, INVENTED, PLACE, TEXT, TEXT_PARTS, MarkedTexts
from adjudge.spec import HARD_ITEMS

MARKS = "marks"
"""Column of examples: JSON, a list of violations, matches first: side (predicted, true), start, end, what it says, a
number that both sides of a match share (else null), score, and what failed where there is no match. Without start and
end, it quotes what is invented."""

_COLUMNS = ("item", "judge", "reference", "part", "label", "reference_label", "outcome", "variant", TEXT, MARKS, PEERS)
_MOST = 8
"""The most other checkers named for an example."""


def examples(data: ScoredCheckers, count: int, seed: int) -> pl.DataFrame:
    """Up to `count` texts of each kind for each checker, drawn at random; matches are those of the first variant."""
    draw, kinds = np.random.default_rng(seed), list(EVALUATION.outcomes)
    rows = _example_rows(data, lambda places: draw.permutation(places)[:count])
    return typed_table(sorted(rows, key=lambda row: kinds.index(row["outcome"] or "")), _COLUMNS)


def example_of(data: ScoredCheckers, item: str) -> pl.DataFrame:
    """A text, as examples are, for each checker; none where neither side marks anything."""
    place = data.marked.texts[ID].index_of(item)
    return typed_table([*_example_rows(data, lambda places: places[places == place])], _COLUMNS)


def _example_rows(data: ScoredCheckers, choose: Callable[[Integers], Iterable[int]]) -> Iterator[dict[str, str | None]]:
    """Texts as examples, checker by checker. choose: takes the places of those of a kind."""
    texts, variant, some = data.marked.texts, next(iter(data.rules)), pl.col("predicted") + pl.col("true") > 0
    for checker in data.checkers:
        rows = data.rows.filter(checker=checker.name, variant=variant, **{KIND: MATCHED})
        kinds = rows.select(pl.when(some).then(VIEW.outcome)).to_series()
        chosen = {
            int(place): kind
            for kind in EVALUATION.outcomes
            for place in choose(kinds.eq_missing(kind).arg_true().to_numpy())
        }
        marks = _marks_by_place(data, checker, variant, [*chosen])
        for place, kind in chosen.items():
            peers = [one for one in data.checkers if one is not checker][:_MOST]
            others = [{"judge": one.name, "label": _count_marks(one.spans, place)} for one in peers]
            yield {
                "item": texts[ID][place],
                "judge": checker.name,
                "reference": data.marked.name,
                "part": None,
                "label": _count_marks(checker.spans, place),
                "reference_label": _count_marks(data.truth, place),
                "outcome": kind,
                "variant": variant,
                TEXT: texts[TEXT][place],
                MARKS: json.dumps(marks[place], ensure_ascii=False),
                PEERS: json.dumps(others, ensure_ascii=False) if others else None,
            }


def _count_marks(spans: pl.DataFrame, place: int) -> str:
    return count_words(int((spans[PLACE] == place).sum()), "violation", "violations")


def _marks_by_place(
    data: ScoredCheckers, checker: CheckerResult, variant: str, places: Sequence[int]
) -> dict[int, list[dict[str, Any]]]:
    """The violations of both sides in some texts: the match that each is in, and its score; else what failed."""
    matches, sides = checker.tables[variant, MATCHES].with_row_index("match", offset=1), []
    for side, name, spans in (("true", "truth", data.truth), ("predicted", "predicted", checker.spans)):
        said = pl.col(*TEXT_PARTS, INVENTED).cast(pl.String)
        rows = spans.select(PLACE, pl.int_range(pl.len()).alias(name), pl.lit(side).alias("side"), "start", "end", said)
        rows = rows.filter(pl.col(PLACE).is_in(places))
        for more in (matches.select(name, "match", "score"), checker.tables[variant, name]):
            rows = rows.join(more, on=name, how="left", maintain_order="left")
        sides.append(rows.drop(name))
    marks = pl.concat(sides).sort("match", nulls_last=True, maintain_order=True)
    return marks.rows_by_key(PLACE, named=True)


def missed_by_all(data: ScoredCheckers) -> pl.DataFrame:
    """True violations that at least two checkers looked for and none found, by the first variant."""
    variant = next(iter(data.rules))
    sought = pl.concat(
        data.truth.select(PLACE, "start", "end", "rule", "category").with_columns(
            pl.int_range(pl.len()).is_in(checker.tables[variant, MATCHES]["truth"].implode()).alias("found"),
            judge=pl.lit(checker.name),
        )
        for checker in data.checkers
    )
    spans = sought.group_by(PLACE, "start", "end", "rule", "category", maintain_order=True).agg(
        pl.col("found").any(), pl.col("judge").n_unique().cast(pl.Int64).alias(JUDGES)
    )
    missed = first_hard_items(spans.filter(~pl.col("found"), pl.col(JUDGES) > 1))
    texts = data.marked.texts.select(pl.col(ID).alias("item"), TEXT)[missed[PLACE]]
    words = pl.col(TEXT).str.slice(pl.col("start"), pl.col("end") - pl.col("start")).alias("words")
    every = pl.concat([texts, missed], how="horizontal").select(
        "item", words, "rule", "category", JUDGES, *{TOTAL} & {*missed.columns}
    )
    used = [name for name in every.columns if every[name].null_count() < max(every.height, 1)]
    return every.select(used).cast({pl.Categorical: pl.String})


TAKEN = frozenset({"variant", "average", "rule", "category", "text", "marks", *ABOUT, *COUNTS, *SIDES, "total"})
ITEM = "id"


def check(options: ViolationsOptions) -> None:
    """Raises OptionError for names of checkers without their files, and for impossible rules and similarities."""
    reader_options(options)
    rules_of(options)
    likeness_of(options)


def reader_options(options: MarkedOptions) -> reader.SpanReading:
    """The reader's options, from the run's options of the same names."""
    reading = reader.SpanReading.of(
        options,
        columns=mapped_columns(options.columns, reader.KNOWN_COLUMNS, constants=constant_columns(options)),
        predictions=False,
        annotators=[options.truth_annotator] if isinstance(options, MarkOptions) and options.truth_annotator else (),
    )
    if not isinstance(options, ViolationsOptions):
        return reading
    cluster = requested_column(options.cluster)
    further = {name: name for name in options.by} | ({CLUSTER: cluster} if cluster else {})
    return replace(reading, further=further)


MarkedSides = tuple[MarkedTexts, list[list[MarkedTexts]]]
"""The truth, and the marks of the checkers of each file."""


def read(inputs: Inputs, options: ViolationsOptions | PairsOptions, _: Workers = LOCAL_WORKERS) -> MarkedSides:
    """The texts with their true violations; and the marks of checkers, from files of their own or from the same file.

    The annotator whose marks are the truth is no checker of the same file.
    """
    (trusted,), files = inputs["ground_truth"], inputs["predictions"]
    truth = reader.read_truth(trusted, reader_options(options))
    annotator = options.truth_annotator
    if not files and not annotator:
        return truth, []
    names = options.checker if isinstance(options, ViolationsOptions) else ()
    if names and len(names) != len(files):
        raise OptionError(f"expected a name for each of {len(files)} predictions; got {len(names)}", option="checker")
    reading = replace(reader_options(options), further={}, annotators=options.predicted_annotator)
    others = [one for one in reading.annotators or truth.voters if one != annotator]
    given = []
    for name, source in zip_longest(names, files or [trusted]):
        same = annotator and source.sha256() == trusted.sha256()
        if same and not others:
            raise OptionError(
                f"{trusted.name}: expected predictions of another than {annotator}; got none",
                fix=f"{flag_name('predicted_annotator')} MODEL, if the file holds what models predict",
            )
        given.append((source, replace(reading, annotators=others) if same else reading, name))
    return truth, LOCAL_WORKERS.pieces("reading predictions", lambda one: _read_marks(truth, *one), given)


def _read_marks(truth: MarkedTexts, source: Source, reading: reader.SpanReading, name: str | None) -> list[MarkedTexts]:
    """The marks of a file's checkers. Its columns are named as those of the truth, or with Adjudge's own names."""
    try:
        return reader.read_predictions(source, reading, truth, name)
    except AdjudgeError:
        if not reading.columns:
            raise
        with suppress(AdjudgeError):
            return reader.read_predictions(source, replace(reading, columns={}), truth, name)
        raise


def checkers_of(read: MarkedSides) -> list[MarkedTexts]:
    """The marks of all checkers. Raises OptionError where nothing says which violations are predictions."""
    truth, marks_by_file = read
    if not marks_by_file:
        raise OptionError(
            f"{truth.name}: expected a file of predictions beside it, or the annotator whose violations are true",
            voters=truth.voters,
            found=f"the violations of {listed(truth.voters)}" if truth.voters else "",
            fix=f"use a file of predictions, or {flag_name('truth_annotator')} {(*truth.voters, 'NAME')[0]}",
        )
    return [one for own in marks_by_file for one in own]


def texts(read: MarkedSides, rows: Sequence[scoring.Row]) -> list[Texts]:
    """The texts."""
    return texts_of(read[0].texts.lazy(), ID, (TEXT,), rows)


def score(
    read: MarkedSides, inputs: Inputs, options: ViolationsOptions, step: Step, workers: Workers = LOCAL_WORKERS
) -> scoring.EvaluationResult:
    """Checkers against the ground truth."""
    (truth, marks_by_file), (rules, config) = read, rules_of(options)
    marked = checkers_of(read)
    names, rows = [one.name for one in marked], [truth.rows, *(own[0].rows for own in marks_by_file)]
    if twice := [name for name in names if names.count(name) > 1]:
        fix = f"{flag_name('checker')} NAME,... for each file"
        raise OptionError(f'two checkers are called "{twice[0]:.60}"', fix=fix)
    with step("matching"):
        name = options.truth_annotator
        own = (f"{name} (the truth): {one}" if name else one for one in truth.warnings)
        trusted = replace(truth, name=name or truth.name, warnings=tuple(own))
        data = scored.score_checkers(trusted, marked, rules, likeness_of(options, workers), options)
    with step("counting"):
        outcome_rows = scored.outcomes(data)
        tables, missed = tables_of(data, outcome_rows), missed_by_all(data)
        tables |= {} if missed.is_empty() else {HARD_ITEMS: missed}
    return scoring.EvaluationResult(
        inputs=[*map(input_of, [*inputs["ground_truth"], *inputs["predictions"]], rows), *config],
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
