"""Options that several functions share, by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from adjudge.options.declaration import Options, option
from adjudge.options.kinds import (
    CALLED,
    CONFIDENCE,
    ENCODING,
    INPUT,
    PROGRAM,
    SEPARATOR,
    SIZE,
    WORD,
    Progress,
    from_to,
    kind_of,
    written_file,
)
from adjudge.version import TITLE

Names = Mapping[str, str]
"""Pairs such as item=id."""
File = str | Path | None
RunnerName = Literal["threads", "processes", "ray"]

system_names = partial(option, "Names of the systems, in the order of the files", default=(), metavar="NAME,...")
bertscore_model = partial(
    option, "Name or folder of a model for BERTScore", default=None, metavar="MODEL", more="Needs adjudge[embeddings]."
)
"""Fields that several classes declare as their own."""


class Reading(Options, group="Advanced"):
    """How files are read: `adjudge.Reading(encoding="cp1252")`. A table in memory needs none of it."""

    input_format: str | None = option("File format (default: detected)", default=None, metavar="FORMAT", kind=WORD)
    encoding: str | None = option(
        "Text encoding, such as cp1252 (default: detected)", default=None, metavar="NAME", kind=ENCODING
    )
    separator: str | None = option(
        'Separator, such as ";" or tab (default: detected)', default=None, metavar="SIGN", kind=SEPARATOR
    )
    no_header: bool = option("No header row: columns are column_1, column_2, ...", default=False, shown=True)
    header_rows: Sequence[str] = option("Rows of column names, such as 3, or 2,3", default=(), metavar="ROW,...")
    max_size: str | None = option(
        "Maximum unpacked size of an input (default: 8GB)", default=None, metavar="SIZE", kind=SIZE, shown=True
    )
    jq: str | None = option(
        "JSON to rows: a jq program, or a file with one",
        default=None,
        metavar="PROGRAM",
        kind=PROGRAM,
        more="Needs adjudge[jq].",
    )


class ColumnOptions(Options, group="Input"):
    """The names of a table's columns."""

    columns: Names = option(
        "Columns to rename: item=id reads column id as item",
        default={},
        metavar="NAME=COLUMN,...",
        more=f"The keys are {TITLE}'s names. item=book+page joins columns; item=id/case_id takes the one of a file.",
    )


class Tables(ColumnOptions, group="Input"):
    """How tables are read, from files or from memory."""

    constant: Names = option(
        "Columns to add, with the same value in all rows", default={}, metavar="NAME=VALUE,...", group="Advanced"
    )
    map_values: Mapping[str, Names] = option(
        "Values to replace in a column: label:yes=1,no=0",
        default={},
        metavar="COLUMN:OLD=NEW,...",
        more="A star stands for any letters: label:yes*=1. An empty NEW makes a value missing; an empty OLD stands for "
        "empty cells.",
    )
    item_columns: Sequence[str] = option(
        "Item columns (Q2_*), if each row is an annotator", default=(), metavar="COLUMN,...", group="Advanced"
    )
    reading: Reading = Reading()


class OnInvalid(Options, group="Input"):
    """The treatment of invalid rows."""

    on_invalid: Literal["error", "drop"] = option(
        "Stop at invalid rows (error) or skip them (drop)",
        default="error",
        more="Dropped rows are counted in a warning.",
    )


class WithProgress(Options, group="Python"):
    """A callback for progress."""

    progress: Progress | None = option(
        "Function called with the name of each step; returns a context in which the step runs",
        default=None,
        kind=CALLED,
    )


class Intervals(Options, group="Statistics"):
    """The confidence level of intervals."""

    ci_level: float = option("Confidence level of intervals", default=0.95, metavar="LEVEL", kind=CONFIDENCE)


class Randomness(Options, group="Statistics"):
    """The seed of random numbers."""

    seed: int = option("Random seed (default: 0)", default=0, metavar="N")


class KeptTexts(Options, group="Advanced"):
    """Whether reports keep judged texts."""

    texts: bool = option("Keep judged texts in reports and saved items", default=True, shown=True)


