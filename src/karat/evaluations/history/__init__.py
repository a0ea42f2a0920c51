"""Figures of several runs of an evaluation, in chronological order or in the order of a key column."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.about import Evaluation
from karat.axis import kind_of, place_of
from karat.errors import DataError, OptionError, nearest
from karat.evaluations import evaluation
from karat.names import short
from karat.report import FIGURE, NO_KEYS, number_columns, typed_table

if TYPE_CHECKING:
    import polars as pl

    from karat.formats.saved_reports import SavedReport
    from karat.report import Report

_MOST_NAMED = 4
"""How many runs, or values, are named in a sentence."""
_MOST_KNOWN = 20
"""How many judges an error names."""
_TEXT = 40
_OF_THE_INPUT = frozenset({"inputs", "system", "checker", "absent"})
"""Parts of a signature that describe what was judged."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """What to show. metric, judge: all of them if none is named. by: the column that gives the order."""

    metric: Sequence[str] = ()
    by: str | None = None
    judge: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The figures of runs. table: as `karat.history` returns it. runs: in its order, with the figures of each.

    judges: how many there are. warnings: on what is left out, and what keeps runs from being compared.
    """

    table: "pl.DataFrame"
    runs: "tuple[tuple[SavedReport, int], ...]"
    judges: int
    warnings: tuple[str, ...]


def keys_of(frame: "pl.DataFrame") -> list[str]:
    """The key columns of a table of figures."""
    return [name for name in frame.columns if name not in NO_KEYS]


def of_scores(report: "Report") -> bool:
    """Whether a report is one of `score`: its main table is that of its evaluation, and holds figures of judges."""
    try:
        own = evaluation(report.evaluation)
    except DataError:
        return False
    main, needed = own.main, {*FIGURE, own.judge}
    return report.about.main == main and main in report.tables and needed <= set(report[main].columns)


def history_of(runs: "Sequence[SavedReport]", choice: Choice) -> History:
    """The figures asked for, of runs of one evaluation, the oldest first.

    They are those that gates read: pooled ones where an evaluation pools, without baselines. Raises OptionError for a
    metric, a judge or a column that no run has, and DataError if there is no figure at all.
    """
    about = evaluation(runs[0].report.evaluation)
    judge = about.judge
    keys = _all_keys(runs, about)
    if choice.by is not None and choice.by not in keys:
        hint = nearest(choice.by, keys)
        raise OptionError(f"by: no run has the key column {choice.by}{hint}; there are {', '.join(keys)}")
    _check_judges(runs, about, choice)
    found = {run.name: _read(run, about, choice) for run in runs}
    metrics = _metrics(found, about, choice)
    pooled = {key: value for key, value in about.gated.items() if key != choice.by}
    kept = {name: _kept(rows, metrics, _pooled(found, metrics, pooled)) for name, rows in found.items()}
    ordered = _ordered(runs, kept, choice.by)
    rows = [row for _, row in ordered]
    return History(
        _table(ordered, keys, choice.by),
        tuple((run, len(kept[run.name])) for run in dict.fromkeys([*(run for run, _ in ordered), *runs])),
        len({row[judge] for row in rows}),
        (*_lacking(runs, kept, metrics, choice.by), *settings_that_differ(runs)),
    )


def _all_keys(runs: "Sequence[SavedReport]", about: Evaluation) -> list[str]:
    """The key columns of all runs, those of the run with the most first."""
    keys = sorted((keys_of(run.report[about.main]) for run in runs), key=len, reverse=True)
    return list(dict.fromkeys(key for of_run in keys for key in of_run))


def _read(run: "SavedReport", about: Evaluation, choice: Choice) -> list[Row]:
    """The rows of a run about the judges asked for; by default about all but the baselines."""
    judge, rows = about.judge, run.report[about.main].to_dicts()
    if choice.by is not None:
        rows = [row for row in rows if choice.by in row]
    if choice.judge:
        return [row for row in rows if row[judge] in choice.judge or row.get("name") in choice.judge]
    return [row for row in rows if not (about.baselines and str(row[judge]).startswith(about.baselines))]


def _check_judges(runs: "Sequence[SavedReport]", about: Evaluation, choice: Choice) -> None:
    """Raises OptionError for a judge asked for that no run has."""
    judge = about.judge
    tables = [run.report[about.main] for run in runs] if choice.judge else []
    known = {
        name
        for frame in tables
        for column in ({judge, "name"} & set(frame.columns))
        for name in frame[column].unique()
        if name is not None
    }
    for name in choice.judge:
        if name not in known:
            several = sorted(known)[:_MOST_KNOWN]
            listed = ", ".join(map(short, several)) + (" ..." if len(known) > _MOST_KNOWN else "")
            raise OptionError(f"judge: no run has the {judge} {short(name)}{nearest(name, known)}; there are {listed}")


def _metrics(found: Mapping[str, Sequence[Row]], about: Evaluation, choice: Choice) -> list[str]:
    """The metrics asked for; by default the leading one, or the first with a good end."""
    held = dict.fromkeys(row["metric"] for rows in found.values() for row in rows)
    known = [*(name for name in about.metrics if name in held), *(name for name in held if name not in about.metrics)]
    if not known:
        raise DataError("the runs hold no figures: their main tables are empty")
    for name in choice.metric:
        if name not in known:
            hint = nearest(name, known)
            raise OptionError(f"metric: no run has the metric {short(name)}{hint}; there are {', '.join(known)}")
    if choice.metric:
        return list(choice.metric)
    good = [name for name in known if name in about.metrics and about.metrics[name].better]
    return [about.leading] if about.leading in known else [*good, *known][:1]


