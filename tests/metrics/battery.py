"""What the battery over all figures is made of: runs with gaps, and which literal reading a row of a report answers to."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import chain
from math import fsum
from types import SimpleNamespace

import gappy
import literal
import polars as pl
import pytest
from gappy import CRITERIA, PEOPLE, RIGHT, WAYS

import adjudge
from adjudge.api.reports import runs_of
from adjudge.evaluations import NAMES
from adjudge.metrics.metric import Metric, View
from adjudge.metrics.planning import pilots
from adjudge.metrics.run_matching import match_runs

JUDGE = {"agreement": "annotator", "annotations": "annotator", "card": "judge", "preferences": "system", "rag": "model", "reliability": "annotator", "violations": "checker"}  # fmt: skip
MAIN = {"agreement": "agreement", "annotations": "agreement", "card": "judges", "preferences": "scores", "rag": "scores", "reliability": "annotators", "violations": "scores"}  # fmt: skip
AVERAGE = "average"

LITERAL = {
    **{("annotations", "bias" if name in ("position", "length", "swap_consistency", "both_orders_accuracy", "net_accuracy") else "", name, ""): one for name, one in literal.annotations().items()},
    **{("agreement", "", name, ""): one for name, one in literal.AGREEMENT.items()},
    **{("card", "", name, ""): one for name, one in literal.CARD.items()},
    **{("preferences", "", name, ""): one for name, one in literal.PREFERENCES.items()},
    **{("rag", "", name, ""): one for name, one in literal.RAG.items()},
    ("rag", "agreement", "kappa", ""): literal.agreement,
    **{("reliability", "", name, ""): one for name, one in literal.RELIABILITY.items()},
    **{("violations", "", *key): one for key, one in literal.VIOLATIONS.items()},
    **{("violations", f"by_{part}", name, ""): literal.by_value for part in ("rule", "category") for name in literal.BY},
}  # fmt: skip
"""(evaluation, table beside the main one, figure, average) -> its literal reading, or what makes one of a row's keys."""

ALONE = {
    ("reliability", "items"),
    ("reliability", "reference_flagged"),
    ("agreement", "items"),
    ("agreement", "labels"),
}
"""Figures that no two runs are compared in."""


def declared(what):
    """All figures in what a module declares."""
    if isinstance(what, Metric):
        return [what]
    if isinstance(what, View):
        return [*what.metrics, *chain.from_iterable(map(declared, what.subviews))]
    if isinstance(what, Mapping):
        return [*chain.from_iterable(map(declared, what.values()))]
    return [*chain.from_iterable(map(declared, what))] if isinstance(what, tuple | list) else []


def key_of(evaluation, table, row):
    """Which literal reading a row of a report answers to."""
    return evaluation, table, row["metric"], row.get("average") or ""


# --- runs with gaps ---


@dataclass(frozen=True, eq=False)
class Case:
    """Runs of one evaluation on the same items: of judge A, of B and of both."""

    evaluation: str
    way: str
    folder: object
    parts: dict = field(default_factory=dict)

    def scored(self, judges, **options):
        return gappy.scored(self.evaluation, judges, self.folder, self.way, **options)

    @cached_property
    def both(self):
        return self.scored("AB")

    @cached_property
    def a(self):
        return self.scored("A")

    @cached_property
    def b(self):
        return self.scored("B")

    @cached_property
    def exchanged(self):
        """That of both with their names exchanged."""
        return self.scored("AB", names={"A": "B", "B": "A"})

    @cached_property
    def compared(self):
        return adjudge.compare([self.a.items, self.b.items])

    @cached_property
    def pilots(self):
        """What run A says of the next one, and what both say: by the keys of a row."""
        return known(self, self.a), known(self, self.a, self.b)

    def outcomes(self, run, keys=()):
        """The rows of an items file, or those with some values in some columns."""
        asked = run.items, tuple(name for name, _ in keys)
        if asked not in self.parts:
            self.parts[asked] = defaultdict(list)
            for row in pl.read_parquet(run.items).iter_rows(named=True):
                self.parts[asked][tuple(row[name] for name in asked[1])].append(row)
        return self.parts[asked][tuple(value for _, value in keys)]


