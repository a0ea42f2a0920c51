"""Which evaluation files fit, with which options: guessed, then tried by the evaluation's own reader."""

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
from adjudge.profiling.file_profile import Seen
from adjudge.profiling.guess import Guess, trusted_among
from adjudge.profiling.guessers import GUESSERS, guess, guess_beside, holds_scores
from adjudge.profiling.guesses import lacks_answers, own_format, with_guesses
from adjudge.profiling.input_files import UNSAID, distrust, is_small
from adjudge.profiling.label_columns import answers_in, one_annotator_each, trusted_column
from adjudge.profiling.other_uses import other_use, ranking
from adjudge.profiling.pair_columns import trusted_voter
from adjudge.profiling.result import EvaluationFit, Look
from adjudge.readers.formats import READ_ALIKE
from adjudge.readers.io.source import Format, Source
from adjudge.readers.pairs.pairs import RESPONSES
from adjudge.readers.problems import listed
from adjudge.readers.tables import damage_named
from adjudge.readers.transforms import item_columns

_SHOWN = 3
"""The rows that are shown as read."""
_LIKELY = 0.3
"""The weight from which on an evaluation is worth naming."""
_TRIED = 4
"""How many evaluations are tried."""
_NO_VOTERS = {"pair", "prompt", "text_a", "text_b"}
"""What stands in rows of annotations beside the votes."""
_COLUMNS = 500
"""The columns that are asked what they mean, which takes time for every two of them."""
_APART = 5
"""How many of several files are tried alone, where they do not fit together."""


def best_fit(files: Sequence[Seen], given: Mapping[str, Any]) -> Look:
    """The evaluation that files fit best, and how it reads them; the files themselves are not described.

    given: options of reading, as the user gives them.
    """
    if all(one.wrong and not one.size for one in files):
        return Look(())
    if refused := [one for one in files if one.wrong and one.size is None]:
        return _beside(best_fit([one for one in files if not one.wrong or one.size is not None], given), refused)
    together = _best_of(files, given)
    if together.command or len(files) == 1:
        return together
    told = [one for one in files if distrust(one) != UNSAID]
    parts = [part for part in (told, *([one] for one in files[:_APART])) if 0 < len(part) < len(files)]
    alone = next((found for part in parts if (found := _best_of(part, given, files)).command), None)
    return alone or together


def looked_at_as(name: str, files: Sequence[Seen]) -> Look:
    """What becomes of files that an evaluation reads which they need not fit best."""
    return _Asked.of(name, files, {}).tried()


def _best_of(files: Sequence[Seen], given: Mapping[str, Any], beside: Sequence[Seen] = ()) -> Look:
    """The best fit of files that are evaluated together. beside: all files that were given."""
    fits = [_Asked.of(name, files, given) for name in NAMES if name in GUESSERS]
    if scores := next((one.form for one in fits if one.name == "preferences" and one.form), None):
        about = f"it is {scores.name}. {scores.about}"
        return Look((), replace(ranking(files), why=about, format=scores.name))
    if all(holds_scores(one.table) for one in files):
        return Look((), ranking(files))
    first, *_ = ordered = sorted(fits, key=lambda one: (-one.guess.weight, one.name in READ_ALIKE))
    # What reads as another does is tried only beside that one.
    alike = [one for one in ordered if READ_ALIKE.get(one.name, first.name) == first.name]
    tried = [one.tried() for one in alike[:_TRIED] if one.guess.weight >= _LIKELY]
    if not tried:
        return Look((), other_use(files))
    best = _first(tried)
    others = tuple(one.fit for one in tried if one is not best and one.fit)
    return _beside(replace(best, others=others), [one for one in beside if one not in files])


def _beside(look: Look, left: Sequence[Seen]) -> Look:
    """The look of some files, which says what was left out, and why."""
    if look.fit is None:
        return look
    others = [one.source.name for one in left if not one.wrong]
    told = [f"left out, since it cannot be read: {one.wrong}" for one in left if one.wrong]
    told += [f"left out, since they do not fit with the others: {', '.join(others)}"] if others else []
    return replace(look, fit=replace(look.fit, doubts=(*look.fit.doubts, *told)))


def _first(tried: Sequence[Look]) -> Look:
    """The look that comes first. Agreement without a reference does where judgments are read and nobody is trusted."""
    mutual = [one for one in tried if one.fit and one.fit.evaluation == "agreement"]
    best = min([one for one in tried if one not in mutual] or mutual, key=_in_the_way)
    untrusted = best.fit is not None and best.fit.evaluation == "reliability" and not best.command
    return mutual[0] if mutual and untrusted and mutual[0].command else best


