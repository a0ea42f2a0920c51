"""What options may name: annotators, criteria, and columns of the file."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl
import streamlit as st

from adjudge.api.calls import arguments_of, documented_as
from adjudge.display_names import annotator_names, display_names
from adjudge.errors import AdjudgeError
from adjudge.evaluations import NAMES
from adjudge.evaluations.annotations.annotators import MODEL, STYLE
from adjudge.evaluations.scoring import scoring
from adjudge.explorer.controls import IN_USE, TO_TRUST
from adjudge.explorer.results import Result, result_of
from adjudge.look.column_profile import Column
from adjudge.look.file_profile import seen
from adjudge.readers.inputs import source_of
from adjudge.schemas.outcomes import RESERVED_COLUMNS
from adjudge.schemas.pairs import VOTE
from adjudge.text.style import RULES

_KEPT, _RESULTS = 16, 4
"""How many files, and how many results, are looked into once."""
_TRUSTED = {"reliability": ["reference"]}
"""Evaluations whose tables do not name whom they trust where nobody is chosen -> whose labels these are."""
_MOST = 1 << 26
"""The bytes of a file up to which it is looked into."""
_JUDGMENTS = ("_preference", "_explanation")
"""How columns end that hold what is judged; in Adjudge's own form those of votes begin alike."""


def choices_of(function: str, given: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """The names that options may take with the arguments given: what stands for one in their help -> names."""
    columns = _columns_of(function, given)
    try:
        result = result_of(function, given)
    except AdjudgeError as error:
        return {"NAME": error.voters, TO_TRUST: error.voters, "COLUMN": columns}
    report = result.report
    frame = report[report.about.main]
    judges = (report.about.judge, "judge", "reference")  # runs that are compared have judges, whatever they judge
    names = {name for column in judges if column in frame.columns for name in frame[column] if name}
    called = annotator_names(report.tables.values())
    trusted = frame["reference"].to_list() if "reference" in frame.columns else _TRUSTED.get(function, [])
    in_use = [] if given.get("reference") else sorted({called.get(name, name) for name in trusted if name})
    return {"NAME": sorted(names), "COLUMN": columns, IN_USE: in_use, **_named_in(result)}


@lru_cache(_RESULTS)
def _named_in(result: Result) -> Mapping[str, Sequence[str]]:
    """The names in files of which a report shows a part: annotators who are not compared, and criteria."""
    read = result.read
    if read is None:
        return {}
    if result.function == "annotations":
        everyone = display_names((each.id, each.name) for one in read for each in one.annotators).values()
        sides = [one.frame.select(side).unique().collect()[side] for one in read for side in ("model_a", "model_b")]
        models = sorted(pl.concat(sides).unique().drop_nulls())
        names = [*everyone, *(MODEL + name for name in models), *(STYLE + rule for rule in RULES)]
        return {"NAME": names, "COLUMN": list(dict.fromkeys(name for one in read for name in one.metadata))}
    if result.function == "card":
        return {"NAME": [*read.judges, *read.people]}
    return {"CRITERION": read.task.criteria} if result.function == "preferences" else {}


def _columns_of(function: str, given: Mapping[str, Any]) -> Sequence[str]:
    """The columns of the first file that hold a few values each, but for those that mean something to Adjudge."""
    first = next(name for name, one in arguments_of(documented_as(function).function).items() if one.positional)
    many = given[first] if isinstance(given[first], list) else [given[first]]
    path = Path(many[0]) if many else Path()
    if function not in NAMES or not path.is_file() or path.stat().st_size > _MOST:
        return ()
    meant = {
        *RESERVED_COLUMNS,
        *scoring(function).TAKEN,
        *given.get("columns", {}).values(),
        *given.get("annotator_columns", ()),
    }
    judged = VOTE if function == "annotations" else None
    return _labels(str(path), path.stat().st_mtime, frozenset(meant), judged)


@st.cache_data(max_entries=_KEPT, show_spinner=False)
def _labels(path: str, _: float, meant: frozenset[str], judged: str | None) -> list[str]:
    """The columns of a file that might be groups; none of one that cannot be read. The second argument: its time.

    judged: how columns begin that hold judgments too.
    """
    try:
        table = seen(source_of(path)).table
    except AdjudgeError:
        return []
    return [name for name, one in table.columns.items() if _is_own(name, meant, judged) and _may_group(one)]


def _is_own(name: str, meant: frozenset[str], judged: str | None) -> bool:
    """Whether it is a column that means nothing to Adjudge."""
    judges = name.endswith(_JUDGMENTS) or (judged is not None and name.startswith(judged))
    return name not in meant and "." not in name and not judges


def _may_group(column: Column) -> bool:
    return column.is_label and not column.is_id and len(column.distinct) > 1
