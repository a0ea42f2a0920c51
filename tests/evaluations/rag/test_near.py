"""Answers that say the truth in nearly its words, decided beforehand."""

import pytest

from adjudge.evaluations.rag.scorers.fuzzy import LONGER, ORDER, OTHER_FORM, PART, SHORTER, WAYS, fuzzy_match, is_name
from adjudge.evaluations.rag.scorers.rules import CLAUSE, SENTENCE

TABLE = [
    # words of the response, of the alias, how near they are
    ("coal miners", "coal miner", OTHER_FORM),
    ("sharecroppers", "sharecropping", OTHER_FORM),
    ("it is the fifth", "5", OTHER_FORM),
    ("he first saw it there", "1", None),
    ("they told us so", "united states", None),
    ("at the end of the 20th century there were many", "20", None),
    ("at the end of the 20th century there were many", "20th", OTHER_FORM),
    ("he scored 5 goals in a game of that season", "fifth", None),
    ("it was the twentieth of all that we ever saw", "20th", OTHER_FORM),
    ("us", "united states", OTHER_FORM),
    ("the united states", "u s a", OTHER_FORM),
    ("second world war", "world war ii", OTHER_FORM),
    ("a steam ship", "steamship", OTHER_FORM),
    ("a steamship", "steam ship", OTHER_FORM),
    ("katherine hepburn", "katharine hepburn", OTHER_FORM),
    ("kirsten simone vangsness", "kirsten vangsness", LONGER),
    ("kirsten and simone vangsness", "kirsten vangsness", None),
    (f"kirsten {CLAUSE} simone vangsness", "kirsten vangsness", None),
    (f"kirsten {SENTENCE} vangsness", "kirsten vangsness", None),
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
    ("henry the 8th", "henry viii", OTHER_FORM),
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
    (f"vangsness {CLAUSE} kirsten", "kirsten vangsness", ORDER),
    ("madison", "madison wisconsin", PART),
    ("the madison", "madison wisconsin", PART),
    ("it is in madison", "madison wisconsin", None),
    ("carolina", "south carolina", None),
    ("1971", "1971 \x018 \x0215", None),
    ("six years", "unlimited 6 year terms", None),
    ("king", "king of england", None),
    ("rome", "paris", None),
    ("the", "the", None),
]


@pytest.mark.parametrize(("said", "alias", "way"), TABLE)
def test_a_response_is_near_in_the_way_decided_beforehand(said: str, alias: str, way: str | None) -> None:
    found = fuzzy_match(f" {said} ", f" {alias} ")
    assert (found.way if found else None) == way


@pytest.mark.parametrize(
    ("said", "alias", "way"),
    [
        ("high pressure", "high blood pressure", None),
        ("blood oxygen pressure", "blood pressure", None),
        ("heart disease", "pulmonary heart disease", None),
        ("subdural", "subdural hematoma", PART),
        ("10 miles", "10 miles per hour", None),
        ("pressures of blood", "blood pressure", ORDER),
    ],
)
def test_of_what_is_no_name_little_may_be_left_out(said: str, alias: str, way: str | None) -> None:
    found = fuzzy_match(f" {said} ", f" {alias} ", named=False)
    assert (found.way if found else None) == way


def test_names_are_written_with_capitals() -> None:
    assert all(map(is_name, ("Kirsten Simone Vangsness", "J. K. Rowling", "the Battle of Hastings")))
    assert not any(map(is_name, ("High blood pressure", "the ARPANET project", "1971", "")))


def test_every_way_is_tried() -> None:
    assert {way for _, _, way in TABLE} - {None} == {*WAYS}


def test_the_place_is_that_of_the_words_that_say_it() -> None:
    found = fuzzy_match(" it was kirsten simone vangsness of course ", " kirsten vangsness ")
    assert found is not None
    assert (found.first, found.last) == (2, 4)


def test_the_beginning_of_a_longer_alias_is_not_all_of_it() -> None:
    found = fuzzy_match(" quarterly maritime insurance ", " quarterly maritime insurance statistics bulletin ")
    assert found is None or found.way != OTHER_FORM
