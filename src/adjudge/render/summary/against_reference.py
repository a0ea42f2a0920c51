"""Summaries of judges that are compared with a reference: reliability, preferences, violations, published ranks."""

from collections import Counter
from collections.abc import Iterator, Mapping

from adjudge.display_names import listed_names, short_name
from adjudge.metrics.row_selection import TableRow
from adjudge.render.numbers import NO_BREAK, inside
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import PAIR, SummaryRows, estimate_columns, read_step, separating_size, steps
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
        SummaryColumn("Cohen's kappa", rows.scores(kappa), drop=3),
        SummaryColumn("Flag mismatch", rows.scores(flags) | {"pooled": overall.get("flag_mismatch")}, drop=4),
    ]
    first = rows.report.outcomes.first
    references = {*first["reference"].drop_nulls()} if first.height else set()
    reference = rows.name(*references) if len(references) == 1 else "the reference"
    lowest = {name: ranks.rows[name] for name in ranks.names[-1:]}
    errors = {name: round((1 - row["value"]) * row["n"]) for name, row in lowest.items()}
    return Summary(
        f"Annotator reliability (accuracy) against {reference}",
        rows.counts("items", "annotators", "judgments"),
        rows.verdict(ranks, "scores highest", "item"),
        "forest",
        SummaryTable(ranks.tones | dict.fromkeys(pooled, "pooled"), columns, "annotator"),
        [*rows.findings(ranks)],
        rows.cautions(ranks.rows, "item", kappa=kappa),
        steps(separating_size(ranks, "items"), *(read_step(errors[name], "error", f"of {name}") for name in errors)),
        rows.threshold("reliability", whole.values()),
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

    heats = {name: {row: one.coarse for row, one in scores(part).items()} for name, part in parts.items()}
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
        "Predicted preferences",
        rows.counts("items", "criteria", "systems"),
        f"{answer}.",
        "leaderboard",
        SummaryTable(table, columns, "system"),
        [*rows.findings(ranks), *_differences_by_criterion(rows, key)],
        rows.cautions(ranks.rows, "item", kappa=kappa, at_most=most),
        steps(f"Choose {lead}" if clear else None, separating_size(ranks, "items")),
        rows.threshold("accuracy", rows.scores(systems).values()),
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
    scores = {(row["variant"], row["checker"], row["metric"]): row for row in rows.rows("scores", average="micro")}
    every = list(dict.fromkeys(variant for variant, *_ in scores))
    variants = [one for one in every if one != "overlap"] or every
    names = {metric for variant, _, metric in scores if variant in variants}
    main = next((one for one in ("match_score", "f1", "partial_f1") if one in names), "f1")
    keys = {"variant": variants[0], "average": "micro"}
    ranks, by_f1 = (rows.ranking(one, rows.by_judge("scores", one, **keys), **keys) for one in (main, "f1"))
    counts = Counter[tuple[str, str, str]]()
    for row in rows.rows("counts"):
        counts[row["variant"], row["checker"], row["outcome"]] += row["count"]
    table, places = dict[str, str](), dict[str, tuple[str, str]]()
    for variant in variants:
        head = _MATCHES.get(variant, variant)
        table |= {head: "heading"} if len(variants) > 1 else {}
        for name, tone in ranks.tones.items():
            place = name if len(variants) == 1 else f"{head}, {name}"
            table[place], places[place] = tone if variant == variants[0] else "", (variant, name)
    columns = []
    for one in [name for name in dict.fromkeys((main, "f1", "precision", "recall")) if name in names]:
        cells = rows.scores({place: scores.get((*key, one)) for place, key in places.items()})
        few = len(columns) < PAIR
        columns.append(SummaryColumn(rows.metric(one).title, cells, "compact" if few else "value", 0 if few else 2))
    for one, outcome in _OUTCOMES.items():
        columns.append(SummaryColumn(one, {place: counts[*key, outcome] for place, key in places.items()}, "count", 1))
    title = inside(rows.metric(main).title)
    answer = rows.verdict(ranks, f"has the highest {title}", "true violation")
    better = [name for name, beaten in by_f1.beaten.items() if main != "f1" and beaten & {*ranks.names[:1]}]
    if better:
        answer = f"{answer[:-1]}; in F1, which counts false alarms, {listed_names(better)} is significantly better."
    missed = {name: counts[variants[0], name, "false_negative"] for name in ranks.rows}
    most = max(missed, key=missed.__getitem__, default="")
    return Summary(
        "Violation detection",
        rows.counts("texts", "true violations", "checkers"),
        answer,
        "detection",
        SummaryTable(table, columns, "checker", labels={place: name for place, (_, name) in places.items()}),
        [*rows.findings(ranks, f"{title} ")],
        rows.cautions(ranks.rows, "true violation", clusters=None if rows.group else rows.report.counts.get("texts")),
        steps(separating_size(ranks, "texts"), read_step(missed.get(most, 0), "violation", f"that {most} missed")),
        rows.threshold(f"{main}[variant={variants[0]}]", rows.scores(ranks.rows).values()),
    )


def published_ranks(rows: SummaryRows) -> Summary:
    """Systems by published values, whose differences are not tested."""
    borda = {row["system"]: row["value"] for row in rows.rows("ranks", metric="borda") if row["value"] is not None}
    order, means = sorted(borda, key=lambda name: -borda[name]), rows.by_judge("ranks", "mean_rank")
    points = {name: f"{borda[name]:g}" for name in order}
    first = [name for name in order if points[name] == points[order[0]]]
    lead = (
        f"{listed_names(first)} lead{'s' * (len(first) == 1)} with {points[order[0]]} Borda points" if order else "None"
    )
    columns = [
        SummaryColumn("Borda points", points, "text"),
        SummaryColumn(
            "Mean rank", {name: f"{row['value']:.2f}" for name, row in means.items() if name in borda}, "text"
        ),
    ]
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
    ranks = rows.ranking(name, rows.by_judge(about.main, name))
    scores = rows.scores(ranks.rows)
    return Summary(
        about.title,
        rows.counts(),
        rows.verdict(ranks, "scores highest", about.items.removesuffix("s")),
        "forest",
        SummaryTable(ranks.tones, estimate_columns(rows.metric(name).title, scores), about.judge),
        [*map(Sentence, rows.report.notes), *rows.findings(ranks)],
        next=steps(separating_size(ranks, about.items)),
        gates=rows.threshold(name, scores.values()),
    )
