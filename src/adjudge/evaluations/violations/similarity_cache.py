"""The similarity of what two violations say, computed once for each pair of different texts."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.errors import OptionError
from adjudge.evaluations.violations.match_settings import MatchRule
from adjudge.evaluations.violations.options import SimilarityOptions
from adjudge.evaluations.violations.span_matching import Floats, Integers, Similarity, distinct_texts
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.text import similarity as texts_similarity
from adjudge.text.embeddings import embedder

_FEW = 500
"""Up to so many different texts, all pairs are computed in advance."""

Similarities = Mapping[str, Callable[[pl.Series], Similarity]]
"""Part -> what makes a similarity of its texts."""


def likeness_of(options: SimilarityOptions, workers: Workers = LOCAL_WORKERS) -> Similarities:
    """Part -> the function that computes similarities of its texts. base_url: of a server, if one is asked.

    workers: where local models work.
    """
    base_url, of_texts = options.base_url, options.text_similarity
    specs = {"rule": options.rule_similarity, "explanation": of_texts, "correction": of_texts}
    servers = {spec: base_url if spec.startswith("openai:") else None for spec in specs.values()}
    if base_url not in (None, *servers.values()):
        raise OptionError("is the address of a server, which neither similarity asks; leave it", option="base_url")
    embedded = partial(_embed, workers)
    made = {
        spec: texts_similarity.similarity(spec, base_url=server, embedded=embedded) for spec, server in servers.items()
    }
    return {part: partial(likeness, similarity=made[spec]) for part, spec in specs.items()}


def _embed(workers: Workers, model: str, texts: list[str]) -> NDArray[np.float32]:
    """Vectors of texts by a local model: texts of like length together, since a batch is as long as its longest."""
    order = sorted(range(len(texts)), key=lambda place: (len(texts[place]), texts[place]))
    some = _EMBEDDED_AT_ONCE if workers.remote else len(texts)
    pieces = [[texts[place] for place in order[start : start + some]] for start in range(0, len(texts), some)]
    found = np.concatenate(workers.map_loaded("embedding", partial(embedder, model), pieces))
    return found[np.argsort(order)]


_EMBEDDED_AT_ONCE = 2_000
"""Texts that are embedded at once by another process."""


def similarities_of(spans: pl.DataFrame, made: Similarities, rules: Iterable[MatchRule]) -> dict[str, Similarity]:
    """Similarities of the texts in all parts that rules look at. spans: of any side (see `with_shared_categories`)."""
    wanted = {part for rule in rules for part in (*rule.weighted_parts, *(["rule"] if rule.rule >= 0 else []))}
    return {part: make(distinct_texts(spans, part)) for part, make in made.items() if part in wanted}


def likeness(texts: pl.Series, similarity: texts_similarity.Similarity) -> Similarity:
    """The similarity of texts by their numbers. texts: different ones, by number."""
    listed, size = texts.to_list(), len(texts)

    @cache
    def similarities() -> Floats:
        """The similarities of all pairs."""
        pairs = np.divmod(np.arange(size * size), size)
        return similarity(listed, *pairs).reshape(size, size)

    def of_numbers(first: Integers, second: Integers) -> Floats:
        """The similarities of some pairs."""
        if size <= _FEW:
            return similarities()[first, second]
        pairs, places = np.unique(first * size + second, return_inverse=True)
        found: Floats = similarity(listed, *np.divmod(pairs, size))[places]
        return found

    return of_numbers
