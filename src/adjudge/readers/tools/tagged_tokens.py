"""Tokens with tags (IOB1, IOB2, BIOES, BILOU): files of CoNLL, rows of tokens, and tables with a row per token.

The text of a sentence is its tokens joined by spaces. Types of tags are rules. A tag that continues a span when none is
open begins one, as in the scorer of CoNLL 2000.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, chain, count, groupby, pairwise
from typing import Any, NamedTuple

import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.readers.column_names import joined_key, nearest_to
from adjudge.readers.io.json_documents import Objects, kind
from adjudge.readers.io.source import Format
from adjudge.readers.problems import count_words
from adjudge.readers.spans import span_records as spans
from adjudge.readers.tables import collect, missing_columns, scan
from adjudge.schemas.violations import ID, TEXT

_REBUILT = "texts are rebuilt from their tokens, with a space between any two"
_LAST = "the column before the last holds tags too, of other types or of a second level: those of the last count"
_WHO = "annotator"
_WRITTEN = (re.compile(r"O|[BIESLUM][-_].+"), re.compile(r"O|.+[-_][BIESLUM]"), re.compile(r"[OBIESLUM]"))
"""The forms of tags: B-claim, claim-B, B."""
_WHOLE = "BSU"
"""Tags that always begin a span; _ENDS: those that end one."""
_ENDS = "ESLU"


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
    return tag.letter != "O" and (tag.letter in _WHOLE or last.letter in f"O{_ENDS}" or last.type != tag.type)


def _broken_starts(sentences: Iterable[Sequence[Tag]]) -> list[str]:
    """A warning that counts spans whose first tag continues one; none if that is the scheme's rule (IOB1)."""
    begins = [pair for tags in sentences for pair in pairwise([_OUTSIDE, *tags]) if _begins(*pair)]
    broken = sum(tag.letter not in _WHOLE for _, tag in begins)
    marked = ((last, tag) for last, tag in begins if tag.letter in _WHOLE)
    if not broken or all(last.letter != "O" and last.type == tag.type for last, tag in marked):
        return []
    begin = count_words(broken, "span begins", "spans begin")
    return [f"{begin} with a tag that continues one, such as I without B, and counts all the same"]


# --- files of CoNLL ---

_SIDES = ("gold", "predicted")
_COMMENT = re.compile(r"#\s*(?:sent_)?id(?:\s*=\s*|\s+)(\S+)")
_DOCUMENT = "-DOCSTART-"
_COLUMNS = 2


class _TaggedSentence(NamedTuple):
    """A sentence: the id in its comment, the number of its first token's line, and the cells of each token's line."""

    own: str | None
    number: int
    rows: list[list[str]]


def read_conll(opened: spans.Found) -> spans.Raw:
    """CoNLL: a token per line, its tag in the last column (IOB1, IOB2, BIOES, BILOU), sentences between empty lines.

        Cures B-claim
        headache B-illness
        . O

    A line for each sentence and column of tags, by its number or by the id in a comment above it. Of two columns of
    tags with the same types, as in conlleval, the first is the annotator gold, the second predicted, unless a heading
    names them. If the first column counts tokens, the second holds them.
    """
    return spans.read_file(opened, _conll_lines, "line")


def _conll_lines(opened: spans.Found) -> Iterator[spans.Held]:
    heading, sentences, bad = _sentences(opened.source.text().split("\n"))
    for number, row in bad:
        expected = f'expected a token and a tag such as O or B-claim; got "{row:.60}"'
        yield spans.Invalid(f"{opened.source.name}, line {number}: {expected}")
    rows, tagged = [row for sentence in sentences for row in sentence.rows], list[list[Tag]]()
    is_counted = all(row[0] == str(nth) for one in sentences for nth, row in enumerate(one.rows, 1))
    token = int(is_counted and all(len(row) > _COLUMNS for row in rows))
    columns, others = _tag_columns([row[token + 1 :] for row in rows], alone=token > 0)
    names: Sequence[str | None] = [None]
    if len(columns) > 1:
        names = heading[-len(columns) :] or [*_SIDES, *map(str, range(3, len(columns) + 1))]
    for at, name in enumerate(names, -len(names)):
        for nth, (identity, number, cells) in enumerate(sentences, 1):
            tagged.append([columns[at][row[at]] for row in cells])
            text, marks = _marked([row[token] for row in cells], tagged[-1])
            yield spans.Line({ID: identity or str(nth), TEXT: text, _WHO: name}, marks, number=number)
    yield from (_REBUILT, *([_LAST] if others else []), *_broken_starts(tagged))


