"""`karat violations calibrate` and `karat violations pairs`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, progress, show_report


class Variant(StrEnum):
    """The rule that is calibrated."""

    std = "std"
    ha = "ha"


class QuoteMismatch(StrEnum):
    """What becomes of a quote that differs from what stands at its offsets."""

    error = "error"
    warn = "warn"


RuleSimilarity = Annotated[
    str,
    typer.Option(
        "--rule-similarity",
        metavar="SIMILARITY",
        help="Of rules: jaccard, sentence-transformers:MODEL or openai:MODEL.",
    ),
]
TextSimilarity = Annotated[
    str,
    typer.Option(
        "--text-similarity", metavar="SIMILARITY", help="Of explanations and of corrections: any of the same."
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="The server of openai:MODEL, such as http://localhost:8000/v1."),
]


def calibrate(
    judged: Annotated[Path, typer.Argument(metavar="JUDGED", help="Pairs judged as the same or not, JSON lines.")],
    variant: Annotated[
        Variant, typer.Option("--variant", help="The rule to calibrate: std of overlap and rule, ha of all parts.")
    ] = Variant.ha,
    folds: Annotated[int, typer.Option("--folds", min=2, help="Folds of cross-validation, by text.")] = 5,
    rule_similarity: RuleSimilarity = "jaccard",
    text_similarity: TextSimilarity = "jaccard",
    base_url: BaseUrl = None,
    overlap_threshold: Annotated[
        float | None, typer.Option("--overlap-threshold", help="What an overlap must exceed; 0 by default.")
    ] = None,
    rule_threshold: Annotated[
        float | None, typer.Option("--rule-threshold", help="What the rules' likeness must exceed; 0.01 by default.")
    ] = None,
    write_config: Annotated[
        Path | None,
        typer.Option("--write-config", metavar="FILE", help="Write weights and threshold to this .toml for --config."),
    ] = None,
    confidence: common.Confidence = 0.95,
    seed: common.Seed = 0,
    printed: common.Printed = common.Format.table,
    table: common.Table = None,
    output: common.Output = None,
) -> None:
    """Fit the weights and the threshold of matching to people's judgments, and say how good they are.

    A file holds a pair per line: {"id", "text", "predicted": {...}, "ground_truth": {...}, "same": true or false,
    "judge"}, as karat violations pairs writes them and people fill them in. For example:

    karat violations calibrate judged.jsonl --write-config ours.toml --output calibration.html
    """
    from karat.api._calibrate import calibrate_violations
    from karat.render.files import check_apart

    outputs = output or []
    check_outputs(outputs, printed, table, inputs=[judged])
    check_apart([*outputs, *([write_config] if write_config else [])], [judged])
    with progress() as step:
        report = calibrate_violations(
            judged,
            variant=variant.value,
            folds=folds,
            rule_similarity=rule_similarity,
            text_similarity=text_similarity,
            base_url=base_url,
            overlap_threshold=overlap_threshold,
            rule_threshold=rule_threshold,
            write_config=write_config,
            confidence=confidence,
            seed=seed,
            progress=step,
        )
    show_report(report, printed, table or "calibration", outputs)


def pairs(
    ground_truth: Annotated[Path, typer.Argument(metavar="GROUND_TRUTH", help="Texts with the true violations.")],
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="The .jsonl to write and to fill in.")],
    predicted: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PREDICTED]...", help="A file per checker; none with --truth-annotator.", show_default=False
        ),
    ] = None,
    truth_annotator: Annotated[
        str | None,
        typer.Option("--truth-annotator", metavar="NAME", help="Whose violations are true, in a file with several."),
    ] = None,
    predicted_annotator: Annotated[
        list[str] | None,
        typer.Option("--predicted-annotator", metavar="NAME", help="Whose are predicted; all others'. Repeatable."),
    ] = None,
    count: Annotated[int, typer.Option("--count", min=1, help="How many pairs to draw.")] = 200,
    seed: common.Seed = 0,
    variant: Annotated[Variant, typer.Option("--variant", help="Whose score and threshold are meant.")] = Variant.ha,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Weights and thresholds in a TOML file.")
    ] = None,
    rule_similarity: RuleSimilarity = "jaccard",
    text_similarity: TextSimilarity = "jaccard",
    base_url: BaseUrl = None,
    show_score: Annotated[
        bool, typer.Option("--show-score", help="Write the score too, which may sway whoever judges.")
    ] = False,
    offset_base: Annotated[
        int, typer.Option("--offset-base", min=0, max=1, help="What the first character is called.")
    ] = 0,
    quote_mismatch: Annotated[
        QuoteMismatch, typer.Option("--quote-mismatch", help="Refuse quotes that differ from their place, or warn.")
    ] = QuoteMismatch.error,
    columns: common.Columns = None,
    on_invalid: common.Invalid = common.OnInvalid.error,
    input_format: common.InputFormat = None,
) -> None:
    """Draw pairs of overlapping violations that are worth judging, into a file for people to fill in.

    Half of them score near the threshold, the rest anywhere. Put true or false for "same" and a name for "judge"; a
    file that holds judgments is never replaced. For example:

    karat violations pairs truth.jsonl ours.jsonl --output judged.jsonl --count 200
    """
    from karat.api._calibrate import violation_pairs
    from karat.render.files import check_apart

    check_apart([output], [ground_truth, *(predicted or []), *([config] if config else [])])
    with progress() as step:
        found = violation_pairs(
            ground_truth,
            predicted or (),
            truth_annotator=truth_annotator,
            predicted_annotator=predicted_annotator or (),
            output=output,
            count=count,
            seed=seed,
            variant=variant.value,
            config=config,
            rule_similarity=rule_similarity,
            text_similarity=text_similarity,
            base_url=base_url,
            show_score=show_score,
            offset_base=offset_base,
            quote_mismatch=quote_mismatch.value,
            columns=dict(common.pairs("--columns", columns)),
            on_invalid=on_invalid.value,
            input_format=input_format,
            progress=step,
        )
    for warning in found.warnings:
        typer.echo(f"karat: warning: {warning}", err=True)
    typer.echo(f"{output}: {len(found.pairs):,} of {found.candidates:,} overlapping pairs to judge")
