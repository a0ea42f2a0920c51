"""Golden outputs are written in the field's terms, in short sentences, with numbers in one style."""

import re

import pytest

from made import DATA

SCREENS = sorted(path for path in (DATA / "screens").glob("*.txt") if path.stem != "preferences.md")
OLD_DIALECT = (
    *("figure", "told apart", "shown to be", "may be chance", "stand in for", "people", "a person", "nobody"),
    *("nothing says", "trusted", "left out", "certainty", "too sure", "steadiness", "draws", "own family", "invented"),
    *("false rights", "declines", "errors noticed", "what people reach", "worth", "whoever", "somebody", "had no"),
)
MOST_WORDS = 30


def sentences(text):
    """The sentences of a screen: those of the verdict and below the table."""
    words = " ".join(line.strip() for line in text.splitlines() if not re.search(r"\S {3,}\S", line[10:]))
    return [
        one for one in re.split(r"(?<=[.;:])\s+|\s(?=Findings|Caution|Next|More|Also|Bias|- )", words) if one.strip()
    ]


@pytest.mark.parametrize("path", SCREENS, ids=lambda path: path.stem)
def test_a_screen_is_written_in_the_terms_of_the_field(path):
    text = path.read_text(encoding="utf-8")
    plain = re.sub(r"\s+", " ", text).lower()
    assert [phrase for phrase in OLD_DIALECT if re.search(rf"\b{re.escape(phrase)}", plain)] == []
    assert re.findall(r"\d\s%", text) == []
    assert re.findall(r"\([−\d.]+ to [−\d.]+\)", text) == []
    assert re.findall(r"(?:^|[.;] )(?:Of|Where|Who|Whoever) \w+.*", text, re.MULTILINE) == []
    assert [one for one in sentences(text) if len(one.split()) > MOST_WORDS] == []


def test_phrases_of_the_old_dialect_are_found():
    assert [phrase for phrase in OLD_DIALECT if phrase in "may stand in for people"] == ["stand in for", "people"]
