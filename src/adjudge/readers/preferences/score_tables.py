"""Tables of scores and verdicts: published scores of systems, results of models, and a judge's verdicts on answers.

Scores stand in long or wide tables.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.io.source import Source
from adjudge.readers.label_values import MISSING
from adjudge.readers.parsed_input import opened
from adjudge.readers.preferences.preferences import PreferenceReading
from adjudge.readers.problems import Findings, cells_of, keys_said, listed
from adjudge.readers.tables import ROW, as_text, missing_columns, read_texts, scan, schema_of
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
"""A shared task's name of a metric -> Adjudge's, if they differ."""

SYSTEMS = ("system", "model", "team", "name", "submission", "run", "method")
"""Names of a wide table's column of systems; by default the first."""

RANKS = ("rank", "#", "place", "position")
_LIKE_A_NUMBER = re.compile(r"\W*\d[\d.,]*\s*([%±*([]|$)")
_MARKS = " *`"
"""Spaces, and bold type in Markdown, around names and numbers."""


@dataclass(frozen=True, slots=True)
class Published:
    """Scores (system, criterion, metric, value), in the files' order; a value may be missing. heights: of the files."""

    frame: pl.DataFrame
    warnings: tuple[str, ...]
    heights: tuple[int, ...]


def read_scores(sources: Sequence[Source], columns: Mapping[str, str]) -> Published:
    """The scores in some tables.

    A table with columns metric and value is long; any other is wide, with a row per system. Raises DataError for a
    missing name, a value that is no finite number, and a repeated score of a system; OptionError for a missing column.
    """
    findings, warnings = Findings(), list[str]()
    frames = [_read(source, columns, findings, warnings) for source in sources]
    files = pl.concat(frame.with_columns(file=pl.lit(nth)) for nth, frame in enumerate(frames, 1))
    names = listed((source.name for source in sources), say=str)
    frame = findings.once(files, SCORE_KEYS, "file", f"{names}: files", "each metric once").drop("file")
    findings.settle()
    return Published(frame, tuple(warnings), tuple(one.height for one in frames))


def _read(source: Source, columns: Mapping[str, str], findings: Findings, warnings: list[str]) -> pl.DataFrame:
    """The scores of one source. Adds to the last two arguments."""
    table = opened(source, PreferenceReading(columns=columns)).records
    flat = [name for name, dtype in table.schema.items() if dtype == pl.String]
    texts = table.select(ROW, *(as_text(pl.col(name), pl.String()).str.strip_chars(_MARKS) for name in flat))
    names = {name: columns.get(name, name) for name in SCORES}
    if {names["metric"], names["value"]} & {*flat}:
        if lacking := {name: theirs for name, theirs in names.items() if theirs not in flat}:
            raise missing_columns(source.name, lacking, flat, columns)
        cells = texts.select(ROW, **names)
    else:
        cells = _wide(source, texts, columns, warnings)
    given = pl.when(~pl.col("value").str.to_lowercase().is_in(MISSING)).then("value").alias("value")
    percent = pl.col("value").str.ends_with("%")
    cells = cells.with_columns(given).with_columns(number=pl.col("value").str.strip_suffix("%"))
    mixed = percent != percent.all().over("criterion", "metric")
    rules = [cell_rules.require_value(key, "a name") for key in SCORE_KEYS]
    rules.append(cell_rules.CellRule("value", mixed, "a % in all rows or in none"))
    rules.append(cell_rules.require_number("number", "a number, with a decimal point"))
    cells = findings.keep(cells, rules, cells_of(cells, source.name, "row", ROW, {**columns, "number": names["value"]}))
    cells = findings.once(cells, SCORE_KEYS, ROW, f"{source.name}, rows", "each metric once")
    return cells.select(*SCORE_KEYS, value=cell_rules.parse_numbers("number"))


