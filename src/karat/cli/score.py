"""`karat NAME score` of every evaluation."""

from collections.abc import Callable, Mapping

import typer

from karat import api
from karat.api.options import command_help
from karat.cli.command import Call, command
from karat.cli.options import FailBound, FailUnder, Output, Printed, Table
from karat.cli.output import check_outputs, show_report


def group(name: str, further: Mapping[str, Callable[..., None]]) -> typer.Typer:
    """The commands of an evaluation, of which `score` is the first; its function's docstring says what both are for."""
    function = getattr(api, name)
    about = (function.__doc__ or "").partition("\n")[0]
    app = typer.Typer(help=about, no_args_is_help=True, rich_markup_mode=None)
    app.callback()(_group)
    app.command("score", help=command_help(function))(command(function, _score))
    for word, made in further.items():
        app.command(word)(made)
    return app


def _group() -> None:
    """Keeps `score` a command of its own where it is the only one."""


def _score(
    call: Call,
    fail_under: FailUnder = None,
    bound: FailBound = "estimate",
    printed: Printed = "table",
    table: Table = None,
    output: Output = None,
) -> None:
    from karat.evaluations import evaluation
    from karat.gates import gate_results, parse_gates

    about, outputs = evaluation(call.function.__name__), output or []
    keys = [*(call.arguments["by"] or ()), *about.keys]
    gates = parse_gates(fail_under or [], about.metrics, keys=keys, bound=bound)
    check_outputs(outputs, printed, table, inputs=call.inputs, targets=call.targets, gates={"--fail-under": gates})
    report = call()
    show_report(report, printed, table, outputs, gate_results(report, gates, bound))
