"""From answers to the tables of the report."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from karat.errors import OptionError
from karat.estimate import Estimate
from karat.evaluations import scoring
from karat.evaluations.rag import EVALUATION
from karat.evaluations.rag.counts import Shares, paired, shares
from karat.evaluations.rag.scorers.benchmark import benchmark
from karat.evaluations.rag.scorers.document import document
from karat.evaluations.rag.scorers.strict import strict
from karat.evaluations.scoring import FIRST_ITEMS, Inputs, Options, Step, Texts, examples_of, input_of, sampled
from karat.formats import answers as reader
from karat.formats.answer_verdicts import read_answer_verdicts
from karat.formats.published import read_published
from karat.formats.source import sources
from karat.report import FIGURE, Input, cut, figure_table, typed_table
from karat.schemas.answers import ABILITIES, ANSWERS, VERDICTS, Answers
from karat.schemas.clusters import column_of, named_cluster, shared_cluster
from karat.schemas.columns import mapped_columns
from karat.schemas.outcomes import outcomes_frame
from karat.statistics import (
    ClusteredCells,
    Comparison,
    clustered_paired_difference,
    cohen_kappa,
    holm,
    paired_difference,
    paired_t,
)
from karat.text.folding import fold

Scorer = Callable[[pl.DataFrame], pl.DataFrame]

STRICT, DOCUMENT, BENCHMARK, JUDGE = "strict", "document", "benchmark", "judge"
SCORERS: dict[str, Scorer] = {STRICT: strict, DOCUMENT: document, BENCHMARK: benchmark}
BATCH = 50_000
"""Answers that are scored at once, by each processor."""

NOISE, REJECTION, INTEGRATION, COUNTERFACTUAL = (
    "noise_robustness",
    "negative_rejection",
    "information_integration",
    "counterfactual_robustness",
)
LIED = "lied"
"""Names the column that says whether documents say something false of what is asked."""
CLOSED = "closed_book"
"""The part of outcomes of answers that were given without documents."""

TESTED = (*FIGURE, "p", "p_adjusted")
_PLACE = "__place__"
TAKEN = frozenset({*ANSWERS, *VERDICTS, "given", LIED, "scorer", "verdict", "other_scorer", _PLACE})
"""Names of columns that no `by` column can bear, beside those that no evaluation allows."""


ITEM = None


def check(_: Mapping[str, Any], options: Options) -> None:
    """Raises OptionError for columns that Karat does not know, and for an option of another scorer."""
    _reading(options)
    if options["exact"] and options["scorer"] not in {DOCUMENT, "all"}:
        raise OptionError(f"exact: concerns the scorer document; the scorer is {options['scorer']}")


def _reading(options: Options) -> reader.Options:
    return reader.Options(
        columns=mapped_columns(options["columns"], reader.KNOWN_COLUMNS),
        by=options["by"],
        cluster=column_of(options["cluster"]),
        model=options["model"],
        drop=options["on_invalid"] == "drop",
    )


def read(inputs: Inputs, options: Options) -> list[Answers]:
    """The answers in each file."""
    reading = _reading(options)
    return [reader.read_answers(source, reading) for source in inputs["answers"]]


def texts(read: Sequence[Answers], rows: Sequence[scoring.Row]) -> list[Texts]:
    """What a model answered: one response where a row names the draw, else those of all draws."""
    known: dict[tuple[Any, ...], list[tuple[str | None, str]]] = {}
    asked = pl.col("id").is_in([row["item"] for row in rows]) & (pl.col("response") != "")
    for answer in reader.together(read).filter(asked).iter_rows(named=True):
        part = CLOSED if answer["closed"] else answer["ability"]
        key = (answer["id"], answer["model"], part, answer["noise_ratio"])
        known.setdefault(key, []).append((answer["draw"], cut(answer["response"])))
    found = []
    for row in rows:
        draws = known.get((row["item"], row["judge"], row.get("part") or row.get("ability"), row["noise_ratio"]), [])
        found.append(_numbered("response", [text for draw, text in draws if row.get("draw", draw) == draw]))
    return found


def _numbered(name: str, texts: Sequence[str]) -> Texts:
    """Texts under a name, with a number where there are several."""
    if len(texts) == 1:
        return {name: texts[0]}
    return {f"{name} {number}": text for number, text in enumerate(texts, 1)}


def score(read: Sequence[Answers], inputs: Inputs, options: Options, step: Step) -> scoring.Scored:
    """Models against true answers, by each scorer."""
    by = options["by"]
    with step("reading"):
        frame = reader.together(read)
        judged, judged_inputs, told = _judged(frame, options)
        published, published_inputs = _published(options)
    with step("scoring"):
        names = list(SCORERS) if options["scorer"] == "all" else [options["scorer"]]
        made: dict[str, Scorer] = {**SCORERS, DOCUMENT: partial(document, exact=options["exact"])}
        found = {name: verdicts(frame, made[name]) for name in names} | judged
    with step("counting"):
        data = scored(frame, found, by=by, confidence=options["confidence"])
        tables = tables_of(data)
        if published is not None:
            tables["published"] = beside_published(tables["scores"], published, by)
    rows = frame.height * len(found)
    sample = sampled(outcomes(data), rows, options["seed"]).filter(pl.col("scorer").cast(pl.String) == names[0])
    own = [input_of(source, file.rows) for source, file in zip(inputs["answers"], read, strict=True)]
    return scoring.Scored(
        inputs=[*own, *judged_inputs, *published_inputs],
        tables=tables,
        outcomes=outcomes(data),
        first=outcomes(data, FIRST_ITEMS).head(FIRST_ITEMS),
        rows=rows,
        examples=examples_of(sample, list(EVALUATION.outcomes), partial(texts, read), [LIED]),
        counts=counts_of(data),
        warnings=[*(warning for file in read for warning in file.warnings), *told],
        notes=notes_of(data),
    )


def _judged(answers: pl.DataFrame, options: Options) -> tuple[dict[str, pl.DataFrame], list[Input], list[str]]:
    """A judge's verdicts, the file that holds them, and warnings."""
    if options["verdicts"] is None:
        return {}, [], []
    (source,) = sources([options["verdicts"]])
    found, rows, told = read_answer_verdicts(source, answers)
    return {JUDGE: found}, [input_of(source, rows)], told


