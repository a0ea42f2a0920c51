"""What each command does with what its function gives: a report is shown, all else is said in a line or two."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from adjudge.api.calls import Call, flag_of
from adjudge.api.kinds import INPUTS, File, Texts, from_to, written
from adjudge.api.options import Option
from adjudge.cli.command import made, show_made
from adjudge.cli.output import Form, show_report
from adjudge.cli.saying import say, show, tell, warn
from adjudge.errors import DataError, OptionError
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.api._asking import Asked
    from adjudge.gates.gate import Side
    from adjudge.llm.calls import Tally
    from adjudge.llm.costs import CostPlan
    from adjudge.report import GateResult, Report


FailUnder = Annotated[
    Texts,
    Option(
        "Exit with status 3 if a figure is undefined or below this value. Repeatable. "
        'Put the value of a key in double quotes if it holds a comma or a bracket: METRIC[KEY="a,b"]=0.4. '
        "The key table names a table of the report, where several could be meant: METRIC[table=NAME]=0.4.",
        "METRIC[KEY=VALUE,...]=VALUE",
    ),
]
FailOver = Annotated[
    Texts,
    Option(
        "Exit with status 3 if a figure is undefined or above this value. Repeatable.",
        "METRIC[KEY=VALUE,...]=VALUE",
    ),
]
Bound = Annotated[
    Literal["estimate", "low"],
    Option(
        "Whether gates read the estimate, or the limit of its interval on the bad side: the lower one for "
        "--fail-under, the upper one for --fail-over."
    ),
]
Gates = dict[str, "Callable[[Report], Iterator[GateResult]] | None"]


def _score(
    call: Call, *, fail_under: FailUnder = (), fail_over: FailOver = (), bound: Bound = "estimate", form: Form
) -> None:
    show_made(call, form, _limits(call, fail_under, fail_over, bound))


def _card(
    call: Call,
    *,
    fail_unless_equivalent: Annotated[
        Texts,
        Option(
            "Exit with status 3 unless a judge is shown to be no worse than people by more than MARGIN, such as "
            "agreement:0.05. Repeatable.",
            "METRIC[KEY=VALUE,...]:MARGIN",
        ),
    ] = (),
    fail_under: FailUnder = (),
    fail_over: FailOver = (),
    bound: Bound = "estimate",
    form: Form,
) -> None:
    from adjudge.evaluations import evaluation
    from adjudge.gates.parsing import parse_non_inferiority
    from adjudge.gates.results import non_inferiority_results

    about = evaluation(call.function.__name__)
    keys = [*(call["by"] or ()), about.judge]
    found = parse_non_inferiority(fail_unless_equivalent or (), about.metrics, keys)
    equal: Gates = {"--fail-unless-equivalent": partial(non_inferiority_results, gates=found) if found else None}
    show_made(call, form, equal | _limits(call, fail_under, fail_over, bound))


def _limits(call: Call, fail_under: Texts, fail_over: Texts, bound: Literal["estimate", "low"]) -> Gates:
    """Floors and ceilings. Raises OptionError for figures that there are not, before the work."""
    from adjudge.evaluations import evaluation
    from adjudge.gates.parsing import check_option_set, parse_gates
    from adjudge.gates.results import gate_results

    about = evaluation(call.function.__name__)
    keys = [*(call["by"] or ()), *about.keys]
    asked: dict[Side, Texts] = {"fail_under": fail_under, "fail_over": fail_over}
    gates: Gates = {}
    for side, texts in asked.items():
        found = parse_gates(texts or (), about.metrics, keys, side=side)
        check_option_set(side, found, about, call)
        gates[flag_of(side)] = partial(gate_results, gates=found, bound=bound) if found else None
    if bound == "low" and not any(gates.values()):
        raise OptionError(f"bound: low is what gates read; give {' or '.join(gates)} too")
    return gates


def _report(call: Call, *, form: Form) -> None:
    show_made(call, form)


# --- asking a model ---

_INTERRUPTED = 130
"""What shells take for a command that Ctrl-C ended."""


def _asked(call: Call) -> None:
    _show_asked(_interruptible(call), call)


def _interruptible(call: Call) -> Any:  # noqa: ANN401 - what the function gives
    """What the call gives; says how to go on where Ctrl-C ends work that can be taken up again."""
    try:
        return made(call)
    except KeyboardInterrupt:
        tell(f"{NAME}: interrupted; the same command takes the work up where it stopped")
        raise typer.Exit(_INTERRUPTED) from None


def _show_asked(found: "Asked", call: Call) -> None:
    """Say how many calls became what; or what asking would take."""
    for note in found.notes:
        tell(f"{NAME}: {note}")
    if found.plan is not None:
        _show_plan(found.plan, _cost(found))
    elif found.batch is not None:
        say(f"{found.batch}: written; give the results of the batch to the same command with --from-batch")
    elif found.tally is not None:
        _show_tally(call["output"], found.tally, _cost(found))


def _show_plan(plan: "CostPlan", cost: str) -> None:
    from adjudge.readers.problems import counted

    for number, prompt in enumerate(plan.prompts, 1):
        show(f"--- prompt {number} of {plan.calls:,} ---\n{prompt}\n\n")
    calls = counted(plan.calls, "call", "calls")
    say(f"{calls}, about {plan.tokens_in:,} tokens to read and {plan.tokens_out:,} to write{cost}")


def _show_tally(output: object, tally: "Tally", cost: str) -> None:
    from adjudge.readers.problems import counted

    calls = counted(tally.asked, "call", "calls")
    questions = "" if tally.questions == tally.asked else f"{tally.questions:,} questions, "
    say(
        f"{output}: {questions}{calls}: {tally.answered:,} answered ({tally.known:,} known from before), "
        f"{tally.refused:,} refused, {tally.unparseable:,} unparseable, {tally.failed:,} failed; "
        f"{tally.tokens_in:,} tokens read, {tally.tokens_out:,} written{cost}"
    )
    if tally.answered < tally.asked:
        tell(f"{NAME}: not answered: {tally.reasons()}")
        tell(f"{NAME}: what was not answered is no label; the same command asks it again")


def _cost(found: "Asked") -> str:
    return "" if found.cost is None else f"; cost {found.cost:,.2f}"


# --- runs ---


def _compare(
    call: Call,
    *,
    fail_if_worse: Annotated[
        Texts,
        Option(
            "Exit with status 3 if the second run is significantly worse than the first by more than MARGIN (0 by "
            "default). Several gates are adjusted for one another. Repeatable.",
            "METRIC[KEY=VALUE,...][:MARGIN]",
        ),
    ] = (),
    form: Form,
) -> None:
    """Tell whether it got better: every figure of two runs on the same items, and the paired difference.

    A run is what --items wrote, or a report that was saved as JSON together with it. For example:

    adjudge compare before.parquet after.parquet --fail-if-worse accuracy:0.02 --output report.html
    """
    gated = fail_if_worse or ()
    if gated:
        _check_gates(gated, call["runs"])
    show_made(call, form, {"--fail-if-worse": partial(_results, gated=gated) if gated else None})


def _check_gates(gated: Sequence[str], runs: Sequence[str]) -> None:
    """Raises OptionError for what is misspelt, and for figures that a run lacks, before the work."""
    from adjudge.api.reports import runs_of
    from adjudge.evaluations import evaluation
    from adjudge.gates.parsing import check_option_set, parse_regression

    read = runs_of(runs)
    about = evaluation(read[0].evaluation)
    for run in read:
        check_option_set("fail_if_worse", parse_regression(gated, about.metrics), about, run.options, run.name)


def _results(report: "Report", gated: Sequence[str]) -> "Iterator[GateResult]":
    from adjudge.gates.parsing import parse_regression
    from adjudge.gates.results import regression_results
    from adjudge.metrics.row_selection import key_columns

    compared = report["comparison"]
    known = {name: report.about.metrics[name] for name in compared["metric"].unique(maintain_order=True)}
    return regression_results(report, parse_regression(gated, known, key_columns(compared.columns)))


def _plan(
    call: Call,
    *,
    printed: Annotated[Literal["table", "json"], Option("How to print the plan.", flag="--format")] = "table",
) -> None:
    """How many items are needed, or what can be seen with the items there are.

    Ask for the width of an interval, for a difference of two judges, or for both; or give the number of items.

    adjudge plan --metric accuracy --expected 0.8 --width 0.1 --detect 0.03

    adjudge plan --metric accuracy --expected 0.8 --items 500

    adjudge plan --metric "accuracy[criterion=safety]" --detect 0.03 --from monday.parquet --from friday.parquet
    """
    found = made(call)
    show(found.to_json() if printed == "json" else f"{found}\n")


def _history(call: Call, *, form: Form) -> None:
    """Show how figures changed from run to run, with the interval of each, by date or in the order given.

    A run's time is the date in the name of its file or folder (2026-11-20). If any run has none, all are in the order
    in which they are given, those of a folder ordered by name. For example:

    adjudge history runs --metric accuracy --output history.html --output history.png
    """
    show_made(call, form)


# --- files and saved reports ---


def _look(
    call: Call,
    *,
    printed: Annotated[Literal["table", "json"], Option("How to print what is found.", flag="--format")] = "table",
) -> None:
    """Say what a file is, which evaluation it fits, how it is read, and the command line to run.

    Give it any file: an export of a tool, a spreadsheet, gold and predictions together, a folder. For example:

    adjudge look votes.csv

    adjudge look gold.jsonl predictions.tsv
    """
    found = made(call)
    show(found.to_json() if printed == "json" else str(found))


def _convert(call: Call) -> None:
    """Turn a file of any evaluation into Adjudge's own form.

    Pairs become Adjudge's columnar form (.parquet) or AnnotatedPairs JSON (.json); judgments and preferences tables
    (.csv, .tsv, .jsonl, .parquet); violations and answers Adjudge's own lines (.jsonl, .parquet).

    adjudge convert votes.json votes.parquet

    adjudge convert label-studio.json marked.jsonl --evaluation violations

    adjudge convert table.json pairs.parquet --columns prompt=instruction,text_a=response1,text_b=response2
    --annotator-columns annotator1,annotator2 --vote-values text_a=1,text_b=2,both=0
    """
    found = made(call)
    warn(found.warnings)
    say(str(found))


def _show(report: Annotated[str, Option("A report saved as JSON.", "REPORT.json")], *, form: Form) -> None:
    """Print a saved report again, or turn it into another form."""
    from adjudge.report import Report, contradictions_of

    with contradictions_of(report):
        show_report(partial(Report.load, report), form, inputs=[Path(report)])


def _demo(
    *,
    folder: Annotated[File, Option("Where the data and report.html go.", "FOLDER")] = f"{NAME}-demo",
    seed: Annotated[int, Option("Seed of the simulation.")] = 0,
) -> None:
    """Simulate judges of known skill, evaluate them, and show the estimates beside the truth."""
    from adjudge import demo as simulated

    place = Path(folder or ".")
    for report in simulated.demo(place, seed):
        show(f"{simulated.brief_screen(report)}\n\n")
    say(f"The report, with pictures: {place / 'report.html'}")


_LAST_PORT = 65_535


def _view(
    files: Annotated[
        Texts, Option("Files of any kind, saved reports, items of runs; none for simulated data.", "FILE", INPUTS)
    ] = (),
    *,
    evaluation: Annotated[
        Literal["agreement", "annotations", "card", "preferences", "rag", "reliability", "violations"] | None,
        Option("What reads files, by default the evaluation that they fit best; or whose simulated data come first."),
    ] = None,
    port: Annotated[
        int, Option("The port of this machine; 0 takes one that is free.", kind=from_to(0, _LAST_PORT))
    ] = 0,
    browser: Annotated[bool, Option("Open the browser.")] = True,
) -> None:
    """Look at figures, pictures and items in the browser; needs adjudge[app].

    The page is on this machine alone and asks nobody else for anything. For example:

    adjudge view votes.csv

    adjudge view before.json after.json

    adjudge view labels.csv --evaluation card
    """
    from adjudge.explorer import serve

    serve(files or (), evaluation or "", port, browser=browser)


# --- beside `score` ---


def _check(call: Call) -> None:
    """Check a file of predictions before it is submitted; exit with status 1 where anything is wrong.

    What is wrong: ids that are missing, extra or double; labels outside the list; empty labels and explanations;
    columns that are missing; another separator. With --fix, what needs no guess is repaired, and what is left is told:

    adjudge preferences check ours.csv --gold items.jsonl --fix ours.tsv
    """
    found = made(call)
    for done in found.done:
        say(done)
    if found.left:
        raise DataError(found.left)
    say(f"{call['fix'] or call['submission']}: {found.rows:,} rows, nothing is wrong")


def _predict(call: Call) -> None:
    """Predict which of two responses people prefer: from labelled items, by a rule, or by a language model.

    For example:

    adjudge preferences predict items.jsonl --model openai/... --output judge.tsv

    adjudge preferences predict items.jsonl --predictor majority --train gold.jsonl --output majority.tsv
    """
    found = _interruptible(call)
    if found.asked is not None:
        _show_asked(found.asked, call)
        return
    for note in found.notes:
        tell(f"{NAME}: {note}")
    say(f"{call['output']}: {found.frame.height:,} items predicted")


def _prepare(call: Call) -> None:
    """Choose the documents of each prompt and put them in order, into a file.

    Of k passages ceil(k x noise) do not hold the answer. A question may have too few of either kind; reached_noise in
    the file says which share it got. For example:

    adjudge rag prepare en.json --ability noise_robustness --noise 0,0.4,0.8 --output prompts.jsonl
    """
    found = made(call)
    warn(found.warnings)
    prompts = "prompt" if len(found.prompts) == 1 else "prompts"
    say(f"{call['output']}: {len(found.prompts):,} {prompts}")


def _audit(
    call: Call,
    *,
    output: Annotated[
        Path | None, Option("Also write all that is found to this .csv.", "FILE", written(".csv"))
    ] = None,
) -> None:
    """Say what is odd in a file of questions, and which noise ratios it allows.

    Negatives that hold the answer, positives that lack it, false documents that hold the truth, false answers that
    equal it, empty documents, ids that stand twice, and too few documents. For example:

    adjudge rag audit en_fact.json --passages 5 --output odd.csv
    """
    from adjudge.render.files import check_apart, table_csv, write_text

    if output is not None:
        check_apart([output], call.files("read"))
    found = made(call)
    if output is not None:
        write_text(table_csv(found.findings), output)
    warn(found.warnings)
    show(f"{found}\n")


def _pairs(call: Call) -> None:
    """Draw pairs of overlapping violations that are worth judging, into a file for people to fill in.

    Half of them score near the threshold, the rest anywhere. Put true or false for "same" and a name for "judge"; a
    file that holds judgments is never replaced. As .html it is a page to judge them in a browser, as .json tasks of
    Label Studio. For example:

    adjudge violations pairs truth.jsonl ours.jsonl --output judge.html --count 200
    """
    found = made(call)
    warn(found.warnings)
    said = f"{len(found.pairs):,} of {found.candidates:,} overlapping pairs to judge"
    say(f"{call['output']}: {said}")


Declared = tuple[Callable[..., None], str]
"""What a command does with what its function gives, and the function; none of its own is the empty text."""

_FURTHER: dict[str, dict[str, Declared]] = {
    "annotations": {"label": (_asked, "label_annotations")},
    "card": {"correct": (_report, "correct")},
    "preferences": {
        "check": (_check, "check_preferences"),
        "rank": (_report, "rank_preferences"),
        "predict": (_predict, "predict_preferences"),
        "judge": (_asked, "judge_preferences"),
    },
    "rag": {
        "prepare": (_prepare, "prepare_rag"),
        "answer": (_asked, "answer_rag"),
        "judge": (_asked, "judge_rag"),
        "audit": (_audit, "audit_rag"),
    },
    "violations": {
        "check": (_asked, "check_violations"),
        "plant": (_asked, "plant_violations"),
        "agreement": (_report, "violation_agreement"),
        "pairs": (_pairs, "violation_pairs"),
        "calibrate": (_report, "calibrate_violations"),
    },
}
"""What can be done beside `score`, by evaluation."""

_SCORES: dict[str, Callable[..., None]] = {"card": _card}
"""Evaluations whose `score` has options of its own."""

SCORED_ALONE = frozenset({"card"})
"""Evaluations whose `score` may be left out: adjudge card DATA."""

COMMANDS: dict[str, Declared] = {
    "compare": (_compare, "compare"),
    "convert": (_convert, "convert"),
    "demo": (_demo, ""),
    "history": (_history, "history"),
    "look": (_look, "look"),
    "plan": (_plan, "plan"),
    "show": (_show, ""),
    "view": (_view, ""),
}


def commands_of(evaluation: str) -> dict[str, Declared]:
    """The commands of an evaluation, of which `score` is the first."""
    return {"score": (_SCORES.get(evaluation, _score), evaluation), **_FURTHER.get(evaluation, {})}
