"""Files of tokens: tags (IOB1, IOB2, BIOES, BILOU) in files of CoNLL and in tables with a row per token; M2.

The text of a sentence is its tokens joined by spaces. Types of tags are rules. A tag that continues a span when none is
open begins one, as in the scorer of CoNLL 2000.

M2, the format of grammatical error correction: sentences of tokens, and edits of each annotator.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0

Offsets of tokens become offsets of characters in the tokens joined by spaces. Sentences are numbered from 1. Every
annotator in the file has annotated all of them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, count, groupby, pairwise
from typing import Any, NamedTuple

import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.readers.column_names import joined_key, nearest_to
from adjudge.readers.io.json_documents import Objects
from adjudge.readers.problems import count_words
from adjudge.readers.spans import span_records as spans
from adjudge.readers.tables import ROW, collect, is_flat, missing_columns
from adjudge.schemas.violations import ID, TEXT

_WRITTEN = (re.compile(r"O|[BIESLUM][-_].+"), re.compile(r"O|.+[-_][BIESLUM]"), re.compile(r"[OBIESLUM]"))
"""The forms of tags: B-claim, claim-B, B."""
_WHOLE = "BSU"
"""Tags that always begin a span."""


class Tag(NamedTuple):
    """A parsed tag: the letter of its scheme, and the type, which may be empty."""

    letter: str
    type: str


_OUTSIDE = Tag("O", "")


def tags_among(values: Iterable[str]) -> dict[str, Tag]:
    """The values that are tags in the file's form (B-claim, else claim-B, else B alone), parsed.

    >>> tags_among(["O", "PER-B"])
    {'O': Tag(letter='O', type=''), 'PER-B': Tag(letter='B', type='PER')}
    """
    distinct = dict.fromkeys(values)
    marks = [value for value in distinct if value != "O"]
    written = next((one for one in _WRITTEN if any(map(one.fullmatch, marks))), _WRITTEN[0])
    tags = [value for value in distinct if written.fullmatch(value)]
    if written is _WRITTEN[1]:
        return {tag: _OUTSIDE if tag == "O" else Tag(tag[-1], tag[:-2]) for tag in tags}
    if written is _WRITTEN[2] and not ("O" in tags and {"B", "I"} & {*tags}):
        return {}
    return {tag: Tag(tag[0], tag[2:]) for tag in tags}


def _marked(words: Sequence[str], tags: Sequence[Tag]) -> tuple[str, list[dict[str, str]]]:
    """The text of a sentence, and its spans."""
    starts = [0, *accumulate(len(word) + 1 for word in words)]
    marks = list[dict[str, str]]()
    for at, (last, tag) in enumerate(pairwise([_OUTSIDE, *tags])):
        if _begins(last, tag):
            marks.append({"start": str(starts[at]), "rule": tag.type})
        if tag.letter != "O":
            marks[-1]["end"] = str(starts[at + 1] - 1)
    return " ".join(words), marks


def _begins(last: Tag, tag: Tag) -> bool:
    return tag.letter != "O" and (tag.letter in _WHOLE or last.letter in "OESLU" or last.type != tag.type)


def _broken_starts(sentences: Iterable[Sequence[Tag]]) -> list[str]:
    """A warning that counts spans whose first tag continues one; none if that is the scheme's rule (IOB1)."""
    begins = [pair for tags in sentences for pair in pairwise([_OUTSIDE, *tags]) if _begins(*pair)]
    broken = sum(tag.letter not in _WHOLE for _, tag in begins)
    marked = ((last, tag) for last, tag in begins if tag.letter in _WHOLE)
    if not broken or all(last.letter != "O" and last.type == tag.type for last, tag in marked):
        return []
    begin = count_words(broken, "span begins", "spans begin")
    return [f"{begin} with a tag that continues one, such as I without B, and counts all the same"]


_SENTENCE_ID, _WORDS = "__sentence__", "__words__"
"""Keys of a sentence's id and tokens, beside its columns of tags."""


