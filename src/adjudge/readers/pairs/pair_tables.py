"""Pairs as tools and data sets write them: tables, each declared in pair_tables.toml.

Tables of another shape (conversations, chosen and rejected, winners as 0 and 1) become columns that
`adjudge.readers.pairs.pairs` reads.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, zip_longest
from typing import Any

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.source import Format
from adjudge.readers.label_values import side_word
from adjudge.readers.pairs import pairs as tables
from adjudge.readers.pairs.pairs import RESPONSES, PairFile, text_of
from adjudge.readers.tables import ROW, missing_columns, not_text
from adjudge.schemas.pairs import CODE, TEXTS, VALID, AnnotatedPairs, Annotator
from adjudge.text.toml_files import as_names, packaged

"""Possible names of a column; the first one present counts."""

_BARE = "the table has no responses, so metrics of their length and style mean nothing"


@dataclass(frozen=True, slots=True)
class PairTable:
    """How a tool or a data set writes pairs and votes into a flat table.

    name, said: name and description of the format. marks: columns that identify it. lacks: columns that it never has.
    shape: converts a table of another shape. columns: Adjudge's name -> the table's. votes: columns of votes, one per
    annotator. others: whether other columns with votes for a side are annotators too. judge: the annotator's column, if
    a row is a vote; optional. ids: columns that together identify a pair, if a row is a vote and there is no column of
    ids. values: cell -> vote; empty if the user may define them. trusted: whether the first column of votes is the
    default annotator. textless: whether responses may be missing. told: a caveat on all such
    data.
    """

    name: str
    said: str
    marks: Sequence[Sequence[str]]
    columns: Mapping[str, Sequence[str]]
    votes: Sequence[str]
    lacks: Sequence[str] = ()
    shape: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    others: bool = False
    judge: Sequence[str] = ()
    ids: Sequence[str] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    trusted: bool = True
    textless: bool = False
    told: str = ""
    precedence: int = -1

    def missing(self, opened: PairFile) -> dict[str, str]:
        """The columns that identify this format and that a table lacks."""
        columns, is_fixed = {*opened.names}, self.shape not in (None, split_conversations)
        mapped: Callable[[str], str] = str if is_fixed else opened.file_column
        return {names[0]: names[0] for names in self.marks if not columns & {*names, mapped(names[0])}}

    def recognises(self, opened: PairFile) -> bool:
        """Whether a table has the columns that identify this format."""
        return not self.missing(opened) and {*self.lacks}.isdisjoint(opened.names)


def read_pair_table(table: PairTable, opened: PairFile) -> AnnotatedPairs:
    """The pairs and their votes."""
    if missing := table.missing(opened):
        raise missing_columns(opened.source.name, missing, opened.names, opened.options.columns)
    records, options = opened.records, opened.options
    used = {*table.votes, *table.judge, *table.ids, *chain.from_iterable(table.marks)}
    if odd := [name for name in opened.names if name in used and name not in records.columns]:
        raise DataError(not_text(opened.source.name, odd[0], opened.schema[odd[0]]))
    records = table.shape(records) if table.shape else records
    values = tables.vote_codes(options.vote_values)
    if table.values and not options.vote_values:
        values = {value: CODE[vote] for value, vote in table.values.items()}
    usual = {name: there(records, names) or names[0] for name, names in table.columns.items()}
    ids = (one for one in table.columns["pair"] if one in records.columns)
    unique = (one for one in ids if one == "pair" or text_of(records, one).drop_nulls().n_unique() == records.height)
    usual |= {"pair": next(unique, "pair"), "vote": there(records, table.votes) or table.votes[0]}
    asked = {**usual, **options.columns}
    bare = table.textless and not {asked.get(name) for name in RESPONSES} & set(records.columns)
    columns = tables.chosen_columns(opened, records, usual, [*(() if bare else RESPONSES), "vote"])
    if judge := there(records, table.judge):
        pairs = _by_judge(table, opened, records, {**columns, "annotator": judge}, values)
    else:
        votes = [columns.pop("vote"), *(name for name in table.votes if name in records.columns)]
        sides = [value for value, code in values.items() if code in VALID and len(value) > 1]
        others = [name for name in records.columns if table.others and name not in {*columns.values(), *votes}]
        votes += [name for name in others if records[name].dtype == pl.String and records[name].is_in(sides).any()]
        annotators = {Annotator(name): name for name in dict.fromkeys(votes)}
        default = votes[0] if table.trusted else None
        pairs = tables.read_wide(opened, records, columns, annotators, values, default=default)
    caveat = _BARE if bare else table.told
    return replace(pairs, warnings=(*pairs.warnings, caveat)) if caveat else pairs


def _by_judge(
    table: PairTable, opened: PairFile, records: pl.DataFrame, columns: Mapping[str, str], values: Mapping[str, int]
) -> AnnotatedPairs:
    """The pairs in a table with a row per vote. A repeated vote of a judge on a pair makes another pair.

    An id is its parts joined by colons, or else the number of the distinct row of texts, in order.
    """
    texts = [columns[name] for name in TEXTS[1:] if name in columns]
    parts = texts_of(records, table.ids or texts).with_row_index(ROW)
    ids = pl.concat_str(pl.exclude(ROW), separator=":", ignore_nulls=True)
    if not table.ids:
        ids = pl.col(ROW).first().over(texts).rank("dense").cast(pl.String)
    numbered, repeated = tables.numbered_ids(parts.select(ids).to_series(), text_of(records, columns["annotator"]))
    records = records.with_columns(numbered.alias("pair"))
    pairs = tables.read_long(opened, records, {**columns, "pair": "pair"}, values)
    default = pairs.annotators[0].id if len(pairs.annotators) == 1 else None
    return replace(pairs, default=default, warnings=(*pairs.warnings, *(repeated if table.ids else ())))


# --- shapes ---

_TRUE, _FALSE = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no", "")
_WINNER = re.compile("(?:winner|wins)_(?:model_)?(a|b|tie|both|tie_bothbad|neither)")
"""Names of columns of 0 and 1."""
_WINNERS = {"a": "text_a", "b": "text_b", "tie": "both", "both": "both", "tie_bothbad": "neither", "neither": "neither"}
_MIDDLE = 1.5
_SPEAKERS = re.compile(r"\n\n(Human|Assistant): ?")
_ROLES = {"Human": "user", "Assistant": "assistant"}


def values(records: pl.DataFrame, column: str) -> Iterator[Any]:
    """The cells of a column; lists and objects in JSON text are parsed."""
    for text in text_of(records, column):
        yield documents.json_value(text) if text and text.lstrip()[:1] in {"[", "{"} else text


def there(records: pl.DataFrame, names: Collection[str]) -> str | None:
    """The first name that is a column."""
    return next((name for name in names if name in records.columns), None)


def texts_of(records: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Columns of the records as text."""
    return pl.DataFrame([text_of(records, name) for name in names])


