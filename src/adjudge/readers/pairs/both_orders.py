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


def twice(records: Records, made: Mapping[str, Sequence[str | None]], without: Collection[str]) -> Records:
    """Each record two times, one behind the other. made: columns that differ, of all of the first, then the second."""
    holder, height = records.holder, len(records.rows)
    both = pl.concat([holder, holder]) if isinstance(holder, pl.DataFrame) else [*holder, *holder]
    numbers = pl.concat([records.rows, records.rows])
    whole = with_columns(replace(records, holder=both, rows=numbers), made, without)
    places = [place for one in range(height) for place in (one, one + height)]
    kept = whole.holder[places] if isinstance(whole.holder, pl.DataFrame) else [whole.holder[one] for one in places]
    return replace(whole, holder=kept, rows=numbers[places])


def both_games(records: Records) -> Records:
    """FastChat's judgments of two models in both orders; texts are those in the judge's prompts."""
    if not {"model_1", "model_2"} <= set(records.columns):
        return records
    one, two = (list(records.text(name)[0]) for name in ("model_1", "model_2"))
    won = {"model_1": "model_a", "model_2": "model_b"}
    back = {"model_1": "model_b", "model_2": "model_a"}
    first = [won.get(text or "", text) for text in records.text("g1_winner")[0]]
    second = [back.get(text or "", text) for text in records.text("g2_winner")[0]]
    said = [_asked(text) for name in ("g1_user_prompt", "g2_user_prompt") for text in records.text(name)[0]]
    judges = [
        " ".join(map(str, judge)) if isinstance(judge, list) else text
        for text, judge in zip(records.text("judge")[0], values(records, "judge"), strict=True)
    ]
    made = {
        "model_a": one + two,
        "model_b": two + one,
        "winner": first + second,
        "prompt": [prompt for prompt, _, _ in said],
        "response_a": [text for _, text, _ in said],
        "response_b": [text for _, _, text in said],
        "judge": judges * 2,
    }
    gone = [name for name in records.columns if name.startswith(("g1_", "g2_", "model_1", "model_2"))]
    return twice(records, made, {*gone, "judge", "tstamp"})


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
    decisions = [[_decision(one) for one in judgments or ()] for judgments in values(records, "judgments")]
    judges = set(records.text("judge_name")[0].drop_nulls()) if "judge_name" in records.columns else set()
    judge = judges.pop() if len(judges) == 1 else "judge"
    if not any(len(one) > 1 for one in decisions):
        said = [one[0] if one else None for one in decisions]
        return with_columns(records, {judge: said}, {"judgments", "judge_name"})
    turned = {"A>B": "B>A", "B>A": "A>B"}
    made = {
        "pair_id": ids + [f"{one} swapped" for one in ids],
        "response_A": first + second,
        "response_B": second + first,
        "label": labels + [turned.get(one or "", one) for one in labels],
        judge: [one[0] if one else None for one in decisions] + [one[1] if len(one) > 1 else None for one in decisions],
    }
    return twice(records, made, {"judgments", "judge_name", *made})


def _decision(judgment: object) -> str:
    """What a judge decided; nothing that can be read is invalid."""
    decided = judgment.get("decision") if isinstance(judgment, dict) else None
    return decided if isinstance(decided, str) else "invalid"
