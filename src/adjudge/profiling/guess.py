"""Meanings of a table's columns, from common names and from values; and ways to read labels.

Labels are in a row per judgment, in a column per annotator, or in a row per annotator.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from os.path import commonprefix

import polars as pl

from adjudge.profiling.file_profile import NUMBERS, SHORT, ColumnSample, TableSample
from adjudge.profiling.result import Proposal
from adjudge.readers import column_names as called
from adjudge.readers.column_names import is_id_name, joined_key, mentioning, nearest_to, sided, stem, words
from adjudge.readers.labels.turned_tables import constant_sum
from adjudge.readers.problems import listed
from adjudge.readers.transforms import ANY


def assigned(use: str, table: TableSample, columns: Sequence[str] = (), taken: Sequence[str] = ()) -> dict[str, str]:
    """Adjudge's columns among those of a table, by name and values; each column is used once, in the requested order.

    columns: the requested ones, by default all. taken: columns with another meaning.
    """
    tests, meant = called.VALUES[use], dict[str, str]()
    for name in columns or tests:
        fitting = [one for one in table if one not in (*taken, *meant.values()) and table[one].passes(tests[name])]
        usual = called.NAMES[use][name]
        last = (one for one in fitting if name in ("start", "end", "rule", "context") and {*words(one)[-1:]} & {*usual})
        theirs = nearest_to((*usual, joined_key(name)), fitting) or next(last, None)
        meant |= {name: theirs} if theirs is not None else {}
    return meant


def sides_of(names: Iterable[str], meaning: Collection[str]) -> tuple[list[str], str]:
    """Two columns for the sides of a pair, and the word for the first side; empty if there are none."""
    sides = ((one, other, side[0]) for one, other, side in sided(names))
    pairs = (([a, b], side) for a, b, side in sides if {stem(a, side), joined_key(a.rpartition(".")[2])} & {*meaning})
    return next(pairs, ([], ""))


def trusted_among(voters: Sequence[str]) -> str | None:
    """The only annotator whose name indicates a reference."""
    trusted = [name for name in voters if called.TRUSTED & {joined_key(name), *words(name)}]
    return trusted[0] if len(trusted) == 1 < len(voters) else None


def share(first: ColumnSample, second: ColumnSample) -> bool:
    """Whether two columns have the same labels: most of the fewer, dates, yes and no, or numbers in one range."""
    if {first.kind, second.kind} <= NUMBERS:
        numbers = [[float(text.rstrip("%").replace(",", ".")) for text in each.distinct] for each in (first, second)]
        lowest, highest = sorted(map(min, numbers)), sorted(map(max, numbers))
        if (highest[0] - lowest[1]) * 2 >= highest[1] - lowest[0]:
            return True
    alike = first.kind == second.kind == "dates" or first.folded | second.folded <= {"yes", "no"}
    return alike or len(first.folded & second.folded) * 2 >= min(len(first.folded), len(second.folded))


def _is_shared(table: TableSample, name: str, labels: Sequence[str]) -> bool:
    return any(share(table[name], table[other]) for other in labels if other != name)


# --- keys: columns that identify rows ---

_TRIED = 12
"""The most columns to try in pairs."""


def key_of(
    table: TableSample, tried: Sequence[str], beside: Sequence[str] = (), among: Collection[str] = (), text: str = ""
) -> str | None:
    """The column, or two joined by +, that with those `beside` has different values in each row of the table.

    tried: the likeliest first. among: columns of which a pair has at least one. text: a column with one value for each
    key, which then is one of `among` or a pair, and may be in several rows.
    """
    again = [name for name in tried if len(table[name].distinct) < table.height][:_TRIED]
    pairs = [both for both in combinations(again, 2) if not among or {*among} & {*both}]
    alone, texts = (among, table[text].values) if text else (again if beside else tried, range(table.height))
    for names in (*((name,) for name in alone), *pairs):
        keys = [str(row) for row in table.rows([*names, *beside])]
        if 1 < len({*keys}) == len({*zip(keys, map(str, texts), strict=True)}):
            return "+".join(names)
    return None


def item_of(table: TableSample, but: Sequence[str | None], annotator: str | None = None) -> str | None:
    """The column of items, or two joined by +, that make rows unique; else the one with a name of items.

    Rows may repeat an item with the same labels. but: columns with another meaning. annotator: its column; None if a
    row is an item.
    """
    beside = [annotator] if annotator else []
    free = [name for name in table if name not in (*but, *beside) and table[name].is_flat]
    named = nearest_to(called.ID, free)
    likely = [named] if named else [name for name in free if is_id_name(name) or joined_key(name) in called.QUESTION]
    whole = [name for name in free if not table[name].missing and len(table[name].distinct) > 1]
    sizes = [one for one in whole if table[one].kind in {"decimals", "dates"} or {*words(one)[-1:]} & called.MEASURES]
    others = [name for name in whole if name not in (*likely, *sizes)]
    item = key_of(table, [*likely, *others], beside, likely)
    coded = [name for name in others if all(re.fullmatch(r"\S*\d\S*", text) for text in table[name].distinct)]
    for name in [*likely, *coded] * (item is None):
        keys = {*map(str, table.rows([name, *beside]))}
        labelled = {*map(str, table.rows([name, *beside, *filter(None, but)]))}
        if len(labelled) == len(keys) > table.height / 2 and not (annotator and table[name].is_id):
            return name
    return item or (next(iter([*likely, *others]), None) if annotator else None)


# --- labels ---

_LABELS = called.NAMES["reliability"]["label"]


def judgments(table: TableSample) -> Proposal:
    """A long table of labels, a wide one with a column per annotator, or one with a row for each."""
    labels = label_columns(table)
    trusted = _reference(table, labels)
    guess = _rows_of_annotators(table, labels) or _long(table, labels, trusted) or _wide(table, labels, trusted)
    alone = "annotator_columns" in guess.settings and not guess.columns.get("item")
    doubts = ["no column identifies items, so each row counts as one; if one does: --columns item=COLUMN"] * alone
    known = {name: theirs for name, theirs in guess.columns.items() if theirs}
    return replace(guess, columns=known, doubts=(*guess.doubts, *doubts))


def label_columns(table: TableSample) -> list[str]:
    """The columns that may hold labels: not ids, prompts, measures or times.

    Dates are labels if one of them is a reference, and numbers of any size if annotators' names head their columns.
    """
    dates = [name for name in table if table[name].kind == "dates"]
    graders = [name for name in table if table[name].kind == "whole numbers" and mentioning(_JUDGES, [name])]
    more = [*(dates if nearest_to(called.GOLD, dates) else ()), *(graders if len(graders) > 1 else ())]
    return [name for name in table if (name in more or table[name].is_label) and _may_name_labels(table, name)]


_JUDGES = [name for name in called.ANNOTATOR if name not in called.PEOPLE]
"""Names of annotator columns that are not names of humans."""


def _may_name_labels(table: TableSample, name: str) -> bool:
    last, whole = {*words(name)[-1:]}, joined_key(name)
    measured = called.MEASURES | (called.SCORES if table[name].kind == "decimals" else set())
    ids = last & {"id", "ids", "idx", "index"} or (whole in called.ID and table[name].is_id)
    return whole in called.GOLD or not (ids or whole in called.QUESTION or measured & {*last, whole})


def answers_in(table: TableSample) -> str | None:
    """The one column that holds labels without an annotator; None if there are several."""
    labels = [name for name in label_columns(table) if len(table[name].distinct) > 1]
    return labels[0] if len(labels) == 1 else None


def labels_in_rows(table: TableSample) -> dict[str, str]:
    """The columns of a table with a label in each row, of annotators or of models."""
    repeated = [name for name in table if table[name].kind == "text" and not table[name].is_id]
    who = nearest_to((*called.ANNOTATOR, *called.NAMES["rag"]["model"]), repeated)
    rest = table.only([name for name in table if name != who])
    labels = label_columns(rest)
    label = nearest_to(_LABELS, labels) or nearest_to(called.GOLD, labels) or answers_in(rest)
    found = {"item": item_of(table, [label], who), "annotator": who, "label": label}
    return {ours: theirs for ours, theirs in found.items() if theirs}


def _reference(table: TableSample, labels: Sequence[str]) -> str | None:
    """The column of reference labels, by its name, or a label beside predictions, whose labels others share if any.

    Texts that no other column has are none.
    """
    predicted = [name for name in labels if called.PREDICTED & {*words(name), joined_key(name)}]
    true = nearest_to(("label", "class", "category"), labels, predicted) if predicted else None
    parts = [(one, mark, rest) for one in labels if words(one) for mark, *rest in (words(one), words(one)[::-1])]
    known = [sorted(words(one)) for one in labels]
    paired = (one for one, mark, rest in parts if mark in {*called.GOLD} and sorted(rest) in known)
    named = nearest_to(called.GOLD, labels) or next(paired, None)
    candidates = [name for name in (named, trusted_among([name for name in labels if name != named]), true) if name]
    likely = [name for name in candidates if _is_shared(table, name, labels)]
    likely += [name for name in candidates if table[name].repeats]
    return next(iter(likely), None)


# --- a row per judgment ---


def _long(table: TableSample, labels: Sequence[str], trusted: str | None) -> Proposal | None:
    """A row per judgment: by how values repeat without names, else by these. None if rows are something else."""
    who = _annotator(table, labels, trusted)
    label = _label(table, [name for name in labels if name not in {who, trusted}], trusted)
    item, who, label = _by_values(table, labels) or (None, who, label)
    if who is None or (label is None and len(table[who].distinct) == table.height):
        return None
    # A column named as a reference may be the target of a remark.
    reference = trusted if trusted and label and share(table[trusted], table[label]) else None
    item = item or item_of(table, [label, trusted], who)
    columns = {"item": item, "annotator": who, "label": label, "reference": reference}
    columns |= assigned("reliability", table.only(labels), taken=[*filter(None, columns.values())])
    lead = None if reference else trusted_among(table[who].distinct)
    return Proposal("reliability", 0.95 if lead or reference else 0.75, columns, {"reference": [lead] if lead else []})


def _annotator(table: TableSample, labels: Sequence[str], trusted: str | None) -> str | None:
    """The column of annotators, by its name; none that shares labels with others, unless items repeat."""
    texts = [one for one in table if table[one].length > 2 * SHORT or {*words(one)[-1:]} & {*called.QUESTION}]
    people = [one for one in table if table[one].kind in {"text", "whole numbers"} and one not in (*texts, trusted)]
    item = nearest_to(called.ID, table)
    if item is None or table[item].is_id:
        people = [name for name in people if name not in labels or not _is_shared(table, name, labels)]
    return nearest_to(called.ANNOTATOR, people) or mentioning(called.ANNOTATOR, people)


def _label(table: TableSample, labels: Sequence[str], trusted: str | None) -> str | None:
    """The column of labels: by its name, or a question, or the only one with the labels of the reference column."""
    differing = [name for name in labels if len(table[name].distinct) > 1]
    alike = [name for name in differing if trusted is None or share(table[trusted], table[name])]
    asked = [name for name in alike if {*words(name.rpartition(".")[2])[:1]} & called.ASKS]
    named = nearest_to(_LABELS, differing) or nearest_to(_LABELS, labels)
    return named or next((names[0] for names in (asked, alike) if len(names) == 1), None)


def _by_values(table: TableSample, labels: Sequence[str]) -> tuple[str, str, str] | None:
    """The columns of items, annotators and labels of a table without names: annotators judge most of more items."""
    free = [name for name in table if re.fullmatch(r"column_\d+", name) and table[name].kind == "text"]
    for item, who, label in permutations([name for name in free if len(table[name].distinct) < table.height], 3):
        items, people = len(table[item].distinct), table[who].distinct
        numbered = all(re.search(r"\d", name) for name in people)
        if label in labels and numbered and len(people) < items <= 2 * table.height / len(people):
            return item, who, label
    return None


# --- a column per annotator ---


def _wide(table: TableSample, labels: Sequence[str], trusted: str | None) -> Proposal:
    others = [name for name in labels if name not in (trusted, *sides_of(table, called.WRITERS)[0])]
    judges = _judge_columns(table, others, trusted)
    kinds = {table[name].folded for name in (*judges, *filter(None, [trusted]))}
    opposed = not trusted and {frozenset({"yes"}), frozenset({"no"})} <= kinds  # answers to different questions
    columns = {"item": item_of(table, [*judges, trusted]), "reference": trusted}
    judges = [] if opposed or all(len(kind) < 2 for kind in kinds) else judges  # noqa: PLR2004 - marks
    if not judges and trusted and (judges := _judge_columns(table, others, None)):
        asked = f"{trusted} has other labels than {listed(judges)}: which is which? --map-values reference:VALUE=LABEL"
        return Proposal("reliability", 0.5, columns, {"annotator_columns": judges}, (asked,))
    if not judges:
        return Proposal("reliability", 0.1, columns)
    if asked := _no_annotators(table, judges, trusted):
        return Proposal("reliability", 0.6, columns, {}, (asked,))
    if trusted is None and constant_sum(pl.DataFrame({name: [*map(str, table[name].values)] for name in judges})):
        return Proposal("reliability", 0.8, columns)
    return Proposal("reliability", 0.9 if trusted else 0.6, columns, {"annotator_columns": judges})


def _no_annotators(table: TableSample, judges: Sequence[str], trusted: str | None) -> str:
    """Why columns of labels are not annotators': several criteria, or a text each; empty if they may be."""
    common = set.intersection(*({*words(name)} for name in judges))
    prose = [name for name in table if table[name].is_prose and name not in judges]
    about = [next((text for text in prose if ({*words(name)} - common) & {*words(text)}), None) for name in judges]
    if None not in about and len({*about}) == len(judges) > 1:
        apart = f"{listed(judges)} are verdicts on different texts ({listed(about)}), not of several annotators on one"
        return f"{apart}: put them below one another, a row for each text"
    told = common | {*words(trusted or "")}
    asked = {name for name in judges if {*words(name)[:1]} & called.ASKS and common <= called.ASKS}
    traits = {name: name if name in asked else "".join(({*words(name)} - told) & called.TRAITS) for name in judges}
    named = listed(name for name in judges if traits[name])
    criteria = f"{named} are criteria, and no annotators of one question: which is it? --columns label=COLUMN"
    return criteria if len({*traits.values()} - {""}) > 1 else ""


