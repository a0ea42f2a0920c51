"""Summaries of answers from documents, and of votes that are compared with those of a reference."""

from collections.abc import Collection, Iterator, Mapping

from adjudge.display_names import count_of, listed_names
from adjudge.metrics.ranking import Ranking
from adjudge.metrics.row_selection import TableRow
from adjudge.render.numbers import MINUS, inside
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable, Tone
from adjudge.render.summary.sentences import SummaryRows

_OVER_NOISE = "accuracy_over_noise"
_RAG_METRICS = (_OVER_NOISE, "accuracy", "rejection_rate", "error_detection_rate", "error_correction_rate")
_RAG_MAIN = (_OVER_NOISE, "rejection_rate", "error_correction_rate")
"""The metrics that verdicts and findings speak of; without several noise ratios, the accuracies are among them."""


def rag(rows: SummaryRows) -> Summary:
    """Models that answer from documents, by the first scorer."""
    counts, scorers = rows.report.counts, list(dict.fromkeys(row["scorer"] for row in rows.rows("scores")))
    ranked = _rankings(rows, scorers[0])
    models = next(iter(ranked.values())).rows if ranked else {}
    leading = _RAG_MAIN if any(ranks.metric == _OVER_NOISE for ranks in ranked.values()) else ("accuracy", *_RAG_MAIN)
    main = {title: ranks for title, ranks in ranked.items() if ranks.metric in leading}
    better = {name: [inside(title) for title in main if main[title].beaten.get(name)] for name in models}
    better = {name: titles for name, titles in better.items() if titles}
    findings = [Sentence(f"{one} is significantly better: {listed_names(better[one])}", "better") for one in better]
    pairs = {title: ranks.pair for title, ranks in main.items() if ranks.pair and len(models) == sentences.PAIR}
    widest = max(pairs, key=lambda title: abs(pairs[title].row["value"]), default="")
    needed = pairs[widest].needed if widest and not better else None
    if widest:
        ends = f"{sentences.pair_text(pairs[widest])}, {rows.change(pairs[widest].row)}"
        tone: Tone = "better" if pairs[widest].significant else "none"
        findings.append(Sentence(f"Largest tested difference: {inside(widest)}, {ends}", tone))
    missing = f" ({counts['missing answers']:,} missing)" if counts.get("missing answers") else ""
    first = f" (first of {len(scorers)})" if len(scorers) > 1 else ""
    hard = counts.get("hardest items", len(rows.rows("hardest_items")))
    return Summary(
        context=f"{rows.counts('questions', 'models', 'answers')}{missing}, scorer {scorers[0]}{first}",
        verdict=_rag_verdict(rows, list(models), better, ranked),
        table=_rag_table(rows, list(models), better, ranked, {title for title in pairs if pairs[title].significant}),
        findings=[*findings, *_noise_findings(rows, scorers[0])],
        cautions=rows.cautions(models, "question"),
        next=sentences.steps(
            sentences.sample_size(needed, "questions", "detect that difference"),
            sentences.read_step(hard, "question", "that every model got wrong"),
        ),
    )


def _rankings(rows: SummaryRows, scorer: str) -> dict[str, Ranking]:
    """The ranking of models in each metric, by title, accuracy first."""
    every = [
        row
        for row in rows.rows("scores", scorer=scorer)
        if row["metric"] in _RAG_METRICS
        and (row["metric"], row["ability"]) != ("accuracy", "counterfactual_robustness")
        and (row["ability"] != "noise_robustness" or row["noise_ratio"] is not None or row["metric"] == _OVER_NOISE)
    ]
    ranked = dict[str, Ranking]()
    for row in sorted(every, key=lambda row: (_RAG_METRICS.index(row["metric"]), row["noise_ratio"] or 0)):
        keys = {key: row[key] for key in ("ability", "noise_ratio", "scorer")}
        if (title := _rag_title(row, rows)) not in ranked:
            scores = rows.by_judge("scores", row["metric"], **keys)
            ranked[title] = rows.ranking(row["metric"], scores, compared="models", model=None, **keys)
    return ranked


def _rag_title(row: TableRow, rows: SummaryRows) -> str:
    """What a metric of an ability is called."""
    if row["metric"] != "accuracy":
        return rows.metric(row["metric"]).title
    if row["ability"] == "noise_robustness":
        return f"Accuracy, {row['noise_ratio']:.0%} noise" if row["noise_ratio"] else "Accuracy, no noise"
    titles = {"information_integration": "several documents", "closed_book": "no documents"}
    return f"Accuracy, {titles.get(row['ability'], row['ability'].replace('_', ' '))}"


