"""Guesses for tables of pairs, spans, answers or preferences."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.evaluations.annotations.outcomes import are_usual, votes_meant
from adjudge.evaluations.rag.true_answers import abilities_marked, are_labels
from adjudge.profiling.file_profile import SHORT, ColumnSample, TableSample, sample_of_records
from adjudge.profiling.guess import assigned, judgments, key_of, sides_of, trusted_among
from adjudge.profiling.result import Proposal
from adjudge.readers import column_names as called
from adjudge.readers.column_names import is_id_name, joined_key, nearest_to, words
from adjudge.readers.problems import listed
from adjudge.schemas.answers import ABILITIES, QUESTION_ANSWERING
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
    values = {means: [value for value in meanings if meanings[value] == means] for means in meanings.values()}
    unusual = {} if are_usual(meanings) else values
    settings = {"annotator_columns": judges, "vote_values": unusual, "reference": trusted_among(voters)}
    weight = 0.6 if responses or joined_key(columns.get("vote", "")) in _VOTED else 0.1
    return Proposal("annotations", 0.97 if meanings and responses else weight, columns, settings)


def _voters(table: TableSample, votes: Sequence[str], vote: str | None) -> list[str]:
    """The columns of votes, by their names or values; all if none has words or a name of votes."""
    people = {*called.ANNOTATOR, "human", *called.MODEL_NAMES}
    named = [name for name in votes if name == vote or {*words(name), joined_key(name)} & people]
    sure = [name for name in votes if not all(value.isdigit() for value in table[name].distinct)]
    return [name for name in votes if name in (*named, *sure)] or [*votes]


def _votes(table: TableSample, names: Sequence[str], side: str) -> dict[str, str]:
    """Value of some columns of labels -> its vote. side: the word for the first response."""
    return votes_meant((value for name in names if table[name].is_label for value in table[name].distinct), side)


_VOTED = {"vote", "winner", "preferred", "preference", "better", "best", "choice"}
"""Names of columns of votes, and of hardly any other."""


# --- a row per span, or per text with a list of its spans ---


def _spans(table: TableSample) -> Proposal:
    columns = assigned("violations", table)
    if "text" in columns and (quotes := _lists_of_quotes(table)):
        own = {name: theirs for name, theirs in columns.items() if name in ("id", "text", "annotator", "checker")}
        return Proposal("violations", 0.85, own | quotes)
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


def _lists_of_quotes(table: TableSample) -> dict[str, str]:
    """The column with lists of objects that have a quote and its rule, and the parts of these; empty without one."""
    for name, one in table.items():
        marks = [mark for many in one.values if isinstance(many, list) for mark in many if isinstance(mark, dict)]
        parts = assigned("violations", sample_of_records(marks), _PARTS)
        if {"context", "rule"} <= parts.keys():
            return {"violations": name, **parts}
    return {}


_PARTS = ("context", "rule", "category", "explanation", "correction")
"""What an object with a quote may hold."""


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
    tested = next((name for name, one in table.items() if one.distinct and {*one.distinct} <= {*ABILITIES}), None)
    columns |= {"ability": tested} if tested else {}
    own = [name for name in table if {*words(name)} & called.MODEL_NAMES and name not in columns.values()]
    models = [name for name in own if table[name].kind == "text" and not _is_label(table[name])]
    asked = any(table[name].is_prose for name in table if name not in (*own, columns.get("answer")))
    models = models if asked and len(models) > 1 and columns.keys().isdisjoint({"response", "model"}) else []
    if "response" not in columns and joined_key(columns.get("answer", "")) == "answer" and not models:
        columns["response"] = columns.pop("answer")
    question = nearest_to(called.QUESTION, table, columns.values())
    if question and len(table[question].distinct) == table.height:
        columns.setdefault("id", question)
    texts = [table[name] for name in (columns.get("answer"), columns.get("response", *models[:1])) if name]
    ability = "noise_robustness" if "noise_ratio" in columns else QUESTION_ANSWERING
    options: dict[str, Any] = {} if "ability" in columns else {"constant": {"ability": ability}}
    flags = [one for one in table if _is_label(table[one]) and one not in columns.values() and "answer" in columns]
    abilities = {name: abilities_marked(zip(table[name].values, texts[0].values, strict=False)) for name in flags}
    if options and (marks := next(filter(abilities.get, flags), None)):
        columns["ability"], options = marks, {"map_values": {"ability": abilities[marks]}}
    if models:  # --item-columns makes a row of each answer
        columns, options = columns | {"model": "item", "response": "label"}, options | {"item_columns": models}
    true, doubts = texts[0].texts if "answer" in columns and options else (), list[str]()
    mark = next((one for one in ("\n", "|") if any(one in text for text in true)), "")
    if mark and all(len(part) <= SHORT for text in true for part in text.split(mark)):
        options |= {"answer_lists": "aliases", "answer_separator": mark.replace("\n", r"\n")}
        doubts = ["parts of an answer are read as spellings of it; if all must be there: --answer-lists slots"]
    elif any(text.startswith("[") for text in true) and not any("[" in text[1:] for text in true):
        options["answer_lists"] = "aliases"
    doubts += [f"{listed(models)} are read as models, and their cells as answers"] if models else []
    weight = 0.7 if {"documents", "ability"} & columns.keys() else 0.1 if all(map(_is_label, texts)) else 0.5
    fits = len(texts) > 1 and not are_labels(zip(*(one.values for one in texts), strict=False))
    taken = [one for one in ("item", "label") if models and one in table]
    lacking = tuple(f"rename the column {one} in the file: --item-columns makes a column of that name" for one in taken)
    return Proposal("rag", weight if fits else 0.0, columns, options, lacking, tuple(doubts))


def _is_label(one: ColumnSample) -> bool:
    return one.is_label and not one.is_prose and one.repeats


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
    criteria = [name.removesuffix("_preference") for name in table if name.endswith("_preference")]
    labels = {value for name in criteria for value in table[f"{name}_preference"].distinct}
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
