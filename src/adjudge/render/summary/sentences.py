"""What rankings, cautions and gates say, in sentences that all summaries share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor
from typing import Any

from adjudge.display_names import count_of, listed_names
from adjudge.metrics.data_checks import Caution, CheckedData, cautions
from adjudge.metrics.ranking import JudgePair, Ranking, is_significant, ranking
from adjudge.metrics.report_rows import ReportRows
from adjudge.metrics.row_selection import TableRow
from adjudge.render.numbers import counted_name
from adjudge.render.summary.contents import MINUS, NO_BREAK, Score, Sentence, SummaryColumn
from adjudge.report import GateResult
from adjudge.spec import MetricSpec

TINY = 20
"""A difference that needs this many times the items at hand is too small to be worth them."""
MILD = frozenset({"approximate", "under_100_clusters", "skewed", "conservative"})
"""Caveats that change little for a reader; an estimate with any other is marked."""
FEW = 30
"""With fewer items than this, the verdict names their number as the reason."""
NAMED = 3
"""More judges than this are not named one by one."""
MOST_FINDINGS, MOST_CAUTIONS, MOST_STEPS = 3, 3, 2


class SummaryRows(ReportRows):
    """The rows of a report as Scores and rankings."""

    def score(self, row: TableRow | None, *, signed: bool = False) -> Score:
        """A row as a Score. signed: whether it is a difference."""
        if row is None:
            return Score(None)
        metric = self.metric(row["metric"])
        signed = signed or metric.signed
        unit = ("pp" if signed or metric.margin else "%") if metric.percent else "+" if signed else ""
        caveat = row["caveat"] or ""
        return Score(row["value"], row["low"], row["high"], row["n"], unit, "" if caveat in MILD else caveat)

    def scores(self, rows: Mapping[str, TableRow | None], *, signed: bool = False) -> dict[str, Score]:
        """Judge -> its row as a Score."""
        return {name: self.score(row, signed=signed) for name, row in rows.items()}

    def ranking(self, metric: str, rows: Mapping[str, TableRow], **keys: Any) -> Ranking:  # noqa: ANN401 - of cells
        """The ranking of judges by their rows. keys: of the differences that test it."""
        tests = self.rows("differences", metric=metric, **keys)
        return ranking(rows, tests, self.report.confidence, better=self.metric(metric).better or "high")

    def significant(self, row: TableRow) -> bool:
        """Whether the value of a row differs significantly from 0."""
        return bool(row["value"]) and is_significant(row["p_adjusted"], self.report.confidence)

    def better(self, row: TableRow) -> bool:
        """Whether a change is one for the better."""
        return (row["value"] > 0) is (self.metric(row["metric"]).better != "low")

    def cautions(
        self,
        scores: Mapping[str, TableRow],
        unit: str,
        *more: Caution | str,
        **known: Any,  # noqa: ANN401 - see CheckedData
    ) -> list[Sentence]:
        """The gravest cautions on the data, and all that say what was done with labels. more: further ones."""
        found = [*cautions(CheckedData(self, scores, unit, **known))]
        found += [Caution(one, decision=True) if isinstance(one, str) else one for one in more]
        return first_sentences([Sentence(one.text, decision=one.decision) for one in found], MOST_CAUTIONS)

    def counts(self, *names: str) -> str:
        """The counts of the report, by default the first ones: 24 items, 4 annotators."""
        counts, words = self.report.counts, {"judgments": "labels", "people": "annotators"}
        known = {words.get(one, one): counts[one] for one in names or tuple(counts)[:3] if one in counts}
        return ", ".join(f"{count:,} {counted_name(name, count)}" for name, count in known.items())


def p_cell(p: float | None) -> str:
    """A p-value in a cell: two decimals, three below .010 and between .040 and .060.

    >>> [p_cell(p) for p in (0.12, 0.0481, 0.002, 0.0001, 0.999, None)]
    ['.12', '.048', '.002', '< .001', '> .99', '']
    """
    if p is None:
        return ""
    if p < 0.001 or p >= 0.995:  # noqa: PLR2004
        return "< .001" if p < 0.001 else "> .99"  # noqa: PLR2004
    close = p < 0.01 or 0.04 <= p < 0.06  # noqa: PLR2004
    return f"{p:.{3 if close else 2}f}".removeprefix("0")


def p_text(p: float | None, tests: int = 2) -> str:
    """A p-value in a sentence. tests: the number of tests that it is adjusted over."""
    sign = "" if p_cell(p)[:1] in "<>" else "= "
    return f"{'adj. ' if tests > 1 else ''}p {sign}{p_cell(p)}".replace(" ", NO_BREAK)


def gap_text(pair: JudgePair, metric: MetricSpec, shared: str = "") -> str:
    """A difference with its interval and p. shared: the items that it rests on, if they are not all.

    The interval is not adjusted for multiple tests: where it excludes 0 though the adjusted test is not significant,
    the number of tests stands in its place.
    """
    one = pair.difference
    gap = Score(one.value, one.low, one.high, one.n, "pp" if metric.percent else "+")
    p = "" if pair.p is None else f", {p_text(pair.p, pair.tests)}"
    on = f" on {shared}" if shared else ""
    if one.low is None or one.high is None or pair.significant or one.low <= 0 <= one.high:
        return f"{gap.with_interval}{on}{p}"
    return f"{gap}{on}{p} over {pair.tests} tests"


def verdict(rows: SummaryRows, ranks: Ranking, praise: str, metric: MetricSpec, *, unit: str) -> str:
    """Who is best and whether that is significant, in one sentence. praise: what the best one does."""
    noun = rows.report.about.judge
    if not ranks.names:
        reason = next((row["reason"] for row in ranks.rows.values() if row["reason"]), "no items")
        return f"{metric.title} is undefined for every {noun}: {reason}."
    best, *others = ranks.names
    if not others:
        return f"{best}: {metric.title} {rows.score(ranks.rows[best]).with_interval}."
    if not ranks.pairs:
        return f"{best} {praise} ({rows.score(ranks.rows[best])}); differences are not tested."
    if not ranks.significant:
        who = (
            f"between {listed_names(ranks.names)}" if len(others) == 1 else f"among {count_of(len(ranks.names), noun)}"
        )
        n = max(row["n"] for row in ranks.rows.values())
        tiny = ranks.open_pair is not None and (ranks.open_pair.needed or 0) > TINY * n
        few = f": {count_of(n, unit)} are too few." if 1 < n < FEW and not tiny else "."
        return f"No significant difference {who}{few}"
    compared = ranks.compared_with(best)
    rest = [name for name in compared if name not in ranks.beaten[best]]
    if best not in ranks.leaders:
        clause = f"but {listed_names(ranks.leaders)} is significantly better on the items of both"
    elif rest:
        above = listed_names(rest, "or") if len(rest) <= NAMED else f"{len(rest)} others"
        clause = f"but not significantly better than {above}"
    else:
        every = "all others" if len(compared) == len(others) else f"all {len(compared)} others that it is compared with"
        every = listed_names(compared) if len(compared) <= NAMED else every
        clause = f"significantly better than {every}"
    return f"{best} {praise}, {clause}."


def ranking_findings(ranks: Ranking, metric: MetricSpec, named: str = "", unit: str = "") -> Iterator[Sentence]:
    """What differs significantly, then what does not. named: the metric, if sentences must name it.

    unit: what n counts; if it is given, differences say on how many shared ones they rest.
    """

    def gap(pair: JudgePair) -> str:
        n, least = pair.difference.n, min(ranks.rows[name]["n"] for name in (pair.better, pair.worse))
        return gap_text(pair, metric, f"{n} shared {unit}s" if unit and 0 < n < least else "")

    pairs = ranks.significant
    if len(pairs) > 2:  # noqa: PLR2004 - two are listed
        best = ranks.leaders[0]
        if count := len(ranks.beaten[best]):
            many = len(ranks.compared_with(best))
            yield Sentence(f"{best} is significantly better than {count} of {many} others", "better")
        yield Sentence(f"{len(pairs):,} of {len(ranks.pairs):,} pairs differ significantly")
    else:
        for pair in pairs:
            text = f"{pair.better} is significantly better than {pair.worse}: {named}{gap(pair)}"
            yield Sentence(text, "better")
    if one := ranks.open_pair:
        ends = f"{one.better} {MINUS}{NO_BREAK}{one.worse}, {named}{gap(one)}"
        if len(ranks.names) == 2:  # noqa: PLR2004 - a pair
            yield Sentence(f"Not significant: {ends}", "none")
        else:
            yield Sentence(f"No significant difference among {listed_names(ranks.tied)} (largest: {ends})", "none")


def sample_size(ranks: Ranking, what: str) -> str | None:
    """The number of items that would separate the tied judges. what: those items, as "items each"."""
    pair = ranks.open_pair
    if pair is None or pair.needed is None:
        return None
    if pair.needed > TINY * max(row["n"] for row in ranks.rows.values()):
        return f"The difference is small: about {pair.needed:,} {what} would separate {pair.better} from {pair.worse}"
    return f"About {pair.needed:,} {what} in all would separate {pair.better} from {pair.worse} (80% power)"


def rank_text(ranks: Ranking, name: str) -> str:
    """The ranks that the tests leave open: 1, or 2-4 with an en dash."""
    if ranks.rows[name]["value"] is None:
        return ""
    low, high = ranks.ranks(name)
    return str(low) if low == high else f"{low}\N{EN DASH}{high}"


def estimate_columns(title: str, shown: Mapping[str, Score]) -> list[SummaryColumn]:
    """An estimate with its interval, and n."""
    return [
        SummaryColumn(title, shown, "estimate"),
        SummaryColumn("n", {name: one.n for name, one in shown.items()}, "count", 2),
    ]


def p_column(rows: Mapping[str, TableRow], significant: Mapping[str, bool], drop: int = 0) -> SummaryColumn:
    """The adjusted p of significant tests."""
    cells = {name: p_cell(row["p_adjusted"]) if significant[name] else "n.s." for name, row in rows.items()}
    adjusted = any((row["tests"] or 2) > 1 for row in rows.values())
    return SummaryColumn("adj. p" if adjusted else "p", cells, "text", drop)


def first_sentences(every: Sequence[Sentence], most: int = MOST_FINDINGS) -> list[Sentence]:
    """The first sentences, all that say what was done with labels, and how many more there are."""
    free = max(most - sum(one.decision for one in every), 0)
    kept = {id(one) for one in [one for one in every if not one.decision][:free]}
    shown = [one for one in every if one.decision or id(one) in kept]
    rest = len(every) - len(shown)
    label = shown[-1].label if shown else ""
    return shown + ([Sentence(f"{rest} more: --details", label=label)] if rest else [])


def steps(*found: str | None) -> list[Sentence]:
    """The first next steps."""
    return [Sentence(step) for step in found if step][:MOST_STEPS]


def gate_sentences(rows: SummaryRows, metric: str, estimates: Iterable[Score]) -> list[Sentence]:
    """What became of the gates; without any, the highest threshold that passes today."""
    gates = rows.report.gates
    failed = [gate for gate in gates if not gate.passed]
    if failed:
        rest = [f"{len(failed):,} of {len(gates):,} gates fail"] if len(failed) > MOST_FINDINGS else []
        return [Sentence(text, "worse", "Gate FAIL") for text in (*rest, *map(_gate_text, failed[:MOST_FINDINGS]))]
    if gates:
        unsure = sum(gate.uncertain for gate in gates)
        doubt = f"; {unsure:,} of their intervals include the limit" if unsure else ""
        text = f"{len(gates):,} gates pass{doubt}" if len(gates) > 1 else _gate_text(gates[0])
        return [Sentence(text, "better", "Gate PASS")]
    limits = [one.low for one in estimates if one.low is not None]
    lowest = floor(1000 * min(limits, default=0)) / 1000
    if lowest <= 0:
        return []
    option = f"--fail-under {metric}={lowest:.3f} --bound worst"
    return [Sentence(f"No threshold set. Highest that passes today: {option}", label="Gate")]


def _gate_text(gate: GateResult) -> str:
    return f"{gate.subject}: {gate.gate}; {gate.finding}".removeprefix(": ")
