"""The evaluation that files fit, and its options: guessed, then tried with the evaluation's own reader; and advice."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from adjudge.errors import AdjudgeError
from adjudge.evaluations import NAMES as EVALUATIONS
from adjudge.evaluations import options_of
from adjudge.evaluations.annotations.data_sets import find_annotators
from adjudge.evaluations.scoring import scoring
from adjudge.evaluations.violations.scoring import checkers_of
from adjudge.options.declaration import Options, arguments, command_of
from adjudge.profiling.file_profile import ColumnSample, FileProfile, TableSample, own_format, profile_of
from adjudge.profiling.guess import Guess, answers_in, labels_of_one, trusted_among
from adjudge.profiling.result import EvaluationFit, Look
from adjudge.profiling.table_guesses import GUESSED, answers_beside, guess, holds_scores
from adjudge.readers.column_names import GOLD, nearest_to
from adjudge.readers.inputs import source_of
from adjudge.readers.io.source import Format, How, Source
from adjudge.readers.pairs.pairs import RESPONSES
from adjudge.readers.tables import damage_named
from adjudge.readers.transforms import shaped
from adjudge.version import NAME

_SHOWN = 3
"""The number of example rows."""
_LIKELY = 0.3
"""The least weight of an evaluation that is listed."""
_TRIED = 4
"""The most evaluations to try, and the most files to try alone if they do not fit together."""
_COLUMNS = 500
"""The most columns to match, which takes time for every pair."""
_SCORED, _SMALL = 2_000, 1 << 20
"""The most rows, or bytes of files with an unknown number of rows, for a trial scoring of the command."""


_RANKED = ({"system", "criterion", "metric", "value"}, "preferences rank", "rank_preferences", "scores of systems")
_UNSCORED = (
    _RANKED,
    ({"query", "answer", "positive", "negative"}, "rag audit", "audit_rag", "questions with their documents"),
)
"""Columns, or names in JSON, of files that no evaluation scores; the command and the function for them."""


def best_fit(files: Sequence[FileProfile], given: Mapping[str, Any]) -> Look:
    """The evaluation that files fit best, and its options for reading them; without profiles of the files.

    given: the user's options for reading.
    """
    if any(profile.source.how.no_header for profile in files):
        given = {**given, "no_header": True}
    if any(profile.wrong and not profile.size for profile in files):
        return Look(())
    each = {name: _attempts(name, files, given) for name in GUESSED}
    scores = each["preferences"][0].form
    if scores or all(holds_scores(profile.table) for profile in files):
        return Look((), _other_use(files, _RANKED, scores))
    (labels,), mutual = each["reliability"], _attempts("agreement", files, given)
    trusts = labels.form or "reference" in {*labels.guess.columns, *labels.guess.options}
    each["reliability"] = [labels, *mutual] if trusts else [*mutual, labels]
    weights = {name: max(attempt.guess.weight for attempt in attempts) for name, attempts in each.items()}
    likely = sorted(GUESSED, key=lambda name: -weights[name])[:_TRIED]
    looks = sorted((_look_with(each[name]) for name in likely if weights[name] >= _LIKELY), key=_in_the_way)
    if not looks:
        use = next((use for use in _UNSCORED if use[0] <= {*files[0].table}), None)
        nearest_fit = () if use or files[0].wrong else (labels.fit(labels.guess.lacking),)
        return Look((), use and _other_use(files, use), nearest_fit)
    best, agreed = looks[0], next((look for look in looks if look.evaluation == "agreement" and look.command), None)
    if agreed and agreed.fit and best.evaluation == "annotations" and not best.command:
        voters = {*agreed.fit.options.get("annotator_columns", ())}
        best = agreed if voters <= {*(best.rows[0] if best.rows else voters)} else best
    others = (look.fit for look in looks if look is not best)
    return replace(best, others=tuple(fit for fit in others if fit))


def fit_of(name: str, files: Sequence[FileProfile]) -> EvaluationFit | None:
    """An evaluation's options for reading files, even if another fits better."""
    return _look_with(_attempts(name, files, {})).fit


def _look_with(attempts: "Sequence[Attempt]") -> Look:
    """The result of the first attempt that runs; else of the one that lacks least."""
    looks = list[Look]()
    for attempt in attempts:
        looks.append(attempt.tried())
        if looks[-1].command:
            return looks[-1]
    return min(looks, key=_in_the_way)


def _in_the_way(look: Look) -> tuple[bool, bool, bool]:
    """A sort key: readable first, a tool's own format before general tables, complete before incomplete commands.

    Most labels agree with others to some degree, so agreement stands behind what can be read otherwise.
    """
    unread = look.evaluation == "agreement" or _is_unmarked(look) or not (look.command or look.rows)
    return unread, not unread and not (look.fit and look.fit.format), unread or not look.command


def _is_unmarked(look: Look) -> bool:
    """Whether files read as violations have none in their first texts."""
    return look.evaluation == "violations" and not any(row.get("violations") for row in look.rows)


