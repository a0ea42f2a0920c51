"""Files of answers that tools and benchmarks write; what each calls its fields stands in answer_tables.toml."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import filter as matching
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Objects, as_objects, is_scalar, json_value, kind, plain_text
from adjudge.readers.io.source import Format, Source
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tables import plain_batches
from adjudge.readers.transforms import inner_value
from adjudge.schemas.answers import QUESTION_ANSWERING, AnswerLists
from adjudge.text.toml_files import as_names, packaged

Record = Mapping[str, Any]
Reshape = Callable[[Record, Source], dict[str, Any]]

_RECORD = {"id", "_id", "ability", "response", "answer", "question", "query", "prediction", "output", "actual_output"}
"""Names of which a single record would have some, and that are no ids of questions."""


@dataclass(frozen=True, slots=True)
class AnswerTool:
    """A tool's file of answers; by default any table under Adjudge's own names.

    said: what it is. needed: names of which a record (of answers by id, the document) has one each; those in absent it
    has not. columns: Adjudge's column -> names that the file may have for it, of which the first that is there counts;
    one that ends in * stands for the only name that begins so. under: the name under which a JSON document holds the
    records. by_id: whether it holds an object there instead, question's id -> answer. lists: what a flat list of true
    answers is. questions: those of the columns for the id that say which question it was, so that further answers to it
    are draws. joined: whether true answers stand in a file of their own. reshape: makes of a record one with flat
    fields.
    """

    name: str = ""
    said: str = ""
    needed: Sequence[Sequence[str]] = ()
    absent: Sequence[str] = ()
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    under: str = ""
    by_id: bool = False
    lists: AnswerLists | None = None
    questions: Sequence[str] = ()
    joined: bool = False
    endings: Sequence[str] = ()
    reshape: Reshape | None = None

    def names(self, known: Iterable[str], found: Iterable[str]) -> dict[str, str]:
        """Adjudge's column -> the file's. known: Adjudge's columns; found: the file's."""
        there = list(found)

        def first(names: Sequence[str]) -> str:
            matches = (matching(there, name) for name in names)
            return next((match[0] for match in matches if len(match) == 1), names[0])

        return {name: first(self.columns.get(name, [name])) for name in known}

    def recognises(self, found: Opened[Any]) -> bool:
        """Whether a file is of this tool."""
        held, names = self._document_records(found), list(found.names)
        if self.by_id and not self.needed:
            texts = isinstance(held, dict) and bool(held) and all(map(is_scalar, held.values()))
            return texts and _RECORD.isdisjoint({*held} - {*found.source.how.constant})
        if self.under and not isinstance(held, dict if self.by_id else list):
            return False
        if self.under and not self.by_id:
            names = [name for one in held if isinstance(one, dict) for name in one]
        all_there = all(any(matching(names, name) for name in many) for many in self.needed)
        return all_there and not {*self.absent} & {*names}

    def batches(self, found: Opened[Any]) -> Iterator[Objects]:
        """The records of a file, some at a time. Raises DataError where it holds none as the tool writes them."""
        source, constants = found.source, found.source.how.constant
        batches = plain_batches(source)
        if self.under or self.by_id:
            held = self._document_records(found)
            if self.by_id:
                if not isinstance(held, dict) or not held:
                    expected = f"{source.name}: expected an object of answers by the ids of their questions"
                    raise DataError(f"{expected}; got {kind(held)}")
                held = [{"id": one, "response": answer} for one, answer in held.items() if one not in constants]
            if not isinstance(held, list):
                raise DataError(f"{source.name}: expected a JSON object with a list {self.under}; got none")
            objects = as_objects(source, held)
            batches = iter([replace(objects, values=[{**one, **constants} for one in objects.checked_values()])])
        for objects in batches:
            records = objects.checked_values()
            if self.reshape:
                records = [self.reshape(one, source) for one in records]
            if self.name:  # where nothing is said of the documents
                records = [{"ability": QUESTION_ANSWERING, **one} for one in records]
            yield replace(objects, values=records)

    def _document_records(self, found: Opened[Any]) -> Any:  # noqa: ANN401 - JSON holds anything
        """What a JSON document holds where records, or answers by id, should be; None for another file."""
        if not (self.under or self.by_id) or found.source.format != "json":
            return None
        return found.document.get(self.under) if self.under and isinstance(found.document, dict) else found.document


# --- records that are not flat ---

_NESTED = ("inputs", "outputs", "reference_outputs", "reference")
_OK = "200"
_RGB_FILE = re.compile(
    r"prediction_(?:en|zh)(?P<end>_int|_fact|_refine)?_(?P<model>.+?)_temp[\d.]+_noise[\d.]+_passage\d"
)
_RGB_ABILITIES = {"_int": "information_integration", "_fact": "counterfactual_robustness"}
_NO_DOCUMENT = "1"
"""A ratio of noise, as a JSON number, where no document holds the answer."""


def _langsmith(record: Record, _: Source) -> dict[str, Any]:
    """A run, with each field of its inputs and outputs, which an export may keep as JSON text, on its own."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        fields = json_value(value) if isinstance(value, str) and value.startswith("{") else value
        nested = name in _NESTED and isinstance(fields, dict)
        flat |= {f"{name}.{key}": one for key, one in fields.items()} if nested else {name: value}
    return flat


def _trulens(record: Record, _: Source) -> dict[str, Any]:
    """A record, with its app's name and version as one, and its texts without the quotes of older exports."""
    app = " ".join(str(record[name]) for name in ("app_name", "app_version") if record.get(name))
    texts = {name: record.get(name) for name in ("input", "output")}
    unquoted = {name: json_value(str(text)) for name, text in texts.items() if str(text).startswith('"')}
    return {**record, "app": app or record.get("app_id"), **unquoted}


def _crag(record: Record, _: Source) -> dict[str, Any]:
    """A prediction, with its true answer and the others that count as one list."""
    true = next((record[name] for name in ("ground_truth", "answer") if record.get(name) is not None), None)
    others = record.get("alt_ans")
    return {**record, "ground_truth": [true, *others] if isinstance(others, list) and true is not None else true}


def _openai_batch(record: Record, source: Source) -> dict[str, Any]:
    """A result, with the text that came and the model that gave it; null where the call failed.

    The text stands where the protocols of chats and of responses have it.
    """
    status, model = inner_value(record, "response.status_code"), inner_value(record, "response.body.model")
    output, choices = inner_value(record, "response.body.output"), inner_value(record, "response.body.choices")
    if isinstance(output, list):
        content: object = [one for one in output if isinstance(one, dict) and one.get("type") == "message"] or None
    else:
        choice = {"choice": choices[0] if isinstance(choices, list) and choices else None}
        content = inner_value(choice, "choice.message.refusal") or inner_value(choice, "choice.message.content")
    failed = record.get("error") or plain_text(status) not in (None, _OK)
    answer = {"custom_id": record.get("custom_id"), "model": model, "content": None if failed else content}
    return {**answer, **source.how.constant}


def _rgb(record: Record, source: Source) -> dict[str, Any]:
    """A prediction, with what the file's name says: prediction_DATASET_MODEL_tempT_noiseN_passageK_correctC.json.

    Of the data sets those that end in _int test information_integration, those in _fact counterfactual_robustness; of
    the others, answers at noise 1 test negative_rejection and all else noise_robustness. label and factlabel are the
    benchmark's own verdicts, which the scorer benchmark gives again.

    Source: evalue.py of RGB, Chen et al. 2024, https://doi.org/10.1609/aaai.v38i16.29728.
    """
    named = _RGB_FILE.search(source.stem)
    plain = "negative_rejection" if plain_text(record.get("noise_rate")) == _NO_DOCUMENT else "noise_robustness"
    ability = _RGB_ABILITIES.get((named and named["end"]) or "", plain)
    return {**({"model": named["model"]} if named else {}), "ability": ability, **record}


# --- the tools ---

_RESHAPES: Mapping[str, Reshape] = {
    "langsmith": _langsmith,
    "trulens": _trulens,
    "crag": _crag,
    "openai-batch": _openai_batch,
    "rgb-predictions": _rgb,
}


def _formats() -> Iterator[Format]:
    """The tools in answer_tables.toml."""
    for name, declared in packaged(__package__, "answer_tables.toml").items():
        needed = [as_names(one) for one in declared.get("needed", ())]
        tool = AnswerTool(**{**declared, "name": name, "needed": needed, "reshape": _RESHAPES.get(name)})
        yield Format(name, "rag", lambda _, tool=tool: tool, tool.recognises, 0, tuple(tool.endings), tool.said)


FORMAT = tuple(_formats())
