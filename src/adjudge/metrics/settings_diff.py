"""Settings in which several runs differ, apart from what was judged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized

import polars as pl

from adjudge.metrics.metric import View
from adjudge.readers.saved_runs import Run
from adjudge.report import typed_table
from adjudge.version import TITLE

SETTINGS_TABLE = "settings"
"""The table of them, which reports on several runs have where there are any."""
VERSION_SETTING = f"version of {TITLE}"
"""A setting, too."""
INTERVAL_SETTINGS = frozenset({"ci_level", "cluster", "seed"})
"""Settings that change intervals only."""
_HASH = 8
"""Letters of a hash that identify files of the same name."""


def setting_differences(runs: Sequence[Run], view: View) -> Iterator[tuple[str, list[str]]]:
    """Each setting in which runs differ, except the judge, with its value in every run as text."""
    apart = {"examples", "texts", *view.judge_options}
    recorded = [{VERSION_SETTING: run.adjudge, **run.options.recorded()} for run in runs]
    for name in (name for name in recorded[0] if name not in apart):
        values = [one[name] for one in recorded]
        if any(_set_value(one) != _set_value(values[0]) for one in values):
            yield name, [_value_text(one) for one in values]
    for files in zip(*(run.inputs[: view.reference_inputs] for run in runs), strict=False):
        if len({one.sha256 for one in files}) > 1:
            ambiguous = len({one.path for one in files}) < len(files)
            yield "the trusted file", [f"{one.path}, {one.sha256[:_HASH]}" if ambiguous else one.path for one in files]


def settings_warning(first: Run, second: Run, view: View) -> list[str]:
    """How two runs differ apart from the judge."""
    settings = [f"{name} ({', '.join(values)})" for name, values in setting_differences([first, second], view)]
    return [f"{first.name} and {second.name} differ in more than the judge: {', '.join(settings)}"] if settings else []


def _set_value(value: object) -> object:
    """The value of an option; None if it is empty."""
    return None if isinstance(value, Sized) and not len(value) else value


def _value_text(value: object) -> str:
    """The value of an option in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        value = [f"{name}={_value_text(item)}" for name, item in value.items()]
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = ", ".join(map(_value_text, value))
    return "none" if value in (None, "") else f"{value!s:.60}"


def settings_table(runs: Sequence[str], differing: Iterable[tuple[str, Sequence[str]]]) -> dict[str, pl.DataFrame]:
    """A row for each setting and run. differing: each setting with its value in every run, in words."""
    rows = [
        {"setting": name, "run": run, "chosen": value}
        for name, values in differing
        for run, value in zip(runs, values, strict=True)
    ]
    return {SETTINGS_TABLE: typed_table(rows)} if rows else {}
