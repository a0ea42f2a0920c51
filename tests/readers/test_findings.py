"""What is wrong with an input: ten messages in the file's order, a count of all, and what was left out."""

import re

import polars as pl
import pytest

from adjudge import DataError
from adjudge.readers.problems import Findings, cells_of
from adjudge.schemas.columns import CellRule, require_one_of, require_value

RULES = (
    require_value("id", "an id"),
    require_one_of("label", ("left", "right")),
    CellRule("id", pl.col("id").is_duplicated(), "it once"),
)


def checked(*rows):
    frame = pl.DataFrame(rows, schema={"row": pl.Int64, "id": pl.String, "label": pl.String}, orient="row")
    findings = Findings("item")
    kept = findings.keep(frame, RULES, cells_of(frame, "x.csv", "row", "row", {"label": "choice"}), reasons=True)
    return findings, kept["row"].to_list()


def test_broken_cells_are_told_in_the_order_of_rows_with_the_files_names():
    findings, kept = checked((1, "a", "lefft"), (2, None, "right"), (3, "c", "left"))
    assert kept == [3]
    assert findings.messages == [
        'x.csv, row 1, column choice: expected one of left, right; got "lefft" (did you mean "left"?)',
        "x.csv, row 2, column id: expected an id; got nothing",
    ]
    with pytest.raises(DataError) as error:
        findings.settle()
    assert error.value.messages == tuple(findings.messages)


def test_a_row_that_breaks_two_rules_is_two_problems_and_left_out_once():
    findings, kept = checked((1, "a", "up"), (2, "a", "left"))
    assert kept == []
    assert (findings.total, findings.dropped, dict(findings.reasons)) == (3, 2, {"id": 2, "label": 1})
    (said,) = findings.settle(drop=True)
    assert said.startswith("2 invalid items were dropped (id: 2, label: 1), such as: x.csv, row 1, column choice: ")


def test_problems_of_one_kind_are_one_message_with_the_first_three_rows_and_the_count():
    findings, _ = checked(*((number, str(number), "up") for number in range(1, 26)))
    assert len(findings.messages) == 1
    assert re.search(r"rows 1, 2, 3 and 22 more, column", findings.messages[0])
    assert findings.total == 25
    with pytest.raises(DataError) as caught:
        findings.settle()
    assert "\n" not in str(caught.value)


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