class Scoring(Tables, OnInvalid, Intervals, Randomness, KeptTexts, WithProgress, group="Statistics"):
    """Options of every evaluation."""

    by: Sequence[str] = option("Columns to group estimates by", default=(), metavar="COLUMN,...")
    cluster: str | None = option(
        "Column that groups dependent items, such as document, or none if items are independent",
        default=None,
        metavar="COLUMN",
        kind=WORD,
    )
    examples: int = option("Example items listed per outcome", default=5, metavar="N", group="Output", shown=True)
    save_items: File = option(
        "Outcomes of all items (.parquet), to compare runs",
        default=None,
        metavar="FILE",
        kind=written_file(".parquet"),
        group="Output",
    )


class WorkerOptions(Options, group="Advanced"):
    """Where evaluations count their files. Estimates do not depend on it."""

    runner: RunnerName = option(
        "Where the work runs", default="threads", kind=replace(kind_of(RunnerName), file_may_set=False), shown=True
    )
    ray_address: str | None = option(
        "Ray cluster, such as auto or HOST:6379 (default: a new one)", default=None, metavar="ADDRESS", shown=True
    )
    resume: str | None = option(
        "Folder for finished work, to resume a stopped run", default=None, metavar="FOLDER", shown=True
    )


class Flags(Options, group="Input"):
    """Which labels are flags."""

    flag_values: Mapping[str, Sequence[str]] = option(
        "Your values for flagged and not flagged", default={}, metavar="flagged=...,clean=..."
    )


class Repeats(Options):
    """Columns on the repeated runs and confidence of judges."""

    run_column: str | None = option(
        "Column that numbers a judge's repeated runs", default=None, metavar="COLUMN", kind=WORD
    )
    confidence_column: str | None = option(
        "Column of judges' confidence, 0 to 1 or in percent", default=None, metavar="COLUMN", kind=WORD
    )


class AnnotatorColumns(Options, group="Input"):
    """Which columns of a wide table hold votes."""

    annotator_columns: Sequence[str] = option("Label columns, one per annotator", default=(), metavar="COLUMN,...")


class VoteOptions(AnnotatorColumns, group="Input"):
    """The form of votes in tables."""

    vote_values: Mapping[str, Sequence[str]] = option(
        "Your values for votes, such as text_a=1,text_b=2,both=0", default={}, metavar="VOTE=VALUE,..."
    )


class ExactLabels(Options, group="Advanced"):
    """Whether labels that differ only in spelling differ."""

    exact_labels: bool = option("Treat Yes, yes and YES as different labels", default=False)


class Labels(AnnotatorColumns, Flags, ExactLabels, group="Input"):
    """The form of labels in tables."""

    date_order: Literal["day", "month"] | None = option(
        "First part of labels such as 03/04/2020", default=None, group="Advanced"
    )


class LabelScoring(Scoring, Labels):
    """Options of every evaluation of labels."""


class ScaleOptions(Options):
    """The scale of labels."""

    level: Literal["nominal", "ordinal", "interval", "ratio"] | None = option(
        "Scale of the labels (default: nominal, or ordinal with --ordered)", default=None
    )
    ordered: Sequence[str] = option("Ordered labels, lowest to highest", default=(), metavar="LABEL,...")


class GoldAnswerOptions(Options, group="Input"):
    """The place and form of gold answers."""

    gold: Any = option("Separate file of gold answers", default=None, metavar="FILE", kind=INPUT)
    answer_lists: Literal["aliases", "slots"] | None = option(
        "Several gold texts: spellings (aliases) or required parts (slots)", default=None, group="Advanced"
    )
    answer_separator: str | None = option(
        "Separator between gold answers in one cell", default=None, metavar="SIGN", kind=WORD, group="Advanced"
    )


class Criteria(Options):
    """The criteria of preferences, and their labels."""

    criteria: Sequence[str] = option(
        "Criteria (default: relevance, naturalness, truthfulness, safety, overall_quality)",
        default=(),
        metavar="CRITERION,...",
    )
    labels: Sequence[str] = option("Allowed labels (default: A,B,both_good,both_bad)", default=(), metavar="LABEL,...")


class Offsets(Options, group="Input"):
    """Where offsets start."""

    offset_base: int = option("Offset of the first character: 0 or 1 (default: 0)", default=0, kind=from_to(0, 1))
