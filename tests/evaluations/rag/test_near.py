"""Answers that say the truth in nearly its words, decided beforehand."""

import polars as pl
import pytest

from adjudge.evaluations.rag.scorers.strict import score_strict
from adjudge.schemas.answers import SLOTS

SCHEMA = {"response": pl.String(), "slots": SLOTS, "false": pl.List(pl.String)}
OTHER_FORM, LONGER, SHORTER = "other form", "longer name", "shorter name"
ORDER, PART = "other order", "part of the truth"

TABLE = [
    # response, alias, how near they are
    ("coal miners", "Coal Miner", OTHER_FORM),
    ("sharecroppers", "Sharecropping", OTHER_FORM),
    ("they told us so", "United States", None),
    ("at the end of the 20th century there were many", "20", None),
    ("kirsten simone vangsness", "Kirsten Vangsness", LONGER),
    ("kirsten and simone vangsness", "Kirsten Vangsness", None),
    ("kirsten , simone vangsness", "Kirsten Vangsness", None),
    ("iceland", "Ireland", None),
    ("sodium nitrite", "Sodium Nitrate", None),
    ("south west africa", "South Africa", None),
    ("5 light years", "5 Years", None),
    ("it grew out of arpanet", "Arpanet Project", SHORTER),
    ("south", "South Carolina", None),
    ("sensing", "Introverted Sensing Si", None),
    ("hugh samuel johnson", "Hugh S Johnson", LONGER),
    ("j r r tolkien", "John Ronald Reuel Tolkien", LONGER),
    ("j tolkien", "John Tolkien", None),
    ("henry vii", "Henry Viii", None),
    ("4", "Iv", None),
    ("elizabeth ii", "Queen Elizabeth II", PART),
    ("queen elizabeth", "Queen Elizabeth II", None),
    ("george h w bush", "George W Bush", None),
    ("kirsten s vangsness", "Kirsten Vangsness", LONGER),
    ("it was kirsten vangsness", "Kirsten Simone Vangsness", SHORTER),
    ("it was vangsness", "Kirsten Simone Vangsness", None),
    ("apollo moon", "Apollo 11 Moon", None),
    ("the hastings battle", "Battle of Hastings", ORDER),
    ("vangsness , kirsten", "Kirsten Vangsness", ORDER),
    ("madison", "Madison, Wisconsin", PART),
    ("the madison", "Madison, Wisconsin", PART),
    ("it is in madison", "Madison, Wisconsin", None),
    ("carolina", "South Carolina", None),
    ("it is the 5th", "5", OTHER_FORM),
    ("hunt", "Hunting", OTHER_FORM),
    ("weight lift", "Weight Lifting", OTHER_FORM),
    ("36 hours", "an hour", None),
    ("george huntington", "the physician George Huntington", PART),
    ("anders celsius", "the Swedish astronomer Anders Celsius", PART),
    ("swedish", "the Swedish astronomer Anders Celsius", None),
    ("evey", "Evey's mother", None),
    ("boston", "Boston suburbs", None),
    ("france", "Louis XIV of France", None),
    ("landover maryland", "FedExField in Landover, Maryland", PART),
    ("spanish", "Spanish-French", None),
    ("french", "Spanish-French", None),
    ("six years", "Unlimited 6 Year Terms", None),
    ("king", "King of England", None),
    ("rome", "Paris", None),
    # what is no name, of which little may be left out
    ("high pressure", "high blood pressure", None),
    ("blood oxygen pressure", "blood pressure", None),
    ("heart disease", "pulmonary heart disease", None),
    ("subdural", "subdural hematoma", None),
    ("10 miles", "10 miles per hour", None),
    ("pressures of blood", "blood pressure", ORDER),
    ("quarterly maritime insurance", "quarterly maritime insurance statistics bulletin", None),
    ("the fifteenth season", "Season 15", ORDER),
    ("in the fifth season", "5", None),
    ("rescue, save, savior", "save, rescue, savior", ORDER),
    ("Concord in Massachusetts", "Concord, Massachusetts", OTHER_FORM),
    ("rocks", "rock", OTHER_FORM),
    ("city", "cities", OTHER_FORM),
    ("boxes", "box", OTHER_FORM),
    ("church", "churches", OTHER_FORM),
    ("restored", "restore", OTHER_FORM),
    ("farmers", "farmer", OTHER_FORM),
    ("lifted", "lift", OTHER_FORM),
    ("bus", "buses", OTHER_FORM),
    ("glas", "glass", None),
    ("party", "part", None),
    ("Robert Parker", "Robert Park", None),
    ("care", "car", None),
]


@pytest.fixture(scope="module")
def scored() -> list[tuple[bool, str | None]]:
    rows = [(response, [[alias]], None) for response, alias, _ in TABLE]
    return score_strict(pl.DataFrame(rows, schema=SCHEMA, orient="row")).select("correct", "detail").rows()


@pytest.mark.parametrize("place", range(len(TABLE)), ids=[f"{alias}: {response}" for response, alias, _ in TABLE])
def test_a_response_is_near_in_the_way_decided_beforehand(scored: list[tuple[bool, str | None]], place: int) -> None:
    _, alias, way = TABLE[place]
    assert scored[place] == ((True, f"{alias} ({way})") if way else (False, None))


@pytest.mark.parametrize("false", ["Lloyd", "Christopher Lloyd"])
def test_a_shorter_name_that_is_false_is_not_nearly_the_truth(false: str) -> None:
    rows = [("It was Christopher Lloyd.", [["Christopher Allen Lloyd"]], [false])]
    verdicts = score_strict(pl.DataFrame(rows, schema=SCHEMA, orient="row"))
    assert verdicts.select("correct", "misled").row(0) == (False, True)
