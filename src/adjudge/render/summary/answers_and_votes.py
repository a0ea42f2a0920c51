"""Summaries of answers from documents, and of votes that are compared with those of a reference."""

from collections.abc import Mapping

from adjudge.metrics.data_checks import CheckedData, cautions
from adjudge.metrics.ranking import JudgePair, Ranking, is_significant, ranking
from adjudge.metrics.report_rows import ReportRows
from adjudge.metrics.row_selection import TableRow
from adjudge.render.summary.against_reference import counts_text
from adjudge.render.summary.contents import MINUS, Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.judge_sentences import (
    FEW,
    NAMED,
    caution_sentences,
    count_column,
    gap,
    gate_sentences,
    p_cell,
    p_text,
    score,
    scores,
    steps,
)
from adjudge.spec import MetricSpec
from adjudge.text.counts import count_of, listed_names

_RATES = ("rejection_rate", "error_detection_rate", "error_correction_rate")
_CLOSE = 0.2
"""Below this adjusted p a trait is worth more pairs."""
_MOST_COLUMNS = 3
"""With more models than this, models are rows and metrics are columns."""


def rag(rows: ReportRows) -> Summary:
    """Models that answer from documents, by the first scorer."""
    counts, scorers = rows.report.counts, list(dict.fromkeys(row["scorer"] for row in rows.rows("scores")))
    scorer = next(iter(scorers), None)
    ranked, specs = _ranked_metrics(rows, scorer)
    models = list(next(iter(ranked.values())).rows) if ranked else []
    pair = tuple(models) if len(models) == 2 else None  # noqa: PLR2004 - their difference stands beside them
    gaps = {title: next(iter(ranks.pairs.values())) for title, ranks in ranked.items() if pair and ranks.pairs}
    few = counts.get("questions", 0) < FEW
    cells = {
        model: {
            title: score(ranks.rows[model], specs[title]).coarse if few else score(ranks.rows[model], specs[title])
            for title, ranks in ranked.items()
            if model in ranks.rows
        }
        for model in models
    }
    better = {model: [title for title, ranks in ranked.items() if ranks.beaten.get(model)] for model in models}
    if len(models) > _MOST_COLUMNS:
        table = {model: "best" if better[model] else "" for model in models}
        columns = [
            SummaryColumn(title, {model: cells[model].get(title) for model in models}, "heat", 2) for title in ranked
        ]
    else:
        table = {title: "best" if title in gaps and gaps[title].significant else "" for title in ranked}
        columns = [SummaryColumn(model, cells[model], "compact") for model in models]
    if pair:
        signed = {title: _signed(one, specs[title], pair[0]) for title, one in gaps.items()}
        shown = {title: one.coarse if few else one for title, one in signed.items()}
        columns.append(SummaryColumn(f"{pair[0]} {MINUS} {pair[1]}", shown, "compact", 1))
    findings = [
        Sentence(f"{model} is significantly better: {listed_names(map(_inside, titles))}", "better")
        for model, titles in better.items()
        if titles
    ]
    widest = max(gaps, key=lambda title: abs(gaps[title].difference.value or 0), default="")
    needed = None if not widest or any(better.values()) else gaps[widest].needed
    if widest:
        one = gaps[widest]
        text = f"{_inside(widest)}, {one.better} {MINUS} {one.worse}, {gap(one, specs[widest])}"
        findings.append(Sentence(f"Largest difference: {text}", "better" if one.significant else "none"))
    hard = counts.get("hardest items", len(rows.rows("hardest_items")))
    missing = f" ({counts['missing answers']:,} missing)" if counts.get("missing answers") else ""
    first = f" (first of {len(scorers)})" if len(scorers) > 1 else ""
    asked = next(iter(ranked.values())).rows if ranked else {}
    return Summary(
        "RAG robustness",
        f"{counts_text(rows, 'questions', 'models', 'answers')}{missing}, scorer {scorer}{first}",
        _rag_verdict(models, better, counts.get("questions", 0), cells),
        "noise",
        SummaryTable(table, columns, "model" if len(models) > _MOST_COLUMNS else "metric"),
        [*findings, *_noise_findings(rows, scorer), *_human_findings(rows)],
        caution_sentences(cautions(CheckedData(rows, asked, "question"))),
        steps(
            f"About {needed:,} questions would detect the largest difference (80% power)" if needed else None,
            f"Read the {count_of(hard, 'question')} that every model got wrong" if hard else None,
        ),
        gate_sentences(rows, "error_correction_rate", []),
    )


