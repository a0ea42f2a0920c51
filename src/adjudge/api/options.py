"""Options, each said once: what one is, and those that several functions have."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypedDict

from adjudge.api import kinds
from adjudge.api.kinds import (
    CALLED,
    CONFIDENCE,
    ENCODING,
    INPUT,
    INPUTS,
    LISTED,
    SEPARATOR,
    SIZE,
    WORD,
    File,
    Kind,
    Meanings,
    Names,
    Number,
    Text,
    Texts,
    from_to,
    written,
)
from adjudge.version import NAME, TITLE


@dataclass(frozen=True, slots=True)
class Option:
    """What an argument means. It is annotated with it: `seed: Annotated[int, Option("Seed of ...")]`.

    help: its meaning, for the command line and for the docstring. metavar: what stands for its value in help. kind: by
    default what its type says. flag: its name on the command line, where that is another one, or where the argument is
    no option in Python; short: a letter for it. required: whether the command line asks for it always. shown: whether
    it concerns only what a report shows, so that no figure depends on it. default: of an option in a group, a TypedDict
    that functions take as `**group: Unpack[Group]`.
    """

    help: str
    metavar: str | None = None
    kind: Kind | None = None
    flag: str = ""
    short: str = ""
    required: bool = False
    shown: bool = False
    default: Any = None


ConfidenceColumn = Annotated[
    Text,
    Option("Column with how sure a judge says that its label is right: from 0 to 1, or in percent.", "COLUMN", WORD),
]
Width = Annotated[
    Number,
    Option(
        "Say how many more items people have to label for intervals of this width: upper minus lower limit.",
        kind=kinds.within(0, inside=True),
    ),
]
Assurance = Annotated[
    float, Option("The probability that intervals are then no wider, between 0 and 1.", kind=kinds.PROBABILITY)
]
Columns = Annotated[
    Names,
    Option(
        f"The file's names for {TITLE}'s columns, such as item=orig_id,annotator=worker. Several with + between them "
        "are "
        "one: item=book+page.",
        "NAME=COLUMN,...",
    ),
]
RunColumn = Annotated[
    Text,
    Option("Column that numbers the draws of one judge on the same item; several with + between them.", "COLUMN", WORD),
]
By = Annotated[Texts, Option("Give each figure per value of this column. Repeatable.", "COLUMN", default=())]
Cluster = Annotated[
    Text,
    Option(
        "Column that says which items belong together and are not independent (a document, a prompt); none for no "
        "clusters.",
        "COLUMN",
        WORD,
    ),
]
Level = Annotated[
    Literal["nominal", "ordinal", "interval", "ratio"] | None,
    Option(
        "What labels are: names (the default); places in an order (the default with --ordered); numbers whose "
        "differences count; numbers from 0 whose ratios count."
    ),
]
Ordered = Annotated[Texts, Option("The labels from one end to the other, or numbers.", "LABEL,...", LISTED)]
CILevel = Annotated[
    float, Option("Nominal coverage of the intervals, between 0 and 1 (0.95 for 95 %).", kind=CONFIDENCE, default=0.95)
]
Seed = Annotated[int, Option("Seed for everything that is random.", default=0)]
OnInvalid = Annotated[
    Literal["error", "drop"], Option("Refuse a file with invalid rows, or drop them and count them.", default="error")
]
Progress = Annotated[
    kinds.Progress | None,
    Option("Called with the name of each step; returns a context in which the step runs.", kind=CALLED),
]
KeptTexts = Annotated[
    bool, Option("Keep judged texts in examples, and words of them in items files.", shown=True, default=True)
]
Criteria = Annotated[
    Texts, Option("The criteria judged; by default the five of the ELOQUENT task.", "CRITERION,...", LISTED)
]
OfPeopleAndJudges = Annotated[
    Any, Option("Labels of people and of judges: long or wide tables, or JSON.", "INPUT", INPUTS)
]
LabelledItems = Annotated[Any, Option("Items with people's labels: any table, or hf://...", "GOLD", INPUT)]
AnyLabels = Annotated[Texts, Option("The labels allowed; by default any.", "LABEL,...", LISTED)]
Choices = Annotated[
    Texts,
    Option(
        "The labels that choose the first and the second response; by default those that name sides, as a and b, "
        "1 and 2, left and right do.",
        "LABEL,LABEL",
        LISTED,
    ),
]
OffsetBase = Annotated[int, Option("The offset of the first character: 0 or 1.", kind=from_to(0, 1), default=0)]
Labels = Annotated[Texts, Option("The labels allowed; by default A,B,both_good,both_bad.", "LABEL,...", LISTED)]
AnnotatorColumns = Annotated[Texts, Option("The columns of a wide table that hold votes.", "COLUMN,...", LISTED)]
VoteValues = Annotated[
    kinds.Values, Option("The file's values for votes, such as text_a=1,text_b=2,both=0.", "VOTE=VALUE,...")
]
VoteSeparator = Annotated[
    Text, Option("What stands between several votes in a cell of a wide table; json for JSON lists.", "SIGN", WORD)
]
FlagValues = Annotated[
    kinds.Values,
    Option(
        "Which values mean flagged, which clean; by default yes, true, 1 and no, false, 0.", "flagged=...,clean=..."
    ),
]
ExactLabels = Annotated[bool, Option("Keep labels apart that differ by spaces, case, order of parts, or as 1 and 1.0.")]
Gold = Annotated[Any, Option("The true answers, where they stand in a file of their own.", "FILE", INPUT)]
AnswerLists = Annotated[
    Literal["aliases", "slots"] | None,
    Option("What several texts as a true answer are: spellings of one, or parts that are all required."),
]
AnswerSeparator = Annotated[
    Text, Option("What stands between several true answers in one text, such as |.", "SIGN", WORD)
]


Encoding = Annotated[Text, Option("The encoding of text files, such as cp1252; detected by default.", "NAME", ENCODING)]
Separator = Annotated[
    Text,
    Option("What stands between the columns of text, such as ';' or tab; detected by default.", "SIGN", SEPARATOR),
]


Runner = Literal["threads", "processes", "ray"]


class Reading(TypedDict, total=False):
    """Options of all that reads files: `readers.io.source.How`."""

    input_format: Annotated[Text, Option("The format of the files; detected by default.", "FORMAT", WORD)]
    encoding: Encoding
    separator: Separator
    max_size: Annotated[
        Text, Option("The most that an input may hold once it is unpacked; by default 8GB.", "SIZE", SIZE, shown=True)
    ]
    constant: Annotated[
        Names, Option(f"Columns in which all rows have one value, under {TITLE}'s names.", "NAME=VALUE,...")
    ]
    map_values: Annotated[
        Meanings,
        Option(
            f"What the file's values mean, by {TITLE}'s column, such as label:yes*=1,no=0: * is whatever follows; "
            "nothing "
            "after = means no value.",
            "NAME:VALUE=MEANING,...",
        ),
    ]
    item_columns: Annotated[
        Texts,
        Option(
            "The columns that are items, where a row is an annotator's, as in forms; Q2_* are all that begin so.",
            "COLUMN,...",
            LISTED,
            default=(),
        ),
    ]


class Scoring(Reading, total=False):
    """Options that all evaluations have."""

    columns: Columns
    by: By
    cluster: Cluster
    ci_level: CILevel
    seed: Seed
    on_invalid: OnInvalid
    examples: Annotated[int, Option("How many examples of each outcome the report shows.", "N", shown=True, default=5)]
    guess: Annotated[
        bool,
        Option(
            f"Guess from names and values what columns stand for, as {NAME} look does; a warning says what was "
            "guessed.",
            shown=True,
            default=False,
        ),
    ]
    save_items: Annotated[
        File,
        Option(
            "Write every outcome to this .parquet file, a row per item, judge and part.", "FILE", written(".parquet")
        ),
    ]
    texts: KeptTexts
    progress: Progress


class OnWorkers(Scoring, total=False):
    """Options of evaluations that share out their work, and count many files side by side."""

    runner: Annotated[
        Runner,
        Option(
            "Where the work is done: in threads, in processes, or on a Ray cluster. Figures are the same.",
            kind=replace(kinds.kind_of(Runner), file_may_set=False),  # Ray listens to a network
            shown=True,
            default="threads",
        ),
    ]
    ray_address: Annotated[
        Text,
        Option(
            "The Ray cluster to use, such as auto or HOST:6379; by default one is started on this machine.",
            "ADDRESS",
            shown=True,
        ),
    ]
    resume: Annotated[
        Text,
        Option(
            "Keep what was counted of each file in this folder: a killed run goes on where it stopped, "
            "and only files that are new or changed are counted again.",
            "FOLDER",
            shown=True,
        ),
    ]
