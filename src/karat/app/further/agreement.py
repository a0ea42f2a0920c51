"""Annotators among themselves: what outcomes are called."""

VIEWS: dict[str, object] = {}
OUTCOMES = {
    "with_nobody": "Label that nobody else gives",
    "with_some": "Label that some of the others give",
    "with_most": "Label that most of the others give",
    "with_all": "Label that all others give",
    "alone": "Label of an item that nobody else labels",
}
