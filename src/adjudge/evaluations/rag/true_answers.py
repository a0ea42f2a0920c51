"""True answers that are none: labels of the answers, and gaps of questions that the documents cannot answer."""

from collections.abc import Iterable

from adjudge.readers.column_names import VERDICTS, words
from adjudge.readers.io.json_documents import cell_text
from adjudge.schemas.answers import QUESTION_ANSWERING

LABELS = sorted(VERDICTS | {"true", "false", "1", "0"})
_RARELY = 10
"""One of how many answers may hold the word for its label by chance."""


def are_labels(pairs: Iterable[tuple[object, object]]) -> bool:
    """Whether true answers are labels such as PASS, which few of the answers hold. pairs: a true answer and an answer.

    >>> are_labels([("PASS", "It is Rome."), ("FAIL", "In May.")]), are_labels([("yes", "Yes, it is."), ("no", "Why?")])
    (True, False)
    """
    rows = [({*words(str(true))}, {*words(str(given))}) for true, given in pairs if true not in (None, "")]
    found = set[str]().union(*(true for true, _ in rows))
    return bool(found) and found <= {*LABELS} and sum(bool(true & given) for true, given in rows) * _RARELY < len(rows)


def abilities_marked(rows: Iterable[tuple[object, object]]) -> dict[str, str]:
    """The meanings of values of which one marks all questions without a true answer; empty for others.

    rows: a value and a true answer.

    >>> abilities_marked([("yes", ["Rome"]), ("no", []), ("yes", ["Lima"])])
    {'yes': 'question_answering', 'no': 'negative_rejection'}
    """
    pairs = {(cell_text(value), cell_text(true) in (None, "", "[]")): None for value, true in rows}
    marks = [value for value, is_empty in pairs if is_empty]
    values = {value for value, _ in pairs}
    if len(marks) != 1 or not 1 < len(pairs) == len(values) or None in values:
        return {}
    return {str(value): "negative_rejection" if value in marks else QUESTION_ANSWERING for value, _ in pairs}
