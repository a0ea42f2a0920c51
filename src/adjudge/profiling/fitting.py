"""Which evaluation files fit, with which options: guessed, then tried by the evaluation's own reader."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import AdjudgeError
from adjudge.evaluations import NAMES, options_of
from adjudge.evaluations.scoring import scoring
from adjudge.options.command_lines import command_of
from adjudge.options.declaration import Options, arguments
from adjudge.profiling.advice import lacks_answers, own_format, with_guesses
from adjudge.profiling.column_sample import ColumnSample, TableSample
from adjudge.profiling.file_profile import UNNAMED, FileProfile
from adjudge.profiling.guess import Guess, trusted_among
from adjudge.profiling.label_guesses import answers_in, labels_of_one
from adjudge.profiling.result import EvaluationFit, Look
from adjudge.profiling.table_guesses import GUESSED, answers_beside, guess, holds_scores, trusted_voter
from adjudge.readers.column_names import nearest_to
from adjudge.readers.column_synonyms import GOLD
from adjudge.readers.io.source import Format, Source
from adjudge.readers.pairs.pairs import RESPONSES
from adjudge.readers.problems import listed
from adjudge.readers.tables import damage_named
from adjudge.readers.transforms import item_columns
from adjudge.version import NAME

_SHOWN = 3
"""The rows that are shown as read."""
_LIKELY = 0.3
"""The weight from which on an evaluation is worth naming."""
_TRIED = 4
"""How many evaluations are tried."""
_COLUMNS = 500
"""The columns that are asked what they mean, which takes time for every two of them."""
_APART = 5
"""How many of several files are tried alone, where they do not fit together."""
_SCORED, _SMALL = 2_000, 1 << 20
"""Rows, and bytes of files whose rows are not known, up to which files are scored too, to see whether the line runs."""
_UNSCORED = (
    ({"system", "criterion", "metric", "value"}, "preferences rank", "rank_preferences", "scores of systems"),
    ({"query", "answer", "positive", "negative"}, "rag audit", "audit_rag", "questions with their documents"),
    (
        {"predicted", "ground_truth", "same"},
        "violations calibrate",
        "calibrate_violations",
        "judged pairs of violations",
    ),
    ({NAME, "signature", "tables"}, "show", "", "a saved report"),
    ({"item", "judge", "part", "outcome"}, "plan --from", "", "the outcomes of a run, which compare reads too"),
)
"""Files that are not scored: columns that show them, the command, the function that reads tables, what they are."""


def best_fit(files: Sequence[FileProfile], given: Mapping[str, Any]) -> Look:
    """The evaluation that files fit best, and how it reads them; the files themselves are not described.

    given: options of reading, as the user gives them.
    """
    if any(profile.source.how.no_header for profile in files):
        given = {**given, "no_header": True}
    readable = [profile for profile in files if not profile.wrong or profile.size is not None]
    if all(profile.wrong and not profile.size for profile in files):
        return Look(())
    if len(readable) < len(files):
        return _beside(best_fit(readable, given), [profile for profile in files if profile not in readable])
    together = _best_of(files, given)
    if together.command or len(files) == 1:
        return together
    named = [profile for profile in files if profile.distrust != UNNAMED]
    parts = [part for part in (named, *([profile] for profile in files[:_APART])) if 0 < len(part) < len(files)]
    for part in parts:
        if (look := _best_of(part, given)).command:
            return _beside(look, [profile for profile in files if profile not in part])
    return together


def fit_of(name: str, files: Sequence[FileProfile]) -> EvaluationFit | None:
    """How an evaluation reads files, which they need not fit best."""
    return Attempt.of(name, files, {}).tried().fit


def _best_of(files: Sequence[FileProfile], given: Mapping[str, Any]) -> Look:
    """The best fit of files that are evaluated together."""
    attempts = [Attempt.of(name, files, given) for name in GUESSED]
    scores = next((each.form for each in attempts if each.name == "preferences" and each.form), None)
    if scores or all(holds_scores(profile.table) for profile in files):
        return Look((), _other_use(files, scores, scores=True))
    attempts.sort(key=lambda each: (-each.guess.weight, each.name == "agreement"))
    looks = [each.tried() for each in attempts[:_TRIED] if each.guess.weight >= _LIKELY]
    if not looks:
        use, labels = _other_use(files), next(each for each in attempts if each.name == "reliability")
        return Look((), use, () if use or files[0].wrong else (labels.unread(),))
    mutual = next((look for look in looks if look.fit and look.fit.evaluation == "agreement"), None)
    best = min([look for look in looks if look is not mutual] or looks, key=_in_the_way)
    if mutual and mutual.fit and mutual.command:
        judges = {*mutual.fit.options.get("annotator_columns", ())}
        same = best.fit is None or not best.fit.format or judges <= {*(best.rows[0] if best.rows else ())}
        judged = best.fit is not None and best.fit.evaluation in ("reliability", "annotations")
        best = mutual if _is_unmarked(best) or (judged and same and not best.command) else best
    return replace(
        best, others=tuple(look.fit for look in sorted(looks, key=_in_the_way) if look is not best and look.fit)
    )


def _in_the_way(look: Look) -> tuple[bool, bool, bool]:
    """What is read comes first, in a tool's own format before as any table; and what runs before what lacks a word."""
    unread = _is_unmarked(look) or not (look.command or look.rows)
    return unread, not unread and not (look.fit and look.fit.format), not look.command


