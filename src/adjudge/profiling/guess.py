"""Meanings of a table's columns, from common names and from values; and ways to read labels.

Labels are in a row per judgment, in a column per annotator, or in a row per annotator.
"""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations, product
from os.path import commonprefix
from typing import Any

import polars as pl

from adjudge.errors import nearest
from adjudge.profiling.column_sample import TableSample
from adjudge.readers import column_names as called
from adjudge.readers.column_names import is_id_name, joined_key, mentioning, nearest_to, sided, stem, words
from adjudge.readers.label_values import family
from adjudge.readers.labels.turned_tables import constant_sum
from adjudge.readers.problems import listed
from adjudge.readers.transforms import ANY, ITEM, LABEL
from adjudge.schemas.spelling import total_rows


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


MEANINGS: Mapping[str, Mapping[str, str]] = {
    "reliability": {"reference flag skipped": "is_label"},
    "annotations": {"prompt": "holds_values", "annotator pair": "is_flat", "vote": "is_label"},
    "preferences": {"id": "is_flat", "instruction": "holds_values"},
    "rag": {
        "answer response": "is_answer",
        "documents counterfactual": "holds_values",
        "id model ability noise_ratio draw": "is_flat",
    },
    "violations": {
        "start end": "is_offset",
        "rule correction explanation category": "holds_values",
        "id annotator checker": "is_flat",
        "text context": "is_answer",
    },
}
"""The property of `ColumnSample` that columns of a meaning have. Their names: column_synonyms.toml."""


def assigned(
    evaluation: str, table: TableSample, columns: Sequence[str] = (), taken: Sequence[str] = ()
) -> dict[str, str]:
    """Adjudge's columns among those of a table, by name and values; each column is used once, in the requested order.

    columns: the requested ones, by default all. taken: columns with another meaning.
    """
    tests = {name: test for names, test in MEANINGS[evaluation].items() for name in names.split()}
    meant: dict[str, str] = {}
    for name in columns or tests:
        fitting = [theirs for theirs in table.names if getattr(table[theirs], tests[name])]
        theirs = nearest_to((*called.NAMES[evaluation][name], joined_key(name)), fitting, (*taken, *meant.values()))
        meant |= {name: theirs} if theirs is not None else {}
    return meant


UNTRUSTED = "no reference labels"
"""The beginning of a message on a missing reference, without which annotators may still be compared."""


def flag(option: str, value: str) -> str:
    """An option with a value, quoted for a shell."""
    return f"--{option} {shlex.quote(value)}"


def no_column(name: str, table: TableSample) -> str:
    """The remedy for a column that no name or value identifies."""
    hint = nearest(name, table.names)
    return f"no column {name}{hint}: which is it? --columns {name}=COLUMN of {listed(table.names)}"


def trusted_among(voters: Sequence[str]) -> str | None:
    """The only annotator whose name indicates a reference."""
    trusted = [name for name in voters if called.TRUSTED & {joined_key(name), *words(name)}]
    return trusted[0] if len(trusted) == 1 < len(voters) else None


def share(table: TableSample, column: str, other: str) -> bool:
    """Whether two columns have the same labels: most of the fewer, or for ambiguous numbers most of both.

    Numbers need not be equal, but most must be in the same range.
    """
    first, second = table[column], table[other]
    if {first.kind, second.kind} == {"dates"}:
        return True
    families = [{family(text) for text in each.folded} for each in (first, second)]
    if None not in families[0] | families[1]:  # yes and no, in any words
        return families[0] <= families[1] or families[1] <= families[0]
    if first.is_number and second.is_number:
        numbers = [[float(text.replace(",", ".")) for text in each.folded] for each in (first, second)]
        lowest, highest = sorted(map(min, numbers)), sorted(map(max, numbers))
        if (highest[0] - lowest[1]) * 2 >= highest[1] - lowest[0]:
            return True
    sizes = len(first.folded), len(second.folded)
    return len(first.folded & second.folded) * 2 >= (min(sizes) if first.kind == "text" else max(sizes))


