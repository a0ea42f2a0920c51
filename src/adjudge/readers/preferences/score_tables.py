"""Tables of scores and verdicts: published scores of systems, results of models, and a judge's verdicts on answers.

Scores stand in long or wide tables, or in the results file of ELOQUENT's shared task.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError, nearest
from adjudge.readers.io.json_documents import is_number, not_plain, plain_text, text_frame
from adjudge.readers.io.source import Format, Source
from adjudge.readers.parsed_input import Opened, format_of, opened
from adjudge.readers.preferences.preferences import PreferenceReading
from adjudge.readers.problems import Findings, cells_of, count_words, keys_said, listed, quoted
from adjudge.readers.tables import ROW, collect, is_flat, missing_columns, read_texts, scan, schema_of
from adjudge.schemas import columns as cell_rules
from adjudge.schemas.answers import ANSWER_KEYS, VERDICTS, fill_noise
from adjudge.schemas.outcomes import OUTCOME
from adjudge.schemas.preferences import AVERAGE, CRITERIA

SCORE_KEYS = ("system", "criterion", "metric")
SCORES = (*SCORE_KEYS, "value")

ALL = "all"
"""The criterion of a column of scores whose name has none."""

SCORE = "score"
"""The metric of a column of scores named after its criterion."""

_METRICS = {"rougel": "rouge_l", "bertscore_f1": "bertscore"}
"""The results file's name of a metric -> Adjudge's, if they differ."""

SYSTEMS = ("system", "model", "team", "name", "submission", "run", "method")
"""Names of a wide table's column of systems; by default the first."""

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

    low: metrics whose columns mark lower as better, by an arrow. heights: rows of each source.
    """

    frame: pl.DataFrame
    low: tuple[str, ...]
    warnings: tuple[str, ...]
    heights: tuple[int, ...]


def read_scores(sources: Sequence[Source], columns: Mapping[str, str]) -> Published:
    """The scores in some tables.

    A table with columns metric and value is long; any other is wide, with a row per system. Numbers are read without
    bold, %, and text after ± or in brackets. Raises DataError for a missing name, a value that is no finite number, and
    a repeated score of a system; OptionError for a missing column.
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
    """The scores of one source. Adds to the last three arguments."""
    file = opened(source, PreferenceReading(columns=columns))
    form = format_of("preferences", file)
    table: pl.DataFrame = form.read(file) if form else collect(source, file.rows(list(columns.values())))
    if table.is_empty():
        raise DataError(f"{source.name}: expected at least one row; got none")
    table = table.with_columns(pl.selectors.duration().dt.to_string("iso"))
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
    sound = findings.keep(keys, [cell_rules.require_value(key, "a name") for key in SCORE_KEYS], say)
    return findings.once(sound, SCORE_KEYS, ROW, f"{source.name}, rows", "each metric once").drop(ROW)


def _wide(
    source: Source, table: pl.DataFrame, columns: Mapping[str, str], low: dict[str, None], warnings: list[str]
) -> pl.DataFrame:
    """A row for each system and column of numbers: ROW, column, SCORES. Adds to `low` and `warnings`."""
    if odd := sorted(columns.keys() - {"system"}):
        message = f"{source.name} has a row per system, so only system can be mapped; got {odd[0]}"
        raise OptionError(message, option="columns")
    names = [name for name in table.columns if name != ROW]
    cell_rules.check_column_exists(source.name, cell_rules.requested_columns((), columns=columns), names)
    system = columns.get("system") or next((name for name in names if name.strip().casefold() in SYSTEMS), names[0])
    candidates = [name for name in names if name != system]
    scored = [
        name for name in candidates if plain_number(name).casefold() not in RANKS and any(map(is_score, table[name]))
    ]
    if others := [name for name in candidates if name not in scored]:
        warnings.append(f"{source.name}: columns without scores are excluded: {listed(others)}")
    if not scored:
        raise DataError(f"{source.name}: expected a column of scores besides {system}; got none", found=listed(names))
    metrics = [figure_in(name) for name in scored]
    low |= {metric: None for name, (_, metric) in zip(scored, metrics, strict=True) if _LOW.search(name)}
    systems = pl.Series("system", [_name(text) for text in table[system]], pl.String)
    long = (
        table.select(ROW, *scored).with_columns(systems).unpivot(scored, index=[ROW, "system"], variable_name="column")
    )
    criterion, metric = (pl.col("column").replace_strict(scored, list(values)) for values in zip(*metrics, strict=True))
    return long.with_columns(criterion=criterion, metric=metric).sort(ROW, maintain_order=True)


