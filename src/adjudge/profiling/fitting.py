"""The evaluation that files fit, and its options: proposals, each tried with the evaluation's own reader."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from typing import Any

from adjudge.errors import AdjudgeError
from adjudge.evaluations import options_of
from adjudge.evaluations.annotations.data_sets import find_annotators
from adjudge.evaluations.scoring import scoring
from adjudge.evaluations.violations.scoring import checkers_of
from adjudge.options.declaration import Options, arguments
from adjudge.profiling.file_profile import NUMBERS, TABLE, ColumnSample, FileProfile, TableSample, own_format
from adjudge.profiling.guess import answers_in, labels_in_rows, share, trusted_among
from adjudge.profiling.result import Look, Proposal
from adjudge.profiling.table_guesses import GUESSED, answers_beside, guess
from adjudge.readers.column_names import GOLD, NAMES, TRUE, is_id_name, nearest_to, words
from adjudge.readers.io.source import OR, How, Source
from adjudge.readers.tables import damage_named
from adjudge.readers.transforms import shaped
from adjudge.version import NAME

_LIKELY = 0.3
"""The least weight of an evaluation that is listed."""
_TRIED = 4
"""The most evaluations to try, and the most files to try alone if they do not fit together."""
_SCORED = 2_000
"""The most rows for a trial scoring of the command."""
_MOST_COLUMNS = 500
"""The most columns to match, which takes time for every pair."""
_OF_LABELS = ("reliability", "agreement")
"""The evaluations of labels of any annotators."""


def best_fit(files: Sequence[FileProfile], given: Mapping[str, Any]) -> Look:
    """The evaluation that files fit best, and its options for reading them; without profiles of the files.

    given: the user's options for reading.
    """
    given = {**given, "no_header": True} if any(file.source.how.no_header for file in files) else given
    if any(file.wrong and not file.size for file in files):
        return Look(())
    each = {name: _proposals(name, files, given) for name in GUESSED}
    if (form := each["preferences"][0].form) and files[0].format != TABLE:
        ranked = shlex.join([NAME, "preferences", "rank", *(file.source.typed for file in files)])
        alone = ("these are the results of one system: name the files of others too",) * (len(files) == 1)
        return Look((), Proposal("preferences", 1.0, lacking=alone, files=files, form=form, call=ranked))
    [labels], mutual = each["reliability"], _proposals("agreement", files, given)
    trusts = labels.form or "reference" in {*labels.columns, *labels.options}
    each["reliability"] = [labels, *mutual] if trusts else [*mutual, labels]
    asked = set() if files[0].wrong else {*given.get("columns", ())}
    strange = {name: len(asked - NAMES[name].keys()) for name in each}
    known = [proposals for name, proposals in each.items() if strange[name] == min(strange.values())]
    likely = [ways for ways in known if max(one.weight for one in ways) >= _LIKELY] or known * bool(asked)
    fits = sorted(map(_first_that_runs, likely), key=_sort_key)
    if not fits:
        return Look((), None, () if files[0].wrong else (_read(each["reliability"][0]),))
    best, agreed = fits[0], next((fit for fit in fits if fit.evaluation == "agreement" and not fit.lacking), None)
    if agreed and best.evaluation == "annotations" and best.lacking:
        best = agreed if {*agreed.options.get("annotator_columns", ())} <= {*best.voters} else best
    return Look((), best, tuple(fit for fit in fits if fit is not best))


def fit_of(name: str, files: Sequence[FileProfile]) -> Proposal:
    """An evaluation's options for reading files, even if another fits better."""
    return _first_that_runs(_proposals(name, files, {}))


def _first_that_runs(proposals: Sequence[Proposal]) -> Proposal:
    """The first proposal that its reader takes; else the one that lacks least. What is refused may be completed."""
    fits, waiting = list[Proposal](), [*proposals]
    while waiting:
        fits.append(_read(waiting.pop(0)))
        if not fits[-1].lacking:
            return fits[-1]
        waiting[:0] = _completions(fits[-1])
    return min(fits, key=_sort_key)


def _sort_key(fit: Proposal) -> tuple[bool, bool, bool, float]:
    """The order of proposals: readable ones first, then a tool's own format, complete commands, the strongest evidence.

    Labels of any kind can be compared with one another, so `agreement` comes last.
    """
    unread = fit.evaluation == "agreement" or not fit.is_read
    return unread, not unread and not fit.form, unread or bool(fit.lacking), -fit.weight


