"""Guesses for tables of pairs, spans, answers, preferences or scores."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.evaluations import NAMES as EVALUATIONS
from adjudge.profiling.file_profile import TableSample
from adjudge.profiling.guess import Guess, assigned, judgments, key_of, mutual_judgments, no_column, trusted_among
from adjudge.readers import column_names as called
from adjudge.readers.column_names import SIDES, is_id_name, joined_key, mentioning, nearest_to, sided, stem, words
from adjudge.readers.formats import READ_ALIKE
from adjudge.readers.label_values import side_word
from adjudge.readers.pairs.pairs import SIDE_VOTES
from adjudge.readers.preferences.score_tables import ALL, RANKS, SYSTEMS, figure_in, is_score
from adjudge.schemas.answers import QUESTION_ANSWERING
from adjudge.schemas.preferences import CRITERIA, LABELS

# --- pairs of responses, with columns of votes or a row per vote ---


def _pairs(table: TableSample) -> Guess:
    responses, sides = _responses(table)
    columns: dict[str, str] = dict(zip(("text_a", "text_b"), responses, strict=False))
    pairs = [two for *two, side in sided(table.names) if stem(two[0], side[0]) in called.WRITERS]
    writers = next((two for two in pairs if two[0] not in responses), []) if responses else []
    columns |= dict(zip(("model_a", "model_b"), writers, strict=False))
    ids = [name for name in table.names if is_id_name(name)]
    columns |= assigned("annotations", table, ["prompt"], [*columns.values(), *ids])
    columns |= assigned("annotations", table, ["annotator", "pair"], [*columns.values()])
    votes = [name for name in table.names if name not in columns.values() and _votes(table, [name], sides)]
    vote, who = nearest_to(called.NAMES["annotations"]["vote"], votes), columns.get("annotator")
    if who and vote and (pair := columns.get("pair") or key_of(table, ids, [who])):
        columns |= {"pair": pair, "vote": vote}
        voters, judges, meanings = [*table[who].distinct], list[str](), _votes(table, [vote], sides)
    else:
        columns = {name: theirs for name, theirs in columns.items() if name != "annotator"}
        columns = {name: theirs for name, theirs in columns.items() if name != "pair" or table[theirs].is_id}
        voters = judges = _voters(table, votes, vote)
        meanings = _votes(table, judges, sides)
    usual = all({"a": _A, "b": _B}.get(value, value) == means for value, means in meanings.items())
    values = {means: [value for value in meanings if meanings[value] == means] for means in meanings.values()}
    lacking = [] if responses or "vote" in columns else [_NO_RESPONSES]
    lacking += [] if meanings or "vote" in columns else [_NO_VOTES]
    likely = responses or joined_key(columns.get("vote", "")) in _VOTED
    reference = trusted_among(voters)
    settings = {"annotator_columns": judges, "vote_values": {} if usual else values, "reference": reference}
    weight = (0.6 if likely else 0.1) + 0.37 * bool(meanings and responses)
    return Guess(weight, columns, settings, tuple(lacking))


_NO_RESPONSES = "no two columns hold the responses: which are they? --columns text_a=COLUMN,text_b=COLUMN"
_NO_VOTES = "no column holds votes for one of two responses: which do? --annotator-columns COLUMN,..."


def _responses(table: TableSample) -> tuple[tuple[str, ...], tuple[str, str]]:
    """The two columns of responses, and the words by which they differ."""
    prose = [name for name in table.names if table[name].is_prose and not _votes(table, [name], SIDES[0])]
    pairs = [((one, other), side) for one, other, side in sided(prose)]
    named = (pair for pair in pairs if stem(pair[0][0], pair[1][0]) in called.RESPONSES)
    return next(named, pairs[0] if pairs else ((), SIDES[0]))


def _voters(table: TableSample, votes: Sequence[str], vote: str | None) -> list[str]:
    """The columns of votes: by their names, and by the same values."""
    people = {*called.ANNOTATOR, "human", *called.MODEL_NAMES}
    named = [*([vote] if vote else []), *(name for name in votes if {*words(name), joined_key(name)} & people)]
    sure = [name for name in votes if not all(value.isdigit() for value in table[name].distinct)]
    voters = dict.fromkeys([*named, *(sure if vote is None or len(named) == 1 else [])])
    return [*voters] or ([*votes] if len(votes) > 1 else [])  # numbers are votes if several columns share them


def _votes(table: TableSample, names: Sequence[str], sides: tuple[str, str]) -> dict[str, str]:
    """Value -> its vote; empty if a value has none, or a column no labels."""
    distinct = dict.fromkeys(value for name in names if table[name].is_label for value in table[name].distinct)
    numbers = next((votes for votes in _NUMBERS if distinct.keys() <= votes.keys()), {})
    meanings = {value: numbers.get(value) or _vote(value, sides) for value in distinct}
    votes = {value: means for value, means in meanings.items() if means}
    return votes if len(votes) == len(distinct) and {_A, _B} & {*votes.values()} else {}


_VOTED = {"vote", "winner", "preferred", "preference", "better", "best", "choice"}
"""Names of columns of votes, and of hardly any other."""
_A, _B, _TIE = "text_a", "text_b", "both"
_NUMBERS: Sequence[Mapping[str, str]] = (
    {"1": _A, "2": _B},
    {"0": _A, "1": _B},
    {"1": _A, "2": _B, "0": _TIE},
    {"1": _A, "2": _B, "3": _TIE},
    {"1": _A, "-1": _B, "0": _TIE},
)
"""Meanings of numbers, if a column has no other values: the first that contains them all."""


def _vote(value: str, sides: tuple[str, str]) -> str | None:
    """The vote that a word or a sentence, such as Response A is better, means."""
    whole, parts = joined_key(value), words(value)
    if vote := next((vote for vote, synonyms in called.VOTES.items() if whole in synonyms), None):
        return vote
    for pair in (sides, *SIDES):
        for vote, side in zip((_A, _B), pair, strict=True):
            if parts and side in (parts[-1], whole) and not value.isdigit():
                return vote
    return SIDE_VOTES.get(side_word(value) or "") or (None if {*called.VOTES["both"]}.isdisjoint(parts) else _TIE)


# --- a row per span, or per text with a list of its spans ---


def _spans(table: TableSample) -> Guess:
    columns = assigned("violations", table)
    if "annotator" in columns and joined_key(columns.get("checker", "")) not in ("checker", "tool"):
        columns.pop("checker", None)  # the system wrote the texts, if there are annotators
    whole = [name for name in table.names if table[name].kind in {"whole numbers", "nothing"}]
    named = [columns.pop(name, "") for name in ("start", "end")]
    if not {*named} <= {*whole}:
        named = [mentioning(meaning, whole) or "" for meaning in (("start", "begin"), ("end", "stop", "finish"))]
    bounds = dict(zip(("start", "end"), named, strict=True)) if len({*named, ""}) > 2 else {}  # noqa: PLR2004
    columns = {name: theirs for name, theirs in columns.items() if theirs not in bounds.values()} | bounds
    free = {words(name)[-1:]: name for name in table.names if table[name].is_label and name not in columns.values()}
    rules = [free[rule,] for rule in called.NAMES["violations"]["rule"] if (rule,) in free]
    columns = {**({"rule": rules[0]} if rules else {}), **columns}
    quotes = [name for name in table.names if name not in columns.values() and "span" in words(name)]
    quotes = [name for name in quotes if table[name].kind == "text"] if bounds and "context" not in columns else []
    columns |= {"context": quotes[0]} if quotes else {}
    columns |= {"id": theirs} if (theirs := _texts_id(table, columns)) else {}
    options, fit = _offsets(table, columns) if bounds else ({}, True)
    quoted = {"context", "rule", "text"} <= columns.keys() and table[columns["text"]].is_prose
    lacking = [] if "id" in columns else [no_column("id", table)]
    if not bounds and not quoted:
        lacking.append("no columns say where violations stand: which do? --columns start=COLUMN,end=COLUMN")
    known = 0.1 * sum(name in columns for name in ("id", "text", "rule"))
    columns = {name: one for name, one in columns.items() if fit or name != "context"}
    return Guess(0.65 + known if bounds else 0.3 + known if quoted else 0.0, columns, options, tuple(lacking))


def _offsets(table: TableSample, columns: Mapping[str, str]) -> tuple[dict[str, Any], bool]:
    """Options for offsets that count from 1, if most quotes are at theirs; and whether all are."""
    names = [columns[name] for name in ("text", "context", "start", "end") if name in columns]
    if len(names) < 4:  # noqa: PLR2004
        return {}, True
    rows = (map(str, row) for row in table.rows(names))
    spans = [(a, b, int(c), int(d)) for a, b, c, d in rows if re.fullmatch(r"\d{1,15} \d{1,15}", f"{c} {d}")]
    fits = [sum(text[max(start - n, 0) : end - n] == quote for text, quote, start, end in spans) for n in (0, 1)]
    base, most = fits.index(max(fits)), max(fits)
    outside = sum(span[2] < base for span in spans)
    drop = {"on_invalid": "drop"} if outside else {}
    return ({"offset_base": base, **drop}, most + outside == len(spans)) if most * 2 > len(spans) else ({}, True)


def _texts_id(table: TableSample, columns: Mapping[str, str]) -> str | None:
    """The column of ids, or two joined by +, with one text per value; None if there is none."""
    people = called.NAMES["violations"]["annotator"]
    free = [name for name in table.names if table[name].is_flat and name not in columns.values()]
    ids = [name for name in free if is_id_name(name) and joined_key(name) not in people]
    named = [columns["id"]] if "id" in columns else ids
    tried = [*dict.fromkeys([*named, *free])]
    return key_of(table, tried, (), named, columns["text"]) if named and "text" in columns else None


# --- a row per answer of a model, with the true one ---


def _answers(table: TableSample) -> Guess:
    columns = assigned("rag", table)
    if "response" not in columns and nearest_to(["answer"], [columns.get("answer", "")]):
        columns["response"] = columns.pop("answer")
    question = nearest_to(called.QUESTION, table.names, columns.values())
    if "id" not in columns and question and len(table[question].distinct) == table.height:
        columns["id"] = question
    texts = [table[columns[name]] for name in ("answer", "response") if name in columns]
    options: dict[str, Any] = {"constant": {} if "ability" in columns else {"ability": QUESTION_ANSWERING}}
    true = table[columns["answer"]].texts if "answer" in columns else ()
    if "ability" not in columns and any(" | " in text or text.startswith("[") for text in true):
        options["answer_lists"] = "aliases"
    doubts = list[str]()
    if any(" | " in text for text in true):
        options["answer_separator"] = "|"
        doubts = ["texts between | are read as spellings of one answer; if all must be there: --answer-lists slots"]
    # Short answers rarely repeat.
    labels = all(text.is_label and not text.is_prose and len(text.distinct) < len(text.texts) for text in texts)
    weight = (
        0.2 * len(texts[:2]) + 0.25 * ("documents" in columns) + 0.1 * bool(question) + 0.2 * ("ability" in columns)
    )
    weight -= 0.3 * (labels and not {"documents", "ability"} & columns.keys()) + 0.2 * (len(texts) < 2)  # noqa: PLR2004
    lacking = [no_column(name, table) for name in ("id", "answer", "response") if name not in columns]
    return Guess(max(weight, 0.0), columns, options, tuple(lacking), tuple(doubts))


_GOLD = "gold.answer"
"""The name of the column of true answers next to those of another table."""


def answers_beside(table: TableSample, gold: TableSample) -> Guess:
    """The guess for answers with the true ones in a separate table."""
    true = assigned("rag", gold, ["answer"]).get("answer")
    guess = _answers(TableSample({**table.columns, _GOLD: gold[true]}) if true else table)
    return replace(guess, columns={name: theirs for name, theirs in guess.columns.items() if theirs != _GOLD})


# --- preferences with a label per criterion, and published scores ---


def _preferences(table: TableSample) -> Guess:
    columns = assigned("preferences", table)
    pair = next((two for *two, side in sided(table.names) if stem(two[0], side[0]) in called.RESPONSES), None)
    columns |= dict(zip(("output_a", "output_b"), pair, strict=True)) if pair else {}
    free = [name for name in table.names if name not in columns.values() and table[name].is_label]
    criteria = {criterion: name for name in free if (criterion := _criterion(name, {*table[name].distinct}))}
    columns |= {f"{criterion}_preference": name for criterion, name in criteria.items()}
    labels = {value for name in criteria.values() for value in table[name].distinct}
    options = {
        "criteria": [*criteria] if {*criteria} != {*CRITERIA} else [],
        "labels": [] if labels <= {*LABELS} else sorted(labels),
    }
    lacking = [] if "id" in columns else [no_column("id", table)]
    weight = 0.7 + 0.2 * ("id" in columns) + 0.1 * (pair is not None) if criteria else 0.0
    return Guess(weight, columns, options, tuple(lacking))


def _criterion(name: str, labels: Collection[str]) -> str:
    """The criterion of a column of preferences; empty for other columns."""
    left = [part for part in words(name) if part not in {"preference", "preferences", "pref"}]
    if 0 < len(left) < len(words(name)):
        return "_".join(left)
    traits = called.TRAITS if {"A", "B"} <= {*labels} <= {*LABELS} else ()
    return next((criterion for criterion in (*CRITERIA, *traits) if joined_key(criterion) == joined_key(name)), "")


_EXACT = re.compile(r"\d[.,]\d|%")
"""A sign of scores, which labels lack."""


def holds_scores(table: TableSample) -> bool:
    """Whether each row is a system, with columns of measurements: numbers with decimals."""
    system = next((name for name in table.names if name.strip().casefold() in SYSTEMS), None)
    if system is None or not table[system].is_id:
        return False
    others = [table[name] for name in table.names if name != system and name.casefold() not in RANKS]
    scores = [column.name for column in others if column.is_flat and column.texts and all(map(is_score, column.texts))]
    figures = all(figure_in(name)[0] != ALL or called.SCORES & {*words(name), joined_key(name)} for name in scores)
    named = figures if joined_key(system) in {"name", "run"} else not mentioning(called.ANNOTATOR, scores)
    exact = any(_EXACT.search(text) for name in scores for text in table[name].texts)
    return bool(scores) and exact and named and 2 * len(scores) >= len(others)


_GUESSERS: Mapping[str, Callable[[TableSample], Guess]] = {
    "agreement": mutual_judgments,
    "annotations": _pairs,
    "preferences": _preferences,
    "rag": _answers,
    "reliability": judgments,
    "violations": _spans,
}
GUESSED = tuple(name for name in EVALUATIONS if name in _GUESSERS)
"""The evaluations that `adjudge look` tries."""


def guess(evaluation: str, table: TableSample) -> Guess:
    """The guess for an evaluation's options for a table."""
    return _GUESSERS[evaluation if evaluation in _GUESSERS else READ_ALIKE[evaluation]](table)
