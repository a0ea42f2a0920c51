"""When a predicted violation matches a true one: the weights of what is compared, and thresholds."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, isfinite
from numbers import Real
from pathlib import Path
from sys import maxsize
from typing import Any, Literal

from adjudge.errors import DataError, OptionError, closest
from adjudge.evaluations.violations.options import Limit, MarkedOptions, MatchLimitOptions, ViolationsOptions
from adjudge.readers.io.source import Source
from adjudge.report import Input
from adjudge.text.toml_files import toml_in

PARTS = ("overlap", "rule", "category", "explanation", "correction")
"""The parts of two violations that are compared; each gives a similarity in [0, 1]."""

DECIMALS = 12
"""Scores are rounded to this many decimals before they are compared with a threshold, which they must exceed."""

_SUM = 1e-9
"""The greatest distance of a sum of weights from 1."""


MOST_OVERLAPS = 1 << 21
"""Pairs of overlapping violations in a text. To compare as many takes 0.9 GB: 1,450 of either side that all overlap."""


@dataclass(frozen=True, slots=True)
class MatchRule:
    """When two violations can match: each of these strictly exceeded.

    weights: part -> its weight in the score, >= 0, sum 1. score, overlap, rule: the thresholds, below 0 where there is
    none. What both violations of a pair lack has no threshold, and its weight goes to the other parts. assignment:
    which of several possible matches are taken. most: how many pairs of overlapping violations a text may have.
    """

    weights: Mapping[str, float]
    score: float = 0.5
    overlap: float = 0.0
    rule: float = 0.01
    assignment: Literal["greedy", "optimal"] = "greedy"
    most: int = MOST_OVERLAPS

    @property
    def weighted_parts(self) -> list[str]:
        """The parts that weigh something."""
        return [part for part in PARTS if self.weights.get(part, 0.0) > 0]


VARIANTS = {
    "std": MatchRule({"overlap": 0.5, "rule": 0.5}),
    "ha": MatchRule({"overlap": 0.3, "rule": 0.3, "category": 0.1, "explanation": 0.2, "correction": 0.1}),
}
"""The standard match, and the human-aligned one."""

ALONE = MatchRule({"overlap": 1.0}, score=0.0, overlap=0.0, rule=-1.0, most=maxsize)
"""The rule by which any two overlapping spans can match."""
OVERLAP = "overlap"
"""The variant that compares offsets alone."""

OFF = "off"
"""In place of a threshold: there is none."""
_NO_LIMIT = -1.0

THRESHOLDS = {"score_threshold": "score", "overlap_threshold": "overlap", "rule_threshold": "rule"}
"""What thresholds are called as options -> in a MatchRule."""


def change_rule(
    rule: MatchRule, weights: Mapping[str, object], thresholds: Mapping[str, object], where: str
) -> MatchRule:
    """A rule with other weights (all of them, or none) and thresholds (those that are not None).

    where: what messages call the weights and stand before the thresholds' names.
    Raises OptionError for weights that do not sum to 1, unknown parts, and anything outside [0, 1].
    """
    for name in weights:
        if name not in PARTS:
            fix = (near := closest(name, PARTS)) and f"{near}={weights[name]}"
            raise _refusal(f"{where}weights", f"no part {name}", found=", ".join(PARTS), fix=fix)
    new_weights = {name: _fraction(f"{where}weights", value, f"{name} from 0 to 1") for name, value in weights.items()}
    total = fsum(new_weights.values())
    if weights and abs(total - 1) > _SUM:
        raise _refusal(f"{where}weights", f"expected weights that sum to 1; got {total:.6g}")
    limits = {}
    for name, value in thresholds.items():
        if value is not None:
            of_limit = f"a number from 0 to 1, or {OFF}"
            limit = _NO_LIMIT if value == OFF else _fraction(where + name, value, of_limit)
            if limit == 1:
                raise _refusal(where + name, f"expected a number below 1, since nothing can lie above 1; got {value}")
            limits[THRESHOLDS[name]] = limit
    return replace(rule, weights=new_weights or rule.weights, **limits)  # type: ignore[arg-type]


def _fraction(name: str, value: object, expected: str) -> float:
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else -1.0
    if not (isfinite(number) and 0 <= number <= 1):
        raise _refusal(name, f"expected {expected}; got {value!r:.60}")
    return number


def _refusal(name: str, problem: str, **advice: str) -> OptionError:
    """The error of a setting. name: the option's, or its place in a file."""
    of_option = name.isidentifier()
    return OptionError(problem if of_option else f"{name}: {problem}", option=name if of_option else "", **advice)


