"""Summaries of judges that are compared with a reference: reliability, preferences, violations, published ranks."""

from collections.abc import Mapping, Sequence

from adjudge.display_names import count_of, listed_names, short_name
from adjudge.metrics.ranking import Ranking
from adjudge.metrics.row_selection import TableRow
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import NO_BREAK, Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import SummaryRows, estimate_columns, steps
from adjudge.spec import BASELINE_PREFIX


def tones(ranks: Ranking) -> dict[str, str]:
    """The judges, the best first, with their tones."""
    return {name: ranks.tone(name) for name in ranks.rows}


def reliability(rows: SummaryRows) -> Summary:
    """Annotators against a reference."""
    metric = rows.metric("reliability")
    ranks = rows.ranking("reliability", rows.by_judge("annotators", "reliability"))
    kappa, flags = (rows.by_judge("annotators", name) for name in ("kappa", "flag_mismatch"))
    overall = {row["metric"]: rows.score(row) for row in rows.rows("overall")}
    pooled = {"pooled": overall["reliability"]} if len(ranks.rows) > 1 and "reliability" in overall else {}
    shown = rows.scores(ranks.rows) | pooled
    columns = [
        *estimate_columns("Reliability", shown),
        SummaryColumn("Cohen's kappa", rows.scores(kappa), drop=3),
        SummaryColumn("Flag mismatch", rows.scores(flags) | {"pooled": overall.get("flag_mismatch")}, drop=4),
    ]
    first = rows.report.outcomes.first
    references = {*first["reference"].drop_nulls()} if first.height else set()
    reference = rows.name(references.pop()) if len(references) == 1 else "the reference"
    return Summary(
        f"Annotator reliability (accuracy) against {reference}",
        rows.counts("items", "annotators", "judgments") + _without_label(rows, overall.get("reliability")),
        sentences.verdict(rows, ranks, "scores highest", metric, unit="item"),
        "forest",
        SummaryTable(tones(ranks) | dict.fromkeys(pooled, "pooled"), columns, "annotator"),
        list(sentences.ranking_findings(ranks, metric, unit="item")),
        rows.cautions(ranks.rows, "item", kappa=kappa),
        steps(sentences.sample_size(ranks, "items"), _errors_to_read(ranks)),
        sentences.gate_sentences(rows, "reliability", [one for name, one in overall.items() if name == "reliability"]),
    )


def _without_label(rows: SummaryRows, pooled: Score | None) -> str:
    """The number of labels that are not compared, as flagged items have none."""
    rest = 0 if pooled is None or rows.group else rows.report.counts.get("judgments", 0) - pooled.n
    return f" ({rest:,} flagged or missing)" if rest > 0 and pooled and pooled.n else ""


def _errors_to_read(ranks: Ranking) -> str | None:
    """The errors of the judge with the lowest accuracy."""
    if not ranks.names:
        return None
    lowest = ranks.rows[ranks.names[-1]]
    wrong = round((1 - lowest["value"]) * lowest["n"])
    return f"Read the {count_of(wrong, 'error')} of {ranks.names[-1]}" if wrong else None


