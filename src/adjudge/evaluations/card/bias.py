"""Bias of a judge: what it prefers beyond what people prefer on the same items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from adjudge.errors import OptionError, nearest
from adjudge.estimate import Estimate
from adjudge.evaluations.align_inputs import SECOND_FAMILY
from adjudge.evaluations.card.choice_labels import (
    NO_CHOICES,
    SECOND_SUFFIX,
    STYLE_BIASES,
    ChoiceLabels,
    find_choices,
    first_shown_by_order,
    style_counts,
)
from adjudge.evaluations.card.outcomes import outcomes
from adjudge.evaluations.card.reading import NOMINAL, ORDERED_LEVELS, CardLabels
from adjudge.evaluations.card.tables import (
    JUDGE_VALUE,
    PEOPLE_VALUE,
    CardSection,
    SectionTables,
    cluster_numbers,
    contrast_means,
    contrast_rows,
    contrast_slopes,
    labels_by_judge,
    values_by_item,
    with_adjusted_p,
)
from adjudge.metrics.tables import TESTED, Keys, estimate_row, rows_by_group
from adjudge.readers.column_names import words
from adjudge.readers.problems import listed
from adjudge.report import typed_table
from adjudge.spec import MetricSpec
from adjudge.statistics.scores import mean_change, mean_score
from adjudge.text.style import LONGER, RULES

SHARE_METRICS = ("judge_share", "people_share", "bias")
SCALE_METRICS = ("judge_scale", "people_scale", "scale_bias")
"""The judge's figure, people's, and the judge's less people's: of shares, and in the unit of the labels."""


@dataclass(frozen=True, eq=False)
class BiasRows:
    """Rows of the tables of one kind of bias, without p_adjusted.

    rows: of shares. scale: in the unit of the labels. orders: of what is judged in both orders. lacks: what nothing is
    known of, with the option that would tell. notes: what else must be known.
    """

    rows: Sequence[Keys] = ()
    scale: Sequence[Keys] = ()
    orders: Sequence[Keys] = ()
    lacks: Sequence[str] = ()
    notes: Sequence[str] = ()


_NO_ITEM = "no item with a response of the own family beside one of another"
_UNKNOWN_FAMILY = "Bias for the own family of models is unknown"


def _family_bias(card: CardLabels, options: Mapping[str, Any]) -> BiasRows:
    """Self-preference: does a judge favour responses of its own family more than people do?"""
    if not card.has("family"):
        return BiasRows(lacks=["responses of the judge's own family of models (needs --family COLUMN)"])
    paired = card.has(SECOND_FAMILY)
    sides = find_choices(card, options["choices"]) if paired else None
    if paired and sides is None:
        return BiasRows(notes=[f"{_UNKNOWN_FAMILY}: {NO_CHOICES}."])
    if not paired and card.level == NOMINAL:
        return BiasRows(notes=[f"{_UNKNOWN_FAMILY}: labels of one response have no order; give --ordered LABEL,..."])
    held = [name for name in ("family", SECOND_FAMILY) if card.has(name)]
    families = card.labels.group_by("item").agg(pl.col(held).cast(pl.String).drop_nulls().first())
    known = sorted({name for column in held for name in families[column].drop_nulls()})
    own = _judge_families(card.judges, known, options["own_family"])
    rows, people = list[Keys](), card.labels_by(card.people)
    for keys, labels in labels_by_judge(card, options["by"]):
        if family := own.get(keys["judge"]):
            own_labels = labels.drop(held).join(families, on="item", how="left", maintain_order="left")
            named = {**keys, "bias": "own family", "of": family}
            rows += _family_rows(own_labels, people, (family, sides), named, options["confidence"])
    lacking = [judge for judge in card.judges if judge not in own]
    unknown = f"{_UNKNOWN_FAMILY} of {listed(lacking)}"
    notes = [f"{unknown}: no family is part of the name; say which with --own-family JUDGE=FAMILY."] if lacking else []
    return BiasRows(rows, notes=notes) if paired else BiasRows(scale=rows, notes=notes)


def _judge_families(judges: Sequence[str], families: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """The family of each judge: the one given as an option, else the longest whose words are part of its name.

    Raises OptionError for a judge or a family that nobody knows.
    """
    for judge, family in named.items():
        for name, known in ((judge, judges), (family, families)):
            if name not in known:
                raise OptionError(f"own_family: no {name}{nearest(name, known)}; there are {listed(known)}")
    found = {}
    for judge in judges:
        fits = [one for one in families if words(one) and _contains_words(words(one), words(judge))]
        if judge in named or fits:
            found[judge] = named.get(judge) or max(fits, key=len)
    return found


def _contains_words(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether words occur in a row among other words."""
    return any(others[place : place + len(some)] == some for place in range(len(others)))


