"""English words without their endings: what the inflections of a word have in common."""

from functools import lru_cache

SHORTEST = 4
"""Letters that are left at least."""
_HISSING = ("ss", "us", "is")
_PLURAL_AFTER = ("s", "x", "z", "ch", "sh")


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The word without its inflection; short words, and those with other letters than English has, stay as they are.

    It only has to be the same for the forms of a word, and need not be one itself.

    >>> [stem(word) for word in ("miners", "mining", "cities", "city", "boxes", "glass", "was")]
    ['miner', 'mining', 'citi', 'citi', 'box', 'glass', 'was']
    """
    if not (word.isascii() and word.isalpha()) or len(word) < SHORTEST:
        return word
    singular = _singular(word)
    for ending in ("ing", "ed", "er", "or"):
        if singular.endswith(ending) and len(singular) - len(ending) > SHORTEST:
            root = singular.removesuffix(ending)
            return _even(root[:-1] if root[-1] == root[-2] else root)
    return _even(singular)


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(_HISSING):
        return word
    if word.endswith("ies") and len(word) > SHORTEST:
        return word.removesuffix("ies") + "y"
    if word.endswith("es") and word.removesuffix("es").endswith(_PLURAL_AFTER):
        return word.removesuffix("es")
    return word.removesuffix("s")


def _even(root: str) -> str:
    """The root without the letter at its end that some endings drop or change."""
    if len(root) > SHORTEST and root.endswith("e"):
        return root[:-1]
    return root[:-1] + "i" if root.endswith("y") else root
