"""Violations that a checker marks in texts against the true ones: the span, the rule, and what is said of it."""

from karat.about import Evaluation, Head, Metric
from karat.evaluations.violations.charts import CALIBRATION, PICTURES

_OF_SPANS = {
    "exact": ("Exact", "spans with the same offsets"),
    "partial": ("Partial", "spans with the same offsets, and half of those that overlap otherwise, one to one"),
    "character": ("Character", "characters inside spans of both sides"),
}


def _of_spans() -> dict[str, Metric]:
    found: dict[str, Metric] = {}
    for kind, (title, what) in _OF_SPANS.items():
        unit = "characters" if kind == "character" else "spans"
        found |= {
            f"{kind}_precision": Metric(f"{title} precision", f"Of {what}, / all predicted {unit}.", better="high"),
            f"{kind}_recall": Metric(f"{title} recall", f"Of {what}, / all true {unit}.", better="high"),
            f"{kind}_f1": Metric(
                f"{title} F1", f"2 x {what} / (predicted + true {unit}).", better="high", percent=False
            ),
        }
    return found


EVALUATION = Evaluation(
    name="violations",
    title="Violations found",
    question="Which violations does each checker find, and how many that are none?",
    main="scores",
    judge="checker",
    metrics={
        "precision": Metric("Precision", "Matched predictions / all predicted violations.", better="high"),
        "recall": Metric("Recall", "Matched true violations / all true violations.", better="high"),
        "f1": Metric(
            "F1", "The harmonic mean of precision and recall: 2 tp / (2 tp + fp + fn).", better="high", percent=False
        ),
        "match_score": Metric(
            "Match score", "The sum of the matches' scores / all true violations.", better="high", percent=False
        ),
        "match_quality": Metric("Match quality", "The mean of the matches' scores.", better="high", percent=False),
        **_of_spans(),
        "auc": Metric(
            "AUC",
            "How often a pair that people call the same scores higher than one that they do not, of the same fold.",
            better="high",
            percent=False,
        ),
        "accuracy": Metric("Accuracy", "Judgments that the rule meets / all judgments.", better="high"),
        "threshold": Metric("Threshold", "What the score of a match must exceed.", percent=False),
        "weight": Metric("Weight", "The part's weight in the score, fitted to all judgments.", percent=False),
        "default_weight": Metric("Default weight", "The part's weight by default.", percent=False),
        "agreement": Metric("Agreement", "Pairs that two judges judge alike / pairs that both judge.", better="high"),
        "kappa": Metric("Kappa", "Cohen's kappa of two judges.", better="high", percent=False),
        "ceiling": Metric(
            "Ceiling",
            "The highest accuracy that any rule can have if each judge answers for himself: "
            "(1 + the square root of (2 x agreement - 1)) / 2.",
            better="high",
            of_shares=True,
        ),
        "log_likelihood": Metric(
            "Log-likelihood", "The mean log-likelihood of a judgment under the rule.", better="high", percent=False
        ),
    },
    tables={
        "scores": "Each checker against the ground truth, by each variant of matching: over all texts together (micro) "
        "and as the mean over texts (macro).",
        "differences": "Whether two checkers, or two rules of matching, differ on the same texts.",
        "counts": "Matched, invented and missed violations; of the variant overlap, spans with the same offsets.",
        "by_category": "Each category: precision over predictions that name it, recall over true violations that do.",
        "by_rule": "Each rule: precision over predictions that name it, recall over true violations that do.",
        "matches": "Every matched pair, with what its score is made of.",
        "calibration": "The calibrated rule and the default one on judgments that neither was fitted to.",
        "weights": "What each part weighs, fitted to all judgments, and by default.",
        "judges": "How far people agree on the pairs that several of them judged.",
        "flatness": "How well judgments can be met with the weight of one part held fixed.",
        "truth": "The estimates beside the truth of the simulation.",
    },
    outcomes={
        "missed_and_invented": "Texts with violations that are missed, and others that are none",
        "missed": "Texts with violations that are missed",
        "invented": "Texts with predicted violations that are none",
        "right": "Texts with all violations found and no other",
    },
    heads={
        "calibration": Head(
            "Matching calibrated",
            "Which weights and which threshold come closest to what people call the same violation?",
            pictures=CALIBRATION,
        )
    },
    printed=("scores", "calibration", "weights", "judges", "differences", "counts"),
    folded=("flatness", "counts", "differences", "by_category", "by_rule", "matches"),
    common=("split",),
    apart={
        "variant": {
            "std": "Standard match (std)",
            "ha": "Human-aligned match (ha)",
            "overlap": "Overlap of spans alone",
        }
    },
    gated={"average": "micro"},
    pictures=PICTURES,
)
