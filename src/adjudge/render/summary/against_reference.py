"""Summaries of judges that are compared with a reference: reliability, preferences, violations, published ranks."""

from collections.abc import Mapping

from adjudge.metrics.data_checks import CheckedData, cautions
from adjudge.metrics.ranking import Ranking, is_significant, ranking
from adjudge.metrics.report_rows import ReportRows
from adjudge.metrics.row_selection import TableRow
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.judge_sentences import (
    caution_sentences,
    count_column,
    gate_sentences,
    rank_text,
    ranking_findings,
    sample_size,
    score,
    scores,
    steps,
    verdict,
)
from adjudge.spec import BASELINE_PREFIX
from adjudge.text.counts import count_of, listed_names


def counts_text(rows: ReportRows, *names: str) -> str:
    """The counts of a report: 24 items, 4 annotators."""
    counts = rows.report.counts
    known = [(one, counts[one]) for one in names if one in counts] or list(counts.items())[:3]
    words = {"judgments": "labels", "people": "annotators", "criteria": "criterion"}
    return ", ".join(count_of(count, words.get(one, one).removesuffix("s")) for one, count in known)


def tones(ranks: Ranking) -> dict[str, str]:
    """The judges, the best first, with their tones."""
    return {name: ranks.tone(name) for name in ranks.rows}


def reliability(rows: ReportRows) -> Summary:
    """Annotators against a reference."""
    metric, report = rows.metric("reliability"), rows.report
    by_judge = rows.by_judge("annotators", "reliability")
    kappa = rows.by_judge("annotators", "kappa")
    ranks = ranking(by_judge, rows.rows("differences", metric="reliability"), report.confidence)
    pooled = {row["metric"]: score(row, rows.metric(row["metric"])) for row in rows.rows("overall")}
    several = len(by_judge) > 1 and "reliability" in pooled
    shown = scores(ranks.rows, metric) | ({"pooled": pooled["reliability"]} if several else {})
    flags = scores(rows.by_judge("annotators", "flag_mismatch"), rows.metric("flag_mismatch"))
    flags |= {"pooled": pooled["flag_mismatch"]} if several and "flag_mismatch" in pooled else {}
    columns = [
        SummaryColumn("Reliability", shown, "estimate"),
        count_column(shown),
        SummaryColumn("Cohen's kappa", scores(kappa, rows.metric("kappa")), drop=3),
        SummaryColumn("Flag mismatch", flags, drop=4),
    ]
    data = CheckedData(rows, ranks.rows, "item", {name: row for name, row in kappa.items() if row["n"]})
    return Summary(
        f"Annotator reliability (accuracy) against {_reference(rows)}",
        counts_text(rows, "items", "annotators", "judgments"),
        verdict(ranks, "scores highest", metric, unit="item", noun="annotator"),
        "forest",
        SummaryTable(tones(ranks) | ({"pooled": "pooled"} if several else {}), columns, "annotator"),
        list(ranking_findings(ranks, metric)),
        caution_sentences(cautions(data)),
        steps(sample_size(ranks, "items"), _errors_to_read(ranks)),
        gate_sentences(rows, "reliability", [pooled.get("reliability", Score(None))]),
    )


def _reference(rows: ReportRows) -> str:
    """The name of the reference."""
    first = rows.report.items.first
    references = {*first["reference"].drop_nulls()} if first.height else set()
    return rows.name(references.pop()) if len(references) == 1 else "the reference"


def _errors_to_read(ranks: Ranking) -> str | None:
    """The judge with the lowest accuracy, whose errors are to be read."""
    if not ranks.names:
        return None
    lowest = ranks.rows[ranks.names[-1]]
    wrong = round((1 - lowest["value"]) * lowest["n"])
    return f"Read the {count_of(wrong, 'error')} of {ranks.names[-1]}" if wrong else None


