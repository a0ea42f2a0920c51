"""A flat table of Chatbot Arena: model_a, model_b, winner, and either conversations or a prompt and responses.

`winner` is model_a, model_b, tie (read as both) or "tie (bothbad)" (neither; also bothbad and both_bad). The
conversations `conversation_a` and `conversation_b` are lists of messages: the prompt is what stands before the
model's first message in conversation_a, the responses are the rest of each. Else `prompt`, `response_a` and
`response_b` are read. `question_id` is the pair's id where no question stands twice. The annotator's id is
"winner".
"""

import json
from dataclasses import replace
from typing import Any

import polars as pl

from karat.formats.documents import split_conversation, text_frame
from karat.formats.opened import Opened, Records, with_columns
from karat.formats.pairs import RESPONSES, Options, chosen_columns, read_wide
from karat.formats.source import Format
from karat.schemas.pairs import CODE, Annotator, Pairs

VOTE_COLUMN = "winner"
VALUES = {
    "model_a": CODE["text_a"],
    "model_b": CODE["text_b"],
    "tie": CODE["both"],
    "tie (bothbad)": CODE["neither"],
    "bothbad": CODE["neither"],
    "both_bad": CODE["neither"],
}
_CONVERSATIONS = ("conversation_a", "conversation_b")
_USUAL = {
    "pair": "question_id",
    "prompt": "prompt",
    "text_a": "response_a",
    "text_b": "response_b",
    "model_a": "model_a",
    "model_b": "model_b",
    "vote": VOTE_COLUMN,
}


def read_arena(found: Opened[Options]) -> Pairs:
    """The pairs, and the votes for a winner."""
    records = _with_responses(found.records)
    usual = {**_USUAL, "pair": _USUAL["pair"] if _is_unique(records, _USUAL["pair"]) else "pair"}
    columns = chosen_columns(records, found.options.columns, usual, (*RESPONSES, "vote"))
    vote = columns.pop("vote")
    return read_wide(found, records, columns, {Annotator(vote, type="human"): vote}, VALUES, default=vote)


def _with_responses(records: Records) -> Records:
    """The records with prompt, response_a, response_b in the place of conversations."""
    if not all(name in records.columns for name in _CONVERSATIONS):
        return records
    split = [[_split(text) for text in records.text(name)[0]] for name in _CONVERSATIONS]
    taken = {
        "prompt": [prompt for prompt, _ in split[0]],
        "response_a": [response for _, response in split[0]],
        "response_b": [response for _, response in split[1]],
    }
    others = [name for name in records.columns if name not in {*_CONVERSATIONS, *taken} and records.is_flat(name)]
    frame = text_frame(taken, records.name).with_columns(pl.Series(name, records.text(name)[0]) for name in others)
    return replace(records, columns=tuple(frame.columns), holder=frame)


def _split(text: str | None) -> tuple[str | None, str | None]:
    """The prompt and the response in a conversation as JSON text; a plain text is the response."""
    try:
        turns: Any = json.loads(text or "null")
    except (ValueError, RecursionError):
        turns = text
    if isinstance(turns, list):
        return split_conversation(turns)
    return None, text or None


def _is_unique(records: Records, column: str) -> bool:
    if column not in records.columns:
        return False
    text = records.text(column)[0]
    return not text.null_count() and text.n_unique() == len(text)


FORMAT = Format("arena", "annotations", read_arena, with_columns("model_a", "model_b", VOTE_COLUMN), -2)
