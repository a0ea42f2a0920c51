"""Whether every finding, caution and next step of summaries follows from the tables, on random data sets with gaps.

python benchmarks/summaries.py [DATA SETS]

Prints what does not, and exits with 1 if anything does.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "metrics"))

from summary_claims import EVALUATIONS, faults

DATA_SETS = 200


def main(data_sets: int) -> int:
    """Search so many data sets of each evaluation."""
    total = 0
    for evaluation in EVALUATIONS:
        found = 0
        for data_set in range(1, data_sets + 1):
            with tempfile.TemporaryDirectory() as folder:
                for sentence in faults(evaluation, data_set, Path(folder)):
                    found += 1
                    print(f"{evaluation}, data set {data_set}: {sentence}")
        print(f"{evaluation}: {data_sets:,} data sets, {found:,} faults", flush=True)
        total += found
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else DATA_SETS))
