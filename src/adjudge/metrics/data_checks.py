"""Checks of a report's data for likely problems, the most serious first, each with its numbers and judge."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from adjudge.display_names import count_of, listed_names, short_name
from adjudge.metrics.ranking import is_significant
from adjudge.metrics.row_selection import ReportRows, TableRow
from adjudge.spec import BASELINE_PREFIX

SAME_LABELS = 10
"""The number of labels of a judge that must be the same before it counts as constant."""
EXPECTED = 5
"""The number of times that one side gives a label that the other never gives."""
SMALL_SAMPLE, FEW_CLUSTERS = 30, 20
"""Samples of fewer items are small; fewer clusters are few."""
RARE, RARE_OF = 5, 50
"""A reference label is rare if it occurs less often than this among at least so many labels."""
SKIPPED_SHARE = 0.05
"""The share of items in one run only from which on a comparison has a caution."""
EMPTY, REPEATED = "empty texts", "repeated texts"
"""The counts of items with an empty text, and of those that repeat the texts of another item."""
TRUE = "true violations"
"""The counts of true violations, and of those whose quotes differ from the words at their offsets."""


@dataclass(frozen=True, slots=True)
class Caution:
    """A doubt about the data. decision: whether it says what was done with labels, so that every output has it."""

    text: str
    decision: bool = False


@dataclass(frozen=True)
class CheckedData:
    """The data that the checks read.

    scores: judge -> its row of the main metric. unit: what its n counts, in the singular. kappa: judge -> its row of
    kappa, if labels are compared with a reference. at_most: judge -> its score if all missing labels were right.
    clusters: the number of clusters, if items are clustered. cluster: what one is, in the singular.
    """

    rows: ReportRows
    scores: Mapping[str, TableRow]
    unit: str
    kappa: Mapping[str, TableRow] = field(default_factory=dict)
    at_most: Mapping[str, TableRow] = field(default_factory=dict)
    clusters: int | None = None
    cluster: str = "cluster"

    @property
    def noun(self) -> str:
        """A label, in the singular."""
        return self.rows.report.about.label_counts.noun.removesuffix("s")

    @cached_property
    def labels(self) -> list[TableRow]:
        """The table of labels: judge, part, label, reference_label and count, without baselines."""
        about = self.rows.report.about
        given = about.label_counts
        rows = self.rows.rows(given.table) if given.table else []
        for key in given.first:
            rows = [row for row in rows if row[key] == rows[0][key]]
        columns = {"judge": about.judge, "part": about.across, "label": given.label, "reference_label": given.reference}
        labels = [{name: row.get(column) for name, column in columns.items()} | {"count": row["count"]} for row in rows]
        return [row for row in labels if not str(row["judge"]).startswith(BASELINE_PREFIX)]


def scores_below_chance(data: CheckedData) -> Iterator[Caution]:
    """Judges whose agreement is significantly below chance."""
    below = [name for name, row in data.kappa.items() if row["high"] is not None and row["high"] < 0]
    if below:
        yield Caution(f"Below chance (kappa under 0): {listed_names(below)}. Check whether labels are swapped")


def missing_labels(data: CheckedData) -> Iterator[Caution]:
    """Missing labels of each judge and their treatment; other judgments that metrics exclude, and invalid rows."""
    judge, (missing, possible) = data.rows.report.about.judge, count_missing(data)
    what = fate_of_missing(data)
    if len(missing) > 2:  # noqa: PLR2004 - one or two are listed
        most = max(missing, key=lambda name: missing[name] / possible[name])
        share = f"{missing[most]:,} of {possible[most]:,}"
        total = count_of(missing.total(), data.noun)
        yield Caution(f"{total} of {len(missing):,} {judge}s missing, {what} (most: {most}, {share})", decision=True)
    for name, count in missing.items() if len(missing) <= 2 else ():  # noqa: PLR2004
        bound = data.at_most[name]["value"] if name in data.at_most else None
        at_most = "" if bound is None else f" (at most {bound:.1%} if all were right)"
        of = count_of(possible[name], data.noun)
        yield Caution(f"{name}: {count:,} of {of} missing, {what}{at_most}", decision=True)
    reasons = Counter[str]()
    for row in data.rows.rows("deductions"):
        reasons[row["reason"]] += row["count"] * (row["reason"] not in data.rows.report.about.label_counts.missing)
    if differ := reasons.pop("reference_choices_differ", 0):
        what = "on which references disagree are excluded; such items are usually harder"
        yield Caution(f"{count_of(differ, data.noun)} of items {what}", decision=True)
    if reasons := +reasons:
        each = listed_names([f"{count:,} {reason.replace('_', ' ')}" for reason, count in reasons.most_common()])
        yield Caution(f"Excluded {data.noun}s: {each}", decision=True)


def count_missing(data: CheckedData) -> tuple[Counter[str], Counter[str]]:
    """The number of missing labels of each judge that has any, and of all that each should give."""
    given, judge = data.rows.report.about.label_counts, data.rows.report.about.judge
    missing, possible = Counter[str](), Counter[str]()
    labels = [(row["judge"], row["label"], row["count"]) for row in data.labels if given.missing]
    excluded = [(row[judge], row["reason"], row["count"]) for row in data.rows.rows("deductions")]
    for name, label, count in labels + [one for one in excluded if one[1] in given.missing]:
        possible[name] += count
        missing[name] += count * (label in given.missing)
    return +missing, possible


def fate_of_missing(data: CheckedData) -> str:
    """The treatment of missing labels."""
    given = data.rows.report.about.label_counts
    shown = {row[key] for key in given.first for row in data.rows.rows(given.table)[:1]}
    return "counted as wrong" if given.counts == "as wrong" or shown & {*given.wrong} else "excluded"


def unbeaten_constants(data: CheckedData) -> Iterator[Caution]:
    """A constant answer with a higher accuracy than every judge; of several parts, the one where it is highest."""
    about = data.rows.report.about
    given = about.label_counts
    if not given.reference or given.among:
        return
    by_part: dict[str | None, dict[str, list[TableRow]]] = {}
    for row in data.labels:
        if given.counts == "as wrong" or row["label"] not in given.missing:
            by_part.setdefault(row["part"], {}).setdefault(row["judge"], []).append(row)
    constants: list[tuple[float, str, str]] = []
    for part, by_judge in by_part.items():
        sides = [[row for row in rows if row["label"] == row["reference_label"]] for rows in by_judge.values()]
        counts = [[sum(row["count"] for row in rows) for rows in side] for side in (sides, by_judge.values())]
        shares = [right / every for right, every in zip(*counts, strict=True)]
        most = max((_sums(rows, "reference_label") for rows in by_judge.values()), key=Counter.total)
        label, count = (most.most_common(1) or [("", 0)])[0]
        if len(most) > 1 and count / most.total() > max(shares):
            constants.append((count / most.total(), part or "", label))
    if constants:
        share, part, label = max(constants, key=lambda one: one[0])
        who = {1: f"the {about.judge}", 2: f"both {about.judge}s"}.get(len(data.scores), f"every {about.judge}")
        text = f'always answering "{worded_label(label)}" scores {share:.1%}, more than {who}'
        yield Caution(f"{part.replace('_', ' ')}: {text}" if part else text[0].upper() + text[1:])


def constant_judges(data: CheckedData) -> Iterator[Caution]:
    """Judges that always give the same label although the reference varies."""
    same = []
    for name in dict.fromkeys(row["judge"] for row in data.labels):
        rows = [row for row in data.labels if row["judge"] == name]
        counts = _sums(rows, "label", data.rows.report.about.label_counts.missing)
        varied = any(row["reference_label"] != row["label"] for row in rows if row["label"] in counts)
        if varied and len(counts) == 1 and counts.total() >= SAME_LABELS:
            same.append(f'{name} always answers "{worded_label(*counts)}"')
    if same and data.rows.report.about.label_counts.reference:
        yield Caution(listed_names(same))


def one_sided_labels(data: CheckedData) -> Iterator[Caution]:
    """Labels that only the judges, or only the reference, give."""
    about = data.rows.report.about
    given, rows = about.label_counts, data.labels
    if not given.reference or not rows:
        return
    used, known = (_sums(rows, column, given.missing) for column in ("label", "reference_label"))
    among = set(given.among) or {*used, *known}
    for who, own, other in (("The reference never uses", used, known), ("Only the reference uses", known, used)):
        only = [f'"{worded_label(one)}"' for one in sorted(among & {*own} - {*other}) if own[one] >= EXPECTED]
        if only and other:
            yield Caution(f"{who} {listed_names(only)}")


def odd_texts(data: CheckedData) -> Iterator[Caution]:
    """Empty and repeated texts."""
    counts, items = data.rows.report.counts, data.rows.report.about.items
    for name, what in {REPEATED: "repeat the texts of another", EMPTY: "have an empty text"}.items():
        if counts.get(name):
            yield Caution(f"{counts[name]:,} of {counts.get(items, 0):,} {items} {what}")


def small_samples(data: CheckedData) -> Iterator[Caution]:
    """Few items of all judges, or of some, and few clusters."""
    sizes = {name: row["n"] for name, row in data.scores.items() if row["value"] is not None}
    short = [f"{name}: only {count_of(size, data.unit)}" for name, size in sizes.items() if size < SMALL_SAMPLE]
    if short and len(short) < len(sizes):
        yield Caution(listed_names(short))
    elif short:
        few, many = min(sizes.values()), max(sizes.values())
        span = count_of(many, data.unit) if few == many else f"{few}\N{EN DASH}{count_of(many, data.unit)}"
        yield Caution(f"Small samples ({span}): intervals may be too narrow")
    if data.clusters and data.clusters < FEW_CLUSTERS:
        yield Caution(f"Few clusters ({count_of(data.clusters, data.cluster)}): intervals are rough")


def rare_labels(data: CheckedData) -> Iterator[Caution]:
    """Reference labels that occur on few items, by the judge with most labels."""
    given, rows = data.rows.report.about.label_counts, data.labels
    if not given.reference or given.sides:
        return
    judges = {row["judge"] for row in rows}
    counts = [_sums([row for row in rows if row["judge"] == name], "reference_label") for name in judges]
    most = max(counts, key=Counter.total, default=Counter[str]())
    rare = sorted(f'"{worded_label(label)}" ({count})' for label, count in most.items() if count < RARE)
    if rare and most.total() >= RARE_OF:
        yield Caution(f"Rare reference labels: {listed_names(rare)}")


def unfit_items(data: CheckedData) -> Iterator[Caution]:
    """Judges that differ significantly between times, and questions with noise of which no share is known."""
    rows = [row for row in data.rows.rows("drift") if is_significant(row["p_adjusted"], data.rows.report.confidence)]
    if rows:
        names = listed_names(dict.fromkeys(row["judge"] for row in rows))
        yield Caution(f"Significant drift: {names}. The verdict may not hold for recent items", decision=True)
    keys = {"metric": "accuracy", "ability": "noise_robustness", "noise_ratio": None}
    rows = data.rows.rows("scores", **keys) if "noise_ratio" in data.rows.report.about.keys else []
    if unknown := max((row["n"] for row in rows), default=0):
        text = f"{count_of(unknown, 'question')} without noise_ratio: no accuracy by noise"
        yield Caution(f"{text} (set it with --columns or --constant)", decision=True)


CHECKS = (
    unfit_items,
    scores_below_chance,
    missing_labels,
    unbeaten_constants,
    constant_judges,
    one_sided_labels,
    odd_texts,
    small_samples,
    rare_labels,
)
"""The checks, the most serious first."""


def worded_label(label: str) -> str:
    """A label for display: both_good is Adjudge's own name of a label."""
    return short_name(label.replace("_", " ") if label in ("both_good", "both_bad") else label)


def _sums(rows: Iterable[TableRow], column: str, missing: Collection[str] = ()) -> Counter[str]:
    """The number of labels of one side. missing: labels that do not count."""
    sums = Counter[str]()
    for row in rows:
        if row[column] is not None and row[column] not in missing and row["label"] not in missing:
            sums[row[column]] += row["count"]
    return sums