def _ranked_metrics(rows: ReportRows, scorer: str | None) -> tuple[dict[str, Ranking], dict[str, MetricSpec]]:
    """The ranking of models in each metric, and the metrics, by title: accuracy by noise first, then rates."""
    order = ("accuracy", *_RATES)
    every = [
        row
        for row in rows.rows("scores", scorer=scorer)
        if row["metric"] in order
        and (row["metric"], row["ability"]) != ("accuracy", "counterfactual_robustness")
        and (row["ability"] != "noise_robustness" or row["noise_ratio"] is not None)
    ]
    every.sort(key=lambda row: (order.index(row["metric"]), row["noise_ratio"] or 0))
    ranked: dict[str, Ranking] = {}
    specs: dict[str, MetricSpec] = {}
    for row in every:
        keys = {key: row[key] for key in ("metric", "ability", "noise_ratio", "scorer")}
        if (title := _rag_title(row, rows)) not in ranked:
            tests = [one for one in rows.rows("differences", compared="models", **keys) if one.get("model") is None]
            ranked[title] = ranking(rows.by_judge("scores", **keys), tests, rows.report.confidence)
            specs[title] = rows.metric(row["metric"])
    return ranked, specs


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
    shown = Score(one.value, one.low, one.high, one.n, "pp" if metric.percent else "+")
    return shown if pair.better == first else -shown


def _rag_verdict(
    models: list[str], better: Mapping[str, list[str]], questions: int, cells: Mapping[str, Mapping[str, Score]]
) -> str:
    leads = [model for model in models if better[model]]
    if not models:
        return "No answer has a metric."
    if len(models) == 1:
        title, one = next(iter(cells[models[0]].items()))
        return f"{models[0]}: {_inside(title)} {one.with_interval}."
    if not leads:
        who = f"{'between' if len(models) == 2 else 'among'} {listed_names(models)}"  # noqa: PLR2004
        few = f": {count_of(questions, 'question')} are too few." if questions < FEW else "."
        return f"No significant difference {who}{few}"
    if len(leads) == 1:
        return (
            f"{leads[0]} is significantly better in {count_of(len(better[leads[0]]), 'metric')}, no other model in any."
        )
    return f"{listed_names(leads)} are each significantly better than another model in some metric."


def _noise_findings(rows: ReportRows, scorer: str | None) -> list[Sentence]:
    """The change of accuracy from no noise to the most noise."""
    changes = [
        row
        for row in rows.rows("differences", compared="noise", scorer=scorer, metric="accuracy")
        if row["value"] is not None and row["noise_ratio"] is not None
    ]
    most = max((row["noise_ratio"] for row in changes), default=0)
    told = [row for row in changes if row["noise_ratio"] == most]
    if not told:
        return []
    confidence, metric = rows.report.confidence, rows.metric("accuracy")
    significant = [row for row in told if is_significant(row["p_adjusted"], confidence)]
    shown = significant or told
    each = listed_names([f"{row['model']} {score(row, metric, signed=True).with_interval}" for row in shown])
    kind = "Significant change" if significant else "No significant change"
    return [Sentence(f"{kind} from no noise to {most:.0%}: {each}", "worse" if significant else "none")]


def _human_findings(rows: ReportRows) -> list[Sentence]:
    """The scorer that agrees most with human annotators."""
    card = [row for row in rows.rows("card", metric="agreement") if row["value"] is not None]
    if not card:
        return []
    first = [row for row in card if (row["model"], row["verdict"]) == (card[0]["model"], card[0]["verdict"])]
    best = max(first, key=lambda row: row["value"])
    shown = score(best, rows.metric("agreement")).with_interval
    what = best["verdict"].replace("_", " ")
    return [Sentence(f"Scorer {best['scorer']} agrees most with human annotators ({what}): {shown}", label="Scorers")]


