"""The evaluation that files fit, and its options: proposals, each tried with the evaluation's own reader."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import AdjudgeError
from adjudge.evaluations import options_of
from adjudge.evaluations.annotations.data_sets import find_annotators
from adjudge.evaluations.scoring import scoring
from adjudge.evaluations.violations.scoring import checkers_of
from adjudge.options.declaration import Options, arguments
from adjudge.profiling.file_profile import ColumnSample, FileProfile, TableSample, own_format
from adjudge.profiling.guess import answers_in, labels_in_rows, trusted_among
from adjudge.profiling.result import Look, Proposal
from adjudge.profiling.several_files import MOST_COLUMNS, named_apart
from adjudge.profiling.table_guesses import GUESSED, answers_beside, guess
from adjudge.readers.column_names import GOLD, NAMES, nearest_to
from adjudge.readers.io.source import How, Source
from adjudge.readers.tables import damage_named
from adjudge.readers.transforms import shaped
from adjudge.version import NAME

_LIKELY = 0.3
"""The least weight of an evaluation that is listed."""
_TRIED = 4
"""The most evaluations to try, and the most files to try alone if they do not fit together."""
_SCORED = 2_000
"""The most rows for a trial scoring of the command."""


def best_fit(files: Sequence[FileProfile], given: Mapping[str, Any]) -> Look:
    """The evaluation that files fit best, and its options for reading them; without profiles of the files.

    given: the user's options for reading.
    """
    given = {**given, "no_header": True} if any(file.source.how.no_header for file in files) else given
    if any(file.wrong and not file.size for file in files):
        return Look(())
    each = {name: _proposals(name, files, given) for name in GUESSED}
    if (form := each["preferences"][0].form) and not files[0].is_table:
        ranked = shlex.join([NAME, "preferences", "rank", *(file.source.typed for file in files)])
        alone = ("these are the results of one system: name the files of others too",) * (len(files) == 1)
        return Look((), Proposal("preferences", 1.0, lacking=alone, files=files, form=form, call=ranked))
    (labels, *apart), mutual = each["reliability"], _proposals("agreement", files, given)
    trusts = labels.form or "reference" in {*labels.columns, *labels.options}
    each["reliability"] = [labels, *apart, *mutual] if trusts else [*mutual, *apart, labels]
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
    table, ways, labels = fit.files[0].table, list[dict[str, Any]](), fit.evaluation in ("reliability", "agreement")
    if labels and fit.form and "columns" not in fit.options:
        named = {"reference": nearest_to(GOLD, table), "label": answers_in(table)}
        ways += [{"columns": {name: theirs}} for name, theirs in named.items() if theirs]
    trusted, option = trusted_among(fit.voters), "truth_annotator" if fit.evaluation == "violations" else "reference"
    if trusted and option not in fit.options:
        ways.append({option: [trusted] if labels else trusted})
    if fit.evaluation == "annotations" and len(fit.voters) == 1 and option not in fit.options:
        ways.append({option: fit.voters[0], **({"annotator": ["model:*"]} if fit.has_models else {"style": True})})
    return [replace(fit, lacking=(), gaps={}, settings={**fit.settings, **way}) for way in ways]


def _read(proposal: Proposal) -> Proposal:
    """The proposal with what its reader says of it."""
    name, lacking, found = proposal.evaluation, [*proposal.lacking], dict[str, Any]()
    inputs, known, options = proposal.sources(whole=False), arguments(options_of(name)), proposal.parsed_options
    lacking += [f"{one}: name a file of {one} too" for one in inputs if known[one].required and not inputs[one]]
    large, module = any((file.rows or 0) > _SCORED for file in proposal.files), scoring(name)
    try:
        inputs = with_guesses(inputs, options)
        if proposal.gold and proposal.gold.is_table:
            options = type(options).of({**options.values(), "gold": proposal.gold.source.table})
        module.check(options)
        with damage_named(chain.from_iterable(inputs.values())):
            read = module.read(inputs, options)
            found["is_read"] = name != "violations" or not read[0].spans.is_empty()
            if name == "annotations":
                found["voters"] = tuple(one.name or one.id for one in read[0].annotators)
                models = read[0].frame.filter(pl.col("model_a").is_not_null()).head(1)
                found["has_models"] = not models.collect().is_empty()
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
        found.setdefault("voters", error.voters)
    return replace(proposal, lacking=tuple(lacking), **found)


def with_guesses(inputs: Mapping[str, Sequence[Source]], options: Options) -> dict[str, list[Source]]:
    """Inputs with the constants, the meanings of values and the rows of items in some options."""
    how = How.of(options)

    def guessed(one: Source) -> Source:
        return shaped(replace(one, how=replace(how, constant=dict(how.constant.items() - one.how.constant.items()))))

    return {name: [*map(guessed, many)] for name, many in inputs.items()}


# --- proposals for several files ---


def _proposals(name: str, files: Sequence[FileProfile], given: Mapping[str, Any]) -> list[Proposal]:
    """The ways in which an evaluation might read files; if it takes true answers as an option, with each file as these.

    given: the user's options.
    """
    proposals = list[Proposal]()
    for gold in (None, *(files[:_TRIED] if name == "rag" and len(files) > 1 else ())):
        others = [file for file in files if file is not gold]
        form = own_format(name, others[0])
        found = Proposal(name, 1.0) if form else _guess(name, others, gold)
        if name == "agreement" and "annotator" in found.columns and (pairs := own_format("annotations", others[0])):
            form, found = pairs, Proposal(name, found.weight)  # whose votes are for models on either side
        settings = {**found.settings, **({"gold": gold.name} if gold else {}), **given}
        asked = settings.pop("columns", {})
        if guessed := settings.get("constant", {}).keys() & asked.keys() - {*given.get("constant", ())}:
            settings["constant"] = {name: settings["constant"][name] for name in settings["constant"].keys() - guessed}
        columns = {ours: theirs for ours, theirs in found.columns.items() if theirs not in asked.values()} | asked
        proposals.append(replace(found, files=others, form=form, gold=gold, columns=columns, settings=settings))
        every = [*others, gold] if gold else others
        if len(every) > 1 and not asked and (apart := named_apart(proposals[-1], every)):
            proposals.append(replace(apart, settings={**apart.settings, **given}))
    return proposals


def _guess(name: str, files: Sequence[FileProfile], gold: FileProfile | None) -> Proposal:
    """The guess from the first columns of several files with labels, or of the first file.

    Each has the labels of one annotator, a reference first, or they share only the item, as those of humans and of a
    model. gold: the file with the true labels of the same items.
    """
    first, table, trusts = files[0], files[0].table, files[0].distrust < files[-1].distrust
    if len(files) > 1 and name in ("reliability", "agreement"):
        common = set.intersection(*({*file.table} for file in files))
        labels, alone = labels_in_rows(files[-1].table), "annotator" not in labels_in_rows(table)
        if alone and {labels.get("item"), labels.get("label")} <= common and (name == "reliability") == trusts:
            return Proposal(name, 0.8, labels, {"reference": [first.source.stem]} if trusts else {})
        own = [column for file in files for column in file.table if column not in common]
        if len({*own}) == len(own) and any(all(file.table[key].is_id for file in files) for key in common):
            height = min(file.table.height for file in files)
            columns = [ColumnSample(one.name, one.values[:height]) for file in files for one in file.table.values()]
            table = TableSample({one.name: one for one in columns})
    shown = table.only([*table][:MOST_COLUMNS])
    found = answers_beside(shown, gold.table) if gold else guess(name, shown)
    judges, meant = found.settings.get("annotator_columns", []), dict(found.columns)
    theirs = [judge for judge in judges if judge in first.table]
    reference = meant.pop("reference", theirs[0] if trusts and len(theirs) == 1 else None)
    if name != "reliability" or table is first.table or not judges or reference is None:
        return found
    settings = {"annotator_columns": list(dict.fromkeys([*judges, reference])), "reference": [reference]}
    return replace(found, columns=meant, settings=settings)
