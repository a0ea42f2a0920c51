"""The declaration of annotations: metrics, tables and headlines of its reports."""

from adjudge.evaluations.annotations import metrics
from adjudge.metrics.metric import metric_specs
from adjudge.metrics.tables import REPLIES_TABLE
from adjudge.schemas.pairs import NOT_GIVEN, VALID, VOTES
from adjudge.spec import SIDE_BY_SIDE, Evaluation, Headline, LabelCounts

_SIDES = tuple(VOTES[code] for code in VALID)

EVALUATION = Evaluation(
    name="annotations",
    title="Annotations of response pairs",
    question="How often, and how strongly, does each annotator vote as the reference does?",
    main="agreement",
    judge="annotator",
    metrics=metric_specs(
        metrics.AGREEMENT,
        metrics.OF_PAIRS,
        metrics.BIAS,
        [metrics.SWAP_CONSISTENCY],
        metrics.IN_BOTH_ORDERS,
        metrics.REPLIES,
    ),
    tables={
        SIDE_BY_SIDE: "The strength of each annotator beside each reference, or in each data set or group, and the "
        "greatest difference between two of them. Intervals stand in the table agreement, tests in differences.",
        "agreement": "Each annotator against the reference.",
        REPLIES_TABLE: "Outcomes of the questions to models.",
        "votes": "Every combination of both votes, with its count.",
        "overview": "The data as the reference sees it.",
        "matrix": "Every annotator against every other one.",
        "differences": "Whether two strengths differ.",
        "left_out": "Pairs that a difference leaves out because only one side has the metric there, and why.",
        "bias": "What votes depend on besides the quality of the texts.",
        "truth": "The estimates beside the true values of the simulation.",
    },
    outcomes={
        "disagree": "Votes that differ",
        "agree": "Votes that agree",
        "annotator_only": "Only the annotator's vote is valid",
        "reference_only": "Only the reference's vote is valid",
    },
    printed=(SIDE_BY_SIDE, "overview", "agreement", REPLIES_TABLE, "bias", "differences"),
    common=("dataset", "reference"),
    values=VOTES,
    paired_texts=("text_a", "text_b"),
    keys=("dataset", "annotator", "name", "reference", "compared", "first", "second"),
    items="pairs",
    answers=(Headline(metric="strength", against_zero=True),),
    label_counts=LabelCounts(
        table="votes",
        noun="votes",
        label="vote",
        reference="reference_vote",
        missing=tuple(VOTES[code] for code in NOT_GIVEN),
        among=_SIDES,
        sides=_SIDES,
        first=("reference",),
    ),
    hidden_columns=metrics.HIDDEN,
)
