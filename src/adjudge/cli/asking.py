"""How commands that ask a model show what came of it."""

from typing import TYPE_CHECKING, Any

import typer

from adjudge.api.calls import Call
from adjudge.cli.command import made
from adjudge.cli.saying import say, show, tell
from adjudge.version import NAME

_INTERRUPTED = 130
"""What shells take for a command that Ctrl-C ended."""

if TYPE_CHECKING:
    from adjudge.api._asking import Asked
    from adjudge.llm.calls import Tally
    from adjudge.llm.costs import CostPlan


def interruptible(call: Call) -> Any:  # noqa: ANN401 - what the function gives
    """What the call gives; says how to go on where Ctrl-C ends work that can be taken up again."""
    try:
        return made(call)
    except KeyboardInterrupt:
        tell(f"{NAME}: interrupted; the same command takes the work up where it stopped")
        raise typer.Exit(_INTERRUPTED) from None


def show_asked(found: "Asked", call: Call) -> None:
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
