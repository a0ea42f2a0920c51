"""Answers in JSON lines, whose rules polars checks as expressions: what keeps them all becomes rows at once.

Every other line is left to `answer_rows`, which says what is wrong with it, or reads what is rare.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from adjudge.readers.answers.answer_rows import Reading, without_thoughts
from adjudge.readers.io.json_documents import Objects
from adjudge.readers.io.json_lines import EMPTY, LINE, LIST, NULL, NUMBER, NUMBERED, SIGNATURE, TEXT, Block, kinds
from adjudge.readers.tables import ROW
from adjudge.schemas.answers import ABILITIES, ANSWERS, SLOTS
from adjudge.schemas.outcomes import OUTCOME, REPLY, STATUSES

REACHED = "reached_noise"
"""The share of noise that a prompt's documents have, where it is another than was asked for."""

_PLAIN = {TEXT, NUMBER, NULL}
_LISTS = {TEXT, NULL, LIST}
_ALLOWED = {
    "id": {TEXT, NUMBER},
    "ability": {TEXT, NULL},
    "model": _PLAIN,
    "noise_ratio": _PLAIN,
    "draw": _PLAIN,
    "response": {TEXT, NULL},
    "answer": _LISTS,
    "counterfactual": _LISTS | {EMPTY},
}
"""The kinds of values that are read here; others are rare, or wrong."""
_LISTS_OF = ("answer", "counterfactual")
_WHOLE = r"^[0-9]{1,15}$"
"""A number that is written in one way only."""
_QUOTED = r'"[^"\\\x00-\x1f]+"'
_FLAT = rf"^\[{_QUOTED}(?:, {_QUOTED})*\]$"
_NESTED = rf"^\[(?:\[{_QUOTED}(?:, {_QUOTED})*\](?:, )?)+\]$"
"""Lists of texts, and lists of such lists, as polars writes them down."""
_BLANK = r'"\s*"'
INTEGRATION = "information_integration"
_FAST, _CLOSED, _TRUE, _SEVERAL, _FALSE = (f"__{name}__" for name in ("fast", "closed", "true", "several", "false"))
_LISTED, _NUMERIC = "__list__", "__number__"
"""What stands before a column's name in that of a column which says whether its value is a list, or a number."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What came of some lines. frame: rows with the columns of ANSWERS and ROW. rest: lines to be read one by one.

    names: of the objects. several: how many rows have a flat list of true answers that nothing says how to read; short:
    how many did not reach their noise.
    """

    frame: pl.DataFrame
    rest: Objects
    names: Iterable[str] = ()
    several: int = 0
    short: int = 0