# --- keys: columns that identify rows ---

_TRIED = 12
"""The most columns to try for each."""


def whole_columns(table: TableSample) -> list[str]:
    """Flat columns with a value in each row, and more than one; no measures."""
    columns = table.columns.items()
    whole = ((name, each) for name, each in columns if each.is_flat and not each.missing and len(each.distinct) > 1)
    return [name for name, each in whole if each.kind != "decimals"]


def are_keys(table: TableSample, names: Sequence[str]) -> bool:
    """Whether these columns are unique by row."""
    return len({tuple(map(str, row)) for row in table.rows(names)}) == table.height


def item_columns(
    table: TableSample, likely: Sequence[str], annotator: str | None, but: Container[str] = ()
) -> list[str]:
    """The column of items, or a pair of columns, that makes rows unique.

    likely: columns with names of items, the likeliest first. annotator: its column; None if a row
    is an item. but: columns with another meaning. Empty if no columns do.
    """
    who = [annotator] if annotator else []
    whole = [name for name in whole_columns(table) if name not in (*who, *likely) and name not in but]
    whole.sort(key=lambda name: table[name].is_prose)
    tried = [name for name in likely if name not in who and name not in but] + whole
    again = [name for name in tried[:_TRIED] if len(table[name].distinct) < table.height]
    two = [[*both] for both in combinations(again, 2) if not likely or {*likely} & {*both}]
    once = [[name] for name in tried if name not in again]
    ways = [*([name] for name in again), *two, *once] if annotator else [*once, *two]
    return next((names for names in ways if are_keys(table, [*names, *who])), [])


def item_of(table: TableSample, but: Sequence[str], annotator: str | None = None) -> str | None:
    """The column of items, or two joined by +, that make rows unique; else the one with a name of items."""
    named = nearest_to(called.ID, table.names, [*but, annotator or ""])
    likely = (
        [named] if named else [name for name in table.names if is_id_name(name) or joined_key(name) in called.QUESTION]
    )
    if annotator and not named:
        again = [name for name in likely if name not in (*but, annotator) and not table[name].is_id]
        named = again[0] if len(again) == 1 else None
    measured = [name for name in table.names if not called.MEASURES.isdisjoint(words(name))]
    measured += [name for name in table.names if likely and table[name].is_time]
    keys = item_columns(table, likely, annotator, [*but, *measured])
    if annotator and named and len(keys) == 1 and table[keys[0]].is_id and not table[named].is_id:
        return named  # whose items repeat, perhaps with two labels of an annotator
    return "+".join(keys) or (named if annotator else None)


# --- labels ---

_LABELS = called.NAMES["reliability"]["label"]
_JUDGES = [name for name in called.ANNOTATOR if name not in called.PEOPLE]
"""Names of annotator columns that are not names of humans."""


def judgments(table: TableSample) -> Guess:
    """A long table of labels, a wide one with a column per annotator, or one with a row for each."""
    labels = label_columns(table)
    rivals = _references(table, labels)
    trusted = None if rivals else _reference(table, labels)
    labels = [name for name in labels if name not in rivals]
    guess = _rows_of_annotators(table, _judge_columns(table, labels, None)) or _long(table, labels, trusted)
    guess = guess or _wide(table, labels, trusted)
    which = " or ".join(flag("columns", f"reference={name}") for name in rivals)
    asked = f"{listed(rivals)} are both called as references, and differ: which holds what is true? {which}"
    return replace(guess, lacking=(asked, *_but_trust(guess.lacking))) if rivals else guess


def mutual_judgments(table: TableSample) -> Guess:
    """A guess of judgments without a reference; slightly less likely, since a reference is stronger evidence."""
    guess = judgments(table)
    columns = {name: theirs for name, theirs in guess.columns.items() if name != "reference"}
    settings, weight = {**guess.settings, "reference": None}, max(guess.weight - 0.05, 0.0)
    return replace(guess, weight=weight, columns=columns, settings=settings, lacking=_but_trust(guess.lacking))


