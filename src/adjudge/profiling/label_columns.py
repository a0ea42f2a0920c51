"""What the columns of a table may stand for in reliability: long tables of judgments, and wide ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import polars as pl

from adjudge.profiling.column_profile import Table
from adjudge.profiling.guess import Guess, alike, found_names, mapped, no_column, share, trusted_among, writers_of_pairs
from adjudge.profiling.long_table_columns import LABELS, item_of, judges_items, long_columns
from adjudge.profiling.pair_columns import responses_of
from adjudge.profiling.survey_columns import doubts_of_rows, survey
from adjudge.readers.column_names import is_id_name, joined, nearest_to, words
from adjudge.readers.column_synonyms import ANNOTATOR, FAILED, GOLD, ID, MEASURES, MODELS, NAMES, TRUSTED
from adjudge.readers.problems import listed
from adjudge.readers.transforms import item_columns
from adjudge.schemas.columns import with_decimal_point
from adjudge.schemas.judgments import finite_number
from adjudge.schemas.spelling import fold_label, total_rows


def judgments(table: Table) -> Guess:
    """A long table of labels, or a wide one with a column per annotator."""
    labels = [name for name in table.names if table[name].is_label and not _is_no_label(table, name)]
    if found := survey(table, alike(table, labels, None)):
        return _asking_for_order(table, found, item_columns(found.options.get("item_columns", ()), table.names, ""))
    reference = _reference(table, labels)
    long = long_columns(table, labels, reference.get("reference"))
    if long:
        trusted = reference.get("reference")
        other = trusted is not None and not share(table, trusted, long["label"])  # such as the target of a remark
        reference = {} if other else reference
        taken = [*long.values(), *reference.values()]
        further = found_names("reliability", ["flag", "skipped"], table.of(labels), taken)
        guess = _long_judgments(table, long | reference | further)
        said = f"{trusted} holds other values than {long['label']}, and is not taken for the reference"
        guess = replace(guess, doubts=(*guess.doubts, said)) if other else guess
    elif who := next((name for name in table.names if judges_items(table, name, labels)), None):
        guess = _of_some_label(table, who, labels)
    else:
        guess = _wide_judgments(table, reference, labels)
    judged = [guess.columns["label"]] if "label" in guess.columns else guess.options.get("annotator_columns", ())
    return _asking_for_order(table, guess, judged)


def mutual_judgments(table: Table) -> Guess:
    """A guess of judgments without a reference; a little less likely, since a reference says more."""
    found = judgments(table)
    columns = {name: theirs for name, theirs in found.columns.items() if name != "reference"}
    others = {name: one for name, one in found.options.items() if name not in ("reference", "columns")}
    lacking = tuple(one for one in found.lacking if not one.startswith("nothing says what is trusted"))
    doubts = (one.replace("--ordered numbers", "--level interval") for one in found.doubts if "--positive" not in one)
    lacking = lacking if _meet(table, found) else (*lacking, "no item has labels of two annotators")
    return Guess(max(found.weight - 0.05, 0.0), columns, mapped(columns, **others), lacking, tuple(doubts))


def _meet(table: Table, found: Guess) -> bool:
    """Whether any item has labels of two annotators."""
    judges = found.options.get("annotator_columns") or ()
    if found.options.get("item_columns"):
        return True
    if judges:
        rows = zip(*(table[name].values for name in judges), strict=True)
        return any(sum(one is not None for one in row) > 1 for row in rows)
    item = found.columns.get("item", "")
    parts = [table[name].values for name in item.split("+") if name in table.names]
    return not parts or len(set(zip(*(map(str, part) for part in parts), strict=True))) < table.height


def _asking_for_order(table: Table, guess: Guess, judged: Sequence[str]) -> Guess:
    """A guess with a doubt for labels that may form a scale. judged: the columns that hold them."""
    scales = _scales({value for name in judged for value in table[name].distinct})
    return replace(guess, doubts=(*guess.doubts, *scales))


def _of_some_label(table: Table, who: str, labels: Sequence[str]) -> Guess:
    """A long table of which nothing says which column of labels is meant."""
    others = [name for name in labels if name not in {who, *ID}]
    columns = {"item": item_of(table, others, who) or "", "annotator": who}
    asked = f"several columns may hold labels: which? --columns label=COLUMN of {listed(others)}"
    return Guess(0.6, columns, mapped(columns), (asked,))


def _is_no_label(table: Table, name: str) -> bool:
    """Whether a column is called as measures are, or as ids, and holds a value per row: five items are no scale."""
    ids = joined(name) in ID and joined(name) not in GOLD and table[name].is_id
    return ids or not MEASURES.isdisjoint(words(name)[-1:])


def _reference(table: Table, labels: Sequence[str]) -> dict[str, str]:
    """The column of trusted labels: called so, or by such a word and one for labels, as expert_verdict is.

    Or by such a word and the name of another column: toxic and toxic (gold). Of two the one that others share labels
    with; texts that nobody else gives are none.
    """
    found = found_names("reliability", ["reference"], table.of(labels))
    said = {frozenset(words(name)) - _PREDICTED for name in labels}
    both = [name for name in labels if _is_trusted_label(words(name.rpartition(".")[2])) or _is_twin(name, said)]
    candidates = [*found.values(), *(both if len(both) == 1 else [])]
    sharing = [name for name in candidates if any(share(table, name, one) for one in labels if one != name)]
    repeated = [name for name in candidates if len(table[name].distinct) < len(table[name].texts)]
    return {"reference": one} if (one := next(iter([*sharing, *repeated]), None)) else {}


def _is_trusted_label(parts: Sequence[str]) -> bool:
    halves = [("".join(parts[:at]), "".join(parts[at:])) for at in range(1, len(parts))]
    return any((one in GOLD and other in LABELS) or (other in GOLD and one in LABELS) for one, other in halves)


def _is_twin(name: str, others: Collection[frozenset[str]]) -> bool:
    parts, trusted = frozenset(words(name)), {*GOLD, "true"}
    rest = parts - trusted
    return bool(rest) and rest != parts and rest in others


_PREDICTED = {"pred", "predicted", "prediction", *MODELS}
"""Words beside the name of what is judged that say who judged it."""


def one_annotator_each(table: Table) -> Guess | None:
    """How a table of one annotator's labels is read beside others like it; None where it holds no ids and labels."""
    labels = table.of([name for name in table.names if table[name].is_label])
    found = found_names("reliability", ["label"], labels)
    if not found and (target := nearest_to(GOLD, labels.names)):
        found = {"label": target}
    item = item_of(table, list(found.values())) if found else None
    columns = {"item": item, **found} if item else {}
    return Guess(0.8, columns, mapped(columns)) if columns else None


