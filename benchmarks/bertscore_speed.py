"""BERTScore against bert-score 0.3.13: equal figures, and how much faster, in one run.

    python benchmarks/bertscore_speed.py [--pairs 2000] [--hidden 128] [--layers 2]

A BERT of random weights is written to a temporary folder. Four tables of as many rows: every text stands once; texts
repeat but pairs do not (a prompt's answers, each against each of its references); pairs repeat (a row for each of ten
annotators, as in a table of votes); pairs repeat, in a script without spaces. Both load the model, tokenize, encode
and match. Prints the ratio of the times for each (goal: at least 3 where texts repeat) and exits where a figure
differs by more than 1e-6.

Both encode a distinct text once, and the larger the model, the more of the time that is: then the ratio is near 1. It
is larger for a script without spaces, since bert-score batches texts by their number of words, and Adjudge by tokens.
"""

import argparse
import contextlib
import io
import random
import tempfile
import time
from functools import partial
from pathlib import Path

import bert_score
import polars as pl
import torch
import transformers

from adjudge.evaluations.preferences.scoring import load_bertscorer, score_bertscore
from adjudge.metrics.partial_counts import LOCAL_WORKERS

ROUNDS = 3
ANNOTATORS = 10
ANSWERS = 8
POSITIONS = 512
IDEOGRAPHS = [chr(0x4E00 + number) for number in range(500)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    options = parser.parse_args()
    transformers.utils.logging.disable_progress_bar()
    draw = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        words = write_model(Path(folder), options.hidden, options.layers)
        print(f"{options.pairs:,} rows, {torch.get_num_threads()} threads, GPU: {torch.cuda.is_available()}")
        print(
            "| rows | distinct texts | distinct pairs | bert-score, s | Adjudge, s | ratio |\n|---|---|---|---|---|---|"
        )
        for name, make in (
            ("every text once", once),
            ("texts repeat", crossed),
            ("pairs repeat", repeated),
            ("pairs repeat, no spaces", unspaced),
        ):
            rows = make(draw, words, options.pairs)
            draw.shuffle(rows)
            compare(name, rows, folder, options.layers)


def write_model(folder: Path, hidden: int, layers: int) -> list[str]:
    """Writes the model and its tokenizer, and returns the words that it knows."""
    words = [first + vowel + last for first in "bcdfghklmnprstvw" for vowel in "aeiou" for last in "bdgklmnprstx"]
    path = folder / "vocab.txt"
    path.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *IDEOGRAPHS]), encoding="utf-8")
    tokenizer = transformers.BertTokenizer(str(path), model_max_length=POSITIONS)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=hidden // 64,
        intermediate_size=4 * hidden, max_position_embeddings=POSITIONS, initializer_range=0.1,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return words


def text(draw: random.Random, words: list[str], between: str = " ") -> str:
    """Of 5 to 400 words, half of them below 60: lengths of answers have a long tail."""
    return between.join(draw.choices(words, k=min(400, max(5, round(draw.lognormvariate(4.1, 0.8))))))


def once(draw: random.Random, words: list[str], pairs: int) -> list[tuple[str, str]]:
    return [(text(draw, words), text(draw, words)) for _ in range(pairs)]


def crossed(draw: random.Random, words: list[str], pairs: int) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    while len(rows) < pairs:
        answers, references = ([text(draw, words) for _ in range(ANSWERS)] for _ in range(2))
        rows += [(answer, reference) for answer in answers for reference in references]
    return rows[:pairs]


def repeated(draw: random.Random, words: list[str], pairs: int) -> list[tuple[str, str]]:
    return (once(draw, words, pairs // ANNOTATORS) * ANNOTATORS)[:pairs]


def unspaced(draw: random.Random, _words: list[str], pairs: int) -> list[tuple[str, str]]:
    one = [(text(draw, IDEOGRAPHS, ""), text(draw, IDEOGRAPHS, "")) for _ in range(pairs // ANNOTATORS)]
    return (one * ANNOTATORS)[:pairs]


def compare(name: str, rows: list[tuple[str, str]], model: str, layers: int) -> None:
    predictions, references = [one for one, _ in rows], [other for _, other in rows]
    columns = pl.Series(predictions), pl.Series(references)
    their_time, our_time = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        with contextlib.redirect_stderr(io.StringIO()):
            theirs = bert_score.score(predictions, references, model_type=model, num_layers=layers, batch_size=32)[2]
        their_time.append(time.perf_counter() - start)
        start = time.perf_counter()
        ours = score_bertscore(LOCAL_WORKERS, partial(load_bertscorer, model, layers), *columns)
        our_time.append(time.perf_counter() - start)
        worst = max(abs(one - other) for one, other in zip(ours, theirs.tolist(), strict=True))
        if worst > 1e-6:
            raise SystemExit(f"the figures differ by {worst:.1e}")
    theirs_s, ours_s = sorted(their_time)[ROUNDS // 2], sorted(our_time)[ROUNDS // 2]
    counts = f"{len({*predictions, *references}):,} | {len(set(rows)):,}"
    print(f"| {name} | {counts} | {theirs_s:.2f} | {ours_s:.2f} | {theirs_s / ours_s:.1f} |", flush=True)


if __name__ == "__main__":
    main()
