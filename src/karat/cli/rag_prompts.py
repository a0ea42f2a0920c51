"""`karat rag prepare` and `karat rag audit`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import progress
from karat.errors import OptionError


class Ability(StrEnum):
    """What is tested."""

    noise_robustness = "noise_robustness"
    negative_rejection = "negative_rejection"
    information_integration = "information_integration"
    counterfactual_robustness = "counterfactual_robustness"


class Sampling(StrEnum):
    """How documents are chosen and ordered."""

    balanced = "balanced"
    original = "original"


Questions = Annotated[
    Path, typer.Argument(metavar="QUESTIONS", help="Questions with documents, in the form of the RGB benchmark.")
]


def prepare(
    questions: Questions,
    ability: Annotated[Ability, typer.Option("--ability", help="What is tested; it says which documents are good.")],
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="The .jsonl to write.")],
    noise: Annotated[
        list[str] | None,
        typer.Option(
            "--noise",
            metavar="RATIO,...",
            help="Shares of documents without the answer; 0,0.2,0.4,0.6,0.8 by default, 1 for negative_rejection.",
        ),
    ] = None,
    passages: Annotated[int, typer.Option("--passages", min=0, help="Documents of a prompt; 0 for none.")] = 5,
    seed: common.Seed = 0,
    sampling: Annotated[
        Sampling, typer.Option("--sampling", help="At random with positions balanced, or as the benchmark's code does.")
    ] = Sampling.balanced,
    draws: Annotated[int, typer.Option("--draws", min=1, help="How often documents are drawn anew.")] = 1,
) -> None:
    """Choose the documents of each prompt and put them in order, into a file.

    Of k passages ceil(k x noise) do not hold the answer; reached_noise in the file says what lists that are too short
    made of it. For example:

    karat rag prepare en.json --ability noise_robustness --noise 0,0.4,0.8 --output prompts.jsonl
    """
    from karat.api._rag_prompts import prepare_rag

    with progress() as step:
        found = prepare_rag(
            questions,
            ability=ability.value,
            noise=_ratios(noise),
            passages=passages,
            seed=seed,
            sampling=sampling.value,
            draws=draws,
            output=output,
            progress=step,
        )
    for warning in found.warnings:
        typer.echo(f"karat: warning: {warning}", err=True)
    typer.echo(f"{output}: {len(found.prompts):,} {'prompt' if len(found.prompts) == 1 else 'prompts'}")


def _ratios(texts: list[str] | None) -> list[float] | None:
    found = []
    for text in common.listed(texts):
        try:
            found.append(float(text))
        except ValueError:
            raise OptionError(f'--noise: expected ratios from 0 to 1, such as 0,0.2; got "{text:.60}"') from None
    return found if texts else None


def audit(
    questions: Questions,
    passages: Annotated[int, typer.Option("--passages", min=1, help="Documents of a prompt.")] = 5,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Also write all that is found to this .csv.")
    ] = None,
) -> None:
    """Say what is odd in a file of questions, and which noise ratios it allows.

    Negatives that hold the answer, positives that lack it, false documents that hold the truth, false answers that
    equal it, empty documents, ids that stand twice, and too few documents. For example:

    karat rag audit en_fact.json --passages 5 --output odd.csv
    """
    from karat.api._rag_prompts import audit_rag
    from karat.render.files import check_apart, check_target, replacing, table_csv

    if output is not None:
        check_target(output, endings=(".csv",))
        check_apart([output], [questions])
    found = audit_rag(questions, passages=passages)
    if output is not None:
        with replacing(output) as partial:
            partial.write_text(table_csv(found.findings), encoding="utf-8")
    for warning in found.warnings:
        typer.echo(f"karat: warning: {warning}", err=True)
    typer.echo(str(found))
