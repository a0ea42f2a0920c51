"""Answers of models and verdicts on them as labels: is an answer correct, by people, by judges and by rules?"""

from collections.abc import Sequence

import polars as pl

from karat.errors import DataError
from karat.formats import answers, judgments
from karat.formats.findings import counted, listed
from karat.formats.opened import Opened, format_of, opened
from karat.formats.side_tables import read_answer_verdicts
from karat.formats.source import Source
from karat.formats.tables import ROW, read_texts
from karat.schemas.answers import ANSWER_KEYS, ANSWERS, VERDICTS, Answers, noise_of
from karat.schemas.rules import number_in

SCORERS = ("strict", "document", "benchmark")
"""Rules that judge answers, by the names that choose them."""
_CORRECT, *_OTHERS = VERDICTS
_LABELS = {True: "correct", False: "wrong"}
_CLOSED = "closed"
_CALLED = {"model": "answered_by", "noise_ratio": "noise"}
"""What may be grouped by, under names that no table of Karat's has."""

Told = tuple[pl.DataFrame, list[str]]
"""A table of labels, and warnings."""


def is_answers(found: Opened[judgments.Options]) -> bool:
    """Whether a source holds answers of models beside true ones."""
    return format_of("rag", found) is not None or {"id", "ability", "response"} <= set(found.names)


def is_verdicts(found: Opened[judgments.Options]) -> bool:
    """Whether a source holds verdicts on answers."""
    return {"id", "model", _CORRECT} <= set(found.names)


def labels_of_answers(sources: Sequence[Source], scorers: Sequence[str], options: judgments.Options) -> list[Told]:
    """Of each source of answers a row for each answer and scorer; of each source of verdicts one for each of these.

    scorers: those that are asked for. An item is an answer, in the cluster of its question.
    """
    of_answers = [is_answers(opened(source, options)) for source in sources]
    known, read = _answers(sources, of_answers, options)
    items = _items(known, options)
    return [
        _by_rules(source, known, items, read[source.name], scorers)
        if own
        else _by_people(source, known, items, options)
        for source, own in zip(sources, of_answers, strict=True)
    ]


def _answers(
    sources: Sequence[Source], of_answers: Sequence[bool], options: judgments.Options
) -> tuple[pl.DataFrame, dict[str, Answers]]:
    """All answers that are known: those of the sources that hold some, else those that verdicts are about."""
    by = [name for name in options.by if name not in {*ANSWERS, *_CALLED.values(), *options.named}]
    how = answers.Options(by=by, cluster=options.columns.get("cluster"), drop=options.drop)
    read = {one.name: answers.read_answers(one, how) for one, own in zip(sources, of_answers, strict=True) if own}
    if read:
        return answers.together(list(read.values())), read
    keys = [[name for name in ANSWER_KEYS if name in opened(source, options).names] for source in sources]
    if odd := next((nth for nth, names in enumerate(keys) if names != keys[0]), None):
        raise DataError(
            f"{sources[odd].name}: expected answers named by {listed(keys[0])} as in {sources[0].name}; got "
            f"{listed(keys[odd])}. Give the file of the answers too, which tells one from another"
        )
    named = [read_texts(source, {name: name for name in keys[0]}).select(keys[0]) for source in sources]
    found = pl.concat(named)
    if "noise_ratio" in keys[0]:
        noise = number_in("noise_ratio")
        found = found.with_columns(noise_ratio=noise_of(noise) if "ability" in keys[0] else noise)
    return found.unique(maintain_order=True), read


def _items(known: pl.DataFrame, options: judgments.Options) -> pl.DataFrame:
    """What stands in each row about an answer: its item, by all that tells it from others; cluster, and columns."""
    keys = [name for name in (*ANSWER_KEYS, _CLOSED) if name in known.columns]
    telling = [name for name in keys if name == "id" or known[name].n_unique() > 1]
    cluster = pl.coalesce("cluster", "id") if "cluster" in known.columns else pl.col("id")
    texts = [name for name in ("response", *options.by) if name in known.columns and name not in keys]
    return known.select(
        pl.concat_str(telling, separator=" ", ignore_nulls=True).alias("item"),
        cluster.alias(options.columns.get("cluster", "cluster")),
        *(pl.col(name).cast(pl.String).alias(_CALLED.get(name, name)) for name in [*keys, *texts]),
    )


def _by_rules(source: Source, known: pl.DataFrame, items: pl.DataFrame, read: Answers, scorers: Sequence[str]) -> Told:
    from karat.evaluations.rag import scoring
    from karat.evaluations.rag.outcomes import REJECTION

    keys = [*ANSWER_KEYS, _CLOSED]
    own = known.with_row_index().join(read.frame.select(keys), on=keys, how="semi", nulls_equal=True)
    tables, told = [], [*read.warnings]
    for name in scorers:
        verdicts = scoring.verdicts(own.drop("index"), scoring.SCORERS[name])
        said = verdicts.select(pl.when(own["ability"] != REJECTION).then(_CORRECT)).to_series()
        tables.append(_labelled(items[own["index"]], pl.lit(name), said))
        if count := said.null_count():
            told.append(f"{source.name}: {name} says nothing of {counted(count, 'answer', 'answers')}")
    return pl.concat(tables), told


def _by_people(source: Source, known: pl.DataFrame, items: pl.DataFrame, options: judgments.Options) -> Told:
    """The verdicts of whoever a column names, else of one who is called as the file."""
    who = opened(source, options).theirs("annotator")
    names = opened(source, options).names
    table = read_texts(source, {name: name for name in names if name in (*ANSWER_KEYS, *VERDICTS, who)}).drop(ROW)
    each = {source.stem: table} if who not in names else {one[who][0]: one for one in table.partition_by(who)}
    tables, told, others = [], list[str](), 0
    for name, rows in each.items():
        part = Source(f"{source.name} ({name})" if who in names else source.name, "table", table=rows)
        said, _, warnings = read_answer_verdicts(part, known)
        tables.append(_labelled(items, pl.lit(name), said[_CORRECT]))
        told += warnings
        others += said.filter(pl.col(_CORRECT).is_null(), pl.any_horizontal(pl.col(_OTHERS).is_not_null())).height
    if others:
        have = counted(others, "verdict says", "verdicts say")
        told.append(f"{source.name}: {have} something else than whether an answer is correct; left out")
    return pl.concat(tables), told


def _labelled(items: pl.DataFrame, who: pl.Expr, said: pl.Series) -> pl.DataFrame:
    label = pl.lit(said).replace_strict(_LABELS, return_dtype=pl.String, default=None)
    return items.with_columns(who.alias("annotator"), label.alias("label")).drop_nulls("label")
