"""Bias of a judge: what it prefers beyond what people prefer on the same items."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from adjudge.errors import OptionError, closest
from adjudge.estimate import Estimate
from adjudge.evaluations.card import tables
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.reading import NOMINAL, ORDERED_LEVELS, CardLabels, ChoiceLabels, find_choices
from adjudge.evaluations.inputs import SECOND_FAMILY
from adjudge.metrics.tables import Keys, rows_by_group
from adjudge.readers.column_names import SIDES, words
from adjudge.readers.problems import listed
from adjudge.readers.tables import BESIDE, collect, schema_of
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.spec import MetricSpec
from adjudge.statistics.scores import mean_change, mean_score
from adjudge.text.style import LONGER, RULES

SHARE_METRICS = ("judge_share", "people_share", "bias")
SCALE_METRICS = ("judge_scale", "people_scale", "scale_bias")
"""Metrics of the judge, of people, and of their difference: for shares, and for values in the unit of the labels."""

STYLE_BIASES = {"longer": "length"} | dict.fromkeys(("more_lists", "more_headings", "more_bold"), "formatting")
"""Style rule -> the bias of a judge that prefers the response with the higher count of that rule."""

NO_CHOICES = "no two labels choose between responses as a and b do; --map-values label:FIRST=a,SECOND=b names them so"
NO_ORDER = "labels of one response have no order; give --ordered LABEL,..."
SECOND_SUFFIX = "_second"
"""The suffix of a style rule's column that counts the second response."""


def _contrast_rows(
    keys: Keys, bias: str, of: str, contrast: tables.Contrast, *, shares: bool = True
) -> Iterator[tables.CardRow]:
    """The judge, people, and their difference, which is tested. shares: whether values are shares, or labels."""
    table, metrics = ("bias", SHARE_METRICS) if shares else ("bias_scale", SCALE_METRICS)
    results: tuple[tables.CardResult, ...] = contrast
    for metric, result in zip(metrics, results, strict=True):
        yield tables.CardRow(table, {**keys, "bias": bias, "of": of}, metric, result)


def _preference(card: CardLabels, *, paired: bool) -> tuple[ChoiceLabels | None, str]:
    """The labels that choose one of two responses, None if labels are about one; and why labels say neither."""
    if not paired:
        return None, NO_ORDER if card.level == NOMINAL else ""
    sides = find_choices(card)
    return sides, "" if sides else f"{NO_CHOICES}."


_UNKNOWN_FAMILY = "Bias for the own family of models is unknown"


