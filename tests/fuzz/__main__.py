"""`python -m fuzz --minutes 10 --seed 1`: tries inputs on all cores until the time is over or it is stopped, and keeps what it finds."""

import argparse
import os
import signal
import sys

from fuzz.running import fuzz


def main() -> int:
    """The command line."""
    asked = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    asked.add_argument("--minutes", type=float, default=10)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--first", type=int, default=0, help="the number of the first input")
    asked.add_argument("--workers", type=int, default=os.cpu_count())
    given = asked.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C, which commands in the background do not get
    found = fuzz(given.minutes * 60, given.seed, given.first, given.workers)
    told = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(found.outcomes.items()))
    print(f"seed {given.seed}: {found.outcomes.total():,} inputs: {told}; {len(found.kinds)} kinds of faults")
    return 1 if found.kinds else 0


if __name__ == "__main__":
    sys.exit(main())
