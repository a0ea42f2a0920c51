"""Do intervals hold what is known of a judge? A simulated judge behind a server, asked as any model is.

    python benchmarks/models_coverage.py [--runs 200] [--items 50]

The judge answers each question about a pair by itself: with the probability REFUSES it refuses, else with BIAS it names the
response that stands first, else the better one with SKILL and the other one with 1 - SKILL. Better is A with PRIOR. What it has
right asked in one order and in both, whose labels are combined as `adjudge preferences predict --predictor judge` combines them,
how often the orders differ, and what it refuses, follow by hand (`known`). The 95 % intervals of `adjudge.preferences` and of
the position inconsistency should hold these values in at least .91 of 200 runs.

What is refused in both orders (REFUSES squared, one item in 400) is no such value: with 50 items Wilson's interval holds it
only where none is, in .882 of runs. It holds from .05 on, as docs/formulas.md says.
"""

import argparse
import hashlib
import json
import multiprocessing
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

import adjudge

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))
SKILL, BIAS, REFUSES, PRIOR = 0.8, 0.2, 0.05, 0.6
GOAL = 0.91


def serve(pipe: Connection) -> None:
    """The judge. The texts say which response is better; chance follows from the prompt, whatever its marker."""
    from llm.server import RefusingServer, serving

    def answer(prompt: str, _body: dict[str, Any]) -> str:
        shown = [one for one in prompt.split() if one.startswith("quality-")]
        drawn = Random(hashlib.sha256(" ".join(shown).encode()).digest())
        if drawn.random() < REFUSES:
            return ""
        first_is_better = shown[-2].startswith("quality-high")
        if drawn.random() < BIAS:
            said = "A"
        else:
            right = drawn.random() < SKILL
            said = "A" if first_is_better == right else "B"
        verdict = {"overall_quality": {"explanation": "as it seems", "label": said}}
        return json.dumps({"reason": "", "verdict": verdict})

    with serving(RefusingServer(answer)) as url:
        pipe.send(url)
        time.sleep(10**6)


def known() -> dict[tuple[bool, str], float]:
    """What is right, differs and is missing, asked in both orders or in one, worked out from the judge's probabilities."""
    said = 1 - REFUSES
    first = BIAS + (1 - BIAS) * SKILL  # right where the better response stands first, if anything is said
    second = (1 - BIAS) * SKILL
    # each pair is asked once with the better response first and once second; the labels given count as votes, and two
    # that contradict each other become both_good, which is wrong
    both_right = said * first * said * second
    one_right_other_refused = said * (first + second) * REFUSES
    one_order = said * (PRIOR * first + (1 - PRIOR) * second)
    return {
        (True, "accuracy"): both_right + one_right_other_refused,
        (True, "position inconsistency"): first * (1 - second) + (1 - first) * second,
        (False, "accuracy"): one_order,
        (False, "missing"): REFUSES,
    }


def asked(part: pl.DataFrame, url: str, folder: Path) -> dict[tuple[bool, str], adjudge.Estimate]:
    """The estimates of one run: some items, judged in both orders and in one."""
    found = {}
    for swap in (True, False):  # the calls of one order are among those of both, and known
        predicted = adjudge.predict_preferences(
            part.drop("overall_quality_preference"),
            predictor="judge",
            model="openai-api/local/judge",
            base_url=url,
            criteria="overall_quality",
            concurrency=32,
            swap=swap,
            logs=folder,
            output=folder / "judge.tsv",
        )
        report = adjudge.preferences(part, predicted.frame, system="judge", criteria="overall_quality")
        where = {"system": "judge", "criterion": "overall_quality"}
        found |= {(swap, name): report.estimate(name, table="scores", **where) for name in ("accuracy", "missing")}
        found[swap, "position inconsistency"] = predicted.position_inconsistency
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--items", type=int, default=50)
    given = parser.parse_args()
    mine, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    drawn = Random(1)
    rows = []
    for number in range(given.runs * given.items):
        better = "A" if drawn.random() < PRIOR else "B"
        texts = [f"quality-{'high' if better == side else 'low'}-{number}-{side}" for side in "AB"]
        rows.append((str(number), f"instruction {number}", *texts, better))
    names = ["id", "instruction", "output_a", "output_b", "overall_quality_preference"]
    gold = pl.DataFrame(rows, schema=names, orient="row")
    url, truth, held = mine.recv(), known(), dict.fromkeys(known(), 0)
    for part in gold.iter_slices(given.items):
        estimates = asked(part, url, Path(tempfile.mkdtemp()))
        for one, value in truth.items():
            held[one] += estimates[one].low <= value <= estimates[one].high
    server.terminate()
    for (both, metric), count in held.items():
        told = f"{metric}, {'both orders' if both else 'one order'}: {truth[both, metric]:.4f} is held"
        print(f"{told} in {count / given.runs:.3f} of {given.runs} runs (goal {GOAL})")
    if min(held.values()) < GOAL * given.runs:
        sys.exit("an interval holds the known value too seldom")


if __name__ == "__main__":
    main()
