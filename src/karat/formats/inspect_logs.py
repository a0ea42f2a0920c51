"""Logs of Inspect (`.eval`) that Karat's tasks wrote: the rows that came of their samples, as a table."""

from pathlib import Path
from typing import Any

import polars as pl

from karat.errors import DataError, MissingError

ENDING = ".eval"


def eval_rows(path: Path) -> pl.DataFrame:
    """The rows in a log: labels, predictions, answers or verdicts, as its task gives them.

    A sample that was run again counts once, the last time. Raises DataError for a log without rows, MissingError where
    Inspect is not installed.
    """
    try:
        from inspect_ai.log import read_eval_log_samples
    except ImportError:
        raise MissingError(f'{path}: reading logs of Inspect needs an extra: pip install "karat[models]"') from None
    found = {}
    try:
        for sample in read_eval_log_samples(str(path), all_samples_required=False):
            found[sample.id, sample.epoch] = sample.store.get("karat")
    except (ValueError, KeyError, OSError) as error:
        raise DataError(f"{path}: expected a log of Inspect; {str(error).splitlines()[0]:.200}") from None
    told = [one for one in found.values() if isinstance(one, dict)]
    rows = [row for one in told for row in one.get("rows", ())]
    if not rows:
        raise DataError(f"{path}: expected a log of a task such as karat/preferences_judge; {_why(told)}")
    epochs = len({epoch for _, epoch in found})
    if epochs > 1:
        raise DataError(
            f"{path}: expected one answer to each sample; got {epochs} epochs. Run the task without --epochs; "
            "-T samples=N or -T draws=N asks several times, where a task has it"
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _why(told: list[dict[str, Any]]) -> str:
    """Why a log holds no rows. told: what Karat kept of its samples."""
    if not told:
        return "none of its samples is of a task of Karat's"
    if any("rows" not in one for one in told):
        return "its samples are single calls: give the file that the command wrote"
    reasons = dict.fromkeys(reason for one in told for reason in one.get("reasons", ()))
    return f"no sample was answered ({next(iter(reasons), 'nothing was asked')})"