def _published(options: Options) -> tuple[pl.DataFrame | None, list[Input]]:
    """Published results, and the file that holds them."""
    if options["published"] is None:
        return None, []
    (source,) = sources([options["published"]])
    found = read_published(source, METRICS)
    return found, [input_of(source, found.height)]


@dataclass(frozen=True, eq=False)
class Scored:
    """All that tables are made of.

    answers: id, ability, model, noise_ratio, draw, response, closed, cluster, `by` columns, given (whether there is a
    response), truth (what the true answer is, in words) and lied (whether documents say something false).
    verdicts: scorer -> its verdicts, row by row.
    """

    answers: pl.DataFrame
    verdicts: dict[str, pl.DataFrame]
    by: tuple[str, ...]
    confidence: float

    @property
    def clustered(self) -> bool:
        """Whether it is said what questions come from."""
        return self.answers["cluster"].null_count() < self.answers.height

    def of(self, scorer: str) -> pl.DataFrame:
        """Answers with the verdicts of a scorer."""
        return pl.concat([self.answers, self.verdicts[scorer]], how="horizontal")


def verdicts(answers: pl.DataFrame, scorer: Scorer) -> pl.DataFrame:
    """The verdicts of a scorer, batch by batch."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return pl.concat(list(pool.map(scorer, answers.iter_slices(BATCH))))


def scored(
    frame: pl.DataFrame,
    found: dict[str, pl.DataFrame],
    *,
    by: Sequence[str],
    confidence: float,
) -> Scored:
    """Answers with the verdicts of all scorers. frame: see karat.schemas.answers. found: scorer -> verdicts.

    A question that no cluster is said of, where clusters are, is one of its own.
    """
    if frame["cluster"].null_count() < frame.height:
        frame = frame.with_columns(named_cluster(pl.col("cluster"), pl.col("id")).alias("cluster"))
    aliases = pl.element().list.join(" or ")
    truth = pl.col("slots").list.eval(aliases).list.join("; ")
    ability = pl.col("ability").cast(pl.Enum(ABILITIES))  # so that they sort in this order
    answers = frame.with_columns(
        ability, _given(frame["response"]), truth.alias("truth"), pl.col("false").is_not_null().alias(LIED)
    ).drop("slots", "false")
    return Scored(answers, found, tuple(by), confidence)


def _given(responses: pl.Series) -> pl.Series:
    """Whether each response says anything: one of white space, marks of markdown or the like says as little as none."""
    texts = responses.fill_null("")
    wordless = ~texts.str.contains(r"[\p{L}\p{N}]")
    return (~wordless).scatter(wordless.arg_true(), fold(texts.filter(wordless)) != "").alias("given")


# --- figures ---

METRICS = tuple(name for name in EVALUATION.metrics if name not in {"kappa", "published"})
"""The metrics of the table scores."""

_CORRECT, _REJECTED = pl.col("correct"), pl.col("rejected")
_DETECTED, _CORRECTED = pl.col("error_detected"), pl.col("error_corrected")
NO_ANSWER = "no answer with a true answer to compare with"
NO_LIE = "no answer with a counterfactual to compare with"


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure as a mean over questions: of what, among which answers, and why it is undefined without any."""

    holds: pl.Expr
    among: pl.Expr
    reason: str = "no answer"


