"""Pairs as tools and data sets write them: tables, each declared in pair_tables.toml, and records of annotation tools.

Tables of another shape (conversations, chosen and rejected, winners as 0 and 1) become columns that
`adjudge.readers.pairs.pairs` reads. Records with annotators' answers about a pair become a row per vote.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from typing import Any

import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.readers.column_names import SIDES
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.source import Format
from adjudge.readers.label_values import side_word
from adjudge.readers.labels.annotation_export import only_question
from adjudge.readers.pairs import pairs as tables
from adjudge.readers.pairs.pairs import RESPONSES, PairReading
from adjudge.readers.parsed_input import Opened, Records, records_of
from adjudge.readers.problems import Findings, count_words, listed
from adjudge.schemas.columns import mapped_columns
from adjudge.schemas.pairs import CODE, TEXTS, VALID, AnnotatedPairs, Annotator
from adjudge.text.toml_files import as_names, packaged

Names = Sequence[str]
"""Possible names of a column; the first one present counts."""

_BARE = "the table has no responses, so metrics of their length and style mean nothing"


Shape = Callable[[Records], Records]
"""Converts a table of another shape to the columns that are read."""


@dataclass(frozen=True, slots=True)
class PairTable:
    """How a tool or a data set writes pairs and votes into a flat table.

    name, said: name and description of the format. marks: columns that identify it. lacks: columns that it never has.
    shape: converts a table of another shape. columns: Adjudge's name -> the table's. votes: columns of votes, one per
    annotator. others: whether other columns with votes for a side are annotators too. judge: the annotator's column, if
    a row is a vote; optional. ids: columns that together identify a pair, if a row is a vote and there is no column of
    ids. values: cell -> vote; empty if the user may define them. empty: the vote of an empty cell. trusted: whether the
    first column of votes is the default annotator. textless: whether responses may be missing. type: of the annotators.
    told: a caveat on all such data.
    """

    name: str
    said: str
    marks: Sequence[Names]
    columns: Mapping[str, Names]
    votes: Names
    lacks: Names = ()
    shape: Shape | None = None
    others: bool = False
    judge: Names = ()
    ids: Names = ()
    values: Mapping[str, str] = field(default_factory=dict)
    empty: str = "missing"
    trusted: bool = True
    textless: bool = False
    type: str = "unknown"
    told: str = ""
    precedence: int = -1

    def recognises(self, opened: Opened[PairReading]) -> bool:
        """Whether a table has the columns that identify this format."""
        columns = set(opened.names)
        marked = all(columns & {*names, opened.file_column(names[0])} for names in self.marks)
        return marked and not columns & set(self.lacks)


def read_pair_table(table: PairTable, opened: Opened[PairReading]) -> AnnotatedPairs:
    """The pairs and their votes."""
    records, options = table.shape(opened.records) if table.shape else opened.records, opened.options
    values = tables.vote_codes(options.vote_values)
    if table.values and not options.vote_values:
        values = {value: CODE[vote] for value, vote in table.values.items()}
    usual = {name: there(records, names) or names[0] for name, names in table.columns.items()}
    named = [name for name in table.columns["pair"] if name in records.columns or name == "pair"]
    ids = (one for one in named if one == "pair" or records.text(one)[0].drop_nulls().n_unique() == len(records.rows))
    usual["pair"] = next(ids, "pair")
    usual["vote"] = there(records, table.votes) or table.votes[0]
    asked = {**usual, **options.columns}
    bare = table.textless and not {asked.get(name) for name in RESPONSES} & set(records.columns)
    columns = tables.chosen_columns(records, options, usual, [*(() if bare else RESPONSES), "vote"])
    if judge := there(records, table.judge):
        pairs = _by_judge(table, opened, records, {**columns, "annotator": judge}, values)
    else:
        declared = (name for name in table.votes if name in records.columns)
        votes = list(dict.fromkeys([columns["vote"], *declared]))
        sides = [value for value, code in values.items() if code in VALID and len(value) > 1]
        others = [name for name in records.columns if table.others and name not in {*columns.values(), *votes}]
        votes += [name for name in others if records.is_flat(name) and records.text(name)[0].is_in(sides).any()]
        del columns["vote"]
        annotators = {Annotator(name, type=table.type): name for name in votes}
        default = votes[0] if table.trusted else None
        pairs = tables.read_wide(opened, records, columns, annotators, values, default=default, empty=CODE[table.empty])
    caveats = [_BARE if bare else table.told] if bare or table.told else []
    if table.shape is in_one_order:
        turned = (opened.records.text("model_a")[0] != records.text("model_a")[0]).sum()
        caveats += (
            [f"{turned:,} votes on pairs in the other order are read in that of the first vote"] if turned else []
        )
    return replace(pairs, warnings=(*pairs.warnings, *caveats))


def _by_judge(
    table: PairTable,
    opened: Opened[PairReading],
    records: Records,
    columns: Mapping[str, str],
    values: Mapping[str, int],
) -> AnnotatedPairs:
    """The pairs in a table with a row per vote. A repeated vote of a judge on a pair makes another pair.

    An id is its parts joined by colons, or else the number of the distinct row of texts, in order.
    """
    keys = [name for name in table.ids if name in records.columns]
    texts = [columns[name] for name in TEXTS[1:] if name in columns]
    parts = pl.DataFrame([records.text(name)[0].alias(name) for name in keys or texts])
    joined = pl.concat_str(pl.all(), separator=":", ignore_nulls=True)
    if not keys:
        joined = pl.int_range(pl.len()).first().over(texts).rank("dense").cast(pl.String)
    ids = parts.select(joined).to_series()
    numbered, repeated = tables.numbered_ids(ids, records.text(columns["annotator"])[0])
    records = with_columns(records, {"pair": numbered.to_list()})
    pairs = tables.read_long(opened, records, {**columns, "pair": "pair"}, values, CODE[table.empty])
    default = pairs.annotators[0].id if len(pairs.annotators) == 1 else None
    annotators = tuple(replace(annotator, type=table.type) for annotator in pairs.annotators)
    return replace(pairs, annotators=annotators, default=default, warnings=(*pairs.warnings, *repeated))


# --- shapes ---

_TRUE, _FALSE = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no", "")
_WINS = re.compile("(?:winner|wins)_(?:model_)?(a|b|tie|both|tie_bothbad|neither)")
"""Winner -> the names of its column of 0 and 1."""
_WINNERS = {"a": "text_a", "b": "text_b", "tie": "both", "tie_bothbad": "neither"}
_MIDDLE = 1.5
_SPEAKERS = re.compile(r"\n\n(Human|Assistant): ?")
_ROLES = {"Human": "user", "Assistant": "assistant"}


def values(records: Records, column: str) -> Iterator[Any]:
    """The cells of a column; lists and objects in JSON text are parsed."""
    for text in records.text(column)[0]:
        yield documents.json_value(text) if text and text.lstrip()[:1] in {"[", "{"} else text


def there(records: Records, names: Collection[str]) -> str | None:
    """The first name that is a column."""
    return next((name for name in names if name in records.columns), None)


def with_columns(records: Records, made: Mapping[str, Sequence[str | None]], without: Collection[str] = ()) -> Records:
    """The records with new columns of text first, and without the columns in `without`."""
    texts, gone = documents.text_frame(made, records.name), {*made, *without}
    others = {name: cells for name, cells in records.columns.items() if name not in gone}
    return replace(records, columns={**texts.to_dict(), **others})


# --- conversations ---


def split_conversations(records: Records) -> Records:
    """`conversation_a` and `conversation_b`, if present, as prompt, response_a and response_b.

    If a table of judges has a column `turn`, only the messages up to that turn count.
    """
    both = ("conversation_a", "conversation_b")
    if not set(both) <= set(records.columns):
        return split_turns(records)
    ends: Sequence[int | None] = [None] * len(records.rows)
    if {"judge", "turn"} <= set(records.columns) and "anony" not in records.columns:  # MT-bench; battles count turns
        ends = (2 * records.text("turn")[0].cast(pl.Int64, strict=False)).to_list()
    (prompts, first), (_, second) = ([*zip(*map(_split, values(records, one), ends), strict=True)] for one in both)
    return with_columns(records, {"prompt": prompts, "response_a": first, "response_b": second}, both)


def _split(conversation: object, end: int | None = None) -> tuple[str | None, str | None]:
    """The prompt and the response in a conversation; a plain text is the response."""
    if isinstance(conversation, list):
        return documents.split_conversation(conversation[:end])
    return None, None if conversation is None else str(conversation)


def split_turns(records: Records) -> Records:
    """JSON lists of turns in `prompt`, `response_a` and `response_b` as text; other cells unchanged."""
    names = ("prompt", "response_a", "response_b")
    if not set(names) <= set(records.columns):
        return records
    asked, *answers = (list(values(records, name)) for name in names)
    if not all(isinstance(one, list) and all(isinstance(turn, str | None) for turn in one) for one in asked):
        return records
    (prompts, first), (_, second) = ([*zip(*map(_answered, asked, side), strict=True)] for side in answers)
    return with_columns(records, {"prompt": prompts, "response_a": first, "response_b": second})


def _answered(asked: Sequence[str | None], answers: object) -> tuple[str | None, str | None]:
    """The prompt and the response from the turns of both sides, which alternate."""
    both = zip_longest(asked, answers if isinstance(answers, list) else [answers])
    turns = (turn for each in both for turn in zip(("user", "assistant"), each, strict=True))
    return documents.split_conversation([{"role": role, "content": text or ""} for role, text in turns])


def in_one_order(records: Records) -> Records:
    """The records with repeated pairs in the order of their first row: models, responses and winners."""
    records = split_conversations(records)
    names = [name for name in records.columns if name.endswith(("_a", "_b"))]
    sides = {name: f"{name[:-1]}{'b' if name.endswith('a') else 'a'}" for name in names}
    frame = pl.DataFrame([records.text(name)[0].alias(name) for name in (*names, "question_id", "winner")])
    models = ("model_a", "model_b")
    pair = ("question_id", pl.min_horizontal(models), pl.max_horizontal(models))
    turned = pl.col("model_a") != pl.col("model_a").first().over(*pair)
    words = {word: side_word(word or "") for word in frame["winner"].unique()}
    other = {word: models[side == "a"] for word, side in words.items() if side in {"a", "b"}}
    made = frame.select(
        *(pl.when(turned).then(there).otherwise(here).alias(here) for here, there in sides.items() if there in names),
        pl.when(turned).then(pl.col("winner").replace(other)).otherwise("winner").alias("winner"),
    )
    return with_columns(records, made.to_dict(as_series=False))


# --- chosen and rejected ---

CHOSEN = ("chosen", "chosen_response", "preferred_output")
REJECTED = ("rejected", "rejected_response", "non_preferred_output")


def chosen_and_rejected(records: Records) -> Records:
    """Chosen texts as text_a and rejected ones as text_b, with the vote; their common beginning is the prompt.

    A text is plain, a list of messages, or a dialogue with "Human:" or "Assistant:" before each message.
    """
    sides = [there(records, names) or names[0] for names in (CHOSEN, REJECTED)]
    if not set(sides) <= set(records.columns):
        return records
    both = [_unshared(*one) for one in zip(*(values(records, side) for side in sides), strict=True)]
    prompt = there(records, ("prompt", "instruction", "question", "input"))
    given = list(values(records, prompt)) if prompt else [None] * len(both)
    messages = [one.get("messages", one) if isinstance(one, dict) else one for one in given]
    shared, first, second = zip(*both, strict=True)
    prompts = [
        documents.cell_text(one, documents.turns_text) or other for one, other in zip(messages, shared, strict=True)
    ]
    made = {"prompt": prompts, "text_a": first, "text_b": second, sides[0]: ["text_a"] * len(both)}
    return with_columns(records, made, {sides[1], *([prompt] if prompt else [])})


def _unshared(chosen: object, rejected: object) -> tuple[str | None, str | None, str | None]:
    """The common beginning of two dialogues, and the rest of each."""
    first, second = _messages(chosen), _messages(rejected)
    if first is None or second is None:
        return None, documents.cell_text(chosen), documents.cell_text(rejected)
    shared = 0
    while shared < min(len(first), len(second)) - 1 and first[shared] == second[shared]:
        shared += 1
    return (
        documents.turns_text(first[:shared]) if shared else None,
        documents.turns_text(first[shared:]),
        documents.turns_text(second[shared:]),
    )


def _messages(dialogue: object) -> list[Any] | None:
    """The messages of a dialogue, which may be a list's only element; None for plain text."""
    if isinstance(dialogue, str) and _SPEAKERS.match(dialogue):
        parts = _SPEAKERS.split(dialogue)[1:]
        turns = zip(parts[::2], parts[1::2], strict=True)
        return [{"role": _ROLES[speaker], "content": text.strip()} for speaker, text in turns]
    if isinstance(dialogue, list) and len(dialogue) == 1 and isinstance(dialogue[0], list):
        return _messages(dialogue[0])
    return dialogue if isinstance(dialogue, list) and dialogue else None


