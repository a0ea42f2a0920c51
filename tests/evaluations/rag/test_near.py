"""Answers that say the truth in nearly its words, decided beforehand."""

import polars as pl
import pytest

from adjudge.evaluations.rag.scorers.fuzzy import (
    LONGER,
    ORDER,
    OTHER_FORM,
    PART,
    SHORTER,
    WAYS,
    FuzzyMatch,
    fuzzy_match,
    is_name,
    stem,
)
from adjudge.text.folding import fold, words

TABLE = [
    # words of the response, of the alias, how near they are
    ("coal miners", "coal miner", OTHER_FORM),
    ("sharecroppers", "sharecropping", OTHER_FORM),
    ("they told us so", "united states", None),
    ("at the end of the 20th century there were many", "20", None),
    ("at the end of the 20th century there were many", "20th", OTHER_FORM),
    ("kirsten simone vangsness", "kirsten vangsness", LONGER),
    ("kirsten and simone vangsness", "kirsten vangsness", None),
    ("kirsten , simone vangsness", "kirsten vangsness", None),
    ("kirsten . vangsness", "kirsten vangsness", None),
    ("iceland", "ireland", None),
    ("sodium nitrite", "sodium nitrate", None),
    ("south west africa", "south africa", None),
    ("5 light years", "5 years", None),
    ("lost 2 to 3", "3 2", None),
    ("10 to 12 years", "10 12 years", OTHER_FORM),
    ("it grew out of arpanet", "arpanet project", SHORTER),
    ("south", "south carolina", None),
    ("sensing", "introverted sensing si", None),
    ("hugh samuel johnson", "hugh s johnson", LONGER),
    ("j r r tolkien", "john ronald reuel tolkien", LONGER),
    ("j tolkien", "john tolkien", None),
    ("henry vii", "henry viii", None),
    ("4", "iv", None),
    ("elizabeth ii", "queen elizabeth ii", PART),
    ("queen elizabeth", "queen elizabeth ii", None),
    ("george h w bush", "george w bush", None),
    ("kirsten s vangsness", "kirsten vangsness", LONGER),
    ("it was kirsten vangsness", "kirsten simone vangsness", SHORTER),
    ("it was vangsness", "kirsten simone vangsness", None),
    ("apollo moon", "apollo 11 moon", None),
    ("the hastings battle", "battle of hastings", ORDER),
    ("vangsness , kirsten", "kirsten vangsness", ORDER),
    ("madison", "Madison, Wisconsin", PART),
    ("the madison", "Madison, Wisconsin", PART),
    ("it is in madison", "Madison, Wisconsin", None),
    ("carolina", "south carolina", None),
    ("it is the 5th", "5", OTHER_FORM),
    ("he saw it 1th there", "1", None),
    ("hunt", "hunting", OTHER_FORM),
    ("weight lift", "weight lifting", OTHER_FORM),
    ("36 hours", "an hour", None),
    ("1 hour and no more", "an hour", OTHER_FORM),
    ("george huntington", "the physician George Huntington", PART),
    ("anders celsius", "the Swedish astronomer Anders Celsius", PART),
    ("swedish", "the Swedish astronomer Anders Celsius", None),
    ("evey", "Evey's mother", None),
    ("boston", "Boston suburbs", None),
    ("france", "Louis XIV of France", None),
    ("landover maryland", "FedExField in Landover, Maryland", PART),
    ("spanish", "Spanish-French", None),
    ("french", "Spanish-French", None),
    ("six years", "unlimited 6 year terms", None),
    ("king", "king of england", None),
    ("rome", "paris", None),
    ("the", "the", None),
]


def near(said: str, alias: str) -> FuzzyMatch | None:
    written = fold(pl.Series([alias])).str.replace(r"^(?:the|an?) (\S)", "$1")
    return fuzzy_match(f" {said} ", words(written).item(), alias)


@pytest.mark.parametrize(("said", "alias", "way"), TABLE)
def test_a_response_is_near_in_the_way_decided_beforehand(said: str, alias: str, way: str | None) -> None:
    found = near(said, alias if alias != alias.lower() or "hour" in alias else alias.title())
    assert (found[2] if found else None) == way


@pytest.mark.parametrize(
    ("said", "alias", "way"),
    [
        ("high pressure", "high blood pressure", None),
        ("blood oxygen pressure", "blood pressure", None),
        ("heart disease", "pulmonary heart disease", None),
        ("subdural", "subdural hematoma", None),
        ("10 miles", "10 miles per hour", None),
        ("pressures of blood", "blood pressure", ORDER),
    ],
)
def test_of_what_is_no_name_little_may_be_left_out(said: str, alias: str, way: str | None) -> None:
    found = near(said, alias)
    assert (found[2] if found else None) == way


def test_names_are_written_with_capitals() -> None:
    assert all(map(is_name, ("Kirsten Simone Vangsness", "J. K. Rowling", "the Battle of Hastings")))
    assert not any(map(is_name, ("High blood pressure", "the ARPANET project", "1971", "")))


def test_every_way_is_tried() -> None:
    assert {way for _, _, way in TABLE} - {None} == {*WAYS}


def test_the_place_is_that_of_the_words_that_say_it() -> None:
    assert near("it was kirsten simone vangsness of course", "Kirsten Vangsness") == (2, 4, LONGER)


def test_the_beginning_of_a_longer_alias_is_not_all_of_it() -> None:
    found = near("quarterly maritime insurance", "quarterly maritime insurance statistics bulletin")
    assert found is None or found[2] != OTHER_FORM


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
        ("hunt", "hunting"),
        ("lift", "lifted"),
    ],
)
def test_forms_of_a_word_have_the_same_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["was", "glass", "7", "paris", "bus", "pogačar"])
def test_other_words_stay(word: str) -> None:
    assert stem(word) == word
