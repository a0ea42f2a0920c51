"""Which columns of a long table say what was judged, by whom and how: by name, else by how values repeat."""

from collections.abc import Sequence

from adjudge.look.column_profile import Table
from adjudge.look.key_columns import annotator_of, items_of
from adjudge.look.similar_columns import share
from adjudge.readers.column_names import is_id_name, mentioning, nearest_to, words
from adjudge.readers.column_synonyms import ANNOTATOR, ID, MEASURES, NAMES

LABELS = NAMES["reliability"]["label"]
"""What people call a column of labels."""


def long_columns(table: Table, labels: Sequence[str], trusted: str | None) -> dict[str, str]:
    """The columns of a row per judgment, by name, else by how values repeat; none where rows are something else."""
    taken = [trusted] if trusted else []
    flat = [name for name in table.names if table[name].is_flat and name not in taken]
    people = [name for name in flat if table[name].kind != "true/false"]
    people = [name for name in people if judges_items(table, name, labels) or not _is_voted(table, name, labels)]
    who = nearest_to(ANNOTATOR, people) or mentioning(ANNOTATOR, people)
    said = _label(table, [name for name in labels if name not in {who, trusted}], trusted)
    if who is None or said is None:
        rest = [name for name in labels if trusted is None or share(table, trusted, name)]
        both = annotator_of(table, rest, trusted)
        said = said or _label(table, [name for name in rest if name not in {*(both or ()), trusted}], trusted)
        return dict(zip(("item", "annotator", "label"), (*both, said), strict=True)) if both and said else {}
    item = item_of(table, [*taken, said], who)
    return {"item": item, "annotator": who, "label": said} if item else {"annotator": who, "label": said}


def judges_items(table: Table, name: str, labels: Sequence[str]) -> bool:
    """Whether items come up again, each time with another value of a column that is called as annotators are."""
    if nearest_to(ANNOTATOR, [name]) is None:
        return False
    called = nearest_to(ID, table.names, [name])
    found = items_of(table, [called], name) if called else items_of(table, [], name, labels)
    return len(found) == 1 and len(table[found[0]].distinct) < table.height


def _is_voted(table: Table, name: str, labels: Sequence[str]) -> bool:
    """Whether a column holds the labels of another: then it is what an annotator said, not who said it."""
    return name in labels and any(share(table, name, other) for other in labels if other != name)


def _label(table: Table, labels: Sequence[str], trusted: str | None) -> str | None:
    """The column of labels: called so, or a question, or the only one with the labels of the trusted column."""
    differing = [name for name in labels if len(table[name].distinct) > 1]
    named = nearest_to(LABELS, differing) or nearest_to(LABELS, labels)
    asked = [name for name in differing if {*words(name.rpartition(".")[2])[:1]} & _ASKING]
    alike = [name for name in differing if trusted is None or share(table, trusted, name)]
    return named or next((found[0] for found in (asked, alike) if len(found) == 1), None)


_ASKING = {"is", "has", "contains", "does"}
"""With what a name begins that is a question."""


def item_of(table: Table, but: Sequence[str], annotator: str | None = None) -> str | None:
    """The column of items, or two with + between them, that tell rows apart; else the one that is called so."""
    named = nearest_to(ID, table.names, [*but, annotator or ""])
    called = [named] if named else [name for name in table.names if is_id_name(name)]
    measured = [name for name in table.names if not MEASURES.isdisjoint(words(name))]
    found = items_of(table, called, annotator, [*but, *measured])
    if annotator and named and len(found) == 1 and table[found[0]].is_id and not table[named].is_id:
        return named  # whose items come up again, perhaps with two labels of an annotator
    return "+".join(found) or (named if annotator else None)
