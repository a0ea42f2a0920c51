"""Guesses for tables of pairs, spans, answers, preferences or scores."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from adjudge.evaluations import NAMES as EVALUATIONS
from adjudge.profiling.column_sample import TableSample, sample_of_records
from adjudge.profiling.guess import (
    Guess,
    assigned,
    flag,
    item_columns,
    judgments,
    mutual_judgments,
    no_column,
    trusted_among,
)
from adjudge.readers import column_names as called
from adjudge.readers.column_names import SIDES, is_id_name, joined_key, mentioning, nearest_to, sided, stem, words
from adjudge.readers.formats import READ_ALIKE
from adjudge.readers.label_values import side_word
from adjudge.readers.pairs.pairs import SIDE_VOTES
from adjudge.readers.preferences.score_tables import ALL, RANKS, SYSTEMS, figure_in, is_score
from adjudge.readers.problems import listed
from adjudge.readers.transforms import ITEM, LABEL
from adjudge.schemas.answers import QUESTION_ANSWERING
from adjudge.schemas.preferences import CRITERIA, LABELS

# --- pairs of responses, with columns of votes or a row per vote ---


def _pairs(table: TableSample) -> Guess:
    responses, sides = _responses(table)
    columns: dict[str, str] = dict(zip(("text_a", "text_b"), responses, strict=False))
    pairs = [two for *two, side in sided(table.names) if stem(two[0], side[0]) in called.WRITERS]
    writers = next((two for two in pairs if two[0] not in responses), []) if responses else []
    columns |= dict(zip(("model_a", "model_b"), writers, strict=False))
    models = {str(value) for name in writers for value in table[name].distinct}
    ids = [name for name in table.names if is_id_name(name)]
    columns |= assigned("annotations", table, ["prompt"], [*columns.values(), *ids])
    columns |= assigned("annotations", table, ["annotator", "pair"], [*columns.values()])
    free = [name for name in table.names if name not in columns.values()]
    votes = [name for name in free if table[name].is_label and _votes(table, [name], sides, models)]
    vote, likely = nearest_to(called.NAMES["annotations"]["vote"], votes), bool(responses)
    if "annotator" in columns and vote and "pair" not in columns:
        keys = item_columns(table, ids, columns["annotator"], [*columns.values(), vote])
        columns |= {"pair": "+".join(keys)} if keys else {}
    if "annotator" in columns and vote and "pair" in columns:
        voters, judges, values = [*table[columns["annotator"]].distinct], [], _votes(table, [vote], sides, models)
        columns, likely = columns | {"vote": vote}, bool(responses) or joined_key(vote) in _VOTED
    else:
        columns.pop("annotator", None)
        if columns.get("pair") and not table[columns["pair"]].is_id:
            del columns["pair"]
        voters = judges = _voters(table, votes, vote)
        values = _votes(table, judges, sides, models)
    named = {value: means for value, means in values.items() if value not in models}
    usual = all({"a": "text_a", "b": "text_b"}.get(value, value) == means for value, means in named.items())
    meanings = {means: [value for value in named if named[value] == means] for means in named.values()}
    odd = [f"{value} as {means}" for value, means in named.items() if (value, means) in _UNSURE]
    lacking = [] if responses or "vote" in columns else [_NO_RESPONSES]
    lacking += [] if values or "vote" in columns else [_NO_VOTES]
    settings = {"annotator_columns": judges, "vote_values": {} if usual else meanings}
    weight = (0.6 if likely else 0.1) + 0.37 * bool(values and responses)
    doubts = (f"nothing in the file says what votes mean: read {', '.join(odd)}, and the others to fit",) if odd else ()
    return Guess(weight, columns, settings | trusted_voter(voters, texts=True), tuple(lacking), doubts)


_NO_RESPONSES = "no two columns hold the responses: which are they? --columns text_a=COLUMN,text_b=COLUMN"
_NO_VOTES = "no column holds votes for one of two responses: which do? --annotator-columns COLUMN,..."


def _responses(table: TableSample) -> tuple[tuple[str, ...], tuple[str, str]]:
    """The two columns of responses, and the words by which they differ.

    They may be named after their models (gpt4_response, claude_response), or one may be a baseline's (response,
    baseline_model_response).
    """
    prose = [name for name in table.names if table[name].is_prose]
    prose = [name for name in prose if not (table[name].is_label and _votes(table, [name], SIDES[0]))]
    pairs = [((one, other), side) for one, other, side in sided(prose)]
    if pairs:
        return next((pair for pair in pairs if stem(pair[0][0], pair[1][0]) in called.RESPONSES), pairs[0])
    for end in called.RESPONSES:
        two = {"".join(words(name)[:-1]): name for name in prose if words(name)[-1:] == (end,)}
        if len(two) == 2:  # noqa: PLR2004 - one for each side
            baseline = next((writer for writer in two if "baseline" in writer), None)
            first, second = sorted(two, key=lambda writer: writer == baseline)
            return (two[first], two[second]), ("candidate", "baseline") if baseline else (first, second)
    return (), SIDES[0]


def trusted_voter(voters: Sequence[str], *, texts: bool, models: bool = False) -> dict[str, Any]:
    """The options that choose the reference votes; for a single voter those that compare it with style rules.

    texts: whether there are responses, which style requires; models: whether there are models' names,
    with which a voter is then compared.
    """
    if len(voters) == 1 and (texts or models):
        return {"reference": voters[0]} | ({"style": True} if texts else {"annotator": ["model:*"]})
    trusted = trusted_among(voters)
    return {"reference": trusted} if trusted else {}


def _voters(table: TableSample, votes: Sequence[str], vote: str | None) -> list[str]:
    """The columns of votes: by their names, and by the same values."""
    people = {*called.ANNOTATOR, "human", *called.MODEL_NAMES}
    named = [*([vote] if vote else []), *(name for name in votes if {*words(name), joined_key(name)} & people)]
    sure = [name for name in votes if not all(value.isdigit() for value in table[name].distinct)]
    voters = dict.fromkeys([*named, *(sure if vote is None or len(named) == 1 else [])])
    return [*voters] or ([*votes] if len(votes) > 1 else [])  # numbers are votes if several columns share them


def _votes(
    table: TableSample, names: Sequence[str], sides: tuple[str, str], models: Collection[str] = ()
) -> dict[str, str]:
    """Value -> its vote; empty if a value has none. models: values that choose their texts."""
    distinct = dict.fromkeys(value for name in names for value in table[name].distinct)
    numbers = next((votes for votes in _NUMBERS if distinct.keys() <= votes.keys()), {})
    meanings = {value: value if value in models else numbers.get(value) or _vote(value, sides) for value in distinct}
    sure = all(meanings.values()) and all(table[name].is_flat for name in names)
    votes = sure and {_A, _B, *models} & {*meanings.values()}
    return {value: str(means) for value, means in meanings.items()} if votes else {}


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
_UNSURE = {("0", _A), ("3", _TIE), ("-1", _B)}
"""Numbers whose meaning a file should define, with the guessed vote."""
_EQUAL = {"equal", "equally", "same", "similar", "tie", "tied"}


def _vote(value: str, sides: tuple[str, str]) -> str | None:
    """The vote that a word or a sentence means."""
    whole, parts = joined_key(value), words(value)
    if vote := next((vote for vote, synonyms in called.VOTES.items() if whole in synonyms), None):
        return vote
    for vote, side in ((vote, side) for pair in (sides, *SIDES) for vote, side in zip((_A, _B), pair, strict=True)):
        if parts and side in (parts[-1], whole) and not (side.isdigit() and value.isdigit()):
            return vote
    # a sentence: Response A is better, About the same
    return SIDE_VOTES.get(side_word(value) or "") or (None if _EQUAL.isdisjoint(parts) else _TIE)


# --- a row per span, or per text with a list of its spans ---

_BOUNDS = (("start", "end"), ("begin", "end"), ("from", "to"), ("start", "stop"), ("start", "finish"))
"""Words by which the names of two columns of offsets differ."""


def _spans(table: TableSample) -> Guess:
    if {"violations", "spans"}.isdisjoint(table.names):
        lists = [guess for name in table.names if (guess := _spans_in_list(table, name))]
        if lists:  # tokens have offsets, and no rule
            return next((guess for guess in lists if "rule" in guess.columns), lists[0])
    columns = assigned("violations", table)
    if "annotator" in columns and joined_key(columns.get("checker", "")) not in ("checker", "tool"):
        columns.pop("checker", None)  # the system wrote the texts, if there are annotators
    bounds = _bounds(table, [columns.pop(name, "") for name in ("start", "end")])
    columns = {name: theirs for name, theirs in columns.items() if theirs not in bounds}
    columns |= dict(zip(("start", "end"), bounds, strict=False))
    if "rule" not in columns:  # perhaps the last word of a name means it
        free = [name for name in table.names if name not in columns.values() and table[name].is_label and words(name)]
        rules = [name for rule in called.NAMES["violations"]["rule"] for name in free if words(name)[-1] == rule]
        columns |= {"rule": rules[0]} if rules else {}
    options, doubts = _offsets(table, columns) if bounds else ({}, ())
    columns |= _texts_ids(table, columns)
    quoted = {"context", "rule", "text"} <= columns.keys() and table[columns["text"]].is_prose
    lacking = [] if "id" in columns else [no_column("id", table)]
    if not bounds and not quoted:
        lacking.append("no columns say where violations stand: which do? --columns start=COLUMN,end=COLUMN")
    known = 0.1 * sum(name in columns for name in ("id", "text", "rule"))
    weight = 0.65 + known if bounds else 0.3 + known if quoted else 0.0
    return Guess(weight, columns, options, tuple(lacking), doubts)


def _spans_in_list(table: TableSample, name: str) -> Guess | None:
    """The spans that are objects in the lists of a column; None without such objects."""
    objects = [value for values in table[name].values if isinstance(values, list) for value in values]
    if not objects or not all(isinstance(value, dict) for value in objects):
        return None
    parts = ["start", "end", "context", "rule", "correction", "explanation", "category"]
    inner = assigned("violations", sample_of_records(objects), parts)
    if "context" not in inner and not {"start", "end"} <= inner.keys():
        return None
    prose = [text for text in table.names if table[text].kind == "text" and table[text].is_prose]
    text = assigned("violations", table.only(prose) if prose else table, ["text"], [name])
    outer = assigned("violations", table, ["id"], [name, *text.values()]) | text
    columns = {**outer, "violations": name, **inner}
    return Guess(0.65 + 0.1 * len(outer), columns, {}, () if "id" in outer else (no_column("id", table),))


def _bounds(table: TableSample, named: Sequence[str]) -> tuple[str, ...]:
    """The columns of starts and ends: by their names, or two that differ in that word; empty if there are none."""
    known = {words(name): name for name in table.names}
    pairs = [tuple(named)] if all(named) else []
    for parts, name in known.items():
        others = [tuple(end if part == start else part for part in parts) for start, end in _BOUNDS if start in parts]
        pairs += [(name, known[other]) for other in others if other in known]
    return next((two for two in pairs if {table[name].kind for name in two} <= {"whole numbers", "nothing"}), ())


def _offsets(table: TableSample, columns: dict[str, str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Options and doubts from the places of quotes in texts; adds both columns if most quotes match their offsets."""
    texts = sorted((name for name in table.names if table[name].kind == "text"), key=lambda name: -table[name].length)
    best: tuple[int, int, int, int, dict[str, str]] = (0, 0, 0, 0, {})
    for text in [columns["text"]] if "text" in columns else [name for name in texts if table[name].is_prose]:
        for quote in (name for name in texts if name != text and table[name].length <= table[text].length):
            rows = [row for row in table.rows([text, quote, columns["start"], columns["end"]]) if _is_placed(row)]
            starts, ends = ([int(float(str(row[place]))) for row in rows] for place in (2, 3))
            for base in (0, 1):
                spans = zip(rows, starts, ends, strict=True)
                fits = sum(
                    start >= base and str(row[0])[start - base : end - base] == row[1] for row, start, end in spans
                )
                outside = sum(start < base for start in starts)
                named = {"text": text, "context": quote}
                best = max(best, (fits, base, len(rows), outside, named), key=lambda way: way[0])
    fits, base, count, outside, named = best
    if fits * 2 <= count:
        return {}, ()
    columns |= named
    differ = count - fits - outside
    quoted = f"{differ:,} of {count:,} quotes differ from the text at the offsets, which count: --quote-mismatch warn"
    begin = f"{outside:,} of {count:,} spans begin before the first character and are excluded: --on-invalid drop"
    doubts = tuple(doubt for doubt, number in ((quoted, differ), (begin, outside)) if number)
    warn, drop = ("warn" if differ else None), ("drop" if outside else None)
    return {"offset_base": base, "quote_mismatch": warn, "on_invalid": drop}, doubts


