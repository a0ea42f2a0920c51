"""What a notebook shows: a report once, in HTML that keeps to itself, and of an error the user's line and the message."""

import builtins
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge import OptionError
from adjudge.report import GateResult
from made import EXAMPLES

VOTES = EXAMPLES / "reliability" / "votes.json"


class ZMQInteractiveShell:
    """What rich knows a notebook by: the name of the class of its shell."""


def test_the_text_of_a_report_is_the_same_in_a_notebook(monkeypatch):
    report = adjudge.reliability(VOTES)
    text = repr(report)
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)
    assert repr(report) == text


def test_a_notebook_shows_gates_if_any_were_set():
    report = adjudge.reliability(VOTES)
    assert "Gate" not in report._repr_html_()
    gate = GateResult("reliability must be at least 70%", "ana", "it is 95.0%", passed=True)
    assert "<strong>Gate PASS</strong>: ana: reliability" in replace(report, gates=(gate,))._repr_html_()


def test_an_error_in_a_notebook_shows_the_user_s_line_and_the_message():
    with pytest.raises(OptionError) as caught:
        adjudge.reliability(VOTES, ci_level=95)
    line, message = caught.value._render_traceback_()
    assert line.startswith(f"{__file__}, line ")
    assert line.endswith(": adjudge.reliability(VOTES, ci_level=95)")
    assert message == ("OptionError: ci_level: expected a number between 0 and 1; got 95\nfix:   ci_level 0.95")


def test_an_error_in_a_cell_shows_its_line_though_no_file_holds_it():
    cell = compile("import adjudge\nadjudge.plan(width=2)", "<cell>", "exec")
    with pytest.raises(OptionError) as caught:
        exec(cell, {})  # noqa: S102 - as a notebook does
    steps = caught.value._render_traceback_()
    assert steps[-2].startswith("line 2: ")
    assert steps[-1].startswith("OptionError: width: ")


def test_an_error_shows_the_lines_of_a_folder_that_is_called_nearly_as_adjudge_and_each_once():
    beside = f"{Path(adjudge.__file__).parent}_of_mine/steps.py"
    text = "import adjudge\ndef again(n):\n    return again(n - 1) if n else adjudge.plan(width=2)\n"
    scope: dict[str, Any] = {}
    exec(compile(text, beside, "exec"), scope)  # noqa: S102 - as if it stood beside adjudge
    with pytest.raises(OptionError) as caught:
        scope["again"](5)
    _, own, message = caught.value._render_traceback_()
    assert own.startswith("line 3: ")
    assert message.startswith("OptionError: width: ")
