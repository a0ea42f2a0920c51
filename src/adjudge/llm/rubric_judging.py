"""A rubric put to models: the items of a table, the calls about them, and the labels that come of the answers."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from adjudge.errors import DataError, OptionError, nearest
from adjudge.evaluations.inputs import JUDGE_COLUMNS
from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call, Reply
from adjudge.llm.planting import sentences
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import Fields, Form, Number, fold
from adjudge.llm.rubric import Criterion, Rubric
from adjudge.readers.column_names import ANNOTATOR, GOLD, ID, nearest_to, words
from adjudge.readers.io.json_documents import plain_text
from adjudge.readers.io.source import Source
from adjudge.readers.parsed_input import opened
from adjudge.schemas.columns import check_column_exists

_SWAPPED = {"A": "B", "B": "A"}
_MOST_PERCENT = 100
_VALUES = ("question", "scale", "levels", "steps", "examples", "pairwise")
"""What a prompt says of a criterion."""
_CODE = re.compile(r"([A-Za-z]*[-_#:/.]?)\d+")
"""An id such as T-101: what precedes its number."""
_MOST_LABELS, _LABEL_LENGTH = 10, 40
"""Different values, and characters of each, up to which a column holds labels."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is judged. shown: column -> text. responses: two texts of a pair. human: (column, criterion) -> label."""

    id: str
    shown: Mapping[str, str]
    responses: tuple[str, ...] = ()
    human: Mapping[tuple[str, str], str] = field(default_factory=dict)


def _texts_in(source: Source) -> tuple[list[dict[str, str]], dict[str, list[str]]]:
    """The rows of a table as texts, and the different values of each column. Raises DataError where there is none."""
    records = [record for record in opened(source, source.how).objects.checked_values() if isinstance(record, dict)]
    texts = [{name: (plain_text(value) or "").strip() for name, value in record.items()} for record in records]
    names = dict.fromkeys(name for record in texts for name in record)
    if not names:
        raise DataError(f"{source.name}: no items found")
    return texts, {name: list(dict.fromkeys(filter(None, (row.get(name, "") for row in texts)))) for name in names}


def columns_of(source: Source) -> dict[str, list[str]]:
    """The columns of texts, without values, and of labels, with their values; no ids and no scores."""
    texts, values = _texts_in(source)
    found, identity = {}, _id_column(values, len(texts))
    for name, held in values.items():
        is_label = 1 < len(held) <= _MOST_LABELS and len(held) < len(texts) and max(map(len, held)) <= _LABEL_LENGTH
        if is_label or not (name == identity or _is_mark(name, held)):
            found[name] = sorted({fold(label): label for label in reversed(held)}.values()) if is_label else []
    return found


def read_items(
    source: Source, rubric: Rubric, columns: Mapping[str, str], human: Sequence[str]
) -> tuple[list[Item], list[str]]:
    """The items of a table or of JSON, and remarks on what of them is shown and which labels are human.

    human: the columns of human labels; by default those all of whose values are labels of a criterion. Raises
    DataError for an id that appears twice, OptionError for a column that is not there.
    """
    texts, values = _texts_in(source)
    names = list(values)
    asked = [("columns", name) for name in columns.values()] + [("human", name) for name in human]
    check_column_exists(source.name, asked, names)
    for name in (*rubric.show, *rubric.responses):
        if name not in names:
            raise OptionError(f'{source.name}: no column "{name}", which the rubric names{nearest(name, names)}')
    judged = {*rubric.show, *rubric.responses}
    identity = columns.get("item") or _id_column(values, len(texts), judged)
    if identity is not None and len(values[identity]) < len(texts):
        raise DataError(f"{source.name}, column {identity}: expected an id of each item, each once")
    free = [name for name in names if name not in {identity, *judged}]
    labelled = _human_columns(human or free, values, rubric.criteria, chosen=bool(human))
    cells = {name: [record[name] for record in texts if record.get(name)] for name in free}
    unclear = [name for name in free if any(one.holds(cells[name], most=True) for one in rubric.criteria.values())]
    taken = {identity, *rubric.responses, *unclear, *(name for name, _ in labelled)}
    shown = rubric.show or [name for name in names if name not in taken and not _is_mark(name, values[name])]
    if not shown and not rubric.responses:
        raise DataError(f"{source.name}: no column is left to show", fix='show = ["..."] in the rubric')
    items = [
        Item(
            record.get(identity, "") if identity else str(number),
            {name: record[name] for name in shown if record.get(name)},
            tuple(record.get(name, "") for name in rubric.responses),
            {pair: text for pair in labelled if rubric.criteria[pair[1]].holds([text := record.get(pair[0], "")])},
        )
        for number, record in enumerate(texts, 1)
    ]
    remarks = [f"shown to the models: {', '.join([*shown, *rubric.responses])}"]
    remarks += ["items are numbered by row, since no column identifies them"] * (identity is None)
    if labelled:
        remarks.append(f"human labels: {', '.join(dict.fromkeys(name for name, _ in labelled))}")
    if unclear := [name for name in unclear if name not in dict(labelled)]:
        remarks.append(f"neither shown nor used, since they hold labels: {', '.join(unclear)}")
    return items, remarks


