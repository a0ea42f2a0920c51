"""Summaries of annotators: agreement, matched violations, and votes against those of a reference."""

from adjudge.display_names import count_of, listed_names
from adjudge.render.numbers import capital
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import SummaryRows, by_tone, estimate_columns, steps

GOOD, TENTATIVE = 0.8, 0.667
"""Krippendorff's conventions for alpha."""
_OVERALL = ("alpha", "gwet_ac", "percent_agreement", "icc_single")
_RISE = 0.02
"""The least rise of alpha without an annotator that is a finding."""
_ODD = ("contrary", "guessing")
_KINDS = {
    "contrary": "Against the consensus, as if labels were swapped",
    "guessing": "Not significantly better than guessing (spammer test)",
    "undecided": "Too few labels to detect guessing",
    "informed": "Agreement with the consensus above chance (no spammers)",
}
"""The results of the spammer test, the worst first."""
_RELATIONS = {"best": "significant agreement", "worse": "significant disagreement", "": "no significant relation"}
_PREFERENCES = {"prefers_longer": "the longer text (in characters)", "prefers_a": "the first text"}
"""A rate of the reference's votes -> the preference; without one it is one half."""


def agreement(rows: SummaryRows) -> Summary:
    """Agreement among annotators, and each of them against the others."""
    found = {row["metric"]: row for row in (*rows.rows("intraclass"), *rows.rows("agreement", over="items"))}
    overall = {rows.metric(name).title: rows.score(found[name]) for name in _OVERALL if name in found}
    main = next((name for name in _OVERALL if name in found), "alpha")
    title, alpha = rows.metric(main).title, rows.score(found.get(main))
    without = rows.scores(rows.by_judge("annotators", "alpha_without", judge="annotator"))
    others = rows.by_judge("annotators", "agreement_with_others", judge="annotator")
    ranks = rows.ranking("agreement_with_others", others)
    columns = [*estimate_columns("Agreement", overall | rows.scores(ranks.rows)), *sentences.abstention_columns(rows)]
    known = {name: one.value - (alpha.value or 0) for name, one in without.items() if one.value is not None}
    worst = [name for name in known if alpha.value is not None and known[name] == max(known.values()) > _RISE][:1]
    lowers = (f"Without {one}, {title} is {without[one]} instead of {alpha} (not tested)" for one in worst)
    kinds = {row["annotator"]: row["verdict"] for row in rows.rows("informedness", metric="informedness")}
    odd = listed_names([name for kind in _ODD for name in kinds if kinds[name] == kind] or worst)
    table = dict.fromkeys(overall, "") | dict.fromkeys(["Against the other annotators"] * bool(ranks.rows), "heading")
    counts = rows.report.counts
    given = counts.get("judgments", 0) - counts.get("judgments without a label", 0)
    every = counts.get("items", 0) * counts.get("annotators", 0)
    missing = f" ({every - given:,} of {every:,} missing)" if every > given else ""
    disputed = counts.get("disputed items", len({row["item"] for row in rows.rows("disputed_items")}))
    return Summary(
        context=f"{rows.counts('items', 'annotators')}, {count_of(given, 'label')}{missing}",
        verdict=_level(title, alpha, found.get(main, {}).get("reason")),
        table=SummaryTable(table | ranks.tones, columns, "annotator"),
        findings=[
            *(Sentence(text, "worse") for text in lowers),
            *(Sentence(text, "worse" if kind in _ODD else "none") for kind, text in by_tone(kinds, _KINDS).items()),
        ],
        cautions=rows.cautions(ranks.rows, "item"),
        next=steps(
            f"Read the labels of {odd}" if odd else None,
            f"Discuss the {count_of(disputed, 'disputed item')} with the annotators" if disputed else None,
        ),
        gates=rows.threshold(main, [alpha]),
    )


def _level(title: str, alpha: Score, reason: str | None) -> str:
    """A sentence on alpha by Krippendorff's conventions, with the lower end of its interval."""
    if alpha.value is None:
        return f"{title} is undefined: {reason or 'no item has two labels'}."
    level, least = ("good", GOOD) if alpha.value >= GOOD else ("tentative", TENTATIVE)
    level = level if alpha.value >= TENTATIVE else "low"
    wide = alpha.low is not None and alpha.low < least <= alpha.value
    return f"Agreement is {level}: {title} {alpha.with_interval}{f', but its CI extends below {least:g}' * wide}."


def annotations(rows: SummaryRows) -> Summary:
    """Annotators and traits against the votes of a reference."""
    every = sorted(rows.rows("agreement", metric="strength"), key=lambda row: -(row["value"] or 0))
    who = every[0]["reference"] if every else "the reference"
    known = {row["annotator"]: row for row in every if row["value"] is not None}
    tones = {name: rows.tone(row) for name, row in known.items()}
    columns = [
        *estimate_columns("Strength", rows.scores(known, signed=True)),
        sentences.p_column(known, tones),
        SummaryColumn("kappa", rows.scores(rows.by_judge("agreement", "kappa")), drop=3),
    ]
    known_rates = [row for row in rows.rows("overview") if row["metric"] in _PREFERENCES and row["value"] is not None]
    shares = {row["metric"]: rows.score(row) for row in known_rates}
    each = [f"{what} in {shares[name].with_interval}" for name, what in _PREFERENCES.items() if name in shares]
    undefined = [row["annotator"] for row in every if row["value"] is None]
    lost = [f"Undefined strength: {listed_names(undefined)}"] * bool(undefined)
    longer = shares.get("prefers_longer", Score(None))
    is_drawn = not 2 * (longer.low or 0) <= 1 <= 2 * (longer.high or 1)
    return Summary(
        title=f"Annotators and traits against {who}",
        context=rows.counts("pairs", "annotators", "traits", "style rules", "models"),
        verdict=capital("; ".join(by_tone(tones, _RELATIONS).values()) or "no strength is defined") + ".",
        table=SummaryTable({name: tone or "faint" for name, tone in tones.items()}, columns, "row"),
        findings=[Sentence(f"{who} prefers {listed_names(each)} of votes", label="Bias")] * bool(each),
        cautions=rows.cautions(known, "pair", *lost, clusters=rows.report.counts.get("clusters"), cluster="prompt"),
        next=steps(f"Check whether length drives {who}'s votes" if is_drawn else None),
    )
