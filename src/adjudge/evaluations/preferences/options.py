"""Options of `adjudge.preferences`, `adjudge.rank_preferences` and `adjudge.check_preferences`."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from adjudge.options.declaration import option
from adjudge.options.kinds import INPUT, INPUTS, written_file
from adjudge.options.shared import Criteria, ExactLabels, File, Scoring, Tables, bertscore_model, system_names

_file = partial(option, default=None, metavar="FILE")


class ItemTables(Tables, Criteria):
    """Tables of items with labels on criteria."""


class PreferencesOptions(Scoring, ItemTables, Criteria, ExactLabels):
    """Score systems that predict and explain human preferences.

    Tables need the columns id and CRITERION_preference, and CRITERION_explanation with --explanations.

    adjudge preferences gold.jsonl ours.tsv theirs.tsv --explanations --output report.html

    adjudge preferences gold.jsonl submissions --check --output board.tex
    """

    gold: Any = option(
        "Items with human labels: a table, or hf://...",
        metavar="GOLD",
        kind=INPUT,
        kw_only=False,
        more="A row per item: id, instruction, output_a, output_b (these three may be missing), "
        "{criterion}_preference, {criterion}_explanation (may be missing).",
    )
    predictions: Any = option(
        "A file for each system, or a folder of them",
        metavar="PREDICTIONS",
        kind=INPUTS,
        kw_only=False,
        more="With id and the labels, and explanations if these are scored. Rows are joined by id.",
    )
    system: Sequence[str] = system_names()
    check: bool = option("Report malformed files and score the others", default=False)
    explanations: bool = option("Also score explanations (ROUGE-L, BERTScore)", default=False)
    embedding_model: str | None = bertscore_model()
    verdicts: File = _file(
        "File of a judge's verdicts on explanations",
        more="A table: id, system, criterion, verdict (yes, no or null). Null verdicts leave the denominator, and are "
        "counted.",
    )


class RankOptions(Tables):
    """Rank systems by published scores: Borda points and mean ranks over all metrics.

    adjudge preferences rank table.csv --lower-is-better "error rate"
    """

    scores: Any = option(
        "Tables of scores, or results files of the shared task",
        metavar="SCORES",
        kind=INPUTS,
        kw_only=False,
        more="Long (system, criterion, metric, value), wide (a row per system, a column per metric), "
        "or the JSON that the shared task's script writes for each system.",
    )
    lower_is_better: Sequence[str] = option("Metrics that are better when low", default=(), metavar="METRIC,...")


class CheckOptions(ItemTables):
    """Check a file of predictions before you submit it. The exit status is 1 if anything is wrong.

    The check finds missing, extra and duplicate ids, invalid and empty labels, empty explanations, missing columns and
    wrong separators. With --fix, it repairs errors that need no guess and reports the others.

    adjudge preferences check ours.csv --gold items.jsonl --fix ours.tsv
    """

    submission: Any = option("The predictions to be submitted", metavar="SUBMISSION", kind=INPUT, kw_only=False)
    gold: Any = option("The items, with or without labels", metavar="ITEMS", kind=INPUT, group="Input")
    explanations: bool = option("Require explanations too", default=False)
    fix: File = _file(
        "Repaired predictions, as .tsv",
        kind=written_file(".tsv"),
        group="Output",
        more="Names of columns, ids and labels that differ from known ones only by spaces or case (ids also by the .0 "
        "of a number) become these. Rows, their order and other columns stay; leading zeros are not restored.",
    )


OPTIONS = PreferencesOptions
"""The options of the evaluation."""