BOUNDS = {"_lowest": False, "_highest": True}
"""What is behind the names of figures as they would be if all missing answers were bad, or good."""


def _is_bound(metric: str) -> bool:
    return metric.endswith(tuple(BOUNDS))


def _figures(ability: str, scorer: str) -> dict[str, _Figure]:
    """The figures of an ability by a scorer. strict and judge speak of answers given; the others of all."""
    given, every = pl.col("given"), pl.lit(value=True)
    lies = _DETECTED.is_not_null() | pl.col(LIED)
    found = {"accuracy": (_CORRECT, _CORRECT.is_not_null() | pl.col("truth").is_not_null(), NO_ANSWER)}
    if ability == REJECTION:
        found = {"rejection_rate": (_REJECTED, every, "no answer")}
    elif ability == COUNTERFACTUAL:
        found["error_detection_rate"] = (_DETECTED, lies, NO_LIE)
        found["error_correction_rate"] = (_CORRECTED, lies, NO_LIE)
    figures: dict[str, _Figure] = {}
    for name, (holds, possible, reason) in found.items():
        figures[name] = _Figure(holds, holds.is_not_null(), reason)
        if scorer in {STRICT, JUDGE}:
            for end, value in BOUNDS.items():
                figures[name + end] = _Figure(holds.fill_null(value=value), possible, reason)
    if ability == REJECTION and scorer == BENCHMARK:
        figures["all_rate"] = _Figure(_REJECTED | _CORRECT.fill_null(value=False), _REJECTED.is_not_null())
    if ability == COUNTERFACTUAL:
        figures["error_correction_rate_detected"] = _Figure(
            _CORRECTED, _DETECTED & _CORRECTED.is_not_null(), "no error is detected"
        )
    return {**figures, "missing": _Figure(~given, every)}


def _shares(answers: pl.DataFrame, figure: _Figure) -> Shares:
    return shares(answers, figure.holds, figure.among)


