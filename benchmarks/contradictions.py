"""Whether reports contradict themselves, on random data sets with gaps.

python benchmarks/contradictions.py tables|summaries [DATA SETS]

tables: whether score, compare, history and leaderboards give one number for one question. summaries: whether every
finding, caution and next step follows from the tables. Prints what does not, and exits with 1 if anything does.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "metrics"))

import contradictions
import summary_claims

from adjudge.evaluations import NAMES

CHECKS = {"tables": contradictions.of_data_set, "summaries": summary_claims.faults}
DATA_SETS = "200"


def main(checked: str, data_sets: int) -> int:
    """Search so many data sets of each evaluation."""
    total = 0
    for evaluation in NAMES:
        count = 0
        for data_set in range(1, data_sets + 1):
            with tempfile.TemporaryDirectory() as folder:
                for sentence in CHECKS[checked](evaluation, data_set, Path(folder)):
                    count += 1
                    print(f"{evaluation}, data set {data_set}: {sentence}")
        print(f"{evaluation}: {data_sets:,} data sets, {count:,} contradictions", flush=True)
        total += count
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int([*sys.argv, DATA_SETS][2])))
