"""Flat tables that are read beside an evaluation's input: a judge's verdicts, and published results.

Verdicts on explanations: id, system, criterion, verdict (yes, no, or null where the judge gave none). Verdicts on
answers: id, model, optionally ability, noise_ratio and draw, and what the judge says of each. Results of models: model,
ability, metric, value, optionally noise_ratio.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from adjudge.errors import DataError, nearest
from adjudge.readers.io.source import Source
from adjudge.readers.problems import Findings, cells_of, keys_said
from adjudge.readers.tables import ROW, read_texts
from adjudge.schemas.answers import ABILITIES, ANSWER_KEYS, VERDICTS, fill_noise
from adjudge.schemas.columns import CellRule, parse_numbers, require_number, require_one_of, require_value
from adjudge.schemas.outcomes import OUTCOME

_LACKABLE = ("noise_ratio", OUTCOME)
_KEYS = ("id", "system", "criterion")
_NEEDED = ("id", "model")
_MOST_IDS = 10_000
"""Ids among which the nearest to an unknown one is looked for."""

_NOISE_RULE = require_number("noise_ratio", "a number from 0 to 1", 0, 1)
_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_RESULTS = ("model", "ability", "noise_ratio", "metric", "value")
_SHARE = "a share from 0 to 1, such as 0.86 (a slope from -1 to 1)"


def read_verdicts(
    source: Source, ids: pl.Series, systems: Sequence[str], criteria: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """The verdicts on these systems and criteria (id, system, criterion, verdict, outcome), and warnings.

    ids: of the gold; another one is an error. Verdicts on other systems and criteria are left out, and counted in a
    warning. Raises DataError for another verdict, a key that is empty, one that stands twice, and a file that is about
    none of the systems.
    """
    rules = [
        *(require_value(key, "a name") for key in _KEYS),
        CellRule("id", pl.col("id").is_not_null() & ~pl.col("id").is_in(ids.implode()), "an id of the gold"),
        require_one_of("verdict", ("yes", "no"), "yes, no or null"),
    ]
    names = (*_KEYS, "verdict", OUTCOME)
    table = _checked(source, names, rules, _KEYS, "one verdict per id, system and criterion")
    ours = table.filter(pl.col("system").is_in(systems), pl.col("criterion").is_in(criteria))
    if ours.is_empty():
        found = ", ".join(table["system"].unique().sort().head(5))
        raise DataError(f"{source.name}: no verdict on any of {', '.join(systems)}", found=f"verdicts on {found:.300}")
    others = table.height - ours.height
    told = f"{source.name}: {others:,} verdicts on other systems or criteria are not used"
    return ours.select(*_KEYS, "verdict", OUTCOME), [told] if others else []


def read_answer_verdicts(source: Source, answers: pl.DataFrame) -> tuple[pl.DataFrame, int, list[str]]:
    """A judge's verdicts, a row for each answer in their order, null where it gave none; how many; and warnings.

    Behind the verdicts stands the outcome of the question to the judge, null where the file does not say it.

    answers: with the columns of adjudge.schemas.answers. Verdicts are joined on id and model, and on ability,
    noise_ratio and draw where the file has them; a noise_ratio that is missing is that of negative_rejection 1. Raises
    DataError for other words than true and false, a noise_ratio that is no number, verdicts on answers that are not
    there, two on one answer, and one that several answers answer to.
    """
    names = {name: name for name in (*ANSWER_KEYS, *VERDICTS, OUTCOME)}
    table = read_texts(source, names, [name for name in names if name not in _NEEDED], fill=False)
    keys = [name for name in ANSWER_KEYS if name in table.columns]
    silent = [name for name in (*VERDICTS, OUTCOME) if name not in table.columns]
    if {*VERDICTS} <= {*silent}:
        raise DataError(f"{source.name}: expected at least one column of {', '.join(VERDICTS)}; got none")
    table = table.with_columns(pl.lit(None, pl.String).alias(name) for name in silent)
    table = table.with_columns(pl.col(VERDICTS).str.to_lowercase())
    rules = [require_one_of(name, _WORDS, "true, false or null") for name in VERDICTS]
    rules += [require_value(name, "an id" if name == "id" else "a name") for name in _NEEDED]
    rules += [_NOISE_RULE] if "noise_ratio" in keys else []
    findings = Findings()
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    if "noise_ratio" in keys:
        noise = parse_numbers("noise_ratio")
        table = table.with_columns(noise_ratio=fill_noise(noise) if "ability" in keys else noise)
    joined = _with_verdicts(source, answers.select(keys), table, findings)
    lacking = joined.filter(pl.all_horizontal(pl.col(*VERDICTS, OUTCOME).is_null())).height
    warnings = [f"{source.name}: no verdict on {lacking:,} of {answers.height:,} answers"] if lacking else []
    said = pl.col(VERDICTS).replace_strict(_WORDS, default=None, return_dtype=pl.Boolean)
    return joined.select(said, pl.lit(None, pl.String).alias("detail"), OUTCOME), table.height, warnings


def _with_verdicts(source: Source, answers: pl.DataFrame, verdicts: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """The answers with the verdict on each. answers: the columns that verdicts are joined on.

    Raises DataError with all that is found to be wrong, and where several answers have the same keys.
    """
    keys, ids = answers.columns, answers["id"].unique().to_list()

    def say(row: Mapping[str, Any]) -> str:
        hint = "" if row["id"] in ids else nearest(row["id"], ids[:_MOST_IDS])
        return f"{source.name}, row {row[ROW]}: no answer with {keys_said(row, keys)}{hint}"

    unknown = verdicts.drop_nulls(_NEEDED).join(answers, on=keys, how="anti", nulls_equal=True)
    findings.add_each(unknown, say)
    findings.once(verdicts, keys, ROW, f"{source.name}, rows", "one verdict per answer")
    findings.settle()
    if answers.join(verdicts, on=keys, how="semi", nulls_equal=True).is_duplicated().any():
        lacking = ", ".join(name for name in ANSWER_KEYS if name not in keys)
        hint = f"add {lacking}" if lacking else "number answers with and without documents with draw"
        raise DataError(f"{source.name}: several answers have the same {', '.join(keys)}; {hint}")
    return answers.join(verdicts, on=keys, how="left", nulls_equal=True, maintain_order="left")


def read_published(source: Source, metrics: Collection[str]) -> pl.DataFrame:
    """The results in a table, noise_ratio and published as numbers.

    metrics: names that a metric may have. A noise_ratio that is missing is that of negative_rejection 1, else null.
    Raises DataError for a metric or an ability that is none, and for values that are no shares.
    """
    known = {"ability": ABILITIES, "metric": metrics}
    rules = [
        require_value("model", "a name"),
        *(require_value(name, f"one of {', '.join(values)}") for name, values in known.items()),
        *(require_one_of(name, values) for name, values in known.items()),
        _NOISE_RULE,
        require_value("value", _SHARE),
        require_number("value", _SHARE, pl.when(pl.col("metric") == "slope").then(-1).otherwise(0), 1),
    ]
    table = _checked(source, _RESULTS, rules)
    noise, published = fill_noise(parse_numbers("noise_ratio")), parse_numbers("value")
    return table.select("model", "ability", "metric", noise_ratio=noise, published=published)


def _checked(
    source: Source, names: Sequence[str], rules: Sequence[CellRule], keys: Sequence[str] = (), once: str = ""
) -> pl.DataFrame:
    """Columns of a table, of which noise_ratio and outcome may be absent. Raises DataError for rows that break rules.

    keys: what must not stand twice, and `once`, what is expected of it.
    """
    columns = {name: name for name in names}
    table, findings = read_texts(source, columns, [name for name in _LACKABLE if name in names]), Findings()
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    if keys:
        findings.once(table, keys, ROW, f"{source.name}, rows", once)
    findings.settle()
    return table
