"""The pictures of the card."""

from karat.about import Forest

PICTURES = (
    Forest(
        name="ceiling",
        title="Judges beside people",
        caption="How often each judge agrees with people, and how often people agree with one another on the same "
        "items, with {confidence} intervals.",
        table="judges",
        label="judge",
        metrics=(("agreement", "distance"), ("people_agreement", "people_distance")),
        best=("judges", "agreement"),
    ),
    Forest(
        name="difference",
        title="Judge minus people",
        caption="The difference of the two on the same items, with its {confidence} interval.",
        table="judges",
        label="judge",
        metrics=(("agreement_difference", "distance_difference"),),
        zeros={"agreement_difference": 0.0, "distance_difference": 0.0},
        best=("judges", "agreement"),
    ),
)
