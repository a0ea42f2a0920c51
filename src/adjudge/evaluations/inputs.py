"""Inputs of the evaluations of labels: any form as a table of labels, and tables that `adjudge judge` writes.

Several inputs are aligned: each gets the columns that only the others have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import DataError, flag_name, merge_errors
from adjudge.evaluations.judgments import read_judgments
from adjudge.options.shared import Labels
from adjudge.readers.io.source import How, Source
from adjudge.readers.labels import judgments as reader
from adjudge.readers.pairs import pairs
from adjudge.readers.pairs.pairs import prompts_repeat
from adjudge.readers.parsed_input import Opened, format_of, opened
from adjudge.readers.problems import count_words, listed
from adjudge.readers.tables import read_texts, scan, schema_of
from adjudge.readers.transforms import INNER, JOIN, shaped
from adjudge.schemas.columns import NONE, check_column_exists
from adjudge.schemas.pairs import CODE, NOT_GIVEN, TEXTS, VOTES, AnnotatedPairs

CLUSTER = "cluster"
SECOND_FAMILY = "family_second"
"""The family of the second of two responses."""
ITEM_COLUMNS = ("family", SECOND_FAMILY, "strata", CLUSTER)
"""Options whose columns describe items rather than labels."""


def with_missing_columns(
    sources: Sequence[Source], columns: Mapping[str, str], options: reader.JudgmentReading
) -> list[Source]:
    """The inputs with empty columns for those that only other inputs have, and warnings that say so.

    columns: option -> column; those in ITEM_COLUMNS without warnings, since other rows of the item have them.
    Raises OptionError for a column that none of several inputs has; the column cluster may be nowhere.
    """
    if len(sources) == 1:
        return list(sources)
    inputs = [opened(source, options) for source in sources]
    plain = {option: name for option, name in columns.items() if not (JOIN in name or INNER in name)}
    wanted = {option for option in plain if option != CLUSTER or any(plain[option] in one.names for one in inputs)}
    lacking = [{option for option in wanted if not _has(one, plain[option])} for one in inputs]
    if nowhere := wanted.intersection(*lacking):
        present = dict.fromkeys(chain.from_iterable(one.names for one in inputs))
        check_column_exists("all inputs", [one for one in plain.items() if one[0] in nowhere], present)
    return [
        _with_empty(source, {option: name for option, name in plain.items() if option in lacks})
        for source, lacks in zip(sources, lacking, strict=True)
    ]


def read_aligned(
    inputs: Sequence[Source], reading: reader.JudgmentReading, columns: Mapping[str, str], read_each: reader.ReadEach
) -> reader.Judgments:
    """The judgments in inputs of any form, with all warnings; damaged inputs are left out where `reading` drops rows.

    columns: as `with_missing_columns` takes them, besides cluster. Raises DataError with what
    is wrong with all inputs.
    """
    sound, tables, damaged = list[Source](), list[Source](), list[tuple[Source, DataError]]()
    for source in inputs:
        try:
            source.check_sound()
            tables.append(_as_labels(source, reading))
            sound.append(source)
        except DataError as error:
            damaged.append((source, error))
    if damaged and not (reading.drop and tables):
        raise merge_errors([error for _, error in damaged])
    left = [replace(one, path=None, given=one.given or one.path, damage=error) for one, error in damaged]
    tables = with_missing_columns(tables, {**columns, CLUSTER: reading.columns.get(CLUSTER, CLUSTER)}, reading)
    read = read_judgments([*tables, *left], reading, read_each)
    new = [note for one, plain in zip(tables, sound, strict=True) for note in one.warnings[len(plain.warnings) :]]
    return replace(read, warnings=(*new, *read.warnings))


def _has(source: Opened[reader.JudgmentReading], column: str) -> bool:
    """Whether an input has a column; the columns of a single JSON object, whose keys may be items, are not known."""
    if column in source.names or not source.is_json:
        return column in source.names
    values = source.objects.values
    return len(values) == 1 or any(isinstance(value, dict) and column in value for value in values)


def _with_empty(source: Source, columns: Mapping[str, str]) -> Source:
    if not columns:
        return source
    how = How(encoding=source.how.encoding, separator=source.how.separator, max_size=source.how.max_size)
    filled = shaped(replace(source, how=replace(how, constant=dict.fromkeys(columns.values(), ""))))
    shown = [f"{name} (--{option.replace('_', '-')})" for option, name in columns.items() if option not in ITEM_COLUMNS]
    notes = [f"{source.name}: no column {', '.join(shown)}, of which its labels say nothing"] if shown else []
    return replace(filled, how=replace(source.how, separator=filled.how.separator), warnings=(*source.warnings, *notes))


def fill_item_columns(labels: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Labels with missing values of these columns filled from another row of the same item."""
    lacking = [pl.col(name) for name in names if name in labels.columns and labels[name].has_nulls()]
    return labels.with_columns(one.fill_null(one.drop_nulls().first().over("item")) for one in lacking)


