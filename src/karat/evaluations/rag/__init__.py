"""What models answer from documents that are noisy, silent, scattered or false, against true answers."""

from karat.about import Evaluation, Metric
from karat.evaluations.rag.charts import PICTURES


def _bounds(metric: str, title: str, good: str) -> dict[str, Metric]:
    """What a figure would be if no missing answer were good, and if all were."""
    return {
        f"{metric}_lowest": Metric(f"{title}, at least", f"{title} if no missing answer were {good}.", better="high"),
        f"{metric}_highest": Metric(
            f"{title}, at most", f"{title} if every missing answer were {good}.", better="high"
        ),
    }


EVALUATION = Evaluation(
    name="rag",
    title="Answers from documents",
    question="How does each model answer from documents that are noisy, silent, scattered or false?",
    main="scores",
    judge="model",
    metrics={
        "accuracy": Metric("Accuracy", "Correct answers / answers that can be right or wrong.", better="high"),
        **_bounds("accuracy", "Accuracy", "right"),
        "rejection_rate": Metric(
            "Rejection rate", "Refusals / answers from documents that hold no answer.", better="high"
        ),
        **_bounds("rejection_rate", "Rejection rate", "a refusal"),
        "all_rate": Metric(
            "All rate", "Refusals and correct answers / answers from documents that hold no answer.", better="high"
        ),
        "error_detection_rate": Metric(
            "Errors detected", "Answers that speak of an error in the documents / all answers.", better="high"
        ),
        **_bounds("error_detection_rate", "Errors detected", "one that detects the error"),
        "error_correction_rate": Metric(
            "Errors corrected",
            "Answers that give the truth instead of what documents say / all answers.",
            better="high",
        ),
        **_bounds("error_correction_rate", "Errors corrected", "one that corrects the error"),
        "error_correction_rate_detected": Metric(
            "Corrected of detected", "Errors corrected / errors detected.", better="high"
        ),
        "closed_book_accuracy": Metric(
            "Accuracy without documents", "Correct answers / answers given without any document."
        ),
        "slope": Metric(
            "Slope over noise",
            "How much accuracy changes from no noise to nothing but noise, by a line through each question's answers.",
            better="high",
            of_shares=True,
        ),
        "missing": Metric("Missing", "Failed and empty answers / all answers.", better="low"),
        "kappa": Metric("Kappa", "Cohen's kappa of two scorers.", better="high", percent=False),
        "published": Metric("Published", "What was published.", better="high"),
    },
    tables={
        "scores": "Each model on each ability, at each share of documents without the answer, by each scorer.",
        "differences": "Whether a model loses accuracy by noise, and whether two models differ, on the same questions.",
        "outcomes": "What became of the answers, by each scorer.",
        "agreement": "How far two scorers agree on each verdict.",
        "disagreement": "Answers on which scorers differ, and what each says.",
        "published": "Published results beside the figures that were found.",
        "truth": "The estimates beside the truth of the simulation.",
    },
    outcomes={
        "incorrect": "Wrong answers",
        "answered": "Answers where the documents hold none",
        "rejected": "Refusals",
        "detected": "Errors that are noticed and not corrected",
        "corrected": "Errors that are noticed and corrected",
        "correct": "Correct answers",
    },
    printed=("scores", "differences", "agreement", "published"),
    folded=("outcomes", "differences", "agreement", "disagreement"),
    common=("scorer",),
    apart={
        "ability": {
            "noise_robustness": "Noise robustness",
            "negative_rejection": "Negative rejection",
            "information_integration": "Information integration",
            "counterfactual_robustness": "Counterfactual robustness",
            "closed_book": "Without documents",
        }
    },
    keys=("model", "ability", "noise_ratio", "scorer"),
    pictures=PICTURES,
)
