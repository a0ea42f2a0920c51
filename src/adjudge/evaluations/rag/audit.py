"""Checks of questions with documents, such as documents that lack the answer they should hold."""

import re
import unicodedata
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product

import polars as pl

from adjudge.errors import OptionError
from adjudge.evaluations.rag.prompts import DOCUMENTS
from adjudge.evaluations.rag.strict import score_strict
from adjudge.readers.problems import count_words
from adjudge.report import truncate
from adjudge.schemas.answers import SLOTS, Question, QuestionKind, Questions
from adjudge.text.quote_search import SIGNS

_UNSPACED = "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_UNSPACED += "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = rf"[^\W{_UNSPACED}]"
_SPACE_BESIDE = re.compile(rf"(?<=[{_UNSPACED}]) | (?=[{_UNSPACED}])")

AnswerInText = tuple[str, tuple[str, ...]]
"""A document and the aliases of an answer."""


def _find_held(questions: Questions) -> set[AnswerInText]:
    """The pairs of documents and answers that they hold: slots of the true answer, or the false answer.

    A document holds an answer literally (`contains_answer`), or in another form by the scorer strict.
    """
    sought = set[AnswerInText]()
    for question in questions.items:
        sought.update(product((*question.positive, *question.negative, *question.wrong), question.slots))
        sought.update(product(question.wrong, [question.false] if question.false else []))
    pairs = sorted(sought)
    texts, slots = [text for text, _ in pairs], [[list(aliases)] for _, aliases in pairs]
    frame = pl.DataFrame({"response": texts, "slots": slots}, schema={"response": pl.String(), "slots": SLOTS})
    asserted = score_strict(frame.with_columns(false=pl.lit(None, pl.List(pl.String))))["correct"]
    return {
        (text, aliases)
        for (text, aliases), right in zip(pairs, asserted, strict=True)
        if right or any(contains_answer(text, alias) for alias in aliases)
    }


def contains_answer(text: str, alias: str) -> bool:
    """Whether a text holds an answer: as whole words; where they are not spaced (Chinese ...), as a part of it.

    Case, forms of one character (Unicode NFKC), kinds of quotes and dashes, runs of white space, and any space beside
    Chinese make no difference. A number is no part of a longer one, such as 5 of 2.5 or of 5,000. Other spellings of a
    date or a name are not found: they are what aliases are for. What has no letter, digit or sign is never held.

    >>> contains_answer("It is in New  York.", "new york"), contains_answer("It is in Newark", "new")
    (True, False)
    >>> contains_answer("共有70个议席", "70")
    True
    """
    pattern = _alias_pattern(alias)
    return pattern is not None and pattern.search(normalise(text)) is not None


@lru_cache(maxsize=4096)
def _alias_pattern(alias: str) -> re.Pattern[str] | None:
    plain = normalise(alias)
    if not plain:
        return None
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, plain[0]) else ""
    after = rf"(?!{_LETTER})" if re.match(_LETTER, plain[-1]) else ""
    before += r"(?<!\d[.,])" if plain[0].isdecimal() else ""
    after += r"(?![.,]\d)" if plain[-1].isdecimal() else ""
    return re.compile(f"{before}{re.escape(plain)}{after}")


@lru_cache(maxsize=4096)
def normalise(text: str) -> str:
    """A text as another is compared with it: case, forms of characters, signs and white space folded."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text.translate(SIGNS)).casefold())
    return _SPACE_BESIDE.sub("", " ".join(folded.split()))


_TEXT, _NUMBER = pl.String(), pl.UInt32()
_FOUND = {"id": _TEXT, "number": _NUMBER, "finding": _TEXT, "list": _TEXT, "place": _NUMBER, "group": _NUMBER}
_FOUND |= {"detail": _TEXT}
_DETAIL = 122
_SHOWN = 3


@dataclass(frozen=True, slots=True, eq=False)
class QuestionsAudit:
    """Problems in a file of questions; printed as text.

    kind: base, int (groups of documents) or fact (documents that lie). total: how many questions.

    findings: a row per oddity: id and number (line) of the question, finding, list (the key of the file), place in it
    and group (from 0, or null), detail. warnings: what to know of the file.
    """

    name: str
    kind: QuestionKind
    total: int
    findings: pl.DataFrame
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(_printable, _text_lines(self)))


_Finding = tuple[str, str, int | None, int | None, str]
"""finding, list, place, group, detail."""


def audit(questions: Questions, passages: int = 5) -> QuestionsAudit:
    """Problems in questions, if prompts are to have `passages` documents (at least 1).

    A document holds an answer if it holds every slot of it, a slot if it holds any alias: as it stands, or by the
    matching of the scorer strict, so that `$44bn` holds `44 billion`. A positive of a group lacks the answer if it
    holds no slot at all, since each group holds a piece.

    Raises OptionError where no passages are asked for.
    """
    if passages < 1:
        raise OptionError(f"expected 1 or more; got {passages}", option="passages")
    kind, held_pairs = questions.kind, _find_held(questions)
    asked, ids, rows = dict[str, str](), set[str](), []
    for question in questions.items:
        own = [*_question_findings(question, kind, passages, held_pairs)]
        first = asked.setdefault(normalise(question.query), question.id)
        if question.id in ids:
            own.append(("double id", "id", None, None, question.id))
        elif first != question.id:
            own.append(("repeated question", "query", None, None, f"as {first}: {question.query}"))
        ids.add(question.id)
        for *columns, detail in own:
            text = truncate(" ".join(_printable(detail).split()), _DETAIL)
            rows.append((question.id, question.number, *columns, text))
    findings = pl.DataFrame(rows, schema=_FOUND, orient="row")
    return QuestionsAudit(questions.name, kind, len(questions.items), findings, questions.warnings)


def _printable(text: str) -> str:
    """Text without what would steer a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)


