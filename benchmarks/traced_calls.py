"""How many functions of Adjudge a command enters, and in how many of its files: what a reader steps through.

    python benchmarks/traced_calls.py --list reliability labels.csv --output report.html

`--list` prints every function in the order in which it is entered first. Without a command, reliability of 80 labels
with a page is traced.
"""

import contextlib
import io
import sys
from inspect import CO_OPTIMIZED
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType

import adjudge

PACKAGE = Path(adjudge.__file__).parent
LABELS = "item,annotator,label,reference\n" + "".join(
    f"{n},{who},{n % 2},{n % 3 % 2}\n" for n in range(40) for who in ("ana", "ben")
)


def entered(words: list[str]) -> list[CodeType]:
    """The code objects of Adjudge's functions that a command enters, in that order, without bodies of modules and classes."""
    from adjudge.cli import main

    codes: dict[CodeType, None] = {}
    sys.argv = ["adjudge", *words]
    sys.setprofile(lambda frame, event, _: codes.setdefault(frame.f_code) if event == "call" else None)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.setprofile(None)
    return [code for code in codes if code.co_flags & CO_OPTIMIZED and code.co_filename.startswith(str(PACKAGE))]


def main() -> None:
    """Prints both numbers."""
    words = sys.argv[1:]
    listed = "--list" in words[:1]
    with TemporaryDirectory() as folder:
        labels, page = Path(folder) / "labels.csv", Path(folder) / "report.html"
        labels.write_text(LABELS, encoding="utf-8")
        found = entered(words[listed:] or ["reliability", str(labels), "--output", str(page)])
    for code in found if listed else ():
        print(f"{Path(code.co_filename).relative_to(PACKAGE)}:{code.co_firstlineno} {code.co_qualname}")
    named = sum(code.co_name.isidentifier() for code in found)
    files = {code.co_filename for code in found}
    print(f"{len(found)} code objects, {named} of them functions with names, in {len(files)} files")


if __name__ == "__main__":
    main()
