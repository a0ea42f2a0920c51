"""Summaries of answers from documents, and of votes that are compared with those of a reference."""

from collections.abc import Collection, Iterator, Mapping

from adjudge.display_names import count_of, listed_names
from adjudge.metrics.ranking import Ranking
from adjudge.metrics.row_selection import TableRow
from adjudge.render.numbers import MINUS, inside, p_text
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable, Tone
from adjudge.render.summary.sentences import SummaryRows

_OVER_NOISE = "accuracy_over_noise"
_RAG_METRICS = (_OVER_NOISE, "accuracy", "rejection_rate", "error_detection_rate", "error_correction_rate")
_RAG_MAIN = (_OVER_NOISE, "rejection_rate", "error_correction_rate")
"""The metrics that verdicts and findings speak of; without several noise ratios, the accuracies are among them."""
_CLOSE = 0.2
"""Below this adjusted p more pairs may show a relation."""


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
        findings=[*findings, *_noise_findings(rows, scorers[0]), *_human_findings(rows)],
        cautions=rows.cautions(models, "question", *_partly_shared(ranked)),
        next=sentences.steps(
            sentences.sample_size(needed, "questions", "detect that difference"),
            sentences.read_step(hard, "question", f"that every model got wrong{_noise_of_hardest(rows)}"),
        ),
    )


def _partly_shared(ranked: Mapping[str, Ranking]) -> list[Sentence]:
    """Which differences of two models rest on fewer questions than their metrics, since one lacks an answer."""
    fewer = [
        inside(title)
        for title, ranks in ranked.items()
        if len(ranks.rows) == sentences.PAIR
        and ranks.pair
        and ranks.pair.row["n"] < max(row["n"] for row in ranks.rows.values())
    ]
    which = listed_names(fewer) if len(fewer) <= sentences.NAMED else count_of(len(fewer), "metric")
    return [Sentence(f"Differences use only the questions that both answered: {which}")] if fewer else []


def _noise_of_hardest(rows: SummaryRows) -> str:
    """The noise at which every model failed, if it is the same for all questions."""
    noise = {row["noise_ratio"] for row in rows.rows("hardest_items")}
    ratio = noise.pop() if len(noise) == 1 else None
    return "" if ratio is None else f" at {ratio:.0%} noise" if ratio else " without noise"


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


def _human_findings(rows: SummaryRows) -> Iterator[Sentence]:
    """The scorer that agrees most with human annotators."""
    card = [row for row in rows.rows("card", metric="agreement") if row["value"] is not None]
    first = [row for row in card if (row["model"], row["verdict"]) == (card[0]["model"], card[0]["verdict"])]
    for row in sorted(first, key=lambda row: -row["value"])[:1]:
        what = f"Scorer {row['scorer']} agrees most with human annotators ({row['verdict'].replace('_', ' ')})"
        yield Sentence(f"{what}: {rows.score(row).with_interval}", label="Scorers")


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
    undefined = listed_names(row["annotator"] for row in every if row["value"] is None)
    lost = Sentence(f"Undefined strength: {undefined}", decision=True)
    unrelated = [name for name in tones if not tones[name]]
    close = min(unrelated, key=lambda name: known[name]["p_adjusted"] or 1, default=None)
    p = (known[close]["p_adjusted"] or 1) if close else 1
    kinds = " and ".join(name for name in ("annotators", "traits") if counts.get(name)) or "annotators"
    return Summary(
        title=f"{kinds.capitalize()} against {who}",
        context=rows.counts("pairs", "annotators", "traits").replace(" annotator", " other annotator"),
        verdict=_votes_verdict(who, {quoted[name]: tone for name, tone in tones.items()}),
        table=SummaryTable({name: tone or "faint" for name, tone in tones.items()}, columns, "row"),
        findings=[*sentences.findings_by_tone(tones, texts, written), *_bias_findings(rows, who)],
        cautions=rows.cautions(
            known, "pair", *[lost] * bool(undefined), clusters=counts.get("clusters"), cluster="prompt"
        ),
        next=sentences.steps(
            f"Label more pairs: {quoted[close]} is closest to significance ({p_text(p, 2)})"
            if close and p < _CLOSE
            else None,
            f"Check whether length drives {who}'s votes" if _preferred(rows, "prefers_longer") else None,
        ),
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


_PREFERENCES = {
    "prefers_longer": ("the longer text", "the shorter text", "No significant length preference"),
    "prefers_a": ("the first text", "the second text", "No significant position preference"),
}
"""A rate of the reference's votes -> what is preferred if it is high or low, and the finding if neither is shown."""


def _preferred(rows: SummaryRows, metric: str) -> str:
    """What the reference significantly prefers; empty if the interval of the rate includes one half."""
    row = next(iter(rows.rows("overview", metric=metric)), None)
    by_chance = 0.5
    if row is None or row["low"] is None or row["low"] <= by_chance <= row["high"]:
        return ""
    return _PREFERENCES[metric][row["low"] < by_chance]


def _bias_findings(rows: SummaryRows, who: str) -> list[Sentence]:
    """Whether the reference prefers longer texts, or the first position."""
    texts = []
    for metric, (*_, neither) in _PREFERENCES.items():
        for row in [row for row in rows.rows("overview", metric=metric)[:1] if row["low"] is not None]:
            what = _preferred(rows, metric)
            texts.append(
                f"{f'{who} significantly prefers {what}' if what else neither}: {rows.score(row).with_interval}"
            )
    return [Sentence(". ".join(texts), label="Bias")] if texts else []
