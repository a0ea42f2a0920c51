"""`adjudge.compare`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.api.functions import step_of, takes
from adjudge.api.options import CompareOptions
from adjudge.api.reports import runs_of, without_items
from adjudge.errors import OptionError, flag_name
from adjudge.evaluations import view_of
from adjudge.options.declaration import arguments
from adjudge.report import Input, Report, path_size

if TYPE_CHECKING:
    import polars as pl

    from adjudge.evaluations.scoring import Row, Texts
    from adjudge.metrics.run_matching import MatchedRuns
    from adjudge.readers.saved_runs import Run


@takes(CompareOptions)
def compare(options: CompareOptions) -> Report:
    """Compare two runs on the same items: every metric of both, and the paired difference with its interval.

    Each difference is the later run minus the first, on the items on which both have the metric (complete cases).
    Items are paired by their ids, and judges by their names; if each run holds a single judge, these two are compared
    whatever their names.

    Returns
    -------
    A Report with the tables comparison, left_out, items, transitions and changes. comparison has each metric in both
    runs, the difference with its interval, p, and p adjusted by Holm's method over all rows of the same metric.
    left_out has rows on which only one run has a metric, and why; items how many are in both runs, and in one alone;
    transitions the outcomes of the same items in both runs; changes items whose outcome changed, the worst first.
    `examples` holds their texts if the runs' inputs still exist. Clusters are those of the first run, or of the second
    if the first has none.

    Raises
    ------
    OptionError for fewer than two runs, for unknown judges and where it is unclear which judges to compare; DataError
    for runs of different evaluations, without an item in common or with duplicate rows, and for an items file that was
    changed since its report was written.

    Source: McNemar's mid-P and Tango 1998 for shares of the same items, paired t for means, linearisation for others;
    see adjudge.statistics.
    """
    paths, step = [str(one) for one in options.runs], step_of(options)
    if len(paths) < 2:  # noqa: PLR2004 - what a comparison needs
        fix = f"add a {flag_name('save_items')} file, or a JSON report saved together with one"
        raise OptionError(f"expected two or more saved runs; got {len(paths)}", fix=fix)
    if not options.judge and (twice := next((path for path in paths if paths.count(path) > 1), "")):
        raise OptionError(f"{twice}: the same run is given twice", fix="replace one with another run")
    from adjudge.evaluations.scoring import hash_texts
    from adjudge.metrics import comparison
    from adjudge.metrics.run_matching import match_all_runs

    with step("reading"):
        read = runs_of(paths)
    view = view_of(read[0].evaluation)
    with step("pairing"):
        both, warnings = match_all_runs(read, [*options.judge], view, all_pairs=options.all_pairs)
    data = [one for one in both if one.view is view]
    with step("comparing"):
        changes, changed = comparison.changes_table(data, options.examples)
        if not options.texts:
            changes = hash_texts(changes, {f"{run}{name}" for run in ("", "second_") for name in view.words})
        made = {
            **comparison.comparison_tables(both, options.ci_level),
            "items": comparison.item_overlap(data),
            "transitions": comparison.outcome_transitions(data),
            "changes": changes,
        }
    with step("looking up texts"):
        shown, notes = changed_items(changes, data, texts=options.texts)
    return without_items(
        options,
        [Input(run.path, run.sha256, run.rows, path_size(Path(run.path))) for run in read],
        made,
        evaluation=read[0].evaluation,
        words="compare",
        counts=_counts(read, data, changed),
        warnings=tuple(dict.fromkeys(warnings)),
        notes=(*_notes(data, changed, options.examples), *dict.fromkeys(notes)),
        examples=shown,
    )


_CHANGED = tuple(f"judgments changed {how}" for how in ("for the worse", "for the better", "otherwise"))
"""The counts of judgments that differ between two runs."""


def _counts(runs: Sequence["Run"], data: Sequence["MatchedRuns"], changed: Sequence[int]) -> dict[str, int]:
    found = {"runs": len(runs)}
    if len(data) == 1:
        found |= {"items in both": data[0].shared_items}
        alone = ((data[0].first, data[0].only_first), (data[0].second, data[0].only_second))
        found |= {f"only in {run.name}": count for run, count in alone if count}
    return found | dict(zip(_CHANGED, changed, strict=True))


def _notes(data: Sequence["MatchedRuns"], changed: Sequence[int], most: int) -> tuple[str, ...]:
    clustered = any(one.has_clusters for one in data)
    unit = "clusters of the first run, or else of the second" if clustered else "items"
    worse, better, other = changed
    listed = f"; at most {most:,} of each are listed" if max(changed) > most else ""
    return (
        f"Intervals and tests are based on {unit}.",
        "Each interval is that of one difference alone; p is adjusted over as many tests as the column tests says.",
        f"Judgments that changed: {worse:,} for the worse, {better:,} for the better, {other:,} otherwise{listed}.",
    )


# --- items whose outcome changed, as examples with their texts ---


_AS = {
    "item": "item",
    "judge": "first",
    "reference": "second",
    "part": "part",
    "label": "first_label",
    "reference_label": "second_label",
    "outcome": "change",
}
"""Column of an example -> its column of changes.

