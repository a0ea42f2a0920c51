"""Labels of people and judges, read from files of any form into one table."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property

import polars as pl

from adjudge.errors import DataError, OptionError, closest
from adjudge.errors import flag_name as name_of
from adjudge.evaluations import judgments
from adjudge.evaluations.card.options import AnyOptions, CardOptions
from adjudge.evaluations.inputs import (
    CLUSTER,
    ITEM_COLUMNS,
    SECOND_FAMILY,
    check_one_value_per_item,
    fill_item_columns,
    read_aligned,
)
from adjudge.readers.column_names import MODELS, SIDES, words
from adjudge.readers.io.source import Source
from adjudge.readers.labels import judgments as reader
from adjudge.readers.problems import count_words, listed
from adjudge.schemas import judgments as schema
from adjudge.schemas.columns import NONE


def is_model(name: str) -> bool:
    """Whether a name looks like the name of a model.

    >>> [is_model(one) for one in ("gpt-4o", "Claude_3", "llm judge", "gpt4", "Claudia", "ana")]
    [True, True, True, True, False, False]
    """
    return any(word in MODELS or word.rstrip("0123456789o") in MODELS for word in words(name))


LABEL_COLUMNS = {
    "draw": "run_column",
    "order": "position_column",
    "probe": "probe_column",
    "certainty": "confidence_column",
    "cost": "cost_column",
    "family": "family",
    SECOND_FAMILY: "family",
    "time": "time",
    "weights": "weights",
    "strata": "strata",
}
"""Columns of `CardLabels.labels`, and the options that name them in the file; not every command has all."""
REPEAT_COLUMNS = ("draw", "order", "probe", "time")
"""Columns that distinguish several labels of one annotator on one item."""
GOLD = "reference"
"""The name of the annotator whose labels are the reference column."""
FLAGGED = "flagged"
"""The label of flagged items."""
TIE_LABELS = frozenset(
    ("tie", "both", "neither", "none", "equal", "same", "draw", "both_good", "both_bad", "unsure", "unclear")
)
"""Labels of ties: they choose neither response."""
JURY = "jury"
"""The name of the jury among judges."""
_JUDGES_OWN = ("who", "label", "place", "draw", "order", "certainty", "cost")
"""Columns of labels that a jury does not take over from its members."""
NOMINAL = "nominal"
ORDERED_LEVELS = ("ordinal", "interval", "ratio")


@dataclass(frozen=True, eq=False)
class CardLabels:
    """Labels of people and of judges.

    labels: a row per label, in the file's order: item, who, label, place (of the label on the scale, for ordered
    levels), the LABEL_COLUMNS that were asked for, any cluster, and the `by` columns; only of people and judges.
    people, judges: their names, sorted. level: of the scale. warnings: of reading. judgments: as they were read, for
    their inputs and texts. cached_outcomes: by the columns that group them (see `outcomes`).
    """

    labels: pl.DataFrame
    people: tuple[str, ...]
    judges: tuple[str, ...]
    level: str
    warnings: tuple[str, ...]
    judgments: reader.Judgments
    probed: pl.DataFrame | None = None
    cached_outcomes: dict[tuple[str, ...], pl.DataFrame] = field(init=False, default_factory=dict)

    def has(self, column: str) -> bool:
        """Whether a column was asked for."""
        return column in self.labels.columns

    @property
    def unit(self) -> str | None:
        """The units of intervals: clusters, or None for items."""
        return "cluster" if self.has("cluster") else None

    @property
    def counts(self) -> dict[str, int]:
        """Counts for the head of the report."""
        labels, who = self.labels, {"people": len(self.people), "judges": len(self.judges)}
        numbers = {"labels": labels.height, "items": labels["item"].n_unique()}
        return numbers | who | dict(self.judgments.dropped)

    @cached_property
    def first_labels(self) -> pl.DataFrame:
        """The first label of each annotator on each item: of several draws or orders, the first in the file."""
        return self.labels.unique(["item", "who"], keep="first", maintain_order=True)

    def labels_by(self, names: Sequence[str], labels: pl.DataFrame | None = None) -> pl.DataFrame:
        """The labels of some annotators. labels: to choose from, by default all."""
        frame = self.labels if labels is None else labels
        return frame.filter(pl.col("who").cast(pl.String).is_in(list(names)))


@dataclass(frozen=True, slots=True)
class ChoiceLabels:
    """The labels that choose the first and the second of two responses."""

    first: str
    second: str

    @property
    def first_chosen(self) -> pl.Expr:
        """1 if a label chooses the first response, 0 if the second, a half for any other label."""
        label = pl.col("label").cast(pl.String)
        return pl.when(label == self.first).then(1.0).when(label == self.second).then(0.0).otherwise(0.5)


def find_choices(card: CardLabels) -> ChoiceLabels | None:
    """The labels that choose a response: the only two labels besides ties, if they name sides such as a and b."""
    known = card.labels["label"].unique().cast(pl.String).sort().to_list()
    spelt = {label: words(label.lower()) for label in known if "_".join(words(label)) not in TIE_LABELS}
    for sides in SIDES:
        label_of = {side: label for label, parts in spelt.items() for side in sides if (parts or ("",))[-1] == side}
        if len(label_of) == len(spelt) == len(sides):
            return ChoiceLabels(*(label_of[side] for side in sides))
    return None


def reading_options(options: AnyOptions) -> reader.JudgmentReading:
    """How labels are read. Raises OptionError for columns that do not fit together."""
    named = named_columns(options)
    scoring = options if isinstance(options, CardOptions) else CardOptions.of(options.values())
    return replace(
        judgments.reader_options(scoring, options.ordered, level=options.level),
        by=tuple(dict.fromkeys([*options.by, *named.values()])),
        ordered=judgments.order_of(options),
        untrusted=True,
        apart=tuple(named[name] for name in REPEAT_COLUMNS if name in named),
        named={theirs: LABEL_COLUMNS[name] for name, theirs in named.items()},
    )


def named_columns(options: AnyOptions) -> dict[str, str]:
    """Column of `CardLabels.labels` -> the file's.

    Raises OptionError for more families than there are responses, and for a column that two options name.
    """
    families = options.family if isinstance(options, CardOptions) else ()
    if len(families) > 2:  # noqa: PLR2004 - of two responses at most
        problem = f"expected one column, or one for each of two responses; got {listed(families)}"
        raise OptionError(problem, option="family")
    values = options.values() | {"family": None}
    named = {name: column for name, option in LABEL_COLUMNS.items() if (column := values.get(option))}
    named |= dict(zip(("family", SECOND_FAMILY), families, strict=False))
    if twice := [column for column in named.values() if [*named.values()].count(column) > 1]:
        raise OptionError(f"expected a column for each option; got {twice[0]} for two of them")
    return named


def read_labels(inputs: Sequence[Source], options: AnyOptions, read_each: reader.ReadEach = map) -> CardLabels:
    """The labels of all inputs. Raises DataError for invalid inputs, OptionError for unknown names."""
    read = _read_judgments(inputs, options, read_each)
    labels, gold = _label_table(read, options)
    judgments.check_ratio_labels(labels["label"], options)
    everyone = labels["who"].unique().cast(pl.String).sort().to_list()
    named = options.judges or ([] if options.reference else sorted(read.models.intersection(everyone)))
    judges = _matching_names("judges", named, [name for name in everyone if not (gold and name == GOLD)])
    people = _matching_names("reference", options.reference, everyone)
    judges, people, neither = _judges_and_people(judges, people, everyone, {GOLD} if gold else set())
    chosen = labels.filter(pl.col("who").cast(pl.String).is_in([*judges, *people]))
    probed = None
    if "probe" in chosen.columns:
        is_probed = pl.col("probe").cast(pl.String).fill_null("") != ""
        probed, chosen = chosen.filter(is_probed), chosen.filter(~is_probed).drop("probe")
    remarks = list[str]()
    if isinstance(options, CardOptions) and options.jury:
        chosen, remarks = with_jury(chosen, _matching_names("jury", options.jury, judges))
        judges = [*judges, JURY]
    if models := [name for name in people if is_model(name) and not options.reference]:
        remarks.append(f"counted as human: {listed(models)}; name judges with --judges, or humans with --reference")
    if neither:
        remarks.append(f"neither judge nor human, excluded: {listed(neither)}; --reference names humans")
    card = CardLabels(chosen, tuple(people), tuple(judges), judgments.level_of(options), (), read, probed)
    return replace(card, warnings=(*read.warnings, *_warnings(card), *remarks))


def annotators_in(inputs: Sequence[Source], options: AnyOptions) -> list[str]:
    """The names of all annotators in the inputs. Raises DataError for invalid inputs."""
    annotators = _read_judgments(inputs, options, map).frame["annotator"]
    return annotators.unique().cast(pl.String).sort().to_list()


def _read_judgments(inputs: Sequence[Source], options: AnyOptions, read_each: reader.ReadEach) -> reader.Judgments:
    """The judgments in inputs of any form, with all warnings."""
    named = named_columns(options)
    optional = {LABEL_COLUMNS[name]: column for name, column in named.items() if column not in options.by}
    return read_aligned(inputs, reading_options(options), optional, read_each)


def _label_table(read: reader.Judgments, options: AnyOptions) -> tuple[pl.DataFrame, bool]:
    """A row per label, and whether the data have a reference column."""
    frame = read.frame
    parts = [frame if read.references is None else pl.concat([frame, read.references], how="diagonal")]
    gold = "reference_label" in frame.columns
    if gold:
        trusted = frame.unique("item", keep="first", maintain_order=True).with_columns(
            pl.lit(GOLD).cast(pl.Categorical()).alias("annotator"),
            *(pl.col(f"reference_{name}").alias(name) for name in ("label", "flagged", "skipped")),
        )
        parts.append(trusted.with_columns(pl.col("flagged", "skipped").fill_null(value=False)))
    names = named_columns(options)
    label = pl.when(pl.col("flagged")).then(pl.lit(FLAGGED, pl.Categorical())).otherwise("label")
    cluster = ["cluster"] if "cluster" in frame.columns and options.cluster != NONE else []
    rows = pl.concat(parts, how="diagonal").filter(~pl.col("skipped"))
    named = (pl.col(column).alias(name) for name, column in names.items())
    groups = (name for name in options.by if name not in names)
    table = rows.select("item", pl.col("annotator").alias("who"), label.alias("label"), *cluster, *named, *groups)
    check_one_value_per_item(table, ("weights", "strata", CLUSTER))
    order = judgments.order_of(options)
    place = schema.scale_position(pl.col("label"), order) if order else pl.lit(None, pl.Float64)
    given = fill_item_columns(table, ITEM_COLUMNS).filter(pl.col("label").is_not_null())
    costs = [pl.col("cost").cast(pl.String).cast(pl.Float64, strict=False)] if "cost" in names else []
    return given.with_columns(place.alias("place"), *costs), gold


def _matching_names(option: str, patterns: Sequence[str], known: Sequence[str]) -> list[str]:
    """The names that match patterns. Raises OptionError for a pattern without a match."""
    matching = set[str]()
    for pattern in patterns:
        fits = [pattern] if pattern in known else [name for name in known if fnmatchcase(name, pattern)]
        if not fits:
            fix = closest(pattern, known)
            raise OptionError(f'no annotator "{pattern}"', option=option, found=listed(known), fix=fix)
        matching.update(fits)
    return sorted(matching)


def _judges_and_people(
    judges: list[str], people: list[str], everyone: Sequence[str], gold: Collection[str]
) -> tuple[list[str], list[str], list[str]]:
    """Judges, people, and annotators who are neither.

    gold: the holder of the trusted label, who stands for people only where there are no others.
    Raises OptionError where nothing says who is judged, and for a name on both sides; DataError where a side is empty.
    """
    if not (judges or people):
        found = listed(everyone)
        raise OptionError("no judge given", voters=everyone, option="judges", found=found, fix="NAME,...")
    if shared := [name for name in judges if name in people]:
        problem = f"{shared[0]} is named by {name_of('reference')} too, and no judge is its own reference"
        raise OptionError(problem, option="judges")
    judges = judges or [name for name in everyone if name not in people and name not in gold]
    rest = [name for name in everyone if name not in judges]
    people = people or [name for name in rest if name not in gold] or [name for name in rest if name in gold]
    if not (judges and people):
        lacking, option = ("human annotators", "judges") if judges else ("judges", "reference")
        raise DataError(f"there are no {lacking} beside {listed(everyone)}", fix=f"name fewer with {name_of(option)}")
    return judges, people, [name for name in everyone if name not in {*judges, *people}]


def _warnings(card: CardLabels) -> Iterator[str]:
    """Warn about judges who share no labels with people, and about repeated labels."""
    common = set(card.labels_by(card.people)["label"].unique().cast(pl.String))
    for name in card.judges if card.level == NOMINAL else ():
        labels = set(card.labels_by([name])["label"].unique().cast(pl.String))
        if labels and labels.isdisjoint(common):
            both = f"{listed(sorted(labels))} beside {listed(sorted(common))}"
            yield f"{name} and humans have no label in common: {both}; --map-values says what they mean"
    repeats = card.labels.height - card.first_labels.height
    if repeats and not any(card.has(name) for name in REPEAT_COLUMNS):
        yield f"{count_words(repeats, 'label is', 'labels are')} further ones on the same item"


def with_jury(labels: pl.DataFrame, members: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Labels with those of the jury, and a warning if it excludes items.

    A member's first label of an item counts. Nominal labels: the one that most members give; ordered ones: the median.
    An item that a member has not labelled, or without such a label, gets none. labels: item, who, label, place (null
    for nominal labels) and further columns of items.
    """
    known = labels["who"].unique().cast(pl.String).to_list()
    if len(members) < 2 or JURY in known:  # noqa: PLR2004 - one alone is no jury
        problem = f"an annotator is called {JURY}" if JURY in known else "expected two judges or more"
        raise OptionError(problem, option="jury", found=listed(members))
    of_members = labels.filter(pl.col("who").cast(pl.String).is_in(list(members)))
    votes = of_members.unique(["item", "who"], keep="first", maintain_order=True)
    further = [pl.col(name).first() for name in votes.columns if name not in ("item", *_JUDGES_OWN)]
    if "cost" in votes.columns:  # a jury costs what its members cost together
        further.append(pl.when(~pl.col("cost").has_nulls()).then(pl.col("cost").sum()).alias("cost"))
    middle, most = pl.col("label").sort_by("place"), pl.col("label").mode()
    low, high = (middle.get(index) for index in ((pl.len() - 1) // 2, pl.len() // 2))
    median, majority = pl.when(low == high).then(low), pl.when(most.len() == 1).then(most.first())
    chosen = median if votes["place"].null_count() < votes.height else majority
    by_item = votes.group_by("item", maintain_order=True).agg(chosen.alias("label"), *further, __votes=pl.len())
    jury = by_item.filter(pl.col("label").is_not_null(), pl.col("__votes") == len(members)).drop("__votes")
    lacking = by_item.height - jury.height
    places = votes.select("label", "place").unique("label")
    jury = jury.join(places, on="label", how="left", maintain_order="left")
    excluded = count_words(lacking, "item has no label of the jury", "items have no label of the jury")
    added = pl.concat([labels, jury.with_columns(who=pl.lit(JURY).cast(pl.Categorical()))], how="diagonal")
    return added, [f"{excluded}: its members are divided, or one has none"] * bool(lacking)