def _is_placed(row: tuple[object, ...]) -> bool:
    numbers = [str(value).removesuffix(".0") for value in row[2:]]
    return all(re.fullmatch(r"-?\d{1,15}", number) for number in numbers) and numbers != ["-1", "-1"]


def _texts_ids(table: TableSample, columns: Mapping[str, str]) -> dict[str, str]:
    """The column of ids, or two joined by +, with one text per value."""
    people = called.NAMES["violations"]["annotator"]
    free = [name for name in table.names if table[name].is_flat and name not in columns.values()]
    ids = [name for name in free if is_id_name(name) and joined_key(name) not in people]
    named = [columns["id"]] if "id" in columns else ids
    pairs = combinations(dict.fromkeys([*named, *free]), 2)
    ways = [*((name,) for name in named), *(both for both in pairs if {*both} & {*named})]
    for names in ways if "text" in columns else ():
        texts = {(*map(str, row),) for row in table.rows([*names, columns["text"]])}
        if len({row[:-1] for row in texts}) == len(texts) > 1:
            return {"id": "+".join(name for name in table.names if name in names)}
    return {}


# --- a row per answer of a model, with the true one ---


def _answers(table: TableSample) -> Guess:
    columns = assigned("rag", table)
    if "response" not in columns and nearest_to(["answer"], [columns.get("answer", "")]):
        columns["response"] = columns.pop("answer")
    question = nearest_to(called.QUESTION, table.names, columns.values())
    if "id" not in columns and question and len(table[question].distinct) == table.height:
        columns["id"] = question
    texts = [table[columns[name]] for name in ("answer", "response") if name in columns]
    # Short answers rarely repeat.
    labels = all(text.is_label and not text.is_prose and len(text.distinct) < len(text.texts) for text in texts)
    weight = 0.2 * len(texts) + 0.25 * ("documents" in columns) + 0.1 * bool(question) + 0.2 * ("ability" in columns)
    weight -= 0.3 * (labels and not {"documents", "ability"} & columns.keys()) + 0.2 * (len(texts) < 2)  # noqa: PLR2004
    true = texts[0].texts if "answer" in columns else ()
    barred, in_lists = any(" | " in text for text in true), any(text.startswith("[") for text in true)
    options: dict[str, Any] = {
        "constant": {} if "ability" in columns else {"ability": QUESTION_ANSWERING},
        "answer_separator": "|" if barred else None,
        "answer_lists": "aliases" if (barred or in_lists) and "ability" not in columns else None,
    }
    doubt = "texts with | between them are read as spellings of one answer; if all must be there: --answer-lists slots"
    lacking = [no_column(name, table) for name in ("id", "answer", "response") if name not in columns]
    free = [name for name in table.names if table[name].kind == "text" and name not in {*columns.values(), question}]
    gaps = list[str]()
    if "answer" in columns and "response" not in columns and len(free) > 1:
        if all(mentioning(tuple(called.MODEL_NAMES), [name]) for name in free):  # a column for each model
            columns |= {"model": ITEM, "response": LABEL}
            options["item_columns"], gaps = free, [name for name in free if table[name].missing]
            lacking.pop()
            weight += 0.4
        else:
            response = flag("columns", f"response={free[0]}")
            asked = f"no column response; {listed(free)} may hold answers of a model each: score one, with {response}"
            lacking[-1] = f"{asked}, or put all below one another, with their names in a column model"
    doubts = [f"empty cells of {listed(gaps)} are excluded, not counted as wrong"] if gaps else []
    doubts += [doubt] if barred and "ability" not in columns else []
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
    traits = (joined_key(name),) if called.TRAITS & {joined_key(name)} and {"A", "B"} <= {*labels} <= {*LABELS} else ()
    return next((criterion for criterion in (*CRITERIA, *traits) if joined_key(criterion) == joined_key(name)), "")


_EXACT = re.compile(r"\d[.,]\d|%")
"""A sign of scores, which labels lack."""


def holds_scores(table: TableSample, *, alone: bool = False) -> bool:
    """Whether each row is a system, with columns of measurements: numbers with decimals.

    alone: whether no evaluation fits, so that whole numbers may be scores too.
    """
    system = next((name for name in table.names if name.strip().casefold() in SYSTEMS), None)
    if system is None or not table[system].is_id:
        return False
    others = [table[name] for name in table.names if name != system and name.casefold() not in RANKS]
    scores = [column.name for column in others if column.is_flat and column.texts and all(map(is_score, column.texts))]
    figures = all(figure_in(name)[0] != ALL or called.SCORES & {*words(name), joined_key(name)} for name in scores)
    named = figures if joined_key(system) in {"name", "run"} else not mentioning(called.ANNOTATOR, scores)
    exact = alone or any(_EXACT.search(text) for name in scores for text in table[name].texts)
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
