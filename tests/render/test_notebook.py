"""What a notebook shows: a report once, in HTML that keeps to itself, and of an error the user's line and the message."""

import builtins
from dataclasses import replace

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


def test_an_error_in_a_notebook_is_its_message():
    with pytest.raises(OptionError) as caught:
        adjudge.reliability(VOTES, ci_level=95)
    assert caught.value._render_traceback_() == [
        "OptionError: ci_level: expected a number between 0 and 1; got 95\nfix:   ci_level 0.95"
    ]
