"""What is said of the tables of a report as a whole: which are shown, what they rest on, and how to read them."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from adjudge.readers.problems import SUCH_AS
from adjudge.render.numbers import inside, metric_of, plain
from adjudge.report import Report, holds_estimates
from adjudge.spec import SIDE_BY_SIDE, Evaluation, MetricSpec


def printed_tables(report: Report, tables: Collection[str] = ()) -> list[str]:
    """The tables that are shown unasked, in their order, as far as they hold anything, or those that are asked for."""
    if tables:
        return [name for name in report.tables if name in tables]
    shown = report.about.printed or report.tables
    return [name for name in shown if name in report.tables and report[name].height]


def leading_tables(report: Report) -> list[str]:
    """The tables that stand before the main one, such as a leaderboard, but for those that are shown otherwise."""
    about = report.about
    before = about.printed[: about.printed.index(about.main)] if about.main in about.printed else ()
    shown = {name for name, frame in report.tables.items() if frame.height} - {about.headline, SIDE_BY_SIDE}
    return [name for name in before if name in shown]


def shortened(warning: str) -> tuple[str, str]:
    """What a warning says, and the first of the rows that it is about, if it names any.

    >>> shortened("2 quotes differ, such as: x.jsonl, line 3"), shortened("1 text stands twice")
    (('2 quotes differ', 'x.jsonl, line 3'), ('1 text stands twice', ''))
    """
    said, _, rows = warning.partition(SUCH_AS)
    return said, rows


def tested(report: Report) -> bool:
    """Whether any figure of the report comes with a test."""
    return any(frame["p_adjusted"].count() for frame in report.tables.values() if "p_adjusted" in frame.columns)


def sentences_of(*sentences: str) -> str:
    """Those that say anything, one behind the other."""
    return " ".join(filter(None, sentences))


def meanings(report: Report) -> list[tuple[str, str]]:
    """What each figure of the report means: its title, and sentences."""
    known, held = report.about.metrics, set(texts_of(report, "metric"))
    names = [name for name in (*known, *sorted(held - known.keys())) if name in held]
    return [(title, _meaning(metric)) for title, metric in _ranged(_titled(report, names), report.about)]


def _meaning(metric: MetricSpec) -> str:
    better = f"The {'higher' if metric.better == 'high' else 'lower'}, the better." if metric.better else ""
    return sentences_of(metric.meaning or "Not described.", better)


def _titled(report: Report, names: Sequence[str]) -> list[tuple[str, MetricSpec]]:
    """Figures under their titles, with their tables where several are called alike."""
    metrics = {name: metric_of(report.about.metrics, name) for name in names}
    alike = Counter(one.title for one in metrics.values())

    def title(name: str) -> str:
        if alike[metrics[name].title] == 1:
            return metrics[name].title
        tables = (table for table, frame in report.tables.items() if holds_estimates(frame))
        where = (plain(table) for table in tables if name in set(report[table]["metric"]))
        return f"{metrics[name].title} ({', '.join(where)})"

    return [(title(name), metric) for name, metric in metrics.items()]


def _ranged(titled: Sequence[tuple[str, MetricSpec]], about: Evaluation) -> list[tuple[str, MetricSpec]]:
    """Figures under their titles, the two ends of a range under its own."""
    found, known = [], dict(titled)
    of = {about.metrics[low].title: (title, about.metrics[high].title) for title, (low, high) in about.ranges.items()}
    highest = {high for _, high in of.values()}
    for title, metric in titled:
        if title in of:
            name, high = of[title]
            ends = (inside(one.meaning.removesuffix(".")) for one in (metric, known[high]))
            found.append((name, replace(metric, meaning=f"From {' to '.join(ends)}.")))
        elif title not in highest:
            found.append((title, metric))
    return found


def texts_of(report: Report, column: str) -> list[str]:
    """All different texts of a column of the report's tables of figures, sorted."""
    tables = (frame for frame in report.tables.values() if holds_estimates(frame))
    return sorted({text for frame in tables for text in frame[column].drop_nulls().unique()})
