"""What marks of differing words promise, whatever the texts."""

from hypothesis import given
from hypothesis import strategies as st

from adjudge.text.quote_search import word_diff


@given(st.text(), st.text())
def test_pieces_make_up_each_text(first, second):
    pieces = word_diff(first, second)
    assert ["".join(text for text, _ in own) for own in pieces] == [first, second]


@given(st.text())
def test_a_text_does_not_differ_from_itself(text):
    assert not any(differs for own in word_diff(text, text) for _, differs in own)


def test_white_space_alone_is_no_difference_and_characters_without_spaces_are_words():
    assert word_diff("a  b", "a b") == ([("a  b", False)], [("a b", False)])
    assert word_diff("猫が好き", "犬が好き") == ([("猫", True), ("が好き", False)], [("犬", True), ("が好き", False)])


def test_differing_words_that_follow_one_another_are_one_piece():
    assert word_diff("we like red wine", "we drink beer")[0] == [("we ", False), ("like red wine", True)]
