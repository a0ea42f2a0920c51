"""Meanings of a table's columns, from common names and from values; and ways to read labels.

Labels are in a row per judgment, in a column per annotator, or in a row per annotator.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, permutations
from os.path import commonprefix
from typing import Any

import polars as pl

from adjudge.errors import nearest
from adjudge.profiling.file_profile import TableSample
from adjudge.readers import column_names as called
from adjudge.readers.column_names import is_id_name, joined_key, mentioning, nearest_to, sided, stem, words
from adjudge.readers.label_values import family
from adjudge.readers.labels.turned_tables import constant_sum
from adjudge.readers.problems import listed
from adjudge.readers.transforms import ANY, ITEM, LABEL


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess at an evaluation's options for a table.

    columns: Adjudge's column -> the file's, also those of one name; None excludes one. settings: the user's further
    options. lacking: information missing from the table, each with a remedy. doubts: uncertain guesses to check.
    weight: how strongly the table indicates the evaluation, from 0 to 1.
    """

    weight: float
    columns: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known = {name: theirs for name, theirs in self.columns.items() if theirs is not None}
        object.__setattr__(self, "columns", known)

    @property
    def options(self) -> dict[str, Any]:
        """The user's options, with those columns whose names differ from Adjudge's."""
        renamed = {name: theirs for name, theirs in self.columns.items() if name != theirs}
        return {name: value for name, value in {"columns": renamed, **self.settings}.items() if value}


MEANINGS: Mapping[str, Mapping[str, Collection[str]]] = {
    "reliability": {"flag skipped": {"label"}},
    "annotations": {"prompt": {"flat", "lists"}, "annotator pair": {"flat"}},
    "preferences": {"id": {"flat"}, "instruction": {"flat", "lists"}},
    "rag": {
        "answer response": {"answer"},
        "documents counterfactual": {"flat", "lists"},
        "id model ability noise_ratio draw": {"flat"},
    },
    "violations": {
        "start end": {"whole numbers", "nothing", "lists"},
        "rule correction explanation category": {"flat", "lists"},
        "id annotator checker": {"flat"},
        "text context": {"answer"},
    },
}
"""The values that columns of a meaning have: a kind, or a property of `ColumnSample`. Names: column_synonyms.toml."""


def assigned(
    evaluation: str, table: TableSample, columns: Sequence[str] = (), taken: Sequence[str] = ()
) -> dict[str, str]:
    """Adjudge's columns among those of a table, by name and values; each column is used once, in the requested order.

    columns: the requested ones, by default all. taken: columns with another meaning.
    """
    tests = {name: kinds for names, kinds in MEANINGS[evaluation].items() for name in names.split()}
    meant: dict[str, str] = {}
    for name in columns or tests:
        fitting = [
            theirs
            for theirs, column in table.columns.items()
            if column.kind in tests[name] or any(getattr(column, f"is_{kind}", False) for kind in tests[name])
        ]
        theirs = nearest_to((*called.NAMES[evaluation][name], joined_key(name)), fitting, (*taken, *meant.values()))
        meant |= {name: theirs} if theirs is not None else {}
    return meant


def no_column(name: str, table: TableSample) -> str:
    """The remedy for a column that no name or value identifies."""
    hint = nearest(name, table.names)
    return f"no column {name}{hint}: which is it? --columns {name}=COLUMN of {listed(table.names)}"


def trusted_among(voters: Sequence[str]) -> str | None:
    """The only annotator whose name indicates a reference."""
    trusted = [name for name in voters if called.TRUSTED & {joined_key(name), *words(name)}]
    return trusted[0] if len(trusted) == 1 < len(voters) else None


def share(table: TableSample, column: str, other: str) -> bool:
    """Whether two columns have the same labels: most of the fewer, or of numbers most of both, or their range."""
    first, second = table[column], table[other]
    if {first.kind, second.kind} == {"dates"}:
        return True
    if None not in {family(text) for text in first.folded | second.folded}:  # yes and no, in any words
        return True
    if first.is_number and second.is_number:
        numbers = [[float(text.replace(",", ".")) for text in each.folded] for each in (first, second)]
        lowest, highest = sorted(map(min, numbers)), sorted(map(max, numbers))
        if (highest[0] - lowest[1]) * 2 >= highest[1] - lowest[0]:
            return True
    sizes = len(first.folded), len(second.folded)
    return len(first.folded & second.folded) * 2 >= (min(sizes) if first.kind == "text" else max(sizes))


# --- keys: columns that identify rows ---

_TRIED = 12
"""The most columns to try in pairs."""


