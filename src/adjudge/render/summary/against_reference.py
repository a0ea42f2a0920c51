"""Summaries of judges that are compared with a reference: reliability, preferences, violations, answers, ranks."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from adjudge.display_names import count_of, listed_names, short_name
from adjudge.metrics.ranking import Ranking
from adjudge.metrics.row_selection import TableRow
from adjudge.render.numbers import MINUS, NO_BREAK, inside
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable, stacked_tables
from adjudge.render.summary.sentences import SummaryRows, read_step, steps
from adjudge.spec import BASELINE_PREFIX


def reliability(rows: SummaryRows) -> Summary:
    """Annotators against a reference."""
    ranks = rows.ranking("reliability", rows.by_judge("annotators", "reliability"))
    kappa, flags = (rows.by_judge("annotators", name) for name in ("kappa", "flag_mismatch"))
    overall = {row["metric"]: rows.score(row) for row in rows.rows("overall")}
    whole = {"pooled": overall["reliability"]} if "reliability" in overall else {}
    pooled = whole if len(ranks.rows) > 1 else {}
    columns = [
        *sentences.estimate_columns("Reliability", rows.scores(ranks.rows) | pooled),
        *sentences.abstention_columns(rows, ranks.rows),
        SummaryColumn("Cohen's kappa", rows.scores(kappa), drop=3),
        SummaryColumn("Flag mismatch", rows.scores(flags) | {"pooled": overall.get("flag_mismatch")}, drop=4),
    ]
    references = {row["reference"] for row in rows.report.outcomes.first.to_dicts()} - {None}
    reference = rows.name(*references) if len(references) == 1 else "the reference"
    compared = sum(one.n for one in whole.values())
    rest = rows.report.counts.get("judgments", 0) - compared if compared and not rows.group else 0
    lowest = {name: ranks.rows[name] for name in ranks.names[-1:]}
    reads = (read_step(round((1 - row["value"]) * row["n"]), "error", f"of {name}") for name, row in lowest.items())
    return Summary(
        title=f"Annotator reliability (accuracy) against {reference}",
        context=rows.counts("items", "annotators", "judgments") + (f" ({rest:,} flagged or missing)" if rest else ""),
        verdict=rows.verdict(ranks, "scores highest", "item"),
        table=SummaryTable(ranks.tones | dict.fromkeys(pooled, "pooled"), columns, "annotator"),
        findings=[*rows.findings(ranks, unit="item")],
        cautions=rows.cautions(ranks.rows, "item", kappa=kappa),
        next=steps(sentences.separating_size(ranks, "items"), *reads),
        gates=rows.threshold("reliability", whole.values()),
    )


def preferences(rows: SummaryRows) -> Summary:
    """Systems that predict preferences, with the best baseline."""
    criteria = dict.fromkeys(row["criterion"] for row in rows.rows("scores", metric="accuracy"))
    parts = {name: rows.by_judge("scores", "accuracy", criterion=name) for name in criteria}
    key = "average" if "average" in parts else next(iter(parts))
    mean = parts.pop(key)
    every = rows.by_judge("leaderboard", "accuracy", criterion=key) | mean
    systems = {name: row for name, row in every.items() if not name.startswith(BASELINE_PREFIX)}
    ranks = rows.ranking("accuracy", systems, compared="systems", criterion=key)
    best = max((name for name in mean if name not in systems), key=lambda name: mean[name]["value"] or 0.0, default="")
    baseline = best.removeprefix(BASELINE_PREFIX) + " (baseline)" * (best.removeprefix(BASELINE_PREFIX) in systems)
    table = ranks.tones | ({baseline: "baseline"} if best else {})

    def scores(part: Mapping[str, TableRow]) -> dict[str, Score]:
        return rows.scores({name: part.get(best if name == baseline else name) for name in table})

    shown = parts if len(parts) > 1 else {}
    heats = {name: {row: one.coarse for row, one in scores(part).items()} for name, part in shown.items()}
    columns = [
        SummaryColumn("Accuracy", scores(every), "estimate"),
        *(SummaryColumn(_criterion(name).removesuffix(" quality"), heats[name], "heat", 3) for name in heats),
        SummaryColumn("rank", {name: str(one) for name, one in ranks.ranks.items()}, "text", 4),
    ]
    against = rows.rows("differences", compared="baselines", metric="accuracy", criterion=key, first=best)
    lead = ranks.leaders[0] if ranks.names else ""
    unbeaten = bool(best and lead) and all(row["second"] != lead or rows.tone(row) != "best" for row in against)
    answer = rows.verdict(ranks, "predicts human preferences best", "item").removesuffix(".")
    answer += f"; {lead} is not significantly better than the baseline {baseline}" if unbeaten else ""
    clear = len(ranks.names) > 1 and {*ranks.names} <= {lead} | ranks.beaten[lead] and not unbeaten
    kappa, most = (rows.by_judge("scores", name, criterion=key) for name in ("kappa", "accuracy_highest"))
    return Summary(
        context=rows.counts("items", "criteria", "systems"),
        verdict=f"{answer}.",
        table=SummaryTable(table, columns, "system"),
        findings=[*rows.findings(ranks), *_differences_by_criterion(rows, key)],
        cautions=rows.cautions(ranks.rows, "item", kappa=kappa, at_most=most),
        next=steps(f"Choose {lead}" if clear else None, sentences.separating_size(ranks, "items")),
        gates=rows.threshold("accuracy", rows.scores(systems).values()),
    )


def _criterion(name: str) -> str:
    return short_name(name.replace("_", " "))


def _differences_by_criterion(rows: SummaryRows, overall: str) -> Iterator[Sentence]:
    """The significant differences of two systems by criterion, the largest first."""
    tests = [row for row in rows.rows("differences", compared="systems", metric="accuracy") if rows.significant(row)]
    tests = [row for row in tests if row["criterion"] != overall]
    better: dict[str, list[str]] = {}
    for row in sorted(tests, key=lambda row: -abs(row["value"])):
        name = row["second" if row["value"] > 0 else "first"]
        better.setdefault(name, []).append(f"{_criterion(row['criterion'])} +{100 * abs(row['value']):.1f}{NO_BREAK}pp")
    if len({frozenset((row["first"], row["second"])) for row in tests}) == 1:
        for name, each in better.items():
            yield Sentence(f"{name} is significantly better by criterion: {listed_names(each)}", "better")


_MATCHES = {"std": "standard", "ha": "human-aligned", "overlap": "overlap alone"}
_OUTCOMES = {"missed": "false_negative", "false alarms": "false_positive"}


def violations(rows: SummaryRows) -> Summary:
    """Checkers against true violations, by each way of matching."""
    every = rows.rows("scores", average="micro")
    variants = list(dict.fromkeys(row["variant"] for row in every))
    variants = [one for one in variants if one != "overlap"] or variants
    names = {row["metric"] for row in every if row["variant"] in variants}
    main = next((one for one in ("match_score", "f1", "partial_f1") if one in names), "f1")
    keys = {"variant": variants[0], "average": "micro"}
    ranks, by_f1 = (rows.ranking(one, rows.by_judge("scores", one, **keys), **keys) for one in (main, "f1"))
    shown = [name for name in dict.fromkeys((main, "f1", "precision", "recall")) if name in names]
    tables = {}
    for variant in variants:
        tones = ranks.tones if variant == variants[0] else dict.fromkeys(ranks.rows, "")
        columns = _detection_columns(rows, variant, shown, [*ranks.rows])
        tables[_MATCHES.get(variant, variant)] = SummaryTable(tones, columns, "checker")
    title = inside(rows.metric(main).title)
    answer = rows.verdict(ranks, f"has the highest {title}", "true violation")
    better = [name for name, beaten in by_f1.beaten.items() if main != "f1" and beaten & {*ranks.names[:1]}]
    if better:
        answer = f"{answer[:-1]}; in F1, which counts false alarms, {listed_names(better)} is significantly better."
    missed, false = (_errors(rows, [*ranks.rows], variants[0], outcome) for outcome in _OUTCOMES.values())
    most = max(missed, key=lambda name: missed[name] + false[name], default="")
    nouns = {"missed violation": missed.get(most, 0), "false alarm": false.get(most, 0)}
    wrong = listed_names(count_of(count, noun) for noun, count in nouns.items() if count)
    way = f"{_MATCHES.get(variants[0], variants[0])} " if len(variants) > 1 else ""
    texts = None if rows.group else rows.report.counts.get("texts")
    return Summary(
        context=rows.counts("texts", "true violations", "checkers"),
        verdict=answer,
        table=stacked_tables(tables),
        findings=[*rows.findings(ranks, f"{way}{title} ")],
        cautions=rows.cautions(ranks.rows, "true violation", clusters=texts, cluster="text"),
        next=steps(sentences.separating_size(ranks, "texts"), f"Read the {wrong} of {most}" if wrong else None),
        gates=rows.threshold(f"{main}[variant={variants[0]}]", rows.scores(ranks.rows).values()),
    )


def _detection_columns(rows: SummaryRows, variant: str, shown: list[str], checkers: list[str]) -> list[SummaryColumn]:
    columns: list[SummaryColumn] = []
    for name in shown:
        scores = rows.scores(rows.by_judge("scores", name, variant=variant, average="micro"))
        title, narrow = rows.metric(name).title, name in shown[:2]
        columns.append(SummaryColumn(title, scores, "compact") if narrow else SummaryColumn(title, scores, drop=2))
    errors = {title: _errors(rows, checkers, variant, outcome) for title, outcome in _OUTCOMES.items()}
    return columns + [SummaryColumn(title, cells, "count", 1) for title, cells in errors.items()]


def _errors(rows: SummaryRows, checkers: list[str], variant: str, outcome: str) -> dict[str, int]:
    counts = rows.rows("counts", variant=variant, outcome=outcome)
    return {name: sum(row["count"] for row in counts if row["checker"] == name) for name in checkers}


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
    significant = [title for title in pairs if pairs[title].significant]
    if widest:
        ends = f"{inside(widest)}, {sentences.pair_text(pairs[widest])}, {rows.change(pairs[widest].row)}"
        findings.append(Sentence(f"Largest tested difference: {ends}", "better" if widest in significant else "none"))
    missing = f" ({counts['missing answers']:,} missing)" if counts.get("missing answers") else ""
    first = f" (first of {len(scorers)})" if len(scorers) > 1 else ""
    hard = counts.get("hardest items", len(rows.rows("hardest_items")))
    return Summary(
        context=f"{rows.counts('questions', 'models', 'answers')}{missing}, scorer {scorers[0]}{first}",
        verdict=_rag_verdict(rows, list(models), better, ranked),
        table=_rag_table(rows, list(models), [*better, *significant], ranked),
        findings=[*findings, *_noise_findings(rows, scorers[0])],
        cautions=rows.cautions(models, "question"),
        next=steps(
            sentences.sample_size(needed, "questions", "detect that difference"),
            read_step(hard, "question", "that every model got wrong"),
        ),
    )


def _rankings(rows: SummaryRows, scorer: str) -> dict[str, Ranking]:
    """The ranking of models in each metric, by title, accuracy first."""
    ranked = dict[str, Ranking]()
    every = [row for row in rows.rows("scores", scorer=scorer) if row["metric"] in _RAG_METRICS]
    for row in sorted(every, key=lambda row: (_RAG_METRICS.index(row["metric"]), row["noise_ratio"] or 0)):
        if (title := _rag_title(row, rows)) and title not in ranked:
            keys = {key: row[key] for key in ("ability", "noise_ratio", "scorer")}
            scores = rows.by_judge("scores", row["metric"], **keys)
            ranked[title] = rows.ranking(row["metric"], scores, compared="models", model=None, **keys)
    return ranked


def _rag_title(row: TableRow, rows: SummaryRows) -> str:
    """What a metric of an ability is called; empty for one that has no place in the summary."""
    ability, share = row["ability"], row["noise_ratio"]
    if row["metric"] != "accuracy":
        return rows.metric(row["metric"]).title
    if ability == "counterfactual_robustness" or (ability == "noise_robustness" and share is None):
        return ""
    titles = {"information_integration": "several documents", "closed_book": "no documents"}
    titles["noise_robustness"] = f"{share:.0%} noise" if share else "no noise"
    return f"Accuracy, {titles.get(ability, ability.replace('_', ' '))}"


def _rag_table(rows: SummaryRows, models: list[str], best: list[str], ranked: Mapping[str, Ranking]) -> SummaryTable:
    """A row for each metric and a column for each model; of many the other way round. best: models or metrics."""
    few = rows.report.counts.get("questions", 0) < sentences.FEW
    cells = {title: rows.scores(ranks.rows) for title, ranks in ranked.items()}
    if few:
        cells = {title: {name: one.coarse for name, one in scores.items()} for title, scores in cells.items()}
    if len(models) > sentences.NAMED:
        columns = [SummaryColumn(title, cells[title], "heat", 2) for title in ranked]
        return SummaryTable({name: "best" if name in best else "" for name in models}, columns, "model")
    columns = [SummaryColumn(name, {title: cells[title].get(name) for title in ranked}, "compact") for name in models]
    if len(models) == sentences.PAIR:
        gaps = dict[str, Score]()
        for title, pair in ((title, ranks.pair) for title, ranks in ranked.items() if ranks.pair):
            gap = rows.score(pair.row, signed=True)
            gap = replace(gap, caveat="" if gap.interval else gap.caveat, decimals=0 if few else 1)
            gaps[title] = gap if pair.better == models[0] else -gap
        columns.append(SummaryColumn(f"{models[0]} {MINUS} {models[1]}", gaps, "compact", 1))
    return SummaryTable({title: "best" if title in best else "" for title in ranked}, columns, "metric")


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
    most = max((row["noise_ratio"] or 0 for row in changes if row["value"] is not None), default=0)
    changes = [row for row in changes if row["value"] is not None and row["noise_ratio"] == most]
    significant = [row for row in changes if rows.significant(row)]
    shown = [f"{row['model']} {rows.score(row, signed=True).with_interval}" for row in significant or changes]
    if shown:
        kind = "Significant" if significant else "No significant"
        text = f"{kind} change from no noise to {most:.0%}: {listed_names(shown)}"
        yield Sentence(text, "worse" if significant else "none")


def published_ranks(rows: SummaryRows) -> Summary:
    """Systems by published values, whose differences are not tested."""
    borda = {row["system"]: row["value"] for row in rows.rows("ranks", metric="borda") if row["value"] is not None}
    points = {name: f"{borda[name]:g}" for name in sorted(borda, key=lambda name: -borda[name])}
    first = [name for name in points if borda[name] == max(borda.values())]
    lead = f"lead{'s' * (len(first) == 1)} with {max(borda.values()):g} Borda points" if borda else "None"
    ranks = rows.by_judge("ranks", "mean_rank")
    means = {name: f"{row['value']:.2f}" for name, row in ranks.items() if name in borda}
    columns = [SummaryColumn("Borda points", points, "text"), SummaryColumn("Mean rank", means, "text")]
    return Summary(
        context=rows.counts(),
        verdict=f"{listed_names(first)} {lead}; differences of published values are not tested.".strip(),
        table=SummaryTable(dict.fromkeys(points, ""), columns, "system"),
        next=steps("Score the systems' predictions: tests need single items"),
    )


def judges(rows: SummaryRows) -> Summary:
    """Judges by the first headline metric, in any other report."""
    about = rows.report.about
    name = next((one.metric for one in about.answers), "")
    ranks = rows.ranking(name, rows.by_judge(about.main, name))
    scores = rows.scores(ranks.rows)
    return Summary(
        context=rows.counts(),
        verdict=rows.verdict(ranks, "scores highest", about.items.removesuffix("s")),
        table=SummaryTable(ranks.tones, sentences.estimate_columns(rows.metric(name).title, scores), about.judge),
        findings=[*map(Sentence, rows.report.notes), *rows.findings(ranks)],
        next=steps(sentences.separating_size(ranks, about.items)),
        gates=rows.threshold(name, scores.values()),
    )