class Lines:
    """Reads blocks of lines; what a signature says is found out once."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.texts = [*reading.by, *([reading.cluster] if reading.cluster else [])]
        self.written = [*(reading.names[name] for name in ("id", "model", "draw")), *self.texts]
        self.ways: dict[str, dict[str, Any]] = {}

    def rows(self, block: Block) -> Rows:
        """The rows of a block. Raises DataError for lines that are no JSON."""
        lines = block.lines()
        decoded = None if lines is None else block.decoded(self._wanted(), lines.height)
        if lines is None or decoded is None:
            return Rows(self._empty(), block.objects())
        found = pl.concat([lines, decoded], how="horizontal")
        names = self._learn(lines)
        ways = _looked_up(found[SIGNATURE], self._ways)
        found = self._with_answers(pl.concat([found, ways], how="horizontal"))
        sound = found.select(self._sound().fill_null(value=False)).to_series()
        kept = found if sound.all() else found.filter(sound)
        open_lists = pl.lit(self.reading.lists is None) & pl.col(_SEVERAL) & (self._text("ability") != INTEGRATION)
        short = pl.col(REACHED).is_not_null() & pl.col(REACHED).ne_missing(pl.col(self.reading.names["noise_ratio"]))
        several, missed = kept.select(open_lists.sum().alias("several"), short.sum().alias("short")).row(0)
        rest = block.objects(found.filter(~sound))
        return Rows(self._frame(kept), rest, names, several, missed)

    def _wanted(self) -> dict[str, pl.DataType]:
        names = (self.reading.names[name] for name in _ALLOWED)
        return dict.fromkeys((*names, *self.texts, REACHED, OUTCOME), pl.String())

    def _empty(self) -> pl.DataFrame:
        return pl.DataFrame(schema={ROW: pl.UInt32(), **ANSWERS, **dict.fromkeys(self.reading.by, pl.String())})

    # --- what signatures say ---

    def _learn(self, lines: pl.DataFrame) -> dict[str, None]:
        """Find out what signatures say that are new here; the names of their objects."""
        names: dict[str, None] = {}
        new = [one for one in lines[SIGNATURE].drop_nulls().unique().to_list() if one not in self.ways]
        seen = lines.filter(pl.col(SIGNATURE).is_in(new)) if new else lines.clear()
        for signature, line in seen.unique(SIGNATURE).select(SIGNATURE, LINE).rows():
            top = json.loads(line)
            names |= dict.fromkeys(top)
            self.ways[signature] = self._way(signature, top)
        return names

    def _way(self, signature: str, top: Mapping[str, object]) -> dict[str, Any]:
        """What a signature says. top: an object that has it; names further down are none of its own."""
        known = kinds(signature)
        found = {name: kind for name, kind in (known or {}).items() if name in top}
        names = self.reading.names
        allowed = {names[name]: any_of for name, any_of in _ALLOWED.items()} | dict.fromkeys(self.texts, _PLAIN)
        fast = all(found.get(name, NULL) in any_of for name, any_of in allowed.items())
        return {
            SIGNATURE: signature,
            _FAST: known is not None and fast and found.get(names["documents"]) != TEXT,
            _CLOSED: found.get(names["documents"]) == EMPTY,
            **{_NUMERIC + name: found.get(name) == NUMBER for name in self.written},
            **{_LISTED + names[name]: found.get(names[name]) in {LIST, EMPTY} for name in _LISTS_OF},
        }

    def _ways(self, signatures: pl.DataFrame, name: str) -> pl.DataFrame:
        lists = (self.reading.names[name] for name in _LISTS_OF)
        said = [*(_NUMERIC + name for name in self.written), *(_LISTED + name for name in lists)]
        schema = {SIGNATURE: pl.String(), **dict.fromkeys((_FAST, _CLOSED, *said), pl.Boolean())}
        return pl.DataFrame([self.ways[one] for one in signatures[name].to_list()], schema=schema)

    # --- rules ---

    def _text(self, name: str) -> pl.Expr:
        """A column of Adjudge's as text; none where it is empty."""
        value = pl.col(self.reading.names[name])
        if name in self.reading.fixed:
            value = value.fill_null(self.reading.fixed[name])
        return pl.when(value != "").then(value)

    def _sound(self) -> pl.Expr:
        """Whether a line keeps all rules, and can be read here."""
        noise, names = self._text("noise_ratio"), self.reading.names
        rules = [
            pl.col(_FAST),
            self._text("id").is_not_null(),
            self._text("ability").is_in(ABILITIES),
            noise.is_null() | noise.cast(pl.Float64, strict=False).is_between(0, 1),
        ]
        numbers = (name for name in self.written if any(way[_NUMERIC + name] for way in self.ways.values()))
        rules += [~pl.col(_NUMERIC + name) | pl.col(name).str.contains(_WHOLE) for name in numbers]
        for name, read in ((names["answer"], _TRUE), (names["counterfactual"], _FALSE)):
            as_said = pl.col(name).str.starts_with("[") == pl.col(_LISTED + name)
            rules.append(pl.col(name).is_null() | (as_said & pl.col(read + "read")))
        return pl.all_horizontal(rules)

    def _with_answers(self, found: pl.DataFrame) -> pl.DataFrame:
        """With the true and the false answers, of which each different one is read once."""
        names = self.reading.names
        read = ((names["answer"], self._true), (names["counterfactual"], _false))
        return pl.concat([found, *(_looked_up(found[name], told) for name, told in read)], how="horizontal")

    def _true(self, texts: pl.DataFrame, name: str) -> pl.DataFrame:
        """Slots of each true answer that can be read here; whether it is a list of several texts."""
        flat, nested, plain = _flat(texts, name), _nested(texts, name), _plain(texts, name)
        if self.reading.separator:
            plain = plain.filter(~pl.col(name).str.contains(self.reading.separator, literal=True))
        several = pl.col(name).str.json_decode(pl.List(pl.String)).list.len() > 1
        whole = pl.format("[{}]", name).str.json_decode(SLOTS)
        slots = pl.col(name).str.json_decode(pl.List(pl.String)).list.eval(pl.concat_list(pl.element()))
        listed = whole if self.reading.lists == "aliases" else slots
        single, no = _one(name).list.eval(pl.concat_list(pl.element())), pl.lit(False).alias(_SEVERAL)
        parts = [
            plain.with_columns(single.alias(_TRUE), no),
            flat.with_columns(listed.alias(_TRUE), several.alias(_SEVERAL)),
            nested.with_columns(pl.col(name).str.json_decode(SLOTS).alias(_TRUE), no),
        ]
        return pl.concat(parts).with_columns(pl.lit(True).alias(_TRUE + "read"))

    # --- the table ---

    def _frame(self, kept: pl.DataFrame) -> pl.DataFrame:
        ability, closed = self._text("ability"), pl.col(_CLOSED)
        noise = self._text("noise_ratio").cast(pl.Float64) + 0.0  # so that -0 is 0
        silent = (ability == "negative_rejection") & noise.is_null() & ~closed
        cluster = self.reading.cluster
        frame = kept.select(
            pl.col(NUMBERED).cast(pl.UInt32).alias(ROW),
            id=self._text("id"),
            ability=ability,
            model=self._text("model").fill_null(self.reading.model),
            noise_ratio=pl.when(silent).then(1.0).otherwise(noise),
            draw=self._text("draw"),
            response=pl.col(self.reading.names["response"]),
            slots=pl.col(_TRUE),
            false=pl.col(_FALSE),
            closed=closed,
            cluster=_filled(cluster) if cluster else pl.lit(None, pl.String),
            **{REPLY: pl.when(pl.col(OUTCOME).is_in(STATUSES)).then(pl.col(OUTCOME))},
            **{name: _filled(name) for name in self.reading.by},
        )
        return _without_thoughts(frame)


