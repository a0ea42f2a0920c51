"""`karat NAME score` of every evaluation."""

import typer

from karat import api
from karat.cli.command import Call, command
from karat.cli.options import FailBound, FailUnder, Output, Printed, Table
from karat.cli.output import check_outputs, show_report

HELP = {
    "annotations": """Compare annotators of response pairs with a reference: relevance, kappa, strength.

    Several inputs are data sets to compare side by side. A table of your own, for example:

    karat annotations score pairs.csv --columns prompt=instruction,text_a=response1,text_b=response2
    --annotator-columns ann,ben --vote-values text_a=1,text_b=2,both=0 --reference ann --style
    """,
    "preferences": """Compare predicted preferences with people's: accuracy and more by criterion, explanations, ranks.

    Tables need the columns id and CRITERION_preference, and CRITERION_explanation with --explanations. For example:

    karat preferences score gold.jsonl ours.tsv theirs.tsv --explanations --output report.html
    """,
    "rag": """Score saved answers: accuracy by noise, refusals, errors in documents that are noticed and corrected.

    Answers need id, ability and response, and answer where one is right. For example:

    karat rag score answers.jsonl --scorer all --output report.html
    """,
    "reliability": """Compare annotators with a trusted reference: reliability, flag mismatch, kappa.

    Long tables need the columns item, annotator, label and a reference: a column, or --reference NAME.
    They may have flag, skipped, cluster, reference_flag, reference_skipped. For example:

    karat reliability score votes.csv --columns item=id,annotator=worker,label=answer,reference=gold
    """,
    "violations": """\
Match predicted violations with true ones: precision, recall, F1, match score, by category and rule.

    A file holds a text per line: {"id", "text", "violations": [{"start", "end", "rule", "category", "explanation",
    "correction"}]}; exports of Label Studio and Prodigy, tables of spans and M2 are read too. For example:

    karat violations score truth.jsonl ours.jsonl theirs.jsonl --output report.html
    """,
}
"""What `score` does, by evaluation."""


def group(name: str) -> typer.Typer:
    """The commands of an evaluation, of which `score` is the first. Its help begins as its function's docstring."""
    function = getattr(api, name)
    app = typer.Typer(help=str(function.__doc__).partition("\n")[0], no_args_is_help=True, rich_markup_mode=None)
    app.callback()(_group)
    app.command("score", help=HELP[name])(command(function, _score))
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
