"""JSON is read strictly, also where a list of it, or lines, are split into records that are decoded one by one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import DataError
from adjudge.readers.inputs import sources
from adjudge.readers.io.json_documents import json_text, parse, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.tables import collect, scan

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab": \\', max_size=3), inner, max_size=3),
    max_leaves=6,
)


def split(text, folder):
    path = folder / "x.json"
    path.write_text(text)
    return list(read_objects(Source("x", "json", path)).values)


@given(st.lists(VALUES, min_size=1, max_size=4), st.sampled_from([None, 1]), st.sampled_from([":", " : ", "\t:", ": "]))
def test_records_are_those_of_the_document(tmp_path_factory, values, indent, colon):
    text = f" \n{json.dumps(values, indent=indent, separators=(',', colon))}\n"
    made = split(text, tmp_path_factory.getbasetemp())
    assert json_text(made) == json_text(parse(text, "x")) == json_text(json.loads(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1,\n2,]", "x, line 2, column 3: invalid JSON: trailing comma in array"),
        ("[NaN]", "x, line 1, column 2: invalid JSON: invalid character\nfix:   null for NaN and Infinity"),
        ("[1,\n", "x, line 1, column 4: invalid JSON: truncated\nfix:   download or export the file again"),
        ('["\\ud83d"]', "x, line 1, column 11: invalid JSON: truncated"),
        ("[" * 5000, "invalid JSON: nested too deeply"),
        ('["\\x"]', "invalid escape character"),
        ('[{"b": 1, "b": 2}, "\\u003A"]', "line 1: expected each name once; b appears twice"),
        ('[[{"b": 1, "b": 2}, "\\"b\\":"]]', "line 1: expected each name once; b appears twice"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_told_with_its_place(tmp_path, text, said):
    with pytest.raises(DataError) as whole:
        parse(text, "x")
    assert said in str(whole.value)
    with pytest.raises(DataError, match=r"expected|invalid JSON"):
        split(text, tmp_path)


# --- lines ---

ROWS = [json.dumps({"item": str(number), "annotator": "ana", "label": "yes"}) for number in range(3000)]


def read(path):
    (source,) = sources([path])
    return collect(source, scan(source))


@pytest.mark.parametrize("place", [1, 2500])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"item": "x", "label": "yes", "label": "no"}', "expected each name once; label appears twice"),
        ('{"item": "x", "label": "yes", "l\\u0061bel": "no"}', "expected each name once; label appears twice"),
        ('{"item": "x", "label": "\\ud83d"}', "invalid JSON: truncated"),
    ],
)
def test_names_that_stand_twice_and_half_characters_are_refused(tmp_path, place, line, said):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([*ROWS[:place], line, *ROWS[place:]]))
    with pytest.raises(DataError, match=f"a.jsonl, line {place + 1}.*: {said}"):
        read(path)


def test_a_file_that_was_mended_is_read_again(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"item": "x", "item": "y"}\n{"item": "z"}\n')
    with pytest.raises(DataError):
        read(path)
    path.write_text('{"item": "x"}\n{"item": "z"}\n')
    assert read(path)["item"].to_list() == ["x", "z"]