The first run takes the place of the judge, the second that of the reference.
"""


def changed_items(
    changes: "pl.DataFrame", data: "Sequence[MatchedRuns]", *, texts: bool
) -> "tuple[pl.DataFrame, list[str]]":
    """The changed items as examples, with the reference label and, if requested, their texts.

    Also returns the reasons for missing texts.
    """
    import polars as pl

    found: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    notes: list[str] = []
    for one in data:
        rows = changes.filter(first=one.first.name, second=one.second.name).to_dicts()
        fields = _AS | ({"right": "reference_label"} if "reference_label" in changes.columns else {})
        if one.changed_references:
            first, second = f"right ({one.first.name})", f"right ({one.second.name})"
            fields = _AS | {first: "reference_label", second: "second_reference_label"}
        of_rows, why = _texts_of_runs(one, rows) if texts else ([{} for _ in rows], [])
        about = [*(["judge"] if len(one.judges) > 1 else []), *one.keys]
        for row, beside in zip(rows, of_rows, strict=True):
            part = ", ".join(str(row[name]) for name in about if row[name] is not None) if about else None
            found.append({name: {**row, "part": part}[column] for name, column in fields.items()} | beside)
        names |= dict.fromkeys([*fields, *(name for beside in of_rows for name in beside)])
        notes += why
    return pl.DataFrame(found, schema=dict.fromkeys(names, pl.String)), notes


def _texts_of_runs(data: "MatchedRuns", rows: "Sequence[Row]") -> "tuple[list[Texts], list[str]]":
    """The texts of each row, a run's own output under its name; and the reasons for missing ones."""
    theirs = [{**row, "judge": data.judges[row["judge"]]} for row in rows]
    texts: list[tuple[str, list[Texts]]] = []
    why: list[str] = []
    for run, of_run in ((data.first, rows), (data.second, theirs)):
        found = _item_texts(run, of_run)
        if found is None:
            why.append(
                f"texts of {run.name} are not shown: its inputs are gone or changed, or were scored without texts"
            )
        texts.append((run.name, found or [{} for _ in rows]))
    merged = []
    for place in range(len(rows)):
        item: Texts = {}  # equal texts of both runs appear once
        for name in dict.fromkeys(name for _, own in texts for name in own[place]):
            by_run = {run: own[place][name] for run, own in texts if name in own[place]}
            same = len({*by_run.values()}) == 1
            item |= {name: by_run.popitem()[1]} if same else {f"{name} ({run})": one for run, one in by_run.items()}
        merged.append(item)
    return merged, why


def _item_texts(run: "Run", rows: "Sequence[Row]") -> "list[Texts] | None":
    """The texts of some rows of a run, each name -> text, shortened for display; None if they are unavailable.

    A run's inputs are available if they are unchanged. They are read again with those of
    its options that a file may set.
    """
    from adjudge.evaluations.scoring import scoring
    from adjudge.readers.inputs import sources
    from adjudge.readers.io.source import How

    if not (run.options.texts and all(Path(one.path).is_file() and one.is_unchanged() for one in run.inputs)):
        return None
    evaluation, declared = scoring(run.evaluation), type(run.options)
    known, recorded, beside = arguments(declared), run.options.recorded(), run.options.further_inputs()
    settable = {name: one for name, one in recorded.items() if known[name].file_may_set or name in beside}
    try:
        options: Any = declared.of(settable)
        read = sources([one.path for one in run.inputs], How.of(options), run.evaluation)
        own = read[: len(read) - len(beside)]
        if sorted(recorded[name] for name in beside) != sorted(one.path for one in run.inputs[len(own) :]):
            return None
        first, *rest = [name for name, one in known.items() if one.positional]
        inputs = {first: own[:1], rest[0]: own[1:]} if rest else {first: own}
        return evaluation.texts(evaluation.read(inputs, options), rows)
    except (KeyError, TypeError, ValueError):
        return None
