"""Aliases that a response names without giving them as its answer.

| Response                               | Alias       | Said | Why                                                |
|----------------------------------------|-------------|------|----------------------------------------------------|
| `The king of France was Louis XIV.`    | France      | no   | describes whom the name behind the verb is given for |
| `The one who played Emma is Jane Doe.` | Emma        | no   | so does this                                       |
| `The city of Paris is French.`         | Paris       | yes  | the city is Paris                                  |
| `The composer Mozart was Austrian.`    | Mozart      | yes  | the composer is Mozart                             |
| `Rome, which is older than Paris, ...` | Paris       | no   | something else is compared with it                 |
| `Paris or Rome`, `in 1965 or 1966`     | Paris, 1965 | no   | one of several: nothing is decided                 |
| `Paris, or Lutetia, is old.`           | Paris       | yes  | another name of the same                           |
| `Paris or Lutetia`                     | both        | yes  | both are true                                      |

It is said where it stands once in another way. The rules need capital letters or digits, and miss what lacks them.
"""

import re
from collections.abc import Collection

_RELATED = r"(?:of|in|to|from|for|by|with|at|on|over|after|before|near|against|about|who|that)"
_BE = r"(?:is|was|are|were)"
_CLAUSE = r"[^.!?,;:()\n]"
_CALLED = r"(?:(?:called|named|known as) )?(?:the )?[\"“‘'*_]*[A-Z]"
_OR = r"or (?:the |in |on )?[\"“‘'*_]*"
_THAN = r"than (?:the )?[\"“‘'*_]*"
CLUE = (
    rf"[A-Z0-9][^ ]* {_OR}[A-Z0-9]| {_THAN}[A-Z]"
    rf"|(?:^|[.!?\n])\W*(?:The|An?) \w{_CLAUSE}* {_RELATED} {_CLAUSE}* {_BE} {_CALLED}"
)
"""What each response holds that names an alias in such a way."""


def is_only_named(alias: str, response: str, aliases: Collection[str]) -> bool:
    """Whether a response writes an alias, and nowhere as its answer. aliases: all that are true.

    >>> is_only_named("France", "The king of France was Louis XIV.", ["France"])
    True
    >>> [is_only_named("Myanmar", "Myanmar or Burma", [alias]) for alias in ("Myanmar", "Burma")]
    [True, False]
    """
    written = rf"(?<!\w){re.escape(alias.strip().removeprefix('the '))}(?!\w)"
    places = [match.span() for match in re.finditer(written, response, re.IGNORECASE)]
    described = [match.span("of") for match in _DESCRIPTION.finditer(response)]
    return bool(places) and all(
        _is_alternative(response, first, last, aliases)
        or (
            response[first].isupper()
            and (_is_description(response, described, first, last) or _is_compared(response[:first]))
        )
        for first, last in places
    )


def _is_description(response: str, described: list[tuple[int, int]], first: int, last: int) -> bool:
    """Whether the name at a place is what something else is described by."""
    relations = [_RELATION.search(response[begin:first]) for begin, end in described if begin <= first and last <= end]
    return any(relation and relation["head"] not in _SAME for relation in relations)


def _is_compared(before: str) -> bool:
    """Whether the text before a name compares something else with it; not in `no one is older than`."""
    sentence = re.split(r"[.!?\n]", before)[-1]
    return _COMPARISON.search(sentence) is not None and not _NONE.search(sentence)


def _is_alternative(response: str, first: int, last: int, aliases: Collection[str]) -> bool:
    """Whether `or` joins the name or number at a place to another one that is not true as well."""
    behind, before = _OR_BEHIND.match(response, last), _OR_BEFORE.search(response[max(first - _NEAR, 0) : first])
    others = [match["other"] for match in (behind, before) if match]
    number = response[first].isdigit()
    return any(
        other[0].isdigit() == number and (number or response[first].isupper()) and not _is_true_name(other, aliases)
        for other in others
    )


def _is_true_name(other: str, aliases: Collection[str]) -> bool:
    """Whether a name is a part of what is true, or an abbreviation, perhaps of it; Roman numbers are none."""
    short = other.replace(".", "")
    abbreviated = len(short) > 1 and short.isalpha() and short.isupper() and not set(short) <= set("IVX")
    return abbreviated or any(_only_letters(other) in _only_letters(alias) for alias in aliases)


def _only_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


_NEAR = 100
"""Letters before a place in which the other of two names is looked for, so that no text takes long."""
_NAME = r"[\"“‘'*_]*(?P<other>[A-Z0-9][\w.,'’-]*\w|[A-Z0-9])"
_DESCRIPTION = re.compile(
    rf"(?:^|[.!?\n])\W*(?P<of>(?:The|An?) (?:(?!\b{_BE}\b){_CLAUSE})*)"
    rf"(?<! and)(?<! but)(?<! who)(?<! that) {_BE} (?!\w+['’]s ){_CALLED}"
)
"""The description of what is then named: `The king of France was Louis XIV`."""
_RELATION = re.compile(rf"\b(?P<head>\w+) {_RELATED}(?:(?<=who|hat) \w+)? (?:(?:the|an?|his|her|its) )?[\"“‘'*_]*$")
_SAME = {"city", "town", "village", "state", "island", "country", "kingdom", "republic", "province", "county", "name"}
"""What is the same as the name that follows it with `of`."""
_COMPARISON = re.compile(rf"\b(?!(?:other|rather|more|less|earlier|later|sooner) )\w+ {_THAN}$")
_NONE = re.compile(r"\b(?:no|none|not|nothing|nobody|never)\b|n['’]t\b", re.IGNORECASE)
_OR_BEHIND = re.compile(rf"[\"”’'*_]*(?:, [A-Z0-9][\w.'’ -]*,?)* {_OR}{_NAME}")
_OR_BEFORE = re.compile(rf"{_NAME}[\"”’'*_]* {_OR}$")