# --- winners, prompts in two parts ---


def one_hot(records: Records) -> Records:
    """Columns of 0 and 1, one per outcome, as a column `winner`; other text remains unchanged."""
    columns = {match[1]: name for name in records.columns if (match := _WINS.fullmatch(name))}
    if not columns:
        return records
    winners = [_WINNERS.get(winner, winner) for winner in columns]
    winner_cells = list[str | None]()
    for row in zip(*(records.text(name)[0].fill_null("").str.to_lowercase() for name in columns.values()), strict=True):
        won = [winner for winner, cell in zip(winners, row, strict=True) if cell in _TRUE]
        valid = len(won) == 1 and {*row} <= {*_TRUE, *_FALSE}
        other = ", ".join(cell or "nothing" for cell in row) if any(row) else None
        winner_cells.append(won[0] if valid else other)
    return with_columns(split_turns(records), {"winner": winner_cells}, columns.values())


def with_input(records: Records) -> Records:
    """`instruction`, followed by `input` if there is one."""
    if not {"instruction", "input"} <= set(records.columns):
        return records
    parts = zip(records.text("instruction")[0], records.text("input")[0], strict=True)
    return with_columns(records, {"instruction": ["\n\n".join(filter(None, one)) or None for one in parts]}, {"input"})


def alpaca(records: Records) -> Records:
    """`with_input`, and numbers from 1 to 2 in `preference` rounded to 1 or 2; 1.5 remains."""
    preferences = records.text("preference")[0].to_list()
    for row, preference in enumerate(preferences):
        with suppress(TypeError, ValueError):
            number = float(preference or "")
            if 1 <= number <= 2:  # noqa: PLR2004 - the sides
                preferences[row] = "1.5" if number == _MIDDLE else str(round(number))
    return with_columns(with_input(records), {"preference": preferences})