def _other_use(
    files: Sequence[FileProfile], use: tuple[set[str], str, str, str], form: Format | None = None
) -> EvaluationFit:
    """The use of files that no evaluation scores. form: their own format."""
    _, command, function, about = use
    alone = "these are the results of one system: name the files of others too"
    return EvaluationFit(
        command.split()[0],
        f"it is {form.name}. {form.about}" if form else f"it holds {about}",
        1.0,
        shlex.join([NAME, *command.split(), *(profile.source.typed for profile in files)]),
        form.name if form else None,
        lacking=(alone,) if form and len(files) == 1 else (),
        function=function,
    )


@dataclass(frozen=True)
class Attempt:
    """An attempt to evaluate files. guess: the guessed options. form: the evaluation's own format of the files.

    gold: the file of true labels, if the evaluation takes it as an option.
    """

    name: str
    files: Sequence[FileProfile]
    guess: Guess
    form: Format | None
    gold: FileProfile | None = None

    def sources(self, *, whole: bool = True) -> dict[str, list[Source]]:
        """The files by argument: one for the reference side if there are two sides, and the rest.

        whole: whether to include all rows, not only the first.
        """
        whole = whole or bool(self.form and self.files[0].format != "jsonl")
        sources = [profile.source if whole else profile.part or profile.source for profile in self.files]
        names = [name for name, known in arguments(options_of(self.name)).items() if known.positional]
        return {names[0]: sources} if len(names) == 1 else {names[0]: sources[:1], names[1]: sources[1:]}

    def tried(self) -> Look:
        """The result of reading the files so, with the reference and the labels if a name identifies them."""
        look, voters = self.read()
        for further in () if look.command else self._completions(look, voters):
            again = replace(self, guess=replace(self.guess, settings={**self.guess.settings, **further})).tried()
            if again.command:
                return again
            look = look if look.rows else replace(again, fit=look.fit)
        return look

    def _completions(self, look: Look, voters: Sequence[str]) -> list[dict[str, Any]]:
        """Options that may complete the guess. voters: the candidates for the reference."""
        known, table = self.guess.options, self.files[0].table
        columns, ways, row = known.get("columns", {}), list[dict[str, Any]](), look.rows[0] if look.rows else {}
        if self.name in ("reliability", "agreement") and self.form and not columns:
            named = {"reference": nearest_to(GOLD, table), "label": answers_in(table)}
            ways += [{"columns": {name: theirs}} for name, theirs in named.items() if theirs]
        if self.name == "annotations":
            voters = [name for name in row if name not in {"pair", "prompt", *RESPONSES}]
        trusted, option = trusted_among(voters), "truth_annotator" if self.name == "violations" else "reference"
        if trusted and option not in known:
            ways.append({option: [trusted] if self.name in ("reliability", "agreement") else trusted})
        if self.name == "annotations" and len(voters) == 1 and option not in known:
            texts = any(row.get(name) for name in RESPONSES)
            ways.append({option: voters[0], **({"style": True} if texts else {"annotator": ["model:*"]})})
        return ways

    def read(self) -> tuple[Look, Sequence[str]]:
        """The result with the guessed options; and the candidates for the reference, if that is missing."""
        inputs, voters = self.sources(whole=False), tuple[str, ...]()
        known = arguments(options_of(self.name))
        lacking = [*self.guess.lacking]
        lacking += [f"{one}: name a file of {one} too" for one in inputs if known[one].required and not inputs[one]]
        options, module, look = self._options(), scoring(self.name), Look(())
        large = any(one.rows > _SCORED if one.rows else (one.size or 0) > _SMALL for one in self.files)
        try:
            inputs = with_guesses(inputs, options, self.guess.options)
            table = self.gold and self.gold.source.table
            settings: Any = options if table is None else type(options).of({**options.values(), "gold": table})
            module.check(settings)
            with damage_named(chain.from_iterable(inputs.values())):
                read = module.read(inputs, settings)
                rows = module.preview(read, _SHOWN).to_dicts()
                texts = ({name: None if value is None else str(value) for name, value in row.items()} for row in rows)
                look = Look((), rows=tuple(texts))
                if not lacking and self.name == "annotations":
                    find_annotators(read[0], settings)
                if not lacking and self.name == "violations":
                    checkers_of(read)
                if not (lacking or large):
                    scored = module.score(read, inputs, settings, nullcontext)
                    look = replace(look, warnings=tuple(scored.warnings))
                    if self.name == "agreement":
                        agreed = scored.tables["agreement"].filter(metric="percent_agreement")
                        lacking += [_ALONE] * (not agreed["value"].count())
        except AdjudgeError as error:
            lacking += [] if lacking else error.frame()
            voters = error.voters
        return replace(look, fit=self.fit(lacking)), voters

    def _options(self) -> Options:
        named = {name: [source.name for source in many] for name, many in self.sources(whole=False).items()}
        return options_of(self.name).of({**named, **self.guess.options})

    def fit(self, lacking: Sequence[str]) -> EvaluationFit:
        """The evaluation with the command that reads the files, and what it lacks."""
        reasons = ", ".join(f"{theirs} is the {ours}" for ours, theirs in self.guess.columns.items())
        return EvaluationFit(
            self.name,
            f"it is {self.form.name}. {self.form.about}" if self.form else reasons or "little speaks for it",
            self.guess.weight,
            command_of(self._options(), [profile.source.typed for profile in self.files], self.name),
            self.form.name if self.form else None,
            self.guess.columns,
            self.guess.options,
            tuple(lacking),
            self.guess.doubts,
            {name: tuple(source.name for source in many) for name, many in self.sources().items()},
            function=self.name,
        )


