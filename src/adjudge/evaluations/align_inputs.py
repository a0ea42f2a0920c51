"""Inputs aligned: columns that only some of several inputs have, such as the confidence of judges."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

import polars as pl

from adjudge.errors import DataError, merge_errors, named
from adjudge.readers.io.source import How, Source
from adjudge.readers.labels import judgments as reader
from adjudge.readers.parsed_input import Opened, opened
from adjudge.readers.problems import counted, listed
from adjudge.readers.transforms import INNER, JOIN, shaped
from adjudge.schemas.columns import NONE, check_column_exists

T = TypeVar("T")
CLUSTER = "cluster"
SECOND_FAMILY = "family_second"
"""The family of the second of two responses."""
ITEM_COLUMNS = ("family", SECOND_FAMILY, "strata", CLUSTER)
"""Options whose columns describe items rather than labels."""


def with_missing_columns(
    sources: Sequence[Source], columns: Mapping[str, str], options: reader.Options
) -> list[Source]:
    """The inputs with empty columns for those that only other inputs have, and warnings that say so.

    columns: option -> column, of those of items (OF_ITEMS) without warnings, since other rows of the item say it.
    Raises OptionError for a column that none of several inputs has; the column cluster may be nowhere.
    """
    if len(sources) == 1:
        return list(sources)
    inputs = [opened(source, options) for source in sources]
    plain = {option: name for option, name in columns.items() if not (JOIN in name or INNER in name)}
    wanted = {option for option in plain if option != CLUSTER or any(plain[option] in one.names for one in inputs)}
    lacking = [_missing_columns(one, {option: plain[option] for option in plain if option in wanted}) for one in inputs]
    if nowhere := wanted.intersection(*lacking):
        present = dict.fromkeys(chain.from_iterable(one.names for one in inputs))
        check_column_exists("all inputs", [one for one in plain.items() if one[0] in nowhere], present)
    return [
        _with_empty(source, {option: name for option, name in plain.items() if option in lacks})
        for source, lacks in zip(sources, lacking, strict=True)
    ]


def convert_sources(
    make: Callable[[Source], T], sources: Sequence[Source], *, spare: bool
) -> tuple[list[Source], list[T], list[Source]]:
    """The sources that `make` accepts, its result for each, and the other sources with the reason as their damage.

    spare: whether these may be left out. Raises DataError with what is wrong with all of them if not, or if there are
    no others.
    """
    sound, made, wrong = list[Source](), list[T](), list[tuple[Source, DataError]]()
    for source in sources:
        try:
            source.check_sound()
            made.append(make(source))
            sound.append(source)
        except DataError as error:
            wrong.append((source, error))
    if wrong and not (spare and made):
        raise merge_errors([error for _, error in wrong])
    return sound, made, [replace(one, path=None, given=one.given or one.path, damage=why) for one, why in wrong]


def _missing_columns(source: Opened[reader.Options], columns: Mapping[str, str]) -> set[str]:
    """The options whose columns a flat input lacks; none for a JSON object whose keys may be items."""
    missing = {option for option, name in columns.items() if name not in source.names}
    if not (missing and source.is_json):
        return missing
    values = source.objects.values
    keys = {name for value in values if isinstance(value, dict) for name in value}
    return {option for option in missing if columns[option] not in keys and len(values) > 1}


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
        number = text.cast(pl.Float64, strict=False)
        filled = labels.filter(text != "").unique(["item", name], maintain_order=True)
        differ = pl.coalesce(number.cast(pl.String), text).n_unique() > 1
        several = filled.group_by("item", maintain_order=True).agg(text.unique(maintain_order=True), differ=differ)
        conflicts = several.filter("differ")
        if conflicts.height:
            item, values, _ = conflicts.row(0)
            others = counted(conflicts.height - 1, "further item", "further items")
            more = f"; so is it with {others}" if conflicts.height > 1 else ""
            leave = f"say {named(CLUSTER)} {NONE}" if name == CLUSTER else f"leave out {named(name)}"
            problem = f"expected one value for each item, in all of its rows; {item} has {listed(values)}{more}"
            raise DataError(f"{named(name)}: {problem}", fix=f"mend the rows, or {leave}")
