"""Pairs compared in annotation tools: records with what each annotator says of a pair become a row per vote."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge.errors import DataError, flag_name
from adjudge.readers.io.json_documents import Objects, plain_text, read_each, turns_text
from adjudge.readers.label_values import side_word
from adjudge.readers.labels.annotation_export import only_question
from adjudge.readers.pairs.pair_tables import with_columns
from adjudge.readers.pairs.pairs import RESPONSES, SIDE_VOTES, PairReading, numbered_ids, read_long, vote_codes
from adjudge.readers.parsed_input import Opened, records_of
from adjudge.readers.problems import Findings, count_words, listed
from adjudge.schemas.columns import mapped_columns
from adjudge.schemas.pairs import TEXTS, AnnotatedPairs

_ENDINGS = (("a", "b"), ("1", "2"), ("0", "1"), ("left", "right"), ("first", "second"))
_PROMPTS = ("prompt", "question", "instruction", "query", "input", "context")
_NAMED = ("text_a", "text_b", "prompt", "model_a", "model_b", "pair", "vote")
BESIDE = frozenset(("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"))
"""Keys of records that are a tool's own, and say nothing of what is judged."""


@dataclass(frozen=True, slots=True)
class Said:
    """What an annotator says of a pair. question: whose answer it is. sides: the two texts' names, if the tool says."""

    who: str | None
    question: str
    value: object
    sides: tuple[str, ...] = ()


Read = Callable[[Mapping[str, Any], Counter[str]], tuple[dict[str, Any], list[Said]]]
"""Takes a record, and counts what is left out of it: what is known of the pair, and what annotators say.

Raises DataError with words that follow the record's place.
"""


def sides_of(names: Iterable[str]) -> tuple[str, str] | None:
    """The two names that differ only in which side they end with.

    >>> sides_of(["prompt", "answer1", "answer2"]), sides_of(["Response B", "Response A"]), sides_of(["a", "x"])
    (('answer1', 'answer2'), ('Response A', 'Response B'), None)
    """
    known = {name.casefold(): name for name in names}
    for first, second in _ENDINGS:
        for name, own in known.items():
            other = name.removesuffix(first) + second
            if name.endswith(first) and other in known:
                return own, known[other]
    return None


def read_compared(found: Opened[PairReading], objects: Objects, read: Read, tool: str) -> AnnotatedPairs:
    """The pairs in a tool's records. tool: what the records are, in words."""
    options, left = found.options, Counter[str]()
    mapped_columns(options.columns, _NAMED)
    findings = Findings(objects.unit)
    read_of = [(number, *one) for number, one in read_each(objects, lambda record: read(record, left), findings)]
    findings.settle()
    given = [(number, known, one) for number, known, several in read_of for one in several]
    if not given:
        raise DataError(f"{objects.name}: expected votes on pairs; got none")
    asked = list(dict.fromkeys(one.question for *_, one in given))
    question = options.columns.get("vote") or only_question(objects.name, asked, (), "vote")
    names = {name for _, known, _ in read_of for name in known if isinstance(known[name], str | list)}
    given = [(number, known, one) for number, known, one in given if one.question == question]
    sides = _text_names(objects.name, options, names, [one for *_, one in given])
    answered = [(number, known, one) for number, known, one in given if one.value is not None]
    if not answered:
        raise DataError(f"{objects.name}: expected {tool} of pairs with at least one answer; got none")
    rows = [
        {**_pair(known, sides, options, number), "annotator": one.who, "vote": _vote(one.value, sides)}
        for number, known, one in answered
    ]
    records = records_of(Objects(objects.name, objects.unit, [number for number, *_ in answered], rows))
    ids, repeated = numbered_ids(records.text("pair")[0], records.text("annotator")[0])
    records = with_columns(records, {"pair": ids.to_list()})
    theirs = {name: name for name in (*TEXTS, "annotator", "vote") if name in records.columns}
    pairs = read_long(found, records, theirs, vote_codes(options.vote_values))
    told = [count_words(left[key], *words) for key, words in _LEFT.items() if left[key]]
    return replace(pairs, warnings=(*pairs.warnings, *told, *repeated))


