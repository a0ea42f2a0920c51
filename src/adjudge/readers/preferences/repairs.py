"""What can be repaired of a file of predictions without a guess: spaces and case in names, ids and labels.

A name, an id or a label becomes one that is known where it differs from that alone by spaces, case or the `.0` of a
number, and from no other. Leading zeros are not restored, since nothing says how many there were.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable

import polars as pl

from adjudge.readers.io.source import Source
from adjudge.readers.preferences.preferences import Options
from adjudge.readers.problems import counted, listed
from adjudge.readers.tables import as_text, collect, is_flat, scan, schema_of
from adjudge.schemas.preferences import LABEL, JudgedItems

_DECIMAL = re.compile(r"\.0+$")
_BETWEEN = re.compile(r"[\s_-]+")


def repaired(source: Source, options: Options, gold: JudgedItems) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The file's columns as text, repaired, and what was done; rows, their order and other columns are kept."""
    frame = scan(source)
    schema = schema_of(source, frame)
    held = [name for name, dtype in schema.items() if is_flat(dtype)]
    table = collect(source, frame.select(as_text(pl.col(name), schema[name]).alias(name) for name in held))
    ids, labels = options.theirs("id"), [options.theirs(one) for one in options.predicted if one.startswith(LABEL)]
    wanted = [ids, *map(options.theirs, options.predicted)]
    done = [*source.warnings]
    renamed = meant(table.columns, wanted, _as_word, once=True)
    table = table.rename(renamed)
    done += [f'column "{old:.60}" is now called {new}' for old, new in renamed.items()]
    repairs = [(ids, gold.frame["id"], _as_id), *((column, options.task.labels, _as_word) for column in labels)]
    for column, known, plain in repairs:
        found = table[column].drop_nulls().unique(maintain_order=True) if column in table.columns else ()
        if changes := meant(found, known, plain, once=column == ids):
            count = int(table[column].is_in(list(changes)).sum())
            told = [f'"{old:.60}" is now "{new:.60}"' for old, new in changes.items()]
            done.append(f"column {column}: {counted(count, 'cell was', 'cells were')} repaired: {listed(told, 3, str)}")
            table = table.with_columns(pl.col(column).replace(changes))
    rows = counted(table.height, "row was", "rows were")
    return table, (*done, f"{rows} read and written, in UTF-8 with tabs between columns")


def meant(
    found: Collection[str], known: Iterable[str], plain: Callable[[str], str], *, once: bool = False
) -> dict[str, str]:
    """What is not known -> what it means: the only known text that is equal to it once both are made plain.

    once: whether to leave what would then stand twice.

    >>> meant(["Both good", "a", "x"], ["A", "B", "both_good"], str.lower)
    {'a': 'A'}
    """
    texts: dict[str, list[str]] = {}
    for text in (exact := dict.fromkeys(known)):
        texts.setdefault(plain(text), []).append(text)
    others = ((text, texts.get(plain(text), [])) for text in found if text not in exact)
    changes = {text: alike[0] for text, alike in others if len(alike) == 1}
    after = Counter(changes.get(text, text) for text in found)
    return {old: new for old, new in changes.items() if after[new] == 1 or not once}


def _as_word(text: str) -> str:
    """A name or label without spaces, case, and what may stand for a space."""
    return _BETWEEN.sub("_", text.strip()).casefold()


def _as_id(text: str) -> str:
    """An id without spaces around it, case, and the decimal zero of a number."""
    return _DECIMAL.sub("", text.strip()).casefold()