def _id_column(values: Mapping[str, Sequence[str]], rows: int, judged: Collection[str] = ()) -> str | None:
    """The column with an id of each row: by its name, else the first that holds codes such as T-101 and T-102.

    Numbers without a prefix are codes in the first column only. judged: columns that hold none.
    """
    unique = [name for name, held in values.items() if len(held) == rows]
    if (named := nearest_to(ID, values)) in unique:
        return named
    prefixes = {name: _prefix_of(values[name]) for name in unique if name not in judged and rows > 1}
    first = next(iter(values))
    return next((name for name, prefix in prefixes.items() if prefix or (prefix == "" and name == first)), None)


def _prefix_of(texts: Sequence[str]) -> str | None:
    """What precedes the number in all of several ids, such as T- in T-101 and T-102; None for other texts."""
    prefixes = {code[1] if (code := _CODE.fullmatch(text)) else None for text in texts}
    return prefixes.pop() if len(prefixes) == 1 else None


def _human_columns(
    names: Sequence[str], values: Mapping[str, Sequence[str]], criteria: Mapping[str, Criterion], *, chosen: bool
) -> list[tuple[str, str]]:
    """The columns of human labels, each with its criterion: the one that its name holds, else the only one."""
    found = []
    for name in names:
        fitting = [one for one, criterion in criteria.items() if criterion.holds(values[name])]
        called = [one for one in fitting if {*words(one)} <= {*words(name)}]
        match = called or (fitting if len(criteria) == 1 else [])
        if match:
            found.append((name, match[0]))
        elif chosen:
            expected = "; ".join(f"{one}: {', '.join(criterion.labels)}" for one, criterion in criteria.items())
            values_text = ", ".join(values[name][:5])
            raise OptionError(
                f"{name}: expected labels of a criterion", option="human", found=values_text, fix=expected
            )
    return found


def _is_mark(name: str, values: Sequence[str]) -> bool:
    """Whether a column holds ids, labels or scores: by its name, or since all of its values are numbers."""
    parts = words(name)
    if {"id", "label", "labels", "score", "rating", "verdict"} & {*parts} or "".join(parts) in {*ANNOTATOR, *GOLD}:
        return True
    return all(value.replace(".", "", 1).lstrip("-").isdigit() for value in values)


@dataclass(frozen=True, slots=True)
class RubricJudge:
    """What is asked about items, and how.

    runs: how often each question is asked. swap: whether pairs are shown in both orders. stated: whether models are
    asked how confident they are. probes: kinds of changes after which a verdict should stay, asked of a sample of
    `probed` items.
    """

    rubric: Rubric
    template: Template
    items: Sequence[Item]
    runs: int = 1
    swap: bool = True
    stated: bool = True
    probes: Sequence[str] = ()
    probed: int = 50

    def calls(self) -> Iterator[Call]:
        """A call per item, criterion, order and run, and one per sampled item, criterion and probe."""
        places = range(len(self.items))
        sample = {*Random(0).sample(places, min(self.probed, len(places)))}  # noqa: S311 - no secret
        for (place, item), (criterion, asked) in product(enumerate(self.items), self.rubric.criteria.items()):
            probes = self.probes if place in sample else ()
            orders = (False, True)[: 1 + (asked.pairwise and (self.swap or _POSITION in probes))]
            for turned, run in product(orders, range(1, self.runs + 1)):
                yield self._call(place, item, criterion, run=run, turned=turned)
            for probe in probes:
                if (other := probed_item(item.shown, item.responses, probe)) is not None:
                    yield self._call(place, Item(item.id, *other), criterion, probe=probe)

    def _call(self, place: int, item: Item, name: str, *, run: int = 1, turned: bool = False, probe: str = "") -> Call:
        criterion, shown, responses = self.rubric.criteria[name], {**item.shown}, item.responses
        if not criterion.pairwise:
            shown, responses = {**shown, **dict(zip(self.rubric.responses, responses, strict=True))}, ()
        judged = {"shown": shown, "responses": [*(reversed(responses) if turned else responses)]}
        given = {one: getattr(criterion, one) for one in _VALUES} | {"preface": self.rubric.system}
        about = {"place": place, "criterion": name, "turned": turned, "run": run, "probe": probe}
        form: Form = criterion.form
        if self.stated:
            form = Fields({"label": criterion.form, "confidence": Number(0, _MOST_PERCENT, whole=False)}, "label")
        return Call(self.template, form, judged, given, about, run, criterion.labels)

    def labels(self, ask: Ask, model: str, cost: Callable[[int, int], float] | None) -> Iterator[dict[str, Any]]:
        """A row per call, in JUDGE_COLUMNS; without an answer its label is null, and the explanation says why.

        cost: from tokens read and written to a price, or None.
        """
        for call, reply in ask(self.calls):
            about, criterion = call.about, self.rubric.criteria[call.about["criterion"]]
            label, confidence, score = _answer(reply, criterion)
            turned = about["turned"]
            yield {
                "item": self.items[about["place"]].id,
                "annotator": model,
                "kind": "model",
                "criterion": about["criterion"],
                "label": _SWAPPED.get(label, label) if turned and label is not None else label,
                "confidence": confidence,
                "score": score,
                "explanation": reply.reason,
                "run": str(about["run"]),
                "position": ("ba" if turned else "ab") if criterion.pairwise else None,
                "probe": about["probe"] or None,
                "cost": None if cost is None else cost(reply.tokens_in, reply.tokens_out),
            }

    def human_labels(self) -> Iterator[dict[str, Any]]:
        """A row per human label, in the criterion's own spelling."""
        spelt = {(name, fold(label)): label for name, one in self.rubric.criteria.items() for label in one.labels}
        for item in self.items:
            for (annotator, name), label in item.human.items():
                about = {"item": item.id, "annotator": annotator, "kind": "human", "criterion": name}
                yield {**dict.fromkeys(JUDGE_COLUMNS), **about, "label": spelt[name, fold(label)]}