def key_of(
    table: TableSample,
    tried: Sequence[str],
    beside: Sequence[str] = (),
    among: Collection[str] = (),
    text: str | None = None,
) -> str | None:
    """The column, or two joined by +, that with those `beside` has different values in each row of the table.

    tried: the likeliest first. among: columns of which a pair has at least one. text: a column with one value for each
    key, which then is one of `among` or a pair, and may be in several rows.
    """
    again = [name for name in tried if len(table[name].distinct) < table.height][:_TRIED]
    pairs = [both for both in combinations(again, 2) if not among or {*among} & {*both}]
    alone = again if beside else tried if text is None else among
    texts = [*map(str, table[text].values)] if text else []
    for names in (*((name,) for name in alone), *pairs):
        keys = [tuple(map(str, row)) for row in table.rows([*names, *beside])]
        if len({*keys}) == (len({*zip(keys, texts, strict=True)}) if text else table.height) > 1:
            return "+".join(names)
    return None


def item_of(table: TableSample, but: Sequence[str], annotator: str | None = None) -> str | None:
    """The column of items, or two joined by +, that make rows unique; else the one with a name of items.

    but: columns with another meaning. annotator: its column; None if a row is an item.
    """
    beside = [annotator] if annotator else []
    free = [name for name in table.names if name not in (*but, *beside) and table[name].is_flat]
    named = nearest_to(called.ID, free)
    likely = [named] if named else [name for name in free if is_id_name(name) or joined_key(name) in called.QUESTION]
    whole = [name for name in free if not table[name].missing and len(table[name].distinct) > 1]
    others = [name for name in whole if name not in likely and table[name].kind not in ("decimals", "dates")]
    item = key_of(table, [*likely, *others], beside, likely)
    return item or (next(iter([*likely, *others]), None) if annotator else None)


# --- labels ---

_LABELS = called.NAMES["reliability"]["label"]


def judgments(table: TableSample) -> Guess:
    """A long table of labels, a wide one with a column per annotator, or one with a row for each."""
    labels = label_columns(table)
    trusted = _reference(table, labels)
    guess = _rows_of_annotators(table, labels) or _long(table, labels, trusted)
    return guess or _wide(table, labels, trusted)


def mutual_judgments(table: TableSample) -> Guess:
    """A guess of judgments without a reference; slightly less likely, since a reference is stronger evidence."""
    guess = judgments(table)
    columns = {name: theirs for name, theirs in guess.columns.items() if name != "reference"}
    settings, weight = {**guess.settings, "reference": None}, max(guess.weight - 0.05, 0.0)
    return replace(guess, weight=weight, columns=columns, settings=settings)


def label_columns(table: TableSample) -> list[str]:
    """The columns that may hold labels: not ids, prompts, measures or times.

    Dates are labels if one of them is a reference, and numbers of any size if annotators' names head their columns.
    """
    dates = [name for name in table.names if table[name].kind == "dates"]
    graders = [name for name in table.names if table[name].kind == "whole numbers" and mentioning(_JUDGES, [name])]
    more = {*(dates if nearest_to(called.GOLD, dates) else ()), *(graders if len(graders) > 1 else ())}
    return [name for name in table.names if (name in more or table[name].is_label) and _may_name_labels(table, name)]


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


def labels_of_one(table: TableSample) -> Guess | None:
    """The guess for a table of one annotator's labels among others like it; None without ids and labels."""
    labels = label_columns(table)
    name = nearest_to(_LABELS, labels) or nearest_to(called.GOLD, labels) or answers_in(table)
    item = item_of(table, [name]) if name and not nearest_to(called.ANNOTATOR, table.names) else None
    return Guess(0.8, {"item": item, "label": name}) if item and name else None


def _reference(table: TableSample, labels: Sequence[str]) -> str | None:
    """The column of reference labels, by its name, or a label beside predictions, whose labels others share if any.

    Texts that no other column has are none.
    """
    predicted = [name for name in labels if called.PREDICTED & {*words(name), joined_key(name)}]
    true = nearest_to(("label", "class", "category"), labels, predicted) if predicted else None
    named = nearest_to(called.GOLD, labels)
    candidates = [name for name in (named, trusted_among([name for name in labels if name != named]), true) if name]
    shared = [name for name in candidates if any(share(table, name, other) for other in labels if other != name)]
    repeated = [name for name in candidates if len(table[name].distinct) < len(table[name].texts)]
    return next(iter([*shared, *repeated]), None)


# --- a row per judgment ---


