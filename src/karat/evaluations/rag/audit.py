"""What is odd in questions with documents, such as documents that do not hold what they should."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import polars as pl

from karat.errors import OptionError
from karat.evaluations.rag.prepare import DOCUMENTS
from karat.evaluations.rag.scorers.strict import strict
from karat.formats.findings import counted
from karat.report import cut
from karat.schemas.answers import SLOTS, Kind, Question, Questions
from karat.text.locate import SIGNS

FINDINGS: dict[str, str] = {
    "double id": "an id that an earlier question has",
    "too few documents": "fewer documents than a prompt has passages",
    "more groups than passages": "each group gives a document, so that prompts get longer than asked for",
    "empty document": "a document without text",
    "negative holds the answer": "a document that should not hold the answer does",
    "positive lacks the answer": "a document that should hold the answer does not",
    "false document holds the truth": "a document that should lie holds the true answer",
    "false answer is the truth": "what the lying documents say equals an alias of the true answer",
    "no false answer": "nobody says what the lying documents say",
    "unpaired false document": "lists of lying and of true documents have different lengths",
}
"""What can be found -> what it means."""

_TEXT, _NUMBER, _REAL = pl.String(), pl.UInt32(), pl.Float64()
_FOUND = {"id": _TEXT, "number": _NUMBER, "finding": _TEXT, "list": _TEXT, "place": _NUMBER, "group": _NUMBER}
_FOUND |= {"detail": _TEXT}
_QUESTIONS = {"id": _TEXT, **dict.fromkeys(("number", "groups", "positive", "negative", "false"), _NUMBER)}
_QUESTIONS |= {"lowest_noise": _REAL, "highest_noise": _REAL, "findings": _NUMBER}
_SUMMARY = {"finding": _TEXT, **dict.fromkeys(("questions", "of", "times"), _NUMBER), "meaning": _TEXT}
_NOISE = {"noise_ratio": _REAL, "negatives": _NUMBER, "questions": _NUMBER, "of": _NUMBER}
_DETAIL = 120
_SHOWN = 3

_UNSPACED = "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_UNSPACED += "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = rf"[^\W{_UNSPACED}]"
_SPACES = re.compile(r"\s+")
_SPACE_BESIDE = re.compile(rf"(?<=[{_UNSPACED}]) | (?=[{_UNSPACED}])")


@dataclass(frozen=True, slots=True, eq=False)
class QuestionsAudit:
    """What is odd in a file of questions; printed, it is a text.

    kind: base, int (groups of documents) or fact (documents that lie). passages: of a prompt.

    findings: a row per oddity: id and number (line) of the question, finding (see FINDINGS), list (the key of the
    file), place in it and group (from 0, or null), detail. questions: a row per question, with how many documents it
    has, and between which noise ratios prompts of `passages` documents can be made (null where there are too few).
    summary: per finding, how many questions have it, of how many, and how often it occurs. noise: per noise ratio that
    `passages` documents can have, how many questions reach it, of how many. warnings: what to know of the file.
    """

    name: str
    kind: Kind
    passages: int
    findings: pl.DataFrame
    questions: pl.DataFrame
    summary: pl.DataFrame
    noise: pl.DataFrame
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(_printable, _lines(self)))


_Finding = tuple[str, str, int | None, int | None, str]
"""finding, list, place, group, detail"""


def audit(questions: Questions, passages: int = 5) -> QuestionsAudit:
    """What is odd in questions, where prompts are to have `passages` documents, from 1.

    A document holds an answer if it holds every slot of it, a slot if it holds any alias: as it stands (`holds`), or by
    the matching of the scorer strict, so that `$44bn` holds `44 billion`. A positive of a
    group lacks the answer if it holds no slot at all, since each group holds a piece. The noise ratios are those of
    information_integration for groups, of counterfactual_robustness for lying documents, else of noise_robustness.

    Raises OptionError where no passages are asked for.
    """
    if passages < 1:
        raise OptionError(f"passages: expected 1 or more; got {passages}")
    spans = [reachable(question, questions.kind, passages) for question in questions.items]
    found: list[tuple[object, ...]] = []
    rows: list[tuple[object, ...]] = []
    seen: set[str] = set()
    held = _held(questions)
    for question, span in zip(questions.items, spans, strict=True):
        odd = [*_oddities(question, questions.kind, passages, held)]
        odd += [("double id", "id", None, None, question.id)] if question.id in seen else []
        seen.add(question.id)
        found += [
            (question.id, question.number, *one, cut(_SPACES.sub(" ", _printable(detail)).strip(), _DETAIL))
            for *one, detail in odd
        ]
        documents = (question.groups, question.positive, question.negative, question.wrong)
        noise = (span[0] / passages, span[-1] / passages) if span else (None, None)
        rows.append((question.id, question.number, *map(len, documents), *noise, len(odd)))
    findings = pl.DataFrame(found, schema=_FOUND, orient="row")
    asked = pl.DataFrame(rows, schema=_QUESTIONS, orient="row")
    tables = (findings, asked, _summary(findings, len(rows)), _noise(spans, passages))
    return QuestionsAudit(questions.name, questions.kind, passages, *tables, questions.warnings)


def _printable(text: str) -> str:
    """Text without what would steer a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)


