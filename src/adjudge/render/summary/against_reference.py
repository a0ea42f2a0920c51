"""Summaries of judges that are compared with a reference: reliability, preferences, violations, answers, ranks."""

from collections import Counter
from collections.abc import Collection, Mapping

from adjudge.display_names import listed_names, short_name
from adjudge.metrics.ranking import Ranking, metrics_won
from adjudge.metrics.row_selection import TableRow
from adjudge.render.numbers import MINUS, inside
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Sentence, Summary, SummaryColumn, SummaryTable, stacked_tables
from adjudge.render.summary.sentences import SummaryRows, by_tone, estimate_columns, read_step, steps
from adjudge.spec import BASELINE_PREFIX

_REQUESTED = ("precision", "recall", "f1", "kappa_quadratic", "spearman", "mean_absolute_error")
"""Metrics that options of reliability add."""


def reliability(rows: SummaryRows) -> Summary:
    """Annotators against a reference."""
    ranks = rows.ranking("reliability", rows.by_judge("annotators", "reliability"))
    kappa, flags = (rows.by_judge("annotators", name) for name in ("kappa", "flag_mismatch"))
    overall = {row["metric"]: rows.score(row) for row in rows.rows("overall")}
    whole = {"pooled": overall["reliability"]} if "reliability" in overall else {}
    pooled = whole if len(ranks.rows) > 1 else {}
    requested = {name: rows.by_judge("annotators", name) for name in _REQUESTED}
    columns = [
        *estimate_columns("Reliability", rows.scores(ranks.rows) | pooled),
        *(SummaryColumn(rows.metric(name).title, rows.scores(one), drop=2) for name, one in requested.items() if one),
        *sentences.abstention_columns(rows),
        SummaryColumn("Cohen's kappa", rows.scores(kappa), drop=3),
        SummaryColumn("Flag mismatch", rows.scores(flags) | {"pooled": overall.get("flag_mismatch")}, drop=4),
    ]
    references = {row["reference"] for row in rows.report.outcomes.first.to_dicts()} - {None}
    reference = rows.name(*references) if len(references) == 1 else "the reference"
    compared = sum(one.n for one in whole.values())
    lost = 0 if rows.group else sum(row["count"] for row in rows.rows("deductions"))
    flagged = rows.report.counts.get("judgments", 0) - compared - lost if compared and not rows.group else 0
    rest = ", ".join(f"{n:,} {what}" for n, what in ((flagged, "flagged"), (lost, "excluded")) if n > 0)
    lowest = ((name, ranks.rows[name]) for name in ranks.names[-1:])
    reads = (read_step(round((1 - row["value"]) * row["n"]), "error", f"of {name}") for name, row in lowest)
    return Summary(
        title=f"Annotator reliability (accuracy) against {reference}",
        context=rows.counts("items", "annotators", "judgments") + f", {compared:,} compared ({rest})" * bool(rest),
        verdict=rows.verdict(ranks, "scores highest", "item"),
        table=SummaryTable(ranks.tones | dict.fromkeys(pooled, "pooled"), columns, "annotator"),
        findings=[*rows.findings(ranks, unit="item")],
        cautions=rows.cautions(ranks.rows, "item", kappa=kappa),
        next=steps(rows.sample_size(ranks.open_pair, "items"), *reads),
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
    baseline = best.removeprefix(BASELINE_PREFIX)
    titles = {name: short_name(name.replace("_", " ")).removesuffix(" quality") for name in parts}
    table = ranks.tones | ({best: "baseline"} if best else {})
    heats = {name: {row: rows.score(part.get(row)).coarse for row in table} for name, part in parts.items()}
    columns = [
        SummaryColumn("Accuracy", rows.scores({name: every[name] for name in table}), "estimate"),
        *(SummaryColumn(titles[name], cells, "heat", 3) for name, cells in heats.items() if len(heats) > 1),
        SummaryColumn("rank", {name: str(one) for name, one in ranks.ranks.items()}, "text", 4),
    ]
    against = rows.rows("differences", compared="baselines", metric="accuracy", criterion=key, first=best)
    lead = ranks.leaders[0] if ranks.names else ""
    tones = {row["second"]: rows.tone(row) for row in against}
    unbeaten = bool(best and lead) and tones.get(lead) != "best"
    texts = {"best": f"Significantly better than the baseline {baseline}", "": "not significantly", "worse": "worse"}
    better = "; ".join(by_tone({name: tones.get(name, "") for name in ranks.names}, texts).values())
    answer = rows.verdict(ranks, "predicts human preferences best", "item").removesuffix(".")
    answer += f"; {lead} is not significantly better than the baseline {baseline}" if unbeaten else ""
    clear = len(ranks.names) > 1 and {*ranks.names} <= {lead} | ranks.beaten[lead] and not unbeaten
    kappa, most = (rows.by_judge("scores", name, criterion=key) for name in ("kappa", "accuracy_highest"))
    return Summary(
        context=rows.counts("items", "criteria", "systems"),
        verdict=f"{answer}.",
        table=SummaryTable(table, columns, "system", labels={best: baseline}),
        findings=[*[Sentence(better, "better")] * ("best" in tones.values()), *rows.findings(ranks)],
        cautions=rows.cautions(ranks.rows, "item", kappa=kappa, at_most=most),
        next=steps(f"Choose {lead}" if clear else None, rows.sample_size(ranks.open_pair, "items")),
        gates=rows.threshold("accuracy", rows.scores(systems).values()),
    )


_MATCHES = {"std": "standard", "ha": "human-aligned", "overlap": "overlap alone"}
_ERRORS = {"false_negative": "missed", "false_positive": "false alarms"}


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
    counts = Counter[tuple[str, str, str]]()
    for row in rows.rows("counts"):
        counts[row["variant"], row["outcome"], row["checker"]] += row["count"]
    tables = {}
    for variant in variants:
        tones = ranks.tones if variant == variants[0] else dict.fromkeys(ranks.rows, "")
        found = {one: rows.scores(rows.by_judge("scores", one, **{**keys, "variant": variant})) for one in shown}
        drops = {"f1": 1, main: 0}
        columns = [SummaryColumn(rows.metric(one).title, found[one], "compact", drops.get(one, 3)) for one in shown]
        wrong = {one: {name: counts[variant, one, name] for name in ranks.rows} for one in _ERRORS}
        columns += [SummaryColumn(title, wrong[one], "count", 2) for one, title in _ERRORS.items()]
        tables[_MATCHES.get(variant, variant)] = SummaryTable(tones, columns, "checker")
    title = inside(rows.metric(main).title)
    better = [name for name, beaten in by_f1.beaten.items() if main != "f1" and beaten & {*ranks.names[:1]}]
    doubt = f"; in F1, which counts false alarms, {listed_names(better)} is significantly better." if better else "."
    errors = {name: sum(counts[variants[0], one, name] for one in _ERRORS) for name in ranks.rows}
    most = max(errors, key=lambda name: errors[name], default="")
    texts = None if rows.group else rows.report.counts.get("texts")
    return Summary(
        context=rows.counts("texts", "true violations", "checkers"),
        verdict=rows.verdict(ranks, f"has the highest {title}", "true violation").removesuffix(".") + doubt,
        table=stacked_tables(tables),
        findings=[*rows.findings(ranks, f"{title} ")],
        cautions=rows.cautions(ranks.rows, "true violation", clusters=texts, cluster="text"),
        next=steps(rows.sample_size(ranks.open_pair, "texts"), read_step(errors.get(most, 0), "error", f"of {most}")),
        gates=rows.threshold(f"{main}[variant={variants[0]}]", rows.scores(ranks.rows).values()),
    )


_OVER_NOISE, _SLOPE, _NOISE = "accuracy_over_noise", "slope", "noise_robustness"
_RAG_METRICS = (_OVER_NOISE, "accuracy", "rejection_rate", "error_detection_rate", "error_correction_rate")
_RAG_MAIN = (_OVER_NOISE, "rejection_rate", "error_correction_rate")
"""The metrics in verdicts and findings; without several noise ratios, the accuracies are among them."""
_UNSHOWN = ("Accuracy, noise robustness", "Accuracy, counterfactual robustness")
_LONGEST_HEADING = 24


def rag(rows: SummaryRows) -> Summary:
    """Models that answer from documents, by the first scorer."""
    counts, scorers = rows.report.counts, list(dict.fromkeys(row["scorer"] for row in rows.rows("scores")))
    ranked = _rankings(rows, scorers[0])
    scores = max((ranks.rows for ranks in ranked.values()), key=len, default={})
    has_mean = any(ranks.metric == _OVER_NOISE and ranks.names for ranks in ranked.values())
    leading = _RAG_MAIN if has_mean else ("accuracy", *_RAG_MAIN)
    main = {sentences.phrase(title): ranks for title, ranks in ranked.items() if ranks.metric in leading}
    others = {sentences.phrase(title): ranks for title, ranks in ranked.items() if ranks.metric not in leading}
    every = main | others
    if slopes := rows.by_judge("scores", _SLOPE, scorer=scorers[0]):
        others[inside(rows.metric(_SLOPE).title)] = rows.ranking(_SLOPE, slopes, compared="models", scorer=scorers[0])
    better, also = metrics_won(scores, main), metrics_won(scores, others)
    tested = [title for title, ranks in main.items() if ranks.pairs]
    verdict = sentences.no_difference(scores, "model", counts.get("questions", 0), "question", tested)
    if better:
        verdict = f"Significantly better than another model: {_models_with_metrics(better)}."
    elif len(scores) < sentences.PAIR:
        alone = (rows.verdict(ranks, "", "", title) for title, ranks in ranked.items())
        models = {name for ranks in ranked.values() for name in ranks.rows}
        apart = f"Not compared: {listed_names(sorted(models))} have no condition in common, such as a share of noise."
        verdict = apart if len(models) >= sentences.PAIR else next(alone, "No answer has a metric.")
    pairs = {title: ranks.pair for title, ranks in every.items() if ranks.pair and len(scores) == sentences.PAIR}
    widest = max(filter(pairs.get, main), key=lambda title: abs(pairs[title].row["value"]), default="")
    noise = [row for row in rows.rows("differences", compared="noise", scorer=scorers[0]) if rows.tone(row) == "worse"]
    falling = listed_names(dict.fromkeys(row["model"] for row in noise if row["metric"] == "accuracy"))
    sizes = {title: (pairs[title].row["n"], max(row["n"] for row in every[title].rows.values())) for title in pairs}
    shared = [f"{n} of {most} for {title}" for title, (n, most) in sizes.items() if n < most]
    doubts = [f"Differences on shared questions only: {listed_names(shared)}"] * bool(shared)
    missing = f" ({counts['missing answers']:,} missing)" if counts.get("missing answers") else ""
    hardest = rows.rows("hardest_items")
    hard, at = counts.get("hardest items", len(hardest)), {_condition(row) for row in hardest}
    which = f" ({at.pop()})" if len(at) == 1 and hard == len(hardest) else ""
    first = f" (first of {len(scorers)})" if len(scorers) > 1 else ""
    return Summary(
        context=f"{rows.counts('questions', 'models', 'answers')}{missing}, scorer {scorers[0]}{first}",
        verdict=verdict,
        table=_rag_table(rows, ranked, better),
        findings=[
            *[rows.difference(pairs[title], f"{title} ") for title in pairs if title == widest],
            *[Sentence(f"Significantly better in other metrics: {_models_with_metrics(also)}", "better")] * bool(also),
            *[Sentence(f"Significantly less accurate with noise: {falling}", "worse")] * bool(falling),
        ],
        cautions=rows.cautions(scores, "question", *doubts),
        next=steps(
            rows.sample_size(pairs.get(widest), "questions"),
            read_step(hard, "question", f"that every model got wrong{which}"),
        ),
    )


def _models_with_metrics(better: Mapping[str, str]) -> str:
    return listed_names(f"{name} ({titles})" for name, titles in better.items())


def _condition(row: TableRow) -> str:
    """The condition of a question: its share of noise, or its ability."""
    return row["ability"].replace("_", " ") if row["noise_ratio"] is None else f"{row['noise_ratio']:.0%} noise"


def _rankings(rows: SummaryRows, scorer: str) -> dict[str, Ranking]:
    """The ranking of models in each metric, by title, accuracy first."""
    ranked = dict[str, Ranking]()
    every = [row for row in rows.rows("scores", scorer=scorer) if row["metric"] in _RAG_METRICS]
    noisy = any(row["ability"] == _NOISE and row["noise_ratio"] is not None for row in every)
    for row in sorted(every, key=lambda row: (_RAG_METRICS.index(row["metric"]), row["noise_ratio"] or 0)):
        title = rows.metric(row["metric"]).title
        if row["metric"] == "accuracy":
            title += f", {_condition(row)}"
        if title not in ranked and (title not in _UNSHOWN or (not noisy and row["ability"] == _NOISE)):
            keys = {key: row[key] for key in ("ability", "noise_ratio", "scorer")}
            scores = rows.by_judge("scores", row["metric"], **keys)
            ranked[title] = rows.ranking(row["metric"], scores, compared="models", model=None, **keys)
    return ranked


def _rag_table(rows: SummaryRows, ranked: Mapping[str, Ranking], best: Collection[str]) -> SummaryTable:
    """A row for each metric and a column for each model; transposed for many models."""
    cells = {title: {name: rows.score(row).coarse for name, row in ranked[title].rows.items()} for title in ranked}
    models = [*dict.fromkeys(name for one in cells.values() for name in one)]
    models = sorted(models) if rows.group else models
    if len(models) > sentences.NAMED:
        columns = [SummaryColumn(title, cells[title], "heat", 2) for title in ranked]
        return SummaryTable({name: "best" if name in best else "" for name in models}, columns, "model")
    columns = [SummaryColumn(name, {title: cells[title].get(name) for title in ranked}, "compact") for name in models]
    if len(models) == sentences.PAIR:
        tests = {title: ranks.pair.minus(models[1]) for title, ranks in ranked.items() if ranks.pair}
        gaps = {title: rows.score(row, signed=True).coarse for title, row in tests.items()}
        heading = f" {MINUS} ".join(models)
        heading = heading if len(heading) <= _LONGEST_HEADING else f"first {MINUS} second"
        columns.append(SummaryColumn(heading, gaps, "compact", 1))
    tones = {title: "best" if ranks.significant else "" for title, ranks in ranked.items()}
    return SummaryTable(tones, columns, "metric")


def judges(rows: SummaryRows, ranks: Ranking | None = None) -> Summary:
    """Judges by the first headline metric, in any other report. ranks: by another metric."""
    about = rows.report.about
    name = next((one.metric for one in about.answers), "")
    notes = () if ranks else rows.report.notes
    ranks = ranks or rows.ranking(name, rows.by_judge(about.main, name))
    scores, published = rows.scores(ranks.rows), about.main == "ranks"
    return Summary(
        context=rows.counts(),
        verdict=rows.verdict(ranks, "scores highest", about.items.removesuffix("s")),
        table=SummaryTable(ranks.tones, estimate_columns(rows.metric(ranks.metric).title, scores), about.judge),
        findings=[*map(Sentence, notes), *rows.findings(ranks)],
        next=steps("Test differences on single items" if published else rows.sample_size(ranks.open_pair, about.items)),
        gates=rows.threshold(ranks.metric, scores.values()),
    )


def violation_annotators(rows: SummaryRows) -> Summary:
    """Annotators of violations, each pair matched."""
    every, pairs = rows.rows("annotators", metric="f1"), dict[str, TableRow]()
    for row in every:
        if row["variant"] == every[0]["variant"] and row["checker"] != row["reference"]:
            pairs.setdefault(" and ".join(sorted((row["checker"], row["reference"]))), row)
    return judges(rows, rows.ranking("f1", pairs))
