"""`karat preferences check`, `rank` and `predict`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from karat.api.options import Call
from karat.cli.command import command, made, show_made
from karat.cli.options import Form

_INTERRUPTED = 130
"""What shells take for a command that Ctrl-C ended."""


def _check(call: Call) -> None:
    """Check a file of predictions before it is submitted; exit with status 1 where anything is wrong.

    What is wrong: ids that are missing, extra or double; labels outside the list; empty labels and explanations;
    columns that are missing; another separator.
    """
    typer.echo(f"{call['submission']}: {made(call):,} rows, nothing is wrong")


def _rank(call: Call, *, form: Form) -> None:
    """Rank systems by published scores: Borda points and mean ranks over all figures."""
    show_made(call, form)


def _predict(call: Call) -> None:
    """Predict which of two responses people prefer, without a language model.

    Trained models are cross-validated, with all items of one instruction in one fold, and the scores printed. If the
    work is interrupted, the same command takes it up again. For example:

    karat preferences predict items.jsonl --train gold.jsonl --output ours.tsv
    """
    with _told_how_to_go_on():
        found = made(call)
    if found.scores is not None and call["model"] is None:
        typer.echo("Cross-validated, all items of one instruction in one fold:")
        for row in found.scores.to_dicts():
            typer.echo(_line(row, "system", "criterion", "metric"))
        typer.echo("Differences on the same items:")
        for row in found.differences.to_dicts() if found.differences is not None else ():
            p = "" if row["p"] is None else f" p={row['p']:.3g}"
            typer.echo(f"{_line(row, 'first', 'second', 'criterion', 'metric')}{p}")
    for note in found.notes:
        typer.echo(f"karat: {note}", err=True)
    typer.echo(f"{call['output']}: {found.frame.height:,} items predicted")


@contextmanager
def _told_how_to_go_on() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("karat: interrupted; the same command takes the work up where it stopped", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def _line(row: dict[str, Any], *keys: str) -> str:
    """A row of a table of figures: its keys, then the figure."""
    from karat.estimate import Estimate

    return "  ".join([*(f"{row[key]:<20}" for key in keys), str(Estimate.of_row(row))])


COMMANDS = {
    "check": command(_check, "check_preferences"),
    "rank": command(_rank, "rank_preferences"),
    "predict": command(_predict, "predict_preferences"),
}
