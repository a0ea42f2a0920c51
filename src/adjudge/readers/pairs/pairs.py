"""Annotated pairs from any file, whose content determines the format; and two plain tables.

A wide table has a row per pair and a column per annotator. Its other columns are pair (the id; by default the row's
number), prompt, text_a, text_b, model_a, model_b. `columns` maps these, `annotator_columns` names the annotators and
`vote_values` defines what their values mean. All other columns without lists or objects are the data set's metadata.

A long table has a row per vote. The fields of a pair may be in all of its rows or in some; they must not differ between
rows. If no row has a text, the responses are empty. Other columns are metadata if they are the same in all rows of a
pair.

Adjudge's columnar form, to which other formats are converted once, keeps large data: a Parquet file with a row per pair
and the columns of `adjudge.schemas.pairs`: pair, prompt, text_a, text_b, model_a, model_b (text), length_a, length_b
(UInt32, characters), the data set's own metadata columns (text), and a column `vote:ID` per annotator (UInt8, no nulls;
the vote's position in VOTES).

The file's key-value metadata holds, under the key "adjudge", a JSON object: format ("pairs"), version (1),
votes (the list VOTES), name, default (an annotator's id or null), annotators (a list of id, name,
description, type), metadata (the names of the metadata columns), prompts_repeat.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

import msgspec
import polars as pl

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.readers.formats import format_named
from adjudge.readers.io.json_documents import conversation_texts
from adjudge.readers.io.source import Format, How, Source
from adjudge.readers.label_values import settle_known
from adjudge.readers.parsed_input import Opened, format_of, opened, with_columns
from adjudge.readers.problems import Findings, cells_of, listed
from adjudge.readers.tables import ROW, as_text, collect, damage_of, missing_columns, not_text, schema_of
from adjudge.schemas.columns import CellRule, check_column_exists, mapped_columns, requested_columns, require_value
from adjudge.schemas.pairs import CODE, LENGTHS, TEXTS, VOTE, VOTES, AnnotatedPairs, Annotator, add_lengths
from adjudge.version import NAME, TITLE


@dataclass(frozen=True, slots=True)
class PairReading(How):
    """How to read pairs.

    columns: Adjudge's name -> the file's (pair, prompt, text_a, text_b, model_a, model_b, annotator, vote).
    vote_values: a vote of VOTES -> its values in the file. unlabelled: whether a table of pairs without any votes is
    valid. unread: whether the caller, which reads the votes of Adjudge's columnar form anyway, checks them.
    """

    vote_values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unlabelled: bool = False
    unread: bool = False


PairFile = Opened[PairReading]


def read_pairs(source: Source, options: PairReading | None = None) -> AnnotatedPairs:
    """The pairs in a file or table, whatever its format.

    Raises DataError with all problems of the file, OptionError if the options do not fit it.
    """
    file = opened(source, options or PairReading())
    pairs: AnnotatedPairs = (format_of("annotations", file) or format_named("annotations", "wide")).read(file)
    return pairs


def check_fixed(opened: PairFile, what: str) -> None:
    """Raises OptionError if options name columns or values of a format that fixes them."""
    for name in ("columns", "constant", "annotator_columns", "vote_values"):
        if getattr(opened.options, name):
            raise OptionError(f"{opened.source.name}: the names in {what} are fixed; leave the option out", option=name)


RESERVED = "metadata."
"""Prefix of a metadata column whose name would clash with one of Adjudge's."""

RESPONSES = ("text_a", "text_b")


_TURNED = f"{flag_name('columns')} pair=PAIR+MODEL_A if sides change within a pair"
_FIX = f"{flag_name('vote_values')} text_a=VALUE,... for other words; {_TURNED}; or {flag_name('on_invalid')} drop"


def chosen_columns(
    opened: PairFile, records: pl.DataFrame, usual: Mapping[str, str], needed: Sequence[str]
) -> dict[str, str]:
    """Adjudge's name -> the table's: those given, else the usual ones that the table has.

    Raises OptionError for a name unknown to Adjudge or a given column that is not in the table; DataError if a
    required column is missing.
    """
    name, options = opened.source.name, opened.options
    found = {**usual, **mapped_columns(options.columns, list(usual), constants=options.constant)}
    check_column_exists(name, requested_columns((), columns=options.columns), records.columns)
    if odd := [theirs for theirs in found.values() if theirs in opened.names and theirs not in records.columns]:
        raise DataError(not_text(name, odd[0], opened.schema[odd[0]]))
    if missing := {one: found[one] for one in needed if found[one] not in records.columns}:
        raise missing_columns(name, missing, records.columns, options.columns)
    return {name: theirs for name, theirs in found.items() if theirs in records.columns}