def annotations(rows: ReportRows) -> Summary:
    """Annotators and traits against the votes of a reference."""
    report, metric = rows.report, rows.metric("strength")
    every = rows.rows("agreement", metric="strength")
    who = every[0]["reference"] if every else "the reference"
    defined = {row["annotator"]: row for row in every if row["value"] is not None}
    tests = {
        name: is_significant(row["p_adjusted"], report.confidence) and row["value"] != 0
        for name, row in defined.items()
    }
    tone = {
        name: ("best" if row["value"] > 0 else "worse") if tests[name] else "faint" for name, row in defined.items()
    }
    order = sorted(
        defined,
        key=lambda name: (
            not tests[name],
            -(abs(defined[name]["value"]) if not tests[name] else defined[name]["value"]),
        ),
    )
    strength = {name: score(defined[name], metric, signed=True) for name in order}
    columns = [
        SummaryColumn("Strength", strength, "estimate"),
        count_column(strength),
        SummaryColumn(
            "adj. p", {name: p_cell(defined[name]["p_adjusted"]) if tests[name] else "n.s." for name in order}, "text"
        ),
        SummaryColumn("kappa", scores(rows.by_judge("agreement", "kappa"), rows.metric("kappa")), drop=3),
    ]
    side = {one: [name for name in order if tone[name] == one] for one in ("best", "worse", "faint")}
    ways = {"best": (f"With {who}'s votes", "better"), "worse": (f"Against {who}'s votes", "worse")}
    findings = [
        Sentence(f"{text}: {listed_names(f'{name} {strength[name].with_interval}' for name in side[one])}", shown)  # type: ignore[arg-type]
        for one, (text, shown) in ways.items()
        if side[one]
    ]
    if side["faint"]:
        findings.append(Sentence(f"Not significantly related: {listed_names(side['faint'])}", "none"))
    undefined = [row["annotator"] for row in every if row["value"] is None]
    lost = [f"Undefined strength: {listed_names(undefined)}"] if undefined else []
    close = min(
        side["faint"], key=lambda name: (defined[name]["p_adjusted"] or 1, defined[name]["p"] or 1), default=None
    )
    p = "" if close is None else p_text(defined[close]["p_adjusted"], defined[close]["tests"] or 1)
    data = CheckedData(rows, defined, "pair", clusters=report.counts.get("clusters"))
    kinds = " and ".join(name for name in ("annotators", "traits") if report.counts.get(name)) or "annotators"
    return Summary(
        f"{kinds.capitalize()} against {who}",
        counts_text(rows, "pairs", "annotators", "traits"),
        _votes_verdict(who, side, len(defined)),
        "strength",
        SummaryTable({name: tone[name] for name in order}, columns, "row"),
        [*findings, *_bias_findings(rows)],
        caution_sentences(cautions(data), *lost),
        steps(
            f"Label more pairs: {close} is closest to significance ({p})"
            if close and p and (defined[close]["p_adjusted"] or 1) < _CLOSE
            else None
        ),
        gate_sentences(rows, "strength", []),
    )


def _votes_verdict(who: str, side: dict[str, list[str]], count: int) -> str:
    related = [*side["best"], *side["worse"]]
    if not count:
        return f"Strength is undefined: no pair has valid votes of {who} and another annotator."
    if not related:
        return f"No significant relation to {who}'s votes: {count} tested."
    if len(related) > NAMED:
        sides = f"{len(side['best'])} with and {len(side['worse'])} against them"
        return f"{who}'s votes are significantly related to {len(related)} of {count}: {sides}."
    parts = [
        f"{listed_names(side[one])} {way}{'s' if len(side[one]) == 1 else ''} with {who}'s votes significantly"
        for one, way in (("best", "agree"), ("worse", "disagree"))
        if side[one]
    ]
    rest = f"; no significant relation for {listed_names(side['faint'])}" if side["faint"] else ""
    return f"{' and '.join(parts)}{rest}."


def _bias_findings(rows: ReportRows) -> list[Sentence]:
    """Whether the reference prefers longer texts, or the first position."""
    texts = []
    for metric, names in (
        ("prefers_longer", ("Longer text preferred", "Shorter text preferred", "No significant length preference")),
        ("prefers_a", ("First text preferred", "Second text preferred", "No significant position preference")),
    ):
        for row in rows.rows("overview", metric=metric)[:1]:
            if row["low"] is not None:
                place = 0 if row["low"] > 0.5 else 1 if row["high"] < 0.5 else 2  # noqa: PLR2004 - one half by chance
                texts.append(f"{names[place]}: {score(row, rows.metric(metric)).with_interval}")
    return [Sentence(". ".join(texts), label="Bias")] if texts else []
