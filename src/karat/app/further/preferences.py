"""Systems that predict preferences: which labels they give where others are right."""

from collections.abc import Mapping, Sequence

from karat.app.confusions import confusion
from karat.app.results import Result
from karat.schemas.preferences import Judged


def known(result: Result) -> Mapping[str, Sequence[str]]:
    """Which criteria options may name."""
    return {"CRITERION": result.read.task.criteria} if isinstance(result.read, Judged) else {}


VIEWS = {"Confusion": confusion}