def text_of(records: pl.DataFrame, column: str) -> pl.Series:
    """A column as text; lists are JSON."""
    dtype = records.schema[column]
    return records.select(as_text(pl.col(column), dtype)).to_series() if dtype == pl.List else records[column]


def read_wide_pairs(opened: PairFile) -> AnnotatedPairs:
    """A flat table with a row per pair and a column per annotator, which `--annotator-columns` names.

    The pairs in a table whose annotator columns the user names.
    """
    place, records, annotators = opened.source.name, opened.records, opened.options.annotator_columns
    if not annotators and not opened.options.unlabelled:
        found, hint = f"{', '.join(opened.names) or 'no columns':.300}", f"{NAME} look {place}"
        fix = f"{flag_name('annotator_columns')} COLUMN,..." + f"; {flag_name('jq')} PROGRAM" * opened.is_json
        raise OptionError(f"{place}: expected pairs of texts; got another table", found=found, fix=fix, hint=hint)
    columns = chosen_columns(opened, records, {name: name for name in TEXTS}, RESPONSES)
    check_column_exists(place, [("annotator_columns", name) for name in annotators], records.columns)
    votes = {Annotator(name): name for name in annotators}
    return read_wide(opened, records, columns, votes, vote_codes(opened.options.vote_values))


def read_wide(
    opened: PairFile,
    records: pl.DataFrame,
    columns: Mapping[str, str],
    votes: Mapping[Annotator, str],
    values: Mapping[str, int],
    *,
    default: str | None = None,
) -> AnnotatedPairs:
    """The pairs in a table. Raises DataError with all problems, or drops those rows, depending on the options.

    columns: Adjudge's name -> the table's, for those of TEXTS that it has. votes: annotator -> the table's column.
    values: value -> code of the vote. default: the default annotator.
    """
    theirs = {**columns, **{annotator.column: column for annotator, column in votes.items()}}
    coded = [annotator.column for annotator in votes]
    frame, metadata, values, warnings = _settled(opened, records, theirs, coded, values)
    if "pair" not in columns:
        frame = frame.with_columns(pl.col(ROW).cast(pl.String).alias("pair"))
    rules = [
        require_value("pair", "the pair's id"),
        *(require_value(name, "a response") for name in RESPONSES if name in columns),
        *(vote_rule(column, values) for column in coded),
        CellRule("pair", pl.col("pair").is_duplicated() & pl.col("pair").is_not_null(), "each pair once"),
    ]
    findings = Findings("pair", fix=_FIX)
    frame = findings.keep(frame, rules, cells_of(frame, opened.source.name, "row", ROW, theirs))
    frame = frame.with_columns(vote_code(column, values).fill_null(CODE["missing"]) for column in coded)
    warnings += findings.settle(drop=opened.options.drop)
    pairs = AnnotatedPairs(opened.source.stem, frame.lazy(), tuple(votes), default, tuple(metadata))
    return whole(opened.source.name, pairs, warnings)


def whole(place: str, pairs: AnnotatedPairs, warnings: Sequence[str]) -> AnnotatedPairs:
    """Pairs with lengths and the columns that their frame lacks. Raises DataError if no pair remains."""
    frame = pairs.frame.collect()
    if frame.is_empty():
        raise DataError(f"{place}: no pair is left after dropping")
    lacking = {name: "" if name in RESPONSES else None for name in TEXTS if name not in frame.columns}
    filled_in = frame.lazy().with_columns(pl.lit(text, pl.String).alias(name) for name, text in lacking.items())
    return replace(pairs, frame=add_lengths(filled_in).select(pairs.columns).collect().lazy(), warnings=tuple(warnings))


_DISTINCT = "distinct:"
SIDE_VOTES = {"a": "text_a", "b": "text_b", "tie": "both", "good": "both", "bad": "neither"}


