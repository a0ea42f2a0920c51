"""Aliases that a response names without giving them as its answer, decided beforehand."""

import polars as pl
import pytest

from adjudge.evaluations.rag.scorers.strict import score_strict
from adjudge.schemas.answers import SLOTS

TABLE = [
    # alias, response, whether it is the answer
    ("Paris", "Paris or Rome", False),
    ("hunt", '"hunt" or "gather"', False),
    ("gather", "It is to “hunt” or “gather”.", False),
    ("Rome", "It is Paris or the Rome.", False),
    ("Paris", "It could be Paris, Rome or Milan.", False),
    ("1965", "In 1965 or 1966.", False),
    ("World War I", "World War I or II", False),
    ("A", "A or B", False),
    ("Paris", "Aa" * 50_000 + " or Paris", False),
    ("巴黎", "巴黎或伦敦", False),
    ("hunt", "to hunt or gather", True),
    ("5", "5 or more", True),
    ("Paris", "Paris, or Lutetia, is old.", True),
    ("Paris", "Is it Paris or Rome? It is Paris.", True),
    ("World War II", "WWII or World War II", True),
    ("Paris", "The city of Paris is French.", True),
    ("Mozart", "The composer Mozart was Austrian.", True),
    ("1969", "The first man on the Moon in 1969 was Neil Armstrong.", True),
    ("Paris", "No city is older than Paris.", True),
    ("50 countries", "It has more than 50 countries.", True),
]


def correct(*rows: tuple[str, list[str]]) -> list[bool | None]:
    frame = {"response": [response for response, _ in rows], "slots": [[aliases] for _, aliases in rows]}
    false = pl.lit(None, pl.List(pl.String))
    return score_strict(pl.DataFrame(frame, schema={"response": pl.String, "slots": SLOTS}).with_columns(false=false))[
        "correct"
    ].to_list()


@pytest.mark.parametrize(("alias", "response", "given"), TABLE)
def test_one_of_several_is_no_answer(alias: str, response: str, *, given: bool) -> None:
    assert correct((response, [alias])) == [given]


def test_two_names_of_one_thing_are_no_choice() -> None:
    assert correct(("Myanmar or Burma", ["Myanmar", "Burma"]), ("Myanmar or Burma", ["Myanmar"])) == [True, False]
