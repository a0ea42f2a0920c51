"""Published scores of systems: long and wide tables, and the results file of ELOQUENT's shared task."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.io.json_documents import is_number, not_plain, plain_text, text_frame
from adjudge.readers.io.source import Format, Source
from adjudge.readers.parsed_input import Opened, format_of, opened
from adjudge.readers.preferences.preferences import PreferenceReading
from adjudge.readers.problems import Findings, cells_of, count_words, listed, quoted
from adjudge.readers.tables import ROW, collect, is_flat, missing_columns
from adjudge.schemas.columns import check_column_exists, requested_columns, require_value, with_decimal_point
from adjudge.schemas.preferences import AVERAGE, CRITERIA

SCORE_KEYS = ("system", "criterion", "metric")
SCORES = (*SCORE_KEYS, "value")

ALL = "all"
"""The criterion of a column of scores whose name says none."""

SCORE = "score"
"""The metric of a column of scores that is called after its criterion."""

_METRICS = {"rougel": "rouge_l", "bertscore_f1": "bertscore"}
"""What the results file calls metrics, where Adjudge calls them otherwise."""

SYSTEMS = ("system", "model", "team", "name", "submission", "run", "method")
"""What a wide table may call its column of systems; else it is the first."""

RANKS = ("rank", "#", "place", "position")
_AVERAGES = ("average", "avg", "avg.", "mean")
_NOTHING = ("", "-", "–", "—", "n/a", "na", "nan")
_MARKS = re.compile(r"[*_`$†‡]|<[^<>]*>|\\[a-z]+\{|\}")
_NUMBER = re.compile(r"([-+−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(?:(%)\s*)?(?:(?:±|\+/-|\+-|\().*)?")
_LIKE_A_NUMBER = re.compile(r"[-+−]?\.?\d[\d.,]*\s*(?:[%±(+]|$)")
_ARROWS = re.compile(r"(?:(?<!\s)\s+)?[(\[]?[↑↓⬆⬇][)\]]?\s*")
_LOW = re.compile("[↓⬇]")


@dataclass(frozen=True, slots=True)
class Published:
    """Scores (system, criterion, metric, value), in the files' order; a value may be missing.

    low: metrics whose columns say, by an arrow, that they are better when low. heights: rows of each source.
    """

    frame: pl.DataFrame
    low: tuple[str, ...]
    warnings: tuple[str, ...]
    heights: tuple[int, ...]


def read_scores(sources: Sequence[Source], columns: Mapping[str, str]) -> Published:
    """The scores in some tables.

    A table with columns metric and value is long; any other is wide, with a row per system. Numbers are read without
    what stands around them: bold, %, and what follows ± or stands in brackets. Raises DataError for a name that is
    missing, a value that is no finite number, and a figure of a system that stands twice; OptionError for a column
    that is not there.
    """
    findings, low, warnings = Findings(), dict[str, None](), list[str]()
    frames = [_read(source, columns, findings, low, warnings) for source in sources]
    frame = pl.concat(frames)
    if len(frames) > 1:
        files = f"{listed((source.name for source in sources), say=str)}: files"
        numbers = pl.Series([nth for nth, one in enumerate(frames, 1) for _ in range(one.height)], dtype=pl.UInt32)
        findings.once(frame.with_columns(file=numbers), SCORE_KEYS, "file", files, "each metric once")
    findings.settle()
    return Published(frame, tuple(low), tuple(warnings), tuple(one.height for one in frames))


def _read(
    source: Source, columns: Mapping[str, str], findings: Findings, low: dict[str, None], warnings: list[str]
) -> pl.DataFrame:
    """The scores of one source. Adds to the last three."""
    found = opened(source, PreferenceReading(columns=columns))
    form = format_of("preferences", found)
    table: pl.DataFrame = form.read(found) if form else collect(source, found.rows(list(columns.values())))
    if table.is_empty():
        raise DataError(f"{source.name}: expected at least one row; got none")
    flat = [name for name, dtype in table.schema.items() if is_flat(dtype) and name != ROW]
    texts = table.select(ROW, pl.col(flat).cast(pl.String).str.strip_chars().fill_null(""))
    if any(columns.get(name, name) in flat for name in ("metric", "value")):
        names = {name: columns.get(name, name) for name in SCORES}
        if lacking := {name: theirs for name, theirs in names.items() if theirs not in flat}:
            raise missing_columns(source.name, lacking, flat)
        cells = texts.select(ROW, **names, column=pl.lit(names["value"]))
    else:
        cells = _wide(source, texts, columns, low, warnings)
    values = pl.Series("value", list(_values(source, cells, findings, warnings)), pl.Float64)
    keys = cells.select(ROW, *(pl.when(pl.col(key) != "").then(key).alias(key) for key in SCORE_KEYS), values)
    say = cells_of(keys, source.name, "row", ROW, columns)
    sound = findings.keep(keys, [require_value(key, "a name") for key in SCORE_KEYS], say)
    return findings.once(sound, SCORE_KEYS, ROW, f"{source.name}, rows", "each metric once").drop(ROW)


def _wide(
    source: Source, table: pl.DataFrame, columns: Mapping[str, str], low: dict[str, None], warnings: list[str]
) -> pl.DataFrame:
    """A row for each system and column of numbers: ROW, column, SCORES. Adds to `low` and `warnings`."""
    if odd := sorted(columns.keys() - {"system"}):
        message = f"{source.name} has a row per system, so only system can be mapped; got {odd[0]}"
        raise OptionError(message, option="columns")
    found = [name for name in table.columns if name != ROW]
    check_column_exists(source.name, requested_columns((), columns=columns), found)
    system = columns.get("system") or next((name for name in found if name.strip().casefold() in SYSTEMS), found[0])
    beside = [name for name in found if name != system]
    held = [name for name in beside if plain_number(name).casefold() not in RANKS and any(map(is_score, table[name]))]
    if others := [name for name in beside if name not in held]:
        warnings.append(f"{source.name}: columns without scores are left out: {listed(others)}")
    if not held:
        raise DataError(f"{source.name}: expected a column of scores beside {system}; got none", found=listed(found))
    figures = [figure_in(name) for name in held]
    low |= {metric: None for name, (_, metric) in zip(held, figures, strict=True) if _LOW.search(name)}
    systems = pl.Series("system", [_name(text) for text in table[system]], pl.String)
    long = table.select(ROW, *held).with_columns(systems).unpivot(held, index=[ROW, "system"], variable_name="column")
    criterion, metric = (pl.col("column").replace_strict(held, list(names)) for names in zip(*figures, strict=True))
    return long.with_columns(criterion=criterion, metric=metric).sort(ROW, maintain_order=True)


def figure_in(column: str) -> tuple[str, str]:
    """The criterion and the metric that a column of scores is called after.

    >>> figure_in("safety_rougeL"), figure_in("Overall quality"), figure_in("**WER** ↓"), figure_in("Avg.")
    (('safety', 'rouge_l'), ('overall_quality', 'score'), ('all', 'WER'), ('average', 'score'))
    """
    name = _name(_ARROWS.sub("", column))
    folded = re.sub(r"[\s/:.-]+", "_", name.casefold())
    if name.casefold() in _AVERAGES:
        return AVERAGE, SCORE
    for criterion in CRITERIA:
        if folded == criterion:
            return criterion, SCORE
        if folded.startswith(f"{criterion}_"):
            metric = name[len(criterion) + 1 :]
            return criterion, _METRICS.get(metric.casefold(), metric)
    return ALL, name


# --- cells ---


def _values(source: Source, cells: pl.DataFrame, findings: Findings, warnings: list[str]) -> Iterator[float | None]:
    """What the cells say as numbers. What is none is a finding, and so is a % that not all of a column have."""
    marked, percent = 0, dict[tuple[str, str], set[bool]]()
    for row, column, criterion, metric, text in cells.select(ROW, "column", "criterion", "metric", "value").iter_rows():
        number = _NUMBER.fullmatch(with_decimal_point(plain_number(text)))
        if number:
            marked += number[1] != with_decimal_point(text)
            percent.setdefault((criterion, metric), set()).add(bool(number[2]))
        elif text.casefold() not in _NOTHING:
            hint = ". Write it with a decimal point" if "," in text else ""
            findings.add(f"{source.name}, row {row}, column {column}: expected a number; got {quoted(text)}{hint}")
        value = float(number[1].replace("−", "-")) if number else inf
        yield value if isfinite(value) else None
    if marked:
        said = count_words(marked, "cell was", "cells were")
        warnings.append(f"{source.name}: {said} read without what stands around the number (bold, %, ±)")
    for criterion, metric in (both for both, signs in percent.items() if len(signs) > 1):
        findings.add(f"{source.name}, {metric} of {criterion}: expected a % in all rows or in none; some have it")


def plain_number(text: str) -> str:
    """A cell without marks."""
    return _MARKS.sub("", text).strip()


def is_score(text: str) -> bool:
    """Whether a cell may be a score: a number, whatever stands around it."""
    return _LIKE_A_NUMBER.match(plain_number(text)) is not None


def _name(text: str) -> str:
    """A name without bold, italics and links; what stands within it stays."""
    linked = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", re.sub(r"<[^<>]*>", "", text))
    return linked.strip().strip("*`").strip()


# --- the results file of ELOQUENT ---


def _results(found: Opened[Any]) -> pl.DataFrame:
    """What the evaluation script of ELOQUENT's preference prediction writes: an object of CRITERION_METRIC.

    A row of the one system, which the file is called after.
    """
    if wrong := not_plain(found.document):
        raise DataError(f"{found.source.name}: {wrong}")
    figures = {name: [plain_text(value)] for name, value in found.document.items()}
    system = found.source.stem.removesuffix("_results")
    return text_frame({"system": [system], **figures}, found.source.name).with_row_index(ROW, offset=1)


def _is_results(found: Opened[Any]) -> bool:
    """Whether JSON is an object of numbers, each called after one of the task's criteria."""
    document = found.document if found.source.format == "json" else None
    return (
        isinstance(document, dict)
        and bool(document)
        and all(is_number(value) and key.startswith(CRITERIA) for key, value in document.items())
    )


FORMAT = (Format("eloquent-results", "preferences", _results, _is_results, endings=("_results.json",)),)
