"""Which predicted violation is which true one.

Overlapping spans become candidate pairs, pairs become scores, and scores become a one-to-one match. All of it happens
in columns over many texts at once, in batches that bound the memory. A table of pairs has the columns predicted and
truth (rows of the spans of either side), score, and one for each part that was compared. For each unmatched violation,
near misses name the closest one of the other side, and the part that fails to match.

The similarity of what two violations say is computed once for each pair of different texts.

When a predicted violation matches a true one: the weights of what is compared, and thresholds.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import fsum
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from adjudge.errors import DataError
from adjudge.evaluations.violations.options import CalibrateOptions, MarkedOptions, SimilarityOptions
from adjudge.metrics.cells import Floats, Integers
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.readers.io.source import Source
from adjudge.report import Input
from adjudge.schemas.violations import INVENTED, PLACE, TEXT_PARTS
from adjudge.text.similarity import TextSimilarity, embedder
from adjudge.text.similarity import similarity as similarity_of
from adjudge.text.toml_files import toml_in

PARTS = ("overlap", "rule", "category", "explanation", "correction")
"""The parts of two violations that are compared; each gives a similarity in [0, 1]."""

DECIMALS = 12
"""Scores are rounded to this many decimals before they are compared with a threshold, which they must exceed."""

_SUM = 1e-9
"""The greatest distance of a sum of weights from 1."""


@dataclass(frozen=True, slots=True)
class MatchRule:
    """When two violations can match: each of these strictly exceeded.

    weights: part -> its weight in the score, >= 0, sum 1. score, overlap, rule: the thresholds, below 0 where there is
    none. What both violations of a pair lack has no threshold, and its weight goes to the other parts.
    """

    weights: Mapping[str, float]
    score: float = 0.5
    overlap: float = 0.0
    rule: float = 0.01

    @property
    def weighted_parts(self) -> list[str]:
        """The parts that weigh something."""
        return [part for part in PARTS if self.weights.get(part, 0.0) > 0]


VARIANTS = {
    "std": MatchRule({"overlap": 0.5, "rule": 0.5}),
    "ha": MatchRule({"overlap": 0.3, "rule": 0.3, "category": 0.1, "explanation": 0.2, "correction": 0.1}),
}
"""The standard match, and the human-aligned one."""

ALONE = MatchRule({"overlap": 1.0}, score=0.0, overlap=0.0, rule=-1.0)
"""The rule by which any two overlapping spans can match."""
OVERLAP = "overlap"
"""The variant that compares offsets alone."""


def without_parts(rule: MatchRule, absent: Collection[str]) -> MatchRule:
    """The rule for data in which no violation has some parts: their weight goes to the others in proportion.

    Without rules, the threshold of rules goes too. Where nothing that weighs is left, overlap alone decides.
    """
    kept = {part: rule.weights[part] for part in rule.weighted_parts if part not in absent}
    total = fsum(kept.values())
    weights = {part: weight / total for part, weight in kept.items()} if kept else {"overlap": 1.0}
    return replace(rule, weights=weights, rule=-1.0 if "rule" in absent else rule.rule)


def rule_formula(rule: MatchRule, what: str) -> str:
    """A rule in words. what: what its thresholds decide, such as "a match"."""
    score = " + ".join(f"{rule.weights[part]:.3g} {part}" for part in rule.weighted_parts)
    limits = {"score": rule.score, "overlap": max(rule.overlap, 0.0), "rule": rule.rule}
    conditions = ", ".join(f"{name} > {limit:g}" for name, limit in limits.items() if limit >= 0)
    return f"score = {score}; {what} needs {conditions}"


def absent_part_warnings(absent: Sequence[str], then: str) -> list[str]:
    """A warning about parts that no violation has. then: what becomes of their weights."""
    if not absent:
        return []
    gone = ", and the threshold of rules is ignored" if "rule" in absent else ""
    return [f"All violations lack {', '.join(absent)}: {then}{gone}"]


Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]
Limit = Annotated[float, msgspec.Meta(ge=0, lt=1)] | Literal["off"]


class MatchSettings(
    msgspec.Struct, forbid_unknown_fields=True, rename=lambda name: name if name == "weights" else f"{name}_threshold"
):
    """What a file of settings says of a variant; None or nothing where the default holds."""

    score: Limit | None = None
    overlap: Limit | None = None
    rule: Limit | None = None
    weights: dict[Literal["overlap", "rule", "category", "explanation", "correction"], Fraction] = {}


class SettingsFile(msgspec.Struct, forbid_unknown_fields=True):
    """What a file of settings says."""

    std: MatchSettings = msgspec.field(default_factory=MatchSettings)
    ha: MatchSettings = msgspec.field(default_factory=MatchSettings)


def rules_of(options: MarkedOptions | CalibrateOptions) -> tuple[dict[str, MatchRule], list[Input]]:
    """The rule of each variant that options ask for, as a file of settings changes it, and that file as an input."""
    path = None if options.config is None else Path(options.config)
    rules = read_settings(path) if path else VARIANTS
    chosen = {name: rules[name] for name in (rules if options.variant == "both" else [options.variant])}
    source = Source(str(path), "toml", path=path) if path else None
    return chosen, [Input(source.name, source.sha256(), 0, source.size)] if source else []


def read_settings(path: Path) -> dict[str, MatchRule]:
    """The rule of each variant, with the weights (all of them) and thresholds that a TOML file names.

    [ha]
    score_threshold = 0.42

    [ha.weights]
    overlap = 0.5
    rule = 0.5

    Raises DataError for anything else in it, OptionError for a file that cannot be read as TOML.
    """
    try:
        document = msgspec.convert(toml_in(path, "TOML"), SettingsFile)
    except msgspec.ValidationError as error:
        names = f"{', '.join(MatchSettings.__struct_encode_fields__)} of {', '.join(PARTS)}"
        raise DataError(f"{path}: {error}", found=f"{', '.join(VARIANTS)}, with {names}") from None
    rules = {}
    for variant, rule in VARIANTS.items():
        settings = getattr(document, variant)
        total = fsum(settings.weights.values())
        if settings.weights and abs(total - 1) > _SUM:
            raise DataError(f"{path}, {variant}, weights: expected weights that sum to 1; got {total:.6g}")
        limits = {name: getattr(settings, name) for name in ("score", "overlap", "rule")}
        changed = {name: -1.0 if limit == "off" else limit for name, limit in limits.items() if limit is not None}
        rules[variant] = replace(rule, weights=settings.weights or rule.weights, **changed)
    return rules


def settings_text(variant: str, rule: MatchRule, remark: str) -> str:
    """The settings of a variant as TOML that `read_settings` reads, under a line of remark.

    >>> print(settings_text("ha", MatchRule({"rule": 1.0}, rule=-1.0), "made by hand"), end="")
    # made by hand
    <BLANKLINE>
    [ha]
    score_threshold = 0.5
    overlap_threshold = 0.0
    rule_threshold = "off"
    <BLANKLINE>
    [ha.weights]
    rule = 1.0
    """
    limits = {"score_threshold": rule.score, "overlap_threshold": rule.overlap, "rule_threshold": rule.rule}
    lines = [f"{name} = {limit}" if limit >= 0 else f'{name} = "off"' for name, limit in limits.items()]
    weights = [f"{part} = {weight}" for part, weight in rule.weights.items()]
    return "\n".join([f"# {remark}", "", f"[{variant}]", *lines, "", f"[{variant}.weights]", *weights, ""])


NOTHING = -1
"""The number of a text that is missing."""

MOST_PAIRS = 1 << 21
"""Candidate pairs in a batch; more only where a single text has more."""
MOST_OVERLAPS = 1 << 21
"""Candidate pairs in a text. To compare as many takes 0.9 GB: 1,450 of either side that all overlap."""


Similarity = Callable[[Integers, Integers], Floats]
"""From numbers of texts (predicted, true), none of them missing, to their similarity in [0, 1]."""


def share_categories(tables: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """Tables of spans (see adjudge.schemas.violations) in which the texts of each part are the same categories.

    They are sorted, so that their numbers compare as the texts do. Rows keep their order: by text, then by start.
    """
    words = {part: pl.concat([table[part] for table in tables]).drop_nulls().unique().sort() for part in TEXT_PARTS}
    return [table.cast({part: pl.Enum(texts) for part, texts in words.items()}) for table in tables]


def distinct_texts(spans: pl.DataFrame, part: str) -> pl.Series:
    """All different texts of a part, of every side, by their numbers."""
    categories: pl.Series = spans.schema[part].categories  # type: ignore[attr-defined] # of an Enum
    return categories


@dataclass(frozen=True, eq=False)
class SpanSides:
    """Violations to compare: both tables (see `share_categories`), and the similarity of each text part."""

    predicted: pl.DataFrame
    truth: pl.DataFrame
    similarities: Mapping[str, Similarity]


def match_spans(sides: SpanSides, rules: Mapping[str, MatchRule]) -> dict[str, pl.DataFrame]:
    """The matches by each rule: pairs in the order of the predictions, each violation in at most one.

    The highest score counts first, of equal ones the larger overlap, then what the violations themselves say decides.
    """
    batches_by_rule: dict[str, list[pl.DataFrame]] = {name: [] for name in rules}
    for pairs in candidate_pairs(sides):
        if "rule" in sides.similarities:  # which nearly every variant asks for
            pairs = with_similarities(["rule"], pairs, sides)  # noqa: PLW2901 - for all variants
        for name, rule in rules.items():
            batches_by_rule[name].append(_choose_pairs(_score_pairs(pairs, sides, rule), sides))
    return {name: pl.concat(batches).sort("predicted") for name, batches in batches_by_rule.items()}


# --- candidates ---


def candidate_pairs(sides: SpanSides) -> Iterator[pl.DataFrame]:
    """All pairs of spans of one text that share a character, or are empty at one place, in batches of at least one.

    Each pair is met once: either the true span starts in the predicted one, or the predicted one starts in the true
    one, behind its start. Raises DataError where a text has more than MOST_OVERLAPS.
    """
    both = (sides.predicted, sides.truth)
    width = 2 + max(int(side["end"].max() or 0) for side in both)  # type: ignore[arg-type]
    (p_place, p_start, p_end), (t_place, t_start, t_end) = (_global_offsets(side, width) for side in both)
    in_predicted = np.searchsorted(t_start, p_start), np.searchsorted(t_start, p_end)
    in_truth = np.searchsorted(p_start, t_start, side="right"), np.searchsorted(p_start, t_end)
    texts = 1 + max(int(p_place.max(initial=0)), int(t_place.max(initial=0)))
    counts = sum_by_text(p_place, in_predicted[1] - in_predicted[0], texts)
    counts += sum_by_text(t_place, in_truth[1] - in_truth[0], texts)
    if len(counts) and counts.max() > MOST_OVERLAPS:
        text = int(counts.argmax())
        raise DataError(
            f"text {text + 1:,} of the ground truth: predicted and true violations overlap in {int(counts[text]):,} "
            f"pairs; at most {MOST_OVERLAPS:,} are compared",
            fix="split the text into several with ids of their own, in all files",
        )
    for texts_of_batch in _text_batches(counts):
        predicted_slice, true_slice = (slice(*np.searchsorted(place, texts_of_batch)) for place in (p_place, t_place))
        p, t = _expand_ranges(predicted_slice.start, *(side[predicted_slice] for side in in_predicted))
        other_t, other_p = _expand_ranges(true_slice.start, *(side[true_slice] for side in in_truth))
        pairs = overlap_pairs(sides, np.concatenate([p, other_p]), np.concatenate([t, other_t]))
        yield pairs.filter(pl.col("overlap") > 0)


def _global_offsets(side: pl.DataFrame, width: int) -> tuple[Integers, Integers, Integers]:
    """The text of each violation, and offsets that count on from text to text; empty spans are a character long.

    Violations without a place stand before the text, where nothing else is.
    """
    place, start, end = (side[name].cast(pl.Int64).fill_null(-1).to_numpy() for name in (PLACE, "start", "end"))
    return place, place * width + start, place * width + np.maximum(end, start + 1)


def sum_by_text(places: ArrayLike, values: ArrayLike | None, count: int) -> Floats:
    """The sum of values at each place from 0 to count; without values, the number of entries there."""
    sums: Floats = np.bincount(places, values, count).astype(np.float64)
    return sums


def _text_batches(counts: Floats) -> Iterator[tuple[int, int]]:
    """Runs of texts with at most MOST_PAIRS candidates each, or one text with more. counts: of each text."""
    sums = np.cumsum(counts)
    first = 0
    while first < len(sums):
        before = sums[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(sums, before + MOST_PAIRS, side="right")))
        yield first, last
        first = last


def _expand_ranges(offset: int, low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """Ranges as pairs: the number of a range, counted from offset, and a member of it."""
    sizes = np.maximum(high - low, 0)
    rows = np.repeat(np.arange(len(low)), sizes)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows + offset, low[rows] + within


def overlap_pairs(sides: SpanSides, p: Integers, t: Integers) -> pl.DataFrame:
    """Pairs with their overlap: characters in both / in either; 1 for empty spans at one place."""
    both = ((sides.predicted, p), (sides.truth, t))
    offsets = ([side[name].to_numpy()[rows] for name in ("start", "end")] for side, rows in both)
    (p_start, p_end), (t_start, t_end) = offsets
    shared = np.minimum(p_end, t_end) - np.maximum(p_start, t_start)
    either = np.maximum(p_end, t_end) - np.minimum(p_start, t_start)
    overlap = np.divide(shared, either, out=np.ones(len(p)), where=either > 0).clip(0)
    return pl.DataFrame({"predicted": p, "truth": t, "score": np.zeros(len(p)), "overlap": overlap})


# --- scores ---


def _score_pairs(pairs: pl.DataFrame, sides: SpanSides, rule: MatchRule) -> pl.DataFrame:
    """The pairs that can match, with their scores. What both violations lack neither weighs nor has a threshold."""
    limits = {part: limit for part, limit in {"overlap": rule.overlap, "rule": rule.rule}.items() if limit >= 0}
    pairs = with_similarities([part for part in PARTS if part in (*rule.weighted_parts, *limits)], pairs, sides)
    pairs = pairs.filter(True, *(pl.col(part).is_null() | (pl.col(part) > limit) for part, limit in limits.items()))
    pairs = pairs.with_columns(score=pair_scores(pairs, rule))
    return pairs.filter(pl.col("score") > rule.score)


def pair_scores(values: pl.DataFrame, rule: MatchRule) -> Floats:
    """The score of each pair: the weighted sum of its parts, by the weight of those that it has."""
    weights = [(rule.weights[part], pl.col(part)) for part in rule.weighted_parts]
    total = pl.sum_horizontal(weight * alike.fill_null(0) for weight, alike in weights)
    weight = pl.sum_horizontal(weight * alike.is_not_null() for weight, alike in weights)
    score = pl.when(weight > 0).then(total / weight).otherwise("overlap").round(DECIMALS)
    return values.select(score).to_series().to_numpy()


def with_similarities(parts: Iterable[str], pairs: pl.DataFrame, sides: SpanSides) -> pl.DataFrame:
    """Pairs with their similarity in some parts: null if both sides lack it, 0 if one does, 1 if both are equal."""
    for part in parts:
        if part in pairs.columns:
            continue
        part_texts = (sides.predicted[part].gather(pairs["predicted"]), sides.truth[part].gather(pairs["truth"]))
        predicted, true = (texts.to_physical().cast(pl.Int64).fill_null(NOTHING).to_numpy() for texts in part_texts)
        values = (predicted == true).astype(np.float64)
        differ = np.flatnonzero((predicted != true) & (predicted != NOTHING) & (true != NOTHING))
        if len(differ) and part != "category":
            values[differ] = sides.similarities[part](predicted[differ], true[differ])
        lacking = pl.Series((predicted == NOTHING) & (true == NOTHING), dtype=pl.Boolean)
        pairs = pairs.with_columns(pl.Series(part, values).set(lacking, None))
    return pairs


# --- assignment ---


def _choose_pairs(pairs: pl.DataFrame, sides: SpanSides) -> pl.DataFrame:
    """The pairs that match, each violation once: the highest score first, then the larger overlap, then by contents.

    Of the two contents of a pair the smaller counts first, so that it does not matter which side is which.
    """
    keys = [PLACE, "score", "overlap"]
    places = sides.predicted[PLACE].gather(pairs["predicted"])
    rows = pairs.with_columns(places, -pl.col("score", "overlap")).with_row_index("row")
    tied = rows.filter(pl.struct(keys).is_duplicated())
    both = [sides.predicted[tied["predicted"]], sides.truth[tied["truth"]]]
    contents = pl.concat(both).select(pl.struct("start", "end", *TEXT_PARTS).rank("dense")).to_series()
    left, right = contents.head(tied.height), contents.tail(tied.height)
    smaller = tied.select("row", low=pl.min_horizontal(left, right), high=pl.max_horizontal(left, right))
    ordered = rows.join(smaller, on="row", how="left").sort(*keys, "low", "high")
    taken_p, taken_t, chosen = set[int](), set[int](), []
    for row, p, t in ordered.select("row", "predicted", "truth").iter_rows():
        if p not in taken_p and t not in taken_t:
            taken_p.add(p)
            taken_t.add(t)
            chosen.append(row)
    return pairs[chosen]


NOTHING_THERE = "nothing there"
"""No violation of the other side overlaps it."""
NOT_IN_TEXT = "not in the text"
"""It quotes words that the text does not hold."""
TAKEN_BY_OTHER = "taken"
"""The closest one would match, and matches another."""
_CALLED = {"overlap": "boundary"}


def find_near_misses(sides: SpanSides, rule: MatchRule, matches: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The unmatched violations of either side, in their order: the row (in a column named as the side), and `failed`.

    What comes closest has the highest score, of equal ones the larger overlap. What failed is the part that does not
    exceed its own threshold, else the one that lacks most of the score.
    """
    limits = {part: limit for part, limit in {"overlap": rule.overlap, "rule": rule.rule}.items() if limit >= 0}
    fails = {part: (pl.col(part) <= limit).fill_null(value=False) for part, limit in limits.items()}
    compared = [part for part in PARTS if part in (*rule.weighted_parts, *limits)]
    lacks = {part: (rule.weights.get(part, 0.0) * (1 - pl.col(part))).fill_null(0) for part in compared}
    lacks |= {part: lacks[part] + below.cast(pl.Int64) for part, below in fails.items()}
    most = pl.max_horizontal(lacks.values())
    blamed = (pl.when(lack == most).then(pl.lit(_CALLED.get(part, part))) for part, lack in lacks.items())
    fits = ~pl.any_horizontal(pl.col("score") <= rule.score, *fails.values())
    failed = pl.when(fits).then(pl.lit(TAKEN_BY_OTHER)).otherwise(pl.coalesce(*blamed))
    closest: dict[str, list[pl.DataFrame]] = {"predicted": [], "truth": []}
    for batch in candidate_pairs(sides):
        alone = pl.any_horizontal(~pl.col(side).is_in(matches[side].implode()) for side in closest)
        pairs = with_similarities(compared, batch.filter(alone), sides)
        pairs = pairs.with_columns(score=pair_scores(pairs, rule)).with_columns(failed=failed)
        pairs = pairs.sort("score", "overlap", "predicted", "truth", descending=[True, True, False, False])
        for side, batches in closest.items():
            batches.append(pairs.unique(side, keep="first", maintain_order=True).select(side, "failed"))
    tables = {}
    for side, spans in (("predicted", sides.predicted), ("truth", sides.truth)):
        nothing = pl.when(pl.col(INVENTED).is_null()).then(pl.lit(NOTHING_THERE)).otherwise(pl.lit(NOT_IN_TEXT))
        rows = spans.select(pl.int_range(pl.len()).alias(side), nothing.alias("nothing"))
        rows = rows.join(matches, on=side, how="anti", maintain_order="left")
        rows = rows.join(pl.concat(closest[side]), on=side, how="left", maintain_order="left")
        tables[side] = rows.select(side, pl.coalesce("failed", "nothing").alias("failed"))
    return tables


