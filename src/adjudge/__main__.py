"""The command `adjudge`, and `python -m adjudge`: the process around the command line; it loads little."""

import os
import signal
import sys

from adjudge.version import NAME, TITLE

_DEFECT, _INTERRUPTED, _TERMINATED = 70, 130, 143
"""Exit statuses: for a defect in Adjudge, as in sysexits.h, and after Ctrl-C and SIGTERM, as in shells."""


def main() -> None:
    """Run the command line. Errors are reported in a line, also while its modules are still being loaded."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))  # leaves no partial output
    try:
        from adjudge.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write(f"{NAME}: interrupted\n")
        sys.exit(_INTERRUPTED)
    except Exception as error:
        if os.environ.get("ADJUDGE_TRACEBACK"):
            raise
        from traceback import extract_tb

        from adjudge.render.visible_text import one_line

        frame = extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)}, line {frame.lineno}"  # noqa: PTH119 - pathlib is not loaded
        text = one_line(f"{NAME}: a defect in {TITLE}: {type(error).__name__}: {error!s:.300} ({place})")
        more = "Please report it with the command. ADJUDGE_TRACEBACK=1 before it shows all of where it arose"
        sys.stderr.write(f"{text}\n{more}\n")
        sys.exit(_DEFECT)


if __name__ == "__main__":
    main()
