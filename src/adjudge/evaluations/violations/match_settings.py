"""When a predicted violation matches a true one: the weights of what is compared, and thresholds."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from adjudge.errors import DataError
from adjudge.evaluations.violations.options import CalibrateOptions, MarkedOptions
from adjudge.readers.io.source import Source
from adjudge.report import Input
from adjudge.text.toml_files import toml_in

PARTS = ("overlap", "rule", "category", "explanation", "correction")
"""The parts of two violations that are compared; each gives a similarity in [0, 1]."""

DECIMALS = 12
"""Scores are rounded to this many decimals before they are compared with a threshold, which they must exceed."""

_SUM = 1e-9
"""The greatest distance of a sum of weights from 1."""


@dataclass(frozen=True, slots=True)
class MatchRule:
    """When two violations can match: each of these strictly exceeded.

    weights: part -> its weight in the score, >= 0, sum 1. score, overlap, rule: the thresholds, below 0 where there is
    none. What both violations of a pair lack has no threshold, and its weight goes to the other parts.
    """

    weights: Mapping[str, float]
    score: float = 0.5
    overlap: float = 0.0
    rule: float = 0.01

    @property
    def weighted_parts(self) -> list[str]:
        """The parts that weigh something."""
        return [part for part in PARTS if self.weights.get(part, 0.0) > 0]


VARIANTS = {
    "std": MatchRule({"overlap": 0.5, "rule": 0.5}),
    "ha": MatchRule({"overlap": 0.3, "rule": 0.3, "category": 0.1, "explanation": 0.2, "correction": 0.1}),
}
"""The standard match, and the human-aligned one."""

ALONE = MatchRule({"overlap": 1.0}, score=0.0, overlap=0.0, rule=-1.0)
"""The rule by which any two overlapping spans can match."""
OVERLAP = "overlap"
"""The variant that compares offsets alone."""


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
    return [f"no violation has {' or '.join(absent)}: {then}{gone}"]


Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]
Limit = Annotated[float, msgspec.Meta(ge=0, lt=1)] | Literal["off"]


class Settings(
    msgspec.Struct, forbid_unknown_fields=True, rename=lambda name: name if name == "weights" else f"{name}_threshold"
):
    """What a file of settings says of a variant; None or nothing where the default holds."""

    score: Limit | None = None
    overlap: Limit | None = None
    rule: Limit | None = None
    weights: dict[Literal["overlap", "rule", "category", "explanation", "correction"], Fraction] = {}


class SettingsFile(msgspec.Struct, forbid_unknown_fields=True):
    """What a file of settings says."""

    std: Settings = msgspec.field(default_factory=Settings)
    ha: Settings = msgspec.field(default_factory=Settings)


def rules_of(options: MarkedOptions | CalibrateOptions) -> tuple[dict[str, MatchRule], list[Input]]:
    """The rule of each variant that options ask for, as a file of settings changes it, and that file as an input."""
    path = None if options.config is None else Path(options.config)
    rules = read_settings(path) if path else VARIANTS
    chosen = {name: rules[name] for name in (rules if options.variant == "both" else [options.variant])}
    source = Source(str(path), "toml", path=path) if path else None
    return chosen, [Input(source.name, source.sha256(), 0, source.size)] if source else []


def read_settings(path: Path) -> dict[str, MatchRule]:
    """The rule of each variant, with the weights (all of them) and thresholds that a TOML file names.

    [ha]
    score_threshold = 0.42

    [ha.weights]
    overlap = 0.5
    rule = 0.5

    Raises DataError for anything else in it, OptionError for a file that cannot be read as TOML.
    """
    try:
        document = msgspec.convert(toml_in(path, "TOML"), SettingsFile)
    except msgspec.ValidationError as error:
        names = f"{', '.join(Settings.__struct_encode_fields__)} of {', '.join(PARTS)}"
        raise DataError(f"{path}: {error}", found=f"{', '.join(VARIANTS)}, with {names}") from None
    rules = {}
    for variant, rule in VARIANTS.items():
        settings = getattr(document, variant)
        total = fsum(settings.weights.values())
        if settings.weights and abs(total - 1) > _SUM:
            raise DataError(f"{path}, {variant}, weights: expected weights that sum to 1; got {total:.6g}")
        limits = {name: getattr(settings, name) for name in ("score", "overlap", "rule")}
        changed = {name: -1.0 if limit == "off" else limit for name, limit in limits.items() if limit is not None}
        rules[variant] = replace(rule, weights=settings.weights or rule.weights, **changed)
    return rules


def settings_text(variant: str, rule: MatchRule, remark: str) -> str:
    """The settings of a variant as TOML that `read_settings` reads, under a line of remark.

    >>> print(settings_text("ha", MatchRule({"rule": 1.0}, rule=-1.0), "made by hand"), end="")
    # made by hand
    <BLANKLINE>
    [ha]
    score_threshold = 0.5
    overlap_threshold = 0.0
    rule_threshold = "off"
    <BLANKLINE>
    [ha.weights]
    rule = 1.0
    """
    limits = {"score_threshold": rule.score, "overlap_threshold": rule.overlap, "rule_threshold": rule.rule}
    lines = [f"{name} = {limit}" if limit >= 0 else f'{name} = "off"' for name, limit in limits.items()]
    weights = [f"{part} = {weight}" for part, weight in rule.weights.items()]
    return "\n".join([f"# {remark}", "", f"[{variant}]", *lines, "", f"[{variant}.weights]", *weights, ""])