def split_conversations(records: pl.DataFrame) -> pl.DataFrame:
    """`conversation_a` and `conversation_b`, or lists of turns, if present, as prompt, response_a and response_b.

    If a table of judges has a column `turn`, only the messages up to that turn count.
    """
    both, names = ("conversation_a", "conversation_b"), ("prompt", "response_a", "response_b")
    ends: Sequence[int | None] = [None] * records.height
    if {*both} <= {*records.columns}:
        sides = [list(values(records, one)) for one in both]
        if {"judge", "turn"} <= {*records.columns} and "anony" not in records.columns:  # battles count turns
            ends = (2 * text_of(records, "turn").cast(pl.Int64, strict=False)).to_list()
    elif {*names} <= {*records.columns}:
        asked, *answers = (list(values(records, name)) for name in names)
        if not all(isinstance(one, list) for one in asked):
            return records
        sides = [list(map(_dialogue, asked, side)) for side in answers]
    else:
        return records
    (prompts, first), (_, second) = ([*zip(*map(_split, side, ends), strict=True)] for side in sides)
    made = documents.text_frame(dict(zip(names, (prompts, first, second), strict=True)), "conversations")
    return records.drop(both, strict=False).with_columns(made.iter_columns())


def _split(conversation: object, end: int | None) -> tuple[str | None, str | None]:
    """The prompt and the response in a conversation; a plain text is the response."""
    if isinstance(conversation, list):
        return documents.split_conversation(conversation[:end])
    return None, documents.cell_text(conversation)


def _dialogue(asked: Sequence[object], answers: object) -> list[object]:
    """The messages in the turns of both sides, which alternate."""
    turns = zip_longest(asked, answers if isinstance(answers, list) else [answers])
    return [{"role": role, "content": text} for turn in turns for role, text in zip(_ROLES.values(), turn, strict=True)]


def in_one_order(records: pl.DataFrame) -> pl.DataFrame:
    """The records with repeated pairs in the order of their first row: models, responses and winners."""
    records = split_conversations(records)
    sides = {name: name[:-1] + "ab"[name.endswith("_a")] for name in records.columns if name.endswith(("_a", "_b"))}
    models = ("model_a", "model_b")
    pair = ("question_id", pl.min_horizontal(models), pl.max_horizontal(models))
    turned = pl.col("model_a") != pl.col("model_a").first().over(*pair)
    frame = texts_of(records, (*sides, "question_id", "winner"))
    meant = {word: side_word(word) for word in frame["winner"].drop_nulls().unique()}
    other = {word: models[side == "a"] for word, side in meant.items() if side in {"a", "b"}}
    opposite = {one: pl.col(two) for one, two in sides.items() if two in sides}
    opposite["winner"] = pl.col("winner").replace(other)
    made = frame.select(pl.when(turned).then(two).otherwise(one).alias(one) for one, two in opposite.items())
    return records.with_columns(made.iter_columns())