def tables_of(data: Scored) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    keys = [*data.by, "model", "ability", "noise_ratio", "scorer"]
    scores = figure_table(keys, _score_rows(data), numbers=["noise_ratio"])
    tables = {
        "scores": scores,
        "differences": typed_table(
            list(_difference_rows(data)),
            ["compared", *keys[:-2], "noise_ratio", "scorer", "first", "second", *TESTED],
            numbers=["noise_ratio"],
        ),
        "outcomes": _outcome_counts(data),
    }
    if len(data.verdicts) > 1:
        tables["agreement"] = figure_table(["ability", "verdict", "first", "second"], _agreement_rows(data))
        tables["disagreement"] = _disagreement(data)
    return tables


def _parts(answers: pl.DataFrame, keys: Sequence[str]) -> Iterator[tuple[dict[str, str | float | None], pl.DataFrame]]:
    """The answers by the values of keys, in their order."""
    order = answers.select(keys).unique().sort(keys, nulls_last=False)
    for row in order.iter_rows(named=True):
        yield row, answers.filter(pl.all_horizontal(pl.col(name).eq_missing(value) for name, value in row.items()))


def _score_rows(data: Scored) -> Iterator[tuple[dict[str, str | float | None], str, Estimate]]:
    missing = not data.answers["given"].all()
    for scorer in data.verdicts:
        answers = data.of(scorer)
        closed = pl.col("closed").fill_null(value=False)
        for keys, part in _parts(answers.filter(~closed), [*data.by, "model", "ability", "noise_ratio"]):
            for metric, figure in _figures(str(keys["ability"]), scorer).items():
                if missing or not _is_bound(metric):
                    yield {**keys, "scorer": scorer}, metric, _shares(part, figure).mean(figure.reason, data.confidence)
        for keys, part in _parts(answers.filter(closed), [*data.by, "model", "ability"]):
            estimate = _shares(part, _figures(NOISE, scorer)["accuracy"]).mean(NO_ANSWER, data.confidence)
            yield {**keys, "noise_ratio": None, "scorer": scorer}, "closed_book_accuracy", estimate
        noisy = answers.filter((pl.col("ability") == NOISE) & ~closed & pl.col("noise_ratio").is_not_null())
        for keys, part in _parts(noisy, [*data.by, "model", "ability"]):
            slope = _slope(part, data.confidence)
            if slope is not None:
                yield {**keys, "noise_ratio": None, "scorer": scorer}, "slope", slope.estimate


def _slope(answers: pl.DataFrame, confidence: float) -> Comparison | None:
    """How accuracy changes from no noise to noise alone; None with one noise ratio.

    The mean over questions, of those with an answer at every noise ratio, of the slope of a line through accuracies.
    """
    by_noise = (
        answers.filter(_CORRECT.is_not_null())
        .group_by("id", "noise_ratio")
        .agg(_CORRECT.cast(pl.Float64).mean(), pl.col("cluster").first())
    )
    levels = np.sort(by_noise["noise_ratio"].unique().to_numpy())
    if len(levels) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    whole = by_noise.filter(pl.len().over("id") == len(levels)).sort("id", "noise_ratio")
    values = whole["correct"].to_numpy().reshape(-1, len(levels))
    centred = levels - levels.mean()
    slopes = values @ centred / (centred @ centred)
    clusters = whole["cluster"].gather_every(len(levels))
    return _paired_t(slopes, None if clusters.null_count() else clusters, confidence)


def _paired_t(gaps: np.ndarray, clusters: pl.Series | None, confidence: float) -> Comparison:
    if clusters is None:
        return paired_t(gaps, confidence=confidence)
    _, places = np.unique(clusters.to_numpy(), return_inverse=True)
    return paired_t(np.bincount(places, gaps), totals=np.bincount(places), confidence=confidence)


# --- differences ---


