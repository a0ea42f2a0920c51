"""Screens, help and docstrings are written in the field's terms, in short sentences, with numbers in one style."""

import inspect
import re
from pathlib import Path

import pytest

import adjudge as library
from adjudge.cli import QUESTIONS
from made import DATA

ROOT = Path(__file__).parents[1]
SCREENS = sorted(path for path in (DATA / "screens").glob("*.txt") if path.stem != "preferences.md")
OLD_DIALECT = (
    *("figure", "told apart", "shown to be", "may be chance", "stand in for", "people", "a person", "nobody"),
    *("nothing says", "trusted", "left out", "certainty", "too sure", "steadiness", "draws", "own family", "invented"),
    *("false rights", "declines", "errors noticed", "what people reach", "worth", "whoever", "somebody", "had no"),
)
MOST_WORDS = 30


def sentences(text):
    """The sentences of a screen: those of the verdict and below the table."""
    table = re.compile(r" {2,4}\S.* {3,}\S|.{10}.*\S {3,}\S")
    words = " ".join(line.strip() for line in text.splitlines() if not table.match(line))
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


PUBLIC = {name: getattr(library, name) for name in library.__all__ if name != "__version__"}
METHODS = {
    f"{name}.{method}": getattr(found, method)
    for name, found in PUBLIC.items()
    if inspect.isclass(found)
    for method in vars(found)
    if not method.startswith("_") and (callable(getattr(found, method)) or isinstance(vars(found)[method], property))
}
CODE = re.compile(r"--[\w-]+|`[^`]*`|\b\w+_\w+|^draws(?=:)", re.MULTILINE)
"""Names of options and columns, which are no prose."""


def faults(text):
    """What is wrong with the terms and numbers of a text."""
    plain = CODE.sub("", text)
    phrases = [one for one in OLD_DIALECT if re.search(rf"\b{one}", re.sub(r"\s+", " ", plain).lower())]
    return phrases + re.findall(r"\d\s%|\([−\d.]+ to [−\d.]+\)|(?:^|[.;:]\s)(?:Of|Whoever) \w+", plain)


def docstring_sentences(text):
    """The sentences of a docstring; the help of each option is one."""
    parts = re.split(r"\n\n|\n-+\n|\n(?=\w+: )", text)
    return [one for part in parts for one in re.split(r"(?<=[.:;?!])\s+", part)]


def test_docstrings_are_written_in_the_terms_of_the_field():
    for name, held in {**PUBLIC, **METHODS}.items():
        text = re.sub(r"^>>> (?:.|\n(?!\n))*", "", inspect.getdoc(held), flags=re.MULTILINE)
        assert text.strip(), name
        assert faults(text) == [], name
        assert [one for one in docstring_sentences(text) if len(one.split()) > MOST_WORDS] == [], name


@pytest.mark.parametrize("command", ["", *QUESTIONS])
def test_help_is_written_in_the_terms_of_the_field(adjudge, command):
    _, text, _ = adjudge(*command.split(), "--help-all" if command else "--help")
    assert text.startswith("Usage: ")
    assert faults(text) == []
    fragments = re.split(r"\n\n|\n  (?=\S)|(?<=[.;?!])\s+", text)
    assert [one for one in fragments if len(one.split()) > MOST_WORDS] == []


PAGES = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
LISTED = 6
"""Commas from which on a sentence lists names, which may be many."""
VERBS = {"draws"}


def page_sentences(text):
    """The sentences of a page's prose: without code, links and quotes, a cell of a table or an entry of a list each."""
    text = re.sub(r"^ *```.*?^ *```|^ {4}.*?$|^> .*?$|\]\([^)]*\)", "", text, flags=re.MULTILINE | re.DOTALL)
    blocks = re.split(r"\n\s*\n|\n(?=- |\d+\. |#)|\|", re.sub(r"`[^`]*`", "`", text))
    return [one for block in blocks for one in re.split(r"(?<=[.:;?!])\s+", " ".join(block.split()))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_written_in_the_terms_of_the_field(page):
    found = page_sentences(page.read_text(encoding="utf-8"))
    assert [(fault, one) for one in found for fault in faults(one) if fault not in VERBS] == []
    assert [one for one in found if len(one.split()) > MOST_WORDS and one.count(",") < LISTED] == []


def test_phrases_of_the_old_dialect_are_found():
    assert [phrase for phrase in OLD_DIALECT if phrase in "may stand in for people"] == ["stand in for", "people"]
