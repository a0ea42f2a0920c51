"""Votes that reward traits by a known amount, to compare estimates with the truth."""

import numpy as np
import polars as pl

from adjudge.report import typed_table
from adjudge.schemas.pairs import CODE, TRAIT, VOTE, AnnotatedPairs, Annotator, add_lengths

PAIRS = 600

TRAITS = {
    "is more polite": (0.9, 0.72),
    "is more concise": (0.7, 0.6),
    "has more examples": (0.5, 0.85),
    "is more formal": (0.8, 0.5),
    "hedges more": (0.6, 0.35),
    "flatters the reader": (0.3, 0.25),
}
"""Trait -> (relevance: probability of a valid vote, accuracy: probability that it equals the person's)."""

_WORDS = (
    *("a", "plain", "word", "or", "two", "of", "some", "text", "that"),
    *("says", "nothing", "at", "all", "but", "has", "a", "length"),
)
_TOPICS = ("code", "chat", "maths")


def simulate(seed: int) -> tuple[AnnotatedPairs, pl.DataFrame]:
    """Pairs with a person's votes and those of an annotator per trait, and the truth about them.

    Each trait's vote is valid with its relevance, and then equals the person's with its accuracy, all
    independent; so its kappa is 2 accuracy - 1 and its strength relevance times that.
    Returns the pairs and the truth (annotator, metric, truth).
    """
    draw = np.random.default_rng(seed)
    person = draw.choice([CODE["text_a"], CODE["text_b"]], PAIRS)
    ids = {trait: trait.replace(" ", "-") for trait in TRAITS}
    votes = {VOTE + ids[trait]: _simulate_votes(draw, person, *chances) for trait, chances in TRAITS.items()}
    text_a, text_b = ([" ".join(draw.choice(_WORDS, draw.integers(5, 60))) for _ in range(PAIRS)] for _ in "ab")
    frame = pl.DataFrame(
        {
            "pair": [f"pair-{number + 1:03}" for number in range(PAIRS)],
            "prompt": [f"Made-up prompt {number + 1}" for number in range(PAIRS)],
            "text_a": text_a,
            "text_b": text_b,
            "model_a": draw.choice(["model-x", "model-y"], PAIRS).tolist(),
            "model_b": draw.choice(["model-y", "model-z"], PAIRS).tolist(),
            "topic": draw.choice(_TOPICS, PAIRS).tolist(),
            VOTE + "person": person,
            **votes,
        }
    ).with_columns(pl.col(f"^{VOTE}.*$").cast(pl.UInt8))
    annotators = (
        Annotator("person", "person", "Which response is better?", "human"),
        *(Annotator(ids[trait], trait, f"Select the response that {trait}", TRAIT) for trait in TRAITS),
    )
    truths = []
    for trait, (relevance, accuracy) in TRAITS.items():
        kappa = 2 * accuracy - 1
        true_values = {"relevance": relevance, "accuracy": accuracy, "kappa": kappa, "strength": relevance * kappa}
        truths += [{"annotator": ids[trait], "metric": metric, "truth": truth} for metric, truth in true_values.items()]
    return AnnotatedPairs("simulated", add_lengths(frame.lazy()), annotators, "person", ("topic",)), typed_table(truths)


def _simulate_votes(draw: np.random.Generator, person: np.ndarray, relevance: float, accuracy: float) -> np.ndarray:
    valid = draw.random(PAIRS) < relevance
    agrees = draw.random(PAIRS) < accuracy
    other = CODE["text_a"] + CODE["text_b"] - person
    return np.where(valid, np.where(agrees, person, other), CODE["not_applicable"])
