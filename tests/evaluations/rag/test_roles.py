"""Aliases that a response names without giving them as its answer, decided beforehand."""

import pytest

from adjudge.evaluations.rag.scorers.naming import is_only_named

TABLE = [
    # alias, response, whether it is only named
    ("France", "The king of France was Louis XIV.", True),
    ("France", "The capital of **France** is **Lyon**.", True),
    ("France", "The king of France was Louis XIV. He died in France.", False),
    ("France", "The king of France was born there.", False),
    ("France", "Paris is the capital of France and is Roman.", False),
    ("Jordan", "It rained. The land to the east of the Jordan River is known as the West Bank.", True),
    ("Emma", "The actor who played Emma was Jane Doe.", True),
    ("Paris", "The city of Paris is French.", False),
    ("Mozart", "The composer Mozart was Austrian.", False),
    ("George Washington", "The first president, George Washington, was American.", False),
    ("the capital of Rome", "The capital of Rome is Rome.", False),
    ("1969", "The first man on the Moon in 1969 was Neil Armstrong.", False),
    ("Paris", "No city is older than Paris.", False),
    ("Russia", "The World Cup in Russia was France's second.", False),
    ("50 countries", "It has more than 50 countries.", False),
    ("Paul McCartney", "It was none other than Paul McCartney.", False),
    ("Paris", "Paris or Rome", True),
    ("hunt", '"hunt" or "gather"', True),
    ("gather", "It is to “hunt” or “gather”.", True),
    ("hunt", "to hunt or gather", False),
    ("Rome", "It is Paris or the Rome.", True),
    ("Paris", "It could be Paris, Rome or Milan.", True),
    ("1965", "In 1965 or 1966.", True),
    ("5", "5 or more", False),
    ("Paris", "Paris, or Lutetia, is old.", False),
    ("Paris", "Is it Paris or Rome? It is Paris.", False),
    ("Washington, D.C.", "Washington, D.C. or DC", False),
    ("Myanmar", "Myanmar or Burma", True),
    ("World War II", "WWII or World War II", False),
    ("World War I", "World War I or II", True),
    ("A", "A or B", True),
    ("Rome", "It is Paris.", False),
    ("the ", "Paris or Rome", False),
    ("Paris", "Aa" * 50_000 + " or Paris", True),
]


@pytest.mark.parametrize(("alias", "response", "named"), TABLE)
def test_what_is_only_named_is_no_answer(alias, response, named):
    assert is_only_named(alias, response, [alias]) is named


def test_two_names_of_one_thing_are_no_choice():
    assert not is_only_named("Myanmar", "Myanmar or Burma", ["Myanmar", "Burma"])