def _but_trust(lacking: Sequence[str]) -> tuple[str, ...]:
    return tuple(asked for asked in lacking if not asked.startswith(UNTRUSTED))


def _sharing(table: TableSample, names: Iterable[str], others: Collection[str]) -> list[str]:
    """Those columns that share labels with another."""
    return [name for name in names if any(share(table, name, other) for other in others if other != name)]


def label_columns(table: TableSample) -> list[str]:
    """The columns that may hold labels: not ids, prompts, measures or times.

    Dates are labels if one of them is a reference, and numbers of any size if annotators' names head their columns.
    """
    dates = [name for name in table.names if table[name].kind == "dates"]
    graders = [name for name in table.names if mentioning(called.ANNOTATOR, [name])]
    graders = [
        name for name in graders if table[name].kind == "whole numbers" and joined_key(name) not in called.ANNOTATOR
    ]
    more = {*(dates if nearest_to(called.GOLD, dates) else ()), *(graders if len(graders) > 1 else ())}
    return [name for name in table.names if (name in more or table[name].is_label) and _may_name_labels(table, name)]


def _may_name_labels(table: TableSample, name: str) -> bool:
    last, whole = {*words(name)[-1:]}, joined_key(name)
    measured = called.MEASURES | (called.SCORES if table[name].kind == "decimals" else set())
    ids = last & {"id", "ids", "idx", "index"} or (whole in called.ID and table[name].is_id)
    return whole in called.GOLD or not (ids or whole in called.QUESTION or measured & {*last, whole})


def answers_in(table: TableSample) -> str | None:
    """The one column that holds labels without an annotator; None if there are several."""
    labels = [name for name in label_columns(table) if len(table[name].distinct) > 1]
    labels = [name for name in labels if joined_key(name) not in called.ID and table[name].kind != "decimals"]
    labels = [name for name in labels if name != nearest_to(called.ANNOTATOR, labels)]
    return labels[0] if len(labels) == 1 else None


def labels_of_one(table: TableSample) -> Guess | None:
    """The guess for a table of one annotator's labels among others like it; None without ids and labels."""
    labels = label_columns(table)
    name = nearest_to(_LABELS, labels) or nearest_to(called.GOLD, labels) or answers_in(table)
    item = item_of(table, [name]) if name and not nearest_to(called.ANNOTATOR, table.names) else None
    return Guess(0.8, {"item": item, "label": name}) if item and name else None


def _reference(table: TableSample, labels: Sequence[str]) -> str | None:
    """The column of reference labels: by its name, or by a word for gold and one for labels, as expert_verdict.

    Or by such a word and the name of another column: toxic and toxic (gold). Of two, the one whose labels others share;
    texts that no other column has are none. Beside predictions it is the label.
    """
    kinds = {frozenset(words(name)) - called.PREDICTED - called.MODELS for name in labels}
    rests = {name: [word for word in words(name) if word not in (*called.GOLD, "true")] for name in labels}
    both = [
        name
        for name, rest in rests.items()
        if rest and len(rest) < len(words(name)) and (frozenset(rest) in kinds or "".join(rest) in _LABELS)
    ]
    candidates = [*assigned("reliability", table.only(labels), ["reference"]).values()]
    candidates += both if len(both) == 1 else []
    predicted = [name for name in labels if called.PREDICTED & {*words(name), joined_key(name)}]
    if predicted and not candidates and (true := nearest_to(("label", "class", "category"), labels, predicted)):
        candidates = [true]
    repeated = [name for name in candidates if len(table[name].distinct) < len(table[name].texts)]
    return next(iter([*_sharing(table, candidates, labels), *repeated]), None)


def _references(table: TableSample, labels: Sequence[str]) -> list[str]:
    """Ambiguous reference columns: with such names except for a version, and with the same labels."""
    named = [name for name in labels if joined_key(re.sub(r"[\W_]*v?\d+$", "", name)) in called.TRUE]
    alike = _sharing(table, named, named)
    return alike if len({tuple(table[name].values) for name in alike}) > 1 else []


