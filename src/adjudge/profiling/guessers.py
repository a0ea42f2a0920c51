"""What the columns of a table may stand for in each evaluation: guessed by the names people use, and by values.

A guess is made of options, as a user gives them, and never of data. Nothing here reads a file; what a guess is worth
shows when the evaluation's own reader takes it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from adjudge.profiling.column_profile import Table
from adjudge.profiling.guess import Guess, found_names, mapped, no_column
from adjudge.profiling.label_columns import judgments, mutual_judgments
from adjudge.profiling.pair_columns import pairs
from adjudge.profiling.span_columns import spans
from adjudge.readers.column_names import joined, mentioning, nearest_to, sided, stem, words
from adjudge.readers.column_synonyms import ANNOTATOR, QUESTION, RESPONSES, SCORES
from adjudge.readers.formats import READ_ALIKE
from adjudge.readers.preferences.score_tables import ALL, RANKS, SYSTEMS, figure_in, is_score, plain
from adjudge.schemas.answers import QUESTION_ANSWERING
from adjudge.schemas.preferences import CRITERIA, LABELS


def guess(evaluation: str, table: Table) -> Guess:
    """How this evaluation might read a table."""
    own = evaluation if evaluation in GUESSERS else READ_ALIKE[evaluation]
    return GUESSERS[own](table)


# --- preferences ---


def _preferences(table: Table) -> Guess:
    """Items with a label per criterion."""
    found = found_names("preferences", ["id", "instruction"], table)
    pair = next((two for *two, side in sided(table.names) if stem(two[0], side[0]) in RESPONSES), None)
    found |= dict(zip(("output_a", "output_b"), pair, strict=True)) if pair else {}
    free = [name for name in table.names if name not in found.values() and table[name].is_label]
    criteria = {_criterion(name): name for name in free if _criterion(name)}
    found |= {f"{one}_preference": theirs for one, theirs in criteria.items()}
    labels = list(dict.fromkeys(value for theirs in criteria.values() for value in table[theirs].distinct))
    said = {
        "criteria": list(criteria) if set(criteria) != set(CRITERIA) else [],
        "labels": sorted(labels) if not set(labels) <= set(LABELS) else [],
    }
    lacking = [] if "id" in found else [no_column("id", table)]
    if not criteria:
        lacking.append("no column holds preferences: which do? --columns CRITERION_preference=COLUMN --criteria")
    weight = 0.7 + 0.2 * ("id" in found) + 0.1 * (pair is not None) if criteria else 0.0
    return Guess(weight, found, mapped(found, **said), tuple(lacking))


def _criterion(name: str) -> str:
    """The criterion that a column of preferences is about; empty for other columns."""
    parts = words(name)
    left = [one for one in parts if one not in {"preference", "preferences", "pref"}]
    if left and len(left) < len(parts):
        return "_".join(left)
    return next((one for one in CRITERIA if joined(one) == joined(name)), "")


# --- published scores ---

_WEAK = {"name", "run"}
"""What other things than systems are called too."""
_EXACT = re.compile(r"\d[.,]\d|%")
"""What scores have, and labels have not."""


def holds_scores(table: Table, *, alone: bool = False) -> bool:
    """Whether each row is a system's, and columns hold what was measured of it: numbers with decimals.

    Where their column may be that of other things than systems, figures must be called as such. alone: whether the
    table is known to be no other, so that whole numbers may be scores too.
    """
    system = next((name for name in table.names if name.strip().casefold() in SYSTEMS), None)
    if system is None or not table[system].is_id:
        return False
    others = [table[name] for name in table.names if name != system and plain(name).casefold() not in RANKS]
    scores = [one.name for one in others if one.is_flat and one.texts and all(map(is_score, one.texts))]
    called = all(_is_figure(name) for name in scores) if joined(system) in _WEAK else not mentioning(ANNOTATOR, scores)
    exact = alone or any(_EXACT.search(text) for name in scores for text in table[name].texts)
    return bool(scores) and exact and called and 2 * len(scores) >= len(others)


def _is_figure(name: str) -> bool:
    """Whether a column is called as figures are, or after a criterion of the task."""
    return figure_in(name)[0] != ALL or not SCORES.isdisjoint({*words(name), joined(name)})


# --- rag ---


def _answers(table: Table) -> Guess:
    """A row per answer of a model, beside the true one."""
    names = ["answer", "response", "documents", "id", "model", "ability", "noise_ratio", "counterfactual", "draw"]
    found = found_names("rag", names, table)
    if "response" not in found and nearest_to(["answer"], [found.get("answer", "")]):
        found["response"] = found.pop("answer")
    question = nearest_to(QUESTION, table.names, found.values())
    if "id" not in found and question and len(table[question].distinct) == table.height:
        found["id"] = question
    texts = [table[found[name]] for name in ("answer", "response") if name in found]
    lacking = [no_column(name, table) for name in ("id", "response", "answer") if name not in found]
    constants = {} if "ability" in found else {"ability": QUESTION_ANSWERING}
    # Short answers hardly come up twice.
    labels = bool(texts) and all(
        one.is_label and not one.is_prose and len(one.distinct) < len(one.texts) for one in texts
    )
    both = len(texts) == 2  # noqa: PLR2004 - the answer and the response
    weight = 0.2 * len(texts) + 0.25 * ("documents" in found) + 0.1 * bool(question) + 0.2 * ("ability" in found)
    weight -= 0.3 * (labels and "documents" not in found and "ability" not in found) + 0.2 * (not both)
    barred = "answer" in found and any(" | " in one for one in table[found["answer"]].texts)
    options = mapped(found, constant=constants, answer_separator="|" if barred else None)
    return Guess(max(weight, 0.0), found, options, tuple(lacking))


def guess_beside(table: Table, gold: Table) -> Guess:
    """How answers are read whose true ones stand in a table of their own."""
    true = found_names("rag", ["answer"], gold).get("answer")
    found = _answers(Table({**table.columns, _GOLD: gold[true]}) if true else table)
    columns = {name: theirs for name, theirs in found.columns.items() if theirs != _GOLD}
    others = {name: one for name, one in found.options.items() if name != "columns"}
    return replace(found, columns=columns, options={**others, **mapped(columns)})


_GOLD = "gold.answer"
"""What the column of true answers is called beside those of another table."""


def are_answers_alone(table: Table) -> bool:
    """Whether a table holds what models answered, and not the true answers."""
    found = found_names("rag", ["answer", "response"], table)
    return "response" in found and "answer" not in found


GUESSERS: Mapping[str, Callable[[Table], Guess]] = {
    "agreement": mutual_judgments,
    "annotations": pairs,
    "preferences": _preferences,
    "rag": _answers,
    "reliability": judgments,
    "violations": spans,
}
"""How a table is guessed to be read by the evaluations that `adjudge look` tries."""
