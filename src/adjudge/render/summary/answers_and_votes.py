"""Summaries of answers from documents, and of votes that are compared with those of a reference."""

from collections.abc import Iterator, Mapping

from adjudge.display_names import count_of, listed_names
from adjudge.metrics.data_checks import Caution
from adjudge.metrics.ranking import JudgePair, Ranking
from adjudge.metrics.report_rows import ReportRows
from adjudge.metrics.row_selection import TableRow
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import MINUS, Score, Sentence, Summary, SummaryColumn, SummaryTable, Tone
from adjudge.render.summary.sentences import (
    FEW,
    NAMED,
    SummaryRows,
    estimate_columns,
    gap_text,
    p_column,
    p_text,
    steps,
)
from adjudge.spec import MetricSpec

_OVER_NOISE = "accuracy_over_noise"
_RAG_METRICS = (_OVER_NOISE, "accuracy", "rejection_rate", "error_detection_rate", "error_correction_rate")
_RAG_MAIN = (_OVER_NOISE, "rejection_rate", "error_correction_rate")
"""The metrics that verdicts and findings speak of; without several noise ratios, the accuracies are among them."""
_PAIR = 2
_CLOSE = 0.2
"""Below this adjusted p more pairs may show a relation."""


def rag(rows: SummaryRows) -> Summary:
    """Models that answer from documents, by the first scorer."""
    counts, scorers = rows.report.counts, list(dict.fromkeys(row["scorer"] for row in rows.rows("scores")))
    ranked, specs, main = _ranked_metrics(rows, scorers[0])
    models = list(next(iter(ranked.values())).rows) if ranked else []
    few = counts.get("questions", 0) < FEW

    def cell(one: Score) -> Score:
        return one.coarse if few else one

    cells = {
        model: {title: cell(rows.score(ranks.rows[model])) for title, ranks in ranked.items() if model in ranks.rows}
        for model in models
    }
    pairs = {title: next(iter(ranks.pairs.values())) for title, ranks in ranked.items() if ranks.pairs}
    gaps = pairs if len(models) == _PAIR else {}
    tested = {title: gaps[title] for title in main if title in gaps}
    better = {model: [title for title in main if ranked[title].beaten.get(model)] for model in models}
    if len(models) > NAMED:
        table = {model: "best" if better[model] else "" for model in models}
        columns = [SummaryColumn(title, {one: cells[one].get(title) for one in models}, "heat", 2) for title in ranked]
    else:
        table = {title: "best" if title in tested and tested[title].significant else "" for title in ranked}
        columns = [SummaryColumn(model, cells[model], "compact") for model in models]
    if len(models) == _PAIR:
        shown = {title: cell(_signed(one, specs[title], models[0])) for title, one in gaps.items()}
        columns.append(SummaryColumn(f"{models[0]} {MINUS} {models[1]}", shown, "compact", 1))
    leads = [model for model in models if better[model]]
    inside = {one: listed_names(map(_inside, better[one])) for one in leads}
    widest = max(tested, key=lambda title: abs(tested[title].difference.value or 0), default=None)
    needed = tested[widest].needed if widest and not leads else None
    hard = counts.get("hardest items", len(rows.rows("hardest_items")))
    missing = f" ({counts['missing answers']:,} missing)" if counts.get("missing answers") else ""
    first = f" (first of {len(scorers)})" if len(scorers) > 1 else ""
    return Summary(
        "RAG robustness",
        f"{rows.counts('questions', 'models', 'answers')}{missing}, scorer {scorers[0]}{first}",
        _rag_verdict(better, counts.get("questions", 0), cells),
        "noise",
        SummaryTable(table, columns, "model" if len(models) > NAMED else "metric"),
        [
            *(Sentence(f"{one} is significantly better: {inside[one]}", "better") for one in leads),
            *([_largest(widest, tested[widest], specs[widest])] if widest else []),
            *_noise_findings(rows, scorers[0]),
            *_human_findings(rows),
        ],
        rows.cautions(next(iter(ranked.values())).rows if ranked else {}, "question", *_shared(ranked, gaps)),
        steps(
            f"About {needed:,} questions in all would detect that difference (80% power)" if needed else None,
            _hardest(rows, hard),
        ),
        sentences.gate_sentences(rows, "error_correction_rate", []),
    )


