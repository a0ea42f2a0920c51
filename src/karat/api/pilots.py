"""What saved runs say of the runs to come."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karat.errors import OptionError, nearest

if TYPE_CHECKING:
    from karat.about import Evaluation
    from karat.figures.pilots import Known
    from karat.statistics import Pilot

_MOST_RUNS = 2
_LISTED = 8


def pilot_of(runs: Sequence[str | Path], metric: str) -> tuple[str, "Pilot"]:
    """What one saved run says of a figure, or two on the same items, which also tell how often two judges differ.

    runs: one or two paths, as `karat.compare` takes them. metric: a figure, or one with keys that pick its row:
    accuracy[criterion=safety,judge=north]; by default the row that gates read, such as the average. Returns the
    figure's name, and what is known of it.
    Raises OptionError where no row answers, or several do; otherwise as `karat.compare`.
    """
    from karat.evaluations import evaluation, view_of
    from karat.figures.joining import joined
    from karat.figures.judges import paired_judges
    from karat.figures.pilots import pilots
    from karat.formats.saved_runs import read_runs
    from karat.gates import SUBJECT, keys_in

    if not 1 <= len(runs) <= _MOST_RUNS:
        raise OptionError(f"pilot: expected one saved run, or two on the same items; got {len(runs)}")
    match = re.fullmatch(SUBJECT, metric)
    if match is None:
        raise OptionError(
            f"metric: expected a figure, or one with keys such as accuracy[judge=north]; got {metric:.200}"
        )
    name, wanted = match["metric"], keys_in(match["keys"])
    first, second = (read := read_runs(runs))[0], read[-1]
    judges, _ = paired_judges(first, second)
    pairs = joined(first, second, judges, view_of(first.evaluation))
    known = [about for view, data in pairs for about in pilots(data, view)]
    metrics = list(dict.fromkeys(one.metric for one in known))
    if name not in metrics:
        raise OptionError(f"metric: {first.name} has no {name}{nearest(name, metrics)}; it has {', '.join(metrics)}")
    rows = [one for one in known if one.metric == name]
    found = [one for one in rows if all(str(one.keys.get(key)) == value for key, value in wanted.items())]
    found = _as_gates_read(found, wanted, evaluation(first.evaluation))
    if len(found) != 1:
        what = "no row answers" if not found else f"{len(found)} rows answer"
        raise OptionError(f"metric: {what} to {metric} in {first.name}. Name one, such as {_such(name, found or rows)}")
    return name, found[0].pilot


def _as_gates_read(rows: list["Known"], wanted: Mapping[str, str], about: "Evaluation") -> list["Known"]:
    """Of rows that a name leaves open, the pooled ones where there are any, and none of baselines."""
    if "judge" not in wanted and about.baselines:
        rows = [one for one in rows if not str(one.keys["judge"]).startswith(about.baselines)] or rows
    for key, pooled in about.gated.items():
        if key not in wanted:
            rows = [one for one in rows if one.keys.get(key) == pooled] or rows
    return rows


def _such(metric: str, rows: Sequence["Known"]) -> str:
    """Figures with the keys in which rows differ."""
    from karat.gates import subject_text

    keys = [key for key in rows[0].keys if len({str(row.keys[key]) for row in rows}) > 1]
    names = [subject_text(metric, {key: str(row.keys[key]) for key in keys}) for row in rows[:_LISTED]]
    return ", ".join(names)