def _family_rows(
    labels: pl.DataFrame, people: pl.DataFrame, own: tuple[str, ChoiceLabels | None], keys: Keys, confidence: float
) -> list[Keys]:
    """Self-preference of a judge. own: its family, and the labels that choose between two responses, if any."""
    family, sides = own
    if sides is not None:
        one, other = (pl.col(name).fill_null("") == family for name in ("family", SECOND_FAMILY))
        values = values_by_item(labels, sides.first_chosen, people, pl.when(one != other).then(one))
        return contrast_rows(keys, SHARE_METRICS, contrast_means(values, confidence, reason=_NO_ITEM))
    told = values_by_item(labels.drop_nulls("family"), pl.col("place"), people)
    values = told.join(labels.select("item", "family").unique("item"), on="item", how="left", maintain_order="left")
    along = (values["family"] == family).cast(pl.Float64).to_numpy()
    reason = "all responses are of the own family" if np.all(along) else "no response is of the own family"
    return contrast_rows(keys, SCALE_METRICS, contrast_slopes(values, along, confidence, reason))


_GROUP_METRICS = {
    "group_agreement": MetricSpec("Agreement in the group", "Agreement with people on the items of the group.", "high"),
    "group_difference": MetricSpec(
        "Group less the others",
        "Agreement in the group less that on all other items.",
        "high",
        of_shares=True,
        signed=True,
    ),
    "group_bias": MetricSpec(
        "Beyond people",
        "The same difference of the judge's agreement less that of people with one another: below 0 the judge fares "
        "worse in the group than people do.",
        "high",
        of_shares=True,
        signed=True,
        bounds=(-2.0, 2.0),
    ),
}
_ONE_GROUP = "all items are of this group"


def _groups_table(card: CardLabels, options: Mapping[str, Any]) -> pl.DataFrame | None:
    """A row per judge, column of groups, group and figure; None without groups."""
    by, confidence = options["by"], options["confidence"]
    if not by:
        return None
    found = outcomes(card, by).collect().drop_nulls("agrees")
    rows: list[Keys] = []
    for keys, own in rows_by_group(found, ["judge"]):
        for column in by:
            for value in sorted(own[column].cast(pl.String).unique().drop_nulls()):
                inside = (own[column].cast(pl.String) == value).fill_null(value=False)
                rows += _group_rows(own, inside, {**keys, "column": column, "group": value}, confidence)
    tested = with_adjusted_p(rows, ["judge", "column", "metric"])
    return typed_table(tested, ["judge", "column", "group", *TESTED])


def _group_rows(own: pl.DataFrame, inside: pl.Series, keys: Keys, confidence: float) -> list[Keys]:
    here = own.filter(inside)
    clustered = own["cluster"].null_count() < own.height
    agreement = mean_score(
        here["agrees"].to_numpy(), cluster_numbers(here) if clustered else None, confidence=confidence
    )
    rows = [{**estimate_row(keys, "group_agreement", agreement), "p": None}]
    frame = own if clustered else own.drop("cluster")
    beside = frame.select(
        pl.exclude("value"), pl.col("agrees").alias(JUDGE_VALUE), pl.col("ceiling").alias(PEOPLE_VALUE)
    )
    alone = contrast_slopes(
        beside.with_columns(pl.lit(0.0).alias(PEOPLE_VALUE)), _as_floats(inside), confidence, _ONE_GROUP
    ).change
    told = beside.drop_nulls(PEOPLE_VALUE)
    within = inside.filter(beside[PEOPLE_VALUE].is_not_null())
    nobody = _ONE_GROUP if told.height else "no item that two or more people labelled"
    beyond = contrast_slopes(told, _as_floats(within), confidence, nobody).change
    for metric, change in (("group_difference", alone), ("group_bias", beyond)):
        rows.append({**estimate_row(keys, metric, change.estimate), "p": change.p})
    return rows


