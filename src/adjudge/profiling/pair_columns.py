"""What the columns of a table may stand for in annotations: both responses, and who votes for which."""

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.profiling.column_profile import Column, Table
from adjudge.profiling.guess import Guess, found_names, mapped, trusted_among, writers_of_pairs
from adjudge.profiling.long_table_columns import items_of
from adjudge.readers.column_names import SIDES, is_id_name, joined, nearest_to, sided, stem, words
from adjudge.readers.column_synonyms import ANNOTATOR, MODEL_NAMES, NAMES, RESPONSES, VOTES


def pairs(table: Table) -> Guess:
    """Pairs of responses, with columns of votes or a row per vote."""
    responses, sides = responses_of(table)
    columns: dict[str, str] = dict(zip(("text_a", "text_b"), responses, strict=False))
    writers = writers_of_pairs(table, responses)
    columns |= dict(zip(("model_a", "model_b"), writers, strict=False))
    table = _named_by_models(table, *writers) if writers else table
    ids = [name for name in table.names if is_id_name(name)]
    columns |= found_names("annotations", ["prompt"], table, [*columns.values(), *ids])
    columns |= found_names("annotations", ["annotator", "pair"], table, list(columns.values()))
    free = [name for name in table.names if name not in columns.values()]
    votes = [name for name in free if table[name].is_label and _values(table, [name], sides)]
    meant = nearest_to(NAMES["annotations"]["vote"], votes)
    if "annotator" in columns and meant and "pair" not in columns:
        found = items_of(table, ids, columns["annotator"], [*columns.values(), meant])
        columns |= {"pair": "+".join(found)} if found else {}
    if "annotator" in columns and meant and "pair" in columns:
        columns |= {"vote": meant}
        weight = 0.6 + 0.37 * bool(responses)
        values = _values(table, [meant], sides)
        voters = table[columns["annotator"]].distinct
        options = mapped(columns, vote_values=_said(values), **trusted_voter(voters))
        return Guess(weight, columns, options, (), _doubts(values))
    columns.pop("annotator", None)
    judges = _voters(table, votes, meant)
    if columns.get("pair") and not table[columns["pair"]].is_id:
        del columns["pair"]
    values = _values(table, judges, sides)
    options = mapped(columns, annotator_columns=judges, vote_values=_said(values), **trusted_voter(judges))
    weight = (0.6 if responses else 0.1) + (0.37 if judges and responses else 0)
    needed = {
        "no two columns hold the responses: which are they? --columns text_a=COLUMN,text_b=COLUMN": responses,
        "no column holds votes for one of two responses: which do? --annotator-columns COLUMN,...": judges,
    }
    lacking = tuple(asked for asked, columns_of_it in needed.items() if not columns_of_it)
    return Guess(weight, columns, options, lacking, _doubts(values))


def _named_by_models(table: Table, first: str, second: str) -> Table:
    """A table with votes for a text where a column of labels names the model of that text, as readers take it."""
    models = list(zip(table[first].values, table[second].values, strict=True))
    known = {one for both in models for one in both}

    def meant(name: str) -> Column:
        column = table[name]
        if name in {first, second} or not (column.is_label and known.intersection(column.distinct)):
            return column
        sides = [{one: "text_a", other: "text_b"} if one != other else {} for one, other in models]
        return Column(name, [side.get(one, one) for side, one in zip(sides, column.values, strict=True)])

    return Table({name: meant(name) for name in table.names})


def responses_of(table: Table) -> tuple[tuple[str, ...], tuple[str, str]]:
    """The two columns of responses, and by which words they differ.

    They may be called by what wrote them (gpt4_response, claude_response), or one may be a baseline's (response,
    baseline_model_response).
    """
    pairs = [(two, side) for *two, side in sided(table.names) if all(_may_be_text(table, name) for name in two)]
    if pairs:
        two, side = next((one for one in pairs if stem(one[0][0], one[1][0]) in RESPONSES), pairs[0])
        return tuple(two), side
    prose = [name for name in table.names if table[name].is_prose]
    for end in RESPONSES:
        two = [name for name in prose if len(words(name)) > 1 and words(name)[-1] == end]
        if len(two) == 2:  # noqa: PLR2004 - one for each side
            first, second = ("".join(words(name)[:-1]) for name in two)
            return tuple(two), (first, second)
    known = {joined(name): name for name in prose}
    for name in known.values():
        other = known.get("".join(part for part in words(name) if part not in {"baseline", "model"}), name)
        if "baseline" in words(name) and other != name:
            return (other, name), ("candidate", "baseline")
    return (), SIDES[0]


