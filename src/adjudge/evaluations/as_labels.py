"""Pairs, and preferences on several criteria, as long tables of labels."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from adjudge.readers.io.source import Source
from adjudge.readers.labels import judgments
from adjudge.readers.pairs import pairs
from adjudge.readers.pairs.columnar import prompts_repeat
from adjudge.readers.parsed_input import format_of, opened
from adjudge.readers.problems import counted
from adjudge.readers.tables import read_texts
from adjudge.schemas import preferences
from adjudge.schemas.pairs import CODE, NOT_GIVEN, TEXTS, VOTES, AnnotatedPairs

_PREFERENCE = "_preference"
_LABELS = ("text_a", "text_b", "both", "neither")
"""Votes that are labels."""


def as_labels(source: Source, options: judgments.Options) -> Source:
    """A source of pairs or preferences as a table of labels, with what there is to be warned of; any other as it is."""
    opened_source = opened(source, options)
    named_columns = {opened_source.theirs("annotator"), opened_source.theirs("label")}
    if format_of("reliability", opened_source) or named_columns <= set(opened_source.names):
        return source
    if criteria := [name for name in opened_source.names if name.endswith(_PREFERENCE)]:
        texts = [name for name in preferences.TEXTS if name in opened_source.names]
        return _labels_of_preferences(source, opened_source.theirs("id"), criteria, texts)
    how = pairs.Options(drop=options.drop, exact_labels=options.exact_labels)
    are_pairs = format_of("annotations", opened(source, pairs.Options())) is not None
    return _labels_of_pairs(source, pairs.read_pairs(source, how)) if are_pairs else source


def _labels_of_preferences(source: Source, ids: str, columns: Sequence[str], texts: Sequence[str]) -> Source:
    """A row per item and criterion, all of one who is called as the file; an item's criteria belong together."""
    frame = read_texts(source, {name: name for name in (ids, *columns, *texts)})
    parts = [
        frame.select(
            *texts,
            item=pl.concat_str(ids, pl.lit(f" {column.removesuffix(_PREFERENCE)}")),
            annotator=pl.lit(source.stem),
            label=column,
            cluster=ids,
            criterion=pl.lit(column.removesuffix(_PREFERENCE)),
        )
        for column in columns
    ]
    return as_table(source, pl.concat(parts), [])


def _labels_of_pairs(source: Source, data: AnnotatedPairs) -> Source:
    """A row per pair and annotator who voted, with the texts of the pair; those of one prompt belong together."""
    frame = data.frame.collect()
    repeat = prompts_repeat(data.frame) if data.prompts_repeat is None else data.prompts_repeat
    words = dict(enumerate(VOTES))
    codes = [CODE[vote] for vote in _LABELS]
    beside = [*(name for name in TEXTS if name != "pair"), *data.metadata]
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
    left_out = f"{source.name}: {counted(invalid, 'vote is', 'votes are')} invalid, and left out"
    return as_table(source, pl.concat(parts), [*data.warnings, *([left_out] if invalid else [])])


def as_table(source: Source, table: pl.DataFrame, added: Sequence[str]) -> Source:
    """The source, as the table that was made of it."""
    warnings = (*source.warnings, *added)
    return replace(source, format="table", path=None, table=table, hashed=source.sha256(), warnings=warnings)


def new_warnings(made: Sequence[Source], given: Sequence[Source]) -> list[str]:
    """The warnings that sources gained when they were made into tables of labels. given: the sources before."""
    return [said for one, plain in zip(made, given, strict=True) for said in one.warnings[len(plain.warnings) :]]