# --- both orders ---


def judged_twice(records: Records) -> Records:
    """JudgeBench: pairs with their label; if a judge saw both orders, each pair in both orders with its votes."""
    if "judgments" not in records.columns:
        return records
    decisions = [[*map(_decision, judgments or ()), None, None][:2] for judgments in values(records, "judgments")]
    judges = set(records.text("judge_name")[0].drop_nulls()) if "judge_name" in records.columns else set()
    judge, gone = judges.pop() if len(judges) == 1 else "judge", {"judgments", "judge_name"}
    votes, turned_votes = zip(*decisions, strict=True)
    if not any(turned_votes):
        return with_columns(records, {judge: votes}, gone)
    names = ("pair_id", "response_A", "response_B", "label")
    once = pl.DataFrame([records.text(name)[0].alias(name) for name in names]).with_row_index()
    turned = once.with_columns(
        pl.col("pair_id") + " swapped",
        pl.col("label").replace({"A>B": "B>A", "B>A": "A>B", "A": "B>A", "B": "A>B"}),
        response_A="response_B",
        response_B="response_A",
    )
    orders = [once.with_columns(pl.Series(judge, votes)), turned.with_columns(pl.Series(judge, turned_votes))]
    both = pl.concat(orders).sort("index", maintain_order=True)
    twice = both.drop_in_place("index")
    cells: dict[str, Any] = {
        name: one[twice] if isinstance(one, pl.Series) else [one[place] for place in twice]
        for name, one in records.columns.items()
    }
    return with_columns(replace(records, columns=cells, rows=records.rows[twice]), both.to_dict(as_series=False), gone)


