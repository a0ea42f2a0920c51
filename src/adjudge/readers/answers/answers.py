"""Models' answers: JSON lines, any table with a row per answer, or files of tools that evaluate answers.

answer_tables.toml maps each tool's fields. Adjudge's names are id, ability,
model, noise_ratio, response, answer, counterfactual, draw, documents; other columns are kept on request.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import filter as matching
from functools import partial
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.readers.answers.answer_rows import READERS, flat_text, listed_texts, read_fields, slots
from adjudge.readers.answers.gold_answers import Gold, id_text
from adjudge.readers.io.json_documents import Objects, as_objects, is_scalar, json_value, kind, plain_text, read_objects
from adjudge.readers.io.source import Format, Source
from adjudge.readers.parsed_input import Opened, format_of, opened
from adjudge.readers.problems import Findings, count_words, keys_said
from adjudge.readers.tables import ROW, collect, missing_columns, plain_batches, scan
from adjudge.readers.transforms import inner_value
from adjudge.schemas.answers import ANSWER_KEYS, ANSWERS, QUESTION_ANSWERING, AnswerLists, Answers, fill_noise
from adjudge.schemas.columns import check_column_exists, requested_columns
from adjudge.schemas.spelling import near_miss
from adjudge.text.toml_files import as_names, packaged

REACHED = "reached_noise"
"""Column of the actual noise ratio of a prompt's documents, if it differs from the requested one."""
KNOWN_COLUMNS = ("id", "ability", "model", "noise_ratio", "response", "answer", "counterfactual", "draw", "documents")

_KEYS = ("id", "ability", "model", "noise_ratio", "draw", "closed")
_ONE = "one answer each (number several in the column draw)"
_NO_ANSWER = "No answer: insufficient information."
"""Replaces an empty prediction if questions may have no answer; every scorer counts it as a refusal."""
_LISTS = ("slots", "false")
"""Columns of lists."""
_BAR = '" | "'

_SCORE = re.compile(
    "faithful|relevanc|correctness|precision|recall|similarity|grounded|hallucinat|utiliz|bleu|rouge|bert|score|f1$",
    re.IGNORECASE,
)
"""Pattern in the names of tools' columns of scores."""


# --- tools ---

Record = Mapping[str, Any]
Reshape = Callable[[Record, Source], dict[str, Any]]

_RECORD = {"id", "_id", "ability", "response", "answer", "question", "query", "prediction", "output", "actual_output"}
"""Fields of a single record, which are no ids of questions."""


@dataclass(frozen=True, slots=True)
class AnswerTool:
    """A tool's file of answers; by default any table under Adjudge's own names.

    said: its description. needed: groups of names; a record (for answers by id, the document) has one of each. absent:
    names that it never has. columns: Adjudge's column -> possible names in the file, of which the first one present
    counts; a name that ends in * matches the only name with that beginning. under: the key of the records in a JSON
    document. by_id: whether an object of question's id -> answer replaces the records. lists: the meaning of a flat
    list of true answers. questions: id columns that identify the question; further answers to it are draws. joined:
    whether true answers are in a separate file. reshape: flattens a record.
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

    def names(self, known: Iterable[str], file_columns: Iterable[str]) -> dict[str, str]:
        """Adjudge's column -> the file's. known: Adjudge's columns; found: the file's."""
        present = list(file_columns)

        def first(names: Sequence[str]) -> str:
            matches = (matching(present, name) for name in names)
            return next((match[0] for match in matches if len(match) == 1), names[0])

        return {name: first(self.columns.get(name, [name])) for name in known}

    def recognises(self, opened: Opened[Any]) -> bool:
        """Whether a file is this tool's."""
        records, names = self._document_records(opened), list(opened.names)
        if self.by_id and not self.needed:
            texts = isinstance(records, dict) and bool(records) and all(map(is_scalar, records.values()))
            return texts and _RECORD.isdisjoint({*records} - {*opened.source.how.constant})
        if self.under and not isinstance(records, dict if self.by_id else list):
            return False
        if self.under and not self.by_id:
            names = [name for one in records if isinstance(one, dict) for name in one]
        all_there = all(any(matching(names, name) for name in many) for many in self.needed)
        return all_there and not {*self.absent} & {*names}

    def batches(self, opened: Opened[Any]) -> Iterator[Objects]:
        """The records of a file in batches. Raises DataError if it has none in the tool's form."""
        source, constants = opened.source, opened.source.how.constant
        batches = plain_batches(source)
        if self.under or self.by_id:
            items = self._document_records(opened)
            if self.by_id:
                if not isinstance(items, dict) or not items:
                    expected = f"{source.name}: expected an object of answers by the ids of their questions"
                    raise DataError(f"{expected}; got {kind(items)}")
                items = [{"id": one, "response": answer} for one, answer in items.items() if one not in constants]
            if not isinstance(items, list):
                raise DataError(f"{source.name}: expected a JSON object with a list {self.under}; got none")
            objects = as_objects(source, items)
            batches = iter([replace(objects, values=[{**one, **constants} for one in objects.checked_values()])])
        for objects in batches:
            records = objects.checked_values()
            if self.reshape:
                records = [self.reshape(one, source) for one in records]
            if self.name:  # unless the file gives an ability
                records = [{"ability": QUESTION_ANSWERING, **one} for one in records]
            yield replace(objects, values=records)

    def _document_records(self, opened: Opened[Any]) -> Any:  # noqa: ANN401 - JSON holds anything
        """A JSON document's value at the place of records, or answers by id; None for another file."""
        if not (self.under or self.by_id) or opened.source.format != "json":
            return None
        return opened.document.get(self.under) if self.under and isinstance(opened.document, dict) else opened.document


