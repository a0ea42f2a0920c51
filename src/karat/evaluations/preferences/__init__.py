"""Predicted preferences against people's: which of two responses is better, on several criteria, and why."""

from karat.about import Evaluation, Metric
from karat.schemas.preferences import AVERAGE, LABELS

EVALUATION = Evaluation(
    name="preferences",
    title="Predicted preferences",
    question="How often does each system prefer what people prefer, and does it give their reasons?",
    main="scores",
    metrics={
        "accuracy": Metric(
            "Accuracy",
            "Labels equal to the gold label / items with a gold label; a missing label is wrong. "
            "The average is the mean over criteria.",
            better="high",
        ),
        "balanced_accuracy": Metric(
            "Balanced accuracy",
            "The mean over gold labels of the share predicted rightly.",
            better="high",
            of_shares=True,
        ),
        "macro_f1": Metric(
            "Macro F1", "The mean over labels of F1 = 2 tp / (2 tp + fp + fn).", better="high", percent=False
        ),
        "kappa": Metric(
            "Kappa",
            "Cohen's kappa: agreement beyond what both label distributions give by chance.",
            better="high",
            percent=False,
        ),
        "missing": Metric("Missing", "Items without a predicted label / items with a gold label.", better="low"),
        "rouge_l": Metric(
            "ROUGE-L",
            "Mean F1 of the longest common subsequence of words of both explanations; 0 where one is missing.",
            better="high",
            percent=False,
        ),
        "bertscore": Metric(
            "BERTScore",
            "Mean F1 of greedily matched token vectors of both explanations; 0 where one is missing.",
            better="high",
            percent=False,
        ),
        "judge": Metric("Judge", "Explanations that the judge accepts / those it gave a verdict on.", better="high"),
        "borda": Metric(
            "Borda points",
            "How many systems it beats, summed over figures; a tie counts half.",
            better="high",
            percent=False,
            decimals=1,
        ),
        "mean_rank": Metric("Mean rank", "The mean over figures of its rank; 1 is the best.", "low", percent=False),
        "rank_low": Metric(
            "Best rank", "1 + the systems that are significantly better.", better="low", percent=False, decimals=0
        ),
        "rank_high": Metric(
            "Worst rank", "Systems less those that are significantly worse.", better="low", percent=False, decimals=0
        ),
    },
    tables={
        "scores": "Each system on each criterion, and the mean over criteria. Baselines need no system: "
        "the most frequent gold label (an oracle), always the first, a random one, the longer response's.",
        "confusion": "Every combination of gold and predicted label, with how often it stands in the data.",
        "ranks": "The ranks of systems: Borda points and mean rank over all figures, and which ranks each may have.",
        "differences": "Whether two systems differ on the same items.",
        "truth": "The estimates beside the truth of the simulation.",
    },
    outcomes={
        "incorrect": "Predictions that differ from people's",
        "correct": "Predictions that agree with people's",
        "missing": "Predictions that are missing",
    },
    printed=("scores", "ranks", "differences"),
    folded=("confusion", "differences"),
    values=(*LABELS, "missing"),
    beside=("output_a", "output_b", "gold explanation", "system's explanation"),
    choices={"A": "output_a", "B": "output_b"},
    across="criterion",
    pooled=AVERAGE,
    gated={"criterion": AVERAGE},
    ranges={"Ranks": ("rank_low", "rank_high")},
    baselines="baseline:",
    keys=("system", "criterion"),
)