def _text_names(place: str, options: PairReading, names: set[str], votes: Sequence[Said]) -> tuple[str, str]:
    """The names of the two texts: as mapped, as the tool says, or as their endings tell."""
    mapped = tuple(options.columns[name] for name in RESPONSES if name in options.columns)
    said = next((one.sides for one in votes if set(one.sides) <= names and len(one.sides) > 1), ())
    found = mapped if len(mapped) > 1 else said or sides_of(sorted(names)) or ()
    if len(found) > 1 and set(found) <= names:
        return found[0], found[1]
    raise DataError(
        f"{place}: expected two texts whose names end in their sides, such as response_a and response_b",
        found=listed(sorted(names)),
        fix=f"{flag_name('columns')} text_a=COLUMN,text_b=COLUMN",
    )


def _pair(known: Mapping[str, Any], sides: tuple[str, str], options: PairReading, number: int) -> dict[str, Any]:
    """What is known of a pair, under Adjudge's names; flat values among the rest are kept under their own."""
    left = [name for name, value in known.items() if isinstance(value, str) and name not in {*sides, *BESIDE}]
    prompt = options.columns.get("prompt") or next((name for name in _PROMPTS if name in known), None)
    prompt = prompt or (left[0] if len(left) == 1 else None)
    names = {"text_a": sides[0], "text_b": sides[1], **({"prompt": prompt} if prompt else {})}
    names |= {name: options.columns[name] for name in ("model_a", "model_b", "pair") if name in options.columns}
    texts = {name: known.get(theirs) for name, theirs in names.items()}
    own = {name: turns_text(text) if isinstance(text, list) else plain_text(text) for name, text in texts.items()}
    taken = {*names.values(), *_NAMED, *BESIDE}
    rest = {key: value for key, value in known.items() if key not in taken and not isinstance(value, list | dict)}
    return {"pair": plain_text(known.get("id")) or str(number), **rest, **own}


def _vote(value: object, sides: tuple[str, str]) -> str | None:
    """The side, or the word, that an answer names; of a ranking, the side that stands first."""
    if isinstance(value, list):
        return _ranked(value, sides)
    word = plain_text(value)
    if word is None or word in sides:
        return None if word is None else RESPONSES[sides.index(word)]
    if vote := SIDE_VOTES.get(side_word(word) or ""):
        return vote
    numbers = ("0", "1") if sides[0].endswith("0") else ("1", "2")
    if word[-1:] in numbers:
        return RESPONSES[numbers.index(word[-1:])]
    return "neither" if word.casefold() == "none" else word


def _ranked(ranking: Sequence[Any], sides: tuple[str, str]) -> str | None:
    """The vote that a ranking of the two texts is; equal ranks are a tie."""
    ranks: dict[str | None, float] = {}
    for place, one in enumerate(ranking):
        held = one if isinstance(one, dict) else {"value": one}
        rank = plain_text(held.get("rank")) or ""
        ranks[_vote(held.get("value"), sides)] = float(rank) if rank.isdecimal() else place
    if {"text_a", "text_b"} - ranks.keys():
        return ", ".join(map(str, ranks)) or None
    first, second = ranks["text_a"], ranks["text_b"]
    return "both" if first == second else "text_a" if first < second else "text_b"


_LEFT = {
    "cancelled": ("annotation is left out, since cancelled", "annotations are left out, since cancelled"),
    "predicted": ("prediction of a model is left out", "predictions of models are left out"),
    "draft": ("response that was not submitted is left out", "responses that were not submitted are left out"),
    "unanswered": ("record is without votes, and left out", "records are without votes, and left out"),
}
"""What is left out, in warnings about one and about several."""
