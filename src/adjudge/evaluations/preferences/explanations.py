"""Scores of explanations: similarity to gold explanations, and verdicts of a judge."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

import numpy as np
import polars as pl

from adjudge.evaluations.preferences.options import PreferencesOptions
from adjudge.evaluations.scoring import input_of
from adjudge.metrics.cells import Floats
from adjudge.metrics.partial_counts import Workers
from adjudge.readers.inputs import source_beside
from adjudge.readers.preferences.score_tables import read_verdicts
from adjudge.report import Input
from adjudge.schemas.preferences import JudgedItems
from adjudge.text.rouge import other_scripts_warning, rouge_l
from adjudge.text.similarity import of_distinct_pairs

Load = Callable[[], Callable[[pl.DataFrame], list[float]]]


def explanation_scores(
    judged: JudgedItems, systems: Sequence[JudgedItems], options: PreferencesOptions, workers: Workers
) -> tuple[dict[str, Floats], list[str]]:
    """Metric -> an array systems x criteria x items of scores, and warnings."""
    if not options.explanations:
        return {}, []
    scores = {"rouge_l": _score_array(judged, systems, rouge_l)}
    if options.embedding_model:
        load = partial(load_bertscorer, options.embedding_model)
        scores["bertscore"] = _score_array(judged, systems, partial(score_bertscore, workers, load))
    absent = {
        system.name: sum(
            int((_blank_to_null(judged.frame[one]).is_not_null() & _blank_to_null(system.frame[one]).is_null()).sum())
            for one in judged.task.why_columns
        )
        for system in systems
    }
    texts = pl.concat(
        one.frame[column].cast(pl.String) for one in (judged, *systems) for column in judged.task.why_columns
    )
    missing = [f"{name}: {n:,} explanations are missing, and count as 0" for name, n in absent.items() if n]
    return scores, [*missing, *other_scripts_warning(texts)]


def score_bertscore(workers: Workers, load: Load, predicted: pl.Series, reference: pl.Series) -> pl.Series:
    """BERTScore, each two texts once; in pieces where these are scored elsewhere. load: see `load_bertscorer`."""

    def score_distinct(predicted: pl.Series, reference: pl.Series) -> list[float]:
        texts = pl.DataFrame({"given": predicted, "known": reference}).with_row_index("row").sort("known", "row")
        pieces = list(texts.iter_slices(_BY_MODEL_AT_ONCE)) if workers.remote else [texts]
        scores = chain.from_iterable(workers.map_loaded("BERTScore", load, pieces))
        return pl.Series("score", scores, pl.Float64).gather(texts["row"].arg_sort()).to_list()

    return of_distinct_pairs("bertscore", predicted, reference, score_distinct)


def load_bertscorer(model: str) -> Callable[[pl.DataFrame], list[float]]:
    """A function that scores pairs of texts by a model, which is loaded now."""
    from adjudge.text.bertscore import loaded_bertscore

    score = loaded_bertscore(model, None)
    return lambda texts: score(texts["given"], texts["known"])


_BY_MODEL_AT_ONCE = 1_000
"""Pairs of explanations that a model scores at once. Those with the same gold text are adjacent: it is encoded once."""


def _score_array(
    gold: JudgedItems, systems: Sequence[JudgedItems], compare: Callable[[pl.Series, pl.Series], pl.Series]
) -> Floats:
    """An array systems x criteria x items: NaN without a gold explanation, 0 without the system's.

    All texts are compared in one call, so that each distinct one is dealt with once. compare: from predicted and
    reference texts to scores, null where either is missing.
    """
    columns = gold.task.why_columns
    reference = pl.concat([_blank_to_null(gold.frame[column]) for _ in systems for column in columns], rechunk=True)
    predicted = pl.concat([_blank_to_null(one.frame[column]) for one in systems for column in columns], rechunk=True)
    scores = compare(predicted.fill_null(""), reference).cast(pl.Float64).fill_null(np.nan).to_numpy()
    return scores.reshape(len(systems), len(columns), gold.frame.height)


def _blank_to_null(texts: pl.Series) -> pl.Series:
    """The texts, null if blank."""
    return texts.to_frame("text").select(pl.when(pl.col("text").str.strip_chars() != "").then("text")).to_series()


def verdicts_of(
    gold: JudgedItems, systems: Sequence[str], options: PreferencesOptions
) -> tuple[dict[str, Floats], pl.DataFrame | None, list[Input], list[str]]:
    """The scores of a judge of explanations, its verdicts, the file that holds them, and warnings.

    Scores are an array systems x criteria x items: 1 for yes, 0 for no, NaN where there is no verdict.
    """
    if options.verdicts is None:
        return {}, None, [], []
    source, criteria = source_beside(options.verdicts, options.reading), gold.task.criteria
    table, warnings = read_verdicts(source, gold.frame["id"], systems, criteria)
    if silent := table["verdict"].null_count():
        warnings.append(f"{source.name}: {silent:,} verdicts are null, and count as missing")
    coded = table.with_columns((pl.col("verdict") == "yes").cast(pl.Float64))
    asked = pl.DataFrame({"system": systems})
    for keys in (pl.DataFrame({"criterion": criteria}), gold.frame.select("id")):
        asked = asked.join(keys, how="cross", maintain_order="left_right")
    verdicts = asked.join(coded, on=["system", "criterion", "id"], how="left", maintain_order="left")["verdict"]
    judged = verdicts.fill_null(np.nan).to_numpy().reshape(len(systems), len(criteria), gold.frame.height)
    return {"judge": judged}, table, [input_of(source, table.height)], warnings
