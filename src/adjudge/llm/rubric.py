"""Rubrics: what a judge is asked about each item, as a user writes it in TOML.

The least is

    [criteria.helpful]
    question = "Does the answer help the person who asked?"
    scale = ["yes", "no"]
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from adjudge.errors import OptionError
from adjudge.llm.reply_forms import Choice, Number, fold
from adjudge.readers.column_names import HUMAN, sided, words
from adjudge.readers.column_names import SIDES as COLUMN_SIDES
from adjudge.readers.label_values import is_abstention
from adjudge.text.toml_files import toml_in

SIDES = ("A", "B")
"""The labels of a pairwise criterion that choose a response."""
_BINARY = 2
_FEW = 11
"""The most whole numbers of a scale whose single values are taken for labels."""


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question about an item.

    scale: the labels, from the lowest if they are ordered; none for numbers, which lie between low and high. levels:
    what labels mean. steps: what to look at before answering. examples: items with their labels, each a table of
    columns of the data, `label` and perhaps `why`. pairwise: whether it compares two responses.
    """

    question: str
    scale: tuple[str, ...] = ()
    ordered: bool = False
    low: int | float = msgspec.field(default=0, name="min")
    high: int | float = msgspec.field(default=0, name="max")
    levels: dict[str, str] = {}
    steps: tuple[str, ...] = ()
    examples: tuple[dict[str, Any], ...] = ()
    pairwise: bool = False

    def __post_init__(self) -> None:
        if self.pairwise and not self.scale:
            force_setattr(self, "scale", (*SIDES, "tie"))
        is_range, is_distinct = self.low != self.high, len({*self.scale}) == len(self.scale)
        lacks_side = self.pairwise and not {*SIDES} <= {*self.scale}
        if is_range == bool(self.scale) or self.low > self.high or not is_distinct or lacks_side:
            raise ValueError("expected the labels as texts, each once (also A and B if pairwise), or min below max")
        for label in (*self.levels, *(str(one.get("label")) for one in self.examples)):
            if self.labels and not self.holds([label]):
                raise ValueError(f"{label} is no label of the scale")

    @property
    def form(self) -> Choice | Number:
        """What an answer is."""
        if self.scale:
            return Choice(self.scale)
        return Number(self.low, self.high, self.is_whole)

    @property
    def is_whole(self) -> bool:
        """Whether the numbers are whole ones, as their limits are."""
        return float(self.low).is_integer() and float(self.high).is_integer()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, also those of whole numbers of which there are few."""
        whole = range(int(self.low), int(self.high) + 1)
        return self.scale or (tuple(map(str, whole)) if len(whole) <= _FEW else ())

    def holds(self, values: Iterable[str], *, most: bool = False) -> bool:
        """Whether values, but for abstentions, are labels of this criterion; or most of them, if there are any."""
        known = {fold(label) for label in self.labels}
        fits = [fold(one) in known for one in values if fold(one) in known or not is_abstention(one)]
        return sum(fits) > len(fits) / 2 if most else bool(fits) and all(fits)


class Rubric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Criteria by name, and what of an item a judge is shown.

    show: columns; by default all but ids, labels and scores. responses: the columns of the two responses that pairwise
    criteria compare. system: what precedes each question.
    """

    criteria: dict[str, Criterion]
    show: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()
    system: str = ""

    def __post_init__(self) -> None:
        if not self.criteria:
            raise ValueError("expected at least one criterion")
        if any(one.pairwise for one in self.criteria.values()) and len(self.responses) != len(SIDES):
            raise ValueError('a pairwise criterion compares two responses: responses = ["answer_a", "answer_b"]')


def read_rubric(path: str | Path) -> Rubric:
    """The rubric in a TOML file. Raises OptionError for what is none."""
    try:
        return msgspec.convert(toml_in(Path(path), "a rubric as TOML"), Rubric)
    except msgspec.ValidationError as error:
        fix = '[criteria.helpful] with question = "..." and scale = ["yes", "no"] or min and max'
        raise OptionError(f"{path}: expected a rubric", found=str(error), fix=fix) from None


def rubric_for(columns: Mapping[str, Sequence[str]]) -> str:
    """A rubric as TOML that fits a table. columns: name -> its different values, empty for those of texts."""
    texts = [name for name, values in columns.items() if not values]
    found = [*_criteria({name: tuple(values) for name, values in columns.items() if values})]
    pairs = [both[:2] for both in sided(texts)] or [both for both in COLUMN_SIDES if {*both} <= {*texts}]
    responses = pairs[0] if pairs else ()
    is_pair = {name: bool(responses) and {*SIDES} <= {*scale} for name, scale, _ in found}
    shown = [name for name in texts if name not in responses or not any(is_pair.values())]
    compared = f"responses = {_list(responses or ('answer_a', 'answer_b'))}"
    lines = ["# What a judge is asked about each item. Lines that begin with # are examples.", ""]
    lines += [
        f"show = {_list(shown)}  # columns that the judge sees",
        '# system = "You check answers of our help desk."',
    ]
    lines += [compared if any(is_pair.values()) else f"# {compared}", ""]
    for name, scale, human in found or [("helpful", ("yes", "no"), [])]:
        whole = sorted(map(int, scale)) if all(map(str.isdecimal, scale)) else []
        lines += [f"# human labels: {', '.join(human)}"] * bool(human)
        lines += [f"[criteria.{_quoted(name)}]", 'question = "Which label fits the item?"']
        if len(whole) > _BINARY:
            lines += [f"min = {whole[0]}", f"max = {whole[-1]}"]
        else:
            lines += [f"scale = {_list(scale)}", "pairwise = true" if is_pair.get(name) else "# ordered = true"]
        lines += ['# steps = ["Read the question."]', f'# levels = {{ {_quoted(scale[0])} = "..." }}', ""]
    return "\n".join(lines)


def _criteria(columns: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
    """Criteria with their scales and columns of human labels. columns: name -> its labels.

    Columns of one scale are of one criterion, unless their names begin with those of several: helpful_ana, helpful_ben,
    polite_ana, polite_ben.
    """
    taken = set[str]()
    for scale in dict.fromkeys(columns.values()):
        names = [name for name in columns if columns[name] == scale]
        starts = Counter(words(name)[0] for name in names if len(words(name)) > 1)
        is_named = starts.total() == len(names) and min(starts.values()) > 1 and not {*HUMAN} & {*starts}
        for start in starts if is_named else [""]:
            fitting = [name for name in names if words(name)[0] == start or not start]
            common = start or "label"
            name = fitting[0] if len(fitting) == 1 or common in taken else common
            taken.add(name)
            yield name, scale, fitting


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
