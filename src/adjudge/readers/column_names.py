"""What people call columns, annotators and labels: synonyms, spellings, and the side of a pair in a name."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from adjudge.text.toml_files import packaged

_WORD = re.compile(r"\d+|[A-ZÀ-Þ]+(?![^\W\d_A-ZÀ-Þ])|[A-ZÀ-Þ]?[^\W\d_A-ZÀ-Þ]+")

SIDES: tuple[tuple[str, str], ...] = (
    ("a", "b"),
    ("1", "2"),
    ("0", "1"),
    ("left", "right"),
    ("first", "second"),
    ("one", "two"),
    ("x", "y"),
    ("i", "ii"),
)
"""Words by which two columns, or two values, name the sides of a pair."""


def words(name: str) -> tuple[str, ...]:
    """The words of a name, in small letters: case, `_`, `-`, dots and spaces do not matter.

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
    """The name that stands for a meaning: the first of its spellings that is one, else a name that ends or begins so.

    Of names with dots, as of objects within objects, what stands behind the last is the name.

    meaning: its usual spellings, as `joined_key` writes them, the commonest first. but: names that are taken.

    >>> nearest_to(["annotator", "worker"], ["id", "Worker ID", "label"])
    'Worker ID'
    """
    free = [name for name in names if name not in set(but)]
    whole = {joined_key(name.rpartition(".")[2]): name for name in reversed(free)}
    whole |= {joined_key(name): name for name in reversed(free)}
    exact = next((whole[one] for one in meaning if one in whole), None)
    return exact or next((name for one in meaning for name in free if _holds(words(name), one)), None)


_BESIDE = {"id", "name", "no", "nr", "number", "the", "text", "value", "column", "my", "your", "human", "input"}
"""Words that may stand beside the word that says what a column holds."""


def _holds(parts: tuple[str, ...], one: str) -> bool:
    """Whether a name says a meaning in its last or first word, beside others that say nothing else."""
    told = [part for part in parts if part not in _BESIDE] or list(parts)
    return len(parts) > 1 and (told == [one] or "".join(told) == one)


def mentioning(meaning: Sequence[str], names: Iterable[str]) -> str | None:
    """The name that has a spelling of a meaning among its words, in singular or plural.

    >>> mentioning(["annotator", "worker"], ["!amt_annotation_ids", "!amt_worker_ids", "response"])
    '!amt_worker_ids'
    """
    known = set(meaning)
    said = {name: words(name.rpartition(".")[2]) for name in names}
    return next((name for name, own in said.items() if any({one, one.removesuffix("s")} & known for one in own)), None)


def is_id_name(name: str) -> bool:
    """Whether a name ends as those of ids do.

    >>> is_id_name("orig_id"), is_id_name("bbcid"), is_id_name("!amt_annotation_ids"), is_id_name("grid size")
    (True, True, True, False)
    """
    return joined_key(name).removesuffix("s").endswith(("id", "idx"))


def sided(names: Iterable[str]) -> list[tuple[str, str, tuple[str, str]]]:
    """Pairs of names that differ in the side alone, with the words of the sides.

    >>> sided(["prompt", "response_a", "response_b", "Answer1", "Answer2", "rating_1"])
    [('response_a', 'response_b', ('a', 'b')), ('Answer1', 'Answer2', ('1', '2'))]
    """
    known: Mapping[tuple[str, ...], str] = {words(name): name for name in names}
    found = []
    for parts, name in known.items():
        for place, part in enumerate(parts):
            for one, other in SIDES:
                second = known.get((*parts[:place], other, *parts[place + 1 :]))
                if part == one and second is not None and len(parts) > 1:
                    found.append((name, second, (one, other)))
    return found


def stem(name: str, side: str) -> str:
    """What is left of a name without its side.

    >>> stem("model_answer_1", "1")
    'modelanswer'
    """
    parts = words(name)[::-1]
    place = parts.index(side) if side in parts else len(parts)
    return "".join((parts[:place] + parts[place + 1 :])[::-1])


# --- synonyms ---

Names = Mapping[str, Sequence[str]]
"""Adjudge's column -> what people call it, as ``joined_key`` writes it, the commonest first."""

_WORDS = packaged(__package__, "column_synonyms.toml")


def _called(names: Sequence[str]) -> tuple[str, ...]:
    """A list of column_synonyms.toml, with those that it refers to."""
    each = (_called(_WORDS[one.removeprefix("@")]) if one.startswith("@") else (one,) for one in names)
    return tuple(chain.from_iterable(each))


ID, ANNOTATOR, GOLD, QUESTION = (_called(_WORDS[one]) for one in ("id", "annotator", "gold", "question"))
MODEL_NAMES, MODELS = (frozenset(_called(_WORDS[one])) for one in ("modelnames", "models"))
"""Words in the names of models; and those by which people call a model that judges."""
NAMES: Mapping[str, Names] = {
    evaluation: {name: _called(names) for name, names in columns.items()}
    for evaluation, columns in _WORDS["columns"].items()
}
"""What people call the columns of each evaluation."""

TRUSTED, FAILED, SURVEY, MEASURES, PEOPLE, SCORES, TRAITS = (
    frozenset(_WORDS[one]) for one in ("trusted", "failed", "survey", "measures", "people", "scores", "traits")
)
"""Names of annotators whose word is trusted; of two labels, the one that a judge is there to find; columns by
which one knows the export of a form; with what names of columns end that measure, and hold no labels; names of
annotators that those who were judged may have too; what figures of systems are called; what texts are rated for."""
TRUE, PREDICTED, HUMAN, TRUSTED_FILES, PREDICTED_FILES, ASKS = (
    frozenset(_called(_WORDS[one])) for one in ("true", "predicted", "human", "trustedfiles", "predictedfiles", "asks")
)
"""Names of columns that hold nothing but what is true, and of predictions; words that say that it is people's; words in
the names of files that are trusted, or compared with them; how columns begin that are questions."""
RESPONDENT = _called(_WORDS["respondent"])
"""What forms call the column that says who answered."""
RESPONSES, WRITERS = (_called(_WORDS[one]) for one in ("responses", "writers"))
VOTES: Mapping[str, Sequence[str]] = _WORDS["votes"]
"""What the two texts of a pair are called, and what wrote them; what means votes for neither side."""