def check_one_value_per_item(labels: pl.DataFrame, names: Sequence[str]) -> None:
    """Raises DataError for an item whose rows have several values in one of these columns."""
    for name in names:
        if name not in labels.columns:
            continue
        text = pl.col(name).cast(pl.String).str.strip_chars()
        value = pl.coalesce(text.cast(pl.Float64, strict=False).cast(pl.String), text).unique(maintain_order=True)
        values = labels.filter(text != "").group_by("item", maintain_order=True).agg(value.alias("values"))
        for item, several in values.filter(pl.col("values").list.len() > 1).rows():
            leave = f"say {flag_name(CLUSTER)} {NONE}" if name == CLUSTER else f"leave out {flag_name(name)}"
            problem = f"{flag_name(name)}: expected one value in all rows of an item; {item} has {listed(several)}"
            raise DataError(problem, fix=f"mend the rows, or {leave}")


# --- pairs as long tables of labels ---

_LABELS = ("text_a", "text_b", "both", "neither")
"""Votes that are labels."""


def _as_labels(source: Source, options: reader.JudgmentReading) -> Source:
    """A source of pairs as a table of labels, with what there is to be warned of; any other as it is."""
    opened_source = opened(source, options)
    named_columns = {opened_source.file_column("annotator"), opened_source.file_column("label")}
    if format_of("reliability", opened_source) or named_columns <= set(opened_source.names):
        return source
    reading = pairs.PairReading(drop=options.drop, exact_labels=options.exact_labels)
    are_pairs = format_of("annotations", opened(source, pairs.PairReading())) is not None
    return _labels_of_pairs(source, pairs.read_pairs(source, reading)) if are_pairs else source


def _labels_of_pairs(source: Source, data: AnnotatedPairs) -> Source:
    """A row per pair and annotator who voted, with the texts of the pair; those of one prompt belong together."""
    frame = data.frame.collect()
    repeat = prompts_repeat(data.frame) if data.prompts_repeat is None else data.prompts_repeat
    words = dict(enumerate(VOTES))
    codes = [CODE[vote] for vote in _LABELS]
    beside = [
        name for name in (*TEXTS, *data.metadata) if name not in {"pair", "item", "annotator", "label", "cluster"}
    ]
    parts, invalid = [], 0
    for annotator in data.annotators:
        voted = frame.filter(pl.col(annotator.column).is_in(codes))
        invalid += frame.height - voted.height - frame.filter(pl.col(annotator.column).is_in(NOT_GIVEN)).height
        label = pl.col(annotator.column).replace_strict(words, return_dtype=pl.String)
        parts.append(
            voted.select(
                pl.col("pair").alias("item"),
                pl.lit(annotator.name or annotator.id).alias("annotator"),
                label.alias("label"),
                *([pl.col("prompt").alias("cluster")] if repeat else []),
                *beside,
            )
        )
    left_out = f"{source.name}: {count_words(invalid, 'vote is', 'votes are')} invalid, and left out"
    return _as_table(source, pl.concat(parts), [*data.warnings, *([left_out] if invalid else [])])