# --- records that are not flat ---

_NESTED = ("inputs", "outputs", "reference_outputs", "reference")
_OK = "200"
_RGB_FILE = re.compile(
    r"prediction_(?:en|zh)(?P<end>_int|_fact|_refine)?_(?P<model>.+?)_temp[\d.]+_noise[\d.]+_passage\d"
)
_RGB_ABILITIES = {"_int": "information_integration", "_fact": "counterfactual_robustness"}
_NO_DOCUMENT = "1"
"""The noise ratio, as a JSON number, of documents without the answer."""


def flat_langsmith(record: Record, _: Source) -> dict[str, Any]:
    """A run with a separate key for each field of its inputs and outputs, which an export may keep as JSON text."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        fields = json_value(value) if isinstance(value, str) and value.startswith("{") else value
        nested = name in _NESTED and isinstance(fields, dict)
        flat |= {f"{name}.{key}": one for key, one in fields.items()} if nested else {name: value}
    return flat


def flat_trulens(record: Record, _: Source) -> dict[str, Any]:
    """A record with its app's name and version joined, and its texts without the quotes of older exports."""
    app = " ".join(str(record[name]) for name in ("app_name", "app_version") if record.get(name))
    texts = {name: record.get(name) for name in ("input", "output")}
    unquoted = {name: json_value(str(text)) for name, text in texts.items() if str(text).startswith('"')}
    return {**record, "app": app or record.get("app_id"), **unquoted}


def flat_crag(record: Record, _: Source) -> dict[str, Any]:
    """A prediction with its true answer and the alternatives as one list."""
    true = next((record[name] for name in ("ground_truth", "answer") if record.get(name) is not None), None)
    others = record.get("alt_ans")
    return {**record, "ground_truth": [true, *others] if isinstance(others, list) and true is not None else true}


def flat_openai_batch(record: Record, source: Source) -> dict[str, Any]:
    """A result with the response's text and its model; null if the call failed.

    The text is where the chat and response protocols have it.
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


def flat_rgb(record: Record, source: Source) -> dict[str, Any]:
    """A prediction with fields from the file's name: prediction_DATASET_MODEL_tempT_noiseN_passageK_correctC.json.

    Data sets that end in _int test information_integration, those in _fact counterfactual_robustness. Other answers
    test negative_rejection at noise 1 and noise_robustness otherwise. label and factlabel are the benchmark's own
    verdicts, which the scorer benchmark reproduces.

    Source: evalue.py of RGB, Chen et al. 2024, https://doi.org/10.1609/aaai.v38i16.29728.
    """
    named = _RGB_FILE.search(source.stem)
    plain = "negative_rejection" if plain_text(record.get("noise_rate")) == _NO_DOCUMENT else "noise_robustness"
    ability = _RGB_ABILITIES.get((named and named["end"]) or "", plain)
    return {**({"model": named["model"]} if named else {}), "ability": ability, **record}


# --- reading ---


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """How to read answers; the arguments of `adjudge.rag` that concern the reading.

    columns: Adjudge's name -> the file's. by: further columns to keep, as text, none of ANSWERS. cluster: the file's
    column of clusters. model: the model if a file gives none. drop: drop invalid answers instead of raising. lists: the
    meaning of flat lists of true answers, if the format does not define it. separator: separates several true answers
    in one text. gold: true answers from another file.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    by: Sequence[str] = ()
    cluster: str | None = None
    model: str | None = None
    drop: bool = False
    lists: AnswerLists | None = None
    separator: str | None = None
    gold: Gold | None = None