def _looked_up(values: pl.Series, told: Callable[[pl.DataFrame, str], pl.DataFrame]) -> pl.DataFrame:
    """What is told of each value, of which each different one is looked up once. told: may leave values out."""
    found = told(values.drop_nulls().unique().to_frame(), values.name)
    known = found.drop_in_place(values.name)
    codes = values.cast(pl.Enum(known), strict=False).to_physical()
    return found.select(pl.all().gather(codes))


def _filled(name: str) -> pl.Expr:
    return pl.when(pl.col(name) != "").then(pl.col(name))


def _one(name: str) -> pl.Expr:
    """A list of a text; none where it is empty."""
    return pl.when(pl.col(name) != "").then(pl.concat_list(name))


def _plain(texts: pl.DataFrame, name: str) -> pl.DataFrame:
    """Those of some texts that are no lists, and are empty or say something."""
    value = pl.col(name)
    return texts.filter(~value.str.starts_with("[") & ((value == "") | (value.str.strip_chars() != "")))


def _flat(texts: pl.DataFrame, name: str) -> pl.DataFrame:
    """Those that are lists of texts."""
    return texts.filter(pl.col(name).str.contains(_FLAT) & ~pl.col(name).str.contains(_BLANK))


def _nested(texts: pl.DataFrame, name: str) -> pl.DataFrame:
    """Those that are lists of lists of texts."""
    return texts.filter(pl.col(name).str.contains(_NESTED) & ~pl.col(name).str.contains(_BLANK))


def _false(texts: pl.DataFrame, name: str) -> pl.DataFrame:
    """What lying documents say, of each text or list of texts that can be read here."""
    told = pl.col(name).str.json_decode(pl.List(pl.String)).list.unique(maintain_order=True)
    parts = [
        _plain(texts, name).with_columns(_one(name).alias(_FALSE)),
        _flat(texts, name).with_columns(told.alias(_FALSE)),
        texts.filter(pl.col(name) == "[]").with_columns(pl.lit(None, pl.List(pl.String)).alias(_FALSE)),
    ]
    return pl.concat(parts).with_columns(pl.lit(True).alias(_FALSE + "read"))


def _without_thoughts(frame: pl.DataFrame) -> pl.DataFrame:
    """The answers, their responses without reasoning; few hold any."""
    responses = frame["response"]
    places = responses.str.contains("(?i)think").fill_null(value=False).arg_true()
    if places.is_empty():
        return frame
    said = [without_thoughts(one) for one in responses.gather(places).to_list()]
    return frame.with_columns(responses.scatter(places, said))
