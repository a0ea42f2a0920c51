"""Where quotes stand: worked by hand, and against a slow literal search."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.text.quote_search import Place, locate


@pytest.mark.parametrize(
    ("text", "quote", "near", "place"),
    [
        ("one two", "two", None, (4, 7, False)),
        ("one two", "Two", None, None),
        ("one two", "", None, None),
        ("", "a", None, None),
        ("one two", "  ", None, None),
        ("a b a b a", "a", None, (0, 1, True)),
        ("a b a b a", "a", 4, (4, 5, True)),
        ("a b a b a", "a", 6, (4, 5, True)),  # two equally near: the earlier
        ("aaa", "aa", 1, (1, 3, True)),  # places may overlap
        ("a  b\n\tc", "b c", None, (3, 7, False)),
        ("don’t — stop", "don't - stop", None, (0, 12, False)),
        ("«no»", '"no"', None, (0, 4, False)),
        ("a  b, a  b", "a b", 6, (6, 10, True)),
        ("ba\u201c   \n \u201c\na", '"', 6, (8, 9, True)),  # 4 before and 2 behind, however much space is between
        ("\U0001f600 ok  now", "ok now", None, (2, 9, False)),
        ("e\u0301te\u0301", "te\u0301", None, (2, 5, False)),
        ("a\u00a0b", "a b", None, (0, 3, False)),
    ],
)
def test_quotes_are_found(text, quote, near, place):
    assert locate(text, quote, near) == (Place(*place) if place else None)


def test_a_place_as_it_is_comes_before_one_that_is_made_plain():
    assert locate('“no” and "no"', '"no"') == Place(9, 13, several=False)


LETTERS = st.text("ab \n’'\U0001f600", max_size=14)


@settings(max_examples=150)
@given(text=LETTERS, quote=LETTERS.filter(str.strip), near=st.none() | st.integers(-3, 20))
def test_places_are_those_of_a_literal_search(text, quote, near):
    found = locate(text, quote, near)
    places = [n for n in range(len(text)) if text.startswith(quote, n)]
    if places:
        best = places[0] if near is None else min(places, key=lambda n: (abs(n - near), n))
        assert found == Place(best, best + len(quote), len(places) > 1)
        return
    words = [re.escape(word).replace("’", "'").replace("'", "[’']") for word in quote.split()]
    pattern = r"\s+".join(words)
    matches = list(re.finditer(f"(?=({pattern}))", text))
    assert (found is None) == (not matches)
    if found is not None:
        assert (found.start, found.end) in {match.span(1) for match in matches}
        assert found.several == (len(matches) > 1)
        best = (
            matches[0] if near is None else min(matches, key=lambda match: (abs(match.start(1) - near), match.start(1)))
        )
        assert (found.start, found.end) == best.span(1)
