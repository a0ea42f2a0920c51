"""Flat tables of pairs that tools and data sets write, each declared in pair_tables.toml, and how they are read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import polars as pl

from adjudge.readers.io.source import Format
from adjudge.readers.pairs import pair_shapes
from adjudge.readers.pairs.pair_shapes import Shape, numbered_pairs, there
from adjudge.readers.pairs.pairs import RESPONSES, Options, chosen_columns, read_long, read_wide, vote_codes
from adjudge.readers.parsed_input import Opened, Records
from adjudge.schemas.pairs import CODE, TEXTS, VALID, AnnotatedPairs, Annotator
from adjudge.text.toml_files import as_names, packaged

Names = Sequence[str]
"""Names that a column may have; the first that is there counts."""

_BARE = "the table holds no responses: figures of their length and style say nothing"


@dataclass(frozen=True, slots=True)
class PairTable:
    """How a tool, or a data set, writes pairs and votes into a flat table.

    name, said: of the format. marks: columns that tell it from other tables. lacks: columns that it never has. shape:
    makes columns of what stands in the table in another form. columns: Adjudge's name -> the table's. votes: columns of
    votes, each an annotator's. others: whether any other column with votes for a side is one too. judge: the column
    that says who votes, where a row is a vote; a table may lack it. ids: columns that together tell a pair, where a row
    is a vote and there is no column of ids. values: what stands there -> the vote; empty if users may say. empty: the
    vote of an empty cell. trusted: whether the first column of votes is the default annotator. textless: whether it may
    lack responses. type: of the annotators. told: what users must know of all such data.
    """

    name: str
    said: str
    marks: Sequence[Names]
    columns: Mapping[str, Names]
    votes: Names
    lacks: Names = ()
    shape: Shape | None = None
    others: bool = False
    judge: Names = ()
    ids: Names = ()
    values: Mapping[str, str] = field(default_factory=dict)
    empty: str = "missing"
    trusted: bool = True
    textless: bool = False
    type: str = "unknown"
    told: str = ""
    precedence: int = -1

    def recognises(self, found: Opened[Options]) -> bool:
        """Whether a table has the columns that only this one has."""
        columns = set(found.names)
        marked = all(columns & {*names, found.theirs(names[0])} for names in self.marks)
        return marked and not columns & set(self.lacks)


def read_pair_table(table: PairTable, found: Opened[Options]) -> AnnotatedPairs:
    """The pairs, and the votes on them."""
    records, options = table.shape(found.records) if table.shape else found.records, found.options
    fixed = table.values and not options.vote_values
    values = {value: CODE[vote] for value, vote in table.values.items()} if fixed else vote_codes(options.vote_values)
    usual = {name: there(records, names) or names[0] for name, names in table.columns.items()}
    named = [name for name in table.columns["pair"] if name in records.columns or name == "pair"]
    ids = (one for one in named if one == "pair" or records.text(one)[0].drop_nulls().n_unique() == len(records.rows))
    usual["pair"] = next(ids, "pair")
    usual["vote"] = there(records, table.votes) or table.votes[0]
    asked = {**usual, **options.columns}
    bare = table.textless and not {asked.get(name) for name in RESPONSES} & set(records.columns)
    columns = chosen_columns(records, options, usual, [*(() if bare else RESPONSES), "vote"])
    votes = _voting(table, records, columns, values)
    if judge := there(records, table.judge):
        pairs = _by_judge(table, found, records, {**columns, "annotator": judge}, values)
    else:
        del columns["vote"]
        annotators = {Annotator(name, type=table.type): name for name in votes}
        default = votes[0] if table.trusted else None
        pairs = read_wide(found, records, columns, annotators, values, default=default, empty=CODE[table.empty])
    told = [_BARE if bare else table.told] if bare or table.told else []
    if table.shape is pair_shapes.in_one_order:
        turned = (found.records.text("model_a")[0] != records.text("model_a")[0]).sum()
        told += [f"{turned:,} votes on pairs in the other order are read in that of the first vote"] if turned else []
    return replace(pairs, warnings=(*pairs.warnings, *told))


def _voting(table: PairTable, records: Records, columns: Mapping[str, str], values: Mapping[str, int]) -> list[str]:
    """The columns of votes: those declared that are there, and others in which a side stands."""
    declared = [name for name in table.votes if name in records.columns and name != columns["vote"]]
    left = [name for name in records.columns if name not in {*columns.values(), *declared}]
    sides = [value for value, code in values.items() if code in VALID and len(value) > 1]
    flat = [name for name in left if table.others and records.is_flat(name)]
    return [columns["vote"], *declared, *(name for name in flat if records.text(name)[0].is_in(sides).any())]


def _by_judge(
    table: PairTable, found: Opened[Options], records: Records, columns: Mapping[str, str], values: Mapping[str, int]
) -> AnnotatedPairs:
    """The pairs in a table with a row per vote. Where a judge votes on a pair again, that is a pair of its own.

    Their ids are parts with colons between them; else a number per distinct row of texts, in their order.
    """
    keys = [name for name in table.ids if name in records.columns]
    texts = [columns[name] for name in TEXTS[1:] if name in columns]
    parts = pl.DataFrame([records.text(name)[0].alias(name) for name in keys or texts])
    joined = pl.concat_str(pl.all(), separator=":", ignore_nulls=True)
    if not keys:
        joined = pl.int_range(pl.len()).first().over(texts).rank("dense").cast(pl.String)
    ids = parts.select(joined).to_series()
    numbered, repeated = numbered_pairs(records, ids, records.text(columns["annotator"])[0])
    pairs = read_long(found, numbered, {**columns, "pair": "pair"}, values, CODE[table.empty])
    default = pairs.annotators[0].id if len(pairs.annotators) == 1 else None
    annotators = tuple(replace(annotator, type=table.type) for annotator in pairs.annotators)
    return replace(pairs, annotators=annotators, default=default, warnings=(*pairs.warnings, *repeated))


def _declared() -> Iterator[PairTable]:
    for name, own in packaged(__package__, "pair_tables.toml").items():
        columns = {one: as_names(theirs) for one, theirs in own["columns"].items()}
        marks, shape = tuple(map(as_names, own["marks"])), vars(pair_shapes).get(own.get("shape", ""))
        yield PairTable(**{**own, "name": name, "columns": columns, "marks": marks, "shape": shape})


FORMAT = tuple(
    Format(
        table.name, "annotations", partial(read_pair_table, table), table.recognises, table.precedence, said=table.said
    )
    for table in _declared()
)
