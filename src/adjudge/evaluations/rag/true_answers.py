"""True answers that are none, such as labels and gaps, or that are sentences; and the cautions about these."""

from collections.abc import Iterable, Sequence
from typing import cast

import polars as pl

from adjudge.evaluations.rag.substrings import ALIAS, RESPONSE, ROW, SLOT, alias_pairs
from adjudge.readers.column_names import VERDICTS, words
from adjudge.readers.io.json_documents import cell_text
from adjudge.readers.problems import listed
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


AUTO = "auto"
_SHORT_ANSWER = 5
"""Words of a true answer, in the median, above which true answers are sentences."""


def verdict_cautions(answers: pl.DataFrame, verdicts: pl.DataFrame) -> list[str]:
    """The caution if nearly all true answers are labels such as PASS, and none of the responses has its own."""
    true = answers["slots"].explode().list.join(" ").drop_nulls()
    labels = true.filter(true.str.to_lowercase().is_in(LABELS))
    if labels.is_empty() or len(labels) < _NEARLY_ALL * len(true) or verdicts["correct"].any():
        return []
    shown = listed(labels.unique(maintain_order=True), 3)
    caution = f"{len(labels):,} of {len(true):,} true answers are labels ({shown}), which no response holds"
    return [f"{caution}. If they are labels of the responses, use adjudge reliability"]


_NEARLY_ALL = 0.9


def sentence_cautions(answers: pl.DataFrame, names: Sequence[str], scorer: str, *, judged: bool) -> list[str]:
    """What to know where true answers are sentences. names: the scorers. scorer: the option. judged: by a model too."""
    words = _median_words(answers)
    if words <= _SHORT_ANSWER:
        return []
    took = f"{AUTO} took {names[0]}, which looks" if scorer == AUTO else f"{' and '.join(names)} looks"
    advice = "read the judge's metrics instead" if judged else "a judge is needed (adjudge rag judge)"
    caution = (
        f"the true answers are sentences ({words:g} words in the median): the scorer {took} for them in the response, "
        f"so that right answers in other words count as wrong. Do not rely on this accuracy, least of all on 0%: "
        f"{advice}"
    )
    return [caution]


def _median_words(answers: pl.DataFrame) -> float:
    """The median number of words of true answers: the shortest alias of each slot, summed; 0 without any."""
    words = alias_pairs(answers[RESPONSE], answers["slots"]).with_columns(
        words=pl.col(ALIAS).str.split(" ").list.eval(pl.element().filter(pl.element() != "")).list.len()
    )
    shortest = words.group_by(ROW, SLOT).agg(pl.col("words").min())
    median = shortest.group_by(ROW).agg(pl.col("words").sum())["words"].median()
    return float(cast("float", median or 0))