def _difference(first: Shares, second: Shares, confidence: float) -> Comparison:
    """The mean of the first less that of the second on the questions that both have."""
    one, other, clusters = paired(first, second)
    if not len(one):
        return Comparison(Estimate.undefined("no question in common", confidence=confidence), None)
    gaps = one - other
    if not set(np.unique(gaps)) <= {-1.0, 0.0, 1.0} or ((one % 1) > 0).any():
        return _paired_t(gaps, clusters, confidence)
    if clusters is None:
        return paired_difference(int((gaps > 0).sum()), int((gaps < 0).sum()), len(gaps), confidence=confidence)
    _, places = np.unique(clusters.to_numpy(), return_inverse=True)
    counts = (np.bincount(places, mask) for mask in (gaps > 0, gaps < 0, np.ones(len(gaps))))
    return clustered_paired_difference(*counts, confidence=confidence)


def _difference_rows(data: Scored) -> Iterator[dict[str, object]]:
    for scorer in data.verdicts:
        answers = data.of(scorer).filter(~pl.col("closed").fill_null(value=False))
        yield from _from_no_noise(data, scorer, answers)
        yield from _between_models(data, scorer, answers)


def _from_no_noise(data: Scored, scorer: str, answers: pl.DataFrame) -> Iterator[dict[str, object]]:
    """The accuracy of each model at each noise ratio less that without noise, on the same questions."""
    figure = _figures(NOISE, scorer)["accuracy"]
    noisy = answers.filter((pl.col("ability") == NOISE) & pl.col("noise_ratio").is_not_null())
    for keys, part in _parts(noisy, [*data.by, "model", "ability"]):
        levels = part["noise_ratio"].unique().sort().to_list()
        if levels[0] != 0:
            continue
        base = _shares(part.filter(noise_ratio=0.0), figure)
        found = [
            _difference(_shares(part.filter(noise_ratio=level), figure), base, data.confidence) for level in levels[1:]
        ]
        names = [(f"noise {level:g}", "no noise") for level in levels[1:]]
        yield from _tested("noise", keys, scorer, "accuracy", list(zip(levels[1:], names, found, strict=True)))


def _between_models(data: Scored, scorer: str, answers: pl.DataFrame) -> Iterator[dict[str, object]]:
    """Every two models on the same questions."""
    for keys, part in _parts(answers, [*data.by, "ability", "noise_ratio"]):
        models = part["model"].unique().sort().to_list()
        for metric, figure in _figures(str(keys["ability"]), scorer).items():
            if metric == "missing" or _is_bound(metric):
                continue
            own = {name: _shares(part.filter(model=name), figure) for name in models}
            pairs = list(combinations(models, 2))
            found = [_difference(own[one], own[other], data.confidence) for one, other in pairs]
            rows = [(keys["noise_ratio"], pair, one) for pair, one in zip(pairs, found, strict=True)]
            yield from _tested("models", {**keys, "model": None}, scorer, metric, rows)


def _tested(
    kind: str,
    keys: Mapping[str, object],
    scorer: str,
    metric: str,
    rows: Sequence[tuple[object, tuple[str, str], Comparison]],
) -> Iterator[dict[str, object]]:
    """Comparisons as rows, their p adjusted together."""
    adjusted = holm([one.p for _, _, one in rows])
    for (noise, (first, second), one), p in zip(rows, adjusted, strict=True):
        yield {
            **keys,
            "compared": kind,
            "noise_ratio": noise,
            "scorer": scorer,
            "first": first,
            "second": second,
            "metric": metric,
            **{name: getattr(one.estimate, name) for name in FIGURE[1:]},
            "p": one.p,
            "p_adjusted": p,
        }


# --- outcomes, agreement ---


