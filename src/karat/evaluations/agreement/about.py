"""The declaration of agreement: metrics, tables, charts and headlines of its reports."""

from karat.about import Answer, Evaluation
from karat.evaluations.agreement import consensus, spammers
from karat.evaluations.agreement.charts import PICTURES
from karat.evaluations.agreement.figures import INTRACLASS, ITEMS, LABELS_GIVEN, VIEW, WEIGHTED_VIEW, WITHOUT
from karat.evaluations.agreement.pairs import PLAIN, WEIGHTED
from karat.evaluations.agreement.tables import BOTH, DISPUTED, ITEMS_ALONE, OVER
from karat.figures.figure import metrics_of

EVALUATION = Evaluation(
    name="agreement",
    title="Agreement among annotators",
    question="How far do annotators agree with one another, beyond chance?",
    main="agreement",
    judge="annotators",
    metrics=metrics_of(VIEW.figures, WEIGHTED_VIEW.figures, INTRACLASS, [ITEMS, LABELS_GIVEN], WITHOUT, PLAIN, WEIGHTED)
    | consensus.METRICS
    | spammers.METRICS,
    tables={
        "agreement": "All annotators together, with intervals for other items, and for other annotators too.",
        "intraclass": "Intraclass correlations of labels that are numbers: of single ratings and of an item's mean.",
        "annotators": "Each annotator with the others; who agrees least stands first.",
        "pairs": "Every two annotators on the items that both label.",
        DISPUTED: "Items with labels that disagree, the worst first, 50 at most.",
        **spammers.TABLES,
        **consensus.TABLES,
    },
    outcomes={
        "split": "No label has a majority",
        "majority": "Most agree",
        "unanimous": "All agree",
        "single": "One label alone",
    },
    printed=("agreement", "intraclass", "annotators", "consensus"),
    folded=("pairs", DISPUTED, "informedness", "consensus_confusion"),
    common=("annotators",),
    gated={OVER: ITEMS_ALONE},
    called={OVER: {ITEMS_ALONE: "other items", BOTH: "other items and annotators"}},
    keys=("annotators", "over", "annotator", "other"),
    over_time=("alpha",),
    pictures=PICTURES,
    answers=(
        Answer(
            metric="alpha",
            says="together reach an alpha of {figure}, for these annotators on items like these",
            where={OVER: ITEMS_ALONE},
        ),
        Answer(
            metric="alpha",
            says="taken as a sample of others like them reach an alpha of {figure}",
            unknown="No interval can be given for other annotators: {reason}",
            where={OVER: BOTH},
        ),
    ),
    opening="annotators",
    unsaid=("detail",),
    shares=("value",),
    headings={OVER: "interval holds for"},
    columns={"value": "agreement with the others"},
)
