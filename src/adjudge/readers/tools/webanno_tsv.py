"""WebAnno TSV 3, which WebAnno and INCEpTION export: sentences of tokens, with layers of annotations as columns.

#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Claim|value

#Text=Cures headache.
1-1	0-5	Cures	claim[1]
1-2	6-14	headache	claim[1]
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile, zip_longest
from typing import NamedTuple

from adjudge.errors import DataError
from adjudge.readers.spans import span_records as spans

_MARK, _LAYER, _SENTENCE = "#FORMAT=WebAnno TSV 3", "#T_SP=", "#Text="
_GRAMMAR = re.compile(r"de\.tudarmstadt\.ukp\.dkpro\.core\.api\.(lexmorph|segmentation|syntax)\.")
"""Layers of grammar, which mark no spans."""
_ROW = re.compile(r"\d+-\d+(?:\.\d+)?\t(\d{1,15})-(\d{1,15})\t")
_BAR, _ESCAPED = re.compile(r"(?<!\\)\|"), re.compile(r"\\(->|.)")
_STACKED = re.compile(r"(.*?)(?:(?<!\\)\[(\d+)\])?", re.DOTALL)
_NONE, _UNSET = ("_", ""), ("_", "", "*")
"""Cells of a token without an annotation, and of an unset feature."""


class _Layer(NamedTuple):
    """A layer of spans: its name, and its features, a column each from `first` on; None for columns of slots."""

    name: str
    features: list[str | None]
    first: int


class _Sentence(NamedTuple):
    """A sentence: the lines of its text, and its tokens' rows, each with start, end and the columns of layers."""

    lines: list[str]
    rows: list[tuple[int, int, list[str]]]


def read_webanno_tsv(opened: spans.Found) -> Iterator[spans.Held]:
    """A line for each sentence, by its number. The first feature that is set is the rule, else the layer's name.

    A warning counts layers of grammar, chains and relations. An annotation across several sentences is one in each.
    """
    rows = [row.rstrip("\r") for row in opened.source.text().split("\n")]
    layers, excluded = _layers(rows)
    yield from [spans.Skipped("layers of grammar, chains and relations are excluded")] * excluded
    sentences = list[_Sentence]()
    for number, row in enumerate(rows, 1):
        if row.startswith(_SENTENCE):
            if not sentences or sentences[-1].rows:
                sentences.append(_Sentence([], []))
            sentences[-1].lines.append(row.removeprefix(_SENTENCE))
        elif sentences and (token := _ROW.match(row)):
            sentences[-1].rows.append((int(token[1]), int(token[2]), row.split("\t")))
        elif row.strip() and not row.startswith("#"):
            raise DataError(f'{opened.source.name}, line {number}: expected the row of a token; got "{row:.60}"')
    for nth, sentence in enumerate(sentences, 1):
        text = "\n".join(map(_unescaped, sentence.lines))
        yield spans.Line({spans.ID: str(nth), spans.TEXT: text}, _marks(sentence, text, layers))


def _layers(rows: Sequence[str]) -> tuple[list[_Layer], int]:
    """The layers of spans that are read, and the number of other layers."""
    layers, excluded, column = list[_Layer](), 0, 3
    for line in takewhile(lambda row: not row.strip() or row.startswith("#"), rows):
        excluded += line.startswith(("#T_CH=", "#T_RL="))
        if line.startswith(_LAYER):
            name, *features = line.removeprefix(_LAYER).split("|")
            slots = [one.startswith("ROLE_") for one in features]
            plain = [None if any(slots[max(at - 1, 0) : at + 1]) else one for at, one in enumerate(features)]
            excluded += bool(_GRAMMAR.match(name))
            layers += [] if _GRAMMAR.match(name) else [_Layer(name, plain or [""], column)]
            column += max(len(features), 1)
    return layers, excluded


def _marks(sentence: _Sentence, text: str, layers: Sequence[_Layer]) -> list[object]:
    """The annotations of a sentence; a shared id joins those of several tokens."""
    points, base = spans.code_points(text), sentence.rows[0][0] if sentence.rows else 0
    marks: dict[object, dict[str, str]] = {}
    for at, (start, end, cells) in enumerate(sentence.rows):
        first, last = (str(points.get(offset - base, offset - base)) for offset in (start, end))
        for layer in layers:
            for nth, (identity, rule) in enumerate(_annotations(cells, layer)):
                key = (layer.name, identity or f"{at} {nth}")
                marks.setdefault(key, {"start": first, "rule": rule})["end"] = last
    return list(marks.values())


def _annotations(cells: Sequence[str], layer: _Layer) -> Iterator[tuple[str | None, str]]:
    """The annotations of a layer at a token: the id of each, if it has one, and its rule."""
    columns = cells[layer.first : layer.first + len(layer.features)]
    for values in zip_longest(*map(_BAR.split, columns), fillvalue=_UNSET[-1]):
        if all(value in _NONE for value in values):
            continue
        split = [match.groups("") for value in values if (match := _STACKED.fullmatch(value))]
        named = zip(layer.features, split, strict=False)
        values_set = (value for name, (value, _) in named if name is not None and value not in _UNSET)
        rule = next(map(_unescaped, values_set), layer.name.rpartition(".")[2])
        yield next((identity for _, identity in split if identity), None), rule


def _unescaped(text: str) -> str:
    r"""A text without escapes.

    >>> _unescaped(r"a\_b \-> c")
    'a_b -> c'
    """
    signs = {"t": "\t", "n": "\n", "r": "\r"}
    return _ESCAPED.sub(lambda match: signs.get(match[1], match[1]), text)


def _looks_like(opened: spans.Found) -> bool:
    return opened.is_text and opened.start.content.startswith(_MARK.encode())


FORMAT = spans.Format("webanno-tsv", "violations", read_webanno_tsv, _looks_like, 3, (".tsv",))