def _shared(ranked: Mapping[str, Ranking], gaps: Mapping[str, JudgePair]) -> list[Caution]:
    """Which differences rest on fewer questions than the metrics of both models, since one lacks an answer."""
    fewer = [
        title
        for title, pair in gaps.items()
        if pair.difference.n < max(row["n"] for row in ranked[title].rows.values())
    ]
    names = listed_names(map(_inside, fewer)) if len(fewer) <= NAMED else count_of(len(fewer), "metric")
    return [Caution(f"Differences on the questions that both answered alone: {names}")] if fewer else []


def _hardest(rows: SummaryRows, count: int) -> str | None:
    """The questions that every model got wrong, and at which noise if that is the same for all."""
    noise = {row["noise_ratio"] for row in rows.rows("hardest_items")}
    ratio = noise.pop() if len(noise) == 1 else None
    at = "" if ratio is None else f" at {ratio:.0%} noise" if ratio else " without noise"
    return f"Read the {count_of(count, 'question')} that every model got wrong{at}" if count else None


def _ranked_metrics(rows: SummaryRows, scorer: str) -> tuple[dict[str, Ranking], dict[str, MetricSpec], list[str]]:
    """The ranking of models in each metric, and the metrics, by title, accuracy first; the titles of main metrics."""
    every = [
        row
        for row in rows.rows("scores", scorer=scorer)
        if row["metric"] in _RAG_METRICS
        and (row["metric"], row["ability"]) != ("accuracy", "counterfactual_robustness")
        and (row["ability"] != "noise_robustness" or row["noise_ratio"] is not None or row["metric"] == _OVER_NOISE)
    ]
    every.sort(key=lambda row: (_RAG_METRICS.index(row["metric"]), row["noise_ratio"] or 0))
    ranked, specs, main = dict[str, Ranking](), dict[str, MetricSpec](), list[str]()
    leading = _RAG_MAIN if any(row["metric"] == _OVER_NOISE for row in every) else ("accuracy", *_RAG_MAIN)
    for row in every:
        keys = {key: row[key] for key in ("ability", "noise_ratio", "scorer")}
        if (title := _rag_title(row, rows)) not in ranked:
            own = rows.by_judge("scores", row["metric"], **keys)
            ranked[title] = rows.ranking(row["metric"], own, compared="models", model=None, **keys)
            specs[title] = rows.metric(row["metric"])
            main += [title] if row["metric"] in leading else []
    return ranked, specs, main


def _rag_title(row: TableRow, rows: ReportRows) -> str:
    """What a metric of an ability is called."""
    if row["metric"] != "accuracy":
        return rows.metric(row["metric"]).title
    if row["ability"] == "noise_robustness":
        return f"Accuracy, {row['noise_ratio']:.0%} noise" if row["noise_ratio"] else "Accuracy, no noise"
    titles = {"information_integration": "several documents", "closed_book": "no documents"}
    return f"Accuracy, {titles.get(row['ability'], row['ability'].replace('_', ' '))}"


def _inside(title: str) -> str:
    return title[:1].lower() + title[1:]


def _signed(pair: JudgePair, metric: MetricSpec, first: str) -> Score:
    """The difference of two models, the first minus the second."""
    one = pair.difference
    caveat = "" if one.caveat is None or one.low is not None else one.caveat.value
    shown = Score(one.value, one.low, one.high, one.n, "pp" if metric.percent else "+", caveat)
    return shown if pair.better == first else -shown


def _largest(title: str, pair: JudgePair, metric: MetricSpec) -> Sentence:
    text = f"Largest tested difference: {_inside(title)}, {pair.better} {MINUS} {pair.worse}, {gap_text(pair, metric)}"
    return Sentence(text, "better" if pair.significant else "none")