def preferences(rows: ReportRows) -> Summary:
    """Systems that predict preferences, with the best baseline."""
    metric, report = rows.metric("accuracy"), rows.report
    by_criterion: dict[str, dict[str, TableRow]] = {}
    for row in rows.rows("scores", metric="accuracy"):
        by_criterion.setdefault(row["criterion"], {})[row["system"]] = row
    mean = by_criterion.pop("average", None) or next(iter(by_criterion.values()))
    key = next(iter(mean.values()))["criterion"]
    systems = {name: row for name, row in mean.items() if not name.startswith(BASELINE_PREFIX)}
    systems |= {
        row["system"]: row for row in rows.rows("leaderboard", metric="accuracy", criterion=key) if row["value"] is None
    }
    tests = rows.rows("differences", compared="systems", metric="accuracy")
    ranks = ranking(systems, [row for row in tests if row["criterion"] == key], report.confidence)
    baselines = {
        name: row for name, row in mean.items() if name.startswith(BASELINE_PREFIX) and row["value"] is not None
    }
    best = max(baselines, key=lambda name: baselines[name]["value"], default="")
    baseline = best.removeprefix(BASELINE_PREFIX)
    baseline = f"{baseline} (baseline)" if baseline in systems else baseline
    table = tones(ranks) | ({baseline: "baseline"} if best else {})
    columns = [SummaryColumn("Accuracy", _with_baseline(ranks.rows, mean, best, baseline, rows), "estimate")]
    if len(by_criterion) > 1:
        columns += [
            SummaryColumn(
                criterion.removesuffix("_quality").replace("_", " "),
                {
                    name: one.coarse
                    for name, one in _with_baseline(of, of, best, baseline, rows).items()
                    if name in table
                },
                "heat",
                3,
            )
            for criterion, of in by_criterion.items()
        ]
    columns.append(SummaryColumn("rank", {name: rank_text(ranks, name) for name in ranks.rows}, "text", 4))
    against = rows.rows("differences", compared="baselines", metric="accuracy", criterion=key, first=best)
    beating = {
        row["second"] for row in against if is_significant(row["p_adjusted"], report.confidence) and row["value"] > 0
    }
    unbeaten = [name for name in ranks.names if best and name not in beating]
    parts = [row for row in tests if row["criterion"] != key and is_significant(row["p_adjusted"], report.confidence)]
    parts.sort(key=lambda row: (row["criterion"], -abs(row["value"])))
    data = CheckedData(
        rows,
        ranks.rows,
        "item",
        rows.by_judge("scores", "kappa", criterion=key),
        rows.by_judge("scores", "accuracy_highest", criterion=key),
    )
    answer = verdict(ranks, "predicts human preferences best", metric, unit="item", noun="system")
    if ranks.names and ranks.names[0] in unbeaten:
        answer = answer.removesuffix(".") + f"; it is not significantly better than the baseline {baseline}."
    lead = ranks.leaders[0] if ranks.names else ""
    return Summary(
        "Predicted preferences",
        counts_text(rows, "items", "criteria", "systems"),
        answer,
        "leaderboard",
        SummaryTable(table, columns, "system"),
        [*ranking_findings(ranks, metric), *_by_criterion(parts, rows)],
        caution_sentences(cautions(data)),
        steps(
            f"Choose {lead}" if len(ranks.names) > 1 and ranks.tied == [lead] and lead not in unbeaten else None,
            sample_size(ranks, "items"),
            _errors_to_read(ranks) if len(by_criterion) < 2 else None,  # noqa: PLR2004
        ),
        gate_sentences(rows, "accuracy", scores(systems, metric).values()),
    )


def _with_baseline(
    names: Mapping[str, TableRow], of: Mapping[str, TableRow], best: str, baseline: str, rows: ReportRows
) -> dict[str, Score]:
    """The scores of systems, and that of the best baseline under its name for readers."""
    metric = rows.metric("accuracy")
    found = {name: score(of.get(name, names[name]), metric) for name in names if not name.startswith(BASELINE_PREFIX)}
    return found | ({baseline: score(of[best], metric)} if best in of else {})


def _by_criterion(parts: list[TableRow], rows: ReportRows) -> list[Sentence]:
    """The significant differences of two systems by criterion."""
    pairs = {frozenset((row["first"], row["second"])) for row in parts}
    if len(pairs) != 1:
        return []
    metric = rows.metric("accuracy")
    better = {
        row["criterion"].replace("_", " "): (row["second"] if row["value"] > 0 else row["first"], abs(row["value"]))
        for row in parts
    }
    texts = [f"{criterion} +{100 * size:.1f}\N{NO-BREAK SPACE}pp" for criterion, (_, size) in better.items()]
    winners = list(dict.fromkeys(name for name, _ in better.values()))
    if len(winners) > 1 or not metric.percent:
        return [Sentence(f"Criteria with a significant difference: {listed_names(better)}")]
    return [Sentence(f"{winners[0]} is significantly better by criterion: {listed_names(texts)}", "better")]


MATCHES = {"std": "standard", "ha": "human-aligned", "overlap": "overlap alone"}


