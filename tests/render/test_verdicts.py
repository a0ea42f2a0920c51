"""Results of gates, those of one gate together."""

import pytest

from karat.render.verdicts import Verdict, verdicts
from karat.report import GateResult

_ASKED = "f1 must be at least 0.5"


def _found(subject, value, *, passed):
    return GateResult(_ASKED, subject, f"it is {value}", passed)


def test_what_a_gate_asks_is_said_once_of_those_that_pass_and_once_of_those_that_fail():
    found = [
        _found("checker careful, all texts", "0.9", passed=True),
        _found("checker eager, all texts", "0.4", passed=False),
        _found("checker steady, all texts", "0.8", passed=True),
    ]
    assert verdicts(found) == [
        Verdict(True, f"PASS (all texts): {_ASKED}", ["checker careful: 0.9", "checker steady: 0.8"]),
        Verdict(False, f"FAIL (checker eager, all texts): {_ASKED}; it is 0.4"),
    ]


@pytest.mark.parametrize(
    ("other", "head"), [(", so it may be below 0.5", "PASS, but uncertain (all texts)"), ("", "PASS (all texts)")]
)
def test_a_verdict_is_not_sure_where_no_row_of_it_is(other, head):
    found = [
        _found("checker careful, all texts", "0.9 (0.4 to 1.0, so it may be below 0.5)", passed=True),
        _found("checker eager, all texts", f"0.8 (0.6 to 0.9{other})", passed=True),
    ]
    assert verdicts(found)[0].said == f"{head}: {_ASKED}"


def test_rows_that_no_key_tells_apart_keep_what_was_found():
    found = [_found("on average", value, passed=True) for value in ("0.6", "0.7")]
    assert verdicts(found) == [Verdict(True, f"PASS (on average): {_ASKED}", ["0.6", "0.7"])]


def test_different_gates_stay_apart_and_in_order():
    other = GateResult("recall must be at least 0.3", "checker careful", "it is 0.4", passed=True)
    found = [_found("checker careful", "0.9", passed=True), other]
    assert [one.said for one in verdicts(found)] == [str(one) for one in found]