def _answer(reply: Reply, criterion: Criterion) -> tuple[str | None, float | None, float | None]:
    """Label, confidence and, for ordered labels, expected score: their numbers, or else places from 1."""
    if reply.value is None:
        return None, None, None
    value, confidence = (
        (reply.value["label"], reply.value["confidence"]) if isinstance(reply.value, Mapping) else (reply.value, None)
    )
    label = f"{value:g}" if isinstance(criterion.form, Number) else value
    if confidence is not None and not 0 < confidence < 1:  # 1 may be 1 or 100 of 100
        confidence = None if confidence == 1 else confidence / _MOST_PERCENT
    score = None
    if reply.probabilities and (criterion.ordered or not criterion.scale):
        are_numbers = all(name.lstrip("-").isdigit() for name in criterion.labels)
        points = {name: float(name) if are_numbers else place for place, name in enumerate(criterion.labels, 1)}
        score = sum(points[name] * share for name, share in reply.probabilities.items())
    return label, reply.probabilities.get(label, confidence), score


# --- probes: items changed in what should not count, so that the verdict should stay ---

_PADDING = (
    "To put the same in other words, what has been written above stands as it is. "
    "This is all there is to be mentioned here, and nothing further needs to be added to what was written."
)
_EXPERT = "(A leading expert in this field has read this and agrees with every word of it.)"
_AUTHOR = "(Written by the newest model of a large laboratory.)"


def _as_list(text: str) -> str:
    """A text with a line of a Markdown list for each sentence."""
    return "\n".join(f"- {text[start:end]}" for start, end in sentences(text))


_CHANGES: Mapping[str, Callable[[str], str]] = {
    "length": lambda text: f"{text}\n\n{_PADDING}",
    "formatting": _as_list,
    "authority": lambda text: f"{text}\n\n{_EXPERT}",
    "identity": lambda text: f"{_AUTHOR}\n\n{text}",
}
_POSITION = "position"
PROBES = (_POSITION, *_CHANGES)
"""position swaps the two responses of a pair; length pads one text without content; formatting puts it into a Markdown
list; authority adds an expert's view; identity names an author."""


def probed_item(
    shown: Mapping[str, str], responses: tuple[str, ...], probe: str
) -> tuple[dict[str, str], tuple[str, ...]] | None:
    r"""What is shown of an item after a change; None where the change does not apply.

    The change is made to the second response of a pair, else to the longest text that is shown.

    >>> probed_item({"question": "Why?", "answer": "Ask Dr. Lee. Go."}, (), "formatting")
    ({'question': 'Why?', 'answer': '- Ask Dr. Lee.\n- Go.'}, ())
    """
    if probe == _POSITION:
        return None  # its pair is asked in both orders
    change = _CHANGES[probe]
    if responses:
        return dict(shown), (responses[0], change(responses[1]))
    if not shown:
        return None
    longest = max(shown, key=lambda name: len(shown[name]))
    return {**shown, longest: change(shown[longest])}, ()


def check_probes(probes: Sequence[str], rubric: Rubric) -> None:
    """Raises OptionError for a probe that there is none of, or that changes nothing that a rubric asks about."""
    for probe in probes:
        if probe not in PROBES:
            raise OptionError(f'expected {", ".join(PROBES)}; got "{probe}"{nearest(probe, PROBES)}', option="probe")
    if _POSITION in probes and not any(one.pairwise for one in rubric.criteria.values()):
        raise OptionError(
            "position swaps the responses of pairs", option="probe", found="no pairwise criterion", fix="length"
        )
