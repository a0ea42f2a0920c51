"""Several data sets of pairs as one: the same id is the same pair, and annotators stand side by side.

What is said of a pair in one of them holds for all: texts, prompts and models that differ are refused, and so are two
different votes of one annotator. Metadata that differ are those of the first, with a warning.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from karat.errors import DataError
from karat.formats.findings import Findings, counted, cut, listed
from karat.formats.pairs import RESPONSES
from karat.schemas.pairs import CODE, LENGTHS, TEXTS, VOTES, Annotator, Pairs, with_lengths
from karat.text.ids import alike_warnings

_SET = "__set__"
_SAID = tuple(name for name in TEXTS if name != "pair")
_CLASH = "clash:"


def merged(sets: Sequence[Pairs], names: Sequence[str], *, drop: bool) -> Pairs:
    """One data set of several. names: of their files, for messages. drop: leave out pairs that clash.

    The trusted annotator is that of the first. Raises DataError with all clashes.
    """
    if len(sets) == 1:
        return sets[0]
    annotators = _annotators(sets)
    metadata = list(dict.fromkeys(name for one in sets for name in one.metadata))
    every = pl.concat([_known(one, place) for place, one in enumerate(sets)], how="diagonal")
    frame = _joined(every, metadata, annotators).collect(engine="streaming").sort("first").drop("first")
    findings = Findings("pair")
    kept = _without_clashes(frame, every, names, annotators, findings)
    warnings = [*(one for pairs in sets for one in pairs.warnings), *findings.settle(drop=drop)]
    warnings += [*_differing(frame, metadata), *alike_warnings("pairs", frame["pair"])]
    if kept.is_empty():
        raise DataError(f"{listed(names, say=str)}: no pair is left after dropping")
    whole = with_lengths(kept.lazy().with_columns(pl.col(RESPONSES).fill_null("")))
    default = sets[0].default
    if others := {one.default for one in sets} - {default, None}:
        trusted = "no annotator is trusted" if default is None else f"the trusted annotator is {default:.60}"
        warnings.append(f"{trusted}, as in {names[0]}; others have {listed(sorted(map(str, others)))}")
    columns = [*TEXTS, *LENGTHS, *metadata, *(one.column for one in annotators)]
    return Pairs(
        listed(dict.fromkeys(one.name for one in sets), 1, str),
        whole.select(columns),
        annotators,
        default,
        tuple(metadata),
        _same([one.description for one in sets]),
        _same([one.created_at for one in sets]),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _same(texts: Sequence[str | None]) -> str | None:
    return texts[0] if len(set(texts)) == 1 else None


def _annotators(sets: Sequence[Pairs]) -> tuple[Annotator, ...]:
    """All annotators by id, each as the first data set that names it knows it."""
    found: dict[str, Annotator] = {}
    for one in (annotator for pairs in sets for annotator in pairs.annotators):
        known = found.setdefault(one.id, one)
        found[one.id] = replace(known, name=known.name or one.name, description=known.description or one.description)
    return tuple(found.values())


def _known(pairs: Pairs, place: int) -> pl.LazyFrame:
    """A data set without lengths; texts are unknown where neither response says anything."""
    silent = (pl.col("text_a") == "") & (pl.col("text_b") == "")
    texts = [pl.when(~silent).then(pl.col(side)).alias(side) for side in RESPONSES]
    return pairs.frame.drop(LENGTHS, strict=False).with_columns(*texts, pl.lit(place).alias(_SET))


def _joined(every: pl.LazyFrame, metadata: Sequence[str], annotators: Sequence[Annotator]) -> pl.LazyFrame:
    """A row per pair, with what clashes among the rows that it had, and where it stood first."""
    votes = [one.column for one in annotators]
    numbered = every.with_columns(pl.col(votes).fill_null(CODE["missing"])).with_row_index("first")
    given = [pl.col(name).drop_nulls() for name in (*_SAID, *metadata)]
    cast = [pl.col(name).filter(pl.col(name) != CODE["missing"]) for name in votes]
    return numbered.group_by("pair").agg(
        pl.col("first").min(),
        *(one.first() for one in given),
        *(one.first().fill_null(CODE["missing"]) for one in cast),
        *((one.n_unique() > 1).name.prefix(_CLASH) for one in (*given, *cast)),
    )


def _without_clashes(
    frame: pl.DataFrame, every: pl.LazyFrame, names: Sequence[str], annotators: Sequence[Annotator], findings: Findings
) -> pl.DataFrame:
    """The pairs of which all that matters is said once; the others are findings."""
    checked = [*_SAID, *(one.column for one in annotators)]
    clashes = pl.any_horizontal(pl.col([_CLASH + name for name in checked]))
    wrong = frame.filter(clashes)
    if wrong.height:
        rows = every.filter(pl.col("pair").is_in(wrong["pair"].implode())).collect()
        for pair in wrong.iter_rows(named=True):
            for name in checked:
                if pair[_CLASH + name]:
                    findings.add(_clash(rows.filter(pl.col("pair") == pair["pair"]), name, pair["pair"], names))
        findings.dropped += wrong.height
    return frame.filter(~clashes)


def _clash(rows: pl.DataFrame, name: str, pair: str, names: Sequence[str]) -> str:
    """Where two data sets say different things of a pair, and what."""
    vote = name not in _SAID
    empty = [None, CODE["missing"]] if vote else [None]
    told = [(place, value) for place, value in rows.sort(_SET).select(_SET, name).rows() if value not in empty]
    (first, ours), (second, theirs) = told[0], next(one for one in told if one[1] != told[0][1])
    said = [VOTES[one] if vote else f'"{cut(one)}"' for one in (ours, theirs)]
    what = f"one vote of annotator {name.partition(':')[2]:.60}" if vote else f"one {name}"
    return f"pair {pair:.60}: expected {what}; got {said[0]} in {names[first]}, {said[1]} in {names[second]}"


def _differing(frame: pl.DataFrame, metadata: Sequence[str]) -> Iterator[str]:
    """A warning for each column of metadata that differs."""
    for name in metadata:
        if count := int(frame[_CLASH + name].sum()):
            yield f"{name:.60} differs in {counted(count, 'pair', 'pairs')}; the first file's is kept"
