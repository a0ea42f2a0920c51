"""Judged pairs of violations as files have them, and what is wrong with some."""

import json

import polars as pl
import pytest

from adjudge.errors import DataError, OptionError
from adjudge.readers.inputs import sources
from adjudge.readers.spans.judged_pairs import check_unjudged, pair_row, read_judged_pairs
from adjudge.render.files import table_csv, write_lines

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


def test_an_array_a_table_and_lines_read_alike(tmp_path):
    pairs = [pair(), pair(judge="bob", same=False)]
    lines = read(tmp_path, pairs)
    (tmp_path / "judged.json").write_text(json.dumps(pairs))
    for source in (tmp_path / "judged.json", pl.DataFrame(pairs)):
        found = read_judged_pairs(sources([source])[0])
        assert found.frame.equals(lines.frame)
        assert found.predicted.equals(lines.predicted)
        assert found.truth.equals(lines.truth)


def test_what_is_not_judged_yet_is_counted_and_left_out(tmp_path):
    lacking = {name: value for name, value in pair().items() if name not in ("same", "judge")}
    found = read(tmp_path, [pair(), pair(same=None, judge=None), lacking])
    assert found.frame.height == 1
    assert found.warnings == ("pairs that are not judged yet are excluded: 2",)
    assert "nothing is judged yet: expected true or false for same" in problem(tmp_path, [pair(same=None)])


def test_a_text_is_known_by_its_id(tmp_path):
    named = pair(text=None, predicted={"context": "Best tea"}, judge="bob")
    found = read(tmp_path, [pair(), named, pair(id=None, judge="cid")])
    assert found.frame["group"].to_list() == [0, 0, 0]
    assert found.predicted["start"].to_list() == [0, 16, 0]


def test_texts_without_ids_are_told_apart_by_what_they_say(tmp_path):
    found = read(tmp_path, [pair(id=None), pair(id=None, text=TEXT + "!"), pair(id=None, judge="bob")])
    assert found.frame.select("group", "pair").rows() == [(0, 0), (1, 1), (0, 0)]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (pair(same="yes"), ', same: expected true or false; got "yes"'),
        (pair(predicted=None), ", predicted: expected an object; got null"),
        ({"id": "t1", "predicted": ONE, "same": True}, ", ground_truth: expected an object; got nothing"),
        (pair(predicted={"start": 3, "end": 99}), ", predicted, end: expected 30, the end of the text, or less; got 99"),
        (pair(predicted={**ONE, "context": "B"}), ', context: expected the text from 0 to 5, "Cures"; got "B"'),
        (pair(id="t9", text=None, predicted={"context": "x"}), ", since the text of t9 is not known; got none"),
        (pair(judge={"a": 1}), ", judge: expected text or a number; got an object"),
        (pair(id=None, text=""), ": expected a text or an id, which identifies the pairs that belong together; got neither"),
        (pair(text="Other."), 'differs at character 0: expected "Cures headache. Best"; got "Other."'),
        (pair(same=False), ", same: expected one answer of ann on a pair; judged.jsonl, line 1 says true, this one false"),
        ("[1]", ": expected an object; got a list"),
        ('{"id": 1, "id": 2}', ": expected each name once; id appears twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(tmp_path, broken, said):
    first = problem(tmp_path, [pair(), broken]).splitlines()[0]
    assert first.startswith("judged.jsonl, line 2")
    assert first.endswith(said)


def test_a_judgment_given_twice_counts_once(tmp_path):
    found = read(tmp_path, [pair(), pair(), pair(judge=None), pair(judge=None)])
    assert found.frame["judge"].to_list() == ["ann", None, None]
    assert found.warnings == ("judgments that a judge gave twice count once: 1",)


def test_a_file_with_judgments_is_never_replaced(tmp_path):
    path = tmp_path / "pairs.jsonl"
    check_unjudged(path)
    write_lines([pair(same=None)], path)
    check_unjudged(path)
    write_lines([pair(same=None), pair()], path)
    with pytest.raises(OptionError, match="holds 1 human judgments, which would be lost"):
        check_unjudged(path)


@pytest.mark.parametrize("content", ["id,same\n1,true\n", '{"id": "t1"}\n', "\x00\x01", "[]"])
def test_a_file_of_anything_else_is_not_replaced(tmp_path, content):
    path = tmp_path / "notes.jsonl"
    path.write_text(content)
    with pytest.raises(OptionError, match="there is something else of that name"):
        check_unjudged(path)


PAIRS = [
    {"id": "t1", "text": TEXT, "predicted": {**ONE, "context": "Cures"}, "ground_truth": TWO, "same": None, "judge": None},
    {"id": "t2", "text": "\U0001f375 -5 % tea", "predicted": {"start": 2, "end": 4}, "ground_truth": {"start": 0, "end": 1},
     "same": None, "judge": None},
]  # fmt: skip


def test_a_table_that_people_fill_in_reads_as_lines_do(tmp_path):
    path, rows = tmp_path / "ann.csv", [pair_row(one) for one in PAIRS]
    filled = [row | {"same": said, "judge": "ann"} for row, said in zip(rows, ["TRUE", "no"], strict=True)]
    path.write_text(table_csv(pl.DataFrame(filled)))
    lines = [one | {"same": said, "judge": "ann"} for one, said in zip(PAIRS, [True, False], strict=True)]
    found, expected = read_judged_pairs(sources([path])[0]), read(tmp_path, lines)
    assert found.frame.equals(expected.frame)
    assert found.predicted.equals(expected.predicted)
    assert found.truth.equals(expected.truth)


def test_files_of_several_people_are_one_set_of_judgments(tmp_path):
    for name, said in (("ann", True), ("bob", False)):
        write_lines([pair(same=said, judge=None), pair(id="t2", same=said, judge=None)], tmp_path / f"{name}.jsonl")
    found = read_judged_pairs(*sources([tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"]))
    assert found.frame["pair"].to_list() == [0, 1, 0, 1]
    assert [name[-9:] for name in found.frame["judge"]] == ["ann.jsonl"] * 2 + ["bob.jsonl"] * 2
    assert found.rows == (2, 2)


def test_an_id_of_two_texts_and_two_answers_are_found_across_files(tmp_path):
    write_lines([pair()], tmp_path / "a.jsonl")
    write_lines([pair(text=TEXT + "!")], tmp_path / "b.jsonl")
    write_lines([pair(same=False)], tmp_path / "c.jsonl")
    for name, said in (
        ("b.jsonl", r", text: expected the text that t1 has in .*a.jsonl, line 1"),
        ("c.jsonl", r", same: expected one answer of ann .*a.jsonl, line 1 says true"),
    ):
        with pytest.raises(DataError, match=f"{name}, line 1{said}"):
            read_judged_pairs(*sources([tmp_path / "a.jsonl", tmp_path / name]))