def _as_floats(inside: pl.Series) -> Any:  # noqa: ANN401 - an array
    return inside.cast(pl.Float64).to_numpy()


_ORDER_METRICS = {
    "inconsistency": MetricSpec(
        "Changes with the order",
        "Items on which the judge chooses another response when the two are shown in the other order / items judged in "
        "both orders; of several draws, the share of pairs of them.",
        better="low",
    ),
    "place_preference": MetricSpec(
        "For the first place",
        "Over both orders of the same items, how much more often the judge chooses what is shown first than what is "
        "shown second.",
        of_shares=True,
        signed=True,
    ),
}
_FIRST_SHOWN = "first"
_UNKNOWN_POSITION = "Position bias is unknown"


def _position_bias(card: CardLabels, options: Mapping[str, Any]) -> BiasRows:
    """Position bias: does a judge prefer the response shown first?"""
    if not card.has("order"):
        return BiasRows(lacks=["the first or the second place (needs --order COLUMN)"])
    sides = find_choices(card, options["choices"])
    if sides is None:
        return BiasRows(notes=[f"{_UNKNOWN_POSITION}: {NO_CHOICES}."])
    people = card.labels_by(card.people)
    rows, orders = list[Keys](), list[Keys]()
    for keys, labels in labels_by_judge(card, options["by"], _labels_with_order(card, sides)):
        found = contrast_means(
            values_by_item(labels, sides.first_chosen, people, pl.col(_FIRST_SHOWN)), options["confidence"]
        )
        rows += contrast_rows({**keys, "bias": "position", "of": "shown first"}, SHARE_METRICS, found)
        orders += _order_rows(labels, sides, keys, options["confidence"])
    return BiasRows(rows, orders=orders)


def _labels_with_order(card: CardLabels, sides: ChoiceLabels) -> pl.DataFrame:
    """Add a column to the labels: was the first response shown first? Null if unknown."""
    orders = card.labels_by(card.judges)["order"].unique().drop_nulls().cast(pl.String).sort().to_list()
    meanings = first_shown_by_order(orders, sides)
    if meanings is None:
        raise OptionError(
            f"order: expected which response was shown first, such as {sides.first}{sides.second} and "
            f"{sides.second}{sides.first}, or original and swapped; got {listed(orders)}"
        )
    found = pl.col("order").cast(pl.String).replace_strict(meanings, default=None, return_dtype=pl.Boolean)
    return card.labels.with_columns(found.alias(_FIRST_SHOWN))


def _order_rows(labels: pl.DataFrame, sides: ChoiceLabels, keys: Keys, confidence: float) -> list[Keys]:
    """Rows on items that a judge saw in both orders: how often its choice changes, and towards which position."""
    cluster = [pl.col("cluster").first()] if "cluster" in labels.columns else []
    told = labels.with_columns(chosen=sides.first_chosen).filter(pl.col(_FIRST_SHOWN).is_not_null())
    sides_first, sides_second = told.filter(_FIRST_SHOWN), told.filter(~pl.col(_FIRST_SHOWN))
    shares = [(pl.col("chosen") == at).mean().alias(f"{at}") for at in _CHOICES]
    one = sides_first.group_by("item", maintain_order=True).agg(*shares, *cluster)
    both = one.join(sides_second.group_by("item").agg(shares), on="item", how="inner", maintain_order="left")
    alike = pl.sum_horizontal(pl.col(f"{at}") * pl.col(f"{at}_right") for at in _CHOICES)
    towards = pl.sum_horizontal(at * (pl.col(f"{at}") - pl.col(f"{at}_right")) for at in _CHOICES)
    if both.is_empty():
        none = Estimate.undefined("no item that the judge saw in both orders", confidence=confidence)
        return [{**estimate_row(keys, metric, none), "p": None} for metric in _ORDER_METRICS]
    found = both.select(changes=(1 - alike).round(12), towards=towards.round(12))
    units = cluster_numbers(both)
    changes = mean_score(found["changes"].to_numpy(), units, confidence=confidence)
    preference = mean_change(found["towards"].to_numpy(), units, confidence=confidence)
    return [
        {**estimate_row(keys, "inconsistency", changes), "p": None},
        {**estimate_row(keys, "place_preference", preference.estimate), "p": preference.p},
    ]


