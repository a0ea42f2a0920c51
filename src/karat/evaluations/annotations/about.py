"""The declaration of annotations: metrics, tables, charts and headlines of its reports."""

from karat.about import SIDE_BY_SIDE, Answer, Evaluation, Given
from karat.evaluations.annotations.annotators import MODEL
from karat.evaluations.annotations.charts import PICTURES
from karat.evaluations.annotations.figures import (
    AGREEMENT,
    BIAS,
    IN_BOTH_ORDERS,
    LONGER,
    OF_PAIRS,
    SWAP_CONSISTENCY,
    SWAPPED,
)
from karat.evaluations.annotations.replies import REPLIES
from karat.figures.figure import metrics_of
from karat.figures.replies import ABOUT, TABLE
from karat.schemas.pairs import NOT_GIVEN, VALID, VOTES

_SIDES = tuple(VOTES[code] for code in VALID)

EVALUATION = Evaluation(
    name="annotations",
    title="Annotations of response pairs",
    question="How often, and how strongly, does each annotator vote as the reference does?",
    main="agreement",
    judge="annotator",
    metrics=metrics_of(AGREEMENT, OF_PAIRS, BIAS, [SWAP_CONSISTENCY], IN_BOTH_ORDERS, REPLIES),
    tables={
        SIDE_BY_SIDE: "The strength of each annotator beside each reference, or in each data set or group, and the "
        "greatest difference between two of them. Intervals stand in the table agreement, tests in differences.",
        "agreement": "Each annotator against the reference.",
        TABLE: ABOUT,
        "votes": "Every combination of both votes, with its count.",
        "overview": "The data as the reference sees it.",
        "matrix": "Every annotator against every other one.",
        "differences": "Whether two strengths differ.",
        "left_out": "Pairs that a difference leaves out because only one side has the figure there, and why.",
        "bias": "What votes depend on besides the quality of the texts.",
        "truth": "The estimates beside the true values of the simulation.",
    },
    outcomes={
        "disagree": "Votes that differ",
        "agree": "Votes that agree",
        "annotator_only": "Only the annotator's vote is valid",
        "reference_only": "Only the reference's vote is valid",
    },
    headline="overview",
    leading="strength",
    printed=(SIDE_BY_SIDE, "overview", "agreement", TABLE, "bias", "differences"),
    folded=("votes", "differences", "matrix"),
    common=("dataset", "reference"),
    values=VOTES,
    beside=("text_a", "text_b"),
    keys=("dataset", "annotator", "name", "reference", "compared", "first", "second"),
    pictures=PICTURES,
    items="pairs",
    answers=(
        Answer(
            metric="strength",
            says="{who} vote{s} with the reference ({reference}) more than chance would: strength {figures}, where 1 "
            "is always with it, 0 chance and −1 always against",
            below="{who} vote{s} against the reference ({reference}) more than chance would: strength {figures}",
            neither="No annotator is shown to vote in line with {reference}, or against",
            open="Not shown to vote with or against {reference}: {named}",
            instead={
                MODEL: (
                    "{reference} shows more than others (strength above 0): {figure}",
                    "{reference} shows less than others (strength below 0): {figure}",
                    "No trait is shown to tell {reference} from others",
                    "Not shown to tell {reference} from others: {named}",
                )
            },
        ),
    ),
    given=Given(
        table="votes",
        noun="votes",
        label="vote",
        reference="reference_vote",
        missing=tuple(VOTES[code] for code in NOT_GIVEN),
        among=_SIDES,
        sides=_SIDES,
        first=("reference",),
    ),
    unsaid=(LONGER, SWAPPED),
    parted=True,
)