# --- every checker ---

Similarities = Mapping[str, Callable[[pl.Series], Similarity]]
"""Part -> what makes a similarity of its texts."""


def likeness_of(options: SimilarityOptions, workers: Workers = LOCAL_WORKERS) -> Similarities:
    """Part -> the function that computes similarities of its texts. workers: where local models work."""
    specs = {"text_similarity": options.text_similarity, "rule_similarity": options.rule_similarity}
    # One spec has one similarity, so that a model embeds each text once.
    made = {spec: similarity_of(spec, embedded=partial(_embed, workers), option=name) for name, spec in specs.items()}
    rules, texts = (partial(likeness, similarity=made[specs[name]]) for name in ("rule_similarity", "text_similarity"))
    return {"rule": rules, "explanation": texts, "correction": texts}


def _embed(workers: Workers, model: str, texts: list[str]) -> NDArray[np.float32]:
    """Vectors of texts by a local model."""
    return workers.map_loaded("embedding", partial(embedder, model), [texts])[0]


@dataclass(frozen=True, eq=False)
class MatchSetup:
    """Violations to match, and how.

    tables: the violations of all sides (see `share_categories`). rules: as they are applied, without the parts
    that no violation has. absent: those of these parts that would weigh. similarities: part -> that of its texts.
    """

    tables: list[pl.DataFrame]
    rules: dict[str, MatchRule]
    absent: tuple[str, ...]
    similarities: dict[str, Similarity]


