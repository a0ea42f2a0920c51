"""JSON is read strictly, and long lists of it element by element."""

import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import DataError
from adjudge.readers.io.json_documents import is_list, list_elements, parse

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 1]))
def test_the_elements_of_a_list_are_those_of_the_document(values, indent):
    text = f" \n{json.dumps(values, indent=indent)}\n"
    assert is_list(text)
    assert list(list_elements(text, "x")) == parse(text, "x")


@pytest.mark.parametrize(
    "text", ["[", "[1", "[1,", "[1,]", "[1 2]", "[1] 2", "[1]]", "[NaN]", "[,1]", "[1,,2]", "[" * 5000]
)
def test_a_fault_is_told_as_in_the_whole_document(text):
    with pytest.raises(DataError) as whole:
        parse(text, "x")
    with pytest.raises(DataError) as single:
        list(list_elements(text, "x"))
    assert str(single.value) == str(whole.value)


def test_elements_come_before_the_rest_is_read():
    assert list(islice(list_elements('["1", "2", wrong', "x"), 2)) == ["1", "2"]


@pytest.mark.parametrize("text", ['{"a": [1]}', "1", "", '"[1]"'])
def test_other_documents_are_no_lists(text):
    assert not is_list(text)
