"""The declaration of preferences: metrics, tables and headlines of its reports."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from adjudge.evaluations.preferences.metrics import BOUNDS, OF_EXPLANATIONS, OF_LABELS, OF_RANKS, REPLIES
from adjudge.evaluations.scoring import HARD_ITEMS_ABOUT
from adjudge.metrics.metric import metric_specs
from adjudge.metrics.tables import REPLIES_TABLE, REPLIES_TITLE
from adjudge.schemas.outcomes import REPLY
from adjudge.schemas.preferences import AVERAGE, LABELS
from adjudge.spec import HARD_ITEMS, Evaluation, Headline, LabelCounts, Variant

EVALUATION = Evaluation(
    name="preferences",
    title="Predicted preferences",
    question="How often does each system prefer what humans prefer?",
    main="scores",
    judge="system",
    metrics=metric_specs(OF_LABELS, BOUNDS, OF_EXPLANATIONS, OF_RANKS, REPLIES),
    tables={
        "submissions": "What is wrong with each submission: refused ones are not scored, and what incomplete ones lack "
        "counts as wrong.",
        "leaderboard": "Systems by mean accuracy over criteria, with the ranks that each may have by the tests of all "
        "pairs.",
        "scores": "Each system on each criterion, and the mean over criteria. Baselines give the most frequent gold "
        "label (majority, an oracle), always the first label (a), or that of the longer response (longer).",
        "confusion": "Every combination of gold and predicted label, with its count.",
        "ranks": "The ranks of systems: Borda points and mean rank over all metrics, and which ranks each may have.",
        REPLIES_TABLE: REPLIES_TITLE,
        "differences": "Whether the two of each row differ on the same items.",
        HARD_ITEMS: HARD_ITEMS_ABOUT,
        "truth": "The estimates beside the true values of the simulation.",
    },
    outcomes={
        "incorrect": "Prediction differs from humans",
        "correct": "Prediction agrees with humans",
        "missing": "Prediction is missing",
    },
    printed=("leaderboard", "submissions", "scores", REPLIES_TABLE, "ranks", "differences"),
    values=(*LABELS, "missing"),
    paired_texts=("output_a", "output_b", "gold explanation", "system's explanation"),
    across="criterion",
    gated_values={"criterion": AVERAGE},
    keys=("system", "criterion", "ranked_metric", "compared", "first", "second", "asked"),
    answers=(Headline(metric="accuracy"),),
    label_counts=LabelCounts(
        table="confusion", noun="labels", missing=("missing",), counts="as wrong", sides=("A", "B")
    ),
    hidden_columns=(REPLY,),
    columns={"part": "criterion", "value": "score"},
)

VARIANTS: Mapping[str, Variant] = {
    "ranks": partial(
        replace,
        title="Systems ranked by published values",
        question="Which systems come first over all published metrics?",
        across="criterion",
        answers=(Headline(metric="borda"),),
    )
}