def set_up_matching(
    tables: Sequence[pl.DataFrame], rules: Mapping[str, MatchRule], similarities: Similarities
) -> MatchSetup:
    """All that matching by some rules takes."""
    shared = share_categories(tables)
    absent = [part for part in TEXT_PARTS if distinct_texts(shared[0], part).is_empty()]
    applied = {name: without_parts(rule, absent) for name, rule in rules.items()}
    weighed = tuple(part for part in absent if any(part in rule.weighted_parts for rule in rules.values()))
    alike = {part: make(distinct_texts(shared[0], part)) for part, make in similarities.items()}
    return MatchSetup(shared, applied, weighed, alike)


def likeness(texts: pl.Series, similarity: TextSimilarity) -> Similarity:
    """The similarity of texts by their numbers. texts: different ones, by number."""
    listed, size = texts.to_list(), len(texts)

    def of_numbers(first: Integers, second: Integers) -> Floats:
        """The similarities of some pairs."""
        pairs, places = np.unique(first * size + second, return_inverse=True)
        found: Floats = similarity(listed, *np.divmod(pairs, size))[places]
        return found

    return of_numbers


MATCHES = "matches"
MatchTables = dict[tuple[str, str], pl.DataFrame]
"""What matching makes of one checker: (variant, MATCHES) -> pairs, (variant, side) -> near misses (`near_misses`)."""


def match_checker(sides: SpanSides, rules: Mapping[str, MatchRule]) -> MatchTables:
    """All that matching makes of one checker."""
    pairs = match_spans(sides, {**rules, OVERLAP: ALONE})
    tables = {(variant, MATCHES): matches for variant, matches in pairs.items()}
    for variant, rule in rules.items():
        near_misses = find_near_misses(sides, rule, pairs[variant])
        tables |= {(variant, side): misses for side, misses in near_misses.items()}
    return tables
