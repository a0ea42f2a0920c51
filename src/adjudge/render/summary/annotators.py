"""Summaries of annotators among themselves: agreement, matched violations, and votes beside those of a reference."""

from collections import Counter
from collections.abc import Mapping

from adjudge.display_names import count_of, listed_names
from adjudge.metrics.row_selection import TableRow
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import SummaryRows, abstention_columns, estimate_columns, steps

GOOD, TENTATIVE = 0.8, 0.667
"""Krippendorff's conventions for alpha."""
_OVERALL = ("alpha", "gwet_ac", "percent_agreement", "icc_single")
_RISE = 0.02
"""The rise of alpha without an annotator from which on it is a finding."""
_SPAMMERS = {
    "contrary": "Against the consensus, as if labels were swapped",
    "guessing": "Not significantly better than guessing (spammer test)",
}
_CHANCE = 0.5
_PREFERENCES = {"prefers_longer": "the longer text", "prefers_a": "the first text"}
"""A rate of the reference's votes -> what they prefer; without a preference it is one half."""


def agreement(rows: SummaryRows) -> Summary:
    """Agreement among annotators, and each of them against the others."""
    found = {row["metric"]: row for row in (*rows.rows("intraclass"), *rows.rows("agreement", over="items"))}
    overall = {rows.metric(name).title: rows.score(found[name]) for name in _OVERALL if name in found}
    main = next((name for name in _OVERALL if name in found), "alpha")
    title, alpha = rows.metric(main).title, rows.score(found.get(main))
    each = rows.by_judge("annotators", "agreement_with_others", judge="annotator")
    without = rows.scores(rows.by_judge("annotators", "alpha_without", judge="annotator"))
    ranks = rows.ranking("agreement_with_others", each)
    columns = [
        *estimate_columns("Agreement", overall | rows.scores(ranks.rows)),
        *abstention_columns(rows, ranks.rows),
        *[SummaryColumn("alpha without", without, drop=3)] * bool(without),
    ]
    known = {name: one.value - (alpha.value or 0) for name, one in without.items() if one.value is not None}
    worst = [name for name in known if alpha.value is not None and known[name] == max(known.values()) > _RISE][:1]
    lowers = (f"{one} lowers {title} most: {alpha} with, {without[one]} without {one}" for one in worst)
    kinds = {row["annotator"]: row["verdict"] for row in rows.rows("informedness", metric="informedness")}
    odd = listed_names([name for kind in _SPAMMERS for name in kinds if kinds[name] == kind] or worst)
    table = dict.fromkeys(overall, "") | dict.fromkeys(["Against the other annotators"] * bool(each), "heading")
    disputed = rows.report.counts.get("disputed items", len({row["item"] for row in rows.rows("disputed_items")}))
    return Summary(
        context=f"{rows.counts('items', 'annotators')}, {_labels(rows)}",
        verdict=_level(title, alpha, found.get(main, {}).get("reason")),
        table=SummaryTable(table | ranks.tones, columns, "annotator"),
        findings=[*(Sentence(text, "worse") for text in lowers), *_spammers(kinds)],
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


def _spammers(kinds: Mapping[str, str]) -> list[Sentence]:
    """Annotators against the consensus, and those that guess."""
    odd = {text: [name for name in kinds if kinds[name] == kind] for kind, text in _SPAMMERS.items()}
    if any(odd.values()):
        return [Sentence(f"{text}: {listed_names(names)}", "worse") for text, names in odd.items() if names]
    few, many = sum(kind == "undecided" for kind in kinds.values()), len(kinds)
    if 0 < few == many:
        return [Sentence("Too few labels to detect spammers", "none")]
    above = f"{many - few} of {count_of(many, 'annotator')} agree with the consensus above chance"
    return [Sentence(f"No spammers detected: {above}" + f"; too few labels to tell for {few}" * bool(few))] * bool(many)


def violation_annotators(rows: SummaryRows) -> Summary:
    """Annotators of violations, each pair matched."""
    every, pairs = rows.rows("annotators", metric="f1"), dict[str, TableRow]()
    for row in every:
        if row["variant"] == every[0]["variant"] and row["checker"] != row["reference"]:
            pairs.setdefault(" and ".join(sorted((row["checker"], row["reference"]))), row)
    ranks = rows.ranking("f1", pairs)
    scores = rows.scores(ranks.rows)
    lines = [f"{name} {scores[name].with_interval}" for name in dict.fromkeys((*ranks.names[:1], *ranks.names[-1:]))]
    return Summary(
        context=rows.counts(),
        verdict=f"Highest F1: {'; lowest: '.join(lines)}." if lines else "F1 is undefined.",
        table=SummaryTable(ranks.tones, estimate_columns("F1", scores), "pair"),
        gates=rows.threshold("f1", scores.values()),
    )


def annotations(rows: SummaryRows) -> Summary:
    """Annotators and traits against the votes of a reference."""
    counts, every = rows.report.counts, rows.rows("agreement", metric="strength")
    who = every[0]["reference"] if every else "the reference"
    known = {row["annotator"]: row for row in every if row["value"] is not None}
    known = dict(sorted(known.items(), key=lambda item: -item[1]["value"]))
    tones = {name: rows.tone(row) for name, row in known.items()}
    strength = rows.scores(known, signed=True)
    columns = [
        *estimate_columns("Strength", strength),
        sentences.p_column(known, tones),
        SummaryColumn("kappa", rows.scores(rows.by_judge("agreement", "kappa")), drop=3),
    ]
    texts = {"best": f"With {who}'s votes", "worse": f"Against {who}'s votes", "": "Not significantly related"}
    quoted = {name: f'"{name}"' if " " in name else name for name in known}
    written = {name: f"{quoted[name]} {one.with_interval}" for name, one in strength.items()}
    shares = {row["metric"]: rows.score(row) for row in rows.rows("overview") if row["metric"] in _PREFERENCES}
    longer = shares.get("prefers_longer", Score(None))
    drives = longer.low is not None and longer.high is not None and not longer.low <= _CHANCE <= longer.high
    undefined = listed_names(row["annotator"] for row in every if row["value"] is None)
    lost = [f"Undefined strength: {undefined}"] * bool(undefined)
    kinds = " and ".join(name for name in ("annotators", "traits") if counts.get(name)) or "annotators"
    return Summary(
        title=f"{kinds.capitalize()} against {who}",
        context=rows.counts("pairs", "annotators", "traits").replace(" annotator", " other annotator"),
        verdict=_votes_verdict(who, {quoted[name]: tone for name, tone in tones.items()}),
        table=SummaryTable({name: tone or "faint" for name, tone in tones.items()}, columns, "row"),
        findings=[*sentences.findings_by_tone(tones, texts, written), *_bias_findings(shares, who)],
        cautions=rows.cautions(known, "pair", *lost, clusters=counts.get("clusters"), cluster="prompt"),
        next=steps(f"Check whether length drives {who}'s votes" if drives else None),
    )


def _votes_verdict(who: str, tones: Mapping[str, str]) -> str:
    agree, disagree, rest = ([name for name in tones if tones[name] == side] for side in ("best", "worse", ""))
    related = len(agree) + len(disagree)
    if not tones:
        return f"Strength is undefined: no pair has valid votes of {who} and another annotator."
    if not related:
        return f"No significant relation to {who}'s votes: {len(tones)} tested."
    if related > sentences.NAMED:
        kinds = f"{len(agree)} with and {len(disagree)} against them"
        return f"{who}'s votes are significantly related to {related} of {len(tones)}: {kinds}."
    ways = {"agree": agree, "disagree": disagree}
    verbs = {f"{listed_names(names)} {verb}{'s' * (len(names) == 1)}": names for verb, names in ways.items()}
    parts = [f"{text} with {who}'s votes significantly" for text, names in verbs.items() if names]
    return " and ".join(parts) + (f"; no significant relation for {listed_names(rest)}." if rest else ".")


def _bias_findings(shares: Mapping[str, Score], who: str) -> list[Sentence]:
    """How often the reference prefers longer texts, and the first position."""
    each = [f"{what} in {shares[name].with_interval}" for name, what in _PREFERENCES.items() if name in shares]
    return [Sentence(f"{who} prefers {listed_names(each)} of votes", label="Bias")] if each else []
