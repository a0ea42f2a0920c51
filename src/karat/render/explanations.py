"""What the notes and the interval methods of a report mean, in words for readers."""

METHODS = {
    "wilson": "Wilson's score interval of a proportion of independent items.",
    "clopper-pearson": "Clopper and Pearson's exact interval of a proportion: never too narrow, often too wide.",
    "clustered-wilson": (
        "Wilson's interval with an effective number of items, because items of the same cluster are alike, "
        "and with Student's t for the number of clusters."
    ),
    "effective-wilson": (
        "Wilson's interval with the number of items at which a proportion would be as uncertain as this figure, "
        "such as a mean over criteria, which rests on the same items several times."
    ),
    "beta-binomial": (
        "The credible interval of a figure drawn toward the mean of all annotators, "
        "the more the fewer items it rests on and the less the annotators differ."
    ),
    "tango": "Tango's score interval of a difference of paired proportions.",
    "clustered-tango": "Tango's interval with an effective number of items, as items of a cluster are alike.",
    "clustered-mover": "The interval of a product, with the number of items cut to what the clusters are worth.",
    "mover": (
        "The interval of a product or of a mean of shares, made of the intervals of what it is made of: "
        "the method of variance estimates recovery."
    ),
    "t": "The figure plus and minus Student's t times its standard error.",
    "percentile": "Percentiles of the figure over resampled items or clusters (bootstrap).",
}
"""Interval method -> what it is."""

_NOTES = {
    "few items": "The figure rests on so few items that the interval may hold the true value less often than it says.",
    "few annotators": "Too few annotators to learn from how much they differ among themselves.",
    "few clusters": "So few independent groups of items that the interval is rough: look at the counts.",
    "covers about": "With this many clusters the interval holds the true value about as often as the note says.",
    "conservative": "The interval is rather too wide than too narrow.",
    "too few chance disagreements": (
        "Chance alone would agree almost always, so little can be said of agreement beyond chance; "
        "the interval may be too narrow."
    ),
    "approximate": "The interval is an approximation whose coverage has not been promised for data of this size.",
    "few decided pairs": "Too few agreements and disagreements for the interval to keep its promise.",
    "few discordant items": "The two differ on too few items for the interval to keep its promise.",
    "one cluster": "All items belong together, so nothing tells how much the figure would vary: no interval.",
    "one item": "One item cannot tell how much the figure would vary: no interval.",
    "no variation": (
        "All items (clusters) are alike in what they add, so nothing tells how much the figure would vary: no interval."
    ),
    "pairs are clustered": "Pairs with the same prompt are not independent, which this table does not reckon with.",
    "bootstrap": "The interval comes from resampling, for want of a better method.",
    "expected value": "What chance gives on average over many draws; nothing was drawn, so there is no interval.",
    "from published values": "Single items are not known, so nothing tells which differences are chance.",
    "nobody gives it": "No violation in the data says anything of this part, so its weight is 0.",
    "undefined in every resample": "No resample gave a figure: no interval.",
}
"""How a note begins -> what it means."""


def method_meaning(method: str) -> str:
    """What an interval method is; empty for one that is not known here.

    >>> method_meaning("wilson")
    "Wilson's score interval of a proportion of independent items."
    """
    return METHODS.get(method, "")


def note_meaning(note: str) -> str:
    """What a note says about its figure; empty for one that is not known here.

    >>> note_meaning("covers about 90-97 %")[:40]
    'With this many clusters the interval hol'
    """
    return next((meaning for start, meaning in _NOTES.items() if note.startswith(start)), "")
