"""Systems that predict preferences: whom and what options may name."""

from collections.abc import Mapping, Sequence

from karat.app.results import Result
from karat.schemas.preferences import Judged


def known(result: Result) -> Mapping[str, Sequence[str]]:
    """Which criteria options may name."""
    return {"CRITERION": result.read.task.criteria} if isinstance(result.read, Judged) else {}
