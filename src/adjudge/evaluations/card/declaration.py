"""The declaration of the card: its sections, tables and metrics."""

from adjudge.evaluations.card.agreement import AGREEMENT_SECTION
from adjudge.evaluations.card.bias import BIAS_SECTION
from adjudge.evaluations.card.consistency import CALIBRATION_SECTION, DRIFT_SECTION, REPEATS_SECTION
from adjudge.evaluations.card.corrected import CORRECTED_SECTION, CORRECTED_TABLES, declare_corrected
from adjudge.evaluations.card.outcomes import MEASURES
from adjudge.evaluations.judgments import ABSTENTIONS
from adjudge.metrics.metric import metric_specs
from adjudge.spec import Evaluation, Headline

SECTIONS = (AGREEMENT_SECTION, BIAS_SECTION, REPEATS_SECTION, CALIBRATION_SECTION, DRIFT_SECTION, CORRECTED_SECTION)
"""The sections of the card, in their order."""
TABLES = {name: meaning for section in SECTIONS for name, meaning in section.tables.items()}

EVALUATION = Evaluation(
    name="card",
    title="Judge card",
    question="Which judge can replace humans?",
    main="judges",
    judge="judge",
    metrics=metric_specs(*(section.metrics for section in SECTIONS)),
    tables=TABLES | ABSTENTIONS | {"truth": "The estimates beside the true values of the simulation."},
    outcomes={
        "against_all": "Differs from humans who agree with one another",
        "with_none": "Agrees with none of the humans, who differ",
        "one_differs": "Differs from the only human",
        "with_few": "Agrees with fewer than half of the humans",
        "with_most": "Agrees with at least half of the humans",
        "with_all": "Agrees with all humans",
    },
    printed=tuple(name for name in TABLES if name != "everyone"),
    keys=("judge", "annotator", "side", "person", "figure", "label", "first", "second", "probe"),
    shares=("certainty", "value", "ceiling"),
    answers=(Headline(metric="agreement"),),
    hidden_columns=MEASURES,
    headings={"of": "which", "person": "human", "figure": "quantity"},
    value_titles={"side": {"person": "human"}},
    columns={"value": "share of humans who agree", "ceiling": "agreement of humans with one another"},
)

VARIANTS = dict.fromkeys(CORRECTED_TABLES, declare_corrected)
