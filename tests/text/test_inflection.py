"""What the forms of a word have in common."""

import pytest

from adjudge.text.inflection import stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rock", "rocks"),
        ("city", "cities"),
        ("box", "boxes"),
        ("church", "churches"),
        ("sharecropper", "sharecropping"),
        ("restore", "restored"),
        ("farmer", "farmers"),
    ],
)
def test_forms_of_a_word_have_the_same_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["was", "glass", "7", "paris", "bus", "pogačar"])
def test_other_words_stay(word: str) -> None:
    assert stem(word) == word