_ALONE = "no item has labels of two annotators: name a file of another's, or of gold, too"


def _attempts(name: str, files: Sequence[FileProfile], given: Mapping[str, Any]) -> list[Attempt]:
    """The ways in which an evaluation might read files; if it takes true answers as an option, with each file as these.

    given: the user's options.
    """
    known = arguments(options_of(name)).get("gold")
    golds: list[FileProfile | None] = [None]
    if known and not known.positional and len(files) > 1:
        golds = [files[0]] if files[0].distrust != files[-1].distrust else [None, *files[:_TRIED]]
    return [_attempt(name, [profile for profile in files if profile is not gold], gold, given) for gold in golds]


def _attempt(name: str, files: Sequence[FileProfile], gold: FileProfile | None, given: Mapping[str, Any]) -> Attempt:
    form = own_format(name, files[0])
    guessed = Guess(1.0) if form else _guess(name, files, gold)
    if name == "agreement" and "annotator" in guessed.columns and (pairs := own_format("annotations", files[0])):
        form, guessed = pairs, Guess(guessed.weight)  # whose votes are for models on either side
    beside = {"gold": gold.name} if gold else {}
    return Attempt(name, files, replace(guessed, settings={**guessed.settings, **beside, **given}), form, gold)


def _guess(name: str, files: Sequence[FileProfile], gold: FileProfile | None) -> Guess:
    """The guess that each file has one annotator's labels, a reference first; else that from its first columns.

    gold: the file with the true labels of the same items.
    """
    first, trusts, pooled = files[0], files[0].distrust < files[-1].distrust, None
    if len(files) > 1 and name in ("reliability", "agreement"):
        names, pooled = set.intersection(*({*profile.table} for profile in files)), _side_by_side(files)
        each = [labels_of_one(profile.table) for profile in files]
        labels = labels_of_one(first.table.only(names)) or (each[0] if all(each) and not pooled else None)
        if labels and (name == "reliability") == trusts:
            return replace(labels, settings={"reference": [first.source.stem]} if trusts else {})
    whole = pooled or first.table
    table = whole.only([*whole][:_COLUMNS])
    guessed = answers_beside(table, gold.table) if gold else guess(name, table)
    columns, judges = dict(guessed.columns), guessed.settings.get("annotator_columns")
    if pooled and judges and (reference := columns.pop("reference", None)):  # in a file of its own
        settings = {**guessed.settings, "annotator_columns": [*judges, reference], "reference": [reference]}
        return replace(guessed, columns=columns, settings=settings)
    return guessed


def _side_by_side(files: Sequence[FileProfile]) -> TableSample | None:
    """The columns of files that share only the item, such as those of humans and of a model."""
    names = [{*profile.table} for profile in files]
    common, every = set.intersection(*names), set.union(*names)
    keys = any(all(profile.table[name].is_id for profile in files) for name in common)
    if not keys or common in names or sum(len(each - common) for each in names) != len(every - common):
        return None
    height = min(profile.table.height for profile in files)
    columns = {name: column for profile in files for name, column in profile.table.items()}
    return TableSample({name: ColumnSample(name, column.values[:height]) for name, column in columns.items()})


_SHAPING: Mapping[str, Any] = {"constant": {}, "map_values": {}, "item_columns": ()}
"""Options that transform inputs, with their defaults."""


def with_guesses(
    inputs: Mapping[str, Sequence[Source]], options: Options, guesses: Mapping[str, Any]
) -> dict[str, list[Source]]:
    """Inputs with the guessed constants, meanings of values and rows, which they do not have yet."""
    fresh = {name: guesses.get(name) or empty for name, empty in _SHAPING.items()}
    how = replace(How.of(options), **fresh)
    return {name: [shaped(replace(source, how=how)) for source in many] for name, many in inputs.items()}


def advise(error: AdjudgeError, name: str, path: str, options: Options) -> None:
    """Add the command that looks at a refused file, and the options with which an evaluation reads it if it can.

    name: the evaluation, or another function. options: its given options.
    """
    error.hint = shlex.join([NAME, "look", path])
    if not error.columns or name == "card" or name not in EVALUATIONS:
        return
    with suppress(AdjudgeError):
        suggested, given = guess(name, profile_of(source_of(path)).table), options.values()
        missing = {key: value for key, value in suggested.options.items() if value != given.get(key)}
        if missing and not suggested.lacking:
            error.fix = command_of(options.of(missing), [], "").removeprefix(NAME).strip()