def read_answers(source: Source, options: AnswerReading) -> Answers:
    """The answers in a file. Raises DataError with all problems; OptionError for a missing column.

    A null response is a failed answer. Reasoning between <think> tags is removed, even if the first or the last tag is
    missing. A missing noise_ratio is 1 for negative_rejection (with documents), else null.
    """
    file = opened(source, options)
    form = format_of("rag", file)
    tool = form.read(file) if form else AnswerTool()
    if tool.joined and options.gold is None:
        raise DataError(
            f"{source.name}: expected the true answers too, which files of this format ({tool.name}) do not hold",
            fix=f"{flag_name('gold')} FILE with the data set",
        )
    return _Pass(file, tool).answers()


class _Pass:
    """One pass over the records of a file, and its counts and problems."""

    def __init__(self, opened: Opened[AnswerReading], tool: AnswerTool) -> None:
        self.opened, self.options, self.tool = opened, opened.options, tool
        self.name, self.findings, self.unit = opened.source.name, Findings("answer"), "row"
        self.gold = opened.options.gold or Gold("", [], {}, refusals=False)
        self.lists = tool.lists or opened.options.lists
        self.columns: dict[str, None] = {}
        self.names: Mapping[str, str] = {}
        self.rows = self.short = self.flat = self.empty = 0
        self.strays: list[str] = []
        self.asked: set[int] = set()
        self.known: dict[tuple[type, str], tuple[str | None, bool]] = {}

    def answers(self) -> Answers:
        """The answers, all checked."""
        frames = list(map(self._frame, self.tool.batches(self.opened)))
        if not self.rows:
            raise DataError(f"{self.name}: expected at least one answer; got none")
        self._check_columns()
        if len(self.strays) == self.rows:
            near = near_miss(self.strays[:1], self.gold.places)
            expected = f"expected answers to questions of {self.gold.name}"
            raise DataError(f"{self.name}: {expected}; none of its ids is one of them{near}")
        frame, notes = pl.concat(frames), list[str]()
        twice = frame.select(_KEYS).is_duplicated()
        if self.names["id"] in self.tool.questions and "id" not in self.options.columns and twice.any():
            repeated = count_words(frame.filter(twice)["id"].n_unique(), "question is", "questions are")
            notes = [f"{self.name}: {repeated} answered more than once; each further answer counts as another draw"]
            frame = frame.with_columns(draw=pl.int_range(1, pl.len() + 1).over(_KEYS).cast(pl.String))
        frame = self.findings.once(frame, _KEYS, ROW, f"{self.name}, {self.unit}s", _ONE).drop(ROW)
        dropped = self.findings.settle(drop=self.options.drop)
        if frame.is_empty():
            raise DataError(f"{self.name}: no answer is left{' after dropping' if self.findings.dropped else ''}")
        warnings = (*dropped, *notes, *self._warnings(frame))
        asked_for = partial(questions_of, self.opened.source, self.names)
        return Answers(self.name, frame, self.rows, warnings, len(self.gold.rows), asked_for, self.names)

    def _frame(self, objects: Objects) -> pl.DataFrame:
        """The valid records of a batch as rows of a table, with ROW."""
        options, self.unit = self.options, objects.unit
        self.columns |= dict.fromkeys(chain.from_iterable(objects.values))
        self.rows += len(objects.values)
        self.names = names = self.names or {**self.tool.names(KNOWN_COLUMNS, self.columns), **options.columns}
        if REACHED in self.columns:
            self.short += sum(one.get(REACHED) not in (None, one.get(names["noise_ratio"])) for one in objects.values)
        objects = self._with_true_answers(objects)
        readers = {column: (names.get(name, name), reader) for column, (name, reader) in READERS.items()}
        readers |= {"slots": (names["answer"], self._slots), **{name: (name, flat_text) for name in options.by}}
        readers |= {"cluster": (options.cluster, flat_text)} if options.cluster else {}
        columns, wrong = read_fields(objects, readers, self.findings)
        self.findings.dropped += len(wrong)
        true = [one or (None, False) for one in columns["slots"]]
        either = [tested for (_, is_flat), tested in zip(true, columns["ability"], strict=True) if is_flat]
        self.flat += len(either) - either.count("information_integration")
        # building the table from lists as JSON is many times faster
        schema = {ROW: pl.UInt32(), **ANSWERS, **dict.fromkeys((*_LISTS, *options.by), pl.String())}
        columns |= {"slots": [one for one, _ in true], ROW: list(objects.numbers)}
        frame = pl.DataFrame({name: columns.get(name, [None] * len(true)) for name in schema}, schema=schema)
        noise = pl.when("closed").then("noise_ratio").otherwise(fill_noise(pl.col("noise_ratio")))
        frame = frame.filter([row not in wrong for row in range(frame.height)]) if wrong else frame
        model = pl.col("model").fill_null(options.model or self.opened.source.stem)
        lists = (pl.col(name).str.json_decode(ANSWERS[name]) for name in _LISTS)
        return frame.with_columns(*lists, model=model, noise_ratio=noise)

    def _slots(self, value: object) -> tuple[str | None, bool]:
        """A true answer as JSON, null if no answer is correct; and whether it is an ambiguous flat list."""
        key = (type(value), str(value))
        if key not in self.known:  # all answers to a question repeat it
            value, separator = listed_texts(value), self.options.separator
            if isinstance(value, str) and separator and separator in value:
                value = [one for part in value.split(separator) if (one := part.strip())]
            is_flat = isinstance(value, list) and len(value) > 1 and all(isinstance(one, str) for one in value)
            answer = [value] if is_flat and self.lists == "aliases" else value
            true = None if value is None or value == "" else json.dumps(slots(answer), ensure_ascii=False)
            self.known[key] = true, is_flat and not self.lists
        return self.known[key]

    def _with_true_answers(self, objects: Objects) -> Objects:
        """Records with the true answers to their questions. Records of unknown questions are problems, and excluded."""
        gold, names, joined = self.gold, self.names, dict[int, Mapping[str, Any]]()
        if not gold.rows:
            return objects
        for number, record in zip(objects.numbers, objects.values, strict=True):
            question = id_text(record.get(names["id"]))
            at = gold.places.get(question)
            if at is None:
                self.strays.append(question)
                place = f"{self.name}, {objects.unit} {number}, {names['id']}"
                problem = f'expected the id or the text of a question of {gold.name}; got "{question:.60}"'
                self.findings.add(f"{place}: {problem}", dropped=1)
                continue
            self.asked.add(at)
            true = {names.get(name, name): value for name, value in gold.rows[at].items() if name != "id"}
            is_empty = gold.refusals and record.get(names["response"]) == ""
            self.empty += is_empty
            joined[number] = {**record, **true, **({names["response"]: _NO_ANSWER} if is_empty else {})}
        return replace(objects, numbers=[*joined], values=[*joined.values()])

    # --- problems and warnings ---

    def _check_columns(self) -> None:
        """Raises DataError for all missing columns, OptionError for one that an option names."""
        options, names = self.options, self.names
        present = {**self.columns, **dict.fromkeys(chain.from_iterable(self.gold.rows))}
        check_column_exists(self.name, requested_columns(options.by, options.cluster, options.columns), present)
        needed = ("id", "ability", "response", *options.columns)
        lacking = {one: names[one] for one in needed if names[one] not in present and one not in present}
        if lacking:
            listed = {name: theirs for name, theirs in lacking.items() if name != "ability"}
            error = missing_columns(self.name, listed or lacking, self.columns)
            if listed != lacking:  # ability has one value in most evaluations
                plain = f"{flag_name('constant')} ability={QUESTION_ANSWERING}"
                error.fix = f"{error.fix} {plain}" if listed else plain
            if "response" in listed and "answer" in self.columns:
                error.fix = f"a file of answers, with {flag_name('gold')} {self.name}"
            raise error

    def _warnings(self, frame: pl.DataFrame) -> Iterator[str]:
        """Warnings about changes to the answers and about unused parts."""
        gold, used = self.gold, {*self.names.values(), *self.options.by, self.options.cluster}
        aliases = pl.col("slots").list.explode(empty_as_null=False).list.explode(empty_as_null=False)
        with_bar = frame.select(aliases.str.contains(_BAR.strip('"'), literal=True).sum()).item()
        barred = with_bar if self.options.separator is None else 0
        scores = [column for column in self.columns if column not in used and _SCORE.search(column)]
        tested = frame.filter(ability=QUESTION_ANSWERING)
        fields = " or ".join(self.tool.columns.get("answer", ()))
        asked, unanswered = len(gold.rows), len(gold.rows) - len(self.asked)
        messages = {
            f"answers to prompts that did not reach the requested noise, under which they count: {self.short:,} of "
            f"{self.rows:,}. --columns noise_ratio={REACHED} uses the actual noise": self.short,
            f"true answers that are lists of texts, each of which a response must hold: {self.flat:,}. --answer-lists "
            "aliases takes the texts for spellings of one answer": self.flat,
            f"true answers with {_BAR}, which count as one text: {barred:,}. Several: --answer-separator '|'": barred,
            f"empty answers read as refusals, since questions of {gold.name} have none: {self.empty:,}": self.empty,
            f"columns of scores that are not used: {', '.join(scores)}": scores,
            f"{unanswered:,} of {asked:,} questions of {gold.name} have no answer": unanswered,
            f"no answer has a true one to compare with{fields and f', which such files hold in {fields}'}; name a file "
            "of them with --gold FILE": tested.height and not tested["slots"].count(),
        }
        yield from (f"{self.name}: {message}" for message, count in messages.items() if count)


