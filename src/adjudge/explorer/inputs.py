"""The explorer's inputs: files of any kind, saved reports, runs; by default simulated data."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import DataError, OptionError, flag_of
from adjudge.evaluations import NAMES, options_of
from adjudge.options.declaration import FILE_RULE, arguments
from adjudge.readers.io.paths import temporary_folder
from adjudge.readers.saved_runs import made_of
from adjudge.report import Input, Report
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.profiling.file_profile import FileProfile
    from adjudge.profiling.result import Proposal

SEED = 0
"""Seed of simulated data, as in `adjudge demo`."""
SIMULATED = f"{NAME}-simulated-"
"""Prefix of the folder with simulated data while the explorer runs."""


@dataclass(frozen=True)
class ExplorerInput:
    """An input of the explorer.

    name: its title. function: the documented function whose report shows it. given: the function's arguments.
    saved: a report instead, which is not recomputed. why: guesses to check. ignored: the
    options of a saved report or an items file that are ignored, since no file may set them.
    """

    name: str
    function: str
    given: Mapping[str, Any]
    saved: str | None = None
    why: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def warnings(self) -> list[str]:
        """A sentence on ignored options, if there are any."""
        refused = f"ignored {', '.join(map(flag_of, self.ignored))}. {FILE_RULE}"
        return [f"{self.name}: {refused} Give them on the command line."] if self.ignored else []


@cache
def open_inputs(paths: tuple[str, ...], evaluation: str = "") -> list[ExplorerInput]:
    """The inputs from files, in the order of the list; simulated data without files.

    evaluation: the one that reads files other than reports and runs, by default the best fit; or whose
    simulated data come first. Raises DataError for files that fit no evaluation, OptionError for missing files.
    """
    if not paths:
        return _demo(evaluation)
    saved = [path for path in paths if _is_report(path) or _is_run(path)]
    rest = [path for path in paths if path not in saved]
    runs = [ExplorerInput("Runs compared", "compare", {"runs": saved})] if len(saved) > 1 else []
    each = [_of_run(path, alone=not runs) if _is_run(path) else _of_report(path) for path in saved]
    return [*runs, *filter(None, each), *([_of_files(rest, evaluation)] if rest else [])]


def check_named(paths: Sequence[str], evaluation: str) -> None:
    """Raises OptionError for an evaluation without input: no files besides reports, and no simulated data."""
    from adjudge.demo import DEMOS

    if not paths and evaluation not in DEMOS:
        why = f"no data are simulated for {evaluation}, only for {', '.join(DEMOS)}; add a file"
        raise OptionError(why, option="evaluation")
    if paths and all(_is_report(path) or _is_run(path) for path in paths):
        why = "reports and runs say what made them; leave the option out, or add a file of data"
        raise OptionError(why, option="evaluation")


def _demo(first: str) -> list[ExplorerInput]:
    """Simulated data of all evaluations. first: the evaluation that comes first."""
    from adjudge.demo import DEMOS, simulate_files

    names = sorted(DEMOS, key=lambda one: one != first)
    folder = temporary_folder(SIMULATED)
    data = ((one, json.dumps(simulate_files(one, folder, SEED)[0], default=str)) for one in names)
    return [ExplorerInput(f"Simulated {name}", name, json.loads(own)) for name, own in data]


def _is_report(path: str) -> bool:
    """Whether it is a report saved by Adjudge."""
    place = Path(path)
    if place.suffix != ".json" or not place.is_file():
        return False
    with place.open("rb") as file:
        return b'"adjudge": "' in file.read(200)


def _is_run(path: str) -> bool:
    """Whether it holds the outcomes of a run."""
    return Path(path).suffix == ".parquet" and made_of(Path(path)) is not None


def _of_run(path: str, *, alone: bool) -> ExplorerInput | None:
    """A run, recomputed if its inputs are unchanged; else None, or DataError if it is the only file."""
    made = made_of(Path(path))
    again = _made_again(path, made.evaluation, made.options, made.inputs) if made else None
    if alone and not again:
        raise DataError(f"{path}: the inputs of this run were moved or were changed", fix="the report of the run")
    return again


def _of_report(path: str) -> ExplorerInput:
    """A report, recomputed if its inputs are unchanged; else as saved.

    It is also shown as saved if its metrics depend on options that no file may set.
    """
    report = Report.load(path)
    saved = ExplorerInput(Path(path).name, report.evaluation, {}, path)
    if not options_of(report.evaluation).of({}).recorded().keys() <= report.options.keys():  # from another command
        return saved
    again = _made_again(path, report.evaluation, report.options, report.inputs)
    if again is None:
        return saved
    known = arguments(options_of(report.evaluation))
    decide = any(name in known and known[name].changes_metrics for name in again.ignored)
    return replace(saved, ignored=again.ignored) if decide else again


def _made_again(path: str, function: str, options: Mapping[str, Any], inputs: Sequence[Input]) -> ExplorerInput | None:
    """The function call recorded in a file, as far as a file may set it; None without the same inputs."""
    if function not in NAMES or any(not one.is_unchanged() for one in inputs):
        return None
    known = arguments(options_of(function))
    further = len(options_of(function).of(options).further_inputs())
    own = [one.path for one in inputs[: len(inputs) - further]]
    if not own:
        return None
    first, *rest = [name for name, one in known.items() if one.positional]
    placed = {first: own[0], rest[0]: own[1:]} if rest else {first: own}
    free = {name: value for name, value in options.items() if name in known and known[name].file_may_set}
    default = {name: one.default for name, one in known.items()}
    ignored = tuple(name for name, value in options.items() if name not in free and value != default.get(name))
    return ExplorerInput(Path(path).name, function, {**free, **placed}, ignored=ignored)


def _of_files(paths: Sequence[str], evaluation: str) -> ExplorerInput:
    """Files as the input of an evaluation, by default of the best fit."""
    from adjudge.profiling.file_profile import profiles_of
    from adjudge.readers.io.source import How

    name = ", ".join(Path(path).name for path in paths)
    files = profiles_of(list(paths), How())
    fit = _fit_of(files, evaluation)
    wrong = [line for one in files for line in one.wrong.splitlines()]
    if fit is None or (evaluation and wrong):
        raise DataError(wrong or [f"{', '.join(paths)}: no evaluation reads this"], hint=f"{NAME} look {paths[0]}")
    if not fit.inputs:
        raise DataError(f"{', '.join(paths)}: no estimates to show", hint=fit.command)
    known = arguments(options_of(fit.evaluation))
    if not all(fit.inputs[name] for name, one in known.items() if one.positional and one.required):
        raise DataError([f"{', '.join(paths)}: {fit.evidence}; {one}" for one in fit.lacking])
    inputs = {name: [*many] if known[name].kind.several else many[0] for name, many in fit.inputs.items() if many}
    return ExplorerInput(name, fit.evaluation, {**inputs, **fit.options}, why=fit.doubts)


def _fit_of(files: "Sequence[FileProfile]", evaluation: str) -> "Proposal | None":
    """The way to read files as a named evaluation, or else the best one.

    That is the card for labels of judges and human annotators without a reference.
    """
    from adjudge.api.look import as_card, with_card
    from adjudge.profiling.file_profile import own_format
    from adjudge.profiling.fitting import best_fit, fit_of

    if evaluation == "card":
        return as_card(best_fit(files, {}), files)
    if evaluation:
        return fit_of(evaluation, files)
    if own_format("annotations", files[0]) and not (pairs := fit_of("annotations", files)).lacking:
        return pairs  # before all columns of votes are looked at for other evaluations
    look = with_card(best_fit(files, {}), files, {})
    if look.fit and (look.fit.evaluation == "agreement" or look.fit.lacking):
        return next((fit for fit in look.others if fit.evaluation == "card"), look.fit)
    return look.fit
