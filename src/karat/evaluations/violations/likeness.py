"""The similarity of what two violations say, computed once for each pair of different texts."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from karat.errors import OptionError
from karat.evaluations.violations.matching import Similarity
from karat.evaluations.violations.spans import Floats, Integers
from karat.text import similarity as texts_similarity

_FEW = 500
"""Up to so many different texts, all pairs are computed in advance."""

_OPTION = {"rule": "rule_similarity", "explanation": "text_similarity", "correction": "text_similarity"}
"""Part -> the option that decides how its texts are compared."""


def likeness_of(options: Mapping[str, Any]) -> dict[str, Callable[[pl.Series], Similarity]]:
    """Part -> the function that computes similarities of its texts. base_url: of a server, if one is asked."""
    base_url = options["base_url"]
    specs = {name: options[name] for name in _OPTION.values()}
    asked = {one for one in specs.values() if one.startswith("openai:")}
    if base_url is not None and not asked:
        raise OptionError("base_url is the address of a server, which neither similarity asks; leave it")
    made = {
        one: texts_similarity.similarity(one, base_url=base_url if one in asked else None) for one in specs.values()
    }
    return {part: partial(likeness, similarity=made[specs[name]]) for part, name in _OPTION.items()}


def likeness(texts: pl.Series, similarity: texts_similarity.Similarity) -> Similarity:
    """The similarity of texts by their numbers. texts: different ones, by number."""
    listed = texts.to_list()
    if len(listed) > _FEW:
        return lambda first, second: _of_distinct(listed, first, second, similarity)
    table: list[Floats] = []

    def look_up(first: Integers, second: Integers) -> Floats:
        if not table:
            size = len(listed)
            every = np.divmod(np.arange(size * size), size)
            table.append(similarity.of_pairs(listed, *every).reshape(size, size))
        found: Floats = table[0][first, second]
        return found

    return look_up


def _of_distinct(
    texts: list[str], first: Integers, second: Integers, similarity: texts_similarity.Similarity
) -> Floats:
    pairs, places = np.unique(first * len(texts) + second, return_inverse=True)
    found: Floats = similarity.of_pairs(texts, *np.divmod(pairs, len(texts)))[places]
    return found
