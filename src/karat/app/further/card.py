"""A judge's card: whom options may name."""

from collections.abc import Mapping, Sequence

from karat.app.results import Result


def known(result: Result) -> Mapping[str, Sequence[str]]:
    """Whom options may name: judges and people."""
    return {"NAME": [*result.read.judges, *result.read.people]} if result.read is not None else {}
