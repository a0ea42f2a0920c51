"""What several tests share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"
EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Writes text, bytes or JSON to a file and returns its path."""

    def write(content: Any, name: str = "votes.json") -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


@pytest.fixture
def karat(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line in this process; returns its exit status, standard output and standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        from karat.cli import main

        monkeypatch.setattr("sys.argv", ["karat", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, printed.err

    return run


def verdict(choice: str | None = None, flag: object = "No", **further: object) -> dict[str, object]:
    """A verdict of the win-tie-loss JSON."""
    return {"item_flag": flag, **({"best": choice} if choice else {}), **further}


def item(reference: object, /, **annotators: object) -> dict[str, object]:
    """An item of the win-tie-loss JSON; a bare string is an unflagged choice."""

    def full(one: object) -> object:
        return verdict(one) if isinstance(one, str) else one

    judges = reference if isinstance(reference, dict) and "item_flag" not in reference else {"sme": reference}
    return {
        "output_values": {name: full(one) for name, one in annotators.items()},
        "QC": {name: full(one) for name, one in judges.items()},
    }
