"""What stands in tables of pairs in another shape: conversations, chosen and rejected texts, winners as 0 and 1.

Each function takes the records as they are and gives them with the columns that `adjudge.readers.pairs.pairs` reads.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import polars as pl

from adjudge.readers.io.json_documents import json_text, json_value, split_conversation, text_frame, turns_text
from adjudge.readers.pairs.pairs import repeated_warnings
from adjudge.readers.parsed_input import Records

Shape = Callable[[Records], Records]

TRUE = frozenset(("1", "1.0", "true", "True", "TRUE", "yes"))
FALSE = frozenset(("0", "0.0", "false", "False", "FALSE", "no"))

WINS = {
    "model_a": ("winner_model_a", "winner_a", "wins_a"),
    "model_b": ("winner_model_b", "winner_b", "wins_b"),
    "tie": ("winner_tie", "winner_both", "wins_both"),
    "both_bad": ("winner_tie_bothbad", "winner_neither", "wins_neither"),
}
"""A winner -> the names that its column of 0 and 1 may have."""

_SPEAKERS = re.compile(r"\n\n(Human|Assistant): ?")
_ROLES = {"Human": "user", "Assistant": "assistant"}


def values(records: Records, column: str) -> Iterator[Any]:
    """The cells of a column; lists and objects that stand there as JSON text are read."""
    for text in records.text(column)[0]:
        yield json_value(text) if text and text.lstrip()[:1] in {"[", "{"} else text


def there(records: Records, names: Collection[str]) -> str | None:
    """The first of some names that is a column."""
    return next((name for name in names if name in records.columns), None)


def with_columns(records: Records, made: Mapping[str, Sequence[str | None]], without: Collection[str] = ()) -> Records:
    """The records with columns of text that were made, before all others but those without."""
    texts, gone = text_frame(made, records.name), {*made, *without}
    others = [name for name in records.columns if name not in gone]
    if isinstance(records.holder, pl.DataFrame):
        holder: Any = texts.hstack(records.holder.select(others))
    else:
        kept = ({name: one[name] for name in one.keys() - gone} for one in records.holder)
        holder = [{**new, **old} for new, old in zip(texts.iter_rows(named=True), kept, strict=True)]
    return replace(records, columns=(*made, *others), holder=holder)


def own_pairs(records: Records, ids: pl.Series, judges: pl.Series) -> tuple[Records, list[str]]:
    """The records with a column `pair`, and a warning: where a judge votes on a pair again, it is one of its own."""
    votes = pl.DataFrame({"pair": ids, "judge": judges})
    nth = votes.select(1 + pl.int_range(pl.len()).over("pair", "judge")).to_series()
    named = pl.select(pl.when(nth > 1).then(pl.format("{}#{}", ids, nth)).otherwise(ids)).to_series()
    return with_columns(records, {"pair": named.to_list()}), repeated_warnings(ids.rename("pair"), named.rename("pair"))


# --- conversations ---


def split_conversations(records: Records) -> Records:
    """`conversation_a` and `conversation_b`, if they are there, as prompt, response_a and response_b.

    With a column `turn` in a table of judges, only the messages up to that turn were judged.
    """
    both = ("conversation_a", "conversation_b")
    if not set(both) <= set(records.columns):
        return split_turns(records)
    ends: Sequence[int | None] = [None] * len(records.rows)
    if is_of_turns(records):
        ends = (2 * records.text("turn")[0].cast(pl.Int64, strict=False)).to_list()
    (prompts, first), (_, second) = ([*zip(*map(apart, values(records, one), ends), strict=True)] for one in both)
    return with_columns(records, {"prompt": prompts, "response_a": first, "response_b": second}, both)


def is_of_turns(records: Records) -> bool:
    """Whether each row judges one turn, as in MT-bench; a table of single battles counts them."""
    return {"judge", "turn"} <= set(records.columns) and "anony" not in records.columns


def apart(conversation: object, end: int | None = None) -> tuple[str | None, str | None]:
    """The prompt and the response in a conversation; a plain text is the response."""
    if isinstance(conversation, list):
        return split_conversation(conversation[:end])
    return None, None if conversation is None else str(conversation)


def split_turns(records: Records) -> Records:
    """`prompt`, `response_a` and `response_b` that hold a JSON list of turns, as text; others as they are."""
    names = ("prompt", "response_a", "response_b")
    if not set(names) <= set(records.columns) or not all(map(_is_turns, values(records, "prompt"))):
        return records
    prompts, first, second = (list(values(records, name)) for name in names)
    asked, one = zip(*map(_answered, prompts, first), strict=True)
    _, other = zip(*map(_answered, prompts, second), strict=True)
    return with_columns(records, {"prompt": asked, "response_a": one, "response_b": other})


def _is_turns(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(turn, str | None) for turn in value)


def _answered(asked: Sequence[str | None], answers: object) -> tuple[str | None, str | None]:
    """The prompt and the response in the turns of both sides, one after the other."""
    both = zip_longest(asked, answers if isinstance(answers, list) else [answers])
    roles = (("user", question, "assistant", answer) for question, answer in both)
    return split_conversation(
        [{"role": role, "content": text or ""} for turn in roles for role, text in (turn[:2], turn[2:])]
    )


def in_one_order(records: Records) -> Records:
    """The records of pairs that stand in both orders, each in that of its first: models, responses and winners."""
    records = split_conversations(records)
    names = [name for name in records.columns if name.endswith(("_a", "_b"))]
    sides = {name: f"{name[:-1]}{'b' if name.endswith('a') else 'a'}" for name in names}
    cells = {name: records.text(name)[0].to_list() for name in (*names, "question_id", "winner")}
    first, turned = dict[tuple[str | None, frozenset[str | None]], str | None](), list[bool]()
    for question, one, other in zip(cells["question_id"], cells["model_a"], cells["model_b"], strict=True):
        turned.append(first.setdefault((question, frozenset((one, other))), one) != one)
    winners = [sides.get(vote, vote) if turn else vote for vote, turn in zip(cells["winner"], turned, strict=True)]
    made = {
        name: [there if turn else here for here, there, turn in zip(cells[name], cells[other], turned, strict=True)]
        for name, other in sides.items()
        if other in cells
    }
    return with_columns(records, {**made, "winner": winners})


# --- chosen and rejected ---

CHOSEN = ("chosen", "chosen_response", "preferred_output")
REJECTED = ("rejected", "rejected_response", "non_preferred_output")


def chosen_and_rejected(records: Records) -> Records:
    """Chosen texts as text_a and rejected ones as text_b, with the vote; what both begin with is the prompt.

    A text is plain, a list of messages, or a dialogue with "Human:" and "Assistant:" in front of each message.
    """
    sides = [there(records, names) or names[0] for names in (CHOSEN, REJECTED)]
    if not set(sides) <= set(records.columns):
        return records
    both = [_apart(*one) for one in zip(*(values(records, side) for side in sides), strict=True)]
    prompt = there(records, ("prompt", "instruction", "question", "input"))
    given = [_prompt(one) for one in values(records, prompt)] if prompt else [None] * len(both)
    made: dict[str, Sequence[str | None]] = {
        "prompt": [one or shared for one, (shared, _, _) in zip(given, both, strict=True)],
        "text_a": [first for _, first, _ in both],
        "text_b": [second for _, _, second in both],
        sides[0]: ["text_a"] * len(both),
    }
    return with_columns(records, made, {sides[1], *([prompt] if prompt else [])})


def _apart(chosen: object, rejected: object) -> tuple[str | None, str | None, str | None]:
    """What two dialogues share at their beginning, and the rest of each."""
    first, second = _messages(chosen), _messages(rejected)
    if first is None or second is None:
        return None, _text(chosen), _text(rejected)
    shared = 0
    while shared < min(len(first), len(second)) - 1 and first[shared] == second[shared]:
        shared += 1
    return turns_text(first[:shared]) if shared else None, turns_text(first[shared:]), turns_text(second[shared:])


def _messages(dialogue: object) -> list[Any] | None:
    """The messages of a dialogue, which may stand alone in a list; None for plain text."""
    if isinstance(dialogue, str) and _SPEAKERS.match(dialogue):
        said = _SPEAKERS.split(dialogue)[1:]
        return [{"role": _ROLES[who], "content": text.strip()} for who, text in zip(said[::2], said[1::2], strict=True)]
    if isinstance(dialogue, list) and len(dialogue) == 1 and isinstance(dialogue[0], list):
        return _messages(dialogue[0])
    return dialogue if isinstance(dialogue, list) and dialogue else None


def _prompt(value: object) -> str | None:
    value = value.get("messages", value) if isinstance(value, dict) else value
    return turns_text(value) if isinstance(value, list) else _text(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str | None) else json_text(value)


# --- winners, prompts in two parts ---


def one_hot(records: Records) -> Records:
    """Columns of 0 and 1, one per outcome, as a column `winner`; text of another kind stands there as it is."""
    columns = {winner: name for winner, names in WINS.items() if (name := there(records, names))}
    if not columns:
        return records
    cells = zip(*(records.text(name)[0] for name in columns.values()), strict=True)
    made = {"winner": [_winner(dict(zip(columns, row, strict=True))) for row in cells]}
    return with_columns(split_turns(records), made, columns.values())


def _winner(row: Mapping[str, str | None]) -> str | None:
    if not any(row.values()):
        return None
    won = [winner for winner, cell in row.items() if cell in TRUE]
    lost = sum(cell in FALSE or not cell for cell in row.values())
    return won[0] if len(won) == 1 and lost == len(row) - 1 else ", ".join(cell or "nothing" for cell in row.values())


def with_input(records: Records) -> Records:
    """`instruction` and, behind it, `input` where there is one."""
    if not {"instruction", "input"} <= set(records.columns):
        return records
    parts = zip(records.text("instruction")[0], records.text("input")[0], strict=True)
    return with_columns(records, {"instruction": ["\n\n".join(filter(None, one)) or None for one in parts]}, {"input"})


# --- two texts in a list, two numbers


def two_in_a_list(records: Records) -> Records:
    """A list of two summaries, each an object with its text, as text_a and text_b; what they are of is the prompt."""
    if "summaries" not in records.columns:
        return records
    both = [_listed(value) for value in values(records, "summaries")]
    info = values(records, "info") if "info" in records.columns else [None] * len(both)
    asked = [one if isinstance(one, dict) else {} for one in info]
    prompts = [_text(one.get("post") or one.get("article")) for one in asked]
    ids = [_text(one.get("id")) for one in asked]
    texts = {"text_a": [first for first, _ in both], "text_b": [second for _, second in both]}
    return with_columns(records, {"prompt": prompts, "post": ids, **texts}, {"summaries", "info"})


def _listed(value: object) -> tuple[str | None, str | None]:
    texts = [_text(one.get("text")) for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return (texts[0], texts[1]) if len(texts) == 2 else (None, None)  # noqa: PLR2004 - the sides


def scored(records: Records) -> Records:
    """Numbers for both responses, score_0 and score_1, as a vote for the one with more; equal ones are both."""
    sides = ("score_0", "score_1")
    if not {*sides, "question"} <= set(records.columns):
        return records
    rows = zip(*(records.text(name)[0] for name in sides), strict=True)
    asked = values(records, "question")
    prompts = [_text(one.get("full_text")) if isinstance(one, dict) else _prompt(one) for one in asked]
    return with_columns(records, {"score": [_more(*row) for row in rows], "question": prompts})


def _more(first: str | None, second: str | None) -> str | None:
    """The side with the greater number; what is no number stands as it is, to be told of."""
    if first is None or second is None:
        return None
    try:
        difference = float(first) - float(second)
    except ValueError:
        return f"{first}, {second}"
    return "text_a" if difference > 0 else "text_b" if difference < 0 else "both"
