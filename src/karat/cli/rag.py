"""`karat rag prepare` and `audit`."""

from pathlib import Path
from typing import Annotated

import typer

from karat.api.kinds import written
from karat.api.options import Call, Option
from karat.cli.command import command, made

Findings = Annotated[Path | None, Option("Also write all that is found to this .csv.", "FILE", written(".csv"))]


def _prepare(call: Call) -> None:
    """Choose the documents of each prompt and put them in order, into a file.

    Of k passages ceil(k x noise) do not hold the answer; reached_noise in the file says what lists that are too short
    made of it. For example:

    karat rag prepare en.json --ability noise_robustness --noise 0,0.4,0.8 --output prompts.jsonl
    """
    found = made(call)
    for warning in found.warnings:
        typer.echo(f"karat: warning: {warning}", err=True)
    prompts = "prompt" if len(found.prompts) == 1 else "prompts"
    typer.echo(f"{call['output']}: {len(found.prompts):,} {prompts}")


def _audit(call: Call, *, output: Findings = None) -> None:
    """Say what is odd in a file of questions, and which noise ratios it allows.

    Negatives that hold the answer, positives that lack it, false documents that hold the truth, false answers that
    equal it, empty documents, ids that stand twice, and too few documents. For example:

    karat rag audit en_fact.json --passages 5 --output odd.csv
    """
    from karat.render.files import check_apart, table_csv, write_text

    if output is not None:
        check_apart([output], call.files("read"))
    found = made(call)
    if output is not None:
        write_text(table_csv(found.findings), output)
    for warning in found.warnings:
        typer.echo(f"karat: warning: {warning}", err=True)
    typer.echo(str(found))


COMMANDS = {"prepare": command(_prepare, "prepare_rag"), "audit": command(_audit, "audit_rag")}
