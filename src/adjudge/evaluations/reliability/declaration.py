"""The declaration of reliability: metrics, tables and headlines of its reports."""

from adjudge.evaluations.judgments import ABSTENTIONS
from adjudge.evaluations.reliability.metrics import ITEMS, ORDERED, POSITIVE, REFERENCE_VIEW, SHRUNK, VIEW
from adjudge.evaluations.scoring import HARD_ITEMS_ABOUT
from adjudge.metrics.metric import metric_specs
from adjudge.spec import HARD_ITEMS, Evaluation, Headline, LabelCounts

EVALUATION = Evaluation(
    name="reliability",
    title="Annotator reliability",
    question="How far does each annotator agree with the trusted reference, on flags and on choices?",
    main="annotators",
    judge="annotator",
    metrics=metric_specs(VIEW.metrics, SHRUNK, [ITEMS], REFERENCE_VIEW.metrics, ORDERED, POSITIVE),
    tables={
        "annotators": "Each annotator against the reference.",
        "differences": "Whether two annotators differ: paired on the items that both judge; where they judge different "
        "items too, on all items of both. With more than 50 annotators the 25 best and the 25 worst are compared.",
        "left_out": "Items that a difference leaves out because only one annotator has the metric there, and why.",
        "overall": "All judgments together.",
        "deductions": "Judgments left out of a denominator, and why.",
        **ABSTENTIONS,
        "flags": "Items flagged by both, by one side alone, by neither; choices are compared where neither flags.",
        "confusion": "Each choice of the annotator against each choice of the reference, with counts.",
        HARD_ITEMS: HARD_ITEMS_ABOUT,
        "truth": "The estimates beside the true values of the simulation.",
    },
    outcomes={
        "incorrect": "Choice differs",
        "annotator_only": "Flagged by the annotator alone",
        "reference_only": "Flagged by the reference alone",
        "correct": "Choice agrees",
    },
    keys=("annotator", "first", "second"),
    answers=(Headline(metric="reliability"),),
    label_counts=LabelCounts(table="confusion", noun="labels", missing=("skipped",), counts="not"),
    columns={"part": "kind of judgment", "detail": "why it does not count"},
)