def _rag_table(
    rows: SummaryRows, models: list[str], better: Collection[str], ranked: Mapping[str, Ranking], significant: set[str]
) -> SummaryTable:
    """A row for each metric and a column for each model; of many models the other way round."""
    few = rows.report.counts.get("questions", 0) < sentences.FEW

    def coarse(scores: Mapping[str, Score]) -> dict[str, Score]:
        return {name: one.coarse if few else one for name, one in scores.items()}

    cells = {title: coarse(rows.scores(ranks.rows)) for title, ranks in ranked.items()}
    if len(models) > sentences.NAMED:
        columns = [SummaryColumn(title, cells[title], "heat", 2) for title in ranked]
        return SummaryTable({name: "best" if name in better else "" for name in models}, columns, "model")
    columns = [SummaryColumn(name, {title: cells[title].get(name) for title in ranked}, "compact") for name in models]
    if len(models) == sentences.PAIR:
        pairs = {title: ranks.pair for title, ranks in ranked.items() if ranks.pair}
        bare = {title: pair.row for title, pair in pairs.items()}
        bare = {title: row if row["low"] is None else {**row, "caveat": None} for title, row in bare.items()}
        gaps = coarse(rows.scores(bare, signed=True))
        gaps = {title: gap if pairs[title].better == models[0] else -gap for title, gap in gaps.items()}
        columns.append(SummaryColumn(f"{models[0]} {MINUS} {models[1]}", gaps, "compact", 1))
    return SummaryTable({title: "best" if title in significant else "" for title in ranked}, columns, "metric")


def _rag_verdict(
    rows: SummaryRows, models: list[str], better: Mapping[str, list[str]], ranked: Mapping[str, Ranking]
) -> str:
    if len(models) < sentences.PAIR:
        for title, ranks in ranked.items():
            return f"{models[0]}: {inside(title)} {rows.score(ranks.rows[models[0]]).with_interval}."
        return "No answer has a metric."
    if not better:
        return sentences.no_difference(models, "model", rows.report.counts.get("questions", 0), "question")
    if len(better) > 1:
        return f"{listed_names(better)} are each significantly better than another model in some metric."
    ((best, titles),) = better.items()
    return f"{best} is significantly better in {count_of(len(titles), 'metric')}, no other model in any."


def _noise_findings(rows: SummaryRows, scorer: str) -> Iterator[Sentence]:
    """The change of accuracy from no noise to the most noise."""
    changes = rows.rows("differences", compared="noise", scorer=scorer, metric="accuracy")
    changes = [row for row in changes if row["value"] is not None and row["noise_ratio"] is not None]
    most = max((row["noise_ratio"] for row in changes), default=0)
    changes = [row for row in changes if row["noise_ratio"] == most]
    significant = [row for row in changes if rows.significant(row)]
    shown = [f"{row['model']} {rows.score(row, signed=True).with_interval}" for row in significant or changes]
    if shown:
        kind = "Significant change" if significant else "No significant change"
        text = f"{kind} from no noise to {most:.0%}: {listed_names(shown)}"
        yield Sentence(text, "worse" if significant else "none")


def annotations(rows: SummaryRows) -> Summary:
    """Annotators and traits against the votes of a reference."""
    counts, every = rows.report.counts, rows.rows("agreement", metric="strength")
    who = every[0]["reference"] if every else "the reference"
    known = {row["annotator"]: row for row in every if row["value"] is not None}
    known = dict(sorted(known.items(), key=lambda item: -item[1]["value"]))
    tones = {name: rows.tone(row) for name, row in known.items()}
    strength = rows.scores(known, signed=True)
    columns = [
        *sentences.estimate_columns("Strength", strength),
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
    lost = Sentence(f"Undefined strength: {undefined}", decision=True)
    kinds = " and ".join(name for name in ("annotators", "traits") if counts.get(name)) or "annotators"
    return Summary(
        title=f"{kinds.capitalize()} against {who}",
        context=rows.counts("pairs", "annotators", "traits").replace(" annotator", " other annotator"),
        verdict=_votes_verdict(who, {quoted[name]: tone for name, tone in tones.items()}),
        table=SummaryTable({name: tone or "faint" for name, tone in tones.items()}, columns, "row"),
        findings=[*sentences.findings_by_tone(tones, texts, written), *_bias_findings(shares, who)],
        cautions=rows.cautions(
            known, "pair", *[lost] * bool(undefined), clusters=counts.get("clusters"), cluster="prompt"
        ),
        next=sentences.steps(f"Check whether length drives {who}'s votes" if drives else None),
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


_CHANCE = 0.5
_PREFERENCES = {"prefers_longer": "the longer text", "prefers_a": "the first text"}
"""A rate of the reference's votes -> what they prefer; without a preference it is one half."""


def _bias_findings(shares: Mapping[str, Score], who: str) -> list[Sentence]:
    """How often the reference prefers longer texts, and the first position."""
    each = [f"{what} in {shares[name].with_interval}" for name, what in _PREFERENCES.items() if name in shares]
    return [Sentence(f"{who} prefers {listed_names(each)} of votes", label="Bias")] if each else []