def _settled(
    opened: PairFile, records: pl.DataFrame, theirs: Mapping[str, str], votes: Sequence[str], values: Mapping[str, int]
) -> tuple[pl.DataFrame, list[str], Mapping[str, int], list[str]]:
    """Columns as text with ROW, the names of the metadata columns, the values that mean votes, and warnings.

    theirs: Adjudge's column -> the table's. All other flat columns are metadata. Empty text is missing, except in
    responses. votes: columns in which the name of one of a pair's models is a vote for its text, unless `values` has
    it.
    """
    columns = [conversation_texts(text_of(records, column)).alias(name) for name, column in theirs.items()]
    options = opened.options
    texts = (one for one in records if one.dtype == pl.String and one.name not in theirs.values())
    columns += [one.alias(metadata_name(one.name)) for one in texts]
    frame = pl.DataFrame([records[ROW], *columns])
    empty = [pl.when(pl.col(name) != "").then(pl.col(name)) for name in frame.columns if name not in {*RESPONSES, ROW}]
    frame, metadata = frame.with_columns(empty), frame.columns[1 + len(theirs) :]
    if {"model_a", "model_b"} <= {*frame.columns}:
        for vote in votes:
            names = (vote, "model_a", "model_b")
            own, *models = (pl.col(name).str.strip_chars().str.to_lowercase() for name in names)
            other = ~pl.col(vote).is_in(list(values)) & (models[0] != models[1])
            first, second = (other & (own == model) for model in models)
            side = pl.when(first).then(pl.lit("text_a")).when(second).then(pl.lit("text_b")).otherwise(vote)
            frame = frame.with_columns(side.alias(vote))
        values = {**values, **{side: CODE[side] for side in RESPONSES if side not in values}}
    of_code = {} if options.vote_values else {code: value for value, code in reversed([*values.items()])}
    sides = {side: of_code[CODE[vote]] for side, vote in SIDE_VOTES.items() if CODE[vote] in of_code}
    frame, warnings = settle_known(frame, votes, list(values), sides, exact=options.exact_labels)
    return frame, metadata, values, warnings


def numbered_ids(ids: pl.Series, judges: pl.Series | None = None) -> tuple[pl.Series, list[str]]:
    """Ids with #2, #3 ... after those that repeat an earlier id, and a warning if there are any.

    judges: the judge of each row; ids of different judges are never numbered.

    >>> numbered_ids(pl.Series("pair", ["a", "b", "a", "a"]))[0].to_list()
    ['a', 'b', 'a#2', 'a#3']
    """
    if ids.n_unique() == len(ids):
        return ids.alias("pair"), []
    keys = [ids.alias("pair"), *([] if judges is None else [judges.alias("judge")])]
    nth = 1 + pl.int_range(pl.len()).over([key.name for key in keys])
    new = pl.when(nth > 1).then(pl.format("{}#{}", "pair", nth)).otherwise("pair")
    numbered = pl.DataFrame(keys).select(new.alias("pair")).to_series()
    changed = numbered.filter(ids != numbered)
    if changed.is_empty():
        return numbered, []
    warning = f"pairs numbered, since their ids repeat earlier ones: {len(changed):,}, such as {changed[0]}"
    return numbered if judges is not None else numbered_ids(numbered)[0], [warning]


def metadata_name(name: str) -> str:
    """The name of a metadata column in the frame.

    >>> metadata_name("topic"), metadata_name("length_a")
    ('topic', 'metadata.length_a')
    """
    taken = name in {*TEXTS, *LENGTHS} or name.startswith((VOTE, RESERVED, "response_a.", "response_b.", "__"))
    return RESERVED + name if taken else name


NEEDED = ("pair", "annotator", "vote")


def read_long_votes(opened: PairFile) -> AnnotatedPairs:
    """Long tables with a row per vote: pair, annotator, vote, perhaps prompt, text_a, text_b, model_a and model_b.

    Raises DataError with all problems, or drops those rows, depending on the options.
    """
    theirs = chosen_columns(opened, opened.records, {one: one for one in (*TEXTS, *NEEDED)}, NEEDED)
    return read_long(opened, opened.records, theirs, vote_codes(opened.options.vote_values))


