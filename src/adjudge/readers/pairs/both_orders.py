"""Judgments of pairs in both orders, as FastChat and JudgeBench write them: each pair stands once for each order."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import polars as pl

from adjudge.readers.pairs.pair_shapes import apart, values, with_columns
from adjudge.readers.parsed_input import Records

_QUESTION = ("[User Question]\n", "\n\n[The Start of")
_ANSWER = ("[The Start of Assistant {}'s Answer]\n", "\n[The End of Assistant {}'s Answer]")
_TALK = ("<|The Start of Assistant {}'s Conversation with User|>\n\n", "\n\n<|The End of Assistant {}'s")
"""What stands before and behind a question, an answer and a conversation in FastChat's prompts to judges."""
_TURN = re.compile(r"(?:^|\n\n)### (User|Assistant \w):\n")


Columns = Mapping[str, Sequence[str | None]]


def twice(records: Records, first: Columns, second: Columns, without: Collection[str]) -> Records:
    """Each record two times, one behind the other. first, second: the columns that differ."""
    places = [place for place in range(len(records.rows)) for _ in ("first", "second")]
    holder = records.holder
    both = holder[places] if isinstance(holder, pl.DataFrame) else [holder[place] for place in places]
    made = {
        name: [cell for pair in zip(column, second[name], strict=True) for cell in pair]
        for name, column in first.items()
    }
    return with_columns(replace(records, holder=both, rows=records.rows[places]), made, without)


def both_games(records: Records) -> Records:
    """FastChat's judgments of two models in both orders; texts are those in the judge's prompts."""
    if not {"model_1", "model_2"} <= set(records.columns):
        return records
    games = _game(records, 1, "model_1", "model_2"), _game(records, 2, "model_2", "model_1")
    gone = [name for name in records.columns if name.startswith(("g1_", "g2_", "model_1", "model_2"))]
    return twice(records, *games, {*gone, "judge", "tstamp"})


def _game(records: Records, game: int, first: str, second: str) -> Columns:
    """The columns of one game, in which these models stand first and second."""
    won = {first: "model_a", second: "model_b"}
    asked = [_asked(text) for text in records.text(f"g{game}_user_prompt")[0]]
    judges = zip(records.text("judge")[0], values(records, "judge"), strict=True)
    return {
        "model_a": list(records.text(first)[0]),
        "model_b": list(records.text(second)[0]),
        "winner": [won.get(text or "", text) for text in records.text(f"g{game}_winner")[0]],
        "judge": [" ".join(map(str, judge)) if isinstance(judge, list) else text for text, judge in judges],
        **{name: [texts[nth] for texts in asked] for nth, name in enumerate(("prompt", "response_a", "response_b"))},
    }


def _asked(prompt: str | None) -> tuple[str | None, str, str]:
    """The question and both answers in a prompt that asks for a judgment; empty where it has them in another form."""
    first, second = (_between(prompt or "", *(mark.format(side) for mark in _ANSWER)) for side in "AB")
    if first is not None and second is not None:
        return _between(prompt or "", *_QUESTION), first, second
    talks = [_between(prompt or "", *(mark.format(side) for mark in _TALK)) for side in "AB"]
    split = [(None, "") if talk is None else apart(_turns(talk)) for talk in talks]
    return split[0][0], split[0][1] or "", split[1][1] or ""


def _between(text: str, before: str, behind: str) -> str | None:
    """What stands between two marks; None where they are not there."""
    _, begins, rest = text.partition(before)
    inner, ends, _ = rest.partition(behind)
    return inner if begins and ends else None


def _turns(talk: str) -> list[dict[str, str]]:
    said = _TURN.split(talk)[1:]
    roles = ["user" if who == "User" else "assistant" for who in said[::2]]
    return [{"role": role, "content": text.strip()} for role, text in zip(roles, said[1::2], strict=True)]


def judged_twice(records: Records) -> Records:
    """JudgeBench: pairs with their label; where a judge was asked in both orders, each pair in both, with its votes."""
    if "judgments" not in records.columns:
        return records
    names = ("pair_id", "response_A", "response_B", "label")
    ids, first, second, labels = (list(records.text(name)[0]) for name in names)
    decisions = [[*map(_decision, judgments or ()), None, None] for judgments in values(records, "judgments")]
    judges = set(records.text("judge_name")[0].drop_nulls()) if "judge_name" in records.columns else set()
    judge = judges.pop() if len(judges) == 1 else "judge"
    votes, turned_votes = ([decided[nth] for decided in decisions] for nth in (0, 1))
    if not any(turned_votes):
        return with_columns(records, {judge: votes}, {"judgments", "judge_name"})
    turned = {"A>B": "B>A", "B>A": "A>B"}
    columns = {"pair_id": ids, "response_A": first, "response_B": second, "label": labels, judge: votes}
    swapped = {
        "pair_id": [f"{pair} swapped" for pair in ids],
        "response_A": second,
        "response_B": first,
        "label": [turned.get(label or "", label) for label in labels],
        judge: turned_votes,
    }
    return twice(records, columns, swapped, {"judgments", "judge_name", *columns})


def _decision(judgment: object) -> str:
    """What a judge decided; nothing that can be read is invalid."""
    decided = judgment.get("decision") if isinstance(judgment, dict) else None
    return decided if isinstance(decided, str) else "invalid"