def _family_bias(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Self-preference: does a judge favour responses of its own family more than people do?"""
    sides, unknown = _preference(card, paired=card.has(SECOND_FAMILY))
    if unknown:
        yield f"{_UNKNOWN_FAMILY}: {unknown}"
        return
    columns = [name for name in ("family", SECOND_FAMILY) if card.has(name)]
    families = card.labels.group_by("item").agg(pl.col(columns).cast(pl.String).drop_nulls().first())
    names = sorted({name for column in columns for name in families[column].drop_nulls()})
    family_of = _judge_families(card.judges, names)
    people, confidence = card.labels_by(card.people), options.ci_level
    for keys, judged in tables.labels_by_judge(card, options.by):
        if (family := family_of.get(keys["judge"])) is None:
            continue
        labels = judged.drop(columns).join(families, on="item", how="left", maintain_order="left")
        if sides is not None:
            first, second = (pl.col(name).fill_null("") == family for name in columns)
            values = tables.values_by_item(labels, sides.first_chosen, people, pl.when(first != second).then(first))
            reason = "no item with a response of the own family beside one of another"
            contrast = tables.contrast_means(values, confidence, reason=reason)
        else:
            values = tables.values_by_item(labels.drop_nulls("family"), pl.col("place"), people)
            values = values.join(families, on="item", how="left", maintain_order="left")
            along = (values["family"] == family).cast(pl.Float64).to_numpy()
            reason = "all responses are of the own family" if np.all(along) else "no response is of the own family"
            contrast = tables.contrast_slopes(values, along, confidence, reason)
        yield from _contrast_rows(keys, "own family", family, contrast, shares=sides is not None)
    if missing := [judge for judge in card.judges if judge not in family_of]:
        yield (
            f"{_UNKNOWN_FAMILY} of {listed(missing)}: no family is part of the name; rename one as in --map-values "
            f"{options.family[0]}:FAMILY=JUDGE."
        )


def _judge_families(judges: Sequence[str], families: Sequence[str]) -> dict[str, str]:
    """The family of each judge: the longest whose words are part of the judge's name."""
    family_of = {}
    for judge in judges:
        parts = f" {' '.join(words(judge))} "
        if matching := [name for name in families if words(name) and f" {' '.join(words(name))} " in parts]:
            family_of[judge] = max(matching, key=len)
    return family_of


_ORDER_METRICS = {
    "inconsistency": MetricSpec(
        "Changes with the order",
        "Items on which the choice changes with the order / items judged in both orders; of several draws, of pairs.",
        better="low",
    ),
    "place_preference": tables.difference_spec(
        "For the first place", "How much more often the judge chooses what is shown first than what is shown second."
    ),
}
_FIRST_SHOWN = "first"


def _position_bias(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Position bias: does a judge prefer the response shown first?"""
    sides = find_choices(card)
    if sides is None:
        yield f"Position bias is unknown: {NO_CHOICES}."
        return
    texts = card.labels_by(card.judges)["order"].unique().drop_nulls().cast(pl.String).sort().to_list()
    meanings = first_shown_by_order(texts, sides)
    if meanings is None:
        either = f"{sides.first}{sides.second} and {sides.second}{sides.first}, or original and swapped"
        expected = f"expected which response was shown first, such as {either}"
        raise OptionError(f"{expected}; got {listed(texts)}", option="position_column")
    first_shown = pl.col("order").cast(pl.String).replace_strict(meanings, default=None, return_dtype=pl.Boolean)
    people = card.labels_by(card.people)
    for keys, labels in tables.labels_by_judge(
        card, options.by, card.labels.with_columns(first_shown.alias(_FIRST_SHOWN))
    ):
        values = tables.values_by_item(labels, sides.first_chosen, people, pl.col(_FIRST_SHOWN))
        yield from _contrast_rows(keys, "position", "shown first", tables.contrast_means(values, options.ci_level))
        yield from _order_rows(labels, sides, keys, options.ci_level)


def first_shown_by_order(orders: Sequence[str], sides: ChoiceLabels) -> dict[str, bool] | None:
    """Value of the order column -> whether the first response was shown first; None if the values do not say.

    >>> first_shown_by_order(["ab", "ba"], ChoiceLabels("a", "b"))
    {'ab': True, 'ba': False}
    >>> first_shown_by_order(["A", "B"], ChoiceLabels("A", "B"))
    {'A': True, 'B': False}
    """
    spelt = {order: "".join(words(order)) for order in orders}
    first, second = ("".join(words(side)) for side in (sides.first, sides.second))
    pairs = [(first + second, second + first), (first, second), ("original", "swapped")]
    pairs += [sides for sides in SIDES if sides != ("0", "1")]  # which may say whether the order is swapped
    pairs += [(x + y, y + x) for x, y in SIDES]
    fitting = next((pair for pair in pairs if set(spelt.values()) <= set(pair)), None)
    return {order: text == fitting[0] for order, text in spelt.items()} if fitting else None


def _order_rows(labels: pl.DataFrame, sides: ChoiceLabels, keys: Keys, confidence: float) -> Iterator[tables.CardRow]:
    """Rows on items that a judge saw in both orders: how often its choice changes, and towards which position."""
    chosen = labels.with_columns(chosen=sides.first_chosen)
    shares = [(pl.col("chosen") == at).mean().alias(f"{at}") for at in _CHOICES]
    cluster = pl.col("^cluster$").first()
    in_order = chosen.filter(_FIRST_SHOWN).group_by("item", maintain_order=True).agg(*shares, cluster)
    swapped = chosen.filter(~pl.col(_FIRST_SHOWN)).group_by("item").agg(shares)
    both = in_order.join(swapped, on="item", how="inner", maintain_order="left")
    equal = pl.sum_horizontal(pl.col(f"{at}") * pl.col(f"{at}_right") for at in _CHOICES)
    towards = pl.sum_horizontal(at * (pl.col(f"{at}") - pl.col(f"{at}_right")) for at in _CHOICES)
    if both.is_empty():
        none = Estimate.undefined("no item that the judge saw in both orders", confidence=confidence)
        yield from (tables.CardRow("orders", keys, metric, none) for metric in _ORDER_METRICS)
        return
    units = tables.cluster_numbers(both)
    changes, towards_first = (both.select(part.round(12)).to_series().to_numpy() for part in (1 - equal, towards))
    yield tables.CardRow("orders", keys, "inconsistency", mean_score(changes, units, confidence=confidence))
    yield tables.CardRow("orders", keys, "place_preference", mean_change(towards_first, units, confidence=confidence))


_CHOICES = (0.0, 0.5, 1.0)
"""How far a label chooses the first response."""


def _text_bias(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Length and formatting bias: does a judge prefer longer and more formatted responses more than people do?

    Of choices, how often judge and people choose the longer, or more formatted, of two responses; of ordered labels,
    how much higher they are for texts of twice the length.
    """
    features, confidence = style_counts(card, options.responses), options.ci_level
    sides, unknown = _preference(card, paired=len(options.responses) > 1)
    if unknown:
        yield f"Bias for long and for formatted texts is unknown: {unknown}"
        return
    all_labels = card.labels.with_columns(pl.col("item").cast(pl.String))
    people = card.labels_by(card.people, all_labels)
    for keys, labels in tables.labels_by_judge(card, options.by, all_labels):
        if sides is None:
            values = tables.values_by_item(labels, pl.col("place"), people)
            values = values.join(features.filter(pl.col(LONGER) > 0), on="item", how="inner", maintain_order="left")
            doublings = np.log2(values[LONGER].to_numpy())
            contrast = tables.contrast_slopes(values, doublings, confidence, "all texts are of one length")
            yield from _contrast_rows(keys, "length", "twice as long", contrast, shares=False)
            continue
        styled = labels.join(features, on="item", how="inner", maintain_order="left")
        for rule, bias in STYLE_BIASES.items():
            first, second = pl.col(rule), pl.col(rule + SECOND_SUFFIX)
            more = pl.when(first != second).then(first > second)
            values = tables.values_by_item(styled, sides.first_chosen, people, more)
            contrast = tables.contrast_means(values, confidence, reason="no item on which one response has more")
            yield from _contrast_rows(keys, bias, RULES[rule].name.lower(), contrast)


def style_counts(card: CardLabels, responses: Sequence[str]) -> pl.DataFrame:
    """Style of the responses per item: what each rule of style counts in the first and in the second response.

    responses: the columns of one response, or of two. The columns are called RULE and RULE_second.
    Raises OptionError for a column that no input holds.
    """
    parts = []
    for part in card.judgments.parts:
        names = schema_of(part.source, part.rows).names()
        known = [name.removeprefix(BESIDE) for name in names if name.startswith(BESIDE)]
        if missing := [name for name in responses if name not in known]:
            there = f"there are {listed(known) if known else 'none'}"
            problem = f'{part.source.name}: no column of texts called "{missing[0]}"; {there}'
            raise OptionError(problem, option="responses", fix=closest(missing[0], known))
        columns = [pl.col(BESIDE + name) for name in responses]
        texts = part.rows.group_by("item", maintain_order=True).agg(text.drop_nulls().first() for text in columns)
        counted = [
            RULES[rule].count(text).alias(rule + suffix)
            for text, suffix in zip(columns, ("", SECOND_SUFFIX), strict=False)
            for rule in STYLE_BIASES
        ]
        parts.append(collect(part.source, texts.drop_nulls().select(pl.col("item").cast(pl.String), *counted)))
    return pl.concat(parts).unique("item", keep="first", maintain_order=True)


_MOST_LABELS = 20
_SAME_ITEMS = "on the same items"

METRICS = {
    "judge_share": MetricSpec("Judge's share", f"How often the judge gives the label or chooses so, {_SAME_ITEMS}."),
    "people_share": MetricSpec("Humans' share", f"How often humans do {_SAME_ITEMS}: of each item their mean."),
    "bias": tables.difference_spec("Judge minus humans", f"The judge's share less that of humans {_SAME_ITEMS}."),
    "judge_scale": tables.number_spec("Judge's labels", "Their mean, or how much higher they are for such texts."),
    "people_scale": tables.number_spec("Humans' labels", f"The same of humans {_SAME_ITEMS}."),
    "scale_bias": tables.number_spec("Bias of labels", "The judge's less humans', in their unit.", signed=True),
    **_ORDER_METRICS,
    "moved": MetricSpec(
        "Verdict moved",
        "Items with another label after a change in what should not count, such as length / items judged with both.",
        better="low",
    ),
}
TABLES = {
    "bias": "What each judge prefers beyond humans on the same items; labels are the 20 most frequent ones. p is "
    "adjusted over each kind of bias of a judge.",
    "bias_scale": "The same of labels on a scale: their height, and how much higher they are for longer texts or for "
    "responses of the judge's own family.",
    "orders": "Items that a judge saw with the responses in both orders.",
    "probes": "How often a verdict moved when an item was changed in what should not count.",
}


def bias_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardPart]:
    """Rows on biases, with notes on what the labels cannot show."""
    yield from _label_bias(card, options)
    if card.has("order"):
        yield from _position_bias(card, options)
    if options.responses:
        yield from _text_bias(card, options)
    if card.has("family"):
        yield from _family_bias(card, options)
    yield from _probe_parts(card, options)


def _label_bias(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow]:
    """Label bias: how often the judge gives each label, and its mean on the scale."""
    confidence, people = options.ci_level, card.labels_by(card.people)
    counts = card.labels["label"].value_counts(sort=True)
    names = sorted(counts["label"].cast(pl.String).head(_MOST_LABELS)) if card.level in (NOMINAL, "ordinal") else []
    counted = names[:1] if counts.height == 2 else names  # noqa: PLR2004 - the share of the other is the rest
    for keys, labels in tables.labels_by_judge(card, options.by):
        for name in counted:
            values = tables.values_by_item(labels, (pl.col("label").cast(pl.String) == name).cast(pl.Float64), people)
            yield from _contrast_rows(keys, "label", name, tables.contrast_means(values, confidence))
        if card.level in ORDERED_LEVELS:
            contrast = tables.contrast_means(
                tables.values_by_item(labels, pl.col("place"), people), confidence, shares=False
            )
            yield from _contrast_rows(keys, "height", "all labels", contrast, shares=False)


# --- probes: items changed in what should not count ---


def _probe_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardPart]:
    """Rows on labels of changed items, of annotators who judged any."""
    if card.probed is None or card.probed.is_empty():
        return
    yield {"probes": typed_table([], [*options.by, "judge", "probe", *ESTIMATE_COLUMNS])}
    keys = [*options.by, "item", "who"]
    before = card.first_labels.select(*keys, pl.col("label").alias("before"))
    probed = card.probed.unique(["item", "who", "probe"], keep="first", maintain_order=True)
    both = probed.join(before, on=keys, how="inner", maintain_order="left")
    for group, labels in rows_by_group(both, [*options.by, "who", "probe"]):
        moved = (labels["label"].cast(pl.String) != labels["before"].cast(pl.String)).to_numpy().astype(float)
        estimate = mean_score(moved, tables.cluster_numbers(labels), confidence=options.ci_level)
        named = {name: group[name] for name in options.by} | {"judge": group["who"], "probe": group["probe"]}
        yield tables.CardRow("probes", named, "moved", estimate)


BIAS_SECTION = tables.CardSection(METRICS, TABLES, bias_parts)