def _read(
    opened: spans.Found, sentences: Objects, columns: Mapping[str, Mapping[str, Tag]], mapped: Sequence[str] = ()
) -> spans.Raw:
    """A line for each sentence and column of tags. columns: a column's name -> its parsed tags.

    sentences: objects with the keys above, and with a list of each column's cells.
    """
    own, text_key, annotator = map(opened.file_column, (ID, TEXT, "annotator"))
    tagged = list[list[Tag]]()

    def lines(sentence: spans.Holder) -> Iterator[spans.Line]:
        for name, tags in columns.items():
            if not tags.keys() >= {*sentence[name]}:
                raise DataError(f", {name}: expected a tag such as O or B-claim for each token; got nothing")
            tagged.append([tags[cell] for cell in sentence[name]])
            text, marks = _marked(sentence[_WORDS], tagged[-1])
            who = {annotator: name} if len(columns) > 1 else {}
            yield spans.Line({own: sentence[_SENTENCE_ID], text_key: text, **who}, marks)

    raw = spans.read_lines(opened, spans.SpanTool(lines, mapped=mapped, based=False), sentences)
    return raw.warned(["texts are rebuilt from their tokens, with a space between any two", *_broken_starts(tagged)])


# --- files of CoNLL ---

_COMMENT = re.compile(r"#\s*(?:sent_)?id(?:\s*=\s*|\s+)(\S+)")
_COLUMNS = 2


_TokenLines = tuple[str | None, int, list[list[str]]]
"""A sentence: the id in its comment, the number of its first token's line, and the cells of each token's line."""


def read_conll(opened: spans.Found) -> spans.Raw:
    """CoNLL: a token per line, its tag in the last column (IOB1, IOB2, BIOES, BILOU), sentences between empty lines.

        Cures B-claim
        headache B-illness
        . O

    A line for each sentence and column of tags, by its number or by the id in a comment above it. Of two columns of
    tags with the same types, as in conlleval, the first is the annotator gold, the second predicted. If the first
    column counts tokens, the second holds them. Raises DataError for lines without a tag.
    """
    name = opened.source.name
    sentences, bad = _sentences(opened.source.text().split("\n"))
    if bad:
        wrong = 'expected a token and a tag such as O or B-claim; got "{:.60}"'
        raise DataError(f"{name}, line {number}: {wrong.format(row)}" for number, row in bad)
    rows = [row for _, _, own in sentences for row in own]
    is_counted = all(row[0] == str(nth) for _, _, own in sentences for nth, row in enumerate(own, 1))
    token = int(is_counted and all(len(row) > _COLUMNS for row in rows))
    tags = _tag_columns([row[token + 1 :] for row in rows], alone=token > 0)
    names = ("gold", "predicted")[: len(tags)]
    values = list[dict[str, Any]]()
    for nth, (identity, _, own) in enumerate(sentences, 1):
        cells = zip(*([row[token], *row[len(row) - len(tags) :]] for row in own), strict=True)
        values.append({_SENTENCE_ID: identity or str(nth), **dict(zip((_WORDS, *names), cells, strict=True))})
    objects = Objects(name, "line", [number for _, number, _ in sentences], values)
    return _read(opened, objects, dict(zip(names, tags, strict=True)))


def _sentences(rows: Sequence[str]) -> tuple[list[_TokenLines], list[tuple[int, str]]]:
    """The sentences, and the numbered lines that are neither comment nor token."""
    split = [[cell.strip() for cell in row.split("\t")] if "\t" in row else row.split() for row in rows]
    tags = tags_among(cells[-1] for cells in split if len(cells) >= _COLUMNS)
    sentences, bad = list[_TokenLines](), list[tuple[int, str]]()
    lines = zip(count(1), rows, split)
    for is_empty, block in groupby(lines, lambda line: not line[1].strip() or line[2][0] == "-DOCSTART-"):
        identity, tokens = None, dict[int, list[str]]()
        for number, row, cells in () if is_empty else block:
            if len(cells) >= _COLUMNS and cells[-1] in tags:
                tokens[number] = cells
            elif row.startswith("#"):
                identity = comment[1] if (comment := _COMMENT.match(row)) else identity
            else:
                bad.append((number, row))
        if tokens:
            sentences.append((identity, min(tokens), list(tokens.values())))
    return sentences, bad


