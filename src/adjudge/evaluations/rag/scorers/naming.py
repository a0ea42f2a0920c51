"""Aliases that occur in a response without being given as its answer.

| Response                               | Alias       | Given | Why                                                |
|----------------------------------------|-------------|-------|----------------------------------------------------|
| `The king of France was Louis XIV.`    | France      | no    | describes whom the name behind the verb is given for |
| `The one who played Emma is Jane Doe.` | Emma        | no    | so does this                                       |
| `The city of Paris is French.`         | Paris       | yes   | the city is Paris                                  |
| `Paris or Rome`, `in 1965 or 1966`     | Paris, 1965 | no    | one of several: nothing is decided                 |
| `"hunt" or "gather"`                   | hunt        | no    | so are these                                       |
| `Paris, or Lutetia, is old.`           | Paris       | yes   | another name of the same                           |
| `Paris or Lutetia`                     | both        | yes   | both are true                                      |
| `It may rain. Let us see.`             | May, US     | no    | other words, without their capital letters         |
| `36 hours`                             | an hour     | no    | the number is another                              |
| `June 24, 1991`                        | June 1991, or June 23, 1991 | no | the more exact one contradicts it     |

It is given where it stands once in another way. Without capital letters, digits or quotes, names are not compared.
"""

import re
from collections.abc import Sequence

import polars as pl

from adjudge.evaluations.rag.scorers.phrases import DATA
from adjudge.text.values import DAY, MONTH

ARTICLE = r"^(?:[Aa]n?) \S"
"""What an alias begins with that is one of several."""
_MONTH = rf"^ [0-9]{{4}} {MONTH}[0-9]+ $"
_COMMON = DATA["words"]["common"]
_FEW = 3
"""Words of a response that is taken as it is, however it is written."""
_BE = r"(?:is|was|are|were)"
_OPEN, _CLOSE, _IN_SENTENCE = r"[\"“‘'*_]*", r"[\"”’'*_]*", r"[^.!?,;:()\n]"
_OR = rf"or (?:the |in |on )?{_OPEN}"
_RELATED = r"(?:of|in|to|from|for|by|with|at|on|over|after|before|near|against|about|who \w+|that \w+)"
_SAME = r"(?:city|town|village|state|island|country|kingdom|republic|province|county|name)"
"""What is the same as the name that follows it with `of`."""
_CALLED = rf"(?!\w+['’]s )(?:(?:called|named|known as) )?(?:the )?{_OPEN}[A-Z]"
_CLUE = (
    rf"[A-Z0-9\"”][^ ]* {_OR}[A-Z0-9\"“]|\" or \""
    rf"|(?:^|[.!?\n])\W*(?:The|An?) \w{_IN_SENTENCE}* (?:of|in|to|from|for|by|with|at|on|over|after|before|near|against"
    rf"|about|who|that) {_IN_SENTENCE}* {_BE} (?:(?:called|named|known as) )?(?:the )?{_OPEN}[A-Z]"
)
"""What each response holds that names an alias in such a way."""
_DESCRIPTION = (
    rf"(?:^|[.!?\n])\W*(?:The|An?) (?:(?!\b{_BE}\b){_IN_SENTENCE})*\b(?!{_SAME} )\w+ {_RELATED} "
    rf"(?:(?:the|an?|his|her|its) )?{_OPEN}(?=[A-Z])@(?:(?!\b{_BE}\b){_IN_SENTENCE})*"
    rf"(?<! and)(?<! but)(?<! who)(?<! that) {_BE} {_CALLED}"
)
_NAME = rf"{_OPEN}([A-Z0-9][\w.,'’-]*\w|[A-Z0-9])"
_CHOICE = (
    rf"@{_CLOSE}(?:, [A-Z0-9][\w.'’ -]*,?)* {_OR}{_NAME}|(?<!\S){_NAME}{_CLOSE} {_OR}@"
    r"|[\"“]@[\"”] or [\"“]([^\"”]+)[\"”]|[\"“]([^\"”]+)[\"”] or [\"“]@[\"”]"
)


def asserted_hits(hits: pl.DataFrame) -> pl.DataFrame:
    """The hits that the response gives as its answer, with the way, which is none.

    hits: words, response, alias, form, others (all aliases of its slot; null where it is false), and more.
    """
    month = pl.col("form").str.contains(_MONTH) & (pl.col("forms").list.len() > 1)
    common, article = pl.col("form").str.strip_chars().is_in(_COMMON), pl.col("alias").str.contains(ARTICLE)
    doubtful = hits.with_row_index("place").filter(common | article | month | pl.col("response").str.contains(_CLUE))
    columns = ("place", "words", "response", "alias", "form", "slot", "others", "forms")
    wrong = [place for place, *hit in doubtful.select(columns).iter_rows() if not _is_asserted(*hit)]
    given = hits.with_row_index("place").filter(~pl.col("place").is_in(wrong)).drop("place")
    return given.with_columns(way=pl.lit(None, pl.String))


def _is_asserted(
    words: str, response: str, alias: str, form: str, slot: int, others: Sequence[str], forms: Sequence[str]
) -> bool:
    """Whether a response gives an alias that occurs in it."""
    word = form.strip()
    exact = [other for other in forms if re.match(_MONTH, form) and other.startswith(form) and other != form]
    if exact and re.search(f"{form}{DAY}", words) and not re.search(f"{form}(?!{DAY})|{'|'.join(exact)}", words):
        return False
    if word in _COMMON and len(response.split()) > _FEW:
        name = re.search(rf"\b{word}\b", alias, re.IGNORECASE)
        if not re.search(rf"\b(?:{name[0] if name else word.upper()}|{word.upper()})\b", response):
            return False
    if re.match(ARTICLE, alias) and not re.search(rf"(?:^|[^0-9 ]| 1){re.escape(form)}|^{re.escape(form)}", words):
        return False
    return slot < 0 or not is_only_named(alias, response, others)


def is_only_named(alias: str, response: str, others: Sequence[str]) -> bool:
    """Whether a response writes an alias, and nowhere as its answer. others: all aliases that are true.

    >>> is_only_named("France", "The king of France was Louis XIV.", ["France"])
    True
    >>> [is_only_named("Myanmar", "Myanmar or Burma", [alias]) for alias in ("Myanmar", "Burma")]
    [True, False]
    """
    written = rf"(?i:(?<!\w){re.escape(alias.strip().removeprefix('the '))}(?!\w))"
    if not re.search(written, response):
        return False
    rest = re.sub(_DESCRIPTION.replace("@", written), " ", response)
    rest = re.sub(_CHOICE.replace("@", written), lambda match: _undecided(match, alias, others), rest)
    return not re.search(written, rest)


def _undecided(match: re.Match[str], alias: str, others: Sequence[str]) -> str:
    """Nothing, where an alias stands beside another name or number that is not true as well; else what stands there."""
    other = next(filter(None, match.groups()))
    short = other.replace(".", "")
    abbreviated = len(short) > 1 and short.isalpha() and short.isupper() and not set(short) <= set("IVX")
    true = abbreviated or any(_letters(other) in _letters(truth) for truth in others)
    lower = not re.search(r"[A-Z0-9\"“]", match[0].replace(other, "", 1))
    return match[0] if true or lower or other[0].isdigit() != alias[0].isdigit() else " "


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
