"""Estimates with confidence intervals, and their caveats."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any, Self

from adjudge.errors import OptionError

_NO_INTERVAL = "Its variance is unknown, so there is no interval."
_TOO_NARROW = "The interval may cover the true value less often than its confidence says."
_TITLES = {
    "one_cluster_of_part": "one cluster in a part",
    "few_changes": "few items that change",
    "few_chance_disagreements": "too few chance disagreements",
    "under_100_clusters": "fewer than 100 clusters",
    "published": "from published values",
    "not_given": "not in the data",
    "other_is_worse": "the other judge is worse",
}
"""Codes -> the printed words, if these differ from the code."""


class Caveat(StrEnum):
    """Why an interval may miss its coverage, or does not exist.

    A caveat is a code in tables and JSON. meaning: the situation. consequence: the effect on the metric, by
    default that its interval may be too narrow. title: the printed words, by default those of the code. The
    most serious come first: an estimate has one caveat (`gravest_caveat`).

    >>> Caveat("few_items").title
    'few items'
    """

    title: str  # type: ignore[assignment]  # replaces the method of str, which a code does not need
    meaning: str
    consequence: str

    def __new__(cls, code: str, meaning: str = "", consequence: str = _TOO_NARROW) -> Self:
        """A caveat from its code and its texts."""
        note = str.__new__(cls, code)
        note._value_, note.title = code, _TITLES.get(code, code.replace("_", " "))
        note.meaning, note.consequence = meaning, consequence
        return note

    ONE_ITEM = ("one_item", "The estimate is based on a single item.", _NO_INTERVAL)
    ONE_CLUSTER = ("one_cluster", "All items behind the estimate belong together.", _NO_INTERVAL)
    ONE_CLUSTER_OF_PART = ("one_cluster_of_part", "A part of the mean has a single item or cluster.", _NO_INTERVAL)
    NO_VARIATION = ("no_variation", "All items (clusters) contribute the same to the estimate.", _NO_INTERVAL)
    FEW_CLUSTERS = ("few_clusters", "The estimate is based on few clusters, groups of items.", "The interval is rough.")
    FEW_CHANGES = ("few_changes", "The value changes on few items: fewer than 5, or with draws fewer than 30.")
    UNSEEN_LABELS = (
        "unseen_labels",
        "At least one label occurs on a single item, so that others may be missing.",
        "Chance agreement, or the scale, depends on them: declare all labels, or expect the interval to be too narrow.",
    )
    FEW_CHANCE_DISAGREEMENTS = ("few_chance_disagreements", "By chance alone labels would differ on under 30 items.")
    FEW_DECIDED_PAIRS = ("few_decided_pairs", "There are few pairs, or few on which both annotators choose a side.")
    FEW_DISCORDANT_ITEMS = ("few_discordant_items", "There are few items, or few on which only one of two is right.")
    FEW_ANNOTATORS = ("few_annotators", "There are too few annotators to estimate how much they differ.")
    CONSERVATIVE = (
        "conservative",
        "At least one gold label occurs on few items, and the method is conservative there.",
        "The interval is wider, and a test less often significant, than necessary.",
    )
    RARE_LABELS = ("rare_labels", "At least one gold label occurs on fewer than 30 items.")
    UNDER_100_CLUSTERS = (
        "under_100_clusters",
        "The estimate is based on fewer than 100 clusters.",
        "A 95% interval covers the true value in about 84 to 97% of samples, least if few clusters hold most errors.",
    )
    APPROXIMATE = ("approximate", "The interval is an approximation for large samples, and this one is not large.")
    SKEWED = ("skewed", "A few items (clusters) lie too far to one side for a sample of this size.")
    FEW_ITEMS = ("few_items", "The estimate is based on few items.")
    PUBLISHED = ("published", "Only published values are known, not the items.", "There is no interval, and no test.")
    NOT_GIVEN = ("not_given", "No violation in the data has this part.", "Its weight is 0.")
    OTHER_IS_WORSE = (
        "other_is_worse",
        "No judge can be better by this much.",
        "The plan is for one that is worse by it.",
    )
    NO_SECOND_RUN = (
        "no_second_run",
        "A single run does not show how much the differences of two judges vary.",
        "The smallest difference that can be detected takes a second run on the same items.",
    )


def gravest_caveat(*notes: Caveat | None) -> Caveat | None:
    """The most serious of several caveats, in the order of `Caveat`.

    >>> gravest_caveat(Caveat.FEW_ITEMS, None, Caveat.RARE_LABELS).title
    'rare labels'
    """
    return next((note for note in Caveat if note in notes), None)


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate of a metric: its value, confidence interval, n and method.

    value: the metric; None if it is undefined, with the `reason`. Never NaN.
    low, high: the limits of the interval; both None without one, with a `caveat`.
    n: the denominator, in the metric's own units (items, pairs, texts).
    method: name of the interval ("wilson", "tango", ...); None without one.
    confidence: nominal coverage of the interval, in (0, 1).
    caveat: why the interval may miss its coverage (`Caveat.FEW_ITEMS`) or is missing (`Caveat.ONE_CLUSTER`).

    >>> print(Estimate(0.7, 0.3968, 0.8922, n=10, method="wilson", caveat=Caveat.FEW_ITEMS))
    0.700 [0.397, 0.892] n=10 (few items)
    >>> print(Estimate.undefined("no items"))
    undefined: no items
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    method: str | None = None
    confidence: float = 0.95
    reason: str | None = None
    caveat: Caveat | None = None

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise OptionError(f"expected a number between 0 and 1; got {self.confidence!r}", option="confidence")
        numbers = (self.value or 0.0, self.low or 0.0, self.high or 0.0)
        fits = (self.value is None) != (self.reason is None) and (self.low is None) == (self.high is None)
        if not (fits and all(map(isfinite, numbers)) and numbers[1] <= numbers[2]):
            raise ValueError(f"an Estimate has a finite value or a reason, and both limits or neither; got {self!r}")

    @classmethod
    def undefined(cls, reason: str, *, n: int = 0, confidence: float = 0.95) -> Self:
        """The Estimate of a metric that has no value, with the reason."""
        return cls(None, n=n, confidence=confidence, reason=reason)

    @classmethod
    def from_row(cls, row: Mapping[str, Any], *, confidence: float = 0.95) -> Self:
        """The Estimate in a row of a table of metrics. Raises ValueError for an unknown caveat."""
        fields = {name: row[name] for name in ("value", "low", "high", "n", "method", "reason")}
        return cls(**fields, confidence=confidence, caveat=None if row["caveat"] is None else Caveat(row["caveat"]))

    @property
    def ci(self) -> tuple[float, float] | None:
        """The limits of the confidence interval; None without one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined: {self.reason}"
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if self.low is not None else ""
        note = f" ({self.caveat.title})" if self.caveat else ""
        return f"{self.value:.3f}{interval} n={self.n}{note}"
