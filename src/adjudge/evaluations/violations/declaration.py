"""The declaration of violations: metrics, tables and headlines of its reports."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from adjudge.evaluations.violations import metrics
from adjudge.evaluations.violations.calibration import ACCURACY
from adjudge.evaluations.violations.span_matching import NOTHING_THERE
from adjudge.metrics.metric import Metric, metric_specs
from adjudge.metrics.ranking import RANK_METRICS
from adjudge.metrics.tables import REPLIES_TABLE, REPLIES_TITLE
from adjudge.spec import HARD_ITEMS, Evaluation, Headline, MetricSpec, Variant

_OF_CALIBRATION = {
    "threshold": MetricSpec(
        "Threshold", "The value that the score of a match must exceed.", percent=False, bounds=(0.0, None)
    ),
    "weight": MetricSpec(
        "Weight", "The part's weight in the score, fitted to all judgments.", percent=False, bounds=(0.0, 1.0)
    ),
    "default_weight": MetricSpec("Default weight", "The part's weight by default.", percent=False, bounds=(0.0, 1.0)),
}

_METRICS: tuple[Iterable[Metric] | Mapping[str, MetricSpec], ...] = (
    *metrics.METRICS_BY_KIND.values(),
    metrics.CATEGORY_METRICS,
    *metrics.OF_PAIRS.values(),
    RANK_METRICS,
    metrics.REPLIES,
    (ACCURACY,),
)

EVALUATION = Evaluation(
    name="violations",
    title="Violation detection",
    question="Which violations does each checker find, and how many does it invent?",
    main="scores",
    judge="checker",
    metrics=metric_specs(*_METRICS, _OF_CALIBRATION),
    tables={
        "leaderboard": "Checkers by match score, with the ranks that each may have by the tests of all pairs.",
        "scores": "Each checker against the ground truth, by each variant of matching: over all texts together (micro) "
        "and as the mean over texts (macro).",
        REPLIES_TABLE: REPLIES_TITLE,
        "differences": "Whether two checkers differ on the same texts: the second minus the first.",
        "left_out": "Texts that a difference leaves out, because only one of the checkers has the metric there.",
        "counts": "Matched, invented and missed violations; by spans alone, those with the same offsets.",
        "near_misses": "What failed in the closest violation of the other side where one matches nothing, with counts.",
        "by_category": "Each category: precision over predictions that name it, recall over true violations that do.",
        "by_rule": "Each rule: precision over predictions that name it, recall over true violations that do.",
        "matches": "Every matched pair, with its score and the parts of it.",
        HARD_ITEMS: "True violations that at least two checkers looked for and none found, 50 at most.",
        "annotators": "Each annotator (checker) against each other as the truth (reference), on texts that both saw.",
        "calibration": "The calibrated rule, the default one and the majority on judgments that none was fitted to.",
        "weights": "The weight of each part, fitted to all judgments, and by default.",
        "truth": "The estimates beside the true values of the simulation.",
    },
    outcomes={
        "missed_and_invented": "Texts with missed and with invented violations",
        "missed": "Texts with missed violations",
        "invented": "Texts with invented violations",
        "right": "Texts with all violations found and none invented",
    },
    printed=("leaderboard", "scores", REPLIES_TABLE, "calibration", "weights", "differences", "counts"),
    value_titles={
        "variant": {
            "std": "Standard match (std)",
            "ha": "Human-aligned match (ha)",
            "overlap": "Overlap of spans alone",
        },
        "average": {metrics.MICRO: "all texts (micro)", metrics.MACRO: "mean (macro)"},
        "failed": {NOTHING_THERE: "nothing overlaps it"},
    },
    gated_values={"average": metrics.MICRO},
    keys=("checker", "variant", "average", "name", "version", "category", "rule", "model", "first", "second"),
    items="texts",
    answers=(
        Headline(metric="match_score", where={"average": metrics.MICRO}, first=("variant",)),
        Headline(metric="f1", where={"average": metrics.MICRO}, first=("variant",)),
    ),
    over_time=("match_score", "f1"),
    columns={
        "part": "category",
        "label": "rule",
        "reference_label": "true rule",
        "value": "match score",
        "detail": "words that are not in the text",
        "failed": "why nothing matches",
    },
)

VARIANTS: Mapping[str, Variant] = {
    "annotators": partial(
        replace,
        title="Inter-annotator agreement on violations",
        question="How far do annotators agree on which violations there are?",
        printed=("annotators",),
        answers=(Headline(metric="f1", first=("variant",)),),
    ),
    "calibration": partial(
        replace,
        title="Matching calibrated",
        question="Which weights and which threshold come closest to humans' judgments of what is the same violation?",
        tables={
            **EVALUATION.tables,
            "differences": "Whether two rules differ on the same judgments: the second minus the first.",
        },
        judge="rule",
        items="judgments",
        answers=(Headline(metric="accuracy"),),
    ),
}