def combined(files: Sequence[Answers]) -> pl.DataFrame:
    """The answers of several files as one table. Raises DataError if two files have the same answer."""
    frame = pl.concat([one.frame for one in files])
    twice = frame.filter(pl.struct(_KEYS).is_duplicated())
    if twice.height:
        names = ", ".join(one.name for one in files)
        raise DataError(f"{names}: expected {_ONE}; two files hold one of {keys_said(twice.row(0, named=True), _KEYS)}")
    return frame


# --- questions ---

_QUESTIONS = ("question", "query", "user_input", "input", "instruction", "prompt")
_DOCUMENTS = ("documents", "docs", "contexts", "retrieved_contexts", "retrieval_context", "context")


def questions_of(source: Source, columns: Mapping[str, str], items: Sequence[str]) -> list[dict[str, Any]]:
    """The answers to some items: ANSWER_KEYS, question (each None if the file lacks it), and documents.

    columns: Adjudge's column -> the file's. The answers are for display: a file that can no longer be read gives none.
    """
    try:
        if source.format in ("json", "jsonl"):
            records = list(read_objects(source).values)
        else:
            rows = scan(source).filter(pl.col(columns["id"]).cast(pl.String).is_in(items))
            records = collect(source, rows).to_dicts()
    except (DataError, pl.exceptions.PolarsError):
        return []
    ids, answers = set(items), list[dict[str, Any]]()
    for record in records:
        if isinstance(record, dict) and plain_text(record.get(columns["id"])) in ids:
            folded = {name.casefold(): record[name] for name in reversed([*record])}
            questions = (folded.get(name) for name in _QUESTIONS)
            documents = (folded.get(name.casefold()) for name in (columns["documents"], *_DOCUMENTS))
            answer = {name: record.get(columns[name]) for name in ANSWER_KEYS}
            answer["question"] = next((one for one in questions if isinstance(one, str)), None)
            answers.append({**answer, "documents": documents_in(next(filter(None, documents), None))})
    return answers


def documents_in(value: object) -> list[str]:
    """The texts of documents: a list of texts or of objects with a text, or such a list as JSON."""
    value = json_value(value) if isinstance(value, str) else value
    texts = (
        one.get("text") if isinstance(one, dict) else one for one in (value if isinstance(value, list) else [value])
    )
    return [text for text in texts if isinstance(text, str)]


def _formats() -> Iterator[Format]:
    """The tools in answer_tables.toml."""
    for name, declared in packaged(__package__, "answer_tables.toml").items():
        needed, reshape = [as_names(one) for one in declared.get("needed", ())], declared.get("reshape", "")
        tool = AnswerTool(**{**declared, "name": name, "needed": needed, "reshape": globals().get(reshape)})
        yield Format(name, "rag", lambda _, tool=tool: tool, tool.recognises, 0, tuple(tool.endings), tool.said)


FORMAT = tuple(_formats())
