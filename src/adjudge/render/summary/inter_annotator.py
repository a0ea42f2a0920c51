"""Summaries of annotators among themselves: agreement, and matched violations."""

from typing import Any

from adjudge.display_names import count_of, listed_names
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import SummaryRows, estimate_columns, steps

GOOD, TENTATIVE = 0.8, 0.667
"""Krippendorff's conventions for alpha."""
_OVERALL = ("alpha", "gwet_ac", "percent_agreement", "icc_single")
_RISE = 0.02
"""The rise of alpha without an annotator from which on it is a finding."""


def agreement(rows: SummaryRows) -> Summary:
    """Agreement among annotators, and each of them against the others."""
    counts = rows.report.counts
    every = [*rows.rows("intraclass"), *rows.rows("agreement", over="items")]
    found = {row["metric"]: row for row in every}
    overall = {rows.metric(name).title: rows.score(found[name]) for name in _OVERALL if name in found}
    main = next((name for name in _OVERALL if name in found), "alpha")
    title, alpha = rows.metric(main).title, rows.score(found.get(main))
    metrics = ("agreement_with_others", "alpha_without")
    own, rest = (rows.by_judge("annotators", one, judge="annotator") for one in metrics)
    others, without = rows.ranking("agreement_with_others", own), rows.scores(rest)
    each = rows.scores(others.rows)
    columns = [*estimate_columns("Agreement", overall | each), SummaryColumn("alpha without", without, drop=3)]
    findings = []
    if len(others.names) > 2:  # noqa: PLR2004 - two agree alike with one another
        first, last = others.names[0], others.names[-1]
        text = f"{first} agrees most with the others ({each[first]}), {last} least ({each[last]}); not tested"
        findings.append(Sentence(text))
    known = {name: one.value for name, one in without.items() if one.value is not None}
    worst = max(known, key=lambda name: known[name], default="")
    rises = alpha.value is not None and bool(worst) and known[worst] > alpha.value + _RISE
    if rises:
        text = f"{worst} lowers {title} most: {alpha} with, {without[worst]} without {worst}"
        findings.append(Sentence(text, "worse"))
    tests = rows.rows("informedness", metric="informedness")
    kinds: dict[str, list[str]] = {kind: [] for kind in ("contrary", "guessing", "undecided", "informed")}
    for row in tests:
        kinds[row["verdict"]].append(row["annotator"])
    odd = [*kinds["contrary"], *kinds["guessing"]] or [worst] * rises
    disputed = counts.get("disputed items", len({row["item"] for row in rows.rows("disputed_items")}))
    table = dict.fromkeys(overall, "") | dict.fromkeys(["Against the other annotators"] * bool(each), "heading")
    return Summary(
        "Inter-annotator agreement",
        f"{rows.counts('items', 'annotators')}, {_labels(rows)}",
        _level(title, alpha, found.get(main, {}).get("reason")),
        "agreement",
        SummaryTable(table | {name: others.tone(name) for name in each}, columns, "annotator"),
        [*findings, *_spammers(kinds, len(tests))],
        rows.cautions(others.rows, "item"),
        steps(
            f"Read the labels of {listed_names(odd)}" if odd else None,
            f"Discuss the {count_of(disputed, 'disputed item')} with the annotators" if disputed else None,
        ),
        sentences.gate_sentences(rows, main, [alpha]),
    )


def _level(title: str, alpha: Score, reason: str | None) -> str:
    """What alpha says by Krippendorff's conventions, with the lower end of its interval."""
    if alpha.value is None:
        return f"{title} is undefined: {reason or 'no item has two labels'}."
    level, least = ("good", GOOD) if alpha.value >= GOOD else ("tentative", TENTATIVE)
    if alpha.value < TENTATIVE:
        return f"Agreement is low: {title} {alpha.with_interval}."
    reach = "" if alpha.low is None or alpha.low >= least else f", but its CI extends below {least:g}"
    return f"Agreement is {level}: {title} {alpha.with_interval}{reach}."


def _spammers(kinds: dict[str, list[str]], tests: int) -> list[Sentence]:
    """Annotators that guess, and those against the consensus."""
    texts = {
        "contrary": "Against the consensus, as if labels were swapped",
        "guessing": "Not significantly better than guessing (spammer test)",
    }
    odd = [Sentence(f"{texts[kind]}: {listed_names(kinds[kind])}", "worse") for kind in texts if kinds[kind]]
    few = len(kinds["undecided"])
    if odd or not tests:
        return odd
    if few == tests:
        return [Sentence("Too few labels to detect spammers", "none")]
    rest = f"; too few labels to tell for {few}" if few else ""
    above = f"{tests - few} of {count_of(tests, 'annotator')} agree with the consensus above chance"
    return [Sentence(f"No spammers detected: {above}{rest}")]


def _labels(rows: SummaryRows) -> str:
    """The number of labels, and of those that annotators could have given and did not."""
    counts = rows.report.counts
    given = counts.get("judgments", 0) - counts.get("judgments without a label", 0)
    possible = counts.get("items", 0) * counts.get("annotators", 0)
    missing = f" ({possible - given:,} of {possible:,} missing)" if not rows.group and 0 < given < possible else ""
    return f"{count_of(given, 'label')}{missing}"


def violation_annotators(rows: SummaryRows) -> Summary:
    """Annotators of violations, each pair matched."""
    every = rows.rows("annotators", metric="f1")
    pairs: dict[str, Any] = {}
    for row in every:
        names = sorted((row["checker"], row["reference"]))
        if row["variant"] == every[0]["variant"] and len({*names}) > 1:
            pairs.setdefault(f"{names[0]} and {names[1]}", row)
    ranks = rows.ranking("f1", pairs)
    shown = rows.scores(ranks.rows)
    lines = [f"{name} {shown[name].with_interval}" for name in (*ranks.names[:1], *ranks.names[1:][-1:])]
    verdict = f"Highest F1: {lines[0]}{f'; lowest: {lines[1]}' if lines[1:] else ''}." if lines else "F1 is undefined."
    return Summary(
        "Inter-annotator agreement on violations",
        rows.counts(),
        verdict,
        "detection",
        SummaryTable({name: ranks.tone(name) for name in ranks.rows}, estimate_columns("F1", shown), "pair"),
        gates=sentences.gate_sentences(rows, "f1", shown.values()),
    )