def outcome() -> pl.Expr:
    """What became of an answer, for reading: the first that holds of missing, corrected, detected, rejected ..."""
    counterfactual = pl.col("ability") == COUNTERFACTUAL
    return (
        pl.when(~pl.col("given")).then(pl.lit("missing"))
        .when(pl.all_horizontal(pl.col(name).is_null() for name in VERDICTS)).then(pl.lit("unjudged"))
        .when(counterfactual & _CORRECTED & _DETECTED).then(pl.lit("corrected"))
        .when(counterfactual & _CORRECTED).then(pl.lit("correct"))
        .when(counterfactual & _DETECTED).then(pl.lit("detected"))
        .when(_REJECTED).then(pl.lit("rejected"))
        .when(pl.col("ability") == REJECTION).then(pl.lit("answered"))
        .when(_CORRECT).then(pl.lit("correct"))
        .otherwise(pl.lit("incorrect"))
    )  # fmt: skip


def _outcome_counts(data: Scored) -> pl.DataFrame:
    """How many answers became what. Those without documents stand apart from their ability, as CLOSED."""
    keys = [*data.by, "model", "ability", "noise_ratio"]
    parts = pl.Enum([*ABILITIES, CLOSED])
    frames = [
        data.of(scorer)
        .with_columns(outcome=outcome(), scorer=pl.lit(scorer), ability=_part().cast(parts))
        .group_by(*keys, "scorer", "outcome")
        .agg(count=pl.len().cast(pl.Int64))
        for scorer in data.verdicts
    ]
    return pl.concat(frames).sort(*keys, "scorer", "outcome").cast({"ability": pl.String})


def _agreement_rows(data: Scored) -> Iterator[tuple[dict[str, str | None], str, Estimate]]:
    """How far every two scorers agree on each verdict: kappa, clustered by question, or by what questions come from."""
    units = data.answers.select(pl.coalesce("cluster", "id").rank("dense").cast(pl.Int64) - 1).to_series()
    parts = pl.Enum([*ABILITIES, CLOSED])
    for first, second in combinations(data.verdicts, 2):
        ours, theirs = data.of(first).with_columns(ability=_part().cast(parts)), data.verdicts[second]
        for keys, part in _parts(ours.with_row_index(_PLACE), ["ability"]):
            other = theirs[part[_PLACE]]
            for verdict in VERDICTS:
                said = {"unit": units[part[_PLACE]], "one": part[verdict], "other": other[verdict]}
                table = pl.DataFrame(said).drop_nulls()
                if not table.is_empty():
                    names: dict[str, str | None] = {"ability": str(keys["ability"]), "verdict": verdict}
                    names |= {"first": first, "second": second}
                    yield names, "kappa", _kappa(table, data.confidence)


def _kappa(table: pl.DataFrame, confidence: float) -> Estimate:
    """Kappa of two columns of verdicts, one and other; clustered where a unit has several."""
    sums = table.group_by("unit", "one", "other").agg(pl.len().alias("count")).sort("unit", "one", "other")
    units, one, other, counts = (sums[name].cast(pl.Int64).to_numpy() for name in ("unit", "one", "other", "count"))
    cells = np.zeros((2, 2), dtype=np.int64)
    np.add.at(cells, (one, other), counts)
    repeated = table["unit"].n_unique() < table.height
    split = ClusteredCells(units, one, other, counts) if repeated else None
    return cohen_kappa(cells, clusters=split, confidence=confidence)


def _disagreement(data: Scored) -> pl.DataFrame:
    """Answers on which scorers differ: a row per verdict, with what each says."""
    keys = ["id", "model", "ability", "noise_ratio", "draw"]
    scorers = list(data.verdicts)
    frames = []
    for verdict in VERDICTS:
        said = [one[verdict].alias(name) for name, one in data.verdicts.items()]
        table = data.answers.select(*keys, pl.lit(verdict).alias("verdict")).with_columns(said)
        differ = pl.any_horizontal(scorers) & ~pl.all_horizontal(scorers).fill_null(value=True)
        frames.append(table.filter(differ))
    words = pl.col(scorers).replace_strict({True: "yes", False: "no"}, return_dtype=pl.String)
    return (
        pl.concat(frames).with_columns(words).sort(*keys, "verdict").cast({"ability": pl.String}).rename({"id": "item"})
    )


# --- outcomes of each answer ---


