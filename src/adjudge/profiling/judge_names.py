"""Who of several annotators is a judge: models by their names, and those who label items several times."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.evaluations.card.reading import is_model
from adjudge.profiling.file_profile import Seen
from adjudge.profiling.guess import found_names
from adjudge.readers.pairs.pairs import Options, read_pairs

_LONG = 60
"""Longer values are no names."""


def judges_in_words(models: Sequence[str], again: Sequence[str]) -> str:
    """Why these are judges."""
    named = f"{', '.join(models)} {'is a model' if len(models) == 1 else 'are models'}, to judge by the name"
    asked = f"{', '.join(again)} label{'s' if len(again) == 1 else ''} items several times, and others do not"
    return "; ".join([*([named] if models else []), *([asked] if again else [])])


def with_run_column(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that name the run column, if a second column beside the item numbers repeated answers of a judge."""
    columns = dict(options.get("columns", {}))
    item, repeated, draw = columns.get("item", "").partition("+")
    if not repeated:
        return dict(options)
    del columns["item"]
    named = columns | ({"item": item} if item != "item" else {})
    others = {name: value for name, value in options.items() if name != "columns"}
    return {**others, **({"columns": named} if named else {}), "run_column": draw}


def repeated_annotators(files: Sequence[Seen], options: Mapping[str, Any]) -> list[str]:
    """Who labels items several times, by a column of draws, where others do not, in the rows that were looked at."""
    columns = options.get("columns", {})
    item, _, draw = columns.get("item", "").partition("+")
    if len(files) != 1 or not draw:
        return []
    (seen,), annotator = files, columns.get("annotator", "annotator")
    table = seen.table
    if found_names("rag", ["draw"], table) != {"draw": draw} or not {item, annotator} <= {*table.names}:
        return []
    pairs = Counter(zip(table[item].values, table[annotator].values, strict=True))
    several = dict.fromkeys(str(who) for (_, who), count in pairs.items() if count > 1 and who is not None)
    return sorted(several) if len(several) < len(table[annotator].distinct) else []


def may_name_models(files: Sequence[Seen]) -> bool:
    """Whether a name of a file, a column or a value seems to be that of a model: others are not read again."""
    for one in files:
        if b'"model"' in one.source.start().content:
            return True
        names = {one.source.stem, *one.table.names}
        values = (value for column in one.table.columns.values() if not column.is_prose for value in column.distinct)
        if any(map(is_model, names)) or any(is_model(value) for value in values if len(value) <= _LONG):
            return True
    return False


def annotator_kinds(files: Sequence[Seen]) -> dict[str, str]:
    """What kind of annotator somebody is, where pairs say it."""
    marked = [one for one in files if b'"annotators"' in one.source.start().content]
    read = [read_pairs(one.source, Options()) for one in marked]
    return {one.name or one.id: one.type for data in read for one in data.annotators}
