"""JSON is read strictly, also where a list of it, or lines, are split into records that are decoded one by one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import DataError
from adjudge.readers.inputs import sources
from adjudge.readers.io.json_documents import Repeated, json_text, parse, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.tables import collect, scan


class Pairs(dict):
    """An object in which names may stand twice."""

    def __init__(self, pairs):
        super().__init__({"x": 1} if pairs else {})
        self.pairs = pairs

    def items(self):
        return self.pairs


NAMES = st.text('ab": \\\\', max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(NAMES, inner), max_size=3).map(Pairs),
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
    repeated = list(map(names_twice, values))
    assert [isinstance(one, Repeated) for one in made] == repeated
    if any(repeated):
        assert isinstance(parse(text, "x"), Repeated)
    else:
        assert json_text(made) == json_text(parse(text, "x")) == json_text(json.loads(text))


def names_twice(value):
    """Whether a name appears twice, wherever it does."""
    names = [name for name, _ in value.items()] if isinstance(value, Pairs) else []
    within = [one for _, one in value.items()] if isinstance(value, Pairs) else value if isinstance(value, list) else ()
    return len(names) > len(set(names)) or any(map(names_twice, within))


@pytest.mark.parametrize(
    "text",
    ["[", "[1", "[1,", "[1,]", "[1 2]", "[1] 2", "[1]]", "[NaN]", "[,1]", "[1,,2]", "[" * 5000, '["\\x"]', "[01]"],
)
def test_a_fault_is_told_as_in_the_whole_document(tmp_path, text):
    with pytest.raises(DataError) as whole:
        parse(text, "x")
    with pytest.raises(DataError) as single:
        split(text, tmp_path)
    assert str(single.value) == str(whole.value)


# --- lines ---

ROWS = [json.dumps({"item": str(number), "annotator": "ana", "label": "yes"}) for number in range(3000)]


def read(path):
    (source,) = sources([path])
    return collect(source, scan(source, wanted=["item"]))


@pytest.mark.parametrize("place", [1, 2500])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"item": "x", "label": "yes", "label": "no"}', "expected each name once; label appears twice"),
        ('{"item": "x", "label": "yes", "l\\u0061bel": "no"}', "expected each name once; label appears twice"),
        ('{"item": "x", "label": "\\ud83d"}', "expected characters; got one half of a surrogate pair"),
    ],
)
def test_names_that_stand_twice_and_half_characters_are_refused(tmp_path, place, line, said):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([*ROWS[:place], line, *ROWS[place:]]))
    with pytest.raises(DataError, match=f"a.jsonl, line {place + 1}: {said}"):
        read(path)


def test_whole_pairs_and_names_that_stand_twice_in_texts_are_read(tmp_path):
    odd = ['{"item": "\\ud83d\\ude00", "label": "{\\"a\\": 1, \\"a\\": 2}"}', '{"item": "\\\\", "label": "a\\tb"}']
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([*odd, *ROWS]))
    assert read(path).head(2).select("item", "label").rows() == [("😀", '{"a": 1, "a": 2}'), ("\\", "a\tb")]


def test_a_file_that_was_mended_is_read_again(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"item": "x", "item": "y"}\n{"item": "z"}\n')
    with pytest.raises(DataError):
        read(path)
    path.write_text('{"item": "x"}\n{"item": "z"}\n')
    assert read(path)["item"].to_list() == ["x", "z"]