def outcomes(data: Scored, first: int | None = None) -> pl.LazyFrame:
    """A row per answer and scorer: what became of it, and the phrase that decided."""
    frames = [data.of(scorer).head(first) if first else data.of(scorer) for scorer in data.verdicts]
    rows = pl.concat(
        [frame.with_columns(scorer=pl.lit(scorer)) for frame, scorer in zip(frames, data.verdicts, strict=True)]
    ).with_columns(pl.when(LIED).then(pl.lit("yes")).otherwise(pl.lit("no")).alias(LIED))
    columns = {
        "item": pl.col("id"),
        "cluster": shared_cluster(pl.col("cluster")),
        "judge": pl.col("model"),
        "reference": pl.lit("truth"),
        "part": _part(),
        "label": _label(),
        "reference_label": pl.col("truth"),
        "outcome": outcome(),
        "value": _CORRECT.cast(pl.Float64),
        "detail": pl.col("detail"),
    }
    return outcomes_frame(columns, rows.lazy(), [*data.by, "noise_ratio", "draw", "scorer", LIED])


def _part() -> pl.Expr:
    """What an answer tests: an ability, or what the model knows without documents."""
    closed = pl.col("closed").fill_null(value=False)
    return pl.when(closed).then(pl.lit(CLOSED)).otherwise(pl.col("ability").cast(pl.String))


SAID = {"correct": "correct", "rejected": "rejected", "error_detected": "detected", "error_corrected": "corrected"}
"""The verdicts as labels of outcomes say them; with UNSAID behind it, one that could be given and was not."""
UNSAID = "?"
_POSSIBLE = {"rejected": ABILITIES, "error_detected": [COUNTERFACTUAL], "error_corrected": [COUNTERFACTUAL]}


def _label() -> pl.Expr:
    """The verdicts that hold, in words; null without an answer."""
    words = [pl.when(name).then(pl.lit(word)) for name, word in SAID.items()]
    words += [
        pl.when(pl.col(name).is_null() & pl.col("ability").is_in(abilities)).then(pl.lit(SAID[name] + UNSAID))
        for name, abilities in _POSSIBLE.items()
    ]
    said = pl.concat_str(words, separator=", ", ignore_nulls=True)
    return pl.when("given").then(pl.when(said == "").then(pl.lit("none")).otherwise(said))


def counts_of(data: Scored) -> dict[str, int]:
    """What was counted, for the head of the report."""
    models, questions = data.answers["model"].n_unique(), data.answers["id"].n_unique()
    found = {"answers": data.answers.height, "questions": questions, "model" if models == 1 else "models": models}
    missing = int((~data.answers["given"]).sum())
    return found | ({"missing answers": missing} if missing else {})


def notes_of(data: Scored) -> tuple[str, ...]:
    """How figures were made, for the foot of the report."""
    notes = {
        STRICT: "strict speaks of answers given; missing ones are counted apart.",
        DOCUMENT: "document takes a missing answer for a wrong one.",
        BENCHMARK: "benchmark takes a missing answer for a wrong one.",
        JUDGE: "judge speaks of answers that the judge gave a verdict on.",
    }
    draws = (
        "; several draws are averaged within a question first"
        if data.answers["draw"].drop_nulls().n_unique() > 1
        else ""
    )
    said = [note for name, note in notes.items() if name in data.verdicts]
    unit = "clusters of questions" if data.clustered else "questions"
    return (*said, f"Intervals rest on {unit}{draws}.")


def beside_published(scores: pl.DataFrame, published: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Published results beside the figures of the same model, ability, noise ratio and metric, by every scorer."""
    keys = ["model", "ability", "noise_ratio", "metric"]
    figures = scores.select(*by, *keys, "scorer", "value", "low", "high", "n")
    return published.join(figures, on=keys, how="left", nulls_equal=True, maintain_order="left").select(
        *by, *keys, "scorer", "published", "value", "low", "high", "n"
    )