ALL_LABELS = "all labels"
CASES = [
    (name, way)
    for name in NAMES
    for way in WAYS
    if (way != "clusters" or name in {"reliability", "annotations"})  # weeks are clustered too
    and (name == "annotations" or way != ALL_LABELS)
]
LACKS = {
    ("agreement", "plain"): {f"icc_{form}{of}" for form in ("agreement", "consistency") for of in ("", "_mean")},
    ("annotations", "weeks"): {"swap_consistency", "both_orders_accuracy", "net_accuracy"},
    ("annotations", ALL_LABELS): {"kappa", "strength"},
    ("rag", "weeks"): {"all_rate"},
}
"""Figures that are undefined, or not there, in some ways of scoring."""


def read_in(case):
    """The figures of an evaluation that a case has."""
    left = LACKS.get((case.evaluation, case.way), ())
    return {key for key in LITERAL if key[0] == case.evaluation and key[2] not in left}


def tables(case, report):
    """The tables of figures of a report on one run: by their place among a comparison's, its rows."""
    if case.evaluation == "agreement":  # which a comparison has in one
        rows = [row for name in ("agreement", "annotators", "intraclass") for row in report[name].to_dicts()]
        return {"": [row for row in rows if row.get("over") in (None, "items")]}
    found = {"": report[MAIN[case.evaluation]], **{name: report[name] for name in ("bias", "by_rule", "by_category") if name in report.tables and case.evaluation != "card"}}  # fmt: skip
    if case.evaluation == "rag":  # first and second are the names of runs and judges everywhere else
        found["agreement"] = report["agreement"].rename({"first": "scorer", "second": "other_scorer"})
    if case.evaluation == "reliability":
        found["overall"] = report["overall"]
    return {name: table.to_dicts() for name, table in found.items()}


UNREAD = {"alpha_without", "reliability_shrunk", "winning_rate", "advantage_probability"}
"""Figures that rest on all judges at once, which are tested by themselves."""
_SAME = {"agreement": ("week",), "annotations": ("dataset", "week"), "card": ("week",), "preferences": ("week",), "rag": ("week", "noise_ratio"), "reliability": ("week",), "violations": ("week",)}  # fmt: skip


def part_of(case, row, run):
    """The outcomes of a run that a row of a report rests on, by its keys."""
    same = {name: row[name] for name in _SAME[case.evaluation] if name in row and not (name == "noise_ratio" and row[name] is None)}  # fmt: skip
    if case.evaluation == "rag":
        same |= {"part": row["ability"]} if "other_scorer" in row else {"ability": row["ability"], "scorer": row["scorer"]}  # fmt: skip
    if person_of(row):
        same["judge"] = person_of(row)
    if "criterion" in row:
        same["part"] = row["criterion"]
    if "variant" in row:
        same["variant"] = "std" if row["variant"] == "overlap" else row["variant"]
    return case.outcomes(run, tuple(same.items()))


def reading_of(case, table, row):
    """The literal reading of a row."""
    found = LITERAL[key_of(case.evaluation, table, row)]
    if case.way == ALL_LABELS:
        return literal.annotations(("text_a", "text_b", "both", "neither"), of_reference=True)[row["metric"]]
    if table == "agreement":
        return found(*({"correct": "value"}.get(name, name) for name in [row["verdict"]]), row["scorer"], row["other_scorer"])  # fmt: skip
    return found(table[3:], row["metric"], row[table[3:]]) if table.startswith("by_") else found


def said(reading, rows):
    """What each unit of each judge says."""
    judges = {one["judge"] for one in rows}
    own = {judge: reading.said([one for one in rows if one["judge"] == judge]) for judge in judges}
    return {(judge, unit): one for judge, units in own.items() for unit, one in units.items()}


def rows_of(row):
    """The row for each criterion that it averages; itself where it averages none."""
    return [{**row, "criterion": one} for one in CRITERIA] if row.get("criterion") == AVERAGE else [row]


