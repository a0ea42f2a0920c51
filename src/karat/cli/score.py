"""`karat NAME score` of every evaluation."""

from collections.abc import Callable, Mapping
from functools import partial

import typer

from karat.api.options import Call, documented_as
from karat.cli.command import command, show_made
from karat.cli.options import FailBound, FailUnder, Form


def group(name: str, further: Mapping[str, Callable[..., None]]) -> typer.Typer:
    """The commands of an evaluation, of which `score` is the first; its function's docstring says what both are for."""
    about = (documented_as(name).function.__doc__ or "").partition("\n")[0]
    app = typer.Typer(help=about, no_args_is_help=True, rich_markup_mode=None)
    app.callback()(_group)
    for word, one in {"score": command(_score, name), **further}.items():
        app.command(word)(one)
    return app


def _group() -> None:
    """Keeps `score` a command of its own where it is the only one."""


def _score(call: Call, *, fail_under: FailUnder = (), bound: FailBound = "estimate", form: Form) -> None:
    from karat.evaluations import evaluation
    from karat.gates import gate_results, parse_gates

    about = evaluation(call.function.__name__)
    gates = parse_gates(fail_under or (), about.metrics, [*(call["by"] or ()), *about.keys], bound=bound)
    show_made(call, form, {"--fail-under": partial(gate_results, gates=gates, bound=bound) if gates else None})