def _may_be_text(table: Table, name: str) -> bool:
    """Whether a column may hold responses: texts for reading that are no votes."""
    return table[name].is_prose and not (table[name].is_label and _values(table, [name], SIDES[0]))


def trusted_voter(voters: Sequence[str], *, texts: bool = True, models: bool = False) -> dict[str, Any]:
    """The options that say whose votes others are compared with; a single voter's with what style would reward.

    texts: whether there are responses, without which there is no style; models: whether it is said who wrote them,
    with whom a voter is then compared.
    """
    if len(voters) == 1 and (texts or models):
        return {"reference": voters[0]} | ({"style": True} if texts else {"annotator": ["model:*"]})
    trusted = trusted_among(voters)
    return {"reference": trusted} if trusted else {}


def _voters(table: Table, votes: Sequence[str], meant: str | None) -> list[str]:
    """The columns of votes: those whose names say so, and those that hold the same values."""
    called = [name for name in votes if {*words(name), joined(name)} & {*ANNOTATOR, "human", *MODEL_NAMES}]
    first = [meant] if meant else []
    sure = [name for name in votes if not all(one.isdigit() for one in table[name].distinct)]
    found = list(dict.fromkeys([*first, *called, *(sure if not first or not called else [])]))
    return found or (list(votes) if len(votes) > 1 else [])  # numbers mean votes where several columns hold the same


def _values(table: Table, names: Sequence[str], sides: tuple[str, str]) -> dict[str, list[str]]:
    """Vote -> the values that stand for it; empty where a value means none."""
    distinct = list(dict.fromkeys(value for name in names for value in table[name].distinct))
    if not distinct or not all(table[name].is_flat for name in names):
        return {}
    numbers = next((one for one in _NUMBERS if set(distinct) <= one.keys()), {})
    found: dict[str, list[str]] = {}
    for value in distinct:
        vote = numbers.get(value) or _vote(value, sides)
        if vote is None:
            return {}
        found.setdefault(vote, []).append(value)
    return found if {"text_a", "text_b"} & found.keys() else {}


_NUMBERS: Sequence[Mapping[str, str]] = (
    {"1": "text_a", "2": "text_b"},
    {"0": "text_a", "1": "text_b"},
    {"1": "text_a", "2": "text_b", "0": "both"},
    {"1": "text_a", "2": "text_b", "3": "both"},
    {"1": "text_a", "-1": "text_b"},
    {"1": "text_a", "-1": "text_b", "0": "both"},
)
"""What numbers mean where they are all that a column holds: the first that knows them all."""

_ASKED = {"0": ("text_a",), "3": ("both",), "-1": ("text_b",)}
"""Numbers whose meaning a file should say: the vote that is only guessed."""


def _vote(value: str, sides: tuple[str, str]) -> str | None:
    """The vote that a word or a sentence means."""
    whole, parts = joined(value), words(value)
    for vote, said in VOTES.items():
        if whole in said:
            return vote
    for one, other in (sides, *SIDES):
        for vote, side in (("text_a", one), ("text_b", other)):
            if parts and (parts[-1] == side or whole == side) and not (side.isdigit() and value.isdigit()):
                return vote
    if not _BETTER.isdisjoint(parts):  # a sentence: Response A is better, About the same
        usual = {**_USUAL, "1": "text_a", "2": "text_b"}
        votes = [vote for side, vote in usual.items() if side in parts]
        return votes[0] if len(votes) == 1 else None
    return None if _EQUAL.isdisjoint(parts) else "both"


_BETTER = {"better", "best", "prefer", "preferred", "stronger", "winner", "wins", "won"}
_EQUAL = {"equal", "equally", "same", "similar", "tie", "tied"}


_USUAL: Mapping[str, str] = {"a": "text_a", "b": "text_b"}


def _said(values: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The option that says so; none where votes have the names that are read without."""
    usual = all(_USUAL.get(value, value) == vote for vote, many in values.items() for value in many)
    return {} if usual else {vote: list(many) for vote, many in values.items()}


def _doubts(values: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    odd = [f"{one} as {vote}" for vote, many in values.items() for one in many if vote in _ASKED.get(one, ())]
    return (f"nothing in the file says what votes mean: read {', '.join(odd)}, and the others to fit",) if odd else ()
