"""Whether score, compare, history and leaderboards give one number for one question, on random data sets with gaps.

python benchmarks/contradictions.py [DATA SETS]

Prints what contradicts itself, and exits with 1 if anything does.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "metrics"))

from contradictions import EVALUATIONS, contradictions

DATA_SETS = 200


def main(data_sets: int) -> int:
    """Search so many data sets of each evaluation."""
    total = 0
    for evaluation in EVALUATIONS:
        found = 0
        for data_set in range(1, data_sets + 1):
            with tempfile.TemporaryDirectory() as folder:
                for sentence in contradictions(evaluation, data_set, Path(folder)):
                    found += 1
                    print(f"{evaluation}, data set {data_set}: {sentence}")
        print(f"{evaluation}: {data_sets:,} data sets, {found:,} contradictions", flush=True)
        total += found
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else DATA_SETS))
