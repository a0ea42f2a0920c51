"""JSON lines of answers read as columns say the same as those read one by one."""

import json
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import adjudge
from adjudge.errors import AdjudgeError, DataError
from adjudge.readers.answers.answers import Options, read_answers
from adjudge.readers.inputs import sources
from adjudge.readers.io.json_lines import Block, kinds

SAID = [
    "Paris",
    "",
    " ",
    "x\ty",
    'say "id": 1',
    '{"id": 2}',
    "\\",
    'a\\"',
    "Ünïcode 😀",
    "[a",
    "[]",
    '["a", "b"]',
    "\x1c",
]
TEXTS = st.sampled_from(
    [*SAID, *[":", "7", "<think>no</think> yes", "I THINK", "1.50", "0.4", "-0", "nan", " 0.5", "true", "think"]]
)
NUMBERS = st.sampled_from([0, 1, 7, -1, 0.4, 1.5, 1e3, 10**20, -0.0, 0.1, 0.30000000000000004, True])
SCALARS = TEXTS | NUMBERS | st.none()
LISTS = st.lists(SCALARS | st.lists(SCALARS, max_size=2), max_size=3)
ANY = SCALARS | LISTS | st.just({"id": "x", "a": 1})
GOOD = {
    "id": st.sampled_from(["1", "2", "q:3"]),
    "ability": st.sampled_from(["noise_robustness", "negative_rejection", "information_integration"]),
    "response": TEXTS,
    "answer": TEXTS | st.lists(TEXTS, max_size=3) | st.lists(st.lists(TEXTS, max_size=2), max_size=2) | st.none(),
    "noise_ratio": st.sampled_from([0, 0.2, 1, 1.0, None]),
    "draw": st.sampled_from([1, 2, "3", None]),
    "counterfactual": st.sampled_from([None, "Rome", ["Rome", "Oslo", "Rome"], []]),
    "documents": st.sampled_from([[], ["d"], "[]", None, [{"text": "x", "kind": "y"}]]),
    "model": st.sampled_from(["m", 4, "", None]),
    "outcome": st.sampled_from(["answered", "refused", "other", None, 1]),
    "topic": st.sampled_from(["a", 1, None, ""]),
}
RECORDS = st.tuples(
    st.fixed_dictionaries({}, optional=GOOD),
    st.dictionaries(st.sampled_from([*GOOD, ":", "a\\", 'q"', "é"]), ANY, max_size=2),
).map(lambda both: {**both[0], **both[1]})
OPTIONS = Options(by=("topic",), cluster="model", drop=True)


def read(path, options, *, one_by_one=False):
    with patch.object(Block, "decoded", (lambda *_: None) if one_by_one else Block.decoded):
        try:
            (source,) = sources([path], None, "rag")
            found = read_answers(source, options)
        except AdjudgeError as error:
            return str(error)
    return found.frame.rows(), found.rows, found.warnings


def lines(rows, **how):
    return "".join(json.dumps(row, **how) + "\n" for row in rows)


FIRST = {"id": "0", "ability": "noise_robustness", "response": "x", "answer": "y", "topic": "t", "model": "m"}


@settings(max_examples=50)
@given(st.lists(RECORDS, max_size=4), st.booleans(), st.sampled_from(["aliases", "slots", None]), st.booleans())
def test_lines_read_alike_as_columns_and_one_by_one(tmp_path_factory, rows, ascii_only, lists, drop):
    path = tmp_path_factory.getbasetemp() / "alike.jsonl"
    path.write_text(lines([FIRST, *rows], ensure_ascii=ascii_only), encoding="utf-8")
    options = replace(OPTIONS, lists=lists, drop=drop)
    assert read(path, options) == read(path, options, one_by_one=True)


