"""JSON lines of answers, cut into blocks: places of lines, and rows from Python."""

import json

import pytest

import adjudge
from adjudge.errors import AdjudgeError, DataError
from adjudge.readers.answers.answers import AnswerReading, read_answers
from adjudge.readers.inputs import sources


def read(path):
    try:
        (source,) = sources([path], None, "rag")
        found = read_answers(source, AnswerReading())
    except AdjudgeError as error:
        return str(error)
    return found.frame.rows(), found.rows


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


FIRST = {"id": "0", "ability": "noise_robustness", "response": "x", "answer": "y", "topic": "t", "model": "m"}


@pytest.mark.parametrize("size", [1, 100, 1 << 24])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", "\n  \n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_blocks_ends_of_lines_and_marks_make_no_difference(tmp_path, monkeypatch, size, end, mark):
    monkeypatch.setattr("adjudge.readers.io.json_documents._AT_ONCE", size)
    path = tmp_path / "a.jsonl"
    rows = [{**FIRST, "id": str(number)} for number in range(9)]
    path.write_text(mark + end.join(json.dumps(row) for row in rows), encoding="utf-8")
    found, height = read(path)
    assert ([row[0] for row in found], height) == ([str(number) for number in range(9)], 9)
    path.write_text(mark + end.join([*map(json.dumps, rows), '{"id": "\\x"}']), encoding="utf-8")
    assert f"a.jsonl, line {9 * end.count(chr(10)) + 1}, column 9: expected JSON" in read(path)


def test_lines_that_break_a_rule_keep_their_place_among_the_others(tmp_path):
    rows = [{**FIRST, "id": str(number), "response": number if number % 3 else "x"} for number in range(9)]
    path = tmp_path / "a.jsonl"
    path.write_text(lines(rows))
    found, _ = read(path)
    assert [row[0] for row in found] == [str(number) for number in range(9)]


def test_rows_from_python_may_hold_texts_and_lists_in_one_column():
    """No table can: they are read as a file of them would be."""
    rows = [
        {"id": "1", "ability": "noise_robustness", "model": "m", "response": "Paris", "answer": "Paris"},
        {"id": "2", "ability": "noise_robustness", "model": "m", "response": "May 11", "answer": ["May 11", "May 12"]},
    ]
    found = adjudge.rag(rows).estimate("accuracy", table="scores", ability="noise_robustness")
    assert (found.value, found.n) == (0.5, 2)
    with pytest.raises(DataError, match="table: expected a table whose columns"):
        adjudge.rag([*rows, {**rows[0], "response": {1, 2}}])
