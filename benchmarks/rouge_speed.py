"""ROUGE-L against rouge-score: equal figures, and how much faster, in one run.

    python benchmarks/rouge_speed.py [--pairs 5000]

Texts of 80 to 150 made-up words; a reference shares about two thirds of its words with the prediction. Both start
from texts in memory. Times are of the processor. Prints their ratio (goal: at least 50) and exits where a figure differs in any bit.
"""

import argparse
import random
import string
import time

import polars as pl
from rouge_score.rouge_scorer import RougeScorer

from adjudge.text.rouge import rouge_l

ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=5000)
    options = parser.parse_args()
    predictions, references = made(options.pairs)
    rouge_l(pl.Series(["warm"]), pl.Series(["up"]))
    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    start = time.process_time()
    theirs = [
        scorer.score(reference, prediction)["rougeL"].fmeasure
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    their_time = time.process_time() - start
    times = []
    for _ in range(ROUNDS):
        columns = pl.Series(predictions), pl.Series(references)
        start = time.process_time()
        ours = rouge_l(*columns).to_list()
        times.append(time.process_time() - start)
        if ours != theirs:
            raise SystemExit("the figures differ")
    our_time = sorted(times)[ROUNDS // 2]
    print(f"{options.pairs:,} pairs, all figures equal to the last bit")
    print("| rouge-score, s | Adjudge, s (median) | ratio |\n|---|---|---|")
    print(f"| {their_time:.2f} | {our_time:.3f} | {their_time / our_time:.0f} |")


def made(pairs: int) -> tuple[list[str], list[str]]:
    """Predictions and references of the same lengths, in which every third word or so differs."""
    draw = random.Random(0)
    words = ["".join(draw.choices(string.ascii_lowercase, k=draw.randint(2, 9))) for _ in range(5000)]
    predictions, references = [], []
    for _ in range(pairs):
        chosen = draw.choices(words, k=draw.randint(80, 150))
        other = [draw.choice(words) if draw.random() < 1 / 3 else word for word in chosen]
        predictions.append(" ".join(chosen).capitalize() + ".")
        references.append(", ".join(other).capitalize() + "!")
    return predictions, references


if __name__ == "__main__":
    main()
