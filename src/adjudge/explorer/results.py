"""The displayed result: the report for the options, with its outcomes, computed once and cached."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import streamlit as st

import adjudge
from adjudge.api.functions import check_files, options_class
from adjudge.api.reports import evaluate
from adjudge.evaluations import NAMES
from adjudge.evaluations.reliability.outcomes import NO_FLAGS
from adjudge.evaluations.scoring import Row, Texts
from adjudge.options.declaration import arguments
from adjudge.report import Report
from adjudge.schemas.outcomes import categories_as_text

_KEPT = 8
"""The number of cached results for all sessions."""
_LAST = dict[str, tuple[object, Any]]()
"""The last inputs and data. Those of `annotations`, whose `read` uses only `reader_options`, serve while these stay."""


@dataclass(frozen=True, eq=False)
class Result:
    """A report, its outcomes with names as text, and the texts of the items of some of them.

    function, given: its function and arguments. texts: none if the inputs are unavailable. read: the inputs as
    the evaluation read them, None if they are unavailable.
    item: an item in the form of examples, if its outcomes and texts do not show it.
    """

    report: Report
    outcomes: pl.LazyFrame
    function: str
    given: Mapping[str, Any]
    texts: Callable[[Sequence[Row]], list[Texts]] = lambda rows: [{} for _ in rows]
    read: Any = None
    item: Callable[[str], pl.DataFrame] | None = None


def result_of(function: str, given: Mapping[str, Any]) -> Result:
    """The result of a function for these arguments, cached while its files are unchanged.

    Raises the function's errors.
    """
    return _compute(function, json.dumps(given, sort_keys=True), _state_of(function, given))


def _state_of(function: str, given: Mapping[str, Any]) -> tuple[tuple[str, int, int], ...]:
    """The files in the arguments, with the time and size of each."""
    read = [name for name, one in arguments(options_class(function)).items() if one.kind.role == "read"]
    names = [one for value in map(given.get, read) for one in (value if isinstance(value, list) else [value]) if one]
    there = [Path(one) for one in names if Path(one).is_file()]
    return tuple((str(one), one.stat().st_mtime_ns, one.stat().st_size) for one in there)


@st.cache_resource(max_entries=_KEPT, show_spinner="Counting ...")
def _compute(function: str, given: str, state: object) -> Result:
    called = json.loads(given)
    options = options_class(function).of(called)
    if function not in NAMES:
        report = getattr(adjudge, function).__wrapped__(check_files(options))
        return Result(report, report["changes"].lazy(), function, called)
    own = [called.get(name) for name, one in arguments(type(options)).items() if one.positional]

    def keep(name: str, depends: object, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever is read
        key, held = (function, own, state, depends), _LAST.get(name)
        if function != "annotations" or held is None or held[0] != key:
            held = _LAST[name] = key, make()
        return held[1]

    result = evaluate(function, options, keep)
    outcomes = _without_silent_parts(result.report, categories_as_text(result.outcomes))
    return Result(result.report, outcomes, function, called, result.texts, result.read, result.item)


def load_result(path: str) -> Result:
    """A saved report, with the few outcomes that it keeps."""
    return _loaded(path, Path(path).stat().st_mtime)


@st.cache_resource(max_entries=_KEPT, show_spinner="Reading ...")
def _loaded(path: str, _: float) -> Result:
    report = Report.load(path)
    return Result(report, _without_silent_parts(report, report.outcomes.first.lazy()), report.evaluation, {})


def _without_silent_parts(report: Report, outcomes: pl.LazyFrame) -> pl.LazyFrame:
    """Outcomes without the parts that do not occur in the data, and without the counts of labels as JSON."""
    if report.evaluation == "reliability":
        return outcomes.filter(~(pl.col("outcome") == NO_FLAGS).any().over("part"))
    return outcomes.drop("detail") if report.evaluation == "agreement" else outcomes
