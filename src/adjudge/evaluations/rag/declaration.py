"""The declaration of RAG answers: metrics, tables and headlines of its reports."""

from adjudge.evaluations.rag import metrics
from adjudge.metrics.metric import metric_specs
from adjudge.metrics.tables import REPLIES_TABLE, REPLIES_TITLE
from adjudge.spec import HARD_ITEMS, Evaluation, Headline, LabelCounts

OUTCOMES = {
    "incorrect": "Incorrect",
    "answered": "Not declined",
    "rejected": "Declined",
    "detected": "Error noticed, not corrected",
    "corrected": "Error noticed and corrected",
    "correct": "Correct",
}

VERDICTS = {"error_detected": "Error noticed", "error_corrected": "Correct despite error"}

EVALUATION = Evaluation(
    name="rag",
    title="RAG robustness",
    question="How does each model answer from documents that are noisy, insufficient, scattered or false?",
    main="scores",
    judge="model",
    metrics=metric_specs(metrics.SCORE_METRICS, [metrics.KAPPA], metrics.CARD, metrics.REPLIES),
    tables={
        "scores": "Each model on each ability, at each share of documents without the answer.",
        "differences": "Whether two metrics differ on the same questions.",
        "left_out": "Questions that a difference leaves out because one side lacks the metric there, and why.",
        REPLIES_TABLE: REPLIES_TITLE,
        "outcomes": "How many answers had which outcome.",
        "card": "Every scorer beside humans: how far they agree, where it errs, and rates corrected by humans.",
        "agreement": "How far two scorers agree on each verdict.",
        HARD_ITEMS: "Questions that at least two models answered and none answered right: the true answer may be wrong "
        "there, or the question unclear. Those with most models stand first, 50 at most.",
        "truth": "The estimates beside the true values of the simulation.",
    },
    outcomes=OUTCOMES,
    printed=("scores", "card", REPLIES_TABLE, "differences", "left_out", "agreement"),
    common=("scorer",),
    value_titles={
        "ability": {
            "noise_robustness": "Noise robustness",
            "negative_rejection": "Negative rejection",
            "information_integration": "Information integration",
            "counterfactual_robustness": "Counterfactual robustness",
            "question_answering": "Question answering",
            "closed_book": "Without documents",
        }
    },
    keys=("model", "ability", "noise_ratio", "scorer", "verdict", "compared", "first", "second", "asked"),
    items="questions",
    label_counts=LabelCounts(
        table="outcomes",
        noun="answers",
        label="outcome",
        reference="",
        missing=("missing",),
        counts="not",
        first=("scorer",),
        wrong=(metrics.DOCUMENT, metrics.BENCHMARK),
    ),
    answers=tuple(
        Headline(metric=metric, where={"ability": ability}, first=("scorer",))
        for ability, metric in (
            ("noise_robustness", metrics.ACCURACY_OVER_NOISE.name),
            ("noise_robustness", "accuracy"),
            ("negative_rejection", "rejection_rate"),
            ("information_integration", "accuracy"),
            ("counterfactual_robustness", "error_correction_rate"),
            ("question_answering", "accuracy"),
        )
    ),
    hidden_columns=metrics.LABEL_COLUMNS,
    labels=OUTCOMES | VERDICTS | {"missing": "Missing", "unjudged": "Unjudged", "mixed": "Mixed"},
    columns={
        "part": "ability",
        "reference_label": "true answer",
        "value": "correct (1) or not (0)",
        "detail": "words that decided",
    },
)
