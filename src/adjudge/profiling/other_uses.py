"""What files are for that no evaluation scores."""

import shlex
from collections.abc import Sequence

from adjudge.evaluations import NAMES
from adjudge.profiling.file_profile import Seen
from adjudge.profiling.guessers import holds_scores
from adjudge.profiling.result import EvaluationFit
from adjudge.version import NAME

_OTHERS = (
    ({"system", "criterion", "metric", "value"}, "preferences rank", "rank_preferences", "scores of systems"),
    ({"query", "answer", "positive", "negative"}, "rag audit", "audit_rag", "questions with their documents"),
    (
        {"predicted", "ground_truth", "same"},
        "violations calibrate",
        "calibrate_violations",
        "judged pairs of violations",
    ),
    ({NAME, "signature", "tables"}, "show", "", "a saved report"),
    ({"item", "judge", "part", "outcome"}, "plan --from", "", "the outcomes of a run, which compare reads too"),
)
"""Files that are not scored: columns that show them, the command, the function that reads tables, what they are."""


def other_use(files: Sequence[Seen]) -> EvaluationFit | None:
    """What a file is for that no evaluation scores."""
    names = set(files[0].table.names)
    for needed, words, function, said in _OTHERS:
        if needed <= names:
            first = words.split()[0]
            evaluation = first if first in NAMES else "no evaluation"
            return EvaluationFit(evaluation, f"it holds {said}", 1.0, _line(words, files), function=function)
    return ranking(files) if holds_scores(files[0].table, alone=True) else None


def ranking(files: Sequence[Seen]) -> EvaluationFit:
    """What tables of scores are for."""
    line = _line("preferences rank", files)
    return EvaluationFit(
        "preferences", "it holds scores of systems, a row for each", 1.0, line, function="rank_preferences"
    )


def _line(words: str, files: Sequence[Seen]) -> str:
    return shlex.join([NAME, *words.split(), *(one.source.typed for one in files)])