_CHOICES = (0.0, 0.5, 1.0)
"""How far a label chooses the first response."""


_EQUAL_STYLE = "no item on which one response has more"
_UNKNOWN_STYLE = "Bias for long and for formatted texts is unknown: "


def _text_bias(card: CardLabels, options: Mapping[str, Any]) -> BiasRows:
    """Length and formatting bias: does a judge prefer longer and more formatted responses more than people do?"""
    responses = options["responses"]
    if not responses:
        return BiasRows(lacks=["long and formatted texts (needs --responses COLUMN,COLUMN)"])
    features = style_counts(card, responses)
    if len(responses) == 1:
        return _style_bias_of_scores(card, features, options)
    sides = find_choices(card, options["choices"])
    return (
        BiasRows(notes=[f"{_UNKNOWN_STYLE}{NO_CHOICES}."])
        if sides is None
        else _style_bias_of_choices(card, features, sides, options)
    )


def _style_bias_of_choices(
    card: CardLabels, features: pl.DataFrame, sides: ChoiceLabels, options: Mapping[str, Any]
) -> BiasRows:
    """How often the longer, or more formatted, of two responses is chosen."""
    people, rows = card.labels_by(card.people), list[Keys]()
    for keys, labels in labels_by_judge(card, options["by"]):
        held = labels.with_columns(pl.col("item").cast(pl.String)).join(
            features, on="item", how="inner", maintain_order="left"
        )
        own = people.with_columns(pl.col("item").cast(pl.String))
        for rule, bias in STYLE_BIASES.items():
            one, other = pl.col(rule), pl.col(rule + SECOND_SUFFIX)
            more = pl.when(one != other).then(one > other)
            values = values_by_item(held, sides.first_chosen, own, more)
            named = {**keys, "bias": bias, "of": RULES[rule].name.lower()}
            rows += contrast_rows(
                named, SHARE_METRICS, contrast_means(values, options["confidence"], reason=_EQUAL_STYLE)
            )
    return BiasRows(rows)


def _style_bias_of_scores(card: CardLabels, features: pl.DataFrame, options: Mapping[str, Any]) -> BiasRows:
    """How much higher labels are if the text is twice as long."""
    if card.level == NOMINAL:
        return BiasRows(notes=[f"{_UNKNOWN_STYLE}labels of one response have no order; give --ordered LABEL,..."])
    people, rows = card.labels_by(card.people).with_columns(pl.col("item").cast(pl.String)), list[Keys]()
    for keys, labels in labels_by_judge(card, options["by"]):
        values = values_by_item(labels.with_columns(pl.col("item").cast(pl.String)), pl.col("place"), people)
        values = values.join(features.filter(pl.col(LONGER) > 0), on="item", how="inner", maintain_order="left")
        doublings = np.log2(values[LONGER].to_numpy())
        found = contrast_slopes(values, doublings, options["confidence"], "all texts are of one length")
        rows += contrast_rows({**keys, "bias": "length", "of": "twice as long"}, SCALE_METRICS, found)
    return BiasRows(scale=rows)


_MOST_LABELS = 20
_SAME_ITEMS = "on the same items"

