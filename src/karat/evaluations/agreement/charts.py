"""The pictures of agreement."""

from karat.about import Forest

PICTURES = (
    Forest(
        name="intervals",
        title="Agreement with intervals",
        caption="Agreement beyond chance with its {confidence} interval.",
        table="agreement",
        label="annotators",
        metrics=(("alpha",), ("gwet_ac",), ("percent_agreement",)),
    ),
    Forest(
        name="annotators",
        title="Each annotator with the others",
        caption="How far each annotator agrees with the others, with its {confidence} interval; the larger the point, "
        "the more labels.",
        table="annotators",
        label="annotator",
        metrics=(("agreement_with_others",),),
        best=("annotators", "agreement_with_others"),
        kept="largest",
        most=100,
        sized=True,
    ),
)
