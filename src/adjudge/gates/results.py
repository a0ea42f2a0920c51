"""The results of gates in the rows that they read."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import erfc, sqrt

from adjudge.errors import AdjudgeError, GateError, OptionError
from adjudge.estimate import Caveat
from adjudge.gates.gate import TABLE, Bound, Gate, decimals_text
from adjudge.gates.options import Check
from adjudge.metrics.row_selection import (
    OVERALL_TABLE,
    RUN_COLUMNS,
    TableRow,
    check_known_name,
    check_rows_exist,
    key_columns,
    metric_tables,
    select_rows,
    subject_text,
)
from adjudge.report import GateResult, Report
from adjudge.spec import EQUIVALENCE_SUFFIX, NON_INFERIORITY_SUFFIX, Evaluation
from adjudge.statistics.comparison import holm
from adjudge.statistics.quantiles import critical_value, significance_level


def judge(report: Report, checks: Iterable[Check]) -> tuple[Report, AdjudgeError | None]:
    """The report with the results of its gates, and the error that says which failed, or that no row answers one.

    Later gates than that have no results.
    """
    results: list[GateResult] = []
    error: AdjudgeError | None = None
    found = [check(report) for check in checks]  # gates that are misspelt are refused before anything is printed
    try:
        for one in found:
            results.extend(one)
    except OptionError as unanswered:
        error = unanswered
    else:
        failed = [str(result) for result in results if not result.passed]
        error = GateError(*failed) if failed else None
    return replace(report, gates=tuple(results)), error


def gate_results(report: Report, gates: Iterable[Gate], bound: Bound = "estimate") -> Iterator[GateResult]:
    """The result of every floor and ceiling in every row that it reads, found when it is asked for.

    A gate reads the first that holds its metric and keys of the table `overall`, the main table, and the only other
    table of metrics that does; or the one that its key `table` names. There it reads the average where there is one,
    and no baselines, unless it names them; every row that answers must pass, and an undefined metric fails. bound:
    "estimate" reads metrics, "worst" the limits of their intervals on the bad side, the lower one for a floor and the
    upper one for a ceiling; a metric without an interval then fails.

    Raises OptionError where no row answers, and where rows of several other tables do.
    """
    for gate in gates:
        end = "low" if gate.better == "high" else "high"
        for row in _gated_rows(report, gate):
            requested = replace(gate, unit=" pp") if gate.unit and row.get("second") is not None else gate
            read = row[end if bound == "worst" else "value"]
            passed = read is not None and gate.excess(read) <= 0
            known = None not in (row["low"], row["high"])
            uncertain = bound == "estimate" and known and row["low"] < gate.limit < row["high"]
            if read is None:
                finding = _undefined_text(row, requested)
            elif bound == "worst":
                finding = f"it is {requested.text(read)}, of an estimate of {requested.text(row['value'])}"
            else:
                side = "below" if read >= gate.limit else "above"
                doubt = f", so it may be {side} {requested.number_text}" if uncertain else ""
                finding = f"it is {requested.text(read)}{interval_text(row, requested)}{doubt}"
            subject = _subject_text(row, report.about) or "all judgments together"
            yield GateResult(requested.requirement(bound), subject, finding, passed, uncertain)


def non_inferiority_results(report: Report, gates: Iterable[Gate]) -> Iterator[GateResult]:
    """The result of every gate for every judge that it reads, found when it is asked for.

    It passes if a one-sided test at 1 - confidence shows that the judge is no worse than annotators by more than the
    margin; where two show that both are equivalent within it, it is said too. An undefined metric fails.
    Raises OptionError where no row answers.
    """
    for gate in gates:
        tested = report["equivalence"]["metric"].unique(maintain_order=True)
        names = [name.removesuffix(NON_INFERIORITY_SUFFIX) for name in tested]
        check_known_name("judges and human annotators are not compared in their", gate.metric, names[::2], gate.option)
        for row in _gated_rows(report, replace(gate, metric=f"{gate.metric}{NON_INFERIORITY_SUFFIX}")):
            group = {name: row[name] for name in key_columns(row) if name != "metric" and row[name] is not None}
            (other,) = _gated_rows(report, replace(gate, metric=f"{gate.metric}{EQUIVALENCE_SUFFIX}", keys=group))
            passed = row["value"] is not None and row["value"] < gate.number
            if row["value"] is None:
                finding = _undefined_text(row, gate)
            else:
                within = other["value"]
                both = f", and is equivalent within {gate.text(within)}" if within < gate.number else ""
                worse = f"may be up to {gate.text(row['value'])} worse" if row["value"] else "is no worse"
                finding = f"it {worse}{both}"
            yield GateResult(str(gate), _subject_text(row, report.about), finding, passed)


def regression_results(report: Report, gates: Iterable[Gate]) -> Iterator[GateResult]:
    """The result of every gate in every row of `comparison` that it reads, found when it is asked for.

    A gate fails where the difference, the second run minus the first, is worse than its margin allows, and both
    p_adjusted of the table and the p of its own question lie below 1 - confidence. That question is whether the
    difference is worse by more than the margin; its p, adjusted by Holm's method over all rows that the gates read, is
    the row's own where the margin is 0, and follows else from how far the interval is from the margin. On runs that are
    truly equal some gate fails with a probability of at most (1 - confidence) / 2, as the other half lies on the good
    side. A difference that is undefined or has no interval fails, since nothing is known of it, but not one of 0
    between runs that are alike in every item.

    A gate reads the average where there is one, and no baselines, unless it names them. Raises OptionError where no
    row answers.
    """
    level = significance_level(report.confidence)
    read = [(gate, row) for gate in gates for row in _gated_rows(report, gate)]
    adjusted = holm([_margin_p(row, gate, report.confidence) for gate, row in read])
    for (gate, row), p_of_margin in zip(read, adjusted, strict=True):
        pairs = {tuple(other[run] for run in RUN_COLUMNS) for other_gate, other in read if other_gate is gate}
        if p_of_margin is None:
            # Runs that are equal in every item have no interval.
            passed, finding = row["value"] == 0 and row["caveat"] == Caveat.NO_VARIATION, _undefined_text(row, gate)
        else:
            p = max(p_of_margin, row["p_adjusted"] or 0.0)
            passed, finding = p >= level, f"{gate.text(row['value'])}{interval_text(row, gate)}"
            if gate.excess(row["value"]) > 0:  # with decimals that show whether p is significant
                shown = f"= {decimals_text(p, level, 3).rstrip('0').rstrip('.').removeprefix('0')}"
                finding += f", adjusted p {'< .001' if p < 0.001 else shown}"  # noqa: PLR2004
        subject = _subject_text(row, report.about, apart=RUN_COLUMNS if len(pairs) == 1 else ())
        yield GateResult(str(gate), subject, f"{row['second']} minus {row['first']} is {finding}", passed)


def _margin_p(row: TableRow, gate: Gate, confidence: float) -> float | None:
    """The p of a difference's being worse by more than the margin: 1 where it is not; None without an interval.

    By the normal distribution that has the interval's limit at its confidence.
    """
    limit = row["high" if gate.better == "high" else "low"]
    if limit is None:
        return None
    beyond = gate.excess(row["value"])
    if beyond <= 0:
        return 1.0
    if not gate.number and row["p"] is not None:
        return float(row["p"])
    reach = abs(limit - row["value"])
    return erfc(critical_value(confidence) * beyond / reach / sqrt(2)) if reach else 0.0


def interval_text(row: TableRow, gate: Gate) -> str:
    """The interval of a row's metric, in brackets; empty where it has none."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f" [{gate.text(row['low']).removesuffix(gate.unit)}, {gate.text(row['high']).removesuffix(gate.unit)}]"