# --- trials ---


def _completions(fit: Proposal) -> list[Proposal]:
    """A proposal with the reference and the labels, if a name tells them."""
    table, ways, labels = fit.files[0].table, list[dict[str, Any]](), fit.evaluation in _OF_LABELS
    if labels and fit.form and "columns" not in fit.options:
        named = {"reference": nearest_to(GOLD, table), "label": answers_in(table)}
        ways += [{"columns": {name: theirs}} for name, theirs in named.items() if theirs]
    trusted, option = trusted_among(fit.voters), "truth_annotator" if fit.evaluation == "violations" else "reference"
    if trusted and option not in fit.options:
        ways.append({option: [trusted] if labels else trusted})
    if fit.evaluation == "annotations" and len(fit.voters) == 1 and option not in fit.options:
        ways += [{option: fit.voters[0], **others} for others in ({"annotator": ["model:*"]}, {"style": True})]
    return [replace(fit, lacking=(), gaps={}, settings={**fit.settings, **way}) for way in ways]


def _read(proposal: Proposal) -> Proposal:
    """The proposal with what its reader says of it."""
    name, lacking, found = proposal.evaluation, [*proposal.lacking], dict[str, Any]()
    inputs, known, options = proposal.sources(whole=False), arguments(options_of(name)), proposal.parsed_options
    lacking += [f"{one}: name a file of {one} too" for one in inputs if known[one].required and not inputs[one]]
    large, module = any((file.rows or 0) > _SCORED for file in proposal.files), scoring(name)
    try:
        inputs = with_guesses(inputs, options)
        if proposal.gold and proposal.gold.format == TABLE:
            options = type(options).of({**options.values(), "gold": proposal.gold.source.table})
        module.check(options)
        with damage_named(chain.from_iterable(inputs.values())):
            read = module.read(inputs, options)
            found["is_read"] = name != "violations" or not read[0].spans.is_empty()
            if name == "annotations":
                found["voters"] = tuple(one.name or one.id for one in read[0].annotators)
                find_annotators(read[0], options)
            if name == "violations":
                checkers_of(read)
            if not (lacking or large):
                scored = module.score(read, inputs, options, nullcontext)
                found["warnings"] = tuple(scored.warnings)
                if name == "agreement":
                    agreed = scored.tables["agreement"].filter(metric="percent_agreement")
                    alone = "no item has labels of two annotators: name a file of another's, or of gold, too"
                    lacking += [alone] * (not agreed["value"].count())
    except AdjudgeError as error:
        lacking, found["gaps"] = [*(lacking or error.frame())], {} if lacking else dict(error.columns)
        found = {"voters": error.voters, "is_read": name == "violations" and bool(error.voters), **found}
    return replace(proposal, lacking=tuple(lacking), **found)


def with_guesses(inputs: Mapping[str, Sequence[Source]], options: Options) -> dict[str, list[Source]]:
    """Inputs with the constants, the meanings of values and the rows of items in some options."""
    how = How.of(options)

    def guessed(one: Source) -> Source:
        return shaped(replace(one, how=replace(how, constant=dict(how.constant.items() - one.how.constant.items()))))

    return {name: [*map(guessed, many)] for name, many in inputs.items()}


# --- proposals for one or several files ---


def _proposals(name: str, files: Sequence[FileProfile], given: Mapping[str, Any]) -> list[Proposal]:
    """The ways in which an evaluation might read files; if it takes true answers as an option, with each file as these.

    given: the user's options.
    """
    files = [replace(file, table=file.table.only([*file.table][:_MOST_COLUMNS])) for file in files]
    proposals = list[Proposal]()
    for gold in (None, *(files[:_TRIED] if name == "rag" and len(files) > 1 else ())):
        others = [file for file in files if file is not gold]
        first, form = others[0].table, own_format(name, others[0])
        found = Proposal(name, 1.0) if form else answers_beside(first, gold.table) if gold else guess(name, first)
        if name == "agreement" and "annotator" in found.columns and (pairs := own_format("annotations", others[0])):
            form, found = pairs, Proposal(name, found.weight)  # whose votes are for models on either side
        several = None if form or len(files) == 1 else _of_several(found, [*others, *filter(None, [gold])])
        for one in filter(None, [several or found] if name in _OF_LABELS else [found, several]):
            settings = {**one.settings, **({"gold": gold.name} if gold else {}), **given}
            asked = settings.pop("columns", {})
            if "ability" in asked and "constant" not in given:
                settings.pop("constant", None)
            columns = {ours: theirs for ours, theirs in one.columns.items() if theirs not in asked.values()} | asked
            proposals.append(replace(one, files=others, form=form, gold=gold, columns=columns, settings=settings))
    return sorted(proposals, key=lambda one: not one.weight)  # answers without true ones come last


