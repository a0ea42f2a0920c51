"""Judged pairs of violations as files have them, and what is wrong with some."""

import json

import pytest

from adjudge.errors import DataError, OptionError
from adjudge.readers.inputs import sources
from adjudge.readers.spans.violations import check_new, read_judged_pairs
from adjudge.render.files import write_lines

TEXT = "Cures headache. Best tea ever!"
ONE = {"start": 0, "end": 5, "rule": "no cures"}
TWO = {"start": 0, "end": 14, "rule": "no medical claims", "category": "health"}


def pair(**more):
    return {"id": "t1", "text": TEXT, "predicted": ONE, "ground_truth": TWO, "same": True, "judge": "ann"} | more


def read(tmp_path, lines, name="judged.jsonl"):
    path = tmp_path / name
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n")
    return read_judged_pairs(sources([path])[0])


def problem(tmp_path, lines):
    with pytest.raises(DataError) as caught:
        read(tmp_path, lines)
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_judgments_are_read_with_their_texts_and_pairs(tmp_path):
    marks = {"predicted": {"start": 0, "end": 3}, "ground_truth": {**TWO, "end": 13}}
    other = pair(id="t2", text="Another text.", same=False, **marks)
    found = read(tmp_path, [pair(), pair(judge="bob", same=False), other])
    assert found.frame.rows() == [(0, 0, "ann", True), (0, 0, "bob", False), (1, 1, "ann", False)]
    assert found.frame.columns == ["group", "pair", "judge", "same"]
    assert found.predicted.row(0) == (0, 0, 5, "no cures", None, None, None, None, None)
    assert found.truth.row(2) == (1, 0, 13, "no medical claims", "health", None, None, None, None)
    assert found.rows == (3,)
    assert found.warnings == ()


def test_what_is_not_judged_yet_is_counted_and_left_out(tmp_path):
    lacking = {name: value for name, value in pair().items() if name not in ("same", "judge")}
    found = read(tmp_path, [pair(), pair(same=None, judge=None), lacking])
    assert found.frame.height == 1
    assert found.warnings == ("pairs that are not judged yet are excluded: 2",)
    assert "nothing is judged yet: expected true or false for same" in problem(tmp_path, [pair(same=None)])


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (pair(same="yes"), ', same: expected true or false; got "yes"'),
        (pair(predicted=None), ", predicted: expected an object; got null"),
        ({"id": "t1", "predicted": ONE, "same": True}, ", ground_truth: expected an object; got null"),
        (pair(predicted={"start": 3, "end": 99}), ", violation 1, end: expected at most 30 (the end of the text); got 99"),
        (pair(predicted={**ONE, "context": "B"}), ', context: expected the text from 0 to 5, "Cures"; got "B"'),
        (pair(id="t9", text=None, predicted={"context": "x"}), ", since the text of t9 is not known"),
        (pair(judge={"a": 1}), ", judge: expected text or a number; got an object"),
        (pair(id=None), ", id: expected the text's id; got nothing"),
        ("[1]", ": expected an object; got a list"),
        ('{"id": 1, "id": 2}', ": expected each name once; id appears twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(tmp_path, broken, said):
    first = problem(tmp_path, [pair(), broken]).splitlines()[0]
    assert first.startswith("judged.jsonl, line 2")
    assert first.endswith(said)


def test_an_existing_file_is_never_replaced(tmp_path):
    path = tmp_path / "pairs.jsonl"
    check_new(path)
    write_lines([pair(same=None)], path)
    with pytest.raises(OptionError, match="there is a file of that name, which may hold judgments"):
        check_new(path)


def test_files_of_several_people_are_one_set_of_judgments(tmp_path):
    for name, said in (("ann", True), ("bob", False)):
        write_lines([pair(same=said, judge=None), pair(id="t2", same=said, judge=None)], tmp_path / f"{name}.jsonl")
    found = read_judged_pairs(*sources([tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"]))
    assert found.frame["pair"].to_list() == [0, 1, 0, 1]
    assert [name[-9:] for name in found.frame["judge"]] == ["ann.jsonl"] * 2 + ["bob.jsonl"] * 2
    assert found.rows == (2, 2)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (pair(text=TEXT + "!"), "text: expected one text for an id"),
        (pair(same=False), "same: expected one answer of a judge on a pair"),
    ],
)
def test_an_id_of_two_texts_and_two_answers_are_found_across_files(tmp_path, other, said):
    write_lines([pair()], tmp_path / "a.jsonl")
    write_lines([other], tmp_path / "b.jsonl")
    with pytest.raises(DataError, match=f"(?s)a.jsonl, line 1, {said}; got several.*b.jsonl, line 1, "):
        read_judged_pairs(*sources([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]))