def _as_table(source: Source, table: pl.DataFrame, added: Sequence[str]) -> Source:
    """The source, as the table that was made of it."""
    warnings = (*source.warnings, *added)
    return replace(source, format="table", path=None, table=table, hashed=source.sha256(), warnings=warnings)


# --- tables as `adjudge judge` writes them: their columns say what options say of other tables ---

JUDGE_COLUMNS = (
    *("item", "annotator", "kind", "criterion", "label", "confidence", "score", "explanation", "run", "position"),
    *("probe", "cost"),
)
"""The columns of such a table."""
_REPEATS = {f"{name}_column": name for name in ("run", "position", "confidence", "probe", "cost")}
"""Options of repeated labels, and the column that each names if it says anything."""
Settled = tuple[Any, dict[str, list[Source]], tuple[str, ...]]


def settle_judge_tables(options: Any, inputs: dict[str, list[Source]]) -> Settled:  # noqa: ANN401
    """Options and inputs for tables of judges, and warnings; others than those of labels stay as they are.

    Models are the judges, and humans are the reference, of options that name these. Several criteria are grouped, and
    their items are kept apart. Where no option names changed items, further runs, the other order and changed items are
    excluded, and counted.
    """
    sources, is_labels = inputs.get("data", []), isinstance(options, Labels)
    if not (is_labels and sources and all(map(is_judge_table, sources))):
        return options, inputs, ()
    frames = [
        read_texts(source, {name: name for name in JUDGE_COLUMNS}, JUDGE_COLUMNS).select(JUDGE_COLUMNS)
        for source in sources
    ]
    every, warnings = pl.concat(frames), tuple[str, ...]()
    names = {kind: tuple(every.filter(kind=kind)["annotator"].unique().sort()) for kind in ("human", "model")}
    changes: dict[str, Any] = {}
    repeats, judged, trusts = (hasattr(options, name) for name in ("probe_column", "judges", "reference"))
    if repeats:
        named = {option: column for option, column in _REPEATS.items() if every[column].n_unique() > 1}
        changes = {option: column for option, column in named.items() if getattr(options, option) is None}
    else:
        key = ["item", "annotator", "criterion"]
        plain = (frame.filter(pl.col("probe").is_null()) for frame in frames)
        frames = [frame.unique(key, keep="first", maintain_order=True) for frame in plain]
        if excluded := every.height - sum(frame.height for frame in frames):
            one, many = ("label of a further run, order or probe is", "labels of further runs, orders or probes are")
            warnings = (f"{count_words(excluded, one, many)} excluded",)
        if not trusts and len(names["human"]) > 1 and names["model"]:
            frames = [frame.filter(kind="human") for frame in frames]
            models = count_words(len(names["model"]), "model is", "models are")
            warnings += (f"{models} excluded: agreement is that of humans",)
        if trusts and not judged and not options.reference:
            changes["reference"] = names["human"]
    if judged and all(names.values()) and not options.reference:
        others = [name for name in names["human"] if not any(fnmatchcase(name, one) for one in options.judges)]
        changes |= {"reference": tuple(others)} if options.judges else {"judges": names["model"]}
    if every["criterion"].n_unique() > 1:
        apart = pl.concat_str("item", "criterion", separator=", ")
        frames = [frame.with_columns(apart.alias("item"), pl.col("item").alias("cluster")) for frame in frames]
        changes |= {} if options.by else {"by": ("criterion",)}
    tables = [_as_table(source, frame, ()) for source, frame in zip(sources, frames, strict=True)]
    return replace(options, **changes), {**inputs, "data": tables}, warnings


def is_judge_table(source: Source) -> bool:
    """Whether a table has all columns; the first bytes of text say so of most that have not."""
    is_text = source.table is None and source.format != "parquet"
    if source.damage or (is_text and not all(name.encode() in source.start().content for name in JUDGE_COLUMNS)):
        return False
    try:
        return set(JUDGE_COLUMNS) <= set(schema_of(source, scan(source)).names())
    except DataError:
        return False
