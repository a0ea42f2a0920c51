"""How long Adjudge takes to start, against starting Python alone.

Run: python benchmarks/start_up.py
Prints a JSON object per case with the median of 20 runs: seconds, and their ratio to those of `python -c pass`. The runs
of all cases take turns, so that what else the machine does concerns all alike. `seconds` are those of the processor.
"""

import json
import os
import subprocess
import sys
from statistics import median

RUNS = 20
CASES = {
    "python -c pass": ["-c", "pass"],
    "python -c 'import click'": ["-c", "import click"],
    "python -c 'import adjudge'": ["-c", "import adjudge"],
    "adjudge --help": ["-m", "adjudge", "--help"],
    "adjudge reliability --help": ["-m", "adjudge", "reliability", "--help"],
    "adjudge card --help-all": ["-m", "adjudge", "card", "--help-all"],
}


def seconds(words: list[str]) -> float:
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL) as process:
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0  # it has been waited for
    return used.ru_utime + used.ru_stime


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for words in CASES.values():
        seconds(words)  # so that bytecode is there
    runs = [{name: seconds(words) for name, words in CASES.items()} for _ in range(RUNS)]
    found = {name: median(run[name] for run in runs) for name in CASES}
    for name, took in found.items():
        ratio = took / found["python -c pass"]
        print(json.dumps({"case": name, "seconds": round(took, 3), "ratio": round(ratio, 1)}))


if __name__ == "__main__":
    main()
