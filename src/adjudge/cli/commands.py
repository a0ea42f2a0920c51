"""What each command does with what its function returns: a report is shown, all else is printed in a line or two."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from adjudge.api.functions import call_with
from adjudge.cli.output import Output, progress, show_report
from adjudge.cli.streams import print_line, print_message, print_text, print_warnings
from adjudge.errors import DataError, OptionError, flag_of, named
from adjudge.options.declaration import Options, option
from adjudge.options.kinds import GATES, INPUTS, from_to, written
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.gates.gate import Side
    from adjudge.llm.costs import CostPlan
    from adjudge.llm.work import Asked
    from adjudge.report import GateResult, Report


@dataclass(frozen=True, slots=True)
class Job:
    """A call of a public function: its name, and its options."""

    function: str
    options: Any

    def run(self, *, verbose: bool = False, quiet: bool = False) -> Any:  # noqa: ANN401 - what the function returns
        """Call the function; a bar, or a line for each step, shows its progress."""
        with progress(verbose=verbose, quiet=quiet) as step:
            own = {"progress": step} if hasattr(self.options, "progress") else {}
            return call_with(self.function, replace(self.options, **own))

    def show(self, output: Output, gates: "Gates | None" = None) -> None:
        """Make the report and show it; see `show_report`."""
        show_report(
            partial(self.run, verbose=output.verbose, quiet=output.quiet),
            output,
            inputs=list(self.options.paths("read")),
            targets=list(self.options.paths("written")),
            gates=gates,
        )


Gates = Mapping[str, "Callable[[Report], Iterator[GateResult]] | None"]


class Thresholds(Options, group="CI"):
    """Thresholds that fail a command with status 3."""

    fail_under: Sequence[str] = option(
        "Fail (status 3) if an estimate is undefined or lower",
        default=(),
        metavar="METRIC[KEY=VALUE,...]=VALUE",
        kind=GATES,
        more='Double quotes keep commas and brackets in a value: METRIC[KEY="a,b"]=0.4. METRIC[table=NAME] '
        "names a table.",
    )
    fail_over: Sequence[str] = option(
        "Fail (status 3) if an estimate is undefined or higher",
        default=(),
        metavar="METRIC[KEY=VALUE,...]=VALUE",
        kind=GATES,
    )
    bound: Literal["estimate", "worst"] = option(
        "Compare the estimate, or its worse confidence limit", default="estimate"
    )


class NonInferiority(Thresholds, group="CI"):
    """Thresholds of a card."""

    fail_unless_noninferior: Sequence[str] = option(
        "Fail unless a judge agrees at most MARGIN less than humans do",
        default=(),
        metavar="METRIC[KEY=VALUE,...]:MARGIN",
        kind=GATES,
    )


class Regressions(Options, group="CI"):
    """Thresholds of a comparison."""

    fail_if_worse: Sequence[str] = option(
        "Fail (status 3) if the second run is significantly worse by more than MARGIN (default: 0)",
        default=(),
        metavar="METRIC[KEY=VALUE,...][:MARGIN]",
        kind=GATES,
        more="Several gates are adjusted for one another.",
    )


def _score(job: Job, gates: Thresholds, output: Output) -> None:
    job.show(output, _thresholds(job, gates))


def _card(job: Job, gates: NonInferiority, output: Output) -> None:
    from adjudge.evaluations import evaluation
    from adjudge.gates.parsing import parse_non_inferiority
    from adjudge.gates.results import non_inferiority_results

    about = evaluation(job.function)
    found = parse_non_inferiority(gates.fail_unless_noninferior, about.metrics, [*job.options.by, about.judge])
    own: Gates = {"--fail-unless-noninferior": partial(non_inferiority_results, gates=found) if found else None}
    job.show(output, {**own, **_thresholds(job, gates)})


def _thresholds(job: Job, gates: Thresholds) -> Gates:
    """Floors and ceilings. Raises OptionError for metrics that the evaluation lacks, before the work."""
    from adjudge.evaluations import evaluation
    from adjudge.gates.parsing import check_option_set, parse_gates
    from adjudge.gates.results import gate_results

    about = evaluation(job.function)
    asked: dict[Side, Sequence[str]] = {"fail_under": gates.fail_under, "fail_over": gates.fail_over}
    checks: dict[str, Any] = {}
    for side, texts in asked.items():
        found = parse_gates(texts, about.metrics, [*job.options.by, *about.keys], side=side)
        check_option_set(side, found, about, job.options.values())
        checks[flag_of(side)] = partial(gate_results, gates=found, bound=gates.bound) if found else None
    if gates.bound == "worst" and not any(checks.values()):
        raise OptionError(
            f"worst is what gates read; give {named('fail_under')} or {named('fail_over')} too", option="bound"
        )
    return checks


def _report(job: Job, output: Output) -> None:
    job.show(output)


# --- asking a model ---

_INTERRUPTED = 130
"""What shells take for a command that Ctrl-C ended."""


def _ask(job: Job) -> int | None:
    found = _run_interruptible(job)
    if isinstance(found, int):
        return found
    _print_asked(found, job)
    return None


def _run_interruptible(job: Job) -> Any:  # noqa: ANN401 - what the function returns
    """What the call returns; the status, and how to go on, if Ctrl-C ends work that can be taken up again."""
    try:
        return job.run()
    except KeyboardInterrupt:
        print_message("interrupted; the same command takes the work up where it stopped")
        return _INTERRUPTED


def _print_asked(found: "Asked", job: Job) -> None:
    """Print how many calls became what; or what asking would take."""
    for note in found.notes:
        print_message(note)
    if found.plan is not None:
        _print_plan(found.plan, _cost(found))
    elif found.batch is not None:
        print_line(f"{found.batch}: written; give the results of the batch to the same command with --from-batch")
    elif found.tally is not None:
        from adjudge.readers.problems import counted

        tally = found.tally
        calls = counted(tally.asked, "call", "calls")
        questions = "" if tally.questions == tally.asked else f"{tally.questions:,} questions, "
        print_line(
            f"{job.options.output}: {questions}{calls}: {tally.answered:,} answered "
            f"({tally.known:,} known from before), "
            f"{tally.refused:,} refused, {tally.unparseable:,} unparseable, {tally.failed:,} failed; "
            f"{tally.tokens_in:,} tokens read, {tally.tokens_out:,} written{_cost(found)}"
        )
        if tally.answered < tally.asked:
            print_message(
                f"not answered: {tally.reasons()}", "unanswered calls give no label; the same command asks them again"
            )


def _print_plan(plan: "CostPlan", cost: str) -> None:
    from adjudge.readers.problems import counted

    for number, prompt in enumerate(plan.prompts, 1):
        print_text(f"--- prompt {number} of {plan.calls:,} ---\n{prompt}\n\n")
    calls = counted(plan.calls, "call", "calls")
    print_line(f"{calls}, about {plan.tokens_in:,} tokens to read and {plan.tokens_out:,} to write{cost}")


def _cost(found: "Asked") -> str:
    return "" if found.cost is None else f"; cost {found.cost:,.2f}"


def _predict(job: Job) -> int | None:
    found = _run_interruptible(job)
    if isinstance(found, int):
        return found
    if found.asked is not None:
        _print_asked(found.asked, job)
        return None
    for note in found.notes:
        print_message(note)
    print_line(f"{job.options.output}: {found.frame.height:,} items predicted")
    return None


# --- runs ---


def _compare(job: Job, gates: Regressions, output: Output) -> None:
    texts = gates.fail_if_worse
    if texts:
        _check_gates(texts, job.options.runs)
    job.show(output, {"--fail-if-worse": partial(_regressions, texts=texts) if texts else None})


def _check_gates(texts: Sequence[str], runs: Sequence[str]) -> None:
    """Raises OptionError for gates that are misspelt, and for metrics that a run lacks, before the work."""
    from adjudge.api.reports import runs_of
    from adjudge.evaluations import evaluation
    from adjudge.gates.parsing import check_option_set, parse_regression

    read = runs_of(runs)
    about = evaluation(read[0].evaluation)
    for run in read:
        check_option_set("fail_if_worse", parse_regression(texts, about.metrics), about, run.options.values(), run.name)


def _regressions(report: "Report", texts: Sequence[str]) -> "Iterator[GateResult]":
    from adjudge.gates.parsing import parse_regression
    from adjudge.gates.results import regression_results
    from adjudge.metrics.row_selection import key_columns

    compared = report["comparison"]
    known = {name: report.about.metrics[name] for name in compared["metric"].unique(maintain_order=True)}
    return regression_results(report, parse_regression(texts, known, key_columns(compared.columns)))


class TextForm(Options, group="Output"):
    """How a result without tables is printed."""

    format: Literal["table", "json"] = option("Form of the result", default="table")


def _text(job: Job, output: TextForm) -> None:
    found = job.run()
    print_text(found.to_json() if output.format == "json" else f"{found}".rstrip("\n") + "\n")


# --- files and saved reports ---


class LookForm(TextForm, group="Output"):
    """What is done with what was found."""

    run: bool = option("Run the command that was found", default=False, group="Task")


def _look(job: Job, output: LookForm) -> int | None:
    if not output.run:
        _text(job, output)
        return None
    from adjudge.cli import ADJUDGE

    command = job.run().command
    if command is None:
        raise DataError("no command fits without more options", hint="the same command without --run")
    print_message(command)
    found: Any = ADJUDGE.main(shlex.split(command)[1:], prog_name=NAME, standalone_mode=False)
    return found if isinstance(found, int) else None


def _convert(job: Job) -> None:
    found = job.run()
    print_warnings(found.warnings)
    print_line(str(found))


class ShowOptions(Options):
    """Print a saved report again, or turn it into another form.

    adjudge show report.json --output report.html
    """

    report: str = option("A report saved as JSON", metavar="REPORT.json", kw_only=False)


def _show(options: ShowOptions, output: Output) -> None:
    from adjudge.report import Report, contradictions_of

    with contradictions_of(options.report):
        show_report(partial(Report.load, options.report), output, inputs=[Path(options.report)])


class DemoOptions(Options):
    """Simulate judges of known skill, evaluate them, and show the estimates beside the truth.

    adjudge demo --folder trial
    """

    folder: str = option("Folder for the data and report.html", default=f"{NAME}-demo", metavar="FOLDER")
    seed: int = option("Seed of the simulation", default=0, metavar="N", group="Statistics")


def _demo(options: DemoOptions) -> None:
    from adjudge import demo as simulated

    place = Path(options.folder)
    for report in simulated.demo(place, options.seed):
        print_text(f"{simulated.brief_screen(report)}\n\n")
    print_line(f"The report, with charts: {place / 'report.html'}")


_LAST_PORT = 65_535


class ViewOptions(Options):
    """Explore metrics, charts and items in the browser. Needs adjudge[app].

    The page is on this machine alone, and sends nothing anywhere.

    adjudge view votes.csv

    adjudge view before.json after.json

    adjudge view labels.csv --evaluation card
    """

    files: Sequence[str] = option(
        "Files of any kind, saved reports, items of runs; none for simulated data",
        default=(),
        metavar="FILE",
        kind=INPUTS,
        kw_only=False,
    )
    evaluation: (
        Literal["agreement", "annotations", "card", "preferences", "rag", "reliability", "violations"] | None
    ) = option("Evaluation that reads the files (default: the one that fits best)", default=None)
    port: int = option("Port on this machine; 0 takes a free one", default=0, metavar="N", kind=from_to(0, _LAST_PORT))
    browser: bool = option("Open the browser", default=True)


def _view(options: ViewOptions) -> None:
    from adjudge.explorer import serve

    serve(options.files, options.evaluation or "", options.port, browser=options.browser)


# --- beside scores ---


def _check(job: Job) -> None:
    found = job.run()
    for done in found.done:
        print_line(done)
    if found.left:
        raise DataError(found.left)
    print_line(f"{job.options.fix or job.options.submission}: {found.rows:,} rows, nothing is wrong")


def _prepare(job: Job) -> None:
    found = job.run()
    print_warnings(found.warnings)
    prompts = "prompt" if len(found.prompts) == 1 else "prompts"
    print_line(f"{job.options.output}: {len(found.prompts):,} {prompts}")


class AuditOutput(Options, group="Output"):
    """Where the findings of an audit go."""

    output: str | Path | None = option(
        "Findings as .csv", default=None, metavar="FILE", kind=written(".csv"), short="-o"
    )


def _audit(job: Job, output: AuditOutput) -> None:
    from adjudge.render.files import check_apart, check_target, table_csv, write_text

    if output.output is not None:
        check_target(Path(output.output), endings=(".csv",))
        check_apart([Path(output.output)], list(job.options.paths("read")))
    found = job.run()
    if output.output is not None:
        write_text(table_csv(found.findings), Path(output.output))
    print_warnings(found.warnings)
    print_text(f"{found}\n")


def _pairs(job: Job) -> None:
    found = job.run()
    print_warnings(found.warnings)
    print_line(f"{job.options.output}: {len(found.pairs):,} of {found.candidates:,} overlapping pairs to judge")


ACTIONS: dict[str, tuple[str, Callable[..., int | None]]] = {
    "agreement": ("agreement", _score),
    "annotations": ("annotations", _score),
    "annotations label": ("label_annotations", _ask),
    "card": ("card", _card),
    "card correct": ("correct", _report),
    "compare": ("compare", _compare),
    "convert": ("convert", _convert),
    "demo": ("", _demo),
    "history": ("history", _report),
    "look": ("look", _look),
    "plan": ("plan", _text),
    "preferences": ("preferences", _score),
    "preferences check": ("check_preferences", _check),
    "preferences judge": ("judge_preferences", _ask),
    "preferences predict": ("predict_preferences", _predict),
    "preferences rank": ("rank_preferences", _report),
    "rag": ("rag", _score),
    "rag answer": ("answer_rag", _ask),
    "rag audit": ("audit_rag", _audit),
    "rag judge": ("judge_rag", _ask),
    "rag prepare": ("prepare_rag", _prepare),
    "reliability": ("reliability", _score),
    "show": ("", _show),
    "view": ("", _view),
    "violations": ("violations", _score),
    "violations agreement": ("violation_agreement", _report),
    "violations calibrate": ("calibrate_violations", _report),
    "violations check": ("check_violations", _ask),
    "violations pairs": ("violation_pairs", _pairs),
    "violations plant": ("plant_violations", _ask),
}
"""Command -> the public function that it calls, and what it does with the result."""