def _of_several(found: Proposal, files: Sequence[FileProfile]) -> Proposal | None:
    """A guess with the names of a column in all files; None if no column of each holds the same items.

    found: the guess from the first file. files: those to evaluate, and a file of true answers if there is one.
    """
    tables, labels = [file.table for file in files], found.evaluation in _OF_LABELS
    each = [labels_in_rows(table) if labels else guess(found.evaluation, table).columns for table in tables]
    if labels and (label := each[-1].get("label")):  # which a reference may use but once
        each = [{"label": label, **one} if label in table else one for table, one in zip(tables, each, strict=True)]
    key = "item" if labels else "id"
    item = each[0].get(key, key)
    names = [item, *(_with_values(tables[0][item], table) for table in tables[1:])] if item in tables[0] else [""]
    columns = {ours: dict.fromkeys(one[ours] for one in each if ours in one) for ours in dict.fromkeys(chain(*each))}
    columns[key] = dict.fromkeys(names)
    if not all(names) or any(sum(one in table for one in many) > 1 for many in columns.values() for table in tables):
        return None
    joined = replace(found, columns={ours: OR.join(many) for ours, many in columns.items()})
    if labels:
        return _of_labels(joined, files, each)
    return joined if any(len(many) > 1 for many in columns.values()) else None


def _of_labels(found: Proposal, files: Sequence[FileProfile], each: Sequence[Mapping[str, str]]) -> Proposal | None:
    """The guess for files with a label in each row, or with columns of different annotators; a reference first.

    found: with the names of columns in all files. each: those in each file.
    """
    name, first, tables, items = found.evaluation, files[0], [file.table for file in files], found.columns["item"]
    trusts = first.distrust < files[-1].distrust or bool({*words(each[0].get("label", ""))} & TRUE)
    labels = [table[one["label"]] for table, one in zip(tables, each, strict=True) if "label" in one]
    alike = len(labels) == len(files) and labels[0].repeats and all(share(labels[0], other) for other in labels)
    reference = [first.source.stem] if trusts and "annotator" not in each[0] else []
    if alike and bool(reference) == (name == "reliability"):
        return Proposal(name, 0.8, found.columns, {"reference": reference})
    height = min(table.height for table in tables)
    wide = {one.name: ColumnSample(one.name, one.values[:height]) for table in tables for one in table.values()}
    once = all(sum(column in table for table in tables) in (1, len(tables)) for column in wide)
    if not once or not all(table[item].is_id for table in tables for item in items.split(OR) if item in table):
        return None
    beside = guess(name, TableSample(wide))
    judges, columns = beside.settings.get("annotator_columns", []), {**beside.columns, "item": items}
    if judges and not any(wide[judge].repeats for judge in judges):
        return None  # answers
    theirs = [judge for judge in judges if judge in first.table]
    true = columns.pop("reference", theirs[0] if trusts and len(theirs) == 1 else None)
    if name == "agreement" or not judges or true is None:
        return replace(beside, columns={**beside.columns, "item": items})
    settings = {"annotator_columns": [*dict.fromkeys([*judges, true])], "reference": [true]}
    return replace(beside, columns=columns, settings=settings)


def _with_values(column: ColumnSample, table: TableSample) -> str | None:
    """The column of a table with the values of another's: the one of its name, else the one that shares most.

    It shares at least two values, and half of the fewer.
    """
    values = {*column.distinct}
    shared = {name: len(values & {*one.distinct}) for name, one in table.items() if one.is_flat}
    least = {name: max(2, min(len(values), len(table[name].distinct)) / 2) for name in shared}
    measured = [name for name in shared if table[name].kind in NUMBERS and not (table[name].is_id or is_id_name(name))]
    others = [name for name in measured if not nearest_to((*NAMES["violations"]["id"], column.name), [name])]
    likely = [name for name in shared if name not in others and shared[name] >= least[name]]
    return column.name if column.name in likely else max(likely, key=lambda name: shared[name], default=None)