def _tag_columns(rows: Sequence[Sequence[str]], *, alone: bool) -> list[dict[str, Tag]]:
    """The parsed tags of the last column, or of the last two if they share types, or are the only two.

    One of the only two may be without marks. alone: only the last counts.
    """
    most = 1 if alone else min(map(len, rows), default=0)
    cells = [{row[-at] for row in rows} for at in (1, 2) if at <= most]
    columns = [tags for values in cells if len(tags := tags_among(values)) == len(values)]
    types = [{tag.type for tag in column.values() if tag.letter != "O"} for column in columns]
    are_only = max(map(len, rows), default=0) == _COLUMNS and not all(types)
    return columns[::-1] if len(types) == _COLUMNS and (types[0] & types[1] or are_only) else columns[:1]


def _is_conll(opened: spans.Found) -> bool:
    """Whether all of the first lines are empty, comments, or tokens with tags, at least one of them a mark."""
    if not opened.is_text:
        return False
    sentences, bad = _sentences(opened.start.content.decode("utf-8", errors="replace").split("\n")[:-1])
    return not bad and any(row[-1] != "O" for _, _, own in sentences for row in own)


# --- tables of tokens ---

_TOKENS = ("token", "word", "tokens", "words")
_SENTENCES = ("sentenceid", "sentid", "sentence", "sentenceidx", "id", "docid", "documentid")


def read_tagged_tokens(opened: spans.Found) -> spans.Raw:
    """Tables with a row per token: sentence_id (or sentence, id ...), token (or word), and columns of tags.

    A line for each sentence and column of tags; if there are several, the column's name is the annotator. An empty cell
    of the sentence's column repeats the one above it. A warning says if no column identifies sentences. Parquet may
    have a row per sentence instead, with lists of tokens and of tags.
    """
    names, source = opened.options, opened.source
    table = _row_per_token(opened)
    token, tags = _columns_of_table(table)
    columns = [name for name in table.columns if name not in (ROW, token, *tags)]
    sentence = names.columns.get(ID) or nearest_to(_SENTENCES, columns)
    if sentence and sentence not in columns:
        raise missing_columns(source.name, {ID: sentence}, columns, names.columns)
    sentence = sentence or (ROW if opened.is_nested else None)
    ids = pl.col(sentence).forward_fill() if sentence else pl.lit("1")
    table = table.select(ids.alias(_SENTENCE_ID), pl.col(token).fill_null("").alias(_WORDS), *tags)
    runs = table.group_by(pl.col(_SENTENCE_ID).rle_id().alias("__run__"), maintain_order=True)
    rows = runs.agg(pl.col(_SENTENCE_ID).first(), _WORDS, *tags)
    objects = Objects(source.name, "sentence", range(1, rows.height + 1), rows.to_dicts())
    alone = f"no column identifies sentences, so all tokens are one text: {flag_name('columns')} id=COLUMN"
    return _read(opened, objects, tags, spans.MAPPED).warned([] if sentence else [alone])


def _row_per_token(opened: spans.Found, most: int | None = None) -> pl.DataFrame:
    """The flat columns, and ROW, as text; lists of tokens and of as many tags have a row for each. most: rows read."""
    table = collect(opened.source, opened.rows().slice(0, most))
    lists = [name for name, kind in table.schema.items() if isinstance(kind, pl.List)]
    if token := next((name for name in lists if joined_key(name) in _TOKENS), None):
        size = table[token].list.len()
        table = table.explode([name for name in lists if table[name].list.len().equals(size)])
    return table.select(pl.col(name).cast(pl.String) for name, kind in table.schema.items() if is_flat(kind))