def _wide(source: Source, table: pl.DataFrame, columns: Mapping[str, str], warnings: list[str]) -> pl.DataFrame:
    """A row for each system and column of numbers: ROW and SCORES. Adds to `warnings`."""
    if odd := sorted(columns.keys() - {"system"}):
        message = f"{source.name} has a row per system, so only system can be mapped; got {odd[0]}"
        raise OptionError(message, option="columns")
    names = [name for name in table.columns if name != ROW]
    cell_rules.check_column_exists(source.name, cell_rules.requested_columns((), columns=columns), names)
    system = columns.get("system") or next((name for name in names if name.strip().casefold() in SYSTEMS), names[0])
    others = [name for name in names if name != system]
    figures = [name for name in others if name.casefold() not in RANKS]
    scored = [name for name in figures if any(map(_LIKE_A_NUMBER.match, table[name].drop_nulls()))]
    if left := [name for name in others if name not in scored]:
        warnings.append(f"{source.name}: columns without scores are excluded: {listed(left)}")
    if not scored:
        raise DataError(f"{source.name}: expected a column of scores besides {system}; got none", found=listed(names))
    metrics = [figure_in(name) for name in scored]
    wide = table.select(ROW, *scored).with_columns(table[system].alias("system"))
    long = wide.unpivot(scored, index=[ROW, "system"], variable_name="column").sort(ROW, maintain_order=True)
    criterion, metric = (pl.col("column").replace_strict(scored, list(names)) for names in zip(*metrics, strict=True))
    return long.select(ROW, "system", "value", criterion=criterion, metric=metric)


def figure_in(column: str) -> tuple[str, str]:
    """The criterion and the metric in the name of a column of scores.

    >>> figure_in("safety_rougeL"), figure_in("Overall quality"), figure_in("WER ↓"), figure_in("Avg.")
    (('safety', 'rouge_l'), ('overall_quality', 'score'), ('all', 'WER ↓'), ('average', 'score'))
    """
    name = column.strip("↑ ")
    folded = re.sub(r"[\s/:.-]+", "_", name.casefold())
    if name.casefold() in ("average", "avg", "avg.", "mean"):
        return AVERAGE, SCORE
    for criterion in CRITERIA:
        if folded == criterion:
            return criterion, SCORE
        if folded.startswith(f"{criterion}_"):
            metric = name[len(criterion) + 1 :]
            return criterion, _METRICS.get(metric.casefold(), metric)
    return ALL, name


# --- verdicts, and results of models ---

_KEYS = ("id", "system", "criterion")
_NEEDED = ("id", "model")
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
    names = (*_KEYS, "verdict", OUTCOME)
    table, findings = read_texts(source, {name: name for name in names}, [OUTCOME]), Findings()
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    findings.once(table, _KEYS, ROW, f"{source.name}, rows", "one verdict per id, system and criterion")
    findings.settle()
    used = table.filter(pl.col("system").is_in(systems), pl.col("criterion").is_in(criteria))
    if used.is_empty():
        found = f"verdicts on {listed(table['system'].unique().sort())}"
        raise DataError(f"{source.name}: no verdict on any of {', '.join(systems)}", found=found)
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
    findings, answer_keys = Findings(), answers.select(keys)
    if "noise_ratio" in keys:
        rules.append(cell_rules.require_number("noise_ratio", "a number from 0 to 1", 0, 1))
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    if "noise_ratio" in keys:
        noise = cell_rules.parse_numbers("noise_ratio")
        table = table.with_columns(noise_ratio=fill_noise(noise) if "ability" in keys else noise)
    unknown = table.drop_nulls(_NEEDED).join(answer_keys, on=keys, how="anti", nulls_equal=True)
    findings.add_each(unknown, lambda row: f"{source.name}, row {row[ROW]}: no answer with {keys_said(row, keys)}")
    findings.once(table, keys, ROW, f"{source.name}, rows", "one verdict per answer")
    findings.settle()
    if answer_keys.join(table, on=keys, how="semi", nulls_equal=True).is_duplicated().any():
        absent = ", ".join(name for name in ANSWER_KEYS if name not in keys) or "draw, with and without documents"
        raise DataError(f"{source.name}: several answers have the same {', '.join(keys)}; add {absent}")
    joined = answer_keys.join(table, on=keys, how="left", nulls_equal=True, maintain_order="left")
    lacking = joined.filter(pl.all_horizontal(pl.col(columns).is_null())).height
    warnings = [f"{source.name}: no verdict on {lacking:,} of {answers.height:,} answers"] if lacking else []
    verdicts = pl.col(VERDICTS).replace_strict(_WORDS, default=None, return_dtype=pl.Boolean)
    return joined.select(verdicts, pl.lit(None, pl.String).alias("detail"), OUTCOME), table.height, warnings