def _judge_columns(table: TableSample, names: Sequence[str], trusted: str | None) -> list[str]:
    """Columns with labels of one kind: of the reference column, else the most that share theirs.

    If annotators' names share a word (rater_1, rater_2; human_label, gpt4_label), others with these
    labels are something else.
    """
    models = [table[name] for name in ([trusted] if trusted else names)]
    best = max(([other for other in names if share(one, table[other])] for one in models), key=len, default=[])
    people = {*called.ANNOTATOR, *called.MODELS, *called.TRUSTED}
    named = [{*words(name)} for name in best if people & {*words(name), joined_key(name)}]
    common = set.intersection(*named) - called.MODEL_NAMES - called.TRUSTED if len(named) > 1 else set()
    return [name for name in best if common <= {*words(name)} and (trusted or len(best) > 1)]


# --- a row per annotator, as in surveys ---


def _rows_of_annotators(table: TableSample, labels: Sequence[str]) -> Proposal | None:
    """The guess for a table with a row per annotator; None for other tables.

    Evidence is a unique column of annotators' names, and numbered or asked items or the times of a survey.
    """
    form = any(joined_key(name) in called.SURVEY for name in table)  # which some may have sent twice
    asked = called.RESPONDENT if form else ()
    ids = [name for name in table if table[name].is_id or {joined_key(name), *words(name)[-1:]} & {*asked}]
    lead = next((name for name in ids if trusted_among(table[name].distinct)), None)
    who = lead or nearest_to((*_JUDGES, *asked), ids) or mentioning(["name"], ids * form)
    items = [name for name in _judge_columns(table, labels, None) if name != who]
    begins = commonprefix(items).rstrip("0123456789")  # noqa: RUF071 - names, not paths
    if who is None or len(items) < 3 or mentioning(called.ANNOTATOR, items):  # noqa: PLR2004
        return None
    trusted = trusted_among(table[who].distinct)
    turned = f"each row is taken for an annotator, whom {who} names, and each of these columns for an item"
    doubts = () if form else (f"{turned}; if these are annotators, name them with --annotator-columns",)
    settings = {"item_columns": [begins + ANY] if begins else items, "reference": [trusted] if trusted else []}
    return Proposal("reliability", 0.95 if trusted else 0.75, {"annotator": who}, settings, (), doubts)
