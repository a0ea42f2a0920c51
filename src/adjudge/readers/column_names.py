"""Common names of columns, annotators and labels: synonyms, spellings, and the side of a pair in a name."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from adjudge.text.toml_files import packaged

_WORD = re.compile(r"\d+|[A-ZÀ-Þ]+(?![^\W\d_A-ZÀ-Þ])|[A-ZÀ-Þ]?[^\W\d_A-ZÀ-Þ]+")

_FIRST = ("a", "1", "0", "left", "first", "one", "x", "i")
_SECOND = ("b", "2", "1", "right", "second", "two", "y", "ii")
SIDES: tuple[tuple[str, str], ...] = tuple(zip(_FIRST, _SECOND, strict=True))
"""Words for the two sides of a pair in columns or values."""


def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case; `_`, `-`, dots and spaces do not matter.

    >>> words("ItemID"), words("response_b"), words("Answer 1"), words("output.textB")
    (('item', 'id'), ('response', 'b'), ('answer', '1'), ('output', 'text', 'b'))
    """
    return tuple(one.lower() for one in _WORD.findall(name))


def joined_key(name: str) -> str:
    """A name as one word.

    >>> joined_key("Question ID"), joined_key("question_id"), joined_key("questionId")
    ('questionid', 'questionid', 'questionid')
    """
    return "".join(words(name))


def nearest_to(meaning: Sequence[str], names: Iterable[str], but: Iterable[str] = ()) -> str | None:
    """The name with a meaning: the first of its spellings among the names, else a name that ends or begins with one.

    In names with dots, as of objects within objects, the part after the last dot counts.

    meaning: its usual spellings, as `joined_key` writes them, the commonest first. but: names to exclude.

    >>> nearest_to(["annotator", "worker"], ["id", "Worker ID", "label"])
    'Worker ID'
    """
    free = [name for name in names if name not in set(but)]
    by_key = {joined_key(name.rpartition(".")[2]): name for name in reversed(free)}
    by_key |= {joined_key(name): name for name in reversed(free)}
    exact = next((by_key[one] for one in meaning if one in by_key), None)
    return exact or next((name for one in meaning for name in free if _holds(words(name), one)), None)


_BESIDE = {"id", "name", "no", "nr", "number", "the", "text", "value", "column", "my", "your", "human", "input"}
"""Words that a column's name may have besides the word of its meaning."""


def _holds(parts: tuple[str, ...], one: str) -> bool:
    """Whether a name consists of a meaning's word and words without another meaning."""
    kept = [part for part in parts if part not in _BESIDE] or list(parts)
    return len(parts) > 1 and (kept == [one] or "".join(kept) == one)


def mentioning(meaning: Sequence[str], names: Iterable[str]) -> str | None:
    """The name that has a spelling of a meaning among its words, in singular or plural.

    >>> mentioning(["annotator", "worker"], ["!amt_annotation_ids", "!amt_worker_ids", "response"])
    '!amt_worker_ids'
    """

    def forms(name: str) -> set[str]:
        return {form for one in words(name.rpartition(".")[2]) for form in (one, one.removesuffix("s"))}

    return next((name for name in names if not forms(name).isdisjoint(meaning)), None)


def is_id_name(name: str) -> bool:
    """Whether a name ends like an id's.

    >>> is_id_name("orig_id"), is_id_name("bbcid"), is_id_name("!amt_annotation_ids"), is_id_name("grid size")
    (True, True, True, False)
    """
    return joined_key(name).removesuffix("s").endswith(("id", "idx"))


def sided(names: Iterable[str]) -> list[tuple[str, str, tuple[str, str]]]:
    """Pairs of names that differ only in the side, with the words of the sides.

    >>> sided(["prompt", "response_a", "response_b", "Answer1", "Answer2", "rating_1"])
    [('response_a', 'response_b', ('a', 'b')), ('Answer1', 'Answer2', ('1', '2'))]
    """
    by_words: Mapping[tuple[str, ...], str] = {words(name): name for name in names}
    pairs = []
    for parts, name in by_words.items():
        for place, part in enumerate(parts):
            for one, other in SIDES:
                second = by_words.get((*parts[:place], other, *parts[place + 1 :]))
                if part == one and second is not None and len(parts) > 1:
                    pairs.append((name, second, (one, other)))
    return pairs


def stem(name: str, side: str) -> str:
    """A name without its side.

    >>> stem("model_answer_1", "1")
    'modelanswer'
    """
    parts = words(name)[::-1]
    place = parts.index(side) if side in parts else len(parts)
    return "".join((parts[:place] + parts[place + 1 :])[::-1])


# --- synonyms ---

Synonyms = Mapping[str, Sequence[str]]
"""Adjudge's column -> its common names, as ``joined_key`` writes them, the commonest first."""

_WORDS = packaged(__package__, "column_synonyms.toml")


def _called(names: Sequence[str]) -> tuple[str, ...]:
    """A list of column_synonyms.toml, with the lists that it refers to."""
    each = (_called(_WORDS[one.removeprefix("@")]) if one.startswith("@") else (one,) for one in names)
    return tuple(chain.from_iterable(each))


ID, ANNOTATOR, GOLD, QUESTION = (_called(_WORDS[one]) for one in ("id", "annotator", "gold", "question"))
MODEL_NAMES, MODELS, VERDICTS = (frozenset(_called(_WORDS[one])) for one in ("modelnames", "models", "verdicts"))
"""Words in the names of models; common names of judge models; labels of answers."""
NAMES: Mapping[str, Synonyms] = {
    use: {name: _called(names) for name, names in columns.items()} for use, columns in _WORDS["columns"].items()
}
"""Evaluation -> the common names of its columns."""
VALUES: Mapping[str, Synonyms] = _WORDS["values"]
"""Evaluation -> its columns that names and values tell -> kinds of values, or properties of `ColumnSample`."""

TRUSTED, FAILED, SURVEY, MEASURES, PEOPLE, SCORES, TRAITS = (
    frozenset(_WORDS[one]) for one in ("trusted", "failed", "survey", "measures", "people", "scores", "traits")
)
"""Names of reference annotators; the label of two that a judge should detect; columns that identify the export of a
form; endings of columns of measurements, which hold no labels; names of annotators that judged users may have too;
names of systems' metrics; traits that texts are rated for."""
TRUE, PREDICTED, HUMAN, TRUSTED_FILES, PREDICTED_FILES, ASKS = (
    frozenset(_called(_WORDS[one])) for one in ("true", "predicted", "human", "trustedfiles", "predictedfiles", "asks")
)
"""Names of columns of references, and of predictions; words for human labels; words in the names of files of
references, and of files compared with them; beginnings of columns that are questions."""
RESPONDENT = _called(_WORDS["respondent"])
"""Forms' names of the respondent's column."""
RESPONSES, WRITERS = (_called(_WORDS[one]) for one in ("responses", "writers"))
LABELS: Synonyms = _WORDS["labels"]
"""Kinds of labels -> their words, or patterns of them."""
PARTS: Mapping[str, Sequence[Any]] = _WORDS["parts"]
"""Parts of records -> their names in tools' files."""
VOTES: Mapping[str, Sequence[str]] = _WORDS["votes"]
"""Names of the two texts of a pair, and of their models; vote for neither side -> its values."""