def figure_in(column: str) -> tuple[str, str]:
    """The criterion and the metric in the name of a column of scores.

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
    """The cells as numbers. Other text is a finding, and so is a % in only some cells of a column."""
    marked, percent = 0, dict[tuple[str, str], set[bool]]()
    for row, column, criterion, metric, text in cells.select(ROW, "column", "criterion", "metric", "value").iter_rows():
        number = _NUMBER.fullmatch(cell_rules.with_decimal_point(plain_number(text)))
        if number:
            marked += number[1] != cell_rules.with_decimal_point(text)
            percent.setdefault((criterion, metric), set()).add(bool(number[2]))
        elif text.casefold() not in _NOTHING:
            hint = ". Write it with a decimal point" if "," in text else ""
            findings.add(f"{source.name}, row {row}, column {column}: expected a number; got {quoted(text)}{hint}")
        value = float(number[1].replace("−", "-")) if number else inf
        yield value if isfinite(value) else None
    if marked:
        cells_read = count_words(marked, "cell was", "cells were")
        warnings.append(f"{source.name}: {cells_read} read without marks around the number (bold, %, ±)")
    for criterion, metric in (key for key, signs in percent.items() if len(signs) > 1):
        findings.add(f"{source.name}, {metric} of {criterion}: expected a % in all rows or in none; some have it")


def plain_number(text: str) -> str:
    """A cell without marks."""
    return _MARKS.sub("", text).strip()


def is_score(text: str) -> bool:
    """Whether a cell may be a score: a number, with or without marks."""
    return _LIKE_A_NUMBER.match(plain_number(text)) is not None


def _name(text: str) -> str:
    """A name without bold, italics and links."""
    linked = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", re.sub(r"<[^<>]*>", "", text))
    return linked.strip().strip("*`").strip()


# --- verdicts, and results of models ---

_KEYS = ("id", "system", "criterion")
_NEEDED = ("id", "model")
_MOST_IDS = 10_000
"""Maximum number of ids to search for the nearest to an unknown one."""

_NOISE_RULE = cell_rules.require_number("noise_ratio", "a number from 0 to 1", 0, 1)
_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_verdicts(
    source: Source, ids: pl.Series, systems: Sequence[str], criteria: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """A judge's verdicts on explanations of these systems: id, system, criterion, verdict, outcome; and warnings.

    verdict is yes, no, or null if the judge gave none. ids: of the gold; any other is an error. Verdicts on other
    systems and criteria are excluded and counted in a warning. Raises DataError for another verdict, an empty or
    repeated key, and a file without any of the systems.
    """
    rules = [
        *(cell_rules.require_value(key, "a name") for key in _KEYS),
        cell_rules.CellRule("id", pl.col("id").is_not_null() & ~pl.col("id").is_in(ids.implode()), "an id of the gold"),
        cell_rules.require_one_of("verdict", ("yes", "no"), "yes, no or null"),
    ]
    table, findings = _checked(source, (*_KEYS, "verdict", OUTCOME), OUTCOME, rules)
    findings.once(table, _KEYS, ROW, f"{source.name}, rows", "one verdict per id, system and criterion")
    findings.settle()
    used = table.filter(pl.col("system").is_in(systems), pl.col("criterion").is_in(criteria))
    if used.is_empty():
        named = ", ".join(table["system"].unique().sort().head(5))
        raise DataError(f"{source.name}: no verdict on any of {', '.join(systems)}", found=f"verdicts on {named:.300}")
    others = table.height - used.height
    warning = f"{source.name}: {others:,} verdicts on other systems or criteria are not used"
    return used.select(*_KEYS, "verdict", OUTCOME), [warning] if others else []


def read_answer_verdicts(source: Source, answers: pl.DataFrame) -> tuple[pl.DataFrame, int, list[str]]:
    """A judge's verdicts, a row for each answer in their order, null if it gave none; their number; and warnings.

    After the verdicts comes the status of the question to the judge, null if the file lacks it.

    answers: with the columns of adjudge.schemas.answers. Verdicts are joined on id and model, and on ability,
    noise_ratio and draw if the file has them; a missing noise_ratio is 1 for negative_rejection. Raises DataError for
    words other than true and false, a noise_ratio that is no number, verdicts on unknown answers, two verdicts on one
    answer, and a verdict that matches several answers.
    """
    names, columns = schema_of(source, scan(source)).names(), (*VERDICTS, OUTCOME)
    keys = [name for name in ANSWER_KEYS if name in names or name in _NEEDED]
    table = read_texts(source, {name: name for name in (*keys, *columns)}, columns)
    if not {*VERDICTS} & {*names}:
        raise DataError(f"{source.name}: expected at least one column of {', '.join(VERDICTS)}; got none")
    table = table.with_columns(pl.col(VERDICTS).str.to_lowercase())
    rules = [cell_rules.require_one_of(name, _WORDS, "true, false or null") for name in VERDICTS]
    rules += [cell_rules.require_value(name, "an id" if name == "id" else "a name") for name in _NEEDED]
    rules += [_NOISE_RULE] if "noise_ratio" in keys else []
    findings, answer_keys, ids = Findings(), answers.select(keys), answers["id"].unique().to_list()
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    if "noise_ratio" in keys:
        noise = cell_rules.parse_numbers("noise_ratio")
        table = table.with_columns(noise_ratio=fill_noise(noise) if "ability" in keys else noise)

    def message(row: Mapping[str, Any]) -> str:
        hint = "" if row["id"] in ids else nearest(row["id"], ids[:_MOST_IDS])
        return f"{source.name}, row {row[ROW]}: no answer with {keys_said(row, keys)}{hint}"

    findings.add_each(table.drop_nulls(_NEEDED).join(answer_keys, on=keys, how="anti", nulls_equal=True), message)
    findings.once(table, keys, ROW, f"{source.name}, rows", "one verdict per answer")
    findings.settle()
    if answer_keys.join(table, on=keys, how="semi", nulls_equal=True).is_duplicated().any():
        absent = ", ".join(name for name in ANSWER_KEYS if name not in keys)
        hint = f"add {absent}" if absent else "number answers with and without documents with draw"
        raise DataError(f"{source.name}: several answers have the same {', '.join(keys)}; {hint}")
    joined = answer_keys.join(table, on=keys, how="left", nulls_equal=True, maintain_order="left")
    lacking = joined.filter(pl.all_horizontal(pl.col(columns).is_null())).height
    warnings = [f"{source.name}: no verdict on {lacking:,} of {answers.height:,} answers"] if lacking else []
    verdicts = pl.col(VERDICTS).replace_strict(_WORDS, default=None, return_dtype=pl.Boolean)
    return joined.select(verdicts, pl.lit(None, pl.String).alias("detail"), OUTCOME), table.height, warnings


def _checked(
    source: Source, names: Sequence[str], optional: str, rules: Sequence[cell_rules.CellRule]
) -> tuple[pl.DataFrame, Findings]:
    """Columns of a table, one of them optional, and the cells that break rules."""
    table, findings = read_texts(source, {name: name for name in names}, [optional]), Findings()
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    return table, findings


# --- the results file of ELOQUENT ---


def _results(opened: Opened[Any]) -> pl.DataFrame:
    """What the evaluation script of ELOQUENT's preference prediction writes: an object of CRITERION_METRIC.

    One row, whose system is the file's name.
    """
    if wrong := not_plain(opened.document):
        raise DataError(f"{opened.source.name}: {wrong}")
    values = {name: [plain_text(value)] for name, value in opened.document.items()}
    system = opened.source.stem.removesuffix("_results")
    return text_frame({"system": [system], **values}, opened.source.name).with_row_index(ROW, offset=1)


def _is_results(opened: Opened[Any]) -> bool:
    """Whether JSON is an object of numbers whose keys begin with the task's criteria."""
    document = opened.document if opened.source.format == "json" else None
    return (
        isinstance(document, dict)
        and bool(document)
        and all(is_number(value) and key.startswith(CRITERIA) for key, value in document.items())
    )


FORMAT = (Format("eloquent-results", "preferences", _results, _is_results, endings=("_results.json",)),)
