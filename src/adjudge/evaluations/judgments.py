"""Shared parts of evaluations that read judgments: options, texts of items, counts, notes, and reading on workers."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.metrics.cells import unit_name
from adjudge.metrics.partial_counts import Workers
from adjudge.options.shared import LabelScoring, ScaleOptions
from adjudge.readers.io.source import Source
from adjudge.readers.label_values import BETWEEN, family, label_counts, label_sets, listed_counts, map_values_text
from adjudge.readers.labels import judgments as reader
from adjudge.readers.problems import count_words
from adjudge.schemas import judgments as schema
from adjudge.schemas.columns import constant_columns, mapped_columns, parse_numbers, requested_column
from adjudge.statistics.raters import Level

_FEWEST_PLACES = 3
"""Of fewer different numbers every two are neighbours, or 0 and 1 as names."""


def reader_options(
    options: LabelScoring, ordered: Sequence[str], *, labels: Sequence[str] = (), level: str | None = None
) -> reader.JudgmentReading:
    """How judgments are read. labels: those allowed. Raises OptionError for columns that do not fit together."""
    cluster, constants = requested_column(options.cluster), constant_columns(options)
    numeric = list(ordered) == [schema.NUMBERS] or all(schema.finite_number(label) is not None for label in ordered)
    return reader.JudgmentReading.of(
        options,
        columns=mapped_columns(options.columns, schema.TEXT, cluster, constants),
        reference=(),
        flag_values=options.flag_values or schema.FLAGS,
        labels=labels,
        ordered=ordered,
        numbers=level in {"interval", "ratio"} or (bool(ordered) and numeric),
    )


def check(reading: reader.JudgmentReading, scale: ScaleOptions | None = None) -> None:
    """Raises OptionError for ambiguous values of flags, and for options that need or exclude another."""
    if len(reading.ordered) == 1 and reading.ordered[0] != schema.NUMBERS:
        expected = f"expected at least two labels, from one end to the other, or {schema.NUMBERS}"
        raise OptionError(f"{expected}; got {reading.ordered[0]}", option="ordered")
    if scale and scale.level == "nominal" and scale.ordered:
        raise OptionError("labels of the level nominal have no order; leave out one of them", option="ordered")
    values = reading.flag_values
    if values.keys() != {"flagged", "clean"} or not all(values.values()):
        got = ", ".join(f"{side}={text}" for side, texts in values.items() for text in texts)
        raise OptionError(f"expected values for both, such as flagged=NSFW,clean=OK; got {got}", option="flag_values")
    if both := {text.casefold() for text in values["flagged"]} & {text.casefold() for text in values["clean"]}:
        raise OptionError(f"{min(both)} stands for both flagged and clean", option="flag_values")


def level_of(scale: ScaleOptions) -> Level:
    """The level of labels: nominal, unless an order or another level is given."""
    return scale.level or ("ordinal" if scale.ordered else "nominal")


def order_of(scale: ScaleOptions) -> Sequence[str]:
    """The order of labels, as `schemas.judgments.scale_position` takes it; empty for nominal labels."""
    return () if level_of(scale) == "nominal" else scale.ordered or (schema.NUMBERS,)


_GRADE = re.compile(r"(strongly|very|somewhat|slightly|mostly|partly|completely|extremely|neither) ", re.IGNORECASE)
"""The beginning of a label on a scale of words, such as strongly agree."""


def scale_warnings(labels: pl.Series, scale: ScaleOptions) -> tuple[str, ...]:
    """A warning if labels may be an undeclared scale: at least three numbers and nothing else, or graded words."""
    if scale.level or scale.ordered:
        return ()
    names = labels.unique().drop_nulls().cast(pl.String).sort()
    if len(names) >= _FEWEST_PLACES and not names.to_frame().select(parse_numbers(labels.name)).to_series().has_nulls():
        fix = "if they are places on a scale, give --level ordinal; if they measure something, --level interval"
        return (f"labels are numbers, but count as names: {fix}",)
    graded = list(filter(_GRADE.match, names))
    fix = "Give them from lowest to highest: --ordered LABEL,..."
    return tuple(f'labels such as "{one:.60}" may have an order, but count as names. {fix}' for one in graded[1:2])


def check_ratio_labels(labels: pl.Series, scale: ScaleOptions) -> None:
    """Raises DataError for a label below 0 where labels are numbers from 0."""
    if scale.level != "ratio":
        return
    numbers = labels.drop_nulls().unique().cast(pl.String).cast(pl.Float64, strict=False).to_list()
    if below := [one for one in numbers if one is not None and one < 0]:
        problem = f"label: expected numbers from 0, since {flag_name('level')} is ratio; got {min(below):g}"
        raise DataError(problem, fix=f"{flag_name('level')} interval")


def count_judgments(judgments: pl.DataFrame, *, clustered: bool) -> dict[str, int]:
    """Counts for the head of the report. clustered: whether the judgments name clusters."""
    items = judgments["item"].n_unique()
    counts = {"judgments": judgments.height, "items": items, "annotators": judgments["annotator"].n_unique()}
    return counts | ({"clusters": count_clusters(judgments)} if clustered else {})


def count_clusters(judgments: pl.DataFrame) -> int:
    """How many clusters items are in; one that names none is its own."""
    return int(judgments.select(unit_name("cluster").n_unique()).item())


ABSTENTIONS = {"abstentions": "How many items each skips or answers with a word for no label, such as N/A."}
"""The table of abstentions, which reports have where there are any."""


def abstention_tables(judgments: pl.DataFrame, by: Sequence[str], judge: str) -> dict[str, pl.DataFrame]:
    """The table of ABSTENTIONS; none where nobody abstains. judge: its column of names."""
    keys = [*by, pl.col("annotator").cast(pl.String).alias(judge)]
    skipped = judgments.filter("skipped").group_by(keys).agg(pl.len().cast(pl.Int64).alias("count")).sort(*by, judge)
    return dict.fromkeys(ABSTENTIONS if skipped.height else (), skipped)


def cluster_notes(numbers: Mapping[str, int], cluster: str | None) -> tuple[str, ...]:
    """A note on how intervals are clustered; none if each item has one judgment."""
    if "clusters" in numbers:
        return (cluster_note(numbers["clusters"], cluster),)
    if numbers["judgments"] == numbers["items"]:
        return ()
    items = count_words(numbers["items"], "cluster", "clusters")
    return (f"Intervals of the pooled metrics are clustered by item: {items}.",)


def cluster_note(clusters: int, cluster: str | None) -> str:
    """By what column all intervals are clustered, and into how many clusters."""
    return f"All intervals are clustered by {cluster or 'cluster'}: {count_words(clusters, 'cluster', 'clusters')}."


def read_on_workers(
    workers: Workers, read: Callable[[Source], reader.OneRead], inputs: Sequence[Source]
) -> Iterable[reader.OneRead]:
    """Files of judgments, read on workers if there are several."""
    if len(inputs) == 1:
        return map(read, inputs)
    return workers.files("reading files", lambda source, _: read(source), inputs, {})


# --- labels that may mean something else ---

_SHARE = re.compile(r"0?\.\d*[1-9]\d*|\d(\.\d+)?[eE]-\d+")
"""A number between 0 and 1."""


def read_judgments(
    inputs: Sequence[Source], options: reader.JudgmentReading, read_each: reader.ReadEach = map
) -> reader.Judgments:
    """Judgments, with warnings about cells that may mean something else; see `readers.labels.judgments`.

    Raises DataError for probabilities instead of labels.
    """
    read = reader.read_judgments(inputs, options, read_each)
    if options.exact_labels:
        return read
    held = read.frame if read.references is None else read.references.rename({"label": "reference_label"})
    given, expected = label_counts(read.frame["label"]), label_counts(*held.select(pl.col("^reference_label$")))
    _check_probabilities(given.keys(), {family(label) or "": label for label in sorted(expected)})
    warnings, empty = _several_answers(given, expected), sum(part.empty for part in read.parts)
    decided = any("" in meant for part in read.parts for meant in part.source.how.map_values.values())
    if empty and len(given) == 1 and not decided:
        (only,) = given
        no = map_values_text({"": min(expected.keys() - {only}, default=f"not {only}")})
        some = f'"{only:.60}" is the only label, and {empty:,} cells are empty'
        warnings.append(f"{some}. If these mean no: --map-values {no}")
    return replace(read, warnings=(*read.warnings, *warnings))


def _check_probabilities(labels: Iterable[str], words: Mapping[str, str]) -> None:
    """Raises DataError for numbers between 0 and 1 beside a reference of two labels, with a threshold.

    words: family of the reference's labels -> its label, see `label_values.family`.
    """
    shares = sorted(filter(_SHARE.fullmatch, labels))
    if not shares or words.keys() != {"yes", "no"}:
        return
    yes, no = words["yes"], words["no"]
    small = "*" if any("e" in share for share in shares) else "0*"
    cuts = {**{f"0.{digit}*": yes for digit in range(5, 10)}, "1" if small == "*" else "1*": yes, small: no}
    cuts = {cut: side for cut, side in cuts.items() if any(one.startswith(cut.rstrip("*")) for one in labels)}
    found = f'labels are probabilities, such as "{shares[0]}", beside reference labels "{yes}" and "{no}"'
    raise DataError(found, fix=f"a threshold, such as 0.5: {flag_name('map_values')} {map_values_text(cuts)}")


def _several_answers(given: Mapping[str, int], expected: Mapping[str, int]) -> list[str]:
    """The warning about reference labels that are several of the annotators' labels, none of which is several."""
    sets = {label for label, parts in label_sets({*given, *expected}).items() if len(parts) > 1}
    several = sorted(sets & expected.keys())
    if not several or sets & given.keys():
        return []
    one, first = " ".join(several[0].split()), next(filter(None, map(str.strip, BETWEEN.split(several[0]))))
    some = f"reference labels with several answers equal no single label: {listed_counts(several[:3], expected)}"
    return [f"{some}. To accept one: --map-values {map_values_text({one: first}, ('reference',))}"]