def _is_unmarked(look: Look) -> bool:
    """Whether files are read as violations, of which the first texts have none."""
    marked = any(row.get("violations") for row in look.rows)
    return look.fit is not None and look.fit.evaluation == "violations" and not marked


def _beside(look: Look, left: Sequence[FileProfile]) -> Look:
    """The look at some files, which says what was left out, and why."""
    if look.fit is None:
        return look
    names = [profile.name for profile in left if not profile.wrong]
    doubts = [f"left out, since it cannot be read: {profile.wrong}" for profile in left if profile.wrong]
    doubts += [f"left out, since they do not fit with the others: {', '.join(names)}"] if names else []
    return replace(look, fit=replace(look.fit, doubts=(*look.fit.doubts, *doubts)))


def _other_use(
    files: Sequence[FileProfile], form: Format | None = None, *, scores: bool = False
) -> EvaluationFit | None:
    """What files are for that no evaluation scores. form: their own format; scores: whether they hold scores."""
    ranked = scores or holds_scores(files[0].table, alone=True)
    names = {*files[0].table.names} if not scores else set[str]()
    uses = [use for use in _UNSCORED if use[0] <= names]
    uses += [(set(), "preferences rank", "rank_preferences", "scores of systems, a row for each")] if ranked else []
    for _, command, function, about in uses[:1]:
        first, line = command.split()[0], [NAME, *command.split(), *(profile.source.typed for profile in files)]
        why = f"it is {form.name}. {form.about}" if form else f"it holds {about}"
        evaluation = first if first in NAMES else "no evaluation"
        lacking = (
            ("these are the results of one system: name the files of others too",) if form and len(files) == 1 else ()
        )
        return EvaluationFit(
            evaluation, why, 1.0, shlex.join(line), form.name if form else None, lacking=lacking, function=function
        )
    return None


