"""`adjudge.history`."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.api.functions import step_of, takes
from adjudge.api.options import HistoryOptions
from adjudge.api.reports import runs_of, without_items
from adjudge.errors import DataError, OptionError, flag_name
from adjudge.evaluations import declaration_of, view_of
from adjudge.report import ESTIMATE_COLUMNS, Input, Report, path_size
from adjudge.version import NAME, TITLE

if TYPE_CHECKING:
    import polars as pl

    from adjudge.metrics.history import RunComparisons
    from adjudge.metrics.metric import View
    from adjudge.readers.saved_runs import SavedReport


@takes(HistoryOptions)
def history(options: HistoryOptions) -> Report:
    """How a metric changed from run to run: the estimates of saved reports, in the order of their dates or as given.

    Each estimate keeps the interval of its own report. Whether it changed from a run to the next is tested on the items
    of both, as in `adjudge.compare`, if both were scored with save_items=.

    Reports hold no time, since the same run gives the same bytes. A run's time is the date (and time of day) in its
    file's name in ISO form (2026-11-20, 20261120, 2026-11-20T10-30). Without one it is that in the name of the nearest
    folder above (the latest, if there are several). If all runs have one, they are in chronological order. If any run
    has none, all are in the order in which they are given. Those of a folder are then in the order of their names, in
    which digits count as numbers (run 2 before run 10). So are three paths or more in alphabetical order, as a shell
    expands run*.json. A caveat names the order.

    If an evaluation pools estimates (the average over criteria, micro), the pooled ones are shown, as in gates.
    Runs with the same time, or the same value of `by`, are in that order too.

    Returns
    -------
    A Report of the runs' evaluation with the table history: run, time (or the column of `by`), the other keys of the
    runs' main tables, metric, value, low, high, n, method, reason, caveat. An undefined estimate stays undefined. The
    table steps has each estimate minus that of the run before, and the last minus the first, with p. Adjusted p
    follow Holm's method within families, as in `adjudge.compare`: all that it tests for the steps are one family, all
    for the first run and the last another. Its column same_items says yes if both runs hold at least half of the items
    of the smaller one: the difference is that on the items of both. If it says no, or unknown since an items file is
    missing, runs are compared by both intervals, as if they shared no item. On the same items that has less power. The
    inputs are the reports, and their rows the estimates read from each. Warnings name runs that lack a requested
    metric, whose items file has changed, and settings that differ between runs, so that estimates are incomparable. If
    runs differ in confidence, the report states the lowest.

    Raises
    ------
    DataError for a folder without reports, for reports of several evaluations and for a file that is not a report;
    OptionError for a path that does not exist, and for a metric, a judge or a column that no report has.

    Example
    -------
    >>> import adjudge, polars as pl, tempfile
    >>> votes = {"item": ["1", "2"], "annotator": ["ann", "ann"], "label": ["a", "b"], "reference": ["a", "a"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     adjudge.reliability(pl.DataFrame(votes)).save(f"{folder}/2026-11-20.json")
    ...     adjudge.history(folder)["history"].select("run", "annotator", "metric", "value").row(0)
    ('2026-11-20', 'ann', 'reliability', 0.5)
    """
    if len(options.by) > 1:
        raise OptionError(f"expected one column; got {', '.join(options.by)}", option="by", fix=options.by[0])
    by, places = next(iter(options.by), None), _places(options.folder)
    from adjudge.metrics.history import STEPS, build_history, run_changes
    from adjudge.readers.saved_runs import read_saved_reports

    with step_of(options)("reading reports"):
        runs, left_out = _of_one_evaluation(places, *read_saved_reports(places))
    about = declaration_of(runs[0].report.evaluation, runs[0].report.tables)
    view = view_of(about.name)
    table, found, warnings = build_history(runs, about, view, options.metric, by, options.judge)
    least = min(run.report.confidence for run in runs)
    with step_of(options)("comparing"):
        judges = {*table[about.judge]} if options.judge else ()
        paired, without = _paired(runs, view, {*table["metric"]}, judges, least)
        steps = run_changes(table, about, by, paired)
    report = without_items(
        options,
        [Input(run.path, run.sha256, rows, path_size(Path(run.path))) for run, rows in found],
        {"history": table, STEPS: steps},
        evaluation=about.name,
        words="history",
        counts={"runs": len(runs), f"{about.judge}s": table[about.judge].n_unique()},
        warnings=(*left_out, *warnings, *without, *paired.warnings),
        notes=(*_notes(runs, by, places), *_on_items(steps)),
    )
    return replace(report, options={**report.options, "ci_level": least})


def _places(folder: Any) -> list[Path]:  # noqa: ANN401 - a path, or several
    places = [folder] if isinstance(folder, str | PathLike) else folder
    if not (isinstance(places, Sequence) and places and all(isinstance(one, str | PathLike) for one in places)):
        raise OptionError(f"expected a path or a list of paths; got {folder!r:.60}", option="folder")
    return [Path(one) for one in places]


def _of_one_evaluation(
    places: Sequence[Path], read: "Sequence[SavedReport]", others: Sequence[str]
) -> "tuple[list[SavedReport], list[str]]":
    """The reports of scores, with sentences on skipped files."""
    from adjudge.metrics.history import count_with_names

    kinds = {run.path: kind for run in read if (kind := _kind(run.report))}
    runs = [run for run in read if run.path in kinds]
    elsewhere = [run.path for run in read if run.path not in kinds]
    if asked := [path for path in elsewhere if Path(path) in places]:
        raise DataError(f"{asked[0]}: expected a report of `score`, with its main table; got one of another command")
    skipped = [f"skipped: {count_with_names('JSON file', others)} not saved as a report by {TITLE}"] if others else []
    skipped += [f"skipped: {count_with_names('report', elsewhere)} of other commands than score"] if elsewhere else []
    if not runs:
        raise DataError(
            f"{places[0]}: expected saved reports; there are none",
            found="; ".join(skipped),
            fix=f"reports saved with {flag_name('output')} FILE.json",
        )
    if len({*kinds.values()}) > 1:
        firsts = {kind: path for path, kind in reversed(kinds.items())}
        got = ", ".join(f"{kind} ({firsts[kind]})" for kind in sorted(firsts))
        raise DataError(f"expected reports of one evaluation; got {got}", fix="a folder of one of them")
    return runs, skipped


def _kind(report: Report) -> str | None:
    """A key that reports with comparable estimates share; None for reports of other commands than `score`.

    Their main table, or a part of it, has a history, and holds estimates of judges.
    """
    try:
        own = declaration_of(report.evaluation, report.tables)
    except DataError:
        return None
    usual = own.main == declaration_of(own.name).main
    if own.main not in report.tables or not (own.over_time or usual):
        return None
    if not {*ESTIMATE_COLUMNS, own.judge} <= set(report[own.main].columns):
        return None
    return own.name if usual else f"{own.name} ({own.title.lower()})"


def _paired(
    runs: "Sequence[SavedReport]", view: "View", metrics: Collection[str], judges: Collection[str], confidence: float
) -> "tuple[RunComparisons, list[str]]":
    """The runs with available items files; and messages on the others whose reports name one."""
    from adjudge.metrics.history import RunComparisons, limit_view

    found, without = {}, []
    for run in runs:
        if run.report.outcomes.path is None:
            continue
        try:
            (found[run.name],) = runs_of([run.path])
        except (DataError, OptionError) as error:
            without.append(f"not compared item by item: {'; '.join(error.problems)}")
    return RunComparisons(found, limit_view(view, {*metrics, *view.main_metrics}), judges, confidence), without


def _notes(runs: "Sequence[SavedReport]", by: str | None, places: Sequence[Path]) -> tuple[str, ...]:
    from adjudge.metrics.history import count_with_names

    order, undated = "in chronological order, by the dates in the names of files or folders", ""
    if by is not None:
        order = f"in the order of {by}"
    elif without := [run.name for run in runs if not run.dated]:
        order = "in the order in which they were given" if len(places) > 1 else "in the order of their names"
        have = "have" if len(without) > 1 else "has"
        undated = f": {count_with_names('run', without)} {have} no date in the name of file or folder"
    return (f"Runs are {order}{undated}.", "Each interval in the table history is that of one run alone.")


def _on_items(steps: "pl.DataFrame") -> list[str]:
    """The basis of the tests of steps."""
    from adjudge.metrics.history import NO, SAME_ITEMS, UNKNOWN, YES

    texts = {
        YES: f"tested on the items of both runs, as {NAME} compare does",
        NO: "between runs with different items, and tested by the intervals of both",
        UNKNOWN: "tested by the intervals of both, as if they shared no items: their items files are missing. "
        "If they do share items, the test has less power",
    }
    counts = [(steps.filter(**{SAME_ITEMS: same}).height, text) for same, text in texts.items()]
    return [f"{count:,} {'step is' if count == 1 else 'steps are'} {text}." for count, text in counts if count]