def read_long(
    opened: PairFile, records: pl.DataFrame, theirs: Mapping[str, str], values: Mapping[str, int]
) -> AnnotatedPairs:
    """The pairs in a table with a row per vote, under Adjudge's names; see `read_wide`."""
    name = opened.source.name
    frame, further, values, warnings = _settled(opened, records, theirs, ["vote"], values)
    findings, ids = Findings("pair", fix=_FIX), {"pair": "the pair's id", "annotator": "the annotator's id"}
    rules = [*(require_value(name, what) for name, what in ids.items()), vote_rule("vote", values)]
    frame = findings.keep(frame, rules, cells_of(frame, name, "row", ROW, theirs))
    frame = findings.once(frame, ["pair", "annotator"], ROW, f"{name}, rows", "one vote per pair and annotator")
    texts = [name for name in TEXTS if name in frame.columns and name != "pair"]
    value = pl.col([*texts, *further]).drop_nulls()
    distinct = value.n_unique().name.prefix(_DISTINCT)
    pairs = frame.group_by("pair", maintain_order=True).agg(*([value.first(), distinct] if texts or further else []))
    metadata = [name for name in further if (pairs[_DISTINCT + name] <= 1).all()]
    rules = [CellRule(name, pl.col(_DISTINCT + name) > 1, f"one {name} in all rows of the pair") for name in texts]
    rules += [require_value(name, "a response") for name in RESPONSES if name in texts]
    pairs = findings.keep(pairs, rules, cells_of(pairs, name, "pair", "pair", theirs))
    warnings += findings.settle(drop=opened.options.drop)
    annotators = tuple(Annotator(one) for one in frame["annotator"].unique(maintain_order=True))
    votes = frame.select("pair", annotator=VOTE + pl.col("annotator"), vote=vote_code("vote", values))
    by_annotator = votes.pivot("annotator", index="pair", values="vote").fill_null(CODE["missing"])
    wide = pairs.select("pair", *texts, *metadata).join(by_annotator, on="pair", how="left", maintain_order="left")
    voted = AnnotatedPairs(opened.source.stem, wide.lazy(), annotators, metadata=tuple(metadata))
    return whole(name, voted, warnings)


VALUES: Mapping[str, int] = {**CODE, "a": CODE["text_a"], "b": CODE["text_b"]}
"""Value -> code of the vote, by default."""


def vote_codes(values: Mapping[str, Sequence[str]] | None) -> Mapping[str, int]:
    """Value -> code, from the user's vote -> values; by default VALUES.

    Raises OptionError for an unknown vote, and for a value of two votes.
    """
    if not values:
        return VALUES
    if unknown := [vote for vote in values if vote not in CODE]:
        raise OptionError(f'expected one of {", ".join(VOTES)}; got "{unknown[0]}"', option="vote_values")
    codes: dict[str, int] = {}
    for vote, text in ((vote, text) for vote, texts in values.items() for text in texts):
        if codes.setdefault(text, CODE[vote]) != CODE[vote]:
            raise OptionError(f'"{text}" stands for {VOTES[codes[text]]} and for {vote}', option="vote_values")
    return codes


def vote_code(column: str, values: Mapping[str, int]) -> pl.Expr:
    """A column of votes as codes; null for empty cells and values that mean no vote."""
    texts = (pl.col(column), pl.col(column).str.strip_suffix(".0"))
    return pl.coalesce(text.replace_strict(values, default=None, return_dtype=pl.UInt8) for text in texts)


def vote_rule(column: str, values: Mapping[str, int]) -> CellRule:
    """A cell holds a vote or is empty."""
    broken = pl.col(column).is_not_null() & vote_code(column, values).is_null()
    return CellRule(column, broken, f"one of {', '.join(values)}", values)


# --- the columnar form ---

KEY = NAME


class _Dictionary(msgspec.Struct):
    """The metadata of a columnar file."""

    format: Literal["pairs"]
    version: Literal[1]
    votes: list[str]
    annotators: tuple[Annotator, ...]
    metadata: tuple[str, ...]
    name: str | None = None
    default: str | None = None
    prompts_repeat: bool | None = None


