"""Options of the functions that compare runs, plan, and handle files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from adjudge.options.declaration import Options, option
from adjudge.options.kinds import INPUT, INPUTS, PATHS, POSITIVE, PROBABILITY, RUNS, SHARE, WORD, from_to
from adjudge.options.shared import Intervals, KeptTexts, Tables, WithProgress
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.statistics.planning import Pilot


class CompareOptions(Intervals, KeptTexts, WithProgress):
    """Compare two runs on the same items: paired differences with confidence intervals.

    A run is a --save-items file, a JSON report saved together with one, or labels from adjudge judge.

    adjudge compare before.parquet after.parquet --fail-if-worse accuracy:0.02 --output report.html
    """

    runs: Sequence[str | Path] = option(
        "Saved runs, two or more",
        metavar="RUN",
        kind=PATHS,
        kw_only=False,
        more="Items files, or JSON reports saved together with one.",
    )
    judge: Sequence[str] = option(
        "Judges to compare, in all runs or in one",
        default=(),
        metavar="[RUN=]NAME,...",
        more="A run is named by its path, by its name in the tables or by its position, from 1.",
    )
    all_pairs: bool = option("Compare all pairs of runs, not only with the first", default=False)
    examples: int = option(
        "Items listed per kind of change",
        default=10,
        metavar="N",
        shown=True,
        group="Output",
        more="The kinds are worse, better and other.",
    )


class HistoryOptions(WithProgress):
    """Show how metrics changed from run to run, and test each step.

    Runs are ordered by the date in the name of their file or folder (2026-11-20). If any run has no date, the runs keep
    the order given, and those of a folder are ordered by name.

    adjudge history runs --metric accuracy --output history.html --output history.png
    """

    folder: Any = option(
        "Reports saved as JSON: folders, or files",
        metavar="FOLDER",
        kind=INPUTS,
        kw_only=False,
        more="In a folder, all .json files are read, at any depth. Reports of other commands, and files that are no "
        "reports, are skipped with a warning.",
    )
    metric: Sequence[str] = option("Metrics to show (default: the main one)", default=(), metavar="METRIC,...")
    by: Sequence[str] = option(
        "Column to order by, such as week (default: time)",
        default=(),
        metavar="COLUMN",
        more="Sorted as dates if all its values are dates, as numbers if all are numbers, else as names (week 2 before "
        "week 10).",
    )
    judge: Sequence[str] = option(
        "Judges to show, such as careful*", default=(), metavar="NAME,...", more="Default: all but baselines."
    )


class PlanOptions(Intervals):
    """Calculate how many items you need, or what the items that you have can show.

    Give the width of a confidence interval (--width), a difference between two judges (--detect), or both. Or give the
    number of items that you have (--items).

    adjudge plan --metric accuracy --expected 0.8 --width 0.1 --detect 0.03

    adjudge plan --metric accuracy --expected 0.8 --items 500

    adjudge plan --metric "accuracy[criterion=safety]" --detect 0.03 --from monday.parquet --from friday.parquet
    """

    metric: str = option(
        "Metric, such as f1",
        default="accuracy",
        metavar="NAME",
        kind=WORD,
        more="A share is taken to be one of items that are each right or wrong, unless a pilot says otherwise "
        "(precision over texts, several runs of an answer).",
    )
    expected: float | None = option(
        "Expected value (0.5 needs the most items)", default=None, metavar="VALUE", more="Needed for shares."
    )
    width: float | None = option("Widest acceptable CI: upper minus lower limit", default=None, metavar="WIDTH")
    detect: float | None = option(
        "Difference between two judges to detect",
        default=None,
        metavar="VALUE",
        more="On the same items, the second judge is better by this much, or worse if the metric would exceed 1.",
    )
    power: float = option("Power to detect the difference", default=0.8, metavar="SHARE", kind=PROBABILITY)
    assurance: float = option("Probability that --width holds", default=0.8, metavar="SHARE", kind=PROBABILITY)
    items: int | None = option("Number of items that you have", default=None, metavar="N", kind=from_to(1))
    discordant: float | None = option(
        "Share of items on which only one judge is right",
        default=None,
        metavar="SHARE",
        kind=SHARE,
        more="Without it the answer assumes that the judges err independently, beside the answers for the smallest and "
        "the greatest possible share.",
    )
    sd: float | None = option(
        "Standard deviation of single items, for metrics that are not shares",
        default=None,
        metavar="VALUE",
        kind=POSITIVE,
        more="For a difference, that of the two judges' differences on single items.",
    )
    pilot: "Pilot | str | Path | Sequence[str | Path] | None" = option(
        "Saved run that supplies value, variance, clusters",
        default=None,
        metavar="RUN",
        kind=RUNS,
        more="A second one on the same items also tells how often two judges differ. metric then picks the row: "
        "accuracy[criterion=safety].",
    )


class ShowOptions(Options):
    """Print a saved report, or convert it to another format.

    adjudge show report.json --output report.html
    """

    report: str = option("A report saved as JSON", metavar="REPORT.json", kind=INPUT, kw_only=False)


class DemoOptions(Options):
    """Simulate judges of known skill, evaluate them, and show the estimates beside the truth.

    adjudge demo --folder trial
    """

    folder: str = option("Folder for the data and report.html", default=f"{NAME}-demo", metavar="FOLDER")
    seed: int = option("Seed of the simulation", default=0, metavar="N", group="Statistics")


class ViewOptions(Options):
    """Explore metrics, charts and items in the browser. Needs adjudge[app].

    The page runs on your computer only and sends no data anywhere.

    adjudge view votes.csv

    adjudge view before.json after.json

    adjudge view labels.csv --evaluation card
    """

    files: Sequence[str] = option(
        "Files of any kind, saved reports, items of runs; none for simulated data",
        default=(),
        metavar="FILE",
        kind=INPUTS,
        kw_only=False,
    )
    evaluation: (
        Literal["agreement", "annotations", "card", "preferences", "rag", "reliability", "violations"] | None
    ) = option("Evaluation that reads the files (default: the one that fits best)", default=None)
    port: int = option("Port on this computer (default: a free one)", default=0, metavar="N", kind=from_to(0, 65_535))
    browser: bool = option("Open the browser", default=True)


class LookOptions(Tables):
    """Find out what a file holds and which command fits it.

    Any file will do: an export from a tool, a spreadsheet, gold and predictions together, or a folder.

    adjudge look votes.csv

    adjudge look gold.jsonl predictions.tsv
    """

    data: Any = option(
        "Files of any kind", metavar="FILE", kind=INPUTS, kw_only=False, more="One, gold and predictions, or a folder."
    )
