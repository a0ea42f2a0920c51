"""The windows of time in which labels were given."""

from collections.abc import Sequence

from karat.axis import kind_of, moment_of, place_of

MOST = 24
"""The most windows."""
_FEW = 12
"""Up to so many moments each is a window of its own."""
_CUTS = (10, 7, 4)
"""How much of a moment says its day, its month, its year."""


def windows_of(values: Sequence[str]) -> dict[str, str] | None:
    """Of each value of a column of times its window, the windows in their order; None where there are too many.

    Names and numbers are windows as they are. So are up to 12 moments; more of them are cut to days, months or years,
    the finest of which there are at most 12, or 24 years.

    >>> windows_of(["v10", "v2"])
    {'v2': 'v2', 'v10': 'v10'}
    >>> sorted(set(windows_of([f"2026-{month:02}-{day:02}" for month in (4, 5) for day in range(1, 15)]).values()))
    ['2026-04', '2026-05']
    """
    kind = kind_of(values)
    ordered = sorted(set(values), key=lambda one: place_of(one, kind))
    found = {one: one for one in ordered}
    if kind == "moment" and len(ordered) > _FEW:
        moments = {one: moment.isoformat() for one in ordered if (moment := moment_of(one))}
        for cut in _CUTS:
            found = {one: moment[:cut] for one, moment in moments.items()}
            if len(set(found.values())) <= _FEW:
                break
    return found if len(set(found.values())) <= MOST else None