def read_columnar(opened: PairFile) -> AnnotatedPairs:
    """Adjudge's columnar form of pairs: other formats are converted to it once, and large data are kept in it.

    A lazy data set. Checks votes and lengths, unless the caller does; does not read texts.

    Raises DataError for an invalid dictionary, column, column type or code, or an invalid null.
    """
    check_fixed(opened, f"{TITLE}'s columnar form")
    source = opened.source
    meta = _dictionary(source)
    frame = pl.scan_parquet(source.file, glob=False)
    schema, votes = schema_of(source, frame), [one.column for one in meta.annotators]
    expected: dict[str, pl.DataType] = dict.fromkeys((*TEXTS, *meta.metadata), pl.String())
    expected |= dict.fromkeys(LENGTHS, pl.UInt32()) | dict.fromkeys(votes, pl.UInt8())
    _check_columns(source, {name: dtype for name, dtype in expected.items() if schema.get(name) != dtype})
    if not opened.options.unread:
        check_codes(source, frame, votes)
    name, repeat = meta.name or source.stem, meta.prompts_repeat
    return AnnotatedPairs(name, frame, meta.annotators, meta.default, meta.metadata, repeat)


def _dictionary(source: Source) -> _Dictionary:
    """The file's key-value metadata. Raises DataError if it is invalid."""
    where = f"{source.name}, key-value metadata {KEY}"
    with damage_of(replace(source, format="parquet")):
        text = pl.read_parquet_metadata(source.file).get(KEY, "")
    try:
        dictionary = msgspec.json.decode(text, type=_Dictionary)
    except (msgspec.DecodeError, RecursionError) as error:
        raise DataError(f"{where}: expected what convert writes; {error}", fix="convert it again") from None
    ids = [annotator.id for annotator in dictionary.annotators]
    if dictionary.votes != list(VOTES) or len({*ids}) < len(ids) or dictionary.default not in {None, *ids}:
        message = f"{where}: expected votes {', '.join(VOTES)}, each annotator once, and the default one among them"
        raise DataError(message, fix="convert it again")
    return dictionary


def check_codes(source: Source, frame: pl.LazyFrame, votes: Sequence[str]) -> None:
    """Raises DataError for nulls in votes and lengths and for unknown vote codes; reads only these columns."""
    columns = (pl.col(LENGTHS).is_null(), pl.col(votes).is_null() | (pl.col(votes) >= len(VOTES)))
    wrong = collect(source, frame.select(one.any() for one in columns)).row(0, named=True)
    _check_columns(source, [name for name, is_wrong in wrong.items() if is_wrong])


def _check_columns(source: Source, wrong: Iterable[str]) -> None:
    """Raises DataError if any column is wrong."""
    if names := list(wrong):
        expected = f"expected votes as codes from 0 to {len(VOTES) - 1}, lengths, and texts"
        raise DataError(f"{source.name}, column {listed(names)}: {expected}", fix="convert it again")


def dictionary_text(pairs: AnnotatedPairs, *, prompts_repeat: bool) -> str:
    """The metadata of a columnar file as JSON."""
    names = ("name", "default", "annotators", "metadata")
    record = {"format": "pairs", "version": 1, "votes": VOTES, **{name: getattr(pairs, name) for name in names}}
    return json.dumps({**record, "prompts_repeat": prompts_repeat}, default=asdict)


def prompts_repeat(frame: pl.LazyFrame) -> bool:
    """Whether several pairs share a prompt (compared by hash, to keep no prompts in memory)."""
    hashes = pl.col("prompt").drop_nulls().hash()
    return bool(frame.select(hashes.n_unique() < hashes.len()).collect(engine="streaming").item())


def _is_columnar(opened: PairFile) -> bool:
    """Whether the metadata of a Parquet file declare this form."""
    with suppress(pl.exceptions.PolarsError, OSError):
        return opened.source.format == "parquet" and KEY in pl.read_parquet_metadata(opened.source.file)
    return False


FORMAT = (
    Format("wide", "annotations", read_wide_pairs, lambda found: bool(found.options.annotator_columns), 1),
    Format("long-votes", "annotations", read_long_votes, with_columns(*NEEDED)),
    Format(NAME, "annotations", read_columnar, _is_columnar, 2, (".parquet",)),
)
