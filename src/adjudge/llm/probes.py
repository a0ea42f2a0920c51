"""Probes: items changed in what should not count, so that the verdict should stay."""

import re
from collections.abc import Callable, Mapping, Sequence

from adjudge.errors import OptionError, nearest

_PADDING = (
    "To put the same in other words, what has been written above stands as it is. "
    "This is all there is to be mentioned here, and nothing further needs to be added to what was written."
)
_EXPERT = "(A leading expert in this field has read this and agrees with every word of it.)"
_AUTHOR = "(Written by the newest model of a large laboratory.)"


def _as_list(text: str) -> str:
    """A text with a line of a Markdown list for each sentence."""
    sentences = [sentence for sentence in re.split(r"(?<=[.!?])\s+", text.strip()) if sentence]
    return "\n".join(f"- {sentence}" for sentence in sentences)


_CHANGES: Mapping[str, Callable[[str], str]] = {
    "length": lambda text: f"{text}\n\n{_PADDING}",
    "formatting": _as_list,
    "authority": lambda text: f"{text}\n\n{_EXPERT}",
    "identity": lambda text: f"{_AUTHOR}\n\n{text}",
}
PROBES = ("position", *_CHANGES)
"""position swaps the two responses of a pair; length pads one text without content; formatting puts it into a Markdown
list; authority adds an expert's view; identity names an author."""


def probed_item(
    shown: Mapping[str, str], responses: tuple[str, ...], probe: str
) -> tuple[dict[str, str], tuple[str, ...]] | None:
    r"""What is shown of an item after a change; None where the change does not apply.

    The change is made to the second response of a pair, else to the longest text that is shown.

    >>> probed_item({"question": "Why?", "answer": "It is late. Go."}, (), "formatting")
    ({'question': 'Why?', 'answer': '- It is late.\n- Go.'}, ())
    """
    if probe == "position":
        return None  # pairs are asked in both orders anyway
    change = _CHANGES[probe]
    if responses:
        return dict(shown), (responses[0], change(responses[1]))
    if not shown:
        return None
    longest = max(shown, key=lambda name: len(shown[name]))
    return {**shown, longest: change(shown[longest])}, ()


def check_probes(probes: Sequence[str]) -> None:
    """Raises OptionError for a probe that there is none of."""
    for probe in probes:
        if probe not in PROBES:
            raise OptionError(f"expected {', '.join(PROBES)}; got {probe}{nearest(probe, PROBES)}", option="probe")
