"""What saved runs say of the runs to come."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karat.errors import OptionError

if TYPE_CHECKING:
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
    from karat.figures.answering import answering, keys_of
    from karat.figures.joining import joined
    from karat.figures.judges import paired_judges
    from karat.figures.pilots import pilots
    from karat.formats.saved_runs import read_runs
    from karat.gates import SUBJECT, check_answering, keys_in, subject_text

    if not 1 <= len(runs) <= _MOST_RUNS:
        raise OptionError(f"pilot: expected one saved run, or two on the same items; got {len(runs)}")
    match = re.fullmatch(SUBJECT, metric)
    if match is None:
        raise OptionError(
            f"metric: expected a figure, or one with keys such as accuracy[judge=north]; got {metric:.200}"
        )
    name, keys = match["metric"], keys_in(match["keys"])
    first, second = (read := read_runs(runs))[0], read[-1]
    judges, _ = paired_judges(first, second)
    known = [row for data in joined(first, second, judges, view_of(first.evaluation)) for row in pilots(data)]
    check_answering(f"metric: {first.name} has", known, name, keys)
    found = answering(known, name, keys, evaluation(first.evaluation))
    if len(found) == 1:
        return name, found[0]["pilot"]
    rows = found or [row for row in known if row["metric"] == name]
    apart = [key for key in keys_of(rows[0]) if key != "pilot" and len({row.get(key) for row in rows}) > 1]
    names = [subject_text(name, {key: str(row[key]) for key in apart}) for row in rows[:_LISTED]]
    what = f"{len(found)} rows answer" if found else "no row answers"
    raise OptionError(f"metric: {what} to {metric} in {first.name}. Name one, such as {', '.join(names)}")
