"""A flat table of AlpacaEval: instruction, output_1, output_2, preference, perhaps generator_1 and generator_2.

`preference` is 1 where output_1 is preferred, 2 where output_2 is; 1.5 and 0 are draws, read as both. A
preference between 1 and 2, as weighted annotators give it, counts for the nearer side. Null is invalid: the
annotator was asked, and its answer could not be read. The annotator's id is "preference".
"""

from karat.formats.opened import Opened, with_columns
from karat.formats.pairs import RESPONSES, Options, chosen_columns, read_wide
from karat.formats.source import Format
from karat.schemas.pairs import CODE, Annotator, Pairs

VOTE_COLUMN = "preference"
_USUAL = {
    "pair": "pair",
    "prompt": "instruction",
    "text_a": "output_1",
    "text_b": "output_2",
    "model_a": "generator_1",
    "model_b": "generator_2",
    "vote": VOTE_COLUMN,
}
_FIXED = {"1": CODE["text_a"], "2": CODE["text_b"], "1.5": CODE["both"], "0": CODE["both"]}
_MIDDLE = 1.5


def read_alpaca_eval(found: Opened[Options]) -> Pairs:
    """The pairs, and the preferences for one output."""
    records = found.records
    columns = chosen_columns(records, found.options.columns, _USUAL, (*RESPONSES, "vote"))
    vote = columns.pop("vote")
    weighted = {value: code for value in records.text(vote)[0].unique() if (code := _nearer(value)) is not None}
    votes, values = {Annotator(vote): vote}, weighted | _FIXED
    return read_wide(found, records, columns, votes, values, default=vote, empty=CODE["invalid"])


def _nearer(value: str | None) -> int | None:
    """The vote for the nearer side, of a preference from 1 to 2."""
    try:
        number = float(value or "nan")
    except ValueError:
        return None
    if number in {0, _MIDDLE}:
        return CODE["both"]
    return CODE["text_a" if number < _MIDDLE else "text_b"] if 1 <= number <= 2 else None  # noqa: PLR2004 - the sides


FORMAT = Format(
    "alpaca-eval", "annotations", read_alpaca_eval, with_columns("instruction", "output_1", "output_2", VOTE_COLUMN), -1
)
