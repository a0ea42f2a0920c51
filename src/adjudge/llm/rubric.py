"""Rubrics: what a judge is asked about each item, as a user writes it in TOML.

The least is

    [criteria.helpful]
    question = "Does the answer help the person who asked?"
    scale = ["yes", "no"]
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.errors import OptionError, nearest
from adjudge.llm.reply_forms import Choice, Number, fold
from adjudge.readers.label_values import is_abstention
from adjudge.text.toml_files import toml_in

SIDES = ("A", "B")
"""The labels of a pairwise criterion that choose a response."""
_FIELDS = ("question", "scale", "ordered", "min", "max", "pairwise", "levels", "steps", "examples")
_TOP = ("criteria", "show", "system", "responses")
_LISTS = ("scale", "steps", "show", "responses")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question about an item.

    scale: the labels, from the lowest if they are ordered; none for numbers, which lie between low and high. levels:
    what labels mean. steps: what to look at before answering. examples: items with their labels, each a table of
    columns of the data, `label` and perhaps `why`. pairwise: whether it compares two responses.
    """

    name: str
    question: str
    scale: tuple[str, ...] = ()
    ordered: bool = False
    low: float = 1
    high: float = 5
    levels: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    examples: tuple[Mapping[str, Any], ...] = ()
    pairwise: bool = False

    @property
    def form(self) -> Choice | Number:
        """What an answer is."""
        if self.scale:
            return Choice(self.scale)
        return Number(self.low, self.high, float(self.low).is_integer() and float(self.high).is_integer())

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


_FEW = 11
"""The most whole numbers of a scale whose single values are taken for labels."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """Criteria, and what of an item a judge is shown.

    show: columns; by default all but ids, labels and scores. responses: the columns of the two responses that pairwise
    criteria compare. system: what precedes each question.
    """

    criteria: tuple[Criterion, ...]
    show: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()
    system: str = ""


def read_rubric(path: str | Path) -> Rubric:
    """The rubric in a TOML file. Raises OptionError for what is none."""
    held = toml_in(Path(path), "a rubric as TOML")
    _check_names(path, held, _TOP)
    criteria = held.get("criteria")
    if not isinstance(criteria, dict) or not criteria or not all(isinstance(one, dict) for one in criteria.values()):
        raise OptionError(
            f"{path}: expected at least one criterion", fix='[criteria.helpful] with question = "..." and scale = [...]'
        )
    rubric = Rubric(
        tuple(_criterion(path, name, one) for name, one in criteria.items()),
        tuple(held.get("show", ())),
        tuple(held.get("responses", ())),
        held.get("system", ""),
    )
    if any(one.pairwise for one in rubric.criteria) and len(rubric.responses) != len(SIDES):
        raise OptionError(
            f"{path}: a pairwise criterion compares two responses", fix='responses = ["answer_a", "answer_b"]'
        )
    return rubric


def _criterion(path: str | Path, name: str, held: Mapping[str, Any]) -> Criterion:
    place = f"{path}, criteria.{name}"
    _check_names(place, held, _FIELDS)
    if not isinstance(held.get("question"), str):
        raise OptionError(f"{place}: expected question = a text")
    scale, pairwise = tuple(map(str, held.get("scale", ()))), held.get("pairwise") is True
    numbers = [bound for bound in ("min", "max") if bound in held]
    if pairwise and not scale:
        scale = (*SIDES, "tie")
    if (not scale and len(numbers) < len(SIDES)) or (scale and numbers) or len(set(scale)) != len(scale):
        raise OptionError(
            f"{place}: expected the labels, each once, or a range", fix='scale = ["yes", "no"] or min, max'
        )
    if pairwise and not set(SIDES) <= set(scale):
        raise OptionError(f"{place}: expected A and B in the scale of a pairwise criterion", found=", ".join(scale))
    low, high = held.get("min", 1), held.get("max", 5)
    if not scale and not low < high:
        raise OptionError(f"{place}: expected min below max", found=f"{low} and {high}")
    levels = {str(label): str(meaning) for label, meaning in held.get("levels", {}).items()}
    ordered, steps = held.get("ordered") is True or not scale, tuple(map(str, held.get("steps", ())))
    examples = tuple(held.get("examples", ()))
    criterion = Criterion(name, held["question"], scale, ordered, low, high, levels, steps, examples, pairwise)
    labels = [*levels, *(str(one.get("label")) for one in examples)]
    wrong = [label for label in labels if criterion.labels and not criterion.holds([label])]
    if wrong:
        raise OptionError(f"{place}: {wrong[0]} is no label of the scale{nearest(wrong[0], criterion.labels)}")
    return criterion


def _check_names(place: str | Path, held: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raises OptionError for a name that means nothing, and for a list that is none."""
    for name, value in held.items():
        if name not in known:
            raise OptionError(f"{place}: {name} means nothing here{nearest(name, known)}", found=", ".join(held))
        if name in _LISTS and not isinstance(value, list):
            raise OptionError(f"{place}: expected {name} = a list", fix=f'{name} = ["...", "..."]')


def rubric_for(columns: Mapping[str, Sequence[str]]) -> str:
    """A rubric as TOML that fits a table. columns: name -> its different values, empty for those of texts."""
    texts = [name for name, values in columns.items() if not values]
    labelled: dict[tuple[str, ...], list[str]] = {}
    for name, values in columns.items():
        if values:
            labelled.setdefault(tuple(values), []).append(name)
    lines = ["# What a judge is asked about each item. Lines that begin with # are examples.", ""]
    lines += [f"show = [{', '.join(map(_quoted, texts))}]  # columns that the judge sees"]
    lines += ['# system = "You check answers of our help desk."', '# responses = ["answer_a", "answer_b"]', ""]
    for scale, names in (labelled or {("yes", "no"): ["helpful"]}).items():
        lines += [f"# human labels: {', '.join(names)}"] if labelled else []
        lines += [f"[criteria.{_quoted(names[0])}]", 'question = "Which label fits the item?"']
        lines += [f"scale = [{', '.join(map(_quoted, scale))}]", "# ordered = true", '# steps = ["Read the question."]']
        lines += [f'# levels = {{ {_quoted(scale[0])} = "..." }}', ""]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
