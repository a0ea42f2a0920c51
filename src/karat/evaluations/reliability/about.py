"""The declaration of reliability: metrics, tables, charts and headlines of its reports."""

from karat.about import HARDEST, Answer, Evaluation, Given
from karat.evaluations.others import ABOUT
from karat.evaluations.reliability.charts import PICTURES
from karat.evaluations.reliability.figures import (
    ITEMS,
    ON_REQUEST,
    ORDERED,
    POSITIVE,
    REFERENCE_VIEW,
    SHRUNK,
    VIEW,
)
from karat.evaluations.reliability.outcomes import NO_FLAGS
from karat.figures.figure import metrics_of

EVALUATION = Evaluation(
    name="reliability",
    title="Annotator reliability",
    question="How far does each annotator agree with the trusted reference, on flags and on choices?",
    main="annotators",
    judge="annotator",
    metrics=metrics_of(VIEW.figures, SHRUNK, [ITEMS], REFERENCE_VIEW.figures, ORDERED, POSITIVE),
    tables={
        "annotators": "Each annotator against the reference.",
        "overall": "All judgments together.",
        "deductions": "Judgments left out of a denominator, and why.",
        "flags": "How many items are flagged by both, only by the annotator, only by the reference, by "
        "neither; choices are compared where neither flags.",
        "confusion": "Each choice of the annotator against each choice of the reference, with counts.",
        HARDEST: ABOUT,
        "truth": "The estimates beside the true values of the simulation.",
    },
    outcomes={
        "incorrect": "Choice differs",
        "annotator_only": "Flagged by the annotator alone",
        "reference_only": "Flagged by the reference alone",
        "correct": "Choice agrees",
    },
    headline="overall",
    requested={figure.name: option for option, view in ON_REQUEST.items() for figure in view.figures},
    keys=("annotator",),
    pictures=PICTURES,
    answers=(
        Answer(
            metric="reliability",
            says="agrees with {reference} on {figure} of choices",
            then="on {figure}",
            ranked=True,
            chosen=False,
            beyond="kappa",
        ),
    ),
    given=Given(table="confusion", noun="choices", missing=("skipped",), counts="not"),
    columns={"part": "kind of judgment", "detail": "why it does not count"},
    parted=True,
    untold=NO_FLAGS,
)