def _summary(findings: pl.DataFrame, questions: int) -> pl.DataFrame:
    """A row per kind of finding, those that do not occur too."""
    found = [(name, findings.filter(pl.col("finding") == name)["number"], FINDINGS[name]) for name in FINDINGS]
    rows = [(name, lines.n_unique(), questions, lines.len(), meaning) for name, lines, meaning in found]
    return pl.DataFrame(rows, schema=_SUMMARY, orient="row")


# --- noise that can be reached ---


def reachable(question: Question, kind: Kind, passages: int) -> range:
    """How many negatives `passages` documents can hold, from the fewest to the most; empty where there are too few.

    Good documents are those that lie where any do. Each group of positives gives at least one.
    """
    good = len(question.wrong if kind == "fact" else question.positive)
    least = sum(map(bool, question.groups)) if kind == "int" else 0
    lowest = max(passages - good, 0)
    highest = min(passages - least, len(question.negative))
    return range(lowest, highest + 1)


def _noise(spans: Sequence[range], passages: int) -> pl.DataFrame:
    """noise_ratio, negatives, how many questions reach it, of how many; from the least to the most that any reaches."""
    reached = Counter(chain(*spans))
    steps = range(min(reached), max(reached) + 1) if reached else ()
    rows = [(step / passages, step, reached[step], len(spans)) for step in steps]
    return pl.DataFrame(rows, schema=_NOISE, orient="row")


# --- what is odd ---


_ODD = {
    "positive": "positive lacks the answer",
    "negative": "negative holds the answer",
    "positive_wrong": "false document holds the truth",
}
"""What is odd in a document of a list that lacks what it should hold, or holds what it should not."""


def _held(questions: Questions) -> set[tuple[str, tuple[str, ...]]]:
    """The documents with the slots that they hold: as they stand, or by the matching of `strict`."""
    pairs = {
        (text, slot)
        for one in questions.items
        for text in chain(one.positive, one.negative, one.wrong)
        for slot in one.slots
    }
    listed = sorted(pairs)
    slots = pl.Series([[list(slot)] for _, slot in listed], dtype=SLOTS)
    frame = pl.DataFrame({"response": [text for text, _ in listed]}, schema={"response": pl.String})
    found = strict(frame.with_columns(slots=slots, false=pl.lit(None, pl.List(pl.String))))["correct"]
    told = {pair for pair, correct in zip(listed, found, strict=True) if correct}
    return told | {(text, slot) for text, slot in listed if any(holds(text, alias) for alias in slot)}


def _oddities(
    question: Question, kind: Kind, passages: int, held: set[tuple[str, tuple[str, ...]]]
) -> Iterator[_Finding]:
    yield from _of_lists(question, kind, passages)
    lists = [("positive", group, place if kind == "int" else None) for place, group in enumerate(question.groups)]
    for key, texts, group in (*lists, ("negative", question.negative, None), ("positive_wrong", question.wrong, None)):
        whole = any if key == "positive" and kind == "int" else all
        for place, text in enumerate(texts):
            if not text.strip():
                yield "empty document", key, place, group, ""
            elif whole((text, slot) in held for slot in question.slots) != (key == "positive"):
                yield _ODD[key], key, place, group, text
    truths = {_normal(alias) for slot in question.slots for alias in slot}
    for place, false in enumerate(question.false):
        if _normal(false) in truths:
            yield "false answer is the truth", "fakeanswer", place, None, false
    if kind == "fact" and question.wrong and not question.false:
        yield "no false answer", "fakeanswer", None, None, ""


