"""The names by which people call columns, annotators and labels."""

from collections.abc import Mapping, Sequence
from itertools import chain

from adjudge.text.toml_files import packaged

Names = Mapping[str, Sequence[str]]
"""Adjudge's column -> what people call it, as `naming.joined` writes it, the commonest first."""

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
