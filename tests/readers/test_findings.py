"""What is wrong with an input: ten messages in the file's order, a count of all, and what was left out."""

import pytest

from adjudge import DataError
from adjudge.readers.problems import Findings


def test_ten_messages_are_spelt_out_and_the_rest_is_counted():
    findings = Findings()
    for number in range(25):
        findings.add(f"message {number}")
    with pytest.raises(DataError, match=r"and 15 more"):
        findings.settle()


def test_problems_of_one_kind_in_two_parts_are_counted_together():
    findings, others = Findings(), Findings()
    for part, rows in ((findings, (1, 2, 3, 4)), (others, (7, 8))):
        for row in rows:
            part.add(f'x.csv, row {row}, column a: expected b; got "c{row}"')
    others.add("first", dropped=1)
    findings.join(others)
    findings.blanked = 1
    assert findings.settle(drop=True)[0].startswith("1 invalid row was dropped, 1 invalid value counts as missing, ")
    assert findings.messages[:-1] == ['x.csv, rows 1, 2, 3 and 3 more, column a: expected b; got "c1", "c2", "c3"']
    assert (findings.messages[-1], findings.total, findings.dropped) == ("first", 7, 1)
