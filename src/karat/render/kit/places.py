"""Where runs stand along the axis of a picture: by their moments, by numbers, or evenly spaced."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from karat.axis import along, kind_of
from karat.names import distinct, short
from karat.render.kit.style import PERCENT

if TYPE_CHECKING:
    import altair as alt

    from karat.axis import Kind, Value

Key = "tuple[str, Value]"
"""A run, and its value along the axis."""

_MILLISECONDS = 1000.0
_DAY = 86_400 * _MILLISECONDS
_YEAR = 366 * _DAY
_PADDED = 0.03
_LETTER = 6.6
"""How wide a letter of a label is, in pixels, roughly."""
_SPACE = 12
_DIGITS = 6
_NAME = 22
_SLANTED = 20
"""How far apart slanted labels are at least."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where each run stands. kind: what the axis is made of; names are evenly spaced.

    places: run and value -> place. labels: place -> what to call it. title: of the axis. said: a sentence for captions.
    """

    kind: "Kind"
    places: "Mapping[tuple[str, Value], float]"
    labels: Mapping[float, str]
    title: str
    said: str = ""

    @property
    def count(self) -> int:
        """How many places there are."""
        return len(self.labels)

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the axis, a little beyond the places."""
        first, last = min(self.labels), max(self.labels)
        single = _DAY if self.kind == "moment" else 1.0
        pad = _PADDED * (last - first) if last > first else single
        return first - pad, last + pad

    @property
    def closest(self) -> float:
        """How near two places are at the closest."""
        ends = self.limits
        return min((after - before for before, after in pairwise(sorted(self.labels))), default=ends[1] - ends[0])

    def of(self, point: Mapping[str, Any]) -> float:
        """The place of a point."""
        return self.places[point["run"], point["at"]]

    @property
    def field(self) -> str:
        """The field of places in a chart's data, with its type."""
        return "x:T" if self.kind == "moment" else "x:Q"

    def scale(self) -> "alt.Scale":
        """The scale of the axis."""
        import altair as alt

        kind: Literal["utc", "linear"] = "utc" if self.kind == "moment" else "linear"
        return alt.Scale(type=kind, domain=list(self.limits), nice=False, zero=alt.Undefined)


def places_of(points: Sequence[Mapping[str, Any]], title: str, *, timed: bool) -> Places:
    """Places of points with the entries run, at, metric, group and line.

    Runs stand by moments or numbers, unless two points of one line would stand at the same place, or one has none.
    timed: whether the values are the runs' times.
    """
    keys = list(dict.fromkeys((point["run"], point["at"]) for point in points))
    lines = Counter((point["metric"], point["group"], point["line"], point["at"]) for point in points)
    shared = {at for (*_, at), count in lines.items() if count > 1}
    kind: Kind = kind_of(at for _, at in keys)
    if kind != "name" and not shared and all(at is not None for _, at in keys):
        unit = _MILLISECONDS if kind == "moment" else 1.0
        places = {key: along(key[1], kind) * unit for key in keys}
        return Places(kind, places, {place: str(at) for (_, at), place in places.items()}, "" if timed else title)
    return _even(keys, shared, title, timed=timed)


def _even(keys: "Sequence[tuple[str, Value]]", shared: "set[Value]", title: str, *, timed: bool) -> Places:
    """Places evenly spaced: one for each value, or for each run where runs share a value."""
    own = [key if key[1] in shared else ("", key[1]) for key in keys]
    order = {key: float(place) for place, key in enumerate(dict.fromkeys(own))}
    texts = distinct(_text(run, at, timed=timed) for run, at in order)
    said = " Runs of the same time stand side by side: the axis has no scale." if timed else ""
    return Places(
        "name",
        {key: order[one] for key, one in zip(keys, own, strict=True)},
        dict(zip(order.values(), texts, strict=True)),
        "" if timed else title,
        said,
    )


def _text(run: str, at: "Value", *, timed: bool) -> str:
    if timed:
        return short(run or str(at), _NAME)
    return ", ".join(filter(None, (short(None if at is None else str(at), _NAME), short(run, _NAME) if run else "")))


def axis(places: Places, width: int, *, small: bool = False, labels: bool = True, percent: bool = False) -> "alt.Axis":
    """The axis as wide as that, with a tick at as many runs as there is room for.

    small: whether only the first and the last are labelled, within the width. labels: whether any is. percent:
    whether numbers are shares.
    """
    import altair as alt

    if places.kind == "name":
        return _named(places, width, labels=labels)
    form = _form(places)
    longest = len("2026-11-20 10:30") if "H" in form else len("2026-11-20") if places.kind == "moment" else _DIGITS
    settings: dict[str, Any] = {"labelFlush": width // 3} if small else {}
    if places.kind == "moment":
        settings["labelExpr"] = f"utcFormat(datum.value, '{form}')"
    elif percent:
        settings["labelExpr"] = PERCENT
    ends = [min(places.labels), max(places.labels)]
    ticks = list(dict.fromkeys(ends)) if small else _apart(places, width, _LETTER * longest + _SPACE)
    return alt.Axis(grid=False, labels=labels, labelOverlap=False, values=ticks, **settings)


def _apart(places: Places, width: int, room: float) -> list[float]:
    """Places from the first on that are at least so many pixels apart."""
    low, high = places.limits
    found: list[float] = []
    for place in sorted(places.labels):
        if not found or (place - found[-1]) * width / (high - low) >= room:
            found.append(place)
    return found


def _form(places: Places) -> str:
    """How moments are said: as days, with the time of day where the runs lie close, as months where far apart."""
    first, last = min(places.labels), max(places.labels)
    timed = any(place % _DAY for place in places.labels)
    if timed and last - first < 3 * _DAY:
        return "%Y-%m-%d %H:%M"
    return "%Y-%m" if last - first > 3 * _YEAR else "%Y-%m-%d"


def _named(places: Places, width: int, *, labels: bool) -> "alt.Axis":
    """Names, upright where they fit, else slanted, and only some where there are many."""
    import altair as alt

    texts = list(places.labels.values())
    low, high = places.limits
    room = width / (high - low)
    upright = _LETTER * max(map(len, texts)) + 8 <= room
    step = 1 if upright else -(-_SLANTED // max(room, 1e-9))
    kept = list(places.labels)[:: int(step)]
    return alt.Axis(
        grid=False,
        labels=labels,
        values=kept,
        labelExpr=f"{json.dumps(texts)}[datum.value]",
        labelAngle=0 if upright else -40,
        labelOverlap=False,
    )