def _long(table: TableSample, labels: Sequence[str], trusted: str | None) -> Guess | None:
    """A row per judgment: by names, else by how values repeat. None if rows are something else."""
    item, who = None, _annotator(table, labels, trusted)
    label = _label(table, [name for name in labels if name not in {who, trusted}], trusted)
    if all(re.fullmatch(r"column_\d+", name) for name in table.names) and (by_values := _by_values(table, labels)):
        item, who, label = by_values
    if who is None or (label is None and len(table[who].distinct) == table.height):
        return None
    if label is None:
        return Guess(0.6, {"item": item_of(table, labels, who), "annotator": who}, {}, (no_column("label", table),))
    # A column named as a reference may be the target of a remark.
    reference = trusted if trusted and share(table, trusted, label) else None
    item = item or item_of(table, [label, *([trusted] if trusted else [])], who)
    columns = {"item": item, "annotator": who, "label": label, "reference": reference}
    columns |= assigned("reliability", table.only(labels), ["flag", "skipped"], [*filter(None, columns.values())])
    lead = None if reference else trusted_among(table[who].distinct)
    weight = 0.55 + 0.2 * bool(item) + 0.2 * bool(lead or reference)
    other = f"{trusted} holds other values than {label}, and is not taken for the reference"
    doubts, lacking = () if reference == trusted else (other,), () if item else (no_column("item", table),)
    return Guess(weight, columns, {"reference": [lead] if lead else []}, lacking, doubts)


def _annotator(table: TableSample, labels: Sequence[str], trusted: str | None) -> str | None:
    """The column of annotators, by its name; none that shares labels with others, unless items repeat."""
    people = [name for name in table.names if table[name].kind in {"text", "whole numbers"} and name != trusted]
    item = nearest_to(called.ID, table.names)
    if item is None or table[item].is_id:
        voting = [name for name in labels if any(share(table, name, other) for other in labels if other != name)]
        people = [name for name in people if name not in voting]
    return nearest_to(called.ANNOTATOR, people) or mentioning(called.ANNOTATOR, people)


def _label(table: TableSample, labels: Sequence[str], trusted: str | None) -> str | None:
    """The column of labels: by its name, or a question, or the only one with the labels of the reference column."""
    differing = [name for name in labels if len(table[name].distinct) > 1]
    asked = [name for name in differing if {*words(name.rpartition(".")[2])[:1]} & called.ASKS]
    alike = [name for name in differing if trusted is None or share(table, trusted, name)]
    named = nearest_to(_LABELS, differing) or nearest_to(_LABELS, labels)
    return named or next((names[0] for names in (asked, alike) if len(names) == 1), None)


def _by_values(table: TableSample, labels: Sequence[str]) -> tuple[str, str, str] | None:
    """The columns of items, annotators and labels of a table without names: annotators judge most of more items."""
    free = [name for name in table.names if 1 < len(table[name].distinct) < table.height and table[name].kind == "text"]
    for label in labels:
        for item, who in permutations([name for name in free if name != label], 2):
            items, people = len(table[item].distinct), table[who].distinct
            numbered = all(re.search(r"\d", name) for name in people)
            if numbered and items > len(people) and 2 * table.height >= items * len(people):
                return item, who, label
    return None


# --- a column per annotator ---

_NOBODY = (
    "no column of annotators, and no columns with labels of several: --columns annotator=COLUMN, "
    "--annotator-columns COLUMN,... or a file for each annotator"
)


def _wide(table: TableSample, labels: Sequence[str], trusted: str | None) -> Guess:
    vote = nearest_to(called.NAMES["annotations"]["vote"], labels)
    writers = [two for *two, side in sided(table.names) if vote and stem(two[0], side[0]) in called.WRITERS]
    others = [name for name in labels if name not in {trusted, *chain(*writers)}]
    judges = _judge_columns(table, others, trusted)
    meanings = [{family(text) or text for text in table[name].folded} for name in (*judges, *filter(None, [trusted]))]
    opposed = not trusted and {"yes"} in meanings and {"no"} in meanings and not mentioning(called.ANNOTATOR, judges)
    if opposed or all(len(each) < 2 for each in meanings):  # noqa: PLR2004
        judges = []  # marks, values that all rows have, or answers to different questions
    replies = _replies(table, trusted) if trusted and not judges else []
    item = item_of(table, [*(judges or replies), *filter(None, [trusted])])
    columns = {"item": item, "reference": trusted}
    if trusted and replies:
        meanings_of_replies = {"label": {f"{label}*": label for label in table[trusted].distinct}}
        return Guess(0.8, columns, {"annotator_columns": replies, "map_values": meanings_of_replies})
    if not judges and trusted and (judges := _judge_columns(table, others, None)):
        asked = f"{trusted} has other labels than {listed(judges)}: which is which? --map-values reference:VALUE=LABEL"
        return Guess(0.5, columns, {"annotator_columns": judges}, (asked,))
    if not judges:
        return Guess(0.1, columns, {}, (_NOBODY,))
    if asked := _no_annotators(table, judges, {*words(trusted or "")}):
        return Guess(0.6, columns, {}, (asked,))
    counts = pl.DataFrame({name: [*map(str, table[name].values)] for name in judges})
    if trusted is None and constant_sum(counts):
        return Guess(0.8, columns)
    return Guess(0.4 + 0.2 * bool(item) + 0.3 * bool(trusted), columns, {"annotator_columns": judges})


