"""Sources of votes: annotators of the file, models ("the response that this model wrote"), and style rules."""

from collections.abc import Callable, Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import islice

import polars as pl

from adjudge.errors import OptionError, closest, named
from adjudge.evaluations.annotations.outcomes import LONGER_VOTE
from adjudge.schemas.outcomes import first_match
from adjudge.schemas.pairs import CODE, AnnotatedPairs, Annotator, PeersByAnnotator
from adjudge.text.style import RULES, StyleRule, prefers

STYLE = "style:"
MODEL = "model:"


def find_annotators(
    pairs: AnnotatedPairs, patterns: Sequence[str], references: Sequence[str], *, style: bool, against: str | None
) -> tuple[PeersByAnnotator, pl.LazyFrame]:
    """The references with the annotators that the patterns pick, and the pairs with a column of votes for each.

    patterns: ids, names, descriptions or patterns with * and ?; none picks all of the file. style: the style rules too.
    references: the same; the data set's default annotator if there are none. against: the only opponents that count for
    `model:` annotators. Raises OptionError for a name that no annotator has.
    """
    everyone = _candidates(pairs, [*patterns, *references], style=style, against=against)
    trusted = _find_references(pairs, everyone, references)
    wanted = [*patterns, *([STYLE + "*"] if style else [])]
    picked = [one for pattern in wanted for one in _find_matches(everyone, pattern, pairs, "annotator")]
    chosen = dict.fromkeys([*(() if patterns else pairs.annotators), *picked])
    beside = {each: tuple(one for one in chosen if one != each or each.id in patterns) for each in trusted}
    if alone := [each.id for each, others in beside.items() if not others]:
        problem = f"{pairs.name}: no annotator is left beside the reference {alone[0]}"
        raise OptionError(problem, fix=f"give the votes of others too, or {named('style')} where there are responses")
    votes = {one.column: made for one in (*chosen, *trusted) if (made := everyone[one]) is not None}
    return beside, pairs.frame.with_columns(**(votes | {LONGER_VOTE: _rule_votes(RULES["longer"])}))


def _candidates(
    pairs: AnnotatedPairs, names: Sequence[str], *, style: bool, against: str | None
) -> dict[Annotator, pl.Expr | None]:
    """All annotators that options may name, with the votes of those without a column in the file."""
    everyone: dict[Annotator, pl.Expr | None] = dict.fromkeys(pairs.annotators)
    if style or any(name.startswith(STYLE) for name in names):
        for rule in RULES.values():
            everyone[Annotator(STYLE + rule.id, rule.name, rule.description, "rule")] = _rule_votes(rule)
    if any(name.startswith(MODEL) for name in names):
        for name in models_of(pairs.frame) if pairs.models is None else pairs.models:
            everyone[Annotator(MODEL + name, name, None, "model")] = _model_votes(name, against)
    return everyone


def models_of(frame: pl.LazyFrame) -> list[str]:
    """The models that wrote the responses, sorted by name."""
    models = frame.select(pl.concat_list("model_a", "model_b").explode().unique().drop_nulls()).collect()
    return sorted(models.to_series().to_list())


def _find_references(
    pairs: AnnotatedPairs, everyone: Collection[Annotator], references: Sequence[str]
) -> list[Annotator]:
    if not references and pairs.default is None:
        raise OptionError.no_reference(
            f"{pairs.name}: no reference annotator",
            [one.id for one in everyone],
            found=_ids(everyone),
            fix=f"{named('reference')} NAME",
        )
    trusted: dict[Annotator, None] = {}
    for wanted in references or [pairs.default or ""]:
        matches = _find_matches(everyone, wanted, pairs, "reference")
        if len(matches) > 1 and wanted in (matches[0].name, matches[0].description):
            problem = f'{pairs.name}: {len(matches)} annotators have the name "{wanted}"'
            raise OptionError(f"{problem}; use an id: {_ids(matches)}", option="reference", fix=matches[0].id)
        trusted |= dict.fromkeys(matches)
    return list(trusted)


def _find_matches(everyone: Collection[Annotator], wanted: str, pairs: AnnotatedPairs, option: str) -> list[Annotator]:
    """The annotators with this id, else name, else description, else those one of which matches the pattern."""
    tests: list[Callable[[Annotator], bool]] = [
        lambda one: one.id == wanted,
        lambda one: one.name == wanted,
        lambda one: one.description == wanted,
        lambda one: any(fnmatchcase(said or "", wanted) for said in (one.id, one.name, one.description)),
    ]
    for test in tests:
        if matches := list(filter(test, everyone)):
            return matches
    names = [one.id for one in everyone] + [one.name for one in everyone if one.name]
    problem = f'{pairs.name}: no annotator "{wanted}"; there are {_ids(everyone)} ...'
    raise OptionError(problem, option=option, fix=closest(wanted, names))


def _ids(annotators: Iterable[Annotator]) -> str:
    """The ids of the first few."""
    return ", ".join(one.id for one in islice(annotators, 8))


def _rule_votes(rule: StyleRule) -> pl.Expr:
    """The vote of a style rule; neither where both texts score the same."""
    preference = prefers(rule, length_a="length_a", length_b="length_b")
    return _vote_codes(preference > 0, preference < 0, "neither")


def _model_votes(model: str, against: str | None) -> pl.Expr:
    """The response that a model wrote; not applicable where it wrote both, none, or meets another opponent."""
    wrote_a, wrote_b = (pl.col(side).eq_missing(pl.lit(model)) for side in ("model_a", "model_b"))
    meets_a, meets_b = (
        pl.lit(value=True) if against is None else pl.col(side).eq_missing(pl.lit(against))
        for side in ("model_a", "model_b")
    )
    return _vote_codes(wrote_a & ~wrote_b & meets_b, wrote_b & ~wrote_a & meets_a, "not_applicable")


def _vote_codes(text_a: pl.Expr, text_b: pl.Expr, otherwise: str) -> pl.Expr:
    return first_match({CODE["text_a"]: text_a, CODE["text_b"]: text_b}, CODE[otherwise], pl.UInt8())
