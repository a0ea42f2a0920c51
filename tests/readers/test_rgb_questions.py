"""Questions of the RGB benchmark: every form they come in, and what is refused."""

import json
from dataclasses import replace

import polars as pl
import pytest

from adjudge.errors import DataError
from adjudge.readers.answers.answer_rows import read_questions
from adjudge.readers.inputs import sources
from adjudge.schemas.answers import Question

BASE = {"id": 0, "query": "Where was it?", "answer": "Tampa", "positive": ["In Tampa."], "negative": ["Tickets."]}
INT = BASE | {"positive": [["May 1.", "In May."], ["June 2."]], "answer": ["May 1", "June 2"]}
FACT = BASE | {"positive_wrong": ["In Rome."], "fakeanswer": "Rome"}


def read(path):
    (source,) = sources(path)
    return read_questions(source)


@pytest.fixture
def lines(written):
    def write(*values, name="q.jsonl"):
        return read(written("".join(json.dumps(value) + "\n" for value in values), name))

    return write


def problems(call, *values):
    with pytest.raises(DataError) as caught:
        call(*values)
    return list(caught.value.lines)


def test_base_questions(lines):
    found = lines(BASE, BASE | {"id": "b", "negative": [], "positive": ["", " "]})
    assert (found.kind, found.warnings) == ("base", ())
    assert found.items[0] == Question(1, "0", "Where was it?", (("Tampa",),), (("In Tampa.",),), ("Tickets.",))
    assert found.items[1] == replace(found.items[0], number=2, id="b", groups=(("", " "),), negative=())


def test_groups_of_positives(lines):
    found = lines(INT, INT | {"id": 1, "positive": [[], ["a"]]}, INT | {"id": 2, "positive": []})
    assert found.kind == "int"
    assert [one.groups for one in found.items] == [(("May 1.", "In May."), ("June 2.",)), ((), ("a",)), ()]
    assert found.items[0].positive == ("May 1.", "In May.", "June 2.")
    assert found.items[0].slots == (("May 1",), ("June 2",))


def test_documents_that_lie(lines):
    lies = ["Rome", ["Rome", "Paris"], None, [["Rome", "Roma"], "Rome"]]
    found = lines(*(FACT | {"id": number, "fakeanswer": lie} for number, lie in enumerate(lies)))
    assert found.kind == "fact"
    assert [one.false for one in found.items] == [("Rome",), ("Rome", "Paris"), (), ("Rome", "Roma")]
    assert found.items[0].wrong == ("In Rome.",)


@pytest.mark.parametrize(
    ("answer", "slots"),
    [
        ("a", (("a",),)),
        (["a", "b"], (("a",), ("b",))),
        ([["a", "b"]], (("a", "b"),)),
        (["a", ["b", "c"]], (("a",), ("b", "c"))),
    ],
)
def test_an_answer_is_slots_of_aliases(lines, answer, slots):
    assert lines(BASE | {"answer": answer}).items[0].slots == slots


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_reads_as_lines_do(written, indent):
    found = read(written(json.dumps([BASE, BASE | {"id": 1}], indent=indent)))
    assert [one.number for one in found.items] == [1, 2]
    lines = read(written(json.dumps(BASE) + "\n\n" + json.dumps(BASE | {"id": 1}), "x.jsonl"))
    assert [one.number for one in lines.items] == [1, 3]
    assert [replace(one, number=0) for one in lines.items] == [replace(one, number=0) for one in found.items]


def test_a_table_reads_as_lines_do(lines):
    assert read(pl.DataFrame([FACT])).items == lines(FACT).items
    assert read(pl.DataFrame([BASE | {"fakeanswer": None}])).kind == "base"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": None}, "id: expected an id; got null"),
        ({"id": ""}, 'id: expected an id; got ""'),
        ({"id": [1]}, "id: expected text or a number; got a list"),
        ({"query": " "}, 'query: expected a text that is not empty; got " "'),
        ({"answer": None}, "none of them empty; got null"),
        ({"answer": []}, "answer: expected a text, or a list of slots, each a text or a list of aliases, none of them empty; got an empty list"),
        ({"answer": ["a", ["b", None]]}, ", slot 2: expected a text"),
        ({"positive": None}, "positive: expected a list of texts; got null"),
        ({"positive": ["a", ["b"]]}, "positive, document 2: expected a text; got a list"),
        ({"positive": ["a", 3]}, 'positive, document 2: expected a text; got "3"'),
        ({"negative": {"a": 1}}, "negative: expected a list of texts; got an object"),
        ({"negative": ["\ud800"]}, "invalid JSON: truncated"),
        ({"fakeanswer": "x"}, "positive_wrong: expected a list of texts; got null"),
        ({"positive_wrong": [], "fakeanswer": []}, "fakeanswer: expected a text, or a list of texts, none of them empty; got an empty list"),
        ({"positive_wrong": [], "fakeanswer": ["a", 7]}, 'fakeanswer: expected a text, or a list of texts, none of them empty; got "7"'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(lines, change, said):
    (message,) = problems(lines, BASE | change)
    assert "q.jsonl, line 1, " in message
    assert said in message


def test_a_line_of_the_other_kind_is_named(lines):
    (message,) = problems(lines, INT, INT, BASE)
    assert "line 3, positive, group 1: expected a list of texts; got " in message
    (message,) = problems(lines, INT | {"positive_wrong": ["a"]})
    assert "line 1, positive, document 1: expected a text; got a list" in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", "record 1: expected an object; got"),
        ("[]", "no records found"),
        ('{"id": 1, "id": 2}\n', "expected each name once; id appears twice"),
        ('{"id": 1,\n', "invalid JSON"),
        ("a,b\n1,2\n", "expected JSON lines or a JSON array; got csv"),
        ("[" * 100_000, "nested too deeply"),
        ('{"id": NaN}', "null for NaN"),
        (pl.DataFrame({"id": []}), "no rows found"),
        (pl.DataFrame({"id": [1]}), "row 1, query: expected a text that is not empty; got null"),
        (pl.DataFrame({"id": [float("nan")]}), "id: expected an id; got null"),
    ],
)
def test_files_and_tables_that_are_none(written, text, said):
    with pytest.raises(DataError, match=said):
        read(text if isinstance(text, pl.DataFrame) else written(text, "x.json"))