def answers_in(table: Table) -> str | None:
    """The one column that holds labels, and does not say who gave them; None where there are several."""
    labels = [name for name in table.names if table[name].is_label and len(table[name].distinct) > 1]
    found = [name for name in labels if not (is_id_name(name) or joined(name) in ID)]
    who = nearest_to(ANNOTATOR, found)
    found = [name for name in found if name != who and table[name].kind != "decimals"]
    return found[0] if len(found) == 1 else None


def _scales(labels: Collection[str]) -> tuple[str, ...]:
    """What labels may be besides names: places on a scale, or whether something passes."""
    numbers = sorted((one for one in map(with_decimal_point, labels) if finite_number(one) is not None), key=float)
    if len(numbers) == len(labels) > 2:  # noqa: PLR2004 - two may be any codes
        return (f"the labels are numbers ({listed(numbers)}): if they are a scale, add --ordered numbers",)
    failed = [one for one in labels if joined(one) in FAILED]
    if len(labels) == 2 and len(failed) == 1:  # noqa: PLR2004 - pass and fail
        return (f'to see how well "{failed[0]}" is found, add --positive {failed[0]}',)
    return ()


def _long_judgments(table: Table, columns: Mapping[str, str]) -> Guess:
    judges = table[columns["annotator"]].distinct
    trusted = trusted_among(judges)
    reference = [trusted] if trusted and "reference" not in columns else []
    lacking = [] if "item" in columns else [no_column("item", table)]
    if not reference and "reference" not in columns:
        lacking.append(f"nothing says what is trusted: which annotator? --reference NAME of {listed(judges)}")
    weight = 0.55 + 0.2 * ("item" in columns) + 0.2 * ("reference" in columns or bool(reference))
    return Guess(weight, columns, mapped(columns, reference=reference), tuple(lacking))