def without_parts(rule: MatchRule, absent: Collection[str]) -> MatchRule:
    """The rule for data in which no violation has some parts: their weight goes to the others in proportion.

    Without rules, the threshold of rules goes too. Where nothing that weighs is left, overlap alone decides.
    """
    kept = {part: rule.weights[part] for part in rule.weighted_parts if part not in absent}
    total = fsum(kept.values())
    weights = {part: weight / total for part, weight in kept.items()} if kept else {"overlap": 1.0}
    return replace(rule, weights=weights, rule=-1.0 if "rule" in absent else rule.rule)


def rule_formula(rule: MatchRule, what: str) -> str:
    """A rule in words. what: what its thresholds decide, such as "a match"."""
    score = " + ".join(f"{rule.weights[part]:.3g} {part}" for part in rule.weighted_parts)
    limits = {"score": rule.score, "overlap": max(rule.overlap, 0.0), "rule": rule.rule}
    conditions = ", ".join(f"{name} > {limit:g}" for name, limit in limits.items() if limit >= 0)
    return f"score = {score}; {what} needs {conditions}"


def absent_part_warnings(absent: Sequence[str], then: str) -> list[str]:
    """A warning about parts that no violation has. then: what becomes of their weights."""
    if not absent:
        return []
    gone = ", and the threshold of rules is left out" if "rule" in absent else ""
    *first, last = absent
    parts = f"{', '.join(first)} or {last}" if first else last
    return [f"no violation has {parts}: {then}{gone}"]


def rules_of(options: MarkedOptions) -> tuple[dict[str, MatchRule], Input | None]:
    """The rule of each variant that options ask for, and the file of settings as an input.

    Options take precedence over the file, and the file over the defaults.
    """
    path = options.config
    file_settings = read_settings(Path(path)) if path else {}
    rules = {}
    for name in VARIANTS if options.variant == "both" else [options.variant]:
        variant_settings = dict(file_settings.get(name, {}))
        rule = change_rule(VARIANTS[name], variant_settings.pop("weights", {}), variant_settings, f"{path}, {name}, ")
        if isinstance(options, ViolationsOptions):
            weights = options.std_weights if name == "std" else options.ha_weights
            limits = limits_of(options) | {"score_threshold": options.score_threshold}
            rule = change_rule(change_rule(rule, {}, limits, ""), weights, {}, f"{name}_")
            rule = replace(rule, assignment=options.assignment)
        rules[name] = replace(rule, most=options.max_overlaps or MOST_OVERLAPS)
    source = Source(str(path), "toml", path=Path(path)) if path else None
    return rules, Input(source.name, source.sha256(), 0, source.size) if source else None


def limits_of(options: MatchLimitOptions) -> dict[str, Limit]:
    """The thresholds that options name, but for that of scores."""
    return {"overlap_threshold": options.overlap_threshold, "rule_threshold": options.rule_threshold}


def read_settings(path: Path) -> dict[str, dict[str, Any]]:
    """What a TOML file says of each variant: `weights` (part -> number) and thresholds, neither checked further.

    [ha]
    score_threshold = 0.42

    [ha.weights]
    overlap = 0.5
    rule = 0.5

    Raises DataError for anything else in it, OptionError for a file that cannot be read as TOML.
    """
    document = toml_in(path, "TOML")
    _check_table(str(path), document, VARIANTS)
    for variant, settings in document.items():
        _check_table(f"{path}, {variant}", settings, ["weights", *THRESHOLDS])
        _check_table(f"{path}, {variant}.weights", settings.get("weights", {}), None)
    return document


def _check_table(where: str, value: object, known: Collection[str] | None) -> None:
    """Raises DataError for what is no table, and for names that are not known."""
    if not isinstance(value, dict):
        raise DataError(f"{where}: expected a table of names and values; got {value!r:.60}")
    for name in value:
        if known is not None and name not in known:
            raise DataError(f'{where}: no setting "{name:.60}"', found=", ".join(known), fix=closest(name, known))


def settings_text(settings: Mapping[str, Mapping[str, float | str | Mapping[str, float]]], remark: str) -> str:
    """Settings as TOML that `read_settings` reads, under a line of remark.

    >>> print(settings_text({"ha": {"score_threshold": 0.5, "weights": {"rule": 1.0}}}, "made by hand"), end="")
    # made by hand
    <BLANKLINE>
    [ha]
    score_threshold = 0.5
    <BLANKLINE>
    [ha.weights]
    rule = 1.0
    """
    lines = [f"# {remark}"]
    for variant, own in settings.items():
        lines += ["", f"[{variant}]"]
        lines += [f"{name} = {one!r}" for name, one in own.items() if isinstance(one, float | str)]
        for name, one in own.items():
            if isinstance(one, Mapping):
                lines += ["", f"[{variant}.{name}]", *(f"{part} = {weight!r}" for part, weight in one.items())]
    return "\n".join(lines) + "\n"