def preferences(rows: SummaryRows) -> Summary:
    """Systems that predict preferences, with the best baseline."""
    metric = rows.metric("accuracy")
    parts: dict[str, dict[str, TableRow]] = {}
    for row in rows.rows("scores", metric="accuracy"):
        parts.setdefault(row["criterion"], {})[row["system"]] = row
    mean = parts.pop("average", None) or next(iter(parts.values()))
    key = next(iter(mean.values()))["criterion"]
    baselines = {name: row for name, row in mean.items() if name.startswith(BASELINE_PREFIX)}
    refused = rows.by_judge("leaderboard", "accuracy", criterion=key)
    systems = {name: row for name, row in (refused | mean).items() if name not in baselines}
    ranks = rows.ranking("accuracy", systems, compared="systems", criterion=key)
    best = max(baselines, key=lambda name: baselines[name]["value"] or 0.0, default="")
    baseline = best.removeprefix(BASELINE_PREFIX) + " (baseline)" * (best.removeprefix(BASELINE_PREFIX) in systems)
    table = tones(ranks) | ({baseline: "baseline"} if best else {})

    def column(part: Mapping[str, TableRow]) -> dict[str, Score]:
        return rows.scores({name: part.get(best if name == baseline else name) for name in table})

    columns = [SummaryColumn("Accuracy", column(systems | mean), "estimate")]
    for criterion, part in parts.items() if len(parts) > 1 else ():
        cells = {name: one.coarse for name, one in column(part).items()}
        columns.append(SummaryColumn(_criterion(criterion).removesuffix(" quality"), cells, "heat", 3))
    columns.append(SummaryColumn("rank", {name: sentences.rank_text(ranks, name) for name in systems}, "text", 4))
    against = rows.rows("differences", compared="baselines", metric="accuracy", criterion=key, first=best)
    beating = {row["second"] for row in against if rows.significant(row) and row["value"] > 0}
    lead = ranks.leaders[0] if ranks.names else ""
    unbeaten = bool(best and lead) and lead not in beating
    answer = sentences.verdict(rows, ranks, "predicts human preferences best", metric, unit="item").removesuffix(".")
    answer += f"; {lead} is not significantly better than the baseline {baseline}." if unbeaten else "."
    kappa, most = (rows.by_judge("scores", name, criterion=key) for name in ("kappa", "accuracy_highest"))
    tests = [row for row in rows.rows("differences", compared="systems", metric="accuracy") if row["criterion"] != key]
    return Summary(
        "Predicted preferences",
        rows.counts("items", "criteria", "systems"),
        answer,
        "leaderboard",
        SummaryTable(table, columns, "system"),
        [*sentences.ranking_findings(ranks, metric), *_by_criterion([row for row in tests if rows.significant(row)])],
        rows.cautions(ranks.rows, "item", kappa=kappa, at_most=most),
        steps(
            f"Choose {lead}"
            if len(ranks.names) > 1 and {*ranks.names} <= {lead} | ranks.beaten[lead] and not unbeaten
            else None,
            sentences.sample_size(ranks, "items"),
        ),
        sentences.gate_sentences(rows, "accuracy", rows.scores(systems).values()),
    )


def _criterion(name: str) -> str:
    return short_name(name.replace("_", " "))


def _by_criterion(tests: Sequence[TableRow]) -> list[Sentence]:
    """The significant differences of two systems by criterion, the largest first."""
    better: dict[str, list[str]] = {}
    for row in sorted(tests, key=lambda row: -abs(row["value"])):
        name = row["second"] if row["value"] > 0 else row["first"]
        better.setdefault(name, []).append(f"{_criterion(row['criterion'])} +{100 * abs(row['value']):.1f}{NO_BREAK}pp")
    if len({frozenset((row["first"], row["second"])) for row in tests}) != 1:
        return []
    texts = (f"{name} is significantly better by criterion: {listed_names(one)}" for name, one in better.items())
    return [Sentence(text, "better") for text in texts]


_MATCHES = {"std": "standard", "ha": "human-aligned", "overlap": "overlap alone"}
_OUTCOMES = {"missed": "false_negative", "false alarms": "false_positive"}


