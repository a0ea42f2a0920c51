"""The rows of a report as scores, rankings and changes, and the sentences on them that all summaries share."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import floor
from typing import Any

from adjudge.display_names import count_of, listed_names
from adjudge.metrics.data_checks import CHECKS, Caution, CheckedData
from adjudge.metrics.ranking import JudgePair, Ranking, is_significant, ranking
from adjudge.metrics.row_selection import ReportRows, TableRow
from adjudge.render.numbers import MINUS, NO_BREAK, counted_name, inside, p_cell, p_text
from adjudge.render.summary.contents import ColumnKind, Score, Sentence, SummaryColumn, Tone

FEW = 30
"""With fewer items than this, the verdict gives their number as the reason."""
NAMED, PAIR = 3, 2
"""The most judges that sentences name, and the number in a pair."""
TONES: Mapping[str, Tone] = {"best": "better", "worse": "worse", "": "none"}
"""The tone of a row -> that of a sentence on it."""
CHANCE = 0.5
"""No sample size follows from a difference with a larger p."""
_LISTED = 6
"""The most names in a finding on many pairs."""
MOST_FINDINGS, MOST_CAUTIONS, MOST_STEPS = 3, 3, 2


class SummaryRows(ReportRows):
    """The rows of a report as scores, rankings and sentences."""

    def score(self, row: TableRow | None, *, signed: bool = False) -> Score:
        """A row as a Score. signed: whether it is a difference."""
        if row is None:
            return Score(None)
        metric = self.metric(row["metric"])
        signed = signed or metric.signed
        unit = ("pp" if signed or metric.margin else "%") if metric.percent else "+" if signed else ""
        return Score(row["value"], row["low"], row["high"], row["n"], unit, row["caveat"] or "")

    def scores(self, rows: Mapping[str, TableRow | None], *, signed: bool = False) -> dict[str, Score]:
        """Judge -> its row as a Score."""
        return {name: self.score(row, signed=signed) for name, row in rows.items()}

    def change(self, row: TableRow, shared: str = "") -> str:
        """A difference with its interval and p. shared: its items, if those are not all.

        Intervals are not adjusted for multiple tests: if one excludes 0 though the adjusted test is not significant,
        the number of tests replaces it.
        """
        score, p = self.score(row, signed=True), p_text(row["p_adjusted"], row["tests"])
        if p and row["low"] is not None and not row["low"] <= 0 <= row["high"] and not self.significant(row):
            return f"{score}{shared}, {p} over {row['tests']} tests"
        return score.with_interval + shared + (f", {p}" if p else "")

    def significant(self, row: TableRow) -> bool:
        """Whether the value of a row differs significantly from 0."""
        return bool(row["value"]) and is_significant(row["p_adjusted"], self.report.confidence)

    def better(self, row: TableRow) -> bool:
        """Whether a change is an improvement."""
        return (row["value"] > 0) is (self.metric(row["metric"]).better != "low")

    def tone(self, row: TableRow) -> str:
        """The direction of a change: best for better, worse, or "" if it is not significant."""
        return "" if not self.significant(row) else "best" if self.better(row) else "worse"

    def ranking(self, metric: str, rows: Mapping[str, TableRow], **keys: Any) -> Ranking:  # noqa: ANN401 - of cells
        """The ranking of judges by their rows. keys: of the differences that test it."""
        tests, lower = self.rows("differences", metric=metric, **keys), self.metric(metric).better == "low"
        return ranking(metric, rows, tests, self.report.confidence, lower_is_better=lower)

    def counts(self, *names: str) -> str:
        """The counts of the report, by default the first ones: 24 items, 4 annotators."""
        counts, words = self.report.counts, {"judgments": "labels", "people": "annotators"}
        known = {words.get(one, one): counts[one] for one in names or tuple(counts)[:3] if one in counts}
        return ", ".join(f"{count:,} {counted_name(name, count)}" for name, count in known.items())

    def verdict(self, ranks: Ranking, praise: str, unit: str, title: str = "") -> str:
        """The best judges and their significance, in one sentence.

        praise: the predicate of the best one. title: of the metric, by default its own.
        """
        noun, scores = self.report.about.judge, self.scores(ranks.rows)
        title = title or self.metric(ranks.metric).title
        if not ranks.names:
            reason = next((row["reason"] for row in ranks.rows.values() if row["reason"]), "no items")
            return f"{title} is undefined for every {noun}: {reason}."
        best, *others = ranks.names
        if not others:
            return f"{best}: {title} {scores[best].with_interval}."
        if not ranks.pairs:
            top = listed_names(name for name in ranks.names if ranks.rows[name]["value"] == ranks.rows[best]["value"])
            return f"Best {title}: {top} ({scores[best]}); differences are not tested."
        if not ranks.significant:
            return no_difference(ranks.names, noun, max(row["n"] for row in ranks.rows.values()), unit)
        compared = [name for name in ranks.rows if frozenset((best, name)) in ranks.pairs]
        if best not in ranks.leaders:
            clause = f"but {listed_names(ranks.leaders)} is significantly better on the items of both"
        elif rest := [name for name in compared if name not in ranks.beaten[best]]:
            clause = f"but not significantly better than {listed_names(rest, 'or')}"
        else:
            clause = f"significantly better than {listed_names(compared)}"
        return f"{best} {praise}, {clause}."

    def findings(self, ranks: Ranking, named: str = "", unit: str = "") -> Iterator[Sentence]:
        """The significant differences, then the others. named: the metric, if sentences must name it.

        unit: what n counts; if given, differences include the number of shared ones.
        """
        pairs = ranks.significant
        if len(pairs) >= MOST_FINDINGS:
            if len(ranks.losers) + bool(ranks.open_pair) <= MOST_FINDINGS:
                for better, worse in ranks.losers.items():
                    verb, where = "is" if len(worse) == 1 else "are", f" in {named.strip()}" * bool(named)
                    text = f"{listed_names(worse, most=_LISTED)} {verb} significantly worse than "
                    yield Sentence(f"{text}{listed_names(better, most=_LISTED)}{where}", "worse")
            else:
                each = ", ".join([f"{name} {one}" for name, one in ranks.ranks.items()][:_LISTED])
                yield Sentence(f"{len(pairs):,} of {len(ranks.pairs):,} pairs differ significantly; ranks: {each}")
            pairs = []
        for pair in (*pairs, *filter(None, [ranks.open_pair])):
            n, least = pair.row["n"], min(ranks.rows[name]["n"] for name in (pair.better, pair.worse))
            both = pair.row.get("shared", n)
            apart = f" on {both} shared {unit}s" if n < least else f" ({both} of {n} {unit}s shared)" * (both < n)
            yield self.difference(pair, named, apart if unit and n else "")

    def difference(self, pair: JudgePair, named: str, shared: str = "") -> Sentence:
        """The difference of two judges, and whether it is significant. named, shared: as in findings and change."""
        size = named + self.change(pair.row, shared)
        if pair.significant:
            return Sentence(f"{pair.better} is significantly better than {pair.worse}: {size}", "better")
        return Sentence(f"Not significant: {pair.better} {MINUS}{NO_BREAK}{pair.worse}, {size}", "none")

    def sample_size(self, pair: JudgePair | None, what: str) -> str | None:
        """The step to collect more items, if a difference is not significant. what: such as "items"."""
        if pair is None or pair.significant or not pair.row["needed"]:
            return None
        size = str(self.score({**pair.row, "value": abs(pair.row["value"])}, signed=True)).removeprefix("+")
        if pair.row["p"] > CHANCE:
            return f"Plan for the smallest difference that matters: {size} is too uncertain to plan from"
        return f"About {pair.row['needed']:,} {what} would detect a difference of {size} (80% power)"

    def cautions(self, scores: Mapping[str, TableRow], unit: str, *more: str, **known: Any) -> list[Sentence]:  # noqa: ANN401
        """The most serious cautions on the data, and all on the treatment of labels. known: see CheckedData.

        more: further ones of that kind.
        """
        data = CheckedData(self, scores, unit, **known)
        given = [caution for check in CHECKS for caution in check(data)]
        given += [Caution(text, decision=True) for text in more]
        return first_sentences([Sentence(one.text, decision=one.decision) for one in given], MOST_CAUTIONS)

    def threshold(self, metric: str, estimates: Iterable[Score]) -> list[Sentence]:
        """The gate with the highest threshold that passes today."""
        lowest = floor(1000 * min((one.low for one in estimates if one.low is not None), default=0)) / 1000
        text = f"No threshold set. Highest that passes today: --fail-under {metric}={lowest:.3f} --bound worst"
        return [Sentence(text, label="Gate")] * (lowest > 0)


def no_difference(names: Collection[str], noun: str, n: int, unit: str, metrics: Sequence[str] = ()) -> str:
    """A sentence that no two judges differ significantly; for small samples with the reason. metrics: tested titles."""
    who = f"between {listed_names(names)}" if len(names) == PAIR else f"among {count_of(len(names), noun)}"
    what = f"in {listed_names(metrics, 'or', most=_LISTED)} " * bool(metrics)
    return f"No significant difference {what}{who}" + (f": {count_of(n, unit)} are too few." if 1 < n < FEW else ".")


def by_tone(tones: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, str]:
    """Each tone that some names have -> its text and these names, in the order of texts."""
    phrases = {name: phrase(name) if name.endswith("% noise") else name for name in tones}
    sides = {tone: [phrases[name] for name in tones if tones[name] == tone] for tone in texts}
    return {tone: f"{texts[tone]}: {listed_names(names)}" for tone, names in sides.items() if names}


def phrase(title: str) -> str:
    """A title within a list: accuracy at 80% noise."""
    return inside(title).replace(", ", " at " if "%" in title else " in ")


def read_step(count: int, noun: str, which: str) -> str | None:
    """The step to read the counted items; None if there are none. which: a clause that identifies them."""
    return f"Read the {count_of(count, noun)} {which}" if count else None


def steps(*found: str | None) -> list[Sentence]:
    """The first next steps."""
    return [Sentence(step) for step in found if step][:MOST_STEPS]


def first_sentences(every: Sequence[Sentence], most: int = MOST_FINDINGS) -> list[Sentence]:
    """The first sentences, all on the treatment of labels, and the number of others."""
    others = [one for one in every if not one.decision]
    shown = [one for one in every if one.decision or one in others[: max(most - len(every) + len(others), 0)]]
    rest = [Sentence(f"{len(every) - len(shown)} more: --details", label=shown[-1].label if shown else "")]
    return shown + rest * (len(shown) < len(every))


def estimate_columns(title: str, shown: Mapping[str, Score]) -> list[SummaryColumn]:
    """An estimate with its interval, and n."""
    kind: ColumnKind = "estimate" if any(one.interval for one in shown.values()) else "value"
    count = SummaryColumn("n", {name: one.n for name, one in shown.items()}, "count", 2)
    return [SummaryColumn(title, shown, kind), count]


def abstention_columns(rows: "SummaryRows", judge: str = "annotator") -> list[SummaryColumn]:
    """The number of items that each judge abstains from, if any does. judge: the column of names."""
    counts = {row[judge]: row["count"] for row in rows.rows("abstentions")}
    return [SummaryColumn("Abstentions", counts | {"pooled": sum(counts.values())}, "count", 3)] * bool(counts)


def p_column(rows: Mapping[str, TableRow], tones: Mapping[str, str], drop: int = 0) -> SummaryColumn:
    """The adjusted p of significant tests."""
    cells = {name: p_cell(row["p_adjusted"]) if tones[name] else "n.s." for name, row in rows.items()}
    return SummaryColumn("adj. p", cells, "text", drop)