def violations(rows: ReportRows) -> Summary:
    """Checkers against true violations."""
    report, spec = rows.report, rows.metric("match_score")
    found = rows.rows("scores", average="micro")
    variants = [one for one in dict.fromkeys(row["variant"] for row in found) if one in ("std", "ha")]
    variants = variants or list(dict.fromkeys(row["variant"] for row in found))[:1]
    held = {row["metric"] for row in found if row["variant"] in variants}
    main = (
        "match_score"
        if "match_score" in held
        else next(iter(name for name in ("partial_f1", "f1") if name in held), "f1")
    )
    spec = rows.metric(main)
    keys = {"variant": variants[0], "average": "micro"}
    ranks = ranking(
        rows.by_judge("scores", main, **keys), rows.rows("differences", metric=main, **keys), report.confidence
    )
    outcomes = {"missed": "false_negative", "false alarms": "false_positive"}
    shown = [name for name in (main, "f1", "precision", "recall") if name in held]
    cells: dict[str, dict[str, Score | int]] = {name: {} for name in (*shown, *outcomes)}
    table, labels = dict[str, str](), dict[str, str]()
    for variant in variants:
        head = MATCHES.get(variant, variant)
        if len(variants) > 1:
            table[head] = "heading"
        for name in ranks.rows:
            key = name if len(variants) == 1 else f"{head}, {name}"
            table[key], labels[key] = ranks.tone(name) if variant == variants[0] else "", name
            of = {row["metric"]: row for row in found if (row["checker"], row["variant"]) == (name, variant)}
            for one in dict.fromkeys(shown):
                cells[one][key] = score(of.get(one), rows.metric(one))
            for title, outcome in outcomes.items():
                counted = rows.rows("counts", checker=name, variant=variant, outcome=outcome)
                cells[title][key] = sum(row["count"] for row in counted)
    columns = [
        SummaryColumn(rows.metric(name).title, cells[name], "compact" if place < 2 else "value", 0 if place < 2 else 2)  # noqa: PLR2004
        for place, name in enumerate(dict.fromkeys(shown))
    ]
    columns += [SummaryColumn(title, cells[title], "count", 1) for title in outcomes]
    missed = {
        name: sum(
            row["count"] for row in rows.rows("counts", checker=name, variant=variants[0], outcome="false_negative")
        )
        for name in ranks.rows
    }
    most = max(missed, key=lambda name: missed[name], default="")
    named = f"{spec.title[0].lower()}{spec.title[1:]} "
    answer = verdict(ranks, f"has the highest {named.strip()}", spec, unit="true violation", noun="checker")
    return Summary(
        "Violation detection",
        counts_text(rows, "texts", "true violations", "checkers"),
        answer.removesuffix(".") + ("" if main == "f1" else _f1_clause(ranks, rows, keys)) + ".",
        "detection",
        SummaryTable(table, columns, "checker", labels=labels),
        list(ranking_findings(ranks, spec, named)),
        caution_sentences(
            cautions(
                CheckedData(
                    rows, ranks.rows, "true violation", clusters=None if rows.group else report.counts.get("texts")
                )
            )
        ),
        steps(
            sample_size(ranks, "texts"),
            f"Read the {count_of(missed[most], 'violation')} that {most} missed" if missed.get(most) else None,
        ),
        gate_sentences(rows, main, scores(ranks.rows, spec).values()),
    )


def _f1_clause(ranks: Ranking, rows: ReportRows, keys: Mapping[str, str]) -> str:
    """The checkers that are significantly better than the first one in F1, in which false alarms count."""
    tests = rows.rows("differences", metric="f1", **keys)
    by_f1 = ranking(rows.by_judge("scores", "f1", **keys), tests, rows.report.confidence)
    better = [name for name, beaten in by_f1.beaten.items() if ranks.names and ranks.names[0] in beaten]
    return f"; in F1, which counts false alarms, {listed_names(better)} is significantly better" if better else ""


def published_ranks(rows: ReportRows) -> Summary:
    """Systems by published values, whose differences are not tested."""
    borda = {row["system"]: row for row in rows.rows("ranks", metric="borda") if row["value"] is not None}
    mean = rows.by_judge("ranks", "mean_rank")
    ordered = sorted(borda, key=lambda name: -borda[name]["value"])
    points = {name: f"{borda[name]['value']:g}" for name in ordered}
    first = [name for name in ordered if borda[name]["value"] == borda[ordered[0]]["value"]]
    columns = [
        SummaryColumn("Borda points", points, "text"),
        SummaryColumn("Mean rank", {name: f"{mean[name]['value']:.2f}" for name in ordered if name in mean}, "text"),
    ]
    who = (
        f"{listed_names(first)} {'leads' if len(first) == 1 else 'lead'} with {points[first[0]]} Borda points"
        if first
        else "No system has a rank"
    )
    return Summary(
        "Systems ranked by published values",
        counts_text(rows),
        f"{who}; differences of published values are not tested.",
        "leaderboard",
        SummaryTable(dict.fromkeys(ordered, ""), columns, "system"),
        next=steps("Score the systems' predictions: tests need single items"),
    )


def judges(rows: ReportRows) -> Summary:
    """Judges by the first headline metric, in any other report."""
    about, report = rows.report.about, rows.report
    held = rows.rows(about.main)
    name = next((one.metric for one in about.answers), held[0].get("metric", ""))
    metric = rows.metric(name)
    tests = rows.rows("differences", metric=name)
    ranks = ranking(
        rows.by_judge(about.main, name) if name else {}, tests, report.confidence, better=metric.better or "high"
    )
    shown = scores(ranks.rows, metric)
    unit = about.items.removesuffix("s")
    return Summary(
        about.title,
        counts_text(rows),
        verdict(ranks, "scores highest", metric, unit=unit, noun=about.judge) if name else about.question,
        "forest",
        SummaryTable(tones(ranks), [SummaryColumn(metric.title, shown, "estimate"), count_column(shown)], about.judge),
        list(ranking_findings(ranks, metric)) if ranks.names else [],
        next=steps(sample_size(ranks, about.items) if ranks.names else None),
        gates=gate_sentences(rows, name, shown.values()),
    )
