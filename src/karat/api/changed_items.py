"""Items whose outcome changed from run to run, as examples with their texts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.api.options import documented_as, further_inputs

if TYPE_CHECKING:
    import polars as pl

    from karat.evaluations.scoring import Row, Texts
    from karat.figures.joining import Joined
    from karat.formats.saved_runs import Run

_AS = {
    "item": "item",
    "judge": "first",
    "reference": "second",
    "part": "part",
    "label": "first_label",
    "reference_label": "second_label",
    "outcome": "change",
}
"""What an example says -> the column of changes that says it.

The first run takes the place of the judge, the second that of the reference.
"""


def changed_items(changes: "pl.DataFrame", data: "Sequence[Joined]") -> "tuple[pl.DataFrame, list[str]]":
    """The changed items as examples, with their texts and the trusted label; and why some have no texts."""
    import polars as pl

    found: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    told: list[str] = []
    for one in data:
        rows = changes.filter(first=one.first.name, second=one.second.name).to_dicts()
        said = _AS | _trusted(one, changes.columns)
        texts, why = _beside(one, rows)
        about = [*(["judge"] if len(one.judges) > 1 else []), *one.keys]
        for row, beside in zip(rows, texts, strict=True):
            part = ", ".join(str(row[name]) for name in about if row[name] is not None) if about else None
            found.append({name: {**row, "part": part}[column] for name, column in said.items()} | beside)
        names |= dict.fromkeys([*said, *(name for beside in texts for name in beside)])
        told += why
    return pl.DataFrame(found, schema=dict.fromkeys(names, pl.String)), told


def _trusted(data: "Joined", columns: Sequence[str]) -> dict[str, str]:
    """The columns of trusted labels, which are shown as texts: one, or each run's where some differ."""
    if data.retold:
        runs = ((data.first, "reference_label"), (data.second, "second_reference_label"))
        return {f"right ({run.name})": column for run, column in runs}
    return {"right": "reference_label"} if "reference_label" in columns else {}


def _beside(data: "Joined", rows: "Sequence[Row]") -> "tuple[list[Texts], list[str]]":
    """The texts of each row, what a run itself wrote under its name; and why there are none."""
    theirs = [{**row, "judge": data.judges[row["judge"]]} for row in rows]
    texts, why = [], []
    for run, of_run in ((data.first, rows), (data.second, theirs)):
        found = _item_texts(run, of_run)
        if isinstance(found, str):
            why.append(f"texts of {run.name} are not shown: {found}")
            found = [{} for _ in rows]
        texts.append(found)
    names = data.first.name, data.second.name
    return [_merged(dict(zip(names, both, strict=True))) for both in zip(*texts, strict=True)], why


def _merged(texts: "Mapping[str, Texts]") -> "Texts":
    """The texts of an item by run as one, each once where the runs have the same."""
    found: Texts = {}
    for name in dict.fromkeys(name for of_run in texts.values() for name in of_run):
        said = {run: of_run[name] for run, of_run in texts.items() if name in of_run}
        same = len({*said.values()}) == 1
        found |= {name: said.popitem()[1]} if same else {f"{name} ({run})": text for run, text in said.items()}
    return found


def _item_texts(run: "Run", rows: "Sequence[Row]") -> "list[Texts] | str":
    """The texts of some rows of a run, each name -> text, cut to what one reads; or why they are not at hand.

    A run's inputs are at hand where they are still where they were, and as they were. They are read again as its
    options say.
    """
    from karat.evaluations.scoring import scoring
    from karat.formats.source import sources

    for one in run.inputs:
        if not Path(one.path).is_file():
            return f"{one.path} is not there"
    try:
        evaluation, known = scoring(run.evaluation), documented_as(run.evaluation)
        read = sources([one.path for one in run.inputs], run.options.get("input_format"), run.evaluation)
        for one, source in zip(run.inputs, read, strict=True):
            if source.sha256() != one.sha256:
                return f"{one.path} was changed since"
        own = read[: len(read) - len(further_inputs(known.function, run.options))]
        first, *rest = [name for name, one in known.arguments.items() if one.positional]
        inputs = {first: own[:1], rest[0]: own[1:]} if rest else {first: own}
        return evaluation.texts(evaluation.read(inputs, run.options), rows)
    except (KeyError, TypeError, ValueError):
        return "it does not say how they were read as this version of Karat does"