@dataclass(frozen=True)
class Attempt:
    """An evaluation of files. guess: with which options it might read them. form: its own format of theirs.

    gold: what is true of them, where the evaluation takes it as an option.
    """

    name: str
    files: Sequence[FileProfile]
    guess: Guess
    form: Format | None
    gold: FileProfile | None = None

    @classmethod
    def of(cls, name: str, files: Sequence[FileProfile], given: Mapping[str, Any]) -> "Attempt":
        """The attempt with what is guessed, and the options that the user gives."""
        gold = _gold(name, files)
        files = [profile for profile in files if profile is not gold]
        form = own_format(name, files)
        guessed = Guess(1.0) if form else _guess(name, files, gold)
        if name == "agreement" and "annotator" in guessed.columns and (pairs := own_format("annotations", files)):
            form, guessed = pairs, Guess(guessed.weight)  # whose votes are for models on either side
        beside = {"gold": gold.name} if gold else {}
        return cls(name, files, replace(guessed, options={**guessed.options, **beside, **given}), form, gold)

    def sources(self, *, whole: bool = True) -> dict[str, list[Source]]:
        """The files by argument: one for the trusted side where there are two sides, and the rest.

        whole: not only their first rows.
        """
        whole = whole or (self.form is not None and self.files[0].format != "jsonl")
        sources = [profile.source if whole else profile.part or profile.source for profile in self.files]
        names = [name for name, known in arguments(options_of(self.name)).items() if known.positional]
        return {names[0]: sources} if len(names) == 1 else {names[0]: sources[:1], names[1]: sources[1:]}

    def tried(self) -> Look:
        """What becomes of the files if they are read so; of a tool's format, with whom to trust where it is named."""
        look, voters = self.read()
        if look.command or not (self.form or voters):
            return look
        # Of an export that does not say which column holds the answers, the only one that may.
        columns = self.guess.options.get("columns", {})
        label = None if voters or look.rows or "label" in columns else answers_in(self.files[0].table)
        again = self._with(columns={**columns, "label": label}).tried() if label else None
        if again and (again.command or again.rows):
            return again
        if self.name == "violations" and len(self.files) == 1 and len(voters) > 1:
            return replace(self, files=[*self.files] * 2).of_both(voters)
        trusted = self._trusted(look, voters)
        asked = (
            {}
            if not voters
            else {"truth_annotator": voters[0]}
            if self.name == "violations"
            else {"reference": [voters[0]]}
        )
        again = self._with(**(trusted or asked)).read()[0]
        return again if trusted and again.command else replace(look, rows=again.rows) if voters else look

    def unread(self) -> EvaluationFit:
        """The evaluation with what it lacks, where nothing speaks for it."""
        return self._fit(options_of(self.name).of(self.guess.options), self.guess.lacking)

    def of_both(self, voters: Sequence[str]) -> Look:
        """A file of several people's violations, as both sides: one of them is the truth, another is compared."""
        trusted = trusted_among(voters)
        first, *others = sorted(voters, key=lambda name: name != trusted)
        look = self._with(truth_annotator=first, predicted_annotator=others[0]).read()[0]
        if trusted and len(others) == 1:
            return look
        plain = self.read()[0]
        whose = f"--truth-annotator NAME --predicted-annotator OTHER of {listed(voters)}"
        asked = f"nothing says whose violations are the truth, and whose are compared with it: {whose}"
        return replace(plain, rows=look.rows, fit=plain.fit and replace(plain.fit, lacking=(asked,)))

    def _with(self, **options: object) -> "Attempt":
        return replace(self, guess=replace(self.guess, options={**self.guess.options, **options}))

    def _trusted(self, look: Look, voters: Sequence[str]) -> dict[str, Any]:
        """Options that say who is trusted, where a name says so."""
        if self.name == "annotations":
            no_voters = {"pair", "prompt", *RESPONSES}
            voters = [name for name in (look.rows[0] if look.rows else {}) if name not in no_voters]
            texts = any(row.get(name) for row in look.rows for name in RESPONSES)
            return trusted_voter(voters, texts=texts, models="model_a" in self.files[0].table.names)
        if self.name == "reliability" and (column := nearest_to(GOLD, self.files[0].table.names)):
            return {"columns": {**self.guess.options.get("columns", {}), "reference": column}}
        trusted = trusted_among(voters)
        if self.name == "violations":
            return {"truth_annotator": trusted} if trusted else {}
        return {"reference": [trusted]} if trusted else {}

    def read(self) -> tuple[Look, Sequence[str]]:
        """What becomes of the files with the options that are guessed; and whom one might trust, if that is lacking."""
        inputs, lacking = self.sources(whole=False), [*self.guess.lacking]
        for name, known in arguments(options_of(self.name)).items():
            if known.positional and known.required and not inputs[name]:
                lacking.append(f"{name}: name a file of {name} too")
        named = {name: [source.name for source in many] for name, many in inputs.items()}
        options, evaluation = options_of(self.name).of({**named, **self.guess.options}), scoring(self.name)
        look, voters = Look((), left_out=self._left_out()), tuple[str, ...]()
        try:
            inputs = with_guesses(inputs, options, self.guess.options)
            table = self.gold and self.gold.source.table
            settings = options if table is None else type(options).of({**options.values(), "gold": table})
            evaluation.check(settings)
            with damage_named(chain.from_iterable(inputs.values())):
                read = evaluation.read(inputs, settings)
                rows = evaluation.preview(read, _SHOWN).to_dicts()
                texts = ({name: None if value is None else str(value) for name, value in row.items()} for row in rows)
                look = replace(look, rows=tuple(texts))
                if not lacking:
                    small = all(map(_is_small, self.files))
                    scored = evaluation.score(read, inputs, settings, _all_steps if small else _first_step)
                    look = replace(look, warnings=tuple(scored.warnings))
                    if self.name == "agreement" and _is_undefined(scored.tables["agreement"]):
                        lacking.append(
                            "no item has labels of two annotators: name a file of another's, or of gold, too"
                        )
        except _ReadError:
            pass
        except AdjudgeError as error:
            lacking += [] if lacking else error.frame()
            voters = error.voters
        return replace(look, fit=self._fit(options, lacking)), voters

    def _fit(self, options: Options, lacking: Sequence[str]) -> EvaluationFit:
        return EvaluationFit(
            self.name,
            f"it is {self.form.name}. {self.form.about}" if self.form else _why(self.guess),
            self.guess.weight,
            command_of(options, [profile.source.typed for profile in self.files], self.name),
            self.form.name if self.form else None,
            self.guess.columns,
            self.guess.options,
            tuple(lacking),
            self.guess.doubts,
            {name: tuple(source.name for source in many) for name, many in self.sources().items()},
            function=self.name,
        )

    def _left_out(self) -> tuple[str, ...]:
        """Columns of the first file that nothing stands for."""
        columns = [part for name in self.guess.columns.values() for part in (name, *name.split("+"))]
        names, options = self.files[0].table.names, self.guess.options
        items = item_columns(options.get("item_columns", ()), names, self.files[0].name)
        used = {*columns, *options.get("annotator_columns", ()), *items}
        return () if self.form else tuple(name for name in names if name not in used)


