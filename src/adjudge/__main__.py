"""The command `adjudge`, and `python -m adjudge`: the process around the command line; it loads little."""

import os
import signal
import sys

from adjudge.version import NAME, TITLE

_DEFECT, _INTERRUPTED, _TERMINATED = 70, 130, 143
"""Exit statuses: of a defect in Adjudge, as in sysexits.h, and of what Ctrl-C and SIGTERM ended, as shells say it."""
_SHOWN = "ADJUDGE_TRACEBACK"


def main() -> None:
    """Run the command line. Whatever ends it is said in a line, also while its modules are still being loaded."""
    _open_standard_streams()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))  # so that nothing half made is left behind
    try:
        from adjudge.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write(f"{NAME}: interrupted\n")
        sys.exit(_INTERRUPTED)
    except Exception as error:
        if os.environ.get(_SHOWN):
            raise
        sys.stderr.write(f"{_defect(error)}\n")
        sys.exit(_DEFECT)


def _open_standard_streams() -> None:
    """Streams that were closed lead nowhere: else the next file that is opened would take the place of one."""
    for number, mode in enumerate((os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    sys.stdout = sys.stdout or open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115 - open as long as we run
    sys.stderr = sys.stderr or open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115


def _defect(error: Exception) -> str:
    """What is said where Adjudge itself is wrong: the error, where it arose, and how to see more of it."""
    import traceback
    from pathlib import Path

    from adjudge.render.visible_text import one_line

    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    said = one_line(f"{NAME}: a defect in {TITLE}: {type(error).__name__}: {error!s:.300} ({place})")
    return f"{said}\nPlease report it with the command. {_SHOWN}=1 before it shows all of where it arose"


if __name__ == "__main__":
    main()
