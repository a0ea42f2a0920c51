"""Columns of files by which figures can be told apart."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from karat.api.calls import arguments_of, documented_as
from karat.errors import KaratError
from karat.evaluations import NAMES
from karat.evaluations.scoring import scoring
from karat.formats.inputs import source_of
from karat.formats.profiles import Column
from karat.formats.seen import seen
from karat.schemas.outcomes import RESERVED
from karat.schemas.pairs import VOTE

_KEPT = 16
_MOST = 1 << 26
"""The bytes of a file up to which it is looked into."""
_JUDGMENTS = ("_preference", "_explanation")
"""How columns end that hold what is judged; in Karat's own form those of votes begin alike."""


def columns_of(function: str, given: Mapping[str, Any]) -> Sequence[str]:
    """The columns of the first file that hold a few values each, but for those that mean something to Karat."""
    first = next(name for name, one in arguments_of(documented_as(function).function).items() if one.positional)
    many = given[first] if isinstance(given[first], list) else [given[first]]
    path = Path(many[0]) if many else Path()
    if function not in NAMES or not path.is_file() or path.stat().st_size > _MOST:
        return ()
    meant = {
        *RESERVED,
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
    except KaratError:
        return []
    return [name for name, one in table.columns.items() if _is_own(name, meant, judged) and _may_group(one)]


def _is_own(name: str, meant: frozenset[str], judged: str | None) -> bool:
    """Whether it is a column that means nothing to Karat."""
    judges = name.endswith(_JUDGMENTS) or (judged is not None and name.startswith(judged))
    return name not in meant and "." not in name and not judges


def _may_group(column: Column) -> bool:
    return column.is_label and not column.is_id and len(column.distinct) > 1