def _undefined_text(row: TableRow, gate: Gate) -> str:
    """Why a row's value is undefined, or has no interval."""
    if row["value"] is None:
        return f"undefined, {row['reason']}"
    note = f", {Caveat(row['caveat']).title}" if row["caveat"] else ""
    return f"{gate.text(row['value'])} without an interval{note}"


def _subject_text(row: TableRow, about: Evaluation, apart: Sequence[str] = ()) -> str:
    """The keys of a row as a sentence names them, "week 2, annotator A17". apart: those that it leaves out.

    A value that the evaluation has a name for stands by that name alone. A name that is the annotator's id but for
    capitals is left out, and so are judges that are what two runs are called.
    """
    keys = {name: str(row[name]) for name in key_columns(row) if row[name] is not None}
    if keys.get("name", "").casefold() == keys.get("annotator", "").casefold():
        keys.pop("name", None)
    judges = "judge", "second_judge"
    if "second_judge" in keys and [keys.get(key) for key in judges] == [keys.get(key) for key in RUN_COLUMNS]:
        apart = [*apart, *judges]
    return ", ".join(
        about.names.get(name, {}).get(value)
        or ("average" if value == "average" else f"{name.replace('_', ' ')} {value}")
        for name, value in keys.items()
        if name not in apart
    )


def _gated_rows(report: Report, gate: Gate) -> list[TableRow]:
    """The rows that a gate reads. Raises OptionError where there are none, and where several tables have them."""
    option, metric, keys, main = gate.option, gate.metric, dict(gate.keys), report.about.main
    tables = metric_tables(report)
    if TABLE in keys and TABLE not in key_columns(report[main].columns):
        main = keys.pop(TABLE)
        check_known_name("no table of estimates", main, tables, option, subject_text(metric, gate.keys))
        tables = {main: tables[main]}
    rows_by_table = {name: select_rows(rows, metric, keys, report.about) for name, rows in tables.items()}
    there = [name for name, rows in rows_by_table.items() if rows]
    picked = [name for name in (OVERALL_TABLE, main) if name in there][:1] or there
    if len(picked) > 1:
        ways = " or ".join(subject_text(metric, {TABLE: name, **keys}) for name in picked)
        raise OptionError(f"{len(picked)} tables have {subject_text(metric, keys)}", option=option, fix=ways)
    if picked:
        return rows_by_table[picked[0]]
    rows_of_metric = {name: [row for row in rows if row["metric"] == metric] for name, rows in tables.items()}
    lacking = [name for name, rows in rows_of_metric.items() if any(row.keys() >= keys.keys() for row in rows)]
    where = main if main in lacking or not lacking else lacking[0]
    check_rows_exist(f"table {where} has", tables[where], metric, keys, option, subject_text(metric, keys))
    raise OptionError(f"table {where} has {metric} of baselines alone, which gates read by name only", option=option)
