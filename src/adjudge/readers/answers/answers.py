"""Models' answers: JSON lines, any table with a row per answer, or files of tools that evaluate answers.

answer_tables.toml maps each tool's fields. Adjudge's names are id, ability,
model, noise_ratio, response, answer, counterfactual, draw, documents; other columns are kept on request.

True answers in a separate file: data sets of questions, joined to answers by id, else by the question's text.

HotpotQA, SQuAD (1.1 and 2.0, nested or as rows), CRAG, RGB, prompts of `adjudge rag prepare`, goldens of DeepEval and
TruLens, or any table with an id or a question, and an answer.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import filter as matching
from functools import partial
from typing import Any

import msgspec
import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.readers.answers.answer_rows import READERS, flat_text, listed_texts, read_fields, slots
from adjudge.readers.column_names import PARTS
from adjudge.readers.io import json_documents
from adjudge.readers.io.json_documents import Objects, is_scalar, json_value, objects_in, plain_text, text_in
from adjudge.readers.io.source import OR, Format, How, Source
from adjudge.readers.parsed_input import Opened, format_of, opened
from adjudge.readers.problems import Findings, keys_said
from adjudge.readers.tables import ROW, missing_columns, objects_in_rows
from adjudge.readers.transforms import inner_value
from adjudge.schemas.answers import ANSWER_KEYS, ANSWERS, QUESTION_ANSWERING, AnswerLists, Answers, fill_noise
from adjudge.schemas.columns import check_column_exists, requested_columns
from adjudge.text.toml_files import as_names, packaged

# --- true answers ---

_IDS = ("id", "_id", "interaction_id", "query_id", "question_id", "qid", "example_id", "custom_id")
_QUESTIONS = ("question", "query", "input", "user_input", "instruction", "prompt")
_TRUE = PARTS["true"]
_OTHERS = ("alt_ans", "is_impossible", "fakeanswer", "positive", "negative", "documents", "response")
"""Fields that are not kept as columns."""


@dataclass(frozen=True, slots=True)
class Gold:
    """True answers.

    places: id, or text of a unique question -> index in `rows`, whose fields have Adjudge's names. refusals: whether
    some questions have no answer, so that an empty prediction is a refusal.
    """

    name: str
    rows: list[dict[str, Any]]
    places: Mapping[str, int]
    refusals: bool

    def texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of the questions of some answers, by id, where they are known."""
        questions = {one: _first(self.rows[self.places[one]], _QUESTIONS) for one in ids if one in self.places}
        return {one: str(text) for one, text in questions.items() if text is not None}


def read_gold(source: Source) -> Gold:
    """The true answers in a file. Raises DataError if there are none, and for a repeated id."""
    rows, by_id, by_question, twice = list[dict[str, Any]](), dict[str, int](), dict[str, int](), set[str]()
    for place, record in _records(source):
        for name, theirs in source.how.columns.items():
            if theirs in record and (OR in theirs or _first(record, _IDS if name == "id" else _TRUE) is None):
                record[name] = record[theirs]
        row, question = _row(record), _first(record, _QUESTIONS)
        if row["id"] is None and question is None:
            expected = f"an id ({', '.join(_IDS)}) or a question ({', '.join(_QUESTIONS)})"
            raise DataError(f"{place}: expected {expected}; got {', '.join(record) or 'nothing':.300}")
        if row["id"] in by_id:
            raise DataError(f"{place}: expected each question once; id {row['id']:.60} appears twice")
        if row["id"] is not None:
            by_id[row["id"]] = len(rows)
        if question is not None:
            twice |= {id_text(question)} & by_question.keys()
            by_question[id_text(question)] = len(rows)
        rows.append(row)
    if not rows:
        raise DataError(f"{source.name}: no questions found")
    if not any("answer" in row for row in rows):
        message = f"{source.name}: expected true answers ({', '.join(_TRUE)}); got {', '.join(rows[0]):.300}"
        program = "such as jq -c '. + {answer: [.output[].answer // empty]}'"
        raise DataError(message, fix=f"a program that names them, {program} {source.name} > NEW.jsonl")
    once = {question: place for question, place in by_question.items() if question not in twice}
    refusals = any(row.get("ability") == "negative_rejection" for row in rows)
    return Gold(source.name, rows, {**once, **by_id}, refusals)


