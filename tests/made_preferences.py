"""Labelled pairs of responses with a signal to learn: people here like length, dislike shouting."""

import random

import polars as pl

from karat.schemas.preferences import Task

TASK = Task(criteria=("quality", "calm"), labels=("A", "B", "both_good", "both_bad"))
WORDS = [
    "red",
    "blue",
    "green",
    "house",
    "tree",
    "river",
    "stone",
    "cloud",
    "music",
    "paper",
    "garden",
    "winter",
    "summer",
    "bread",
    "water",
    "light",
]


def made_items(instructions: int, seed: int = 0, *, each: int = 5) -> pl.DataFrame:
    """Items with gold labels and explanations, `each` of every instruction.

    quality: the response with at least 4 more words; else both_good with 12 words or more together, else both_bad.
    calm: the response with fewer exclamation marks, else both_good.
    """
    draw = random.Random(seed)
    rows = []
    for instruction in range(instructions):
        asked = f"Task {seed} {instruction}: " + " ".join(draw.choices(WORDS, k=draw.randint(3, 12)))
        for number in range(each):
            sizes = [draw.randint(1, 20) for _ in "ab"]
            shouts = [draw.choice((0, 0, 1, 2)) for _ in "ab"]
            a, b = (" ".join(draw.choices(WORDS, k=n)) + "!" * m for n, m in zip(sizes, shouts, strict=True))
            gap = sizes[0] - sizes[1]
            quality = 1 if gap >= 4 else 2 if gap <= -4 else 3 if sum(sizes) >= 12 else 4
            calm = 1 if shouts[0] < shouts[1] else 2 if shouts[1] < shouts[0] else 3
            why = f"{seed}-{instruction}-{number}: {TASK.word(quality)}"
            rows.append((f"{instruction}-{number}", asked, a, b, quality, calm, why, None))
    names = ["id", "instruction", "output_a", "output_b", *TASK.label_columns, *TASK.why_columns]
    types = [*[pl.String] * 4, *[pl.UInt8] * 2, *[pl.String] * 2]
    return pl.DataFrame(rows, schema=dict(zip(names, types, strict=True)), orient="row")


def swapped_items(items: pl.DataFrame) -> pl.DataFrame:
    """The same items with the responses in the other order; labels stay."""
    return items.with_columns(output_a="output_b", output_b="output_a")
