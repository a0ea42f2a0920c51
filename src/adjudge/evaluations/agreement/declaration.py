"""The declaration of agreement: metrics, tables and headlines of its reports."""

from adjudge.evaluations.agreement import consensus
from adjudge.evaluations.agreement.metrics import INTRACLASS, ITEMS, LABELS_GIVEN, VIEW, WEIGHTED_VIEW, WITHOUT
from adjudge.evaluations.agreement.tables import BOTH, DISPUTED, ITEMS_ALONE, OVER, PLAIN, WEIGHTED
from adjudge.evaluations.judgments import ABSTENTIONS
from adjudge.metrics.metric import metric_specs
from adjudge.spec import Evaluation, Headline

EVALUATION = Evaluation(
    name="agreement",
    title="Inter-annotator agreement",
    question="How far do annotators agree with one another, beyond chance?",
    main="agreement",
    judge="annotators",
    metrics=metric_specs(
        VIEW.metrics, WEIGHTED_VIEW.metrics, INTRACLASS, [ITEMS, LABELS_GIVEN], WITHOUT, PLAIN, WEIGHTED
    )
    | consensus.METRICS
    | consensus.INFORMEDNESS_METRICS,
    tables={
        "agreement": "All annotators together, with intervals for other items, and for other annotators too.",
        "intraclass": "Intraclass correlations of labels that are numbers: of single ratings and of an item's mean.",
        "annotators": "Each annotator with the others; who agrees least stands first.",
        "pairs": "Every two annotators on the items that both label.",
        **ABSTENTIONS,
        DISPUTED: "Items with labels that disagree, the worst first, 50 at most.",
        **consensus.INFORMEDNESS_TABLES,
        **consensus.TABLES,
    },
    outcomes={
        "split": "No label has a majority",
        "majority": "Most agree",
        "unanimous": "All agree",
        "single": "One label alone",
    },
    printed=("agreement", "intraclass", "annotators", "consensus"),
    common=("annotators",),
    gated_values={OVER: ITEMS_ALONE},
    value_titles={OVER: {ITEMS_ALONE: "other items", BOTH: "other items and annotators"}},
    keys=("annotators", "over", "annotator", "other"),
    over_time=("alpha",),
    answers=(Headline(metric="alpha", where={OVER: ITEMS_ALONE}),),
    hidden_columns=("detail",),
    shares=("value",),
    headings={OVER: "interval holds for"},
    columns={"value": "agreement with the others"},
)