def _sentences(rows: Sequence[str]) -> tuple[list[str], list[_TaggedSentence], list[tuple[int, str]]]:
    """The heading, if any, the sentences, and the numbered lines that are neither comment nor token."""
    split = [[cell.strip() for cell in row.split("\t")] if "\t" in row else row.split() for row in rows]
    tags = tags_among(cells[-1] for cells in split if len(cells) >= _COLUMNS)
    heading, sentences, bad = list[str](), list[_TaggedSentence](), list[tuple[int, str]]()
    lines = zip(count(1), rows, split)
    for is_empty, block in groupby(lines, lambda line: not line[1].strip() or line[2][0] == _DOCUMENT):
        identity, tokens = None, dict[int, list[str]]()
        for number, row, cells in () if is_empty else block:
            if len(cells) >= _COLUMNS and cells[-1] in tags:
                tokens[number] = cells
            elif row.startswith("#"):
                identity = comment[1] if (comment := _COMMENT.match(row)) else identity
            elif number == 1 and len(cells) >= _COLUMNS and [len(cells)] == [len(after) for after in split[1:2]]:
                heading = cells
            else:
                bad.append((number, row))
        if tokens:
            sentences.append(_TaggedSentence(identity, min(tokens), list(tokens.values())))
    return heading, sentences, bad


def _tag_columns(rows: Sequence[Sequence[str]], *, alone: bool) -> tuple[list[dict[str, Tag]], bool]:
    """The parsed tags of each of the last columns of one kind, and whether an earlier column marks anything.

    They share types with the last, or are the only two, one of them without marks. alone: only the last counts.
    """
    columns = list[dict[str, Tag]]()
    for at in range(1, min(map(len, rows), default=0) + 1):
        values = {row[-at] for row in rows}
        tags = tags_among(values)
        if len(tags) < len(values):
            break
        columns.insert(0, tags)
    types = [{tag.type for tag in column.values() if tag.letter != "O"} for column in columns]
    only = max(map(len, rows), default=0) == _COLUMNS and not all(types)
    like = 1
    while not alone and like < len(columns) and (types[-1 - like] & types[-1] or only):
        like += 1
    return columns[-like:], like < len(columns) and bool(types[-1 - like])


def _is_conll(opened: spans.Found) -> bool:
    """Whether all of the first lines are empty, comments, or tokens with tags, at least one of them a mark."""
    if not opened.is_text:
        return False
    _, sentences, bad = _sentences(opened.start.content.decode("utf-8", errors="replace").split("\n")[:-1])
    return not bad and any(row[-1] != "O" for sentence in sentences for row in sentence.rows)


# --- rows of tokens ---

_TOKENS = ("tokens", "words")
_SENTENCES = ("sentenceid", "sentid", "sentence", "sentenceidx", "id", "docid", "documentid")
_LOOKED_AT = 100


def read_tagged_tokens(opened: spans.Found) -> spans.Raw:
    """Rows of tokens with lists of tags, such as gold_tags and predicted_tags: an annotator each.

    {"id": "1", "tokens": ["Cures", "headache"], "gold_tags": ["B-claim", "I-claim"], "predicted_tags": ["O", "O"]}

    A line for each row and list of tags; if there are several, the list's name is the annotator. A row without a list
    lacks its annotation. Also tables with a row per token: sentence_id (or sentence, id ...), token (or word), and
    one or more columns of tags.
    """
    objects, warnings = (
        (spans.decoded(opened), []) if opened.is_json or opened.is_nested else _sentences_of_table(opened)
    )
    return _read(opened, objects, _lists(objects.values)).warned(warnings)