@settings(max_examples=50)
@given(st.binary(max_size=3), st.integers(0, 10_000), st.integers(0, 3))
@example(b"", 30, 1)
@example(b"\xff", 40, 0)
def test_damaged_lines_read_alike(tmp_path_factory, put, place, cut):
    path = tmp_path_factory.getbasetemp() / "damaged.jsonl"
    rows = [
        FIRST,
        {**FIRST, "id": "1", "answer": ["a", "b"], "noise_ratio": 0.2},
        {**FIRST, "id": "2", "answer": [["a"]]},
    ]
    whole = lines(rows).encode()
    at = place % len(whole)
    path.write_bytes(whole[:at] + put + whole[at + cut :])
    assert read(path, OPTIONS) == read(path, OPTIONS, one_by_one=True)


TWICE = [
    '{"id": "1", "ability": "noise_robustness", "response": "a", "response": "b"}',
    '{"id": "1", "ability": "noise_robustness", "response": [{"type": "text", "text": "a", "text": "b"}]}',
    '{"id": "1", "ability": "noise_robustness", "response": "a", "\\u0069d": "2"}',
    '{"id": "1", "ability": "noise_robustness", "response": "a", ":": 1, ":": 2}',
    '{"id": "1", "ability": "noise_robustness", "response": "a", "b\\\\": 1, "b\\\\": 2}',
    '{"id": "1", "ability": "noise_robustness", "response": "a", "c,d": 1, "c,d": 2}',
    '{"id": "1", "ability": "noise_robustness", "response": "a\\n", "e" : 1, "e"\t: 2}',
]


@pytest.mark.parametrize("line", TWICE)
@pytest.mark.parametrize("place", [0, 1500])
def test_a_name_that_stands_twice_is_refused_wherever_it_stands(tmp_path, line, place):
    rows = [json.dumps({**FIRST, "id": f"q{number}"}) for number in range(2000)]
    rows.insert(place, line)
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(rows))
    said = read(path, Options())
    assert f"a.jsonl, line {place + 1}" in said
    assert "stands twice" in said


@pytest.mark.parametrize("size", [1, 100, 1 << 24])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", "\n  \n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_blocks_ends_of_lines_and_marks_make_no_difference(tmp_path, monkeypatch, size, end, mark):
    monkeypatch.setattr("adjudge.readers.io.json_lines._BLOCK", size)
    path = tmp_path / "a.jsonl"
    rows = [{**FIRST, "id": str(number)} for number in range(9)]
    path.write_text(mark + end.join(json.dumps(row) for row in rows), encoding="utf-8")
    found, height, _ = read(path, Options())
    assert ([row[0] for row in found], height) == ([str(number) for number in range(9)], 9)
    path.write_text(mark + end.join([*map(json.dumps, rows), '{"id": "\\x"}']), encoding="utf-8")
    assert f"a.jsonl, line {9 * end.count(chr(10)) + 1}, column 9: expected JSON" in read(path, Options())


def test_lines_that_break_a_rule_keep_their_place_among_the_others(tmp_path):
    rows = [{**FIRST, "id": str(number), "response": number if number % 3 else "x"} for number in range(9)]
    path = tmp_path / "a.jsonl"
    path.write_text(lines(rows))
    found, _, _ = read(path, Options())
    assert [row[0] for row in found] == [str(number) for number in range(9)]


def test_a_signature_says_the_kinds_of_values():
    assert kinds('"id": "\n"n": 4\n"a": [\n"b": []\n"c": n') == {"id": '"', "n": "0", "a": "[", "b": "[]", "c": "n"}
    assert kinds('"id": "\n"id": 4') is None
    assert kinds('", ":') is None


def test_rows_from_python_may_hold_texts_and_lists_in_one_column():
    """No table can: they are read as a file of them would be."""
    rows = [
        {"id": "1", "ability": "noise_robustness", "model": "m", "response": "Paris", "answer": "Paris"},
        {"id": "2", "ability": "noise_robustness", "model": "m", "response": "May 11", "answer": ["May 11", "May 12"]},
    ]
    found = adjudge.rag(rows).estimate("scores", "accuracy", {"ability": "noise_robustness"})
    assert (found.value, found.n) == (0.5, 2)
    with pytest.raises(DataError, match="table: expected a table whose columns"):
        adjudge.rag([*rows, {**rows[0], "response": {1, 2}}])
