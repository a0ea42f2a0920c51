"""Guesses for tables of pairs, spans, answers, preferences or scores."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.profiling.file_profile import TableSample
from adjudge.profiling.guess import Guess, assigned, judgments, key_of, no_column, sides_of, trusted_among
from adjudge.readers import column_names as called
from adjudge.readers.column_names import is_id_name, joined_key, mentioning, nearest_to, words
from adjudge.readers.formats import READ_ALIKE
from adjudge.readers.label_values import side_word
from adjudge.readers.pairs.pairs import SIDE_VOTES
from adjudge.readers.preferences.score_tables import RANKS, SYSTEMS, is_score
from adjudge.schemas.answers import QUESTION_ANSWERING
from adjudge.schemas.preferences import CRITERIA, LABELS

# --- pairs of responses, with columns of votes or a row per vote ---


def _pairs(table: TableSample) -> Guess:
    responses, side = sides_of([name for name in table if table[name].is_prose], called.RESPONSES)
    writers = sides_of([name for name in table if name not in responses], called.WRITERS)[0] if responses else []
    columns = dict(zip(("text_a", "text_b", "model_a", "model_b"), [*responses, *writers], strict=False))
    ids = [name for name in table if is_id_name(name)]
    columns |= assigned("annotations", table, ["prompt"], [*columns.values(), *ids])
    columns |= assigned("annotations", table, ["annotator", "pair"], [*columns.values()])
    votes = [name for name in table if name not in columns.values() and _votes(table, [name], side)]
    vote, who = nearest_to(called.NAMES["annotations"]["vote"], votes), columns.pop("annotator", None)
    pair = columns.pop("pair", None)
    if who and vote and (key := pair or key_of(table, ids, [who])):
        columns |= {"annotator": who, "pair": key, "vote": vote}
        voters, judges, meanings = [*table[who].distinct], list[str](), _votes(table, [vote], side)
    else:
        columns |= {"pair": pair} if pair and table[pair].is_id else {}
        voters = judges = _voters(table, votes, vote)
        meanings = _votes(table, judges, side)
    usual = all({"a": _A, "b": _B}.get(value, value) == means for value, means in meanings.items())
    values = {means: [value for value in meanings if meanings[value] == means] for means in meanings.values()}
    lacking = [] if responses or "vote" in columns else [_NO_RESPONSES]
    lacking += [] if meanings or "vote" in columns else [_NO_VOTES]
    settings = {"annotator_columns": judges, "vote_values": {} if usual else values, "reference": trusted_among(voters)}
    likely = responses or joined_key(columns.get("vote", "")) in _VOTED
    return Guess((0.6 if likely else 0.1) + 0.37 * bool(meanings and responses), columns, settings, tuple(lacking))


_NO_RESPONSES = "no two columns hold the responses: which are they? --columns text_a=COLUMN,text_b=COLUMN"
_NO_VOTES = "no column holds votes for one of two responses: which do? --annotator-columns COLUMN,..."


def _voters(table: TableSample, votes: Sequence[str], vote: str | None) -> list[str]:
    """The columns of votes: by their names, and by the same values."""
    people = {*called.ANNOTATOR, "human", *called.MODEL_NAMES}
    named = [name for name in votes if name == vote or {*words(name), joined_key(name)} & people]
    sure = [name for name in votes if not all(value.isdigit() for value in table[name].distinct)]
    return named or sure or ([*votes] if len(votes) > 1 else [])  # numbers are votes if several columns share them


def _votes(table: TableSample, names: Sequence[str], side: str) -> dict[str, str]:
    """Value -> its vote; empty if a value has none, or a column no labels. side: the word for the first response."""
    distinct = dict.fromkeys(value for name in names if table[name].is_label for value in table[name].distinct)
    numbers = next((votes for votes in _NUMBERS if distinct.keys() <= votes.keys()), {})
    votes = {value: numbers.get(value) or _vote(value, side) for value in distinct}
    return (
        {v: means for v, means in votes.items() if means}
        if all(votes.values()) and {_A, _B} & {*votes.values()}
        else {}
    )


_VOTED = {"vote", "winner", "preferred", "preference", "better", "best", "choice"}
"""Names of columns of votes, and of hardly any other."""
_A, _B, _TIE = "text_a", "text_b", "both"
_NUMBERS = [
    dict(zip(each.split(), (_A, _B, _TIE), strict=False)) for each in ("1 2", "0 1", "1 2 0", "1 2 3", "1 -1 0")
]
"""Meanings of numbers, if a column has no other values: the first that contains them all."""


def _vote(value: str, side: str) -> str:
    """The vote that a word means, as pairs are read; empty for others."""
    known = (vote for vote, synonyms in called.VOTES.items() if joined_key(value) in synonyms)
    return next(known, "" if side == "0" else SIDE_VOTES.get(side_word(value) or "", ""))


# --- a row per span, or per text with a list of its spans ---


def _spans(table: TableSample) -> Guess:
    columns = assigned("violations", table)
    if "annotator" in columns:
        columns.pop("checker", None)  # the system wrote the texts
    columns |= {"id": theirs} if (theirs := _texts_id(table, columns)) else {}
    bounds = {"start", "end"} <= columns.keys()
    options, fit = _offsets(table, columns) if bounds else ({}, True)
    quoted = {"context", "rule", "text"} <= columns.keys() and table[columns["text"]].is_prose
    lacking = [] if "id" in columns else [no_column("id", table)]
    if not bounds and not quoted:
        lacking.append("no columns say where violations stand: which do? --columns start=COLUMN,end=COLUMN")
    known = 0.1 * len({"id", "text", "rule"} & columns.keys())
    columns = {name: one for name, one in columns.items() if fit or name != "context"}
    return Guess(0.65 + known if bounds else 0.3 + known if quoted else 0.0, columns, options, tuple(lacking))


def _offsets(table: TableSample, columns: Mapping[str, str]) -> tuple[dict[str, Any], bool]:
    """Options for offsets that count from 1, if most quotes are at theirs; and whether all are."""
    names = [columns[name] for name in ("text", "context", "start", "end") if name in columns]
    rows = [tuple(map(str, row)) for row in table.rows(names) if len(row) == 4]  # noqa: PLR2004 - all four columns
    spans = [(a, b, int(c), int(d)) for a, b, c, d in rows if re.fullmatch(r"\d{1,15} \d{1,15}", f"{c} {d}")]
    fits = [sum(text[max(start - n, 0) : end - n] == quote for text, quote, start, end in spans) for n in (0, 1)]
    base, most = fits.index(max(fits)), max(fits)
    outside = sum(span[2] < base for span in spans)
    drop = {"on_invalid": "drop"} if outside else {}
    return ({"offset_base": base, **drop}, most + outside == len(spans)) if most * 2 > len(spans) else ({}, True)


def _texts_id(table: TableSample, columns: Mapping[str, str]) -> str | None:
    """The column of ids, or two joined by +, with one text per value; None if there is none."""
    free = [name for name in table if table[name].is_flat and name not in columns.values()]
    named = [columns["id"]] if "id" in columns else [name for name in free if is_id_name(name)]
    if not named or "text" not in columns:
        return None
    return key_of(table, [*dict.fromkeys([*named, *free])], (), named, columns["text"])


# --- a row per answer of a model, with the true one ---


def _answers(table: TableSample) -> Guess:
    columns = assigned("rag", table)
    if "response" not in columns and joined_key(columns.get("answer", "")) == "answer":
        columns["response"] = columns.pop("answer")
    question = nearest_to(called.QUESTION, table, columns.values())
    if question and len(table[question].distinct) == table.height:
        columns.setdefault("id", question)
    texts = [table[columns[name]] for name in ("answer", "response") if name in columns]
    options: dict[str, Any] = {} if "ability" in columns else {"constant": {"ability": QUESTION_ANSWERING}}
    true, doubts = table[columns["answer"]].texts if "answer" in columns and options else (), list[str]()
    if any(" | " in text for text in true):
        options |= {"answer_lists": "aliases", "answer_separator": "|"}
        doubts = ["texts between | are read as spellings of one answer; if all must be there: --answer-lists slots"]
    elif any(text.startswith("[") for text in true):
        options["answer_lists"] = "aliases"
    # Short answers rarely repeat.
    labels = all(text.is_label and not text.is_prose and len(text.distinct) < len(text.texts) for text in texts)
    sure = len({"documents", "ability"} & columns.keys())
    weight = 0.4 + 0.2 * sure + 0.1 * bool(question) - 0.3 * (labels and not sure)
    lacking = [no_column(name, table) for name in ("id", "answer", "response") if name not in columns]
    return Guess(weight if len(texts) > 1 else 0.0, columns, options, tuple(lacking), tuple(doubts))


_GOLD = "gold.answer"
"""The name of the column of true answers next to those of another table."""


def answers_beside(table: TableSample, gold: TableSample) -> Guess:
    """The guess for answers with the true ones in a separate table."""
    true = assigned("rag", gold, ["answer"]).get("answer")
    guess = _answers(TableSample({**table, _GOLD: gold[true]}) if true else table)
    return replace(guess, columns={name: theirs for name, theirs in guess.columns.items() if theirs != _GOLD})


# --- preferences with a label per criterion, and published scores ---


def _preferences(table: TableSample) -> Guess:
    pair = sides_of(table, called.RESPONSES)[0]
    columns = assigned("preferences", table) | dict(zip(("output_a", "output_b"), pair, strict=False))
    free = [name for name in table if name not in columns.values() and table[name].is_label]
    about = {name: [part for part in words(name) if not part.startswith("pref")] for name in free}
    criteria = {"_".join(left): name for name, left in about.items() if 0 < len(left) < len(words(name))}
    columns |= {f"{criterion}_preference": name for criterion, name in criteria.items()}
    labels = {value for name in criteria.values() for value in table[name].distinct}
    options = {
        "criteria": [*criteria] if {*criteria} != {*CRITERIA} else [],
        "labels": [] if labels <= {*LABELS} else sorted(labels),
    }
    lacking = () if "id" in columns else (no_column("id", table),)
    weight = 0.7 + 0.2 * ("id" in columns) + 0.1 * bool(pair)
    return Guess(weight if criteria else 0.0, columns, options, lacking)


def holds_scores(table: TableSample) -> bool:
    """Whether each row is a system, with columns of measurements: numbers with decimals."""
    system = next((name for name in table if name.strip().casefold() in SYSTEMS), None)
    if system is None or not table[system].is_id:
        return False
    others = [table[name] for name in table if name != system and name.casefold() not in RANKS]
    scores = [column.name for column in others if column.is_flat and column.texts and all(map(is_score, column.texts))]
    exact = any(re.search(r"\d[.,]\d|%", text) for name in scores for text in table[name].texts)
    people = mentioning(called.ANNOTATOR, scores) or joined_key(system) in {"name", "run"}
    return exact and not people and 2 * len(scores) >= len(others)


_GUESSERS: Mapping[str, Callable[[TableSample], Guess]] = {
    "annotations": _pairs,
    "preferences": _preferences,
    "rag": _answers,
    "reliability": judgments,
    "violations": _spans,
}
GUESSED = tuple(_GUESSERS)
"""The evaluations that `adjudge look` tries, with `agreement` as another of `reliability`."""


def guess(evaluation: str, table: TableSample) -> Guess:
    """The guess for an evaluation's options for a table; without a reference for `agreement`."""
    found = _GUESSERS[READ_ALIKE.get(evaluation, evaluation)](table)
    if evaluation != "agreement":
        return found
    columns = {name: theirs for name, theirs in found.columns.items() if name != "reference"}
    return replace(found, columns=columns, settings={**found.settings, "reference": None})