# --- a row per judgment ---


def _long(table: TableSample, labels: Sequence[str], trusted: str | None) -> Guess | None:
    """A row per judgment: by names, else by how values repeat. None if rows are something else."""
    item, who = None, _annotator(table, labels, trusted)
    label = _label(table, [name for name in labels if name not in {who, trusted}], trusted)
    figures = [name for name in table.names if called.SCORES & {*words(name)}]
    if who and figures and table[who].is_id:
        asked = f"each of {listed(table[who].distinct)} has a row, with metrics ({listed(figures)}) computed of labels"
        return Guess(0.6, {"annotator": who}, {}, (f"{asked}: name the file that holds the labels of each item",))
    if not (who and label) and (by_values := _by_values(table, labels, trusted)):
        item, who, label = by_values
    if who is None or not (label or _judges_items(table, who, labels)):
        return None
    others = [label] if label else [name for name in labels if name not in {who, trusted, *called.ID}]
    item = item or item_of(table, [*others, *([trusted] if trusted else [])], who)
    columns = {"item": item, "annotator": who}
    ticks = not label and len(others) > 1 and all({*table[name].distinct} <= {"0", "1"} for name in others)
    if ticks:
        label = "+".join(others)
    if label is None:
        among = f"several columns may hold labels: which? --columns label=COLUMN of {listed(others)}"
        asked = among if others else "no column is known to hold labels: which does? --columns label=COLUMN"
        return Guess(0.6, columns, {}, (asked,))
    # A column named as a reference may be the target of a remark.
    reference = trusted if trusted and not ticks and share(table, trusted, label) else None
    columns |= {"label": label, "reference": reference}
    columns |= assigned("reliability", table.only(labels), ["flag", "skipped"], [*filter(None, columns.values())])
    other = f"{trusted} holds other values than {label}, and is not taken for the reference"
    judges, lacking = table[who].distinct, [] if item else [no_column("item", table)]
    lead = None if reference else trusted_among(judges)
    if not (lead or reference):
        alone = item and len({*table.rows(item.split("+"))}) == table.height
        asked = "and no item has labels of two annotators: name a file of true labels of the same items too"
        which = f", {asked}, or of another's" if alone else f": which annotator? --reference NAME of {listed(judges)}"
        lacking.append(f"{UNTRUSTED}{which}")
    weight = 0.55 + 0.2 * bool(item) + 0.2 * bool(lead or reference)
    doubts = () if reference == trusted else (other,)
    return Guess(weight, columns, {"reference": [lead] if lead else []}, tuple(lacking), doubts)


_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")


def _annotator(table: TableSample, labels: Sequence[str], trusted: str | None) -> str | None:
    """The column of annotators: by its name, or with e-mail addresses; none of a series such as grader 1 and 2."""
    voted = [name for name in _sharing(table, labels, labels) if not _judges_items(table, name, labels)]
    people = [name for name in table.names if table[name].kind in {"text", "whole numbers"}]
    people = [name for name in people if name != trusted and name not in voted]
    series = Counter(re.sub(r"\d+", "", joined_key(name)) for name in people if not table[name].is_prose)
    people = [name for name in people if series[re.sub(r"\d+", "", joined_key(name))] == 1]
    written = [name for name in people if all(map(_ADDRESS.fullmatch, table[name].distinct))]
    return nearest_to(called.ANNOTATOR, people) or mentioning(called.ANNOTATOR, people) or next(iter(written), None)


def _judges_items(table: TableSample, name: str, labels: Sequence[str]) -> bool:
    """Whether items repeat, each time with another value of a column with a name of annotators."""
    if nearest_to(called.ANNOTATOR, [name]) is None:
        return False
    item = nearest_to(called.ID, table.names, [name])
    keys = item_columns(table, [item] if item else [], name, () if item else labels)
    return len(keys) == 1 and len(table[keys[0]].distinct) < table.height