def chosen_and_rejected(records: pl.DataFrame) -> pl.DataFrame:
    """`chosen` as text_a and `rejected` as text_b, with the vote; their common beginning is the prompt.

    A text is plain, a list of messages, or a dialogue with "Human:" or "Assistant:" before each message.
    """
    prompt = there(records, ("prompt", "instruction", "question", "input"))
    given = list(values(records, prompt)) if prompt else [None] * records.height
    made: dict[str, list[str | None]] = {name: [] for name in ("prompt", *RESPONSES)}
    for asked, *sides in zip(given, values(records, "chosen"), values(records, "rejected"), strict=True):
        both = [_messages(side) for side in sides]
        first, second = both
        shared = 0
        while shared < min(map(len, both)) - 1 and first[shared] == second[shared]:
            shared += 1
        begun = documents.turns_text(first[:shared]) if shared else None
        made["prompt"].append(documents.cell_text(asked, documents.turns_text) or begun)
        for name, side, messages in zip(RESPONSES, sides, both, strict=True):
            made[name].append(documents.turns_text(messages[shared:]) if all(both) else documents.cell_text(side))
    made["chosen"] = ["text_a"] * records.height
    texts = documents.text_frame(made, "conversations")
    return records.drop("rejected", *([prompt] if prompt else [])).with_columns(texts.iter_columns())


def _messages(dialogue: object) -> list[Any]:
    """The messages of a dialogue, which may be a list's only element; none for plain text."""
    if isinstance(dialogue, str) and _SPEAKERS.match(dialogue):
        parts = _SPEAKERS.split(dialogue)[1:]
        turns = zip(parts[::2], parts[1::2], strict=True)
        return [{"role": _ROLES[speaker], "content": text.strip()} for speaker, text in turns]
    if isinstance(dialogue, list):
        return dialogue[0] if len(dialogue) == 1 and isinstance(dialogue[0], list) else dialogue
    return []


def one_hot(records: pl.DataFrame) -> pl.DataFrame:
    """Columns of 0 and 1, one per outcome, as a column `winner`, which is invalid unless one of them is 1."""
    columns = {name: _WINNERS[match[1]] for name in records.columns if (match := _WINNER.fullmatch(name))}
    cells = texts_of(records, columns).with_columns(pl.all().str.to_lowercase())
    won = ((name, vote, pl.col(name).is_in(_TRUE), pl.col(name).is_in(_FALSE)) for name, vote in columns.items())
    votes = (pl.when(yes).then(pl.lit(vote)).when(~no).then(name) for name, vote, yes, no in won)
    named, every = (pl.concat_str(one, separator=", ", ignore_nulls=True) for one in (votes, pl.all()))
    winner = cells.select(winner=pl.when(named == "").then(every).otherwise(named))
    return split_conversations(records).drop(columns).with_columns(winner.to_series())


def with_input(records: pl.DataFrame) -> pl.DataFrame:
    """`instruction`, followed by `input` if there is one."""
    both = ("instruction", "input")
    if not {*both} <= {*records.columns}:
        return records
    parts = (pl.when(pl.col(name) != "").then(name) for name in both)
    joined = pl.concat_str(parts, separator="\n\n", ignore_nulls=True)
    return records.with_columns(texts_of(records, both).select(instruction=joined).to_series()).drop("input")


def alpaca(records: pl.DataFrame) -> pl.DataFrame:
    """`with_input`, and numbers from 1 to 2 in `preference` rounded to 1 or 2; 1.5 remains, nothing is invalid."""
    number = pl.col("preference").cast(pl.Float64, strict=False)
    side = pl.when(number < _MIDDLE).then(pl.lit("1")).otherwise(pl.lit("2"))
    rounded = pl.when(number.is_between(1, 2) & (number != _MIDDLE)).then(side).otherwise("preference")
    votes = texts_of(records, ["preference"]).select(preference=rounded.replace("", None).fill_null("invalid"))
    return with_input(records).with_columns(votes.to_series())


# --- the tables ---


def _declared() -> Iterator[PairTable]:
    for name, own in packaged(__package__, "pair_tables.toml").items():
        columns = {one: as_names(theirs) for one, theirs in own["columns"].items()}
        marks, shape = tuple(map(as_names, own["marks"])), globals().get(own.get("shape", ""))
        yield PairTable(**{**own, "name": name, "columns": columns, "marks": marks, "shape": shape})


FORMAT = tuple(
    Format(one.name, "annotations", partial(read_pair_table, one), one.recognises, one.precedence, said=one.said)
    for one in _declared()
)
