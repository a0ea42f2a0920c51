"""Pairs of violations as a page on which people judge them: one file, whose answers are saved as JSON lines."""

import hashlib
import json
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from adjudge.render.html import fragment


def judging_page(pairs: Sequence[Mapping[str, object]]) -> str:
    """The page. pairs: as they are written for judging.

    It asks for nothing from outside. The browser keeps answers of the same pairs until they are saved. What the pairs
    say is data for the page's script, in ASCII and without "<", so that nothing in it can end or begin an element.
    """
    data = json.dumps(list(pairs), allow_nan=False).replace("<", "\\u003c")
    key = hashlib.sha256(data.encode()).hexdigest()[:12]
    return fragment("judge.html", pairs=Markup(data), key=key)  # noqa: S704 - made here