def _label(table: TableSample, labels: Sequence[str], trusted: str | None) -> str | None:
    """The column of labels: by its name, or a question, or the only one with the labels of the reference column."""
    differing = [name for name in labels if len(table[name].distinct) > 1]
    asked = [name for name in differing if {*words(name.rpartition(".")[2])[:1]} & called.ASKS]
    alike = [name for name in differing if trusted is None or share(table, trusted, name)]
    named = nearest_to(_LABELS, differing) or nearest_to(_LABELS, labels)
    return named or next((names[0] for names in (asked, alike) if len(names) == 1), None)


_COVERED, _TRIED_ROLES = 0.5, 8
"""The least share of items x annotators for values alone to identify these columns; the most columns to try."""


def _by_values(table: TableSample, labels: Sequence[str], trusted: str | None) -> tuple[str, str, str] | None:
    """The columns of items, annotators and labels from values alone: all judged most items, each once.

    The reference is constant over the rows of an item. None for a table with names and no reference: its rows may be
    anything, such as answers of models. Without names, annotators may be numbered, and judge an item again.
    """
    nameless = all(re.fullmatch(r"column_\d+", name) for name in table.names)
    if trusted is None and not nameless:
        return None
    voted = [name for name in labels if name != trusted and (trusted is None or share(table, trusted, name))]
    barred, ways = {trusted, *(voted if trusted else ())}, dict[tuple[str, str, str], tuple[bool, bool, float]]()
    free = [name for name in whole_columns(table) if len(table[name].distinct) < table.height and name not in barred]
    for label, (item, who) in product(voted, permutations(free[:_TRIED_ROLES], 2)):
        items, people = len(table[item].distinct), table[who].distinct
        written, covered = table[who].kind == "text" and not table[who].is_prose, table.height / (items * len(people))
        same = trusted is None or len({*table.rows([item, trusted])}) == items
        likely = items > len(people) and written and same and covered >= _COVERED and label not in (item, who)
        keys, numbered = likely and are_keys(table, [item, who]), all(re.search(r"\d", name) for name in people)
        if keys or (likely and nameless and numbered):
            ways[item, who, label] = (keys, numbered, covered)
    return max(ways, key=ways.__getitem__, default=None)


# --- a column per annotator ---


def _wide(table: TableSample, labels: Sequence[str], trusted: str | None) -> Guess:
    vote = nearest_to(called.NAMES["annotations"]["vote"], labels)
    writers = [two for *two, side in sided(table.names) if vote and stem(two[0], side[0]) in called.WRITERS]
    others = [name for name in labels if name not in {trusted, *(writers[0] if writers else ())}]
    judges = _judge_columns(table, others, trusted)
    if trusted is None and len(judges) > 1 and (trusted := trusted_among(judges)):
        judges = [name for name in judges if name != trusted]
    true = [trusted] if trusted else []
    if all(len(table[name].distinct) < 2 for name in (*judges, *true)):  # noqa: PLR2004
        judges = []  # marks, or values that all rows have
    replies = [] if judges or not trusted else _replies(table, trusted)
    item = item_of(table, [*(judges or replies), *true])
    columns = {"item": item, "reference": trusted}
    if trusted and replies:
        meanings = {"label": {f"{label}*": label for label in table[trusted].distinct}}
        return Guess(0.8, columns, {"annotator_columns": replies, "map_values": meanings})
    if not judges and trusted and (other_words := _judge_columns(table, others, None)):
        theirs = listed(dict.fromkeys(text for name in other_words for text in table[name].distinct))
        asked = f"{trusted} holds {listed(table[trusted].distinct)}, and {listed(other_words)} hold {theirs}"
        asked += ": what means what? --map-values reference:VALUE=LABEL"
        return Guess(0.5, columns, {"annotator_columns": other_words}, (asked,))
    if not judges:
        alone = answers_in(table)
        what = f"only {alone} may hold labels" if alone else "no columns hold labels of one kind"
        return Guess(0.1, columns, {}, (f"no column of annotators, and {what}: {_NOBODY}",))
    if asked := _no_annotators(table, judges, {*words(trusted or "")}):
        return Guess(0.6, columns, {}, (asked,))
    counts = pl.DataFrame({name: [*map(str, table[name].values)] for name in judges})
    if trusted is None and (each := constant_sum(counts)):
        asked = f"{UNTRUSTED}, and counts of {each} annotators per label do not name them"
        return Guess(0.8, columns, {}, (asked,))
    none = _values_for_none(table, item, judges, trusted)
    drop = "drop" if "item" in none else None
    settings = {"annotator_columns": judges, "map_values": none, "on_invalid": drop}
    doubt = "{} is taken for no {}; if it is one, leave it out of --map-values"
    doubts = [doubt.format(listed(values), name) for name, values in none.items()]
    if left := [name for name in _alike_columns(table, judges, others) if name not in {*judges, trusted, item}]:
        doubts.append(f"{listed(left)} may hold labels too, and are excluded: name all with --annotator-columns")
    asked = f"{UNTRUSTED}: which column? --reference NAME of {listed(judges)}"
    weight = 0.4 + 0.2 * bool(item) + 0.3 * bool(trusted)
    return Guess(weight, columns, settings, () if trusted else (asked,), tuple(doubts))