def _of_lists(question: Question, kind: Kind, passages: int) -> Iterator[_Finding]:
    good, key = (question.wrong, "positive_wrong") if kind == "fact" else (question.positive, "positive")
    least = sum(map(bool, question.groups))
    if len(good) + len(question.negative) < passages:
        detail = f"{len(good)} in {key}, {len(question.negative)} negative"
        yield "too few documents", "negative", None, None, detail
    if kind == "int" and least > passages:
        yield "more groups than passages", "positive", None, None, f"{least} groups"
    if kind == "fact" and len(question.wrong) != len(question.positive):
        detail = f"{len(question.wrong)} false, {len(question.positive)} true"
        yield "unpaired false document", "positive_wrong", None, None, detail


# --- whether a document holds an answer ---


def holds(text: str, alias: str) -> bool:
    """Whether a text holds an answer: as whole words; where they are not spaced (Chinese ...), as a part of it.

    Case, forms of one character (Unicode NFKC), kinds of quotes and dashes, runs of white space, and any space beside
    Chinese make no difference. A number is no part of a longer one, such as 5 of 2.5 or of 5,000. Other spellings of a
    date or a name are not found: they are what aliases are for. What has no letter, digit or sign is never held.

    >>> holds("It is in New  York.", "new york"), holds("It is in Newark", "new"), holds("共有70个议席", "70")
    (True, False, True)
    """
    pattern = _pattern(alias)
    return pattern is not None and pattern.search(_normal(text)) is not None


@lru_cache(maxsize=4096)
def _pattern(alias: str) -> re.Pattern[str] | None:
    plain = _normal(alias)
    if not plain:
        return None
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, plain[0]) else ""
    after = rf"(?!{_LETTER})" if re.match(_LETTER, plain[-1]) else ""
    before += r"(?<!\d[.,])" if plain[0].isdecimal() else ""
    after += r"(?![.,]\d)" if plain[-1].isdecimal() else ""
    return re.compile(f"{before}{re.escape(plain)}{after}")


@lru_cache(maxsize=4096)
def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text.translate(SIGNS)).casefold())
    return _SPACE_BESIDE.sub("", _SPACES.sub(" ", folded)).strip()


# --- as text ---


def _lines(found: QuestionsAudit) -> Iterator[str]:
    total = found.questions.height
    yield f"{found.name}: {counted(total, *_QUESTION)} with {DOCUMENTS[found.kind]}"
    yield ""
    yield f"Noise ratios that {found.passages} passages can have:"
    for ratio, negatives, reached in found.noise.select("noise_ratio", "negatives", "questions").iter_rows():
        yield f"  {ratio:<6.3g}({negatives} negative)  {reached:,} of {total:,} questions"
    if found.noise.is_empty():
        yield "  none: there are too few documents"
    odd = found.summary.filter(pl.col("times") > 0)
    yield ""
    yield "What is odd:" if odd.height else "Nothing is odd."
    for name, many, times in odd.select("finding", "questions", "times").iter_rows():
        yield f"  {name}: {times:,} in {counted(many, *_QUESTION)}"
        for one in found.findings.filter(pl.col("finding") == name).head(_SHOWN).iter_rows(named=True):
            # Places are counted from 0, as in the tables.
            group, place = (f" {word}{one[key]}" if one[key] is not None else "" for key, word in _PLACES)
            yield f"    id {one['id']:.40}, {one['list']}{group}{place}: {one['detail']}".rstrip(": ")
        if times > _SHOWN:
            yield f"    ... and {times - _SHOWN:,} more"


_PLACES = (("group", "group "), ("place", ""))
_QUESTION = ("question", "questions")