def _in_the_way(look: Look) -> tuple[int, int]:
    """What is read comes first, in a tool's own format before as any table; and what runs before what lacks a word."""
    unread = not (look.command or look.rows)
    return 2 if unread else int(not (look.fit and look.fit.format)), int(not look.command)


@dataclass(frozen=True)
class _Asked:
    """An evaluation, asked about files. guess: with which options it might read them. form: its own format of theirs.

    gold: the option of that name where it is a table, which its name does not lead to.
    """

    name: str
    files: Sequence[Seen]
    guess: Guess
    form: Format | None
    gold: pl.DataFrame | None = None

    @classmethod
    def of(cls, name: str, files: Sequence[Seen], given: Mapping[str, Any]) -> "_Asked":
        gold, files = _apart(name, files)
        form = own_format(name, files)
        found = Guess(1.0) if form else _guess(name, files, gold)
        beside = {"gold": gold.source.name} if gold else {}
        options = {**found.options, **beside, **given}
        return cls(name, files, replace(found, options=options), form, gold.source.table if gold else None)

    @property
    def inputs(self) -> dict[str, list[Source]]:
        """The files by argument: one for the trusted side where there are two sides, and the rest."""
        sources = [one.source for one in self.files]
        names = [name for name, one in arguments(options_of(self.name)).items() if one.positional]
        return {names[0]: sources} if len(names) == 1 else {names[0]: sources[:1], names[1]: sources[1:]}

    def tried(self) -> Look:
        """What becomes of the files if they are read so; of a tool's format, with whom to trust where it is named."""
        found, voters = self.read()
        if found.command or not (self.form or voters):
            return found
        # Of an export that does not say which column holds the answers, the only one that may.
        columns = self.guess.options.get("columns", {})
        label = None if voters or found.rows or "label" in columns else answers_in(self.files[0].table)
        again = self._with({"columns": {**columns, "label": label}}).tried() if label else None
        if again and (again.command or again.rows):
            return again
        if self.name == "violations" and len(self.files) == 1 and len(voters) > 1:
            return replace(self, files=[*self.files] * 2).of_both(voters)
        trusted = self._trusted(found, voters)
        again, _ = self._with(trusted or self._anyone(voters)).read()
        if trusted and again.command:
            return again
        return replace(found, rows=again.rows) if voters else found

    def of_both(self, voters: Sequence[str]) -> Look:
        """A file of several people's violations, as both sides: one of them is the truth, another is compared."""
        trusted = trusted_among(voters)
        first, *others = sorted(voters, key=lambda one: one != trusted)
        found, _ = self._with({"truth_annotator": first, "predicted_annotator": others[0]}).read()
        if trusted and len(others) == 1:
            return found
        plain, _ = self.read()
        whose = f"--truth-annotator NAME --predicted-annotator OTHER of {listed(voters)}"
        asked = f"nothing says whose violations are the truth, and whose are compared with it: {whose}"
        return replace(plain, rows=found.rows, fit=plain.fit and replace(plain.fit, lacking=(asked,)))

    def _with(self, options: Mapping[str, Any]) -> "_Asked":
        return replace(self, guess=replace(self.guess, options={**self.guess.options, **options}))

    def _trusted(self, found: Look, voters: Sequence[str]) -> dict[str, Any]:
        """Options that say who is trusted, where a name says so."""
        if self.name == "annotations":
            voters = [name for name in (found.rows[0] if found.rows else {}) if name not in _NO_VOTERS]
            texts = any(row.get(name) for row in found.rows for name in RESPONSES)
            return trusted_voter(voters, texts=texts, models="model_a" in self.files[0].table.names)
        column = trusted_column(self.files[0].table) if self.name == "reliability" else None
        if column:
            return {"columns": {**self.guess.options.get("columns", {}), "reference": column}}
        trusted = trusted_among(voters)
        return self._anyone([trusted]) if trusted else {}

    def _anyone(self, voters: Sequence[str]) -> dict[str, Any]:
        """Options that trust the first of some, to see whether the files are read but for that."""
        if self.name == "violations":
            return {"truth_annotator": voters[0]} if voters else {}
        return {"reference": list(voters[:1])} if voters else {}

    def read(self) -> tuple[Look, Sequence[str]]:
        """What becomes of the files with the options that are guessed; and whom one might trust, if that is lacking."""
        inputs, lacking = self.inputs, list(self.guess.lacking)
        for name, one in arguments(options_of(self.name)).items():
            if one.positional and one.required and not inputs[name]:
                lacking.append(f"{name}: name a file of {name} too")
        named = {name: [one.name for one in many] for name, many in inputs.items()}
        options = options_of(self.name).of({**named, **self.guess.options})
        found, voters = Look((), left_out=self._left_out()), tuple[str, ...]()
        try:
            evaluation, inputs = scoring(self.name), with_guesses(inputs, options, self.guess.options)
            settings = options if self.gold is None else type(options).of({**options.values(), "gold": self.gold})
            evaluation.check(settings)
            with damage_named(chain.from_iterable(inputs.values())):
                read = evaluation.read(inputs, settings)
                shown = evaluation.preview(read, _SHOWN).to_dicts()
                texts = ({name: None if one is None else str(one) for name, one in row.items()} for row in shown)
                found = replace(found, rows=tuple(texts))
                if not lacking:
                    step = (lambda _: nullcontext()) if all(map(is_small, self.files)) else _reading_alone
                    scored = evaluation.score(read, inputs, settings, step)
                    found = replace(found, warnings=tuple(scored.warnings))
        except _ReadError:
            pass
        except AdjudgeError as error:
            lacking += [] if lacking else error.frame()
            voters = error.voters
        return replace(found, fit=self._fit(options, lacking)), voters

    def _fit(self, options: Options, lacking: Sequence[str]) -> EvaluationFit:
        guess = self.guess
        return EvaluationFit(
            self.name,
            f"it is {self.form.name}. {self.form.about}" if self.form else _why(guess),
            guess.weight,
            command_of(options, [one.source.typed for one in self.files], self.name),
            self.form.name if self.form else None,
            guess.columns,
            guess.options,
            tuple(lacking),
            guess.doubts,
            {name: tuple(one.name for one in many) for name, many in self.inputs.items()},
            function=self.name,
        )

    def _left_out(self) -> tuple[str, ...]:
        """Columns of the first file that nothing stands for."""
        if self.form:
            return ()
        columns = [part for name in self.guess.columns.values() for part in (name, *name.split("+"))]

        names, options = self.files[0].table.names, self.guess.options
        items = item_columns(options.get("item_columns", ()), names, self.files[0].source.name)
        used = {*columns, *options.get("annotator_columns", ()), *items}
        return tuple(name for name in names if name not in used)


