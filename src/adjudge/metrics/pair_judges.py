"""Pairs the judges of several runs for a comparison, by the names that the user gives or that the runs share."""

from collections.abc import Sequence
from itertools import combinations

from adjudge.errors import OptionError, closest
from adjudge.metrics.metric import View
from adjudge.metrics.run_matching import MatchedRuns, match_runs
from adjudge.metrics.settings_diff import settings_warning
from adjudge.readers.problems import listed
from adjudge.readers.saved_runs import Run


def match_all_runs(
    runs: Sequence[Run], paths: Sequence[str], asked: Sequence[str], view: View, *, all_pairs: bool
) -> tuple[list[MatchedRuns], list[str]]:
    """The matched rows of every two runs, or of the first and every other one, with warnings.

    paths: the runs as they were named. asked: judges, as run=judge or, in all runs, judge.
    Raises OptionError for unknown judges and where it is unclear which judges to compare.
    """
    chosen = _requested_judges(runs, paths, asked)
    places = list(combinations(range(len(runs)), 2))
    matched, warnings = [], []
    for one, other in places if all_pairs else places[: len(runs) - 1]:
        judges, left_out = pair_judges(runs[one], runs[other], chosen[one], chosen[other])
        matched += match_runs(runs[one], runs[other], judges, view)
        warnings += [*left_out, *settings_warning(runs[one], runs[other], view)]
    warnings += [
        f"{match.first.name} and {match.second.name}: the trusted label differs on {match.changed_references:,} of "
        f"{match.rows.height:,} judgments that both hold; differences rest on that too"
        for match in matched
        if match.view is view and match.changed_references
    ]
    return matched, warnings


def pair_judges(
    first: Run, second: Run, ours: Sequence[str] = (), theirs: Sequence[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """The judges of the first run, each with its counterpart in the second, and a warning on judges without one.

    ours, theirs: the judges asked for; all of them if none is.
    """
    one, other = ours or first.judges, theirs or second.judges
    if len(one) == len(other) and (len(one) == 1 or (ours and theirs)):
        return dict(zip(one, other, strict=True)), []
    both = [name for name in one if name in other]
    if not both:
        raise OptionError(
            "no judge is in both runs",
            option="judge",
            found=f"{listed(one)} in {first.name}, {listed(other)} in {second.name}",
            fix=f"{first.name}={one[0]},{second.name}={other[0]}",
        )
    wanted = [side for side in ((first, ours), (second, theirs)) if side[1]] or [(first, one), (second, other)]
    alone = [(run, [name for name in names if name not in both]) for run, names in wanted]
    left = "; ".join(f"{listed(names)} of {run.name}" for run, names in alone if names)
    return {name: name for name in both}, [f"not compared, since they have no counterpart: {left}"] if left else []


def _requested_judges(runs: Sequence[Run], paths: Sequence[str], requested: Sequence[str]) -> list[list[str]]:
    """The requested judges of each run; an empty list means all."""
    chosen: list[list[str]] = [[] for _ in runs]
    for request in requested:
        if "=" not in request or all(request in run.judges for run in runs):
            places, name = list(range(len(runs))), request
        else:
            places, name = _parse_run_and_judge(runs, paths, request)
        for place in places:
            if name not in runs[place].judges:
                raise OptionError(
                    f"{runs[place].name} holds no {name}",
                    option="judge",
                    found=listed(runs[place].judges),
                    fix=closest(name, runs[place].judges),
                )
            chosen[place] += [name] if name not in chosen[place] else []
    return chosen


def _parse_run_and_judge(runs: Sequence[Run], paths: Sequence[str], request: str) -> tuple[list[int], str]:
    """The runs and the judge in run=judge. Names may hold an equals sign."""
    for cut in (place for place, letter in enumerate(request) if letter == "="):
        alias, judge = request[:cut], request[cut + 1 :]
        places = [place for place, (run, path) in enumerate(zip(runs, paths, strict=True)) if alias in (run.name, path)]
        places = places or [place for place in range(len(runs)) if alias == str(place + 1)]
        if len(places) == 1:
            return places, judge
    raise OptionError(
        "expected a judge of every run, or run=judge with one of the runs "
        f"{listed([run.name for run in runs], say=str)} (or its place from 1); got {request:.200}",
        option="judge",
    )
