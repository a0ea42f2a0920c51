"""Where runs stand along the axis of a picture: by their moments, by numbers, or evenly spaced under their names."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import altair as alt

from adjudge.display_names import distinct_names, short_name
from adjudge.render.kit.style import PERCENT, TOUCHING
from adjudge.value_order import AxisKind, AxisValue, axis_kind, axis_position

_MILLISECONDS = 1000.0
_DAY = 86_400 * _MILLISECONDS
_YEAR = 366 * _DAY
_PADDING = 18
"""How far the first and the last place are from the ends of the axis, in pixels."""
_NAMED_PADDING = 0.2
"""How far the first and the last name are from the ends of the axis, as a share of the distance between names."""
_LETTER = 6.6
"""How wide a letter of a label is, in pixels, roughly."""
_SEPARATION = 12
"""How far apart labels are at least, in pixels."""
_NAME = 22
_TICK = 60
"""How far apart ticks at round numbers are, roughly."""
_SLANTED = 20
"""How far apart slanted labels are at least."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where each run stands. kind: what the axis is made of; names are evenly spaced.

    places: run and value -> place, a name or a number. title: of the axis. said: a sentence for captions.
    """

    kind: AxisKind
    places: Mapping[tuple[str, AxisValue], str | float]
    title: str
    said: str = ""

    @property
    def known(self) -> list[Any]:
        """The different places: numbers in their order, names as they come."""
        found = list(dict.fromkeys(self.places.values()))
        return found if self.kind == "name" else sorted(found)

    def of(self, point: Mapping[str, Any]) -> str | float:
        """The place of a point."""
        return self.places[point["run"], point["at"]]

    def field(self, axis: alt.Axis, title: str | list[str]) -> alt.X:
        """The field of places in a chart's data, along an axis."""
        if self.kind == "name":
            scale = alt.Scale(type="point", domain=self.known, padding=_NAMED_PADDING)
            return alt.X("x:N", sort=None, scale=scale, axis=axis, title=title)
        moments = self.kind == "moment"
        ends = [self.known[0], self.known[-1]]
        scale = alt.Scale(type="utc" if moments else "linear", domain=ends, nice=False, zero=False, padding=_PADDING)
        return alt.X("x:T" if moments else "x:Q", scale=scale, axis=axis, title=title)

    def axis(self, width: int, *, small: bool = False, labels: bool = True, percent: bool = False) -> alt.Axis:
        """The axis as wide as that, with a label at as many places as there is room for.

        small: whether only the first and the last number are labelled, within the width. labels: whether any is.
        percent: whether numbers are shares.
        """
        if self.kind == "name":
            room = width / (len(self.known) - 1 + 2 * _NAMED_PADDING)
            upright = _LETTER * max(map(len, self.known)) + 8 <= room
            kept = self.known[:: 1 if upright else int(-(-_SLANTED // room))]
            angle = 0 if upright else -40
            return alt.Axis(grid=False, labels=labels, values=kept, labelAngle=angle, labelOverlap=False)
        first, last = self.known[0], self.known[-1]
        axis = alt.Axis(grid=False, labels=labels, labelOverlap="greedy", labelSeparation=_SEPARATION)
        if self.kind == "moment" or self._labelled(width):
            axis.values = self.known
        else:  # ticks at round numbers, not beside them
            axis.tickCount = width // _TICK
        if small:
            axis.values, axis.labelFlush = list(dict.fromkeys((first, last))), width // 3
        if self.kind == "moment":
            axis.format = _form(self.known, room=width // 2 if small else width)
        elif percent:
            axis.labelExpr = PERCENT
        return axis

    def _labelled(self, width: int) -> bool:
        """Whether each place is a round number that has room for its label."""
        long = max(len(f"{place:.2f}") for place in self.known)
        apart = min((other - one for one, other in pairwise(self.known)), default=0.0)
        room = apart / ((self.known[-1] - self.known[0]) or 1) * width
        fits = len(self.known) == 1 or room >= _LETTER * long + _SEPARATION
        return fits and all(abs(round(place, 2) - place) < TOUCHING for place in self.known)


def places_of(points: Sequence[Mapping[str, Any]], title: str, *, timed: bool) -> Places:
    """Places of points with the entries run, at, metric, group and line.

    Runs stand by moments or numbers, unless two points of one line would stand at the same place, or one has none.
    timed: whether the values are the runs' times.
    """
    keys = list(dict.fromkeys((point["run"], point["at"]) for point in points))
    lines = Counter((point["metric"], point["group"], point["line"], point["at"]) for point in points)
    shared = {at for (*_, at), count in lines.items() if count > 1}
    kind: AxisKind = axis_kind(at for _, at in keys)
    shown = "" if timed else title
    if kind != "name" and not shared and all(at is not None for _, at in keys):
        unit = _MILLISECONDS if kind == "moment" else 1.0
        return Places(kind, {key: axis_position(key[1], kind) * unit for key in keys}, shown)
    own = {key: key if key[1] in shared else ("", key[1]) for key in keys}
    order = list(dict.fromkeys(own.values()))
    names = dict(zip(order, distinct_names(_text(run, at, timed=timed) for run, at in order), strict=True))
    said = " Runs stand side by side in their order: the axis has no scale." if timed else ""
    return Places("name", {key: names[one] for key, one in own.items()}, shown, said)


def _text(run: str, at: AxisValue, *, timed: bool) -> str:
    if timed:
        return short_name(run or str(at), _NAME)
    names = short_name(None if at is None else str(at), _NAME), short_name(run, _NAME) if run else ""
    return ", ".join(filter(None, names))


def _form(moments: Sequence[float], room: int) -> str:
    """How moments are said: as days, with the time of day where the runs lie close, as months where far apart.

    room: for one of them, in pixels; a day without room for its year is said as month and day, or as year and month
    where the first and the last lie in different years.
    """
    span = moments[-1] - moments[0]
    if any(moment % _DAY for moment in moments) and span < 3 * _DAY:
        return "%Y-%m-%d %H:%M"
    if span > 3 * _YEAR:
        return "%Y-%m"
    if _LETTER * len("2026-01-01") + 8 <= room:
        return "%Y-%m-%d"
    first, last = (datetime.fromtimestamp(moments[at] / _MILLISECONDS, tz=UTC).year for at in (0, -1))
    return "%m-%d" if first == last else "%Y-%m"
