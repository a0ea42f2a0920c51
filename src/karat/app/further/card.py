"""A judge's card: labels of a person, as a file that the card reads beside the others."""

import shlex
from collections.abc import Mapping, Sequence

import polars as pl

from karat.api.calls import arguments_of, documented_as
from karat.app import words
from karat.app.labelling import Form, Labels, label
from karat.app.results import Result
from karat.evaluations.card.outcomes import LABELS_OF_PEOPLE

_FILE = "labelled.jsonl"
_OF_JUDGES = ("certainty", "draw")
"""Options that name columns which are not shown to a person."""
_OTHER_FORMS = {"annotator_columns", "item_columns"}
"""Options that say of files that they do not hold a label in each row."""
_ORDER = "Those that the fewest people labelled stand first."
_MOST = 30
"""Labels one chooses from."""


def _label(result: Result) -> None:
    """Ask for labels, first of the items that the fewest people labelled."""
    if result.read is None:
        words.say("The items are not at hand: open the files of labels themselves.")
        return
    given = pl.col("who").cast(pl.String).is_in(result.read.people)
    items = result.read.labels.group_by("item", maintain_order=True).agg(people=given.sum()).sort(
        "people", maintain_order=True
    )["item"].cast(pl.String).to_list()  # fmt: skip
    known = result.read.labels["label"].cast(pl.String).unique().drop_nulls().sort().to_list()
    if any(result.given.get(one) for one in _OTHER_FORMS) or len(known) > _MOST:
        words.say(f"Labels can be given where files hold one in each row, and there are at most {_MOST} of them.")
        return
    hidden = {LABELS_OF_PEOPLE, *(result.report.options.get(name) for name in _OF_JUDGES)}

    def show(item: str) -> None:
        for name, text in (result.texts([{"item": item}])[0] or {"item": item}).items():
            if name not in hidden:
                words.text(name, text)

    def save(who: str, labels: Labels) -> bytes:
        texts = result.texts([{"item": item} for item in labels])
        held = {
            item: {name: None if name in hidden else own.get(name) for name in _named(result)}
            for item, own in zip(labels, texts, strict=True)
        }
        rows = rows_of(who, labels, result.given.get("columns", {}), held)
        return pl.DataFrame(rows, infer_schema_length=None).write_ndjson().encode()

    command = f"{result.report.command} {shlex.quote(_FILE)}"
    said, labels = {one: one for one in known}, result.read.labels

    def labelled(who: str) -> Sequence[str]:
        theirs: list[str] = labels.filter(pl.col("who").cast(pl.String) == who)["item"].cast(pl.String).to_list()
        return theirs

    form = Form(items, lambda _: ["label"], said, show, save, _FILE, lambda _: command, _ORDER, labelled=labelled)
    label(result, form)


def _named(result: Result) -> list[str]:
    """The columns that options name: every file must have them."""
    own = arguments_of(documented_as(result.function).function).values()
    values = (result.report.options.get(one.name) for one in own if "COLUMN" in (one.option.metavar or ""))
    return [name for value in values if value for name in ([value] if isinstance(value, str) else value)]


def rows_of(
    who: str, labels: Labels, columns: Mapping[str, str], held: Mapping[str, Mapping[str, str | None]]
) -> list[dict[str, str | None]]:
    """Labels as a table with one in each row.

    columns: Karat's columns -> what the files call them. held: what else stands in the row of an item.
    """
    found: list[dict[str, str | None]] = []
    for item, said in labels.items():
        row = {"item": item, "annotator": who, "label": said["label"]}
        found.append({**{columns.get(name, name): value for name, value in row.items()}, **held[item]})
    return found


def known(result: Result) -> Mapping[str, Sequence[str]]:
    """Whom options may name: judges and people."""
    return {"NAME": [*result.read.judges, *result.read.people]} if result.read is not None else {}


VIEWS = {"Label": _label}