def id_text(value: object) -> str:
    """An id, or a question, as text, independent of the file's form of numbers."""
    return plain_text(value) or str(value)


def _records(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """The questions of a file, each with its place."""
    batches: Iterable[Objects] = objects_in_rows(source).batches()
    if source.format == "json":
        document = opened(source, source.how).document
        data = document.get("data") if isinstance(document, dict) else None
        if isinstance(data, list) and any(isinstance(one, dict) and "paragraphs" in one for one in data):
            findings = Findings()
            articles = [*json_documents.read_each(json_documents.as_objects(source, data), _squad, findings, "article")]
            findings.settle()
            data = [question for _, questions in articles for question in questions]
        batches = [json_documents.as_objects(source, document if data is None else data)]
    for objects in batches:
        yield from zip((place for place, _ in objects.places()), objects.checked_values(), strict=True)


def _squad(article: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The questions of an article in SQuAD's nested form; several true answers are aliases."""
    paragraphs = objects_in(article, "paragraphs", needed=True)
    questions = [question for paragraph in paragraphs for question in objects_in(paragraph, "qas", needed=True)]
    answers = [[one.get("text") for one in objects_in(question, "answers", needed=True)] for question in questions]
    both = zip(questions, answers, strict=True)
    return [{**question, "answers": {"text": texts}, "title": article.get("title")} for question, texts in both]


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    """A question's fields; those known to Adjudge have its names."""
    row = {name: value for name, value in record.items() if name not in {*_IDS, *_TRUE, *_OTHERS}}
    identity, answers = _first(record, _IDS), record.get("answers")
    row["id"] = None if identity is None else id_text(identity)
    row |= {"answer": _true_answer(record)} if any(name in record for name in _TRUE) else {}
    row |= {"counterfactual": record["fakeanswer"]} if "fakeanswer" in record else {}
    if record.get("is_impossible") is True or (isinstance(answers, Mapping) and answers.get("text") == []):
        row |= {"answer": None, "ability": "negative_rejection"}  # as in SQuAD 2.0
    elif "is_impossible" in record:
        row["ability"] = QUESTION_ANSWERING
    return row


def _true_answer(record: Mapping[str, Any]) -> object:
    """A true answer, with slots and aliases separated if the data set's form defines them."""
    value, others = _first(record, _TRUE), record.get("alt_ans")
    if isinstance(value, list) and {"positive", "negative"} <= record.keys():  # of RGB
        return [one if isinstance(one, list) else [one] for one in value]
    if isinstance(value, Mapping) and "text" in value:  # of SQuAD
        value = value["text"]
    elif isinstance(others, list) and is_scalar(value):  # of CRAG
        value = [value, *others]
    else:
        return value
    # reading the answer rejects anything but texts
    return [list(dict.fromkeys(value))] if isinstance(value, list) and all(map(is_scalar, value)) else value


def _first(record: Mapping[str, Any], names: Iterable[str]) -> Any:  # noqa: ANN401 - JSON holds anything
    return next((record[name] for name in names if record.get(name) is not None), None)


KNOWN_COLUMNS = ("id", "ability", "model", "noise_ratio", "response", "answer", "counterfactual", "draw", "documents")

_KEYS = ("id", "ability", "model", "noise_ratio", "draw", "closed")
_LONG = 200
"""The length of true answers that are prose."""
_ONE = "one answer each (number several in the column draw)"
_NONE: Sequence[tuple[object, str]] = (([], "negative_rejection"), ("[]", "negative_rejection"))
"""True answers of questions without one, and the ability."""
_LISTS = ("slots", "false")
"""Columns of lists."""


# --- tools ---

Record = Mapping[str, Any]

_RECORD = {"id", "_id", "ability", "response", "answer", "question", "query", "prediction", "output", "actual_output"}
"""Fields of a single record, which are no ids of questions."""


@dataclass(frozen=True, slots=True)
class AnswerTool:
    """A tool's file of answers; by default any table under Adjudge's own names.

    said: its description. needed: groups of names; a record (for answers by id, the document) has one of each. columns:
    Adjudge's column -> possible names in the file, of which the first one present counts; a name that ends in * matches
    the only name with that beginning. under: the key of the records in a JSON document. by_id: whether an object of
    question's id -> answer replaces the records. lists: the meaning of a flat list of true answers. questions: id
    columns that identify the question; further answers to it are draws. joined: whether true answers are in a separate
    file. reshape: flattens a record.
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
    reshape: Callable[[Record, Source], dict[str, Any]] | None = None

    def names(self, file_columns: Iterable[str]) -> dict[str, str]:
        """Adjudge's column -> the file's."""
        present, found = list(file_columns), dict[str, str]()
        for name in KNOWN_COLUMNS:
            names = self.columns.get(name, [name])
            matches = (matching(present, one) for one in names)
            found[name] = next((match[0] for match in matches if len(match) == 1), names[0])
        return found

    def records_in(self, opened: Opened[Any]) -> list[Any] | None:
        """The records at their place in a JSON document; None if there are none, and if they are the whole file."""
        document = opened.document if opened.source.format == "json" and (self.under or self.by_id) else None
        records = document.get(self.under) if self.under and isinstance(document, dict) else document
        if not self.by_id:
            return records if isinstance(records, list) else None
        if not isinstance(records, dict) or not all(map(is_scalar, filter(None, records.values()))):
            return None
        constants = opened.source.how.constant
        return [{"id": one, "response": answer} for one, answer in records.items() if one not in constants]

    def recognises(self, opened: Opened[Any]) -> bool:
        """Whether a file is this tool's."""
        names, records = {*opened.names}, self.records_in(opened) or []
        if self.by_id and not (records and (self.needed or _RECORD.isdisjoint(one["id"] for one in records))):
            return False
        if self.under and not self.by_id:
            names = {name for one in records if isinstance(one, dict) for name in one}
        all_there = all(any(matching(names, name) for name in many) for many in self.needed)
        return all_there and {*self.absent}.isdisjoint(names)

    def batches(self, opened: Opened[Any]) -> Iterator[Objects]:
        """The records of a file in batches. Raises DataError if it has none in the tool's form."""
        source, batches = opened.source, objects_in_rows(opened.source).batches()
        if self.under or self.by_id:
            if not (records := self.records_in(opened)):
                raise DataError(f"{source.name}: expected a document of {self.name}; got another", fix=self.said)
            batches = iter([json_documents.as_objects(source, records)])
        for objects in batches:
            # those within a document have no constants of the options yet
            records = [{**one, **source.how.constant} for one in objects.checked_values()]
            records = [self.reshape(one, source) for one in records] if self.reshape else records
            if self.name:  # unless the file gives an ability
                records = [{"ability": QUESTION_ANSWERING, **one} for one in records]
            yield replace(objects, values=records)


# --- records that are not flat ---

_RGB = re.compile(r"prediction_(?:en|zh)(?P<end>_int|_fact|_refine)?_(?P<model>.+?)_temp[\d.]+_noise[\d.]+_passage\d")
_RGB_ABILITIES = {"_int": "information_integration", "_fact": "counterfactual_robustness"}


def flat_langsmith(record: Record, _: Source) -> dict[str, Any]:
    """A run with a separate key for each field of its inputs and outputs, which an export may keep as JSON text."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        fields = json_value(value) if isinstance(value, str) and value.startswith("{") else value
        nested = name in ("inputs", "outputs", "reference_outputs", "reference") and isinstance(fields, dict)
        flat |= {f"{name}.{key}": one for key, one in fields.items()} if nested else {name: value}
    return flat


def flat_trulens(record: Record, _: Source) -> dict[str, Any]:
    """A record with its app's name and version joined."""
    app = " ".join(str(record[name]) for name in ("app_name", "app_version") if record.get(name))
    return {**record, "app": app or record.get("app_id")}


def flat_crag(record: Record, _: Source) -> dict[str, Any]:
    """A prediction with its true answer and the alternatives as one list."""
    true, others = record.get("ground_truth"), record.get("alt_ans")
    return {**record, "ground_truth": [true, *others] if isinstance(others, list) and true is not None else true}


def flat_openai_batch(record: Record, source: Source) -> dict[str, Any]:
    """A result with the response's text and its model; null if the call failed.

    The text is where the chat and response protocols have it.
    """
    body = inner_value(record, "response.body") or {}
    output, choices = inner_value(body, "output"), inner_value(body, "choices")
    if isinstance(output, list):
        content: object = [one for one in output if isinstance(one, dict) and one.get("type") == "message"] or None
    else:
        choice = {"choice": choices[0] if isinstance(choices, list) and choices else None}
        content = inner_value(choice, "choice.message.refusal") or inner_value(choice, "choice.message.content")
    failed = record.get("error") or inner_value(record, "response.status_code") not in (None, 200, "200")
    answer = {"custom_id": record.get("custom_id"), "model": inner_value(body, "model")}
    return {**answer, "content": None if failed else content, **source.how.constant}


def flat_rgb(record: Record, source: Source) -> dict[str, Any]:
    """A prediction with fields from the file's name: prediction_DATASET_MODEL_tempT_noiseN_passageK_correctC.json.

    Data sets that end in _int test information_integration, those in _fact counterfactual_robustness. Other answers
    test negative_rejection at noise 1 and noise_robustness otherwise. label and factlabel are the benchmark's own
    verdicts, which the scorer benchmark reproduces.

    Source: evalue.py of RGB, Chen et al. 2024, https://doi.org/10.1609/aaai.v38i16.29728.
    """
    named = _RGB.search(source.stem)
    plain = "negative_rejection" if text_in(record, "noise_rate") == "1" else "noise_robustness"
    ability = _RGB_ABILITIES.get((named and named["end"]) or "", plain)
    return {**({"model": named["model"]} if named else {}), "ability": ability, **record}


# --- reading ---


@dataclass(frozen=True, slots=True)
class AnswerReading(How):
    """How to read answers; the arguments of `adjudge.rag` that concern the reading.

    by: further columns to keep, as text, none of ANSWERS. model: the model if a file gives none. answer_lists: the
    meaning of flat lists of true answers, if the format does not define it. answer_separator: separates several true
    answers in one text. gold: true answers from another file.
    """

    model: str | None = None
    answer_lists: AnswerLists | None = None
    answer_separator: str | None = None
    gold: Gold | None = None


@json_documents.collection_paused()
def read_answers(source: Source, options: AnswerReading) -> Answers:
    """The answers in a file. Raises DataError with all problems; OptionError for a missing column.

    A null response is a failed answer. Reasoning between <think> tags is removed, even if the first or the last tag is
    missing. A missing noise_ratio is 1 for negative_rejection (with documents), else null.
    """
    file = opened(source, options)
    form = format_of("rag", file)
    tool = form.read(file) if form else AnswerTool()
    if tool.joined and options.gold is None:
        problem = f"expected the true answers too, which files of this format ({tool.name}) do not hold"
        raise DataError(f"{source.name}: {problem}", fix=f"{flag_name('gold')} FILE with the data set")
    return _AnswerReader(file, tool).answers()


class _AnswerReader:
    """Reads the records of a file in batches, and counts and collects their problems."""

    def __init__(self, file: Opened[AnswerReading], tool: AnswerTool) -> None:
        self.file, self.options, self.tool, self.name = file, file.options, tool, file.source.name
        self.findings, self.unit = Findings("answer"), "row"
        self.gold = file.options.gold or Gold("", [], {}, refusals=False)
        self.lists = tool.lists or file.options.answer_lists
        self.columns, self.names = dict[str, None](), dict[str, str]()
        self.rows = self.flat = self.empty = self.draws = 0
        self.asked, self.apart = set[int](), Counter[str]()
        self.known = dict[bytes, tuple[str | None, bool]]()

    def answers(self) -> Answers:
        """The answers, all checked."""
        frames = list(map(self._frame, self.tool.batches(self.file)))
        if not self.rows:
            raise DataError(f"{self.name}: no answers found")
        self._check_columns()
        frame = pl.concat(frames)
        models = frame["model"].drop_nulls().unique()
        if len(models) == 1:  # failed calls may not name it
            failed = pl.col("model").is_null() & pl.col("response").is_null()
            frame = frame.with_columns(model=pl.when(failed).then(pl.lit(models[0])).otherwise("model"))
        frame = frame.with_columns(pl.col("model").fill_null(self.options.model or self.file.source.stem))
        if self.names["id"] in self.tool.questions and "id" not in self.options.columns:
            self.draws = frame.filter(pl.struct(_KEYS).is_duplicated())["id"].n_unique()
            numbered = pl.int_range(1, pl.len() + 1).over(_KEYS).cast(pl.String)
            frame = frame.with_columns(draw=numbered) if self.draws else frame
        frame = self.findings.once(frame, _KEYS, ROW, f"{self.name}, {self.unit}s", _ONE).drop(ROW)
        dropped = self.findings.settle(drop=self.options.drop)
        if frame.is_empty():
            raise DataError(f"{self.name}: no answer is left")
        warnings = (*dropped, *self._warnings(frame))
        asked_for = partial(questions_of, self.file.source, self.names)
        return Answers(self.name, frame, self.rows, warnings, len(self.gold.rows), asked_for)

    def _frame(self, objects: Objects) -> pl.DataFrame:
        """The valid records of a batch as rows of a table, with ROW."""
        options, self.unit = self.options, objects.unit
        self.columns |= json_documents.keys_of(objects.values)
        self.rows += len(objects.values)
        own = {name: "" if one in options.named_columns else one for name, one in self.tool.names(self.columns).items()}
        self.names = names = self.names or {**own, **options.columns}
        objects = self._with_true_answers(objects)
        key, ability = names["answer"], names["ability"]
        values = [one | {key: None} if (one.get(key), one.get(ability)) in _NONE else one for one in objects.values]
        objects = replace(objects, values=values)
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
        return frame.with_columns(*(pl.col(name).str.json_decode(ANSWERS[name]) for name in _LISTS), noise_ratio=noise)

    def _slots(self, value: object) -> tuple[str | None, bool]:
        """A true answer as JSON, null if no answer is correct; and whether it is an ambiguous flat list."""
        key = msgspec.json.encode(value)
        if key not in self.known:  # all answers to a question repeat it
            value, separator = listed_texts(value), (self.options.answer_separator or "").replace("\\n", "\n")
            if isinstance(value, str) and len(value) < _LONG and not separator:
                self.apart.update({repr(mark)[1:-1] for mark in re.findall(r"[|;\n](?= ?\S)", value.strip())})
            if isinstance(value, str) and separator and separator in value:
                value = [one for part in value.split(separator) if (one := part.strip())]
            is_flat = isinstance(value, list) and len(value) > 1 and all(isinstance(one, str) for one in value)
            answer = [value] if is_flat and self.lists == "aliases" else value
            true = None if value is None or value == "" else msgspec.json.encode(slots(answer)).decode()
            self.known[key] = true, is_flat and not self.lists
        return self.known[key]

    def _with_true_answers(self, objects: Objects) -> Objects:
        """Records with the true answers to their questions. Records of unknown questions are problems, and excluded."""
        gold, names, joined = self.gold, self.names, dict[int, dict[str, Any]]()
        ids = {"id", names["id"]}
        if not gold.rows:
            return objects
        for number, record in zip(objects.numbers, objects.values, strict=True):
            question = id_text(record.get(names["id"]))
            at = gold.places.get(question)
            if at is None:
                place = f"{self.name}, {objects.unit} {number}, {names['id']}"
                problem = f'expected the id or the text of a question of {gold.name}; got "{question:.60}"'
                self.findings.add(f"{place}: {problem}", dropped=1)
                continue
            self.asked.add(at)
            true = {names.get(name, name): value for name, value in gold.rows[at].items() if name not in ids}
            is_empty = gold.refusals and record.get(names["response"]) == ""
            self.empty += is_empty
            joined[number] = {**record, **true}
            if is_empty:  # every scorer counts it as a refusal
                joined[number][names["response"]] = "No answer: insufficient information."
        return replace(objects, numbers=[*joined], values=[*joined.values()])

    # --- problems and warnings ---

    def _check_columns(self) -> None:
        """Raises DataError for all missing columns, OptionError for one that an option names."""
        options, names = self.options, self.names
        present = {**self.columns, **json_documents.keys_of(self.gold.rows)}
        check_column_exists(self.name, requested_columns(options.by, options.cluster, options.columns), present)
        needed = {one: names[one] for one in ("id", "response", "ability")}
        if lacking := {one: name or one for one, name in needed.items() if not (name and {name, one} & present.keys())}:
            others = {one: theirs for one, theirs in lacking.items() if one != "ability"}
            error = missing_columns(self.name, others or lacking, self.columns, options.columns)
            if "ability" in lacking:  # it has one value in most evaluations
                plain = f"{flag_name('constant')} ability={QUESTION_ANSWERING}"
                error.fix = f"{error.fix} {plain}" if others else plain
            if "response" in lacking and "answer" in self.columns:
                error.fix = f"use a file of answers, with {flag_name('gold')} {self.name}"
            raise error

    def _warnings(self, frame: pl.DataFrame) -> Iterator[str]:
        """Warnings about changes to the answers and about unused parts."""
        gold = self.gold
        tested, unanswered = frame.filter(ability=QUESTION_ANSWERING), len(gold.rows) - len(self.asked)
        some, fix = 'true answers with "{}" count as one text: {:,}', "If any part is right: --answer-lists aliases"
        parts = {f'{some.format(sign, n)}. {fix} --answer-separator "{sign}"': n for sign, n in self.apart.items()}
        messages = {
            **parts,
            f"questions with several answers, each of which counts as a draw: {self.draws:,}": self.draws,
            f"true answers that are lists of texts, each of which a response must hold: {self.flat:,}. --answer-lists "
            "aliases takes the texts for spellings of one answer": self.flat,
            f"empty answers read as refusals, since questions of {gold.name} have none: {self.empty:,}": self.empty,
            f"{unanswered:,} of {len(gold.rows):,} questions of {gold.name} have no answer": unanswered,
            "no answer has a true one to compare with; name a file of them with --gold FILE": tested.height
            and not tested["slots"].count(),
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

_DOCUMENTS = ("documents", "docs", "contexts", "retrieved_contexts", "retrieval_context", "context")


def questions_of(source: Source, columns: Mapping[str, str], items: Sequence[str]) -> list[dict[str, Any]]:
    """The answers to some items: ANSWER_KEYS, question (each None if the file lacks it), and documents.

    columns: Adjudge's column -> the file's. The answers are for display: a file that can no longer be read gives none.
    """
    answers, ids = list[dict[str, Any]](), {*items}
    try:
        records = [record for objects in objects_in_rows(source).batches() for record in objects.values]
    except (DataError, pl.exceptions.PolarsError):
        return []
    for record in records:
        if isinstance(record, dict) and text_in(record, columns["id"]) in ids:
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
    documents = value if isinstance(value, list) else [value]
    texts = (one.get("text") if isinstance(one, dict) else one for one in documents)
    return [text for text in texts if isinstance(text, str)]


def _formats() -> Iterator[Format]:
    """The tools in answer_tables.toml."""
    for name, declared in packaged(__package__, "answer_tables.toml").items():
        needed, reshape = [as_names(one) for one in declared.get("needed", ())], declared.get("reshape", "")
        tool = AnswerTool(**{**declared, "name": name, "needed": needed, "reshape": globals().get(reshape)})
        yield Format(name, "rag", lambda _, tool=tool: tool, tool.recognises, 0, tuple(tool.endings), tool.said)


FORMAT = tuple(_formats())