def _pooled(
    found: Mapping[str, Sequence[Row]], metrics: Sequence[str], pooled: Mapping[str, str]
) -> dict[str, Mapping[str, str]]:
    """Metric -> the keys of its pooled rows; empty where no row has them."""
    rows = [row for of_run in found.values() for row in of_run]
    return {
        name: pooled if any(row["metric"] == name and _says(row, pooled) for row in rows) else {} for name in metrics
    }


def _says(row: Row, wanted: Mapping[str, str]) -> bool:
    return all(row.get(key) == value for key, value in wanted.items())


def _kept(rows: Sequence[Row], metrics: Sequence[str], pooled: Mapping[str, Mapping[str, str]]) -> list[Row]:
    """The rows of those metrics, which stand in their order under the same keys."""
    rows = [row for row in rows if row["metric"] in metrics and _says(row, pooled[row["metric"]])]
    keys = [tuple(value for name, value in row.items() if name not in NO_KEYS) for row in rows]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    order = sorted(range(len(rows)), key=lambda place: (places[keys[place]], metrics.index(rows[place]["metric"])))
    return [rows[place] for place in order]


def _ordered(
    runs: "Sequence[SavedReport]", kept: Mapping[str, Sequence[Row]], by: str | None
) -> "list[tuple[SavedReport, Row]]":
    """Runs with their rows by time or by the column, then by the runs' names."""
    pairs = [(run, row) for run in runs for row in kept[run.name]]
    if by is None:
        return sorted(pairs, key=lambda pair: (pair[0].time, place_of(pair[0].name, "name")))
    kind = kind_of(row[by] for _, row in pairs)
    return sorted(pairs, key=lambda pair: (place_of(pair[1][by], kind), place_of(pair[0].name, "name")))


def _table(ordered: "Sequence[tuple[SavedReport, Row]]", keys: Sequence[str], by: str | None) -> "pl.DataFrame":
    """Run, then time or the column in its place, the other keys, and the figures."""
    own = ["run"] if by else ["run", "time"]
    named = {name: f"report_{name}" if name in keys else name for name in own}
    others = [*([by] if by else []), *(key for key in keys if key != by)]
    rows = [
        {
            **{named[name]: {"run": run.name, "time": run.time}[name] for name in own},
            **{key: row.get(key) for key in others},
            **{name: row[name] for name in FIGURE},
        }
        for run, row in ordered
    ]
    frames = {run.name: run.report[_main(run)] for run, _ in ordered}.values()
    numbers = {name for frame in frames for name in number_columns(frame)}.intersection(others)
    return typed_table(rows, [*named.values(), *others, *FIGURE], numbers=sorted(numbers))


def _lacking(
    runs: "Sequence[SavedReport]", kept: Mapping[str, Sequence[Row]], metrics: Sequence[str], by: str | None
) -> list[str]:
    """Sentences on the runs that have no figure of a metric, or no such column."""
    without = [run.name for run in runs if by is not None and by not in run.report[_main(run)].columns]
    found = [f"{named('run', without)} without the column {by}: left out"] if without else []
    for metric in metrics:
        lacking = [
            run.name
            for run in runs
            if run.name not in without and not any(row["metric"] == metric for row in kept[run.name])
        ]
        found += [f"{named('run', lacking)} without a figure of {metric}"] if lacking else []
    return found


def _main(run: "SavedReport") -> str:
    return evaluation(run.report.evaluation).main


def named(what: str, names: Sequence[str]) -> str:
    """How many there are, and the names of the first.

    >>> named("run", ["a", "b"]), named("run", list("abcdef"))
    ('2 runs (a, b)', '6 runs (a, b, c, d and 2 more)')
    """
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    said = ", ".join(map(_ending, names[:_MOST_NAMED]))
    return f"{len(names):,} {what}{'s' if len(names) > 1 else ''} ({said}{more})"


def _ending(name: str) -> str:
    """A path or a name, shortened to fit: a long one keeps its end, which tells it from others."""
    line = short(name, len(name) + 1)
    return line if len(line) <= _TEXT else f"…{line[1 - _TEXT :]}"


def settings_that_differ(runs: "Sequence[SavedReport]") -> list[str]:
    """A sentence on each setting in which the runs' signatures differ, apart from what was judged."""
    signatures = [_settings(run.report.signature) for run in runs]
    names = dict.fromkeys(name for settings in signatures for name in settings if name not in _OF_THE_INPUT)
    found = []
    for name in names:
        values = Counter(settings.get(name, "none") for settings in signatures)
        if len(values) > 1:
            said = ", ".join(f"{short(value, _TEXT)} in {count:,}" for value, count in values.most_common(_MOST_NAMED))
            more = f" and {len(values) - _MOST_NAMED:,} more" if len(values) > _MOST_NAMED else ""
            found.append(f"runs differ in {name} ({said}{more}): their figures are not comparable")
    return found


def _settings(signature: str) -> dict[str, str]:
    """The settings in a signature: name -> value. A piece without a name continues the value before it."""
    found: dict[str, str] = {}
    name = ""
    for piece in signature.split("|"):
        start, equals, value = piece.partition("=")
        if equals and start.isidentifier() and start not in found:
            name = start
            found[name] = value
        elif name:
            found[name] += f"|{piece}"
    return found
