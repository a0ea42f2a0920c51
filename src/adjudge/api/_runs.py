"""Saved runs, with the options that their files say checked as those of a call are."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.api.calls import documented_as
from adjudge.errors import DataError, OptionError

if TYPE_CHECKING:
    from adjudge.readers.saved_runs import Run


def runs_of(paths: Sequence[str | Path]) -> "list[Run]":
    """The runs in files, see `readers.saved_runs.read_runs`. Raises DataError for options that are not valid."""
    from adjudge.evaluations import evaluation
    from adjudge.readers.saved_runs import read_runs

    found = read_runs(paths)
    for run in found:
        evaluation(run.evaluation)
    return [replace(run, options=_checked(run)) for run in found]


def _checked(run: "Run") -> dict[str, Any]:
    known = documented_as(run.evaluation).arguments
    broken = f"{run.path}: what it says of how it was made is broken"
    if unknown := [name for name in run.options if name not in known]:
        raise DataError(f"{broken}: no option is called {unknown[0]:.60}. Write it again with --items")
    try:
        return {name: known[name].checked(value) for name, value in run.options.items()}
    except OptionError as error:
        raise DataError(f"{broken}: {error}. Write it again with --items") from None