METRICS = {
    SHARE_METRICS[0]: MetricSpec(
        "Judge's share", f"How often the judge gives the label, or chooses the response, {_SAME_ITEMS}."
    ),
    SHARE_METRICS[1]: MetricSpec(
        "People's share", f"How often people do so {_SAME_ITEMS}: of each item the mean over people."
    ),
    SHARE_METRICS[2]: MetricSpec(
        "Judge minus people", f"The judge's share less that of people {_SAME_ITEMS}.", of_shares=True, signed=True
    ),
    SCALE_METRICS[0]: MetricSpec(
        "Judge's labels", "Their mean, or how much higher they are where the text is as said.", percent=False
    ),
    SCALE_METRICS[1]: MetricSpec("People's labels", f"The same of people {_SAME_ITEMS}.", percent=False),
    SCALE_METRICS[2]: MetricSpec(
        "Bias of labels", "The judge's less people's, in the unit of the labels.", percent=False, signed=True
    ),
    **_ORDER_METRICS,
    **_GROUP_METRICS,
}
TABLES = {
    "bias": "What each judge prefers beyond what people prefer on the same items. p is of the bias, adjusted for all "
    "tests of one kind of bias of a judge.",
    "bias_scale": "The same of labels that stand on a scale: how high they are, and how much higher for longer texts "
    "or for responses of the judge's own family.",
    "orders": "Items that a judge saw with the responses in both orders.",
    "groups": "Agreement with people in each group of items, and its difference from the other groups.",
}


def bias_tables(card: CardLabels, options: Mapping[str, Any]) -> SectionTables:
    """Make the tables of biases, with a note on each bias that the data cannot show."""
    keys = [*options["by"], "judge"]
    found = [part(card, options) for part in (_label_bias, _position_bias, _text_bias, _family_bias)]
    rows, scale, orders = ([row for one in found for row in getattr(one, name)] for name in ("rows", "scale", "orders"))
    groups = _groups_table(card, options)
    tables = {
        "bias": _bias_table(rows, [*keys, "bias"], ["of"]),
        "bias_scale": _bias_table(scale, [*keys, "bias"], ["of"]),
        "orders": _bias_table(orders, [*keys, "metric"], []),
        "groups": groups,
    }
    lacks = [lack for one in found for lack in one.lacks]
    unknown = [f"Not measured: a bias for {', or for '.join(lacks)}."] if lacks else []
    return SectionTables(
        {name: table for name, table in tables.items() if table is not None and table.height},
        (*unknown, *(note for one in found for note in one.notes)),
    )


def _bias_table(rows: Sequence[Keys], family: Sequence[str], further: Sequence[str]) -> pl.DataFrame:
    """A table of tests with adjusted p. family: the keys that rows adjusted together have in common."""
    keys = [name for name in (*family, *further) if name != "metric"]
    found = typed_table(with_adjusted_p(rows, family), [*keys, *TESTED])
    return found.sort(keys[: keys.index("judge") + 1], maintain_order=True)


def _label_bias(card: CardLabels, options: Mapping[str, Any]) -> BiasRows:
    """Label bias: how often the judge gives each label, and its mean on the scale."""
    confidence, people = options["confidence"], card.labels_by(card.people)
    rows, scale = list[Keys](), list[Keys]()
    counts = card.labels["label"].value_counts(sort=True)
    names = sorted(counts["label"].cast(pl.String).head(_MOST_LABELS)) if card.level in (NOMINAL, "ordinal") else []
    told = names[:1] if counts.height == 2 else names  # noqa: PLR2004 - the share of the other is the rest
    for keys, labels in labels_by_judge(card, options["by"]):
        for name in told:
            values = values_by_item(labels, (pl.col("label").cast(pl.String) == name).cast(pl.Float64), people)
            rows += contrast_rows(
                {**keys, "bias": "label", "of": name}, SHARE_METRICS, contrast_means(values, confidence)
            )
        if card.level in ORDERED_LEVELS:
            values = values_by_item(labels, pl.col("place"), people)
            named = {**keys, "bias": "height", "of": "all labels"}
            scale += contrast_rows(named, SCALE_METRICS, contrast_means(values, confidence, shares=False))
    more = counts.height - len(names) if names else 0
    left = f"Bias for single labels is that of the {_MOST_LABELS} most frequent ones; {more:,} more are left out."
    return BiasRows(rows, scale, notes=[left] if more else [])


BIAS_SECTION = CardSection(METRICS, TABLES, bias_tables)
