"""Who is a model, to judge by the name."""

from karat.formats.guess import MODELS
from karat.formats.naming import words


def is_model(name: str) -> bool:
    """Whether a name is that of a model.

    >>> [is_model(one) for one in ("gpt-4o", "Claude_3", "llm judge", "gpt4", "Claudia", "ana")]
    [True, True, True, True, False, False]
    """
    return any(one in MODELS or one.rstrip("0123456789o") in MODELS for one in words(name))