def _judges(table: Table, trusted: str | None, labels: Sequence[str]) -> tuple[Sequence[str], str | None]:
    """The columns of annotators, and of what is trusted, of a wide table."""
    vote = nearest_to(NAMES["annotations"]["vote"], labels)
    writers = writers_of_pairs(table, responses_of(table)[0] or ([vote] if vote else []))
    judges = alike(table, [name for name in labels if name not in {trusted, *writers}], trusted)
    expert = [name for name in judges if TRUSTED & set(words(name))]
    if trusted is None and len(expert) == 1 and len(judges) > 1:
        trusted, judges = expert[0], [name for name in judges if name != expert[0]]
    told = any(len(table[name].distinct) > 1 for name in (*judges, *([trusted] if trusted else [])))
    return (judges if told else []), trusted  # else marks, or values that all rows have


def _wide_judgments(table: Table, columns: Mapping[str, str], labels: Sequence[str]) -> Guess:
    judges, trusted = _judges(table, columns.get("reference"), labels)
    if kinds := _criteria_of(judges):
        return _of_some_kind(table, kinds, labels)
    if not judges and trusted and (others := alike(table, [name for name in labels if name != trusted], None)):
        return _of_other_labels(table, trusted, others)
    if not judges:
        none = "no columns hold labels of the same kind: which hold those of annotators? --annotator-columns"
        return Guess(0.1, columns, mapped(columns), (none,))
    asked = f"nothing says what is trusted: which column? --reference NAME of {listed(judges)}"
    item = item_of(table, [*judges, *([trusted] if trusted else [])])
    columns = {**({"item": item} if item else {}), **({"reference": trusted} if trusted else {})}
    weight = 0.4 + 0.2 * ("item" in columns) + 0.3 * (trusted is not None)
    items = [one.encode("utf-8", "replace").decode() for one in table[item].distinct] if item in table.names else []
    sums = total_rows(pl.Series(items, dtype=pl.String))
    held = {one for name in judges for one in table[name].values if isinstance(one, str)}
    gaps = {*(one for one in held if fold_label(one) in _MISSING), *(held & {_ABSTAINED} if trusted else ())}
    gaps -= set(table[trusted].values) if trusted else set()
    empty = {name: found for name, found in (("label", sorted(gaps)), ("item", sums)) if found}
    said = mapped(
        columns,
        annotator_columns=judges,
        map_values={name: dict.fromkeys(found, "") for name, found in empty.items()},
        on_invalid="drop" if sums else None,
    )
    meant = "{} is taken for no {}; if it is one, leave it out of --map-values"
    doubts = [meant.format(listed(found), name) for name, found in empty.items()]
    doubts += doubts_of_rows(table, item, judges) if item in table.names else ()
    return Guess(weight, columns, said, () if trusted else (asked,), tuple(doubts))


def _of_other_labels(table: Table, trusted: str, judges: Sequence[str]) -> Guess:
    """A wide table whose trusted column says the same in other words than annotators do."""
    ours = listed(dict.fromkeys(one for name in judges for one in table[name].distinct))
    theirs = listed(table[trusted].distinct)
    item = item_of(table, [*judges, trusted])
    columns = {**({"item": item} if item else {}), "reference": trusted}
    asked = f"{trusted} holds {theirs}, and {listed(judges)} hold {ours}: what means what? "
    asked += "--map-values reference:VALUE=LABEL"
    return Guess(0.5, columns, mapped(columns, annotator_columns=judges), (asked,))


def _criteria_of(names: Sequence[str]) -> list[list[str]]:
    """Columns of several criteria, each of which everyone judged (ana_tone, ana_style, ben_tone, ben_style), by these.

    Empty where names do not say so.
    """
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(words(name)[-1:][0] if len(words(name)) > 1 else "", []).append(name)
    everyone = {frozenset(words(name)[:-1] for name in own) for own in kinds.values()}
    several = len(kinds) > 1 and len(everyone) == 1 and min(map(len, kinds.values())) > 1
    return list(kinds.values()) if several and not any(kind.isdigit() for kind in kinds) else []


def _of_some_kind(table: Table, kinds: Sequence[Sequence[str]], labels: Sequence[str]) -> Guess:
    """A wide table of several criteria, of which one is read at a time."""
    item = item_of(table, labels)
    columns = {"item": item} if item else {}
    told = ", ".join(words(own[0])[-1] for own in kinds)
    name = f"name those of one, such as --annotator-columns {','.join(kinds[0])}"
    asked = f"several criteria ({told}) have columns of their own: {name}"
    return Guess(0.6, columns, mapped(columns), (asked,))


_MISSING = {"na", "n/a", "#n/a", "nan", "null"}
_ABSTAINED = "-1"
"""What labelling functions give where they give no label."""


def trusted_column(table: Table) -> str | None:
    """The column that is called trusted, if there is one."""
    return nearest_to(GOLD, table.names)
