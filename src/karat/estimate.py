"""A figure with its interval."""

from dataclasses import dataclass
from math import isfinite
from typing import Self


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, how sure it is, and what it rests on.

    value: the figure; None where it is undefined, and then `reason` says why. Never NaN.
    low, high: the limits of the interval; both None where there is none, and then `note` says why.
    n: the denominator, in the figure's own units (items, pairs, texts).
    method: name of the interval ("wilson", "tango", ...); None where there is none.
    confidence: nominal coverage of the interval, in (0, 1).
    note: where the interval cannot keep its promise ("few items") or is missing ("one cluster").

    >>> print(Estimate(0.7, 0.3968, 0.8922, n=10, method="wilson", note="few items"))
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
    note: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("an Estimate has either a value or the reason why it has none")
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has both limits or neither")
        if not all(isfinite(x) for x in (self.value, self.low, self.high) if x is not None):
            raise ValueError(f"an Estimate holds finite numbers; got {self.value}, {self.low}, {self.high}")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low {self.low} lies above high {self.high}")

    @classmethod
    def undefined(cls, reason: str, *, n: int = 0, confidence: float = 0.95) -> Self:
        """The Estimate of a figure that has no value, with the reason."""
        return cls(None, n=n, confidence=confidence, reason=reason)

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined: {self.reason}"
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if self.low is not None else ""
        note = f" ({self.note})" if self.note else ""
        return f"{self.value:.3f}{interval} n={self.n}{note}"