def _rag_verdict(better: Mapping[str, list[str]], questions: int, cells: Mapping[str, Mapping[str, Score]]) -> str:
    leads = [model for model, titles in better.items() if titles]
    if len(better) < _PAIR:
        own = [f"{_inside(title)} {one.with_interval}" for part in cells.values() for title, one in part.items()]
        return f"{next(iter(better))}: {own[0]}." if own else "No answer has a metric."
    if not leads:
        few = f": {count_of(questions, 'question')} are too few." if questions < FEW else "."
        return f"No significant difference {'between' if len(better) == _PAIR else 'among'} {listed_names(better)}{few}"
    if len(leads) == 1:
        return (
            f"{leads[0]} is significantly better in {count_of(len(better[leads[0]]), 'metric')}, no other model in any."
        )
    return f"{listed_names(leads)} are each significantly better than another model in some metric."


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
        tone: Tone = "worse" if significant else "none"
        yield Sentence(f"{kind} from no noise to {most:.0%}: {listed_names(shown)}", tone)


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
    shown = {name: rows.significant(row) for name, row in known.items()}
    order = sorted(known, key=lambda name: -known[name]["value"])
    tone = {name: ("best" if known[name]["value"] > 0 else "worse") if shown[name] else "faint" for name in order}
    side = {one: [name for name in order if tone[name] == one] for one in ("best", "worse", "faint")}
    strength = {name: rows.score(known[name], signed=True) for name in order}
    columns = [
        *estimate_columns("Strength", strength),
        p_column({name: known[name] for name in order}, shown),
        SummaryColumn("kappa", rows.scores(rows.by_judge("agreement", "kappa")), drop=3),
    ]
    ways: Mapping[str, tuple[str, Tone]] = {"best": ("With", "better"), "worse": ("Against", "worse")}
    each = {one: listed_names(f"{name} {strength[name].with_interval}" for name in side[one]) for one in ways}
    findings = [Sentence(f"{way} {who}'s votes: {each[one]}", mood) for one, (way, mood) in ways.items() if side[one]]
    quoted = {name: f'"{name}"' if " " in name else name for name in order}
    if side["faint"]:
        still = listed_names(f"{quoted[name]} {strength[name].with_interval}" for name in side["faint"])
        findings.append(Sentence(f"Not significantly related: {still}", "none"))
    undefined = [row["annotator"] for row in every if row["value"] is None]
    lost = [f"Undefined strength: {listed_names(undefined)}"] if undefined else []
    close = min(side["faint"], key=lambda name: known[name]["p_adjusted"] or 1, default=None)
    p = (known[close]["p_adjusted"] or 1) if close else 1
    kinds = " and ".join(name for name in ("annotators", "traits") if counts.get(name)) or "annotators"
    return Summary(
        f"{kinds.capitalize()} against {who}",
        rows.counts("pairs", "annotators", "traits").replace(" annotator", " other annotator"),
        _votes_verdict(who, {one: [quoted[name] for name in some] for one, some in side.items()}),
        "strength",
        SummaryTable(tone, columns, "row"),
        [*findings, *_bias_findings(rows, who)],
        rows.cautions(known, "pair", *lost, clusters=counts.get("clusters"), cluster="prompt"),
        steps(
            f"Label more pairs: {quoted[close]} is closest to significance ({p_text(p)})" if p < _CLOSE else None,
            f"Check whether length drives {who}'s votes" if _preference(rows, "prefers_longer") else None,
        ),
        sentences.gate_sentences(rows, "strength", []),
    )


def _votes_verdict(who: str, side: Mapping[str, list[str]]) -> str:
    count, related = sum(map(len, side.values())), len(side["best"]) + len(side["worse"])
    if not count:
        return f"Strength is undefined: no pair has valid votes of {who} and another annotator."
    if not related:
        return f"No significant relation to {who}'s votes: {count} tested."
    if related > NAMED:
        kinds = f"{len(side['best'])} with and {len(side['worse'])} against them"
        return f"{who}'s votes are significantly related to {related} of {count}: {kinds}."
    parts = [
        f"{listed_names(side[one])} {way}{'s' * (len(side[one]) == 1)} with {who}'s votes significantly"
        for one, way in (("best", "agree"), ("worse", "disagree"))
        if side[one]
    ]
    rest = f"; no significant relation for {listed_names(side['faint'])}" if side["faint"] else ""
    return f"{' and '.join(parts)}{rest}."


_PREFERENCES = {
    "prefers_longer": ("the longer text", "the shorter text", "No significant length preference"),
    "prefers_a": ("the first text", "the second text", "No significant position preference"),
}
"""A rate of the reference's votes -> what is preferred if it is high or low, and what to say if neither is shown."""


def _preference(rows: SummaryRows, metric: str) -> str:
    """What the reference significantly prefers; empty if the rate's interval includes one half."""
    row = next(iter(rows.rows("overview", metric=metric)), None)
    half = 0.5  # by chance
    if row is None or row["low"] is None or row["low"] <= half <= row["high"]:
        return ""
    return _PREFERENCES[metric][row["low"] < half]


def _bias_findings(rows: SummaryRows, who: str) -> list[Sentence]:
    """Whether the reference prefers longer texts, or the first position."""
    texts = []
    for metric, names in _PREFERENCES.items():
        for row in [row for row in rows.rows("overview", metric=metric)[:1] if row["low"] is not None]:
            what = _preference(rows, metric)
            text = f"{who} significantly prefers {what}" if what else names[2]
            texts.append(f"{text}: {rows.score(row).with_interval}")
    return [Sentence(". ".join(texts), label="Bias")] if texts else []