def _decision(judgment: object) -> str:
    """A judge's decision; an unreadable one is invalid."""
    decided = judgment.get("decision") if isinstance(judgment, dict) else None
    return decided if isinstance(decided, str) else "invalid"


# --- records of annotation tools ---

_PROMPTS = ("prompt", "question", "instruction", "query", "input", "context")
_NAMED = ("text_a", "text_b", "prompt", "model_a", "model_b", "pair", "vote")
BESIDE = frozenset(("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"))
"""Keys of records for the tool's own use, which are no part of a pair."""


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """An annotator's answer about a pair. sides: the two texts' names, if the tool gives them."""

    annotator: str | None
    question: str
    value: object
    sides: tuple[str, ...] = ()


Read = Callable[[Mapping[str, Any], Counter[str]], tuple[dict[str, Any], list[PairAnswer]]]
"""Takes a record and a counter of skipped parts; returns the pair's fields and the annotators' answers.

Raises DataError with a message that follows the record's place.
"""


def sides_of(names: Iterable[str]) -> tuple[str, str] | None:
    """The two names that differ only in the side at their end.

    >>> sides_of(["prompt", "answer1", "answer2"]), sides_of(["Response B", "Response A"]), sides_of(["a", "x"])
    (('answer1', 'answer2'), ('Response A', 'Response B'), None)
    """
    known = {name.casefold(): name for name in names}
    for first, second in SIDES:
        for name, own in known.items():
            other = name.removesuffix(first) + second
            if name.endswith(first) and other in known:
                return own, known[other]
    return None


