"""How far each annotator agrees with a trusted one: flags first, then the choice."""

from karat.about import Evaluation, Metric

EVALUATION = Evaluation(
    name="reliability",
    title="Annotator reliability",
    question="How far does each annotator agree with the trusted reference, on flags and on choices?",
    main="annotators",
    metrics={
        "reliability": Metric(
            "Reliability",
            "Choices equal to the reference's / items that neither side flagged.",
            better="high",
        ),
        "flag_mismatch": Metric(
            "Flag mismatch",
            "Items on which the flags differ / all items of the annotator.",
            better="low",
        ),
        "kappa": Metric(
            "Cohen's kappa",
            "Agreement of the choices beyond chance: 0 is chance, 1 is perfect.",
            better="high",
            percent=False,
        ),
        "reliability_shrunk": Metric(
            "Reliability, shrunk",
            "Reliability drawn toward the group's, the more the fewer items it rests on.",
            better="high",
            of_shares=True,
        ),
        "items": Metric("Items", "All items of the annotator.", percent=False, decimals=0),
        "reference_flagged": Metric(
            "Flagged by the reference", "Distinct items that the reference flags / all of them."
        ),
    },
    tables={
        "annotators": "Each annotator against the reference.",
        "overall": "All judgments together.",
        "deductions": "Judgments that leave a denominator, and why.",
        "flags": "Who flags what: both, only the annotator, only the reference, neither.",
        "confusion": "Which choice was made where the reference made which.",
        "truth": "The estimates beside the truth of the simulation.",
    },
    outcomes={
        "incorrect": "Choices that differ",
        "annotator_only": "Flagged by the annotator alone",
        "reference_only": "Flagged by the reference alone",
        "correct": "Choices that agree",
    },
    headline="overall",
)
