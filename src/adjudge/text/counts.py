"""Names and counts in a sentence."""

from collections.abc import Iterable

_PLURALS = {"criterion": "criteria", "query": "queries"}


def listed_names(names: Iterable[str], last: str = "and", most: int = 3) -> str:
    """Names in a sentence, of many the first few and a count.

    >>> listed_names(["a", "b", "c"]), listed_names(["a", "b", "c", "d", "e"], "or")
    ('a, b and c', 'a, b or 3 more')
    """
    names = list(names)
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1:,} more"]
    return f" {last} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def count_of(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count_of(1, "item"), count_of(1234, "label"), count_of(2, "criterion")
    ('1 item', '1,234 labels', '2 criteria')
    """
    return f"{number:,} {noun if number == 1 else _PLURALS.get(noun, f'{noun}s')}"
