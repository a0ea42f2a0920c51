"""Guesses for tables of pairs, spans, answers or preferences."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.profiling.file_profile import SHORT, TableSample
from adjudge.profiling.guess import assigned, judgments, key_of, sides_of, trusted_among
from adjudge.profiling.result import Proposal
from adjudge.readers import column_names as called
from adjudge.readers.column_names import is_id_name, joined_key, nearest_to, words
from adjudge.readers.label_values import side_word
from adjudge.readers.pairs.pairs import SIDE_VOTES
from adjudge.schemas.answers import QUESTION_ANSWERING
from adjudge.schemas.preferences import CRITERIA, LABELS

# --- pairs of responses, with columns of votes or a row per vote ---


def _pairs(table: TableSample) -> Proposal:
    responses, side = sides_of([name for name in table if table[name].is_prose], called.RESPONSES)
    writers = sides_of([name for name in table if name not in responses], called.WRITERS)[0] if responses else []
    columns = dict(zip(("text_a", "text_b", "model_a", "model_b"), [*responses, *writers], strict=False))
    ids = [name for name in table if is_id_name(name)]
    columns |= assigned("annotations", table, ["prompt"], [*columns.values(), *ids])
    columns |= assigned("annotations", table, ["annotator", "pair"], [*columns.values()])
    votes = [name for name in table if name not in columns.values() and _votes(table, [name], side)]
    vote, who = nearest_to(called.NAMES["annotations"]["vote"], votes), columns.pop("annotator", None)
    pair, judges = columns.pop("pair", None), list[str]()
    if who and vote and (key := pair or key_of(table, ids, [who])):
        columns |= {"annotator": who, "pair": key, "vote": vote}
        voters, meanings = [*table[who].distinct], _votes(table, [vote], side)
    else:
        columns |= {"pair": pair} if pair and table[pair].is_id else {}
        voters = judges = _voters(table, votes, vote)
        meanings = _votes(table, judges, side)
    usual = all({"a": _A, "b": _B}.get(value, value) == means for value, means in meanings.items())
    values = {means: [value for value in meanings if meanings[value] == means] for means in meanings.values()}
    settings = {"annotator_columns": judges, "vote_values": {} if usual else values, "reference": trusted_among(voters)}
    weight = 0.6 if responses or joined_key(columns.get("vote", "")) in _VOTED else 0.1
    return Proposal("annotations", 0.97 if meanings and responses else weight, columns, settings)


def _voters(table: TableSample, votes: Sequence[str], vote: str | None) -> list[str]:
    """The columns of votes: by their names, and by the same values."""
    people = {*called.ANNOTATOR, "human", *called.MODEL_NAMES}
    named = [name for name in votes if name == vote or {*words(name), joined_key(name)} & people]
    sure = [name for name in votes if not all(value.isdigit() for value in table[name].distinct)]
    return named or sure or ([*votes] if len(votes) > 1 else [])  # numbers are votes if several columns share them


def _votes(table: TableSample, names: Sequence[str], side: str) -> dict[str, str]:
    """Value -> its vote; empty if a value has none, or a column no labels. side: the word for the first response."""
    distinct = dict.fromkeys(value for name in names if table[name].is_label for value in table[name].distinct)
    numbers = next((each for each in _NUMBERS if distinct.keys() <= {*each.split()}), "")
    votes = dict(zip(numbers.split(), (_A, _B, _TIE), strict=False))
    votes = {value: votes.get(value) or _vote(value, side) for value in distinct}
    return votes if all(votes.values()) and {_A, _B} & {*votes.values()} else {}


_VOTED = {"vote", "winner", "preferred", "preference", "better", "best", "choice"}
"""Names of columns of votes, and of hardly any other."""
_A, _B, _TIE = "text_a", "text_b", "both"
_NUMBERS = ("1 2", "0 1", "1 2 0", "1 2 3", "1 -1 0")
"""Numbers that mean the first response, the second and a tie if a column has no other values; the first list counts."""


def _vote(value: str, side: str) -> str:
    """The vote that a word means, as pairs are read; empty for others."""
    known = (vote for vote, synonyms in called.VOTES.items() if joined_key(value) in synonyms)
    return next(known, "" if side == "0" else SIDE_VOTES.get(side_word(value) or "", ""))


# --- a row per span, or per text with a list of its spans ---


def _spans(table: TableSample) -> Proposal:
    columns = assigned("violations", table)
    if "annotator" in columns:
        columns.pop("checker", None)  # the system wrote the texts
    free = [name for name in table if table[name].is_flat and name not in columns.values()]
    ids = [columns["id"]] if "id" in columns else [name for name in free if is_id_name(name)]
    if ids and "text" in columns and (key := key_of(table, [*dict.fromkeys([*ids, *free])], (), ids, columns["text"])):
        columns["id"] = key
    bounds = {"start", "end"} <= columns.keys()
    options, fit = _offsets(table, columns) if bounds else ({}, True)
    quoted = {"context", "rule", "text"} <= columns.keys() and table[columns["text"]].is_prose
    columns = {name: one for name, one in columns.items() if fit or name != "context"}
    return Proposal("violations", 0.85 if bounds else 0.5 if quoted else 0.0, columns, options)


def _offsets(table: TableSample, columns: Mapping[str, str]) -> tuple[dict[str, Any], bool]:
    """Options for offsets that count from 1, if most quotes are at theirs; and whether all are."""
    names = ("text", "context", "start", "end")
    rows = table.rows([columns[name] for name in names]) if {*names} <= columns.keys() else []
    spans = [(a, b, int(str(c)), int(str(d))) for a, b, c, d in rows if re.fullmatch(r"\d{1,15} \d{1,15}", f"{c} {d}")]
    fits = [sum(str(a)[max(start - n, 0) : end - n] == str(b) for a, b, start, end in spans) for n in (0, 1)]
    most = max(fits)
    return ({"offset_base": fits.index(most)}, most == len(spans)) if most * 2 > len(spans) else ({}, True)


# --- a row per answer of a model, with the true one ---


def _answers(table: TableSample) -> Proposal:
    columns = assigned("rag", table)
    if "response" not in columns and joined_key(columns.get("answer", "")) == "answer":
        columns["response"] = columns.pop("answer")
    question = nearest_to(called.QUESTION, table, columns.values())
    if question and len(table[question].distinct) == table.height:
        columns.setdefault("id", question)
    texts = [table[columns[name]] for name in ("answer", "response") if name in columns]
    options: dict[str, Any] = {} if "ability" in columns else {"constant": {"ability": QUESTION_ANSWERING}}
    true, doubts = table[columns["answer"]].texts if "answer" in columns and options else (), list[str]()
    mark = next((one for one in ("\n", "|") if any(one in text for text in true)), "")
    if mark and all(len(part) <= SHORT for text in true for part in text.split(mark)):
        options |= {"answer_lists": "aliases", "answer_separator": mark.replace("\n", r"\n")}
        doubts = ["parts of an answer are read as spellings of it; if all must be there: --answer-lists slots"]
    elif any(text.startswith("[") for text in true) and not any("[" in text[1:] for text in true):
        options["answer_lists"] = "aliases"
    # Short answers rarely repeat.
    labels = all(text.is_label and not text.is_prose and len(text.distinct) < len(text.texts) for text in texts)
    weight = 0.7 if {"documents", "ability"} & columns.keys() else 0.1 if labels else 0.5
    return Proposal("rag", weight if len(texts) > 1 else 0.0, columns, options, doubts=tuple(doubts))


_GOLD = "gold.answer"
"""The name of the column of true answers next to those of another table."""


def answers_beside(table: TableSample, gold: TableSample) -> Proposal:
    """The guess for answers with the true ones in a separate table."""
    true = assigned("rag", gold, ["answer"]).get("answer")
    guess = _answers(TableSample({**table, _GOLD: gold[true]}) if true else table)
    return replace(guess, columns={name: theirs for name, theirs in guess.columns.items() if theirs != _GOLD})


# --- preferences with a label per criterion ---


def _preferences(table: TableSample) -> Proposal:
    pair = sides_of(table, called.RESPONSES)[0]
    columns = assigned("preferences", table) | dict(zip(("output_a", "output_b"), pair, strict=False))
    named = [name for name in table if name.endswith("_preference")]
    criteria = [name.removesuffix("_preference") for name in named]
    labels = {value for name in named for value in table[name].distinct}
    options = {"criteria": criteria if {*criteria} != {*CRITERIA} else []}
    options |= {"labels": [] if labels <= {*LABELS} else sorted(labels)}
    return Proposal("preferences", 1.0 if criteria else 0.0, columns, options)


_GUESSERS = {"annotations": _pairs, "rag": _answers, "reliability": judgments, "violations": _spans}
_GUESSERS |= {"preferences": _preferences}
GUESSED = tuple(_GUESSERS)
"""The evaluations that `adjudge look` tries, with `agreement` as another of `reliability`."""


def guess(evaluation: str, table: TableSample) -> Proposal:
    """The guess for an evaluation's options for a table; without a reference for `agreement`."""
    found, none = _GUESSERS.get(evaluation, judgments)(table), {"reference": None} if evaluation == "agreement" else {}
    columns = {name: theirs for name, theirs in found.columns.items() if name not in none}
    return replace(found, evaluation=evaluation, columns=columns, settings={**found.settings, **none})