def _is_undefined(agreement: pl.DataFrame) -> bool:
    return agreement.filter(pl.col("metric") == "percent_agreement")["value"].drop_nulls().is_empty()


def _is_small(profile: FileProfile) -> bool:
    return (profile.rows or 0) <= _SCORED and (profile.rows is not None or (profile.size or 0) <= _SMALL)


def _guess(name: str, files: Sequence[FileProfile], gold: FileProfile | None) -> Guess:
    """The guess that each file holds one annotator's labels, a trusted one first; else that from its first columns.

    gold: the file that says what is true of the same.
    """
    first, trusts = files[0], files[0].distrust < files[-1].distrust
    if len(files) > 1 and name == ("reliability" if trusts else "agreement"):
        names = set.intersection(*({*profile.table.names} for profile in files))
        if labels := labels_of_one(first.table.only(names)):
            return replace(labels, options={**labels.options, **({"reference": [first.source.stem]} if trusts else {})})
        if asked := _other_names(files):
            return replace(labels_of_one(first.table) or Guess(0.8), lacking=(asked,))
    whole = (_side_by_side(files) if name in ("reliability", "agreement") else None) or first.table
    width, table = len(whole.names), whole.only({*whole.names[:_COLUMNS]})
    guessed = answers_beside(table, gold.table) if gold else guess(name, table)
    doubt = (f"what its columns mean is told from the first {_COLUMNS} of {width:,}",) if width > _COLUMNS else ()
    return replace(guessed, doubts=(*guessed.doubts, *doubt))


def _other_names(files: Sequence[FileProfile]) -> str:
    """Which of several files of one annotator's labels have other columns than most; empty where they are no such."""
    guesses = [labels_of_one(profile.table) for profile in files]
    names = [tuple(each.columns.values()) for each in guesses if each]
    if len(names) < len(files):
        return ""
    usual = max(names, key=names.count)
    others = [
        f"{profile.name} has {listed(each)}, and no {listed(usual)}"
        for profile, each in zip(files, names, strict=True)
        if each != usual
    ]
    return f"{'; '.join(others)}: rename its columns to those of the other files" if others else ""


def _side_by_side(files: Sequence[FileProfile]) -> TableSample | None:
    """The columns of files that have the item alone in common, such as those of people and of a model."""
    names = [{*profile.table.names} for profile in files]
    common, every = set.intersection(*names), set.union(*names)
    others = [each - common for each in names]
    keys = any(all(profile.table[name].is_id for profile in files) for name in common)
    if len(files) == 1 or not keys or not all(others) or sum(map(len, others)) != len(every - common):
        return None
    height = min(profile.table.height for profile in files)
    columns = {name: column for profile in files for name, column in profile.table.columns.items()}
    return TableSample({name: ColumnSample(name, column.values[:height]) for name, column in columns.items()})


def _gold(name: str, files: Sequence[FileProfile]) -> FileProfile | None:
    """The trusted file, where an evaluation takes it as an option: by names, else by what files hold."""
    known = arguments(options_of(name)).get("gold")
    if known is None or known.positional or len(files) == 1:
        return None
    if files[0].distrust != files[-1].distrust:
        return files[0]
    others = [profile for profile in files if not lacks_answers(profile)]
    return others[0] if len(others) == 1 else None


def _why(guess: Guess) -> str:
    """What speaks for an evaluation, in a sentence."""
    reasons = [f"{theirs} is the {ours}" for ours, theirs in guess.columns.items()]
    judges, items = (guess.options.get(name, ()) for name in ("annotator_columns", "item_columns"))
    reasons += [f"{listed(judges)} {'hold' if len(judges) > 1 else 'holds'} votes"] if judges else []
    reasons += [f"a row is somebody's answers, and each of these columns an item: {listed(items)}"] if items else []
    return ", ".join(reasons) or "little speaks for it"


class _ReadError(Exception):
    """All that scoring reads was read, and no more is wanted."""


def _all_steps(_: str) -> AbstractContextManager[object]:
    return nullcontext()


def _first_step(step: str) -> AbstractContextManager[object]:
    if step != "reading":
        raise _ReadError
    return nullcontext()
