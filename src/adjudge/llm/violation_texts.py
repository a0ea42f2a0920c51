"""Texts, rules and phrases that models are asked about, and the files of violations that they find or plant."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import DataError, OptionError
from adjudge.options.shared import Reading

if TYPE_CHECKING:
    import polars as pl

    from adjudge.llm.checking import Found, Rule
    from adjudge.llm.planting import Planting, Written
    from adjudge.llm.prompts import Template
    from adjudge.readers.io.source import How, Source


def texts_of(
    texts: Any,  # noqa: ANN401 - a path or a table
    columns: Mapping[str, str] | None = None,
    how: "How | None" = None,
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Texts by id, and what was done to read them.

    Raises DataError where one has no text, and for an id that stands twice.
    """
    from adjudge.readers.inputs import source_of
    from adjudge.readers.spans.violations import KNOWN_COLUMNS, Options, read_truth
    from adjudge.schemas.columns import mapped_columns

    source = source_of(texts, how, "violations")
    mapped = mapped_columns(columns or {}, KNOWN_COLUMNS)
    found, told = _texts_alone(source, mapped), source.warnings
    if found is None:
        read = read_truth(source, Options(columns=mapped))
        found, told = read.texts, (*told, *read.warnings)
    empty = found.filter(found["text"].is_null())["id"]
    if len(empty):
        raise DataError(f"{source.name}: expected a text of each id; {empty[0] or 'a row without id':.60} has none")
    twice = found.filter(found["id"].is_duplicated() | found["id"].is_null())["id"]
    if len(twice):
        got = f"{twice[0]:.60} twice" if twice[0] else "a text without id"
        raise DataError(f"{source.name}: expected an id of each text, each once; got {got}")
    return dict(found.select("id", "text").iter_rows()), told


def _texts_alone(source: "Source", mapped: Mapping[str, str]) -> "pl.DataFrame | None":
    """A table of id and text that says nothing of violations; None for anything else."""
    from adjudge.readers.tables import read_texts, scan, schema_of

    theirs = {name: mapped.get(name, name) for name in ("id", "text")}
    marks = {mapped.get(name, name) for name in ("violations", "start", "end", "context", "spans")}
    try:
        names = set(schema_of(source, scan(source, wanted=[*theirs.values(), *marks])).names())
    except DataError:
        return None
    return read_texts(source, theirs) if names >= set(theirs.values()) and not names & marks else None


def rules_of(table: object, reading: Reading) -> "tuple[list[Rule], tuple[str, ...]]":
    """The rules in a table, and what was done to read it."""
    from adjudge.llm.checking import read_rules
    from adjudge.readers.inputs import source_beside

    source = source_beside(table, reading)
    return read_rules(source), source.warnings


def phrases_of(table: object, reading: Reading) -> tuple[list[dict[str, str | None]], tuple[str, ...]]:
    """Right and wrong phrases, and what was done to read them."""
    from adjudge.llm.checking import check_needed
    from adjudge.readers.inputs import source_beside
    from adjudge.readers.tables import read_texts

    source = source_beside(table, reading)
    names = ("right", "wrong", "rule", "category", "explanation")
    check_needed(source, names[:3])
    rows = read_texts(source, {name: name for name in names}, names[3:]).to_dicts()
    for number, row in enumerate(rows, 1):
        lacking = [name for name in names[:3] if not row[name]]
        if lacking or row["right"] == row["wrong"]:
            got = f"no {', '.join(lacking)}" if lacking else f'"{row["right"]:.60}" for both'
            raise DataError(
                f"{source.name}, row {number}: expected a right phrase, a wrong one and the rule it breaks; got {got}"
            )
    return rows, source.warnings


def templates_of(names: tuple[str, ...], folder: str | Path | None) -> "dict[str, Template]":
    """Prompts by name: those of the folder that it holds, else Adjudge's."""
    from adjudge.llm.prompts import template

    own = {name: Path(folder) / f"{name}.toml" for name in names} if folder is not None else {}
    if own and not any(path.is_file() for path in own.values()):
        raise OptionError(
            f"expected a folder with {', '.join(f'{name}.toml' for name in names)}; got {folder}", option="prompts"
        )
    return {name: template(name, own.get(name) if name in own and own[name].is_file() else None) for name in names}


def truth_of(texts: object, name: str) -> "pl.DataFrame":
    """A text with its true violations, as a table."""
    import polars as pl

    from adjudge.readers.inputs import source_of
    from adjudge.readers.spans.violations import Options, read_truth
    from adjudge.schemas.violations import PLACE

    source = source_of(texts, evaluation="violations")
    found = read_truth(source, Options())
    row = found.texts.with_row_index(PLACE).filter(pl.col("id") == name)
    spans = found.spans.join(row.select(pl.col(PLACE).cast(pl.UInt32)), on=PLACE, how="semi").drop(PLACE)
    return row.select("id", "text").with_columns(violations=pl.lit(pl.Series([spans.to_dicts()])))


def write_checked(texts: Mapping[str, str], name: str, output: Path, found: "Found") -> list[str]:
    """Write what a checker found in texts, and say what of it has no place or no answer. name: the checker's."""
    from adjudge.llm.checking import checked_lines
    from adjudge.readers.problems import counted
    from adjudge.render.files import write_lines

    lines = checked_lines(found, texts, name)
    write_lines(lines, output)
    nowhere = sum("invented" in one for line in lines for one in line["violations"] or ())
    left = sum(line["violations"] is None for line in lines)
    inexact = sum(one.is_inexact for many in found.values() if isinstance(many, list) for one in many)
    differs = counted(inexact, "quote differs", "quotes differ")
    invented = counted(nowhere, "quote is", "quotes are")
    silent = counted(left, "text was not answered: its line says", "texts were not answered: their lines say")
    return [
        *([f"{differs} from the text in signs or spelling and stand where the text is nearest"] if inexact else []),
        *([f"{invented} not in the text and counted as invented, without a place"] if nowhere else []),
        *([f"{silent} why"] if left else []),
    ]


def write_planted(planting: "Planting", output: Path, found: "tuple[list[Written], list[Written]]") -> list[str]:
    """Write planted violations, and say how many there are. found: those written, and those that review confirmed."""
    from adjudge.render.files import write_lines

    written, confirmed = found
    write_lines(planting.lines(confirmed), output)
    removed = len(written) - len(confirmed)
    return [f"{in_texts(len(confirmed), len(planting.texts))}, {removed:,} removed by review"]


def in_texts(violations: int, texts: int) -> str:
    """So many violations in so many texts, in words."""
    from adjudge.readers.problems import counted

    return f"{counted(violations, 'violation', 'violations')} in {counted(texts, 'text', 'texts')}"
