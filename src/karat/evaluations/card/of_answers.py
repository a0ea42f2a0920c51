"""Answers of models and verdicts on them as labels: is an answer correct, by people, by judges and by rules?"""

from collections.abc import Sequence

import polars as pl

from karat.errors import DataError
from karat.evaluations.other_forms import holds
from karat.formats import answers, judgments
from karat.formats.findings import counted, listed
from karat.formats.opened import Opened, format_of, opened
from karat.formats.side_tables import read_answer_verdicts
from karat.formats.source import Source
from karat.formats.tables import ROW, read_texts
from karat.schemas.answers import ANSWER_KEYS, ANSWERS, VERDICTS, Answers, noise_of
from karat.schemas.columns import check_there
from karat.schemas.rules import number_in

SCORERS = ("strict", "document", "benchmark")
"""Rules that judge answers, by the names that choose them."""
_CORRECT, *_OTHERS = VERDICTS
_LABELS = {True: "correct", False: "wrong"}
_CLOSED, _WHO = "closed", "annotator"
_CALLED = {"model": "answered_by", "noise_ratio": "noise"}
"""What may be grouped by, under names that no table of Karat's has."""

Told = tuple[pl.DataFrame, list[str]]
"""A table of labels, and warnings."""


def is_answers(found: Opened[judgments.Options]) -> bool:
    """Whether a source holds answers of models beside true ones."""
    return format_of("rag", found) is not None or holds(found, "id", "ability", "response")


def is_verdicts(found: Opened[judgments.Options]) -> bool:
    """Whether a source holds verdicts on answers."""
    return holds(found, "id", "model", _CORRECT)


def _named(source: Source, options: judgments.Options, names: Sequence[str]) -> dict[str, str]:
    """Karat's name of each of these columns that a source holds -> the source's, which may be Karat's own."""
    found = opened(source, options)
    called = {name: found.theirs(name) if found.theirs(name) in found.names else name for name in names}
    return {name: theirs for name, theirs in called.items() if theirs in found.names}


def labels_of_answers(sources: Sequence[Source], scorers: Sequence[str], options: judgments.Options) -> list[Told]:
    """Of each source of answers a row for each answer and scorer; of each source of verdicts one for each of these.

    scorers: those that are asked for. An item is an answer, in the cluster of its question.
    """
    of_answers = [is_answers(opened(source, options)) for source in sources]
    _check_columns(sources, options, [] if any(of_answers) else ANSWER_KEYS)
    known, read = _answers(sources, of_answers, options)
    items = _items(known, options)
    return [
        _by_rules(source, known, items, read[source.name], scorers)
        if own
        else _by_people(source, known, items, options)
        for source, own in zip(sources, of_answers, strict=True)
    ]


def _check_columns(sources: Sequence[Source], options: judgments.Options, keys: Sequence[str]) -> None:
    """Raises OptionError for a column of verdicts that no input has. keys: further ones, where none holds answers."""
    found = dict.fromkeys(name for source in sources for name in opened(source, options).names)
    asked = [options.columns[name] for name in (_WHO, *VERDICTS, *keys) if name in options.columns]
    check_there(" and ".join(source.name for source in sources), [("columns", name) for name in asked], found)


def _answers(
    sources: Sequence[Source], of_answers: Sequence[bool], options: judgments.Options
) -> tuple[pl.DataFrame, dict[str, Answers]]:
    """All answers that are known: those of the sources that hold some, else those that verdicts are about."""
    by = [name for name in options.by if name not in {*ANSWERS, *_CALLED.values(), *options.named}]
    read = {}
    for one in (source for source, own in zip(sources, of_answers, strict=True) if own):
        named = _named(one, options, [name for name in answers.KNOWN_COLUMNS if name in options.columns])
        how = answers.Options(columns=named, by=by, cluster=options.columns.get("cluster"), drop=options.drop)
        read[one.name] = answers.read_answers(one, how)
    if read:
        return answers.together(list(read.values())), read
    each = [_named(source, options, ANSWER_KEYS) for source in sources]
    keys = list(each[0])
    if odd := next((nth for nth, names in enumerate(each) if list(names) != keys), None):
        raise DataError(
            f"{sources[odd].name}: expected answers named by {listed(keys)} as in {sources[0].name}; got "
            f"{listed(list(each[odd]))}. Give the file of the answers too, which tells one from another"
        )
    found = pl.concat(read_texts(source, names).select(keys) for source, names in zip(sources, each, strict=True))
    if "noise_ratio" in keys:
        noise = number_in("noise_ratio")
        found = found.with_columns(noise_ratio=noise_of(noise) if "ability" in keys else noise)
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
    table = read_texts(source, _named(source, options, [*ANSWER_KEYS, *VERDICTS, _WHO])).drop(ROW)
    several = _WHO in table.columns
    each = {one[_WHO][0]: one for one in table.partition_by(_WHO)} if several else {source.stem: table}
    tables, told, others = [], list[str](), 0
    for name, rows in each.items():
        part = Source(f"{source.name} ({name})" if several else source.name, "table", table=rows)
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