# --- what is odd ---


_FINDING_OF_LIST = {"negative": "negative holds the answer", "positive_wrong": "false document holds the truth"}
"""The finding for a document of each list that holds the true answer."""


def _question_findings(
    question: Question, kind: QuestionKind, passages: int, held_pairs: Container[AnswerInText]
) -> Iterator[_Finding]:
    good, key = (question.wrong, "positive_wrong") if kind == "fact" else (question.positive, "positive")
    if len(good) + len(question.negative) < passages:
        detail = f"{len(good)} in {key}, {len(question.negative)} negative"
        yield "too few documents", "negative", None, None, detail
    lists = [("positive", group, place if kind == "int" else None) for place, group in enumerate(question.groups)]
    lists += [("negative", question.negative, None), ("positive_wrong", question.wrong, None)]
    seen = set[str]()
    for key, texts, group in lists:
        for place, text in enumerate(texts):
            if not text.strip():
                yield "empty document", key, place, group, ""
                continue
            if normalise(text) in seen:
                yield "repeated document", key, place, group, text
            seen.add(normalise(text))
            for finding, detail in _document_findings(question, key, text, held_pairs, pieces=kind == "int"):
                yield finding, key, place, group, detail


def _document_findings(
    question: Question, key: str, text: str, held_pairs: Container[AnswerInText], *, pieces: bool
) -> Iterator[tuple[str, str]]:
    """Problems in a document's content. pieces: whether a good one holds any slot, rather than every one."""
    lacking = [slot for slot in question.slots if (text, slot) not in held_pairs]
    if key != "positive" and not lacking:
        yield _FINDING_OF_LIST[key], _cut_around(text, [*chain.from_iterable(question.slots)])
    if key == "positive" and len(lacking) > (len(question.slots) - 1 if pieces else 0):
        yield "positive lacks the answer", f"without {', '.join(slot[0] for slot in lacking)}: {text}"
    if key == "positive_wrong" and question.false and (text, question.false) not in held_pairs:
        yield "false document lacks the false answer", f"without {question.false[0]}: {text}"


def _cut_around(text: str, aliases: Sequence[str]) -> str:
    """A text from shortly before the first alias that stands in it as a word; else all of it."""
    patterns = (rf"(?<!\w){re.escape(alias)}(?!\w)" for alias in aliases if alias.strip())
    matches = (re.search(pattern, text, re.IGNORECASE) for pattern in patterns)
    begin = max(next((match.start() for match in matches if match), 0) - _DETAIL // 2, 0)
    return f"{'…' if begin else ''}{text[begin:]}"


# --- as text ---


def _text_lines(audited: QuestionsAudit) -> Iterator[str]:
    yield f"{audited.name}: {count_words(audited.total, 'question', 'questions')} with {DOCUMENTS[audited.kind]}"
    yield ""
    yield "Nothing is odd." if audited.findings.is_empty() else "What is odd:"
    for (name,), own in audited.findings.group_by("finding", maintain_order=True):
        yield f"  {name}: {own.height:,} in {count_words(own['number'].n_unique(), 'question', 'questions')}"
        for finding in own.head(_SHOWN).iter_rows(named=True):
            # Places are counted from 0, as in the table.
            group = "" if finding["group"] is None else f" group {finding['group']}"
            place = "" if finding["place"] is None else f" {finding['place']}"
            yield f"    id {finding['id']:.40}, {finding['list']}{group}{place}: {finding['detail']}".rstrip(": ")
        if own.height > _SHOWN:
            yield f"    ... and {own.height - _SHOWN:,} more"
