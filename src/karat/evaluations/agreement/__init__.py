"""How far people agree with one another, where nothing says who is right."""

from karat.about import Answer, Evaluation
from karat.evaluations.agreement.charts import PICTURES
from karat.evaluations.agreement.figures import VIEW
from karat.figures.figure import metrics_of

EVALUATION = Evaluation(
    name="agreement",
    title="Agreement among annotators",
    question="How far do annotators agree with one another, beyond chance?",
    main="agreement",
    judge="annotators",
    metrics=metrics_of(VIEW.figures),
    tables={
        "agreement": "Agreement of all annotators together.",
        "annotators": "Each annotator with the others.",
    },
    outcomes={
        "split": "Items on which no label has a majority",
        "majority": "Items on which most agree",
        "unanimous": "Items on which all agree",
        "single": "Items with one label",
    },
    common=("annotators",),
    gated={"over": "items"},
    keys=("annotators", "over", "annotator"),
    over_time=("alpha",),
    pictures=PICTURES,
    answers=(Answer(metric="alpha", says="agree to an alpha of {figure}"),),
)