def one_run(case, table, row, judge):
    """The value of a figure by its literal reading, and on how many units it rests. judge: all where it is empty."""
    reading = reading_of(case, table, row)
    parts = [[one for one in part_of(case, own, case.both) if judge in ("", one["judge"])] for own in rows_of(row)]
    if row["metric"] == "reference_flagged" or case.evaluation == "agreement":  # of the items, whoever judges them
        each = [reading.said(part) for part in parts]
    else:
        each = [said(reading, part) for part in parts]
    kept = [{unit: one for unit, one in of_part.items() if one is not None} for of_part in each]
    values = [reading.value([*of_part.values()]) for of_part in kept]
    value = None if None in values else fsum(values) / len(values)
    units = {unit for of_part in kept for unit, one in of_part.items() if reading.counts(one)}
    return SimpleNamespace(value=value, n=len(units))


def close(found, expected):
    return found is None if expected is None else found == pytest.approx(expected, rel=1e-10, abs=1e-13)


FOUND = ("value", "low", "high", "n", "method", "reason", "caveat", "p", "first_value", "second_value", "left_out")


def compared_tables(report):
    """The tables of differences of a comparison: by their place, the rows."""
    names = [name for name, table in report.tables.items() if "left_out" in table.columns]
    return {"" if name == "comparison" else name: report[name].to_dicts() for name in names}


def two_runs(case, table, row):
    """What both runs say on the units on which both have the figure, by its literal reading."""
    reading = reading_of(case, table, row)
    values, units, left_out = [], set(), 0
    for own in rows_of(row):
        first, second = (reading.said(part_of(case, own, run)) for run in (case.a, case.b))
        if case.evaluation == "reliability" and first.keys() != second.keys():
            kept = [{unit for unit, said in one.items() if said is not None} for one in (first, second)]
            values.append([reading.value([one[unit] for unit in own]) for one, own in zip((first, second), kept, strict=True)])  # fmt: skip
            units |= kept[0] | kept[1]
            continue
        if reading.absent is None:
            held = first.keys() & second.keys()
        else:
            held = first.keys() | second.keys()
            first, second = ({unit: one.get(unit, reading.absent()) for unit in held} for one in (first, second))
        there = [{unit for unit in held if one[unit] is not None} for one in (first, second)]
        kept, lacking = there[0] & there[1], there[0] ^ there[1]
        if reading.uncounted:
            lacking |= {unit for unit in kept if reading.counts(first[unit]) != reading.counts(second[unit])}
            kept -= lacking
        values.append([reading.value([one[unit] for unit in kept]) for one in (first, second)])
        units |= {unit for unit in kept if reading.counts(first[unit]) or reading.counts(second[unit])}
        left_out += len(lacking)
    each = [*zip(*values, strict=True)]
    before, after = (None if None in one else fsum(one) / len(one) for one in each)
    return SimpleNamespace(before=before, after=after, n=len(units), left_out=left_out)


def person_of(row):
    """Who gives labels in every run on agreement, of a row about one of them."""
    return next((row[name] for name in ("annotator", "judge") if row.get(name) in PEOPLE), None)


KEYS = ("week", "criterion", "ability", "noise_ratio", "scorer", "other_scorer", "verdict", "variant", "average", "rule", "category", "metric")  # fmt: skip


def keys_of(row):
    return (person_of(row), *(row.get(name) for name in KEYS))


def is_of(case, row, judge):
    """Whether a row of a report is about a judge, or of agreement about everyone who is in each run."""
    found = row.get(JUDGE[case.evaluation])
    return found == judge or (case.evaluation == "agreement" and found not in RIGHT)


def judged(case, second="B"):
    """The judges of run A, and who stands for them in another run."""
    return {"A": second} if case.evaluation != "agreement" else {name: name for name in (literal.EVERYONE, *PEOPLE)}


def views(case):
    """The views of an evaluation."""
    main = import_module(f"adjudge.evaluations.{case.evaluation}.metrics").VIEW
    return [main, *main.subviews]


def known(case, *runs):
    """What pilots say, by the keys of a row."""
    read = runs_of([run.items for run in runs])
    judges = judged(case, "A" if len(read) == 1 else "B")
    found = [one for data in match_runs(read[0], read[-1], judges, views(case)[0]) for one in pilots(data)]
    return {keys_of(one): one["pilot"] for one in found}