_NOBODY = "--columns annotator=COLUMN, --annotator-columns COLUMN,... or a file for each annotator"


def _values_for_none(
    table: TableSample, item: str | None, judges: Sequence[str], trusted: str | None
) -> dict[str, dict[str, str]]:
    """Values that mean no label, such as the -1 of labelling functions, and items that are rows of totals."""
    sums = total_rows(pl.Series([*table[item].distinct], dtype=pl.String)) if item in table.names else []
    given = any("-1" in table[name].distinct for name in judges)
    gaps = ["-1"] if trusted and given and "-1" not in table[trusted].distinct else []
    return {name: dict.fromkeys(values, "") for name, values in (("label", gaps), ("item", sums)) if values}


def _alike_columns(table: TableSample, judges: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Columns with the names of annotators' columns except for a number, and those with labels of theirs."""
    series = {re.sub(r"\d+", "", name) for name in judges}
    same = [name for name in labels if share(table, name, judges[0])]
    return [name for name in table.names if re.sub(r"\d+", "", name) in series or name in same]


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
    common = set.intersection(*({*words(name)} for name in judges)) if judges else set()
    texts = [name for name in table.names if table[name].is_prose and {*words(name)} & {*called.RESPONSES}]
    about = [[text for text in texts if ({*words(name)} - common) & {*words(text)}] for name in judges]
    if all(about) and len({tuple(each) for each in about}) == len(judges) > 1:
        different = f"verdicts on different texts ({listed(text for each in about for text in each)})"
        one_below_another = "put them below one another, a row for each text"
        return f"{listed(judges)} are {different}, not of several annotators on one: {one_below_another}"
    kinds: dict[str, list[str]] = {}
    for name in judges:
        kinds.setdefault(words(name)[-1] if len(words(name)) > 1 else "", []).append(name)
    everyone = {frozenset(words(name)[:-1] for name in names) for names in kinds.values()}
    several = len(kinds) > 1 and len(everyone) == 1 and min(map(len, kinds.values())) > 1
    if several and not any(kind.isdigit() for kind in kinds):
        first = f"name those of one, such as {flag('annotator-columns', ','.join(next(iter(kinds.values()))))}"
        return f"several criteria ({', '.join(kinds)}) have columns of their own: {first}"
    questions = [name for name in judges if {*words(name)[:1]} & called.ASKS and common <= called.ASKS]
    traits = [name for name in judges if ({*words(name)} - common - {*asked}) & called.TRAITS or name in questions]
    if len(traits) > 1:
        of_one = f"score one, such as {flag('columns', f'label={traits[0]}')}, with a file for each annotator"
        return f"{listed(traits)} are criteria, and no annotators of one question: {of_one}"
    return ""


def _judge_columns(table: TableSample, names: Sequence[str], trusted: str | None) -> list[str]:
    """Columns with labels of one kind: of the reference column, else the most that share theirs.

    If annotators' names share a word (rater_1, rater_2; human_label, gpt4_label), others with these
    labels are something else.
    """

    def mention(meaning: Collection[str]) -> list[str]:
        return [name for name in best if any(word in meaning for word in (*words(name), joined_key(name)))]

    groups = [[other for other in names if share(table, name, other)] for name in ([trusted] if trusted else names)]
    best = max(groups, key=len, default=[])
    if not trusted and len(best) == 1:
        return []
    judges, experts = mention({*called.ANNOTATOR, *called.MODELS}), mention(called.TRUSTED)
    named = [{*words(name)} for name in (judges if len(judges) > 1 else [*judges, *experts])] or [set()]
    common = set.intersection(*named) - {*called.MODEL_NAMES, *called.TRUSTED}
    fitting = [name for name in best if common <= {*words(name)} or name in experts]
    return fitting if len(fitting) > 1 else best


# --- a row per annotator, as in surveys ---

_ITEMS = 3
"""The least number of label columns in a survey."""


def _rows_of_annotators(table: TableSample, labels: Sequence[str]) -> Guess | None:
    """The guess for a table with a row per annotator; None for other tables.

    Evidence is names that only annotators have, or the times of a survey, or two of these: names of humans, that of
    a reference annotator, and those of items (q1, Item 2). labels: the columns with labels of one kind.
    """
    ids = [name for name in table.names if table[name].is_id]
    others = [name for name in ids if name not in labels]
    who = next((name for name in others if trusted_among(table[name].distinct)), None)
    who = who or nearest_to((*called.ANNOTATOR, *called.RESPONDENT), others) or nearest_to(_JUDGES, ids)
    items = [name for name in labels if name != who]
    begins = commonprefix(items).rstrip("0123456789")  # noqa: RUF071 - names, not paths
    series = [name for name in table.names if begins and name.startswith(begins)]
    items = [name for name in table.names if name in items or (name in series and table[name].is_label)]
    graders = [name for name in items if mentioning(called.ANNOTATOR, [name])]
    if {ITEM, LABEL} & {*table.names} or len(items) < _ITEMS or graders:
        return None
    numbered = all(words(name)[-1:] and words(name)[-1].isdigit() for name in items)
    stems = {"".join(words(name)[:-1]) for name in items}
    item_names = numbered and all({stem, f"{stem}id"} & {*called.ID} for stem in stems)
    if who is None:
        rows = f"--columns annotator=COLUMN {flag('item-columns', ','.join(items))}"
        asked = f"{listed(items)} are called as items are, and no column says whose answers a row holds: which?"
        return Guess(0.6, {}, {}, (f"{asked} {rows}; or, of annotators, --annotator-columns",)) if item_names else None
    trusted, form = trusted_among(table[who].distinct), any(joined_key(name) in called.SURVEY for name in table.names)
    signs = [form, form, *[nearest_to(_JUDGES, [who])] * 2, nearest_to((*called.PEOPLE, *called.RESPONDENT), [who])]
    signs += [trusted, item_names or (trusted and all(map(str.isdigit, items)))]
    if sum(map(bool, signs)) < 2:  # noqa: PLR2004
        return None
    turned = f"each row is taken for an annotator, whom {who} names, and each of these columns for an item"
    doubts = () if form else (f"{turned}; if these are annotators, name them with --annotator-columns",)
    asked = f"{UNTRUSTED}: which annotator? --reference NAME of {listed(table[who].distinct)}"
    names = [begins + ANY] if len(items) == len(series) else items
    settings = {"item_columns": names, "reference": [trusted] if trusted else []}
    return Guess(0.95 if trusted else 0.75, {"annotator": who}, settings, () if trusted else (asked,), doubts)