_MOSTLY = 0.9


def _replies(table: TableSample, trusted: str) -> list[str]:
    """The columns of texts that nearly all begin with a reference label, as models' replies do."""
    labels = {label.casefold() for label in table[trusted].distinct}
    begins = {
        name: sum("".join(words(text)[:1]) in labels for text in column.texts)
        for name, column in table.columns.items()
        if column.kind == "text" and name != trusted
    }
    return [name for name, count in begins.items() if count > _MOSTLY * len(table[name].texts)]


def _no_annotators(table: TableSample, judges: Sequence[str], asked: Collection[str]) -> str:
    """Why columns of labels are not annotators': several criteria, or a text each; empty if they may be.

    asked: words for the reference, which describe what is judged.
    """
    common = set.intersection(*({*words(name)} for name in judges))
    texts = {name: {*words(name)} for name in table.names if table[name].is_prose}
    about = [next((text for text in texts if ({*words(name)} - common) & texts[text]), None) for name in judges]
    if None not in about and len({*about}) == len(judges) > 1:
        apart = f"{listed(judges)} are verdicts on different texts ({listed(about)}), not of several annotators on one"
        return f"{apart}: put them below one another, a row for each text"
    questions = [name for name in judges if {*words(name)[:1]} & called.ASKS and common <= called.ASKS]
    traits = [name for name in judges if ({*words(name)} - common - {*asked}) & called.TRAITS or name in questions]
    kinds = {words(name)[-1] for name in traits}
    if len(kinds) < 2:  # noqa: PLR2004
        return ""
    of_one = [name for name in judges if words(name)[-1] == words(traits[0])[-1]]
    one = f"--annotator-columns {','.join(of_one)}" if len(of_one) > 1 else f"--columns label={traits[0]}"
    return f"{listed(traits)} are criteria, and no annotators of one question: score one, such as {one}"


def _judge_columns(table: TableSample, names: Sequence[str], trusted: str | None) -> list[str]:
    """Columns with labels of one kind: of the reference column, else the most that share theirs.

    If annotators' names share a word (rater_1, rater_2; human_label, gpt4_label), others with these
    labels are something else.
    """
    groups = [[other for other in names if share(table, name, other)] for name in ([trusted] if trusted else names)]
    best = max(groups, key=len, default=[])
    if not trusted and len(best) == 1:
        return []
    judges = {*called.ANNOTATOR, *called.MODELS}
    named = [name for name in best if (judges | called.TRUSTED) & {*words(name), joined_key(name)}]
    if len(named) < 2:  # noqa: PLR2004
        return best
    common = set.intersection(*({*words(name)} for name in named)) - called.MODEL_NAMES - called.TRUSTED
    return [name for name in best if common <= {*words(name)}]


# --- a row per annotator, as in surveys ---


def _rows_of_annotators(table: TableSample, labels: Sequence[str]) -> Guess | None:
    """The guess for a table with a row per annotator; None for other tables.

    Evidence is a unique column of annotators' names, and numbered or asked items or the times of a survey.
    """
    ids = [name for name in table.names if table[name].is_id]
    form = any(joined_key(name) in called.SURVEY for name in table.names)
    who = next((name for name in ids if trusted_among(table[name].distinct)), None)
    who = who or nearest_to((*_JUDGES, *(called.RESPONDENT if form else ())), ids)
    items = [name for name in _judge_columns(table, labels, None) if name != who]
    begins = commonprefix(items).rstrip("0123456789")  # noqa: RUF071 - names, not paths
    series = [name for name in table.names if begins and name.startswith(begins)]
    items = series or items
    if who is None or {ITEM, LABEL} & {*table.names} or len(items) < 3 or mentioning(called.ANNOTATOR, items):  # noqa: PLR2004
        return None
    trusted = trusted_among(table[who].distinct)
    turned = f"each row is taken for an annotator, whom {who} names, and each of these columns for an item"
    doubts = () if form else (f"{turned}; if these are annotators, name them with --annotator-columns",)
    names = [begins + ANY] if items == series else items
    settings = {"item_columns": names, "reference": [trusted] if trusted else []}
    return Guess(0.95 if trusted else 0.75, {"annotator": who}, settings, (), doubts)