def read_compared(opened: Opened[PairReading], objects: documents.Objects, read: Read, tool: str) -> AnnotatedPairs:
    """The pairs in a tool's records. tool: a description of the records."""
    options, left = opened.options, Counter[str]()
    mapped_columns(options.columns, _NAMED)
    findings = Findings(objects.unit)
    read_of = [
        (number, *one) for number, one in documents.read_each(objects, lambda record: read(record, left), findings)
    ]
    findings.settle()
    given = [(number, known, one) for number, known, several in read_of for one in several]
    if not given:
        raise DataError(f"{objects.name}: expected votes on pairs; got none")
    questions = list(dict.fromkeys(one.question for *_, one in given))
    question = options.columns.get("vote") or only_question(objects.name, questions, (), "vote")
    names = {name for _, known, _ in read_of for name in known if isinstance(known[name], str | list)}
    given = [(number, known, one) for number, known, one in given if one.question == question]
    sides = _text_names(objects.name, options, names, [one for *_, one in given])
    answered = [(number, known, one) for number, known, one in given if one.value is not None]
    if not answered:
        raise DataError(f"{objects.name}: expected {tool} of pairs with at least one answer; got none")
    rows = [
        {**_pair(known, sides, options, number), "annotator": one.annotator, "vote": _vote(one.value, sides)}
        for number, known, one in answered
    ]
    records = records_of(documents.Objects(objects.name, objects.unit, [number for number, *_ in answered], rows))
    ids, repeated = tables.numbered_ids(records.text("pair")[0], records.text("annotator")[0])
    records = with_columns(records, {"pair": ids.to_list()})
    theirs = {name: name for name in (*TEXTS, "annotator", "vote") if name in records.columns}
    pairs = tables.read_long(opened, records, theirs, tables.vote_codes(options.vote_values))
    skipped = [count_words(left[key], *words) for key, words in _LEFT.items() if left[key]]
    return replace(pairs, warnings=(*pairs.warnings, *skipped, *repeated))


