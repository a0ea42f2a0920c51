"""What reports of the card are about."""

from karat.about import Answer, Evaluation
from karat.evaluations.card.charts import PICTURES
from karat.evaluations.card.correcting import CORRECTED, OF_CORRECTED
from karat.evaluations.card.outcomes import MEASURES
from karat.evaluations.card.sections import SECTIONS
from karat.figures.figure import metrics_of

EVALUATION = Evaluation(
    name="card",
    title="Judge card",
    question="Which judge may stand in for people?",
    main="judges",
    judge="judge",
    metrics=metrics_of(*(one.METRICS for one in SECTIONS)),
    tables={name: said for one in SECTIONS for name, said in one.TABLES.items()}
    | {"truth": "The estimates beside the true values of the simulation."},
    outcomes={
        "against_all": "Differs from people who agree with one another",
        "with_none": "Agrees with none of the people, who differ",
        "one_differs": "Differs from the only person",
        "with_few": "Agrees with fewer than half of the people",
        "with_most": "Agrees with at least half of the people",
        "with_all": "Agrees with all people",
    },
    printed=tuple(name for one in SECTIONS for name in one.TABLES if name != "everyone"),
    folded=("everyone",),
    heads=dict.fromkeys(OF_CORRECTED, CORRECTED),
    keys=("judge", "annotator", "side", "person", "figure", "label"),
    shares=("certainty", "coverage", "value", "ceiling"),
    adjusted={"alternative_test": "that of Benjamini and Yekutieli over the people whom a judge is tested against"},
    pictures=PICTURES,
    answers=(Answer(metric="agreement", says="agrees with people on {figure}", then="on {figure}"),),
    opening="judges",
    unsaid=MEASURES,
    headings={"of": "which"},
    columns={"value": "share of people who agree", "ceiling": "agreement of people with one another"},
)