def _guess(name: str, files: Sequence[Seen], gold: Seen | None) -> Guess:
    """The guess that each file holds one annotator's labels, the first the trusted; else that from its first columns.

    gold: the file that says what is true of the same.
    """
    first = files[0]
    if name == "reliability" and len(files) > 1 and distrust(first) != distrust(files[-1]):
        names = set.intersection(*(set(one.table.names) for one in files))
        if found := one_annotator_each(first.table.of(names)):
            return replace(found, options={**found.options, "reference": [first.source.stem]})
    table, width = first.table.of({*first.table.names[:_COLUMNS]}), len(first.table.names)
    said = (f"what its columns mean is told from the first {_COLUMNS} of {width:,}",) if width > _COLUMNS else ()
    found = guess_beside(table, gold.table) if gold else guess(name, table)
    return replace(found, doubts=(*found.doubts, *said))


def _apart(name: str, files: Sequence[Seen]) -> tuple[Seen | None, Sequence[Seen]]:
    """The trusted file, where an evaluation takes it as an option, and the others: by names, else by what they hold."""
    gold = arguments(options_of(name)).get("gold")
    if gold is None or gold.positional or len(files) == 1:
        return None, files
    if distrust(files[0]) != distrust(files[-1]):
        return files[0], files[1:]
    answers = [one for one in files if lacks_answers(one)]
    others = [one for one in files if one not in answers]
    return (others[0], answers) if answers and len(others) == 1 else (None, files)


def _why(guess: Guess) -> str:
    """What speaks for an evaluation, in a sentence."""
    same = [ours for ours, theirs in guess.columns.items() if ours == theirs]
    told = [f"it has {', '.join(same)}"] if same else []
    told += [f"{theirs} is the {ours}" for ours, theirs in guess.columns.items() if ours != theirs]
    judges = guess.options.get("annotator_columns", ())
    told += [f"{', '.join(judges)} {'hold' if len(judges) > 1 else 'holds'} votes"] if judges else []
    items = guess.options.get("item_columns", ())
    told += [f"a row is somebody's answers, and each of these columns an item: {listed(items)}"] if items else []
    return ", ".join(told) or "little speaks for it"


class _ReadError(Exception):
    """All that scoring reads was read, and no more is wanted."""


def _reading_alone(step: str) -> AbstractContextManager[object]:
    """The first step of scoring alone."""
    if step != "reading":
        raise _ReadError
    return nullcontext()