def _text_names(place: str, options: PairReading, names: set[str], votes: Sequence[PairAnswer]) -> tuple[str, str]:
    """The names of the two texts: as mapped, as the tool gives them, or by their endings."""
    mapped = tuple(options.columns[name] for name in RESPONSES if name in options.columns)
    said = next((one.sides for one in votes if set(one.sides) <= names and len(one.sides) > 1), ())
    found = mapped if len(mapped) > 1 else said or sides_of(sorted(names)) or ()
    if len(found) > 1 and set(found) <= names:
        return found[0], found[1]
    raise DataError(
        f"{place}: expected two texts whose names end in their sides, such as response_a and response_b",
        found=listed(sorted(names)),
        fix=f"{flag_name('columns')} text_a=COLUMN,text_b=COLUMN",
    )


def _pair(known: Mapping[str, Any], sides: tuple[str, str], options: PairReading, number: int) -> dict[str, Any]:
    """A pair's fields under Adjudge's names; other flat values keep their own names."""
    left = [name for name, value in known.items() if isinstance(value, str) and name not in {*sides, *BESIDE}]
    prompt = options.columns.get("prompt") or next((name for name in _PROMPTS if name in known), None)
    prompt = prompt or (left[0] if len(left) == 1 else None)
    names = {"text_a": sides[0], "text_b": sides[1], **({"prompt": prompt} if prompt else {})}
    names |= {name: options.columns[name] for name in ("model_a", "model_b", "pair") if name in options.columns}
    texts = {name: known.get(theirs) for name, theirs in names.items()}
    own = {
        name: documents.turns_text(text) if isinstance(text, list) else documents.plain_text(text)
        for name, text in texts.items()
    }
    taken = {*names.values(), *_NAMED, *BESIDE}
    rest = {key: value for key, value in known.items() if key not in taken and not isinstance(value, list | dict)}
    return {"pair": documents.plain_text(known.get("id")) or str(number), **rest, **own}


def _vote(value: object, sides: tuple[str, str]) -> str | None:
    """The side, or the word, that an answer names; for a ranking, the first side."""
    if isinstance(value, list):
        return _ranked(value, sides)
    word = documents.plain_text(value)
    if word is None or word in sides:
        return None if word is None else RESPONSES[sides.index(word)]
    if vote := tables.SIDE_VOTES.get(side_word(word) or ""):
        return vote
    numbers = ("0", "1") if sides[0].endswith("0") else ("1", "2")
    if word[-1:] in numbers:
        return RESPONSES[numbers.index(word[-1:])]
    return "neither" if word.casefold() == "none" else word


def _ranked(ranking: Sequence[Any], sides: tuple[str, str]) -> str | None:
    """The vote of a ranking of the two texts; equal ranks are a tie."""
    ranks: dict[str | None, float] = {}
    for place, one in enumerate(ranking):
        held = one if isinstance(one, dict) else {"value": one}
        rank = documents.plain_text(held.get("rank")) or ""
        ranks[_vote(held.get("value"), sides)] = float(rank) if rank.isdecimal() else place
    if {"text_a", "text_b"} - ranks.keys():
        return ", ".join(map(str, ranks)) or None
    first, second = ranks["text_a"], ranks["text_b"]
    return "both" if first == second else "text_a" if first < second else "text_b"


_LEFT = {
    "cancelled": ("annotation is excluded, since cancelled", "annotations are excluded, since cancelled"),
    "predicted": ("prediction of a model is excluded", "predictions of models are excluded"),
    "draft": ("response that was not submitted is excluded", "responses that were not submitted are excluded"),
    "unanswered": ("record has no votes, and is excluded", "records have no votes, and are excluded"),
}
"""Wording of warnings about one skipped part and about several."""


# --- the tables ---


def _declared() -> Iterator[PairTable]:
    for name, own in packaged(__package__, "pair_tables.toml").items():
        columns = {one: as_names(theirs) for one, theirs in own["columns"].items()}
        marks, shape = tuple(map(as_names, own["marks"])), globals().get(own.get("shape", ""))
        yield PairTable(**{**own, "name": name, "columns": columns, "marks": marks, "shape": shape})


FORMAT = tuple(
    Format(
        table.name, "annotations", partial(read_pair_table, table), table.recognises, table.precedence, said=table.said
    )
    for table in _declared()
)