def _read(opened: spans.Found, objects: Objects, keys: Mapping[str, Mapping[str, Tag]]) -> spans.Raw:
    """A line for each row and list of tags. keys: list's name -> its parsed tags."""
    text_key, annotator, tagged = opened.file_column(TEXT), opened.file_column(_WHO), list[list[Tag]]()

    def lines(row: spans.Holder) -> Iterator[spans.Line]:
        words = _words(row)
        for key in (key for key in keys if row.get(key) is not None):
            tags = row[key]
            is_whole = words is not None and isinstance(tags, list) and len(tags) == len(words)
            if words is None or not is_whole or not all(isinstance(tag, str) and tag in keys[key] for tag in tags):
                raise DataError(f", {key}: expected a tag such as O or B-claim for each token; got {kind(tags)}")
            tagged.append([keys[key][tag] for tag in tags])
            text, marks = _marked(words, tagged[-1])
            yield spans.Line({**row, text_key: text, **({annotator: key} if len(keys) > 1 else {})}, marks)

    raw = spans.read_lines(opened, spans.SpanTool(lines, based=False), objects)
    return raw.warned([_REBUILT, *_broken_starts(tagged)])


def _words(row: Mapping[str, Any]) -> list[str] | None:
    """The tokens of a row; None if there are none."""
    words = next((row[key] for key in _TOKENS if key in row), None)
    return words if isinstance(words, list) and all(isinstance(one, str) for one in words) else None


def _lists(values: Sequence[object]) -> dict[str, dict[str, Tag]]:
    """Key of the rows' lists of tags -> the parsed tags."""
    lists: dict[str, list[Any]] = {}
    for name, listed in chain.from_iterable(row.items() for row in values if isinstance(row, dict)):
        if isinstance(listed, list) and name not in _TOKENS:
            lists.setdefault(name, []).extend(listed)
    texts = {name: listed for name, listed in lists.items() if listed and all(isinstance(one, str) for one in listed)}
    tags = {name: tags_among(listed) for name, listed in texts.items()}
    return {name: tags_of for name, tags_of in tags.items() if len(tags_of) == len({*texts[name]})}


def _sentences_of_table(opened: spans.Found) -> tuple[Objects, list[str]]:
    """The sentences of a table with a row per token, and a warning if no column identifies them.

    An empty cell of the sentence's column repeats the one above it.
    """
    names, source = opened.options, opened.source
    table = collect(source, scan(source)).cast(pl.String)
    token, tags = _columns_of_table(table)
    columns = [name for name in table.columns if name not in (token, *tags)]
    sentence = names.columns.get(ID) or nearest_to(_SENTENCES, columns)
    if sentence and sentence not in columns:
        raise missing_columns(source.name, {ID: sentence}, columns)
    sentence_ids = pl.col(sentence).forward_fill() if sentence else pl.lit("1")
    table = table.with_columns(pl.col(token).fill_null(""), sentence_ids.alias(ID))
    rows = table.group_by(pl.col(ID).rle_id().alias(_TOKENS[1]), maintain_order=True).agg(
        pl.col(ID).first().alias(names.column_of(ID)), pl.col(token).alias(_TOKENS[0]), *tags
    )
    objects = Objects(source.name, "sentence", range(1, rows.height + 1), rows.drop(_TOKENS[1]).to_dicts())
    alone = f"no column identifies sentences, so all tokens are one text: {flag_name('columns')} id=COLUMN"
    return objects, [] if sentence else [alone]


def _columns_of_table(table: pl.DataFrame) -> tuple[str, list[str]]:
    """The column of tokens, and the columns of tags. Raises DataError if there are none."""
    token = next((name for name in table.columns if joined_key(name) in ("token", "word", *_TOKENS)), None)
    cells = {name: table[name].drop_nulls().unique().to_list() for name in table.columns if name != token}
    tags = [name for name, values in cells.items() if values and len(tags_among(values)) == len(values)]
    if token is None or not tags:
        raise DataError(f": expected a column of tokens and one of tags; got {', '.join(table.columns):.300}")
    return token, tags


def _has_tokens(opened: spans.Found) -> bool:
    if opened.is_json or opened.is_nested:
        return bool(opened.first) and all(map(_words, opened.first)) and bool(_lists(opened.first))
    if not any(joined_key(name) in ("token", "word") for name in opened.names):
        return False
    with suppress(DataError):
        head = collect(opened.source, scan(opened.source).head(_LOOKED_AT)).cast(pl.String)
        return any(head[name].n_unique() > 1 for name in _columns_of_table(head)[1])
    return False


FORMAT = (
    Format("conll", "violations", read_conll, _is_conll, 2, (".conll", ".bio", ".iob")),
    Format("tagged-tokens", "violations", read_tagged_tokens, _has_tokens, 1, (".jsonl", ".json", ".parquet", ".csv")),
)
