"""Summaries of judges that are compared with a reference: reliability, preferences, violations, published ranks."""

from collections.abc import Iterator, Mapping

from adjudge.display_names import count_of, listed_names, short_name
from adjudge.metrics.row_selection import TableRow
from adjudge.render.numbers import NO_BREAK, inside
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable, stacked_tables
from adjudge.render.summary.sentences import (
    SummaryRows,
    abstention_columns,
    estimate_columns,
    read_step,
    separating_size,
    steps,
)
from adjudge.spec import BASELINE_PREFIX


def reliability(rows: SummaryRows) -> Summary:
    """Annotators against a reference."""
    ranks = rows.ranking("reliability", rows.by_judge("annotators", "reliability"))
    kappa, flags = (rows.by_judge("annotators", name) for name in ("kappa", "flag_mismatch"))
    overall = {row["metric"]: rows.score(row) for row in rows.rows("overall")}
    whole = {"pooled": overall["reliability"]} if "reliability" in overall else {}
    pooled = whole if len(ranks.rows) > 1 else {}
    columns = [
        *estimate_columns("Reliability", rows.scores(ranks.rows) | pooled),
        *abstention_columns(rows, ranks.rows),
        SummaryColumn("Cohen's kappa", rows.scores(kappa), drop=3),
        SummaryColumn("Flag mismatch", rows.scores(flags) | {"pooled": overall.get("flag_mismatch")}, drop=4),
    ]
    first = rows.report.outcomes.first
    references = {*first["reference"].drop_nulls()} if first.height else set()
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
        next=steps(separating_size(ranks, "items"), *reads),
        gates=rows.threshold("reliability", whole.values()),
    )


def preferences(rows: SummaryRows) -> Summary:
    """Systems that predict preferences, with the best baseline."""
    parts: dict[str, dict[str, TableRow]] = {}
    for row in rows.rows("scores", metric="accuracy"):
        parts.setdefault(row["criterion"], {})[row["system"]] = row
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
        next=steps(f"Choose {lead}" if clear else None, separating_size(ranks, "items")),
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
    tones = {one: ranks.tones if one == variants[0] else dict.fromkeys(ranks.rows, "") for one in variants}
    shown = [name for name in dict.fromkeys((main, "f1", "precision", "recall")) if name in names]
    columns = {one: _detection_columns(rows, one, shown, [*ranks.rows]) for one in variants}
    tables = {_MATCHES.get(one, one): SummaryTable(tones[one], columns[one], "checker") for one in variants}
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
        next=steps(separating_size(ranks, "texts"), f"Read the {wrong} of {most}" if wrong else None),
        gates=rows.threshold(f"{main}[variant={variants[0]}]", rows.scores(ranks.rows).values()),
    )


def _detection_columns(rows: SummaryRows, variant: str, shown: list[str], checkers: list[str]) -> list[SummaryColumn]:
    scores = [rows.scores(rows.by_judge("scores", one, variant=variant, average="micro")) for one in shown]
    titled = [*zip((rows.metric(one).title for one in shown), scores, strict=True)]
    errors = {title: _errors(rows, checkers, variant, outcome) for title, outcome in _OUTCOMES.items()}
    return [
        *(SummaryColumn(title, cells, "compact") for title, cells in titled[:2]),
        *(SummaryColumn(title, cells, "value", 2) for title, cells in titled[2:]),
        *(SummaryColumn(title, cells, "count", 1) for title, cells in errors.items()),
    ]


def _errors(rows: SummaryRows, checkers: list[str], variant: str, outcome: str) -> dict[str, int]:
    counts = rows.rows("counts", variant=variant, outcome=outcome)
    return {name: sum(row["count"] for row in counts if row["checker"] == name) for name in checkers}


def published_ranks(rows: SummaryRows) -> Summary:
    """Systems by published values, whose differences are not tested."""
    borda = {row["system"]: row["value"] for row in rows.rows("ranks", metric="borda") if row["value"] is not None}
    points = {name: f"{borda[name]:g}" for name in sorted(borda, key=lambda name: -borda[name])}
    best = next(iter(points.values()), "")
    first = [name for name in points if points[name] == best]
    lead = f"{listed_names(first)} lead{'s' * (len(first) == 1)} with {best} Borda points" if first else "None"
    mean = {name: row["value"] for name, row in rows.by_judge("ranks", "mean_rank").items() if name in borda}
    columns = [
        SummaryColumn("Borda points", points, "text"),
        SummaryColumn("Mean rank", {name: f"{value:.2f}" for name, value in mean.items()}, "text"),
    ]
    return Summary(
        context=rows.counts(),
        verdict=f"{lead}; differences of published values are not tested.",
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
        table=SummaryTable(ranks.tones, estimate_columns(rows.metric(name).title, scores), about.judge),
        findings=[*map(Sentence, rows.report.notes), *rows.findings(ranks)],
        next=steps(separating_size(ranks, about.items)),
        gates=rows.threshold(name, scores.values()),
    )
