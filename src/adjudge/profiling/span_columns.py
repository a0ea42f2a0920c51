"""What the columns of a table may stand for in violations: whose text, from where to where, and what is wrong with it.

Names are asked first. Which column is the text, and what offsets count from, shows where quotes stand in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from adjudge.profiling.column_profile import Table, table_of
from adjudge.profiling.guess import Guess, found_names, mapped, no_column
from adjudge.readers.column_names import is_id_name, joined, words
from adjudge.readers.column_synonyms import NAMES
from adjudge.readers.problems import counted

_PARTS = ("context", "correction", "explanation", "category")
_NAMES = ("start", "end", "rule", "id", "text", *_PARTS, "annotator", "checker")
_BOUNDS = (("start", "end"), ("begin", "end"), ("from", "to"), ("start", "stop"), ("start", "finish"))
"""Words by which the names of two columns of offsets differ."""
_NOWHERE = -1
_FITS = 0.5
"""The share of quotes that must stand at their offsets for these to say what they count from."""


class _Read(NamedTuple):
    """How offsets may be read. fits: how many quotes stand where they say, of `number_states` rows with a place.

    outside: how many places begin before the first character.
    """

    text: str
    quote: str
    base: int
    fits: int
    placed: int
    outside: int


def spans(table: Table) -> Guess:
    """A row per span, or per text with a list of its spans."""
    found = [one for name in table.names if (one := _in_list(table, name))]
    ruled = [one for one in found if "rule" in one.columns]  # tokens have offsets, and no rule
    in_lists = {"violations", "spans"}.isdisjoint(table.names) and next(iter(ruled or found), None)
    return in_lists or _in_rows(table)


def _in_list(table: Table, name: str) -> Guess | None:
    """The spans that are objects in the lists of a column; None where it holds no such."""
    objects = [one for value in table[name].values if isinstance(value, list) for one in value]
    if not objects or not all(isinstance(one, dict) for one in objects):
        return None
    held = found_names("violations", _OF_SPANS, table_of([one for one in objects if isinstance(one, dict)]))
    if "context" not in held and not {"start", "end"} <= held.keys():
        return None
    prose = [one for one in table.names if table[one].kind == "text" and table[one].is_prose]
    text = found_names("violations", ["text"], table.of(prose) if prose else table, [name])
    own = {**found_names("violations", ["id"], table, [name, *text.values()]), **text}
    found = {**own, "violations": name, **held}
    lacking = () if "id" in own else (no_column("id", table),)
    return Guess(0.65 + 0.1 * len(own), found, mapped(found), lacking)


_OF_SPANS = ("start", "end", "context", "rule", "correction", "explanation", "category")


def _in_rows(table: Table) -> Guess:
    """A row per span."""
    found = found_names("violations", _NAMES, table)
    if "annotator" in found and joined(found.get("checker", "")) not in ("checker", "tool"):
        found.pop("checker", None)  # a system beside annotators wrote the texts
    bounds = _bounds(table, found)
    found = {name: theirs for name, theirs in found.items() if name not in {"start", "end"} and theirs not in bounds}
    found |= dict(zip(("start", "end"), bounds, strict=False))
    read = _read(table, found) if bounds else None
    if read:
        found |= {"text": read.text, "context": read.quote}
    if "rule" not in found:  # perhaps the last word of a name says it
        free = [name for name in table.names if name not in found.values() and table[name].is_label and words(name)]
        rules = [name for one in NAMES["violations"]["rule"] for name in free if words(name)[-1] == one]
        found |= dict(zip(("rule",), rules, strict=False))
    found |= _id(table, found)
    quoted = {"context", "rule", "text"} <= found.keys() and table[found["text"]].is_prose
    lacking = [] if "id" in found else [no_column("id", table)]
    if not bounds and not quoted:
        lacking.append("no columns say where violations stand: which do? --columns start=COLUMN,end=COLUMN")
    known = sum(name in found for name in ("id", "text", "rule"))
    weight = (0.65 + 0.1 * known) if bounds else (0.3 + 0.1 * known) if quoted else 0.0
    told, doubts = _told(read)
    return Guess(weight, found, mapped(found, **told), tuple(lacking), doubts)


def _bounds(table: Table, found: Mapping[str, str]) -> tuple[str, ...]:
    """The columns of starts and ends: those called so, or two that differ in that word; none where they are not."""
    named = [found[name] for name in ("start", "end") if name in found]
    known = {words(name): name for name in table.names}
    pairs = [
        (name, known[other])
        for parts, name in known.items()
        for start, end in _BOUNDS
        if start in parts and (other := tuple(end if part == start else part for part in parts)) in known
    ]
    every = [*([tuple(named)] if len(named) > 1 else []), *pairs]
    return next((two for two in every if {table[name].kind for name in two} <= {"whole numbers", "nothing"}), ())


def _read(table: Table, found: Mapping[str, str]) -> _Read | None:
    """The text, the quotes in it, and what offsets count from, as most quotes say; None where they do not."""
    prose = sorted((name for name in table.names if table[name].kind == "text"), key=lambda name: -table[name].length)
    texts = [found["text"]] if "text" in found else [name for name in prose if table[name].is_prose]
    tried = (
        _tried(table, (text, quote), (found["start"], found["end"]), base)
        for text in texts
        for quote in prose
        if quote != text and table[quote].length <= table[text].length
        for base in (0, 1)
    )
    best = max(tried, key=lambda one: one.fits, default=None)
    return best if best and best.fits > _FITS * best.placed else None


def _tried(table: Table, texts: tuple[str, str], bounds: tuple[str, str], base: int) -> _Read:
    text, quote = texts
    rows = list(_placed(table, (*texts, *bounds)))
    fits = sum(base <= start and said[start - base : end - base] == words for said, words, start, end in rows)
    return _Read(text, quote, base, fits, len(rows), sum(start < base for _, _, start, _ in rows))


def _placed(table: Table, names: Sequence[str]) -> Iterator[tuple[str, str, int, int]]:
    """The texts, quotes, starts and ends of rows that have them."""
    for text, quote, start, end in zip(*(table[name].values for name in names), strict=True):
        try:
            place = int(float(str(start))), int(float(str(end)))
        except (ValueError, OverflowError):
            continue
        if place != (_NOWHERE, _NOWHERE) and isinstance(text, str) and isinstance(quote, str):
            yield text, quote, *place


def _told(read: _Read | None) -> tuple[dict[str, object], tuple[str, ...]]:
    """Options that offsets ask for, and what is doubtful about them."""
    if read is None:
        return {}, ()
    differ, doubts = read.placed - read.fits - read.outside, []
    if differ:
        differs = "differs" if differ == 1 else "differ"
        doubts.append(
            f"{differ:,} of {counted(read.placed, 'quote', 'quotes')} {differs} from the text at the offsets; the "
            "offsets count, not the quotes: --quote-mismatch warn"
        )
    if read.outside:
        begins = "begins" if read.outside == 1 else "begin"
        doubts.append(
            f"{read.outside:,} of {counted(read.placed, 'violation', 'violations')} {begins} before the first "
            "character and would be left out: --on-invalid drop"
        )
    warn, drop = ("warn" if differ else None), ("drop" if read.outside else None)
    return {"offset_base": read.base, "quote_mismatch": warn, "on_invalid": drop}, tuple(doubts)


def _id(table: Table, found: Mapping[str, str]) -> dict[str, str]:
    """The column of ids, or two with + between them, each of whose values has one text."""
    named = [found["id"]] if "id" in found else []
    if "text" not in found or (named and _has_one(table, named, found["text"])):
        return {}
    free = [name for name in table.names if table[name].is_flat and name not in {*found.values()} - {*named}]
    people = NAMES["violations"]["annotator"]
    called = named or [name for name in free if is_id_name(name) and joined(name) not in people]
    ways = [*([name] for name in called), *(list(two) for two in combinations(free, 2) if {*two} & {*called})]
    found_ = next((one for one in ways if _has_one(table, one, found["text"])), [])
    return {"id": "+".join(found_)} if found_ else {}


def _has_one(table: Table, ids: Sequence[str], text: str) -> bool:
    """Whether each id stands with one text, and some texts differ."""
    keys = [tuple(map(str, key)) for key in zip(*(table[name].values for name in ids), strict=True)]
    pairs = set(zip(keys, map(str, table[text].values), strict=True))
    return len(set(keys)) == len(pairs) > 1