def _columns_of_table(table: pl.DataFrame) -> tuple[str, dict[str, dict[str, Tag]]]:
    """The column of tokens, and the columns of tags, parsed. Raises DataError if there are none."""
    token = next((name for name in table.columns if joined_key(name) in _TOKENS), None)
    cells = {name: table[name].drop_nulls().unique().to_list() for name in table.columns if name != token}
    parsed = {name: tags_among(values) for name, values in cells.items()}
    tags = {name: one for name, one in parsed.items() if one and len(one) == len(cells[name])}
    if token is None or not tags:
        raise DataError(f": expected a column of tokens and one of tags; got {', '.join(table.columns):.300}")
    return token, tags


def _has_tokens(opened: spans.Found) -> bool:
    if not any(joined_key(name) in _TOKENS for name in opened.names):
        return False
    with suppress(DataError):
        head = _row_per_token(opened, 100)
        return any(head[name].n_unique() > 1 for name in _columns_of_table(head)[1])
    return False


# --- M2 ---

_SOURCE, _CHANGE = re.compile(rb"S |\s*S\s*$"), re.compile(rb"A .*\|\|\|")
_PLACE = re.compile(r"(-?\d{1,9}) (-?\d{1,9})")
_FIELDS, _NOOP = 6, "noop"
"""Number of fields of an edit, and the rule of an annotator who changes nothing."""


def read_m2(opened: spans.Found) -> Iterator[spans.Line]:
    """M2, the format of grammatical error correction: sentences of tokens, and edits of each annotator.

    A line for each sentence and annotator.
    """
    sentences, edits = list[list[str]](), dict[str | None, dict[int, list[object]]]()
    for number, line in enumerate(opened.source.text().split("\n"), 1):
        mark, _, rest = line.rstrip("\r").partition(" ")
        fields = [one.strip() for one in rest.split("|||")]
        is_edit = mark == "A" and sentences and len(fields) == _FIELDS and fields[-1]
        place = _PLACE.fullmatch(fields[0]) if is_edit else None
        first, end = map(int, place.groups()) if place else (0, 0)
        if mark == "S":
            sentences.append(rest.split())
        elif place and (fields[1] == _NOOP or 0 <= first <= end <= len(sentences[-1])):
            own = edits.setdefault(fields[-1], defaultdict(list))[len(sentences)]
            tokens, rule, correction = sentences[-1], *fields[1:3]
            start = min(sum(len(token) + 1 for token in tokens[:first]), len(" ".join(tokens)))
            bounds = {"start": str(start), "end": str(start + len(" ".join(tokens[first:end])))}
            edit = {**bounds, "rule": rule, "correction": "" if correction == "-NONE-" else correction}
            own += [] if rule == _NOOP else [edit]
        elif line.strip():
            what = f'a sentence (S), or an edit of its tokens (A) with 6 fields; got "{line.rstrip():.60}"'
            raise DataError(f"{opened.source.name}, line {number}: expected {what}")
    for name, by_sentence in (edits or {None: {}}).items():
        for nth, tokens in enumerate(sentences, 1):
            yield spans.Line({ID: str(nth), TEXT: " ".join(tokens), "annotator": name}, by_sentence.get(nth, []))


def _is_m2(opened: spans.Found) -> bool:
    """Whether the first lines of a file are sentences and edits."""
    filled = [line for line in opened.start.content.splitlines() if line.strip()]
    lines = filled[:-1] or filled
    return bool(lines and _SOURCE.match(lines[0])) and all(_SOURCE.match(one) or _CHANGE.match(one) for one in lines)


FORMAT = (
    spans.Format("conll", "violations", read_conll, _is_conll, 2, (".conll", ".bio", ".iob")),
    spans.Format("tagged-tokens", "violations", read_tagged_tokens, _has_tokens, 1, (".csv", ".tsv", ".parquet")),
    spans.Format("m2", "violations", read_m2, _is_m2, 2, (".m2",)),
)
