"""Summaries of annotators among themselves: agreement, and matched violations."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.display_names import count_of, listed_names
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import PAIR, SummaryRows, abstention_columns, estimate_columns, steps

GOOD, TENTATIVE = 0.8, 0.667
"""Krippendorff's conventions for alpha."""
_OVERALL = ("alpha", "gwet_ac", "percent_agreement", "icc_single")
_RISE = 0.02
"""The rise of alpha without an annotator from which on it is a finding."""
_SPAMMERS = {
    "contrary": "Against the consensus, as if labels were swapped",
    "guessing": "Not significantly better than guessing (spammer test)",
}


def agreement(rows: SummaryRows) -> Summary:
    """Agreement among annotators, and each of them against the others."""
    found = {row["metric"]: row for row in (*rows.rows("intraclass"), *rows.rows("agreement", over="items"))}
    overall = {rows.metric(name).title: rows.score(found[name]) for name in _OVERALL if name in found}
    main = next((name for name in _OVERALL if name in found), "alpha")
    title, alpha = rows.metric(main).title, rows.score(found.get(main))
    each, rest = (
        rows.by_judge("annotators", one, judge="annotator") for one in ("agreement_with_others", "alpha_without")
    )
    ranks, without = rows.ranking("agreement_with_others", each), rows.scores(rest)
    scores = rows.scores(ranks.rows)
    columns = [
        *estimate_columns("Agreement", overall | scores),
        *abstention_columns(rows, ranks.rows),
        *[SummaryColumn("alpha without", without, drop=3)] * bool(without),
    ]
    findings = []
    if len(ranks.names) > PAIR:
        first, last = ranks.names[0], ranks.names[-1]
        text = f"{first} agrees most with the others ({scores[first]}), {last} least ({scores[last]}); not tested"
        findings.append(Sentence(text))
    known = {name: one.value - (alpha.value or 0) for name, one in without.items() if one.value is not None}
    worst = [name for name in known if alpha.value is not None and known[name] == max(known.values()) > _RISE][:1]
    lowers = (f"{one} lowers {title} most: {alpha} with, {without[one]} without {one}" for one in worst)
    findings += [Sentence(text, "worse") for text in lowers]
    kinds = {row["annotator"]: row["verdict"] for row in rows.rows("informedness", metric="informedness")}
    odd = listed_names([name for kind in _SPAMMERS for name in kinds if kinds[name] == kind] or worst)
    table = dict.fromkeys(overall, "") | dict.fromkeys(["Against the other annotators"] * bool(scores), "heading")
    disputed = rows.report.counts.get("disputed items", len({row["item"] for row in rows.rows("disputed_items")}))
    return Summary(
        context=f"{rows.counts('items', 'annotators')}, {_labels(rows)}",
        verdict=_level(title, alpha, found.get(main, {}).get("reason")),
        table=SummaryTable(table | ranks.tones, columns, "annotator"),
        findings=[*findings, *_spammers(kinds)],
        cautions=rows.cautions(ranks.rows, "item"),
        next=steps(
            f"Read the labels of {odd}" if odd else None,
            f"Discuss the {count_of(disputed, 'disputed item')} with the annotators" if disputed else None,
        ),
        gates=rows.threshold(main, [alpha]),
    )


def _labels(rows: SummaryRows) -> str:
    """The number of labels, and of those that annotators could have given and did not."""
    counts = Counter(rows.report.counts)
    given, possible = counts["judgments"] - counts["judgments without a label"], counts["items"] * counts["annotators"]
    missing = f" ({possible - given:,} of {possible:,} missing)" if not rows.group and 0 < given < possible else ""
    return f"{count_of(given, 'label')}{missing}"


def _level(title: str, alpha: Score, reason: str | None) -> str:
    """What alpha says by Krippendorff's conventions, with the lower end of its interval."""
    if alpha.value is None:
        return f"{title} is undefined: {reason or 'no item has two labels'}."
    level, least = ("good", GOOD) if alpha.value >= GOOD else ("tentative", TENTATIVE)
    if alpha.value < TENTATIVE:
        return f"Agreement is low: {title} {alpha.with_interval}."
    reach = "" if alpha.low is None or alpha.low >= least else f", but its CI extends below {least:g}"
    return f"Agreement is {level}: {title} {alpha.with_interval}{reach}."


def _spammers(kinds: Mapping[str, str]) -> Iterator[Sentence]:
    """Annotators against the consensus, and those that guess."""
    odd = {text: [name for name in kinds if kinds[name] == kind] for kind, text in _SPAMMERS.items()}
    few = sum(kind == "undecided" for kind in kinds.values())
    if any(odd.values()):
        yield from (Sentence(f"{text}: {listed_names(names)}", "worse") for text, names in odd.items() if names)
    elif few and few == len(kinds):
        yield Sentence("Too few labels to detect spammers", "none")
    elif kinds:
        rest = f"; too few labels to tell for {few}" if few else ""
        above = f"{len(kinds) - few} of {count_of(len(kinds), 'annotator')} agree with the consensus above chance"
        yield Sentence(f"No spammers detected: {above}{rest}")


def violation_annotators(rows: SummaryRows) -> Summary:
    """Annotators of violations, each pair matched."""
    every = rows.rows("annotators", metric="f1")
    pairs: dict[str, Any] = {}
    for row in every:
        names = sorted({row["checker"], row["reference"]})
        if row["variant"] == every[0]["variant"] and len(names) == PAIR:
            pairs.setdefault(" and ".join(names), row)
    ranks = rows.ranking("f1", pairs)
    scores = rows.scores(ranks.rows)
    lines = [f"{name} {scores[name].with_interval}" for name in dict.fromkeys((*ranks.names[:1], *ranks.names[-1:]))]
    return Summary(
        context=rows.counts(),
        verdict=f"Highest F1: {'; lowest: '.join(lines)}." if lines else "F1 is undefined.",
        table=SummaryTable(ranks.tones, estimate_columns("F1", scores), "pair"),
        gates=rows.threshold("f1", scores.values()),
    )