def violations(rows: SummaryRows) -> Summary:
    """Checkers against true violations, by each way of matching."""
    every = rows.rows("scores", average="micro")
    variants = list(dict.fromkeys(row["variant"] for row in every))
    variants = [one for one in variants if one != "overlap"] or variants
    names = {row["metric"] for row in every if row["variant"] in variants}
    main = next((one for one in ("match_score", "f1", "partial_f1") if one in names), "f1")
    spec, keys = rows.metric(main), {"variant": variants[0], "average": "micro"}
    ranks, by_f1 = (rows.ranking(one, rows.by_judge("scores", one, **keys), **keys) for one in (main, "f1"))
    shown = [one for one in dict.fromkeys((main, "f1", "precision", "recall")) if one in names]
    by_place = {(row["checker"], row["variant"], row["metric"]): row for row in every}
    cells: dict[str, dict[str, Score | int]] = {name: {} for name in (*shown, *_OUTCOMES)}
    table, labels = dict[str, str](), dict[str, str]()
    for variant in variants:
        head = _MATCHES.get(variant, variant)
        table |= {head: "heading"} if len(variants) > 1 else {}
        for name in ranks.rows:
            place = name if len(variants) == 1 else f"{head}, {name}"
            table[place], labels[place] = ranks.tone(name) if variant == variants[0] else "", name
            for one in shown:
                cells[one][place] = rows.score(by_place.get((name, variant, one)))
            for title, outcome in _OUTCOMES.items():
                counts = rows.rows("counts", checker=name, variant=variant, outcome=outcome)
                cells[title][place] = sum(row["count"] for row in counts)
    columns = [SummaryColumn(rows.metric(name).title, cells[name], "compact") for name in shown[:2]]
    columns += [SummaryColumn(rows.metric(name).title, cells[name], "value", 2) for name in shown[2:]]
    columns += [SummaryColumn(title, cells[title], "count", 1) for title in _OUTCOMES]
    first = [*labels][: len(ranks.rows)]
    errors = {labels[place]: [int(str(cells[title][place])) for title in _OUTCOMES] for place in first}
    named = f"{spec.title[0].lower()}{spec.title[1:]}"
    heads = [f"{_MATCHES.get(one, one)} " if len(variants) > 1 else "" for one in variants]
    answer = sentences.verdict(rows, ranks, f"has the highest {named}", spec, unit="true violation")
    better = [name for name, beaten in by_f1.beaten.items() if beaten & {*ranks.names[:1]}]
    if better and main != "f1":
        answer = f"{answer[:-1]}; in F1, which counts false alarms, {listed_names(better)} is significantly better."
    texts = None if rows.group else rows.report.counts.get("texts")
    return Summary(
        "Violation detection",
        rows.counts("texts", "true violations", "checkers"),
        answer,
        "detection",
        SummaryTable(table, columns, "checker", labels=labels),
        list(sentences.ranking_findings(ranks, spec, f"{heads[0]}{named} ")),
        rows.cautions(ranks.rows, "true violation", clusters=texts, cluster="text"),
        steps(sentences.sample_size(ranks, "texts"), _errors_of_checker(errors)),
        sentences.gate_sentences(rows, f"{main}[variant={variants[0]}]", rows.scores(ranks.rows).values()),
    )


def _errors_of_checker(errors: Mapping[str, Sequence[int]]) -> str | None:
    """The errors of the checker with most. errors: checker -> its missed violations and false alarms."""
    most = max(errors, key=lambda name: sum(errors[name]), default="")
    if not sum(errors.get(most, ())):
        return None
    missed, false = errors[most]
    parts = [count_of(missed, "missed violation")] * bool(missed) + [count_of(false, "false alarm")] * bool(false)
    return f"Read the {' and '.join(parts)} of {most}"


def published_ranks(rows: SummaryRows) -> Summary:
    """Systems by published values, whose differences are not tested."""
    borda = {row["system"]: row for row in rows.rows("ranks", metric="borda") if row["value"] is not None}
    mean = {name: row for name, row in rows.by_judge("ranks", "mean_rank").items() if name in borda}
    order = sorted(borda, key=lambda name: -borda[name]["value"])
    points = {name: f"{borda[name]['value']:g}" for name in order}
    first = [name for name in order if points[name] == points[order[0]]]
    columns = [
        SummaryColumn("Borda points", points, "text"),
        SummaryColumn("Mean rank", {name: f"{row['value']:.2f}" for name, row in mean.items()}, "text"),
    ]
    lead = (
        f"{listed_names(first)} lead{'s' * (len(first) == 1)} with {points[first[0]]} Borda points" if first else "None"
    )
    return Summary(
        "Systems ranked by published values",
        rows.counts(),
        f"{lead}; differences of published values are not tested.",
        "leaderboard",
        SummaryTable(dict.fromkeys(order, ""), columns, "system"),
        next=steps("Score the systems' predictions: tests need single items"),
    )


def judges(rows: SummaryRows) -> Summary:
    """Judges by the first headline metric, in any other report."""
    about = rows.report.about
    name = next((one.metric for one in about.answers), "")
    metric, ranks = rows.metric(name), rows.ranking(name, rows.by_judge(about.main, name))
    return Summary(
        about.title,
        rows.counts(),
        sentences.verdict(rows, ranks, "scores highest", metric, unit=about.items.removesuffix("s")),
        "forest",
        SummaryTable(tones(ranks), estimate_columns(metric.title, rows.scores(ranks.rows)), about.judge),
        [*map(Sentence, rows.report.notes), *sentences.ranking_findings(ranks, metric)],
        next=steps(sentences.sample_size(ranks, about.items)),
        gates=sentences.gate_sentences(rows, name, rows.scores(ranks.rows).values()),
    )
