"""`karat violations`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as common
from karat.cli.output import check_outputs, progress, show_report
from karat.cli.violation_calibration import BaseUrl, QuoteMismatch, RuleSimilarity, TextSimilarity, calibrate, pairs

app = typer.Typer(
    help="How well checkers find violations of rules in texts.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Variant(StrEnum):
    """How violations are matched."""

    std = "std"
    ha = "ha"
    both = "both"


class Assignment(StrEnum):
    """Which of several possible matches are taken."""

    greedy = "greedy"
    optimal = "optimal"


@app.command()
def score(
    ground_truth: Annotated[Path, typer.Argument(metavar="GROUND_TRUTH", help="Texts with the true violations.")],
    predicted: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PREDICTED]...", help="A file per checker; none with --truth-annotator.", show_default=False
        ),
    ] = None,
    checker: Annotated[
        list[str] | None,
        typer.Option("--checker", metavar="NAME", help="A checker's name, in the files' order. Repeatable."),
    ] = None,
    split: Annotated[
        str | None, typer.Option("--split", metavar="NAME@VERSION", help="What the data is called.")
    ] = None,
    truth_annotator: Annotated[
        str | None,
        typer.Option("--truth-annotator", metavar="NAME", help="Whose violations are true, in a file with several."),
    ] = None,
    predicted_annotator: Annotated[
        list[str] | None,
        typer.Option("--predicted-annotator", metavar="NAME", help="Whose are predicted; all others'. Repeatable."),
    ] = None,
    variant: Annotated[
        Variant, typer.Option("--variant", help="Standard match, human-aligned match, or both.")
    ] = Variant.both,
    rule_similarity: RuleSimilarity = "jaccard",
    text_similarity: TextSimilarity = "jaccard",
    base_url: BaseUrl = None,
    assignment: Annotated[
        Assignment, typer.Option("--assignment", help="The highest score first, or the highest sum of scores.")
    ] = Assignment.greedy,
    std_weights: Annotated[
        list[str] | None,
        typer.Option("--std-weights", metavar="PART=WEIGHT,...", help="Weights of std: overlap=0.5,rule=0.5."),
    ] = None,
    ha_weights: Annotated[
        list[str] | None,
        typer.Option("--ha-weights", metavar="PART=WEIGHT,...", help="Weights of ha, of all its parts."),
    ] = None,
    score_threshold: Annotated[
        float | None, typer.Option("--score-threshold", help="What a score must exceed; 0.5 by default.")
    ] = None,
    overlap_threshold: Annotated[
        float | None, typer.Option("--overlap-threshold", help="What an overlap must exceed; 0 by default.")
    ] = None,
    rule_threshold: Annotated[
        float | None, typer.Option("--rule-threshold", help="What the rules' likeness must exceed; 0.01 by default.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Weights and thresholds in a TOML file.")
    ] = None,
    offset_base: Annotated[
        int, typer.Option("--offset-base", min=0, max=1, help="What the first character is called.")
    ] = 0,
    quote_mismatch: Annotated[
        QuoteMismatch, typer.Option("--quote-mismatch", help="Refuse quotes that differ from their place, or warn.")
    ] = QuoteMismatch.error,
    columns: common.Columns = None,
    by: common.By = None,
    cluster: common.Cluster = None,
    confidence: common.Confidence = 0.95,
    seed: common.Seed = 0,
    on_invalid: common.Invalid = common.OnInvalid.error,
    input_format: common.InputFormat = None,
    examples: common.Examples = 5,
    items: common.Items = None,
    fail_under: common.FailUnder = None,
    bound: common.FailBound = common.Bound.estimate,
    printed: common.Printed = common.Format.table,
    table: common.Table = None,
    output: common.Output = None,
) -> None:
    """Match predicted violations with true ones: precision, recall, F1, match score, by category and by rule.

    A file holds a text per line: {"id", "text", "violations": [{"start", "end", "rule", "category", "explanation",
    "correction"}]}; exports of Label Studio and Prodigy, tables of spans and M2 are read too. For example:

    karat violations score truth.jsonl ours.jsonl theirs.jsonl --output report.html
    """
    from karat import api
    from karat.evaluations.violations import EVALUATION
    from karat.gates import gate_results, parse_gates

    keys = [*(by or ()), "checker", "split", "variant", "average"]
    gates = parse_gates(fail_under or [], EVALUATION.metrics, keys=keys, bound=bound.value)
    read = [ground_truth, *(predicted or []), *([config] if config else [])]
    check_outputs(output or [], printed, table, inputs=read, items=items, gates={"--fail-under": gates})
    with progress() as step:
        report = api.violations(
            ground_truth,
            predicted or (),
            checker=checker or (),
            split=split,
            truth_annotator=truth_annotator,
            predicted_annotator=predicted_annotator or (),
            variant=variant.value,
            rule_similarity=rule_similarity,
            text_similarity=text_similarity,
            base_url=base_url,
            assignment=assignment.value,
            std_weights=common.numbers("--std-weights", std_weights),
            ha_weights=common.numbers("--ha-weights", ha_weights),
            score_threshold=score_threshold,
            overlap_threshold=overlap_threshold,
            rule_threshold=rule_threshold,
            config=config,
            offset_base=offset_base,
            quote_mismatch=quote_mismatch.value,
            columns=dict(common.pairs("--columns", columns)),
            by=by or (),
            cluster=cluster,
            confidence=confidence,
            seed=seed,
            on_invalid=on_invalid.value,
            input_format=input_format,
            examples=examples,
            items=items,
            progress=step,
        )
    show_report(report, printed, table, output or [], gate_results(report, gates, bound.value))


app.command()(pairs)
app.command()(calibrate)
