"""The rules that texts are checked against."""

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.errors import DataError
from adjudge.readers.io.source import Source
from adjudge.readers.tables import read_texts, scan, schema_of


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name, what it asks for, and the category of what breaks it, if any."""

    name: str
    description: str
    category: str | None = None


def read_rules(source: Source) -> list[Rule]:
    """The rules in a table of rule, description and category (the last two may be missing).

    Raises DataError for a table without rules, and for a rule that stands twice.
    """
    check_needed(source, ("rule",))
    table = read_texts(
        source, {name: name for name in ("rule", "description", "category")}, ("description", "category")
    )
    names = table["rule"].to_list()
    twice = next((name for name in names if names.count(name) > 1), None)
    if not names or None in names or twice is not None:
        got = "none" if not names else "an empty name" if None in names else f'"{twice}" twice'
        raise DataError(f"{source.name}: expected a row per rule, with its name in the column rule; got {got}")
    many = zip(*(table[name].to_list() for name in ("rule", "description", "category")), strict=True)
    return [Rule(name, description or name, category) for name, description, category in many]


def check_needed(source: Source, needed: Sequence[str]) -> None:
    """Raises DataError where a table lacks a column. It has no other name, since --columns is for the texts."""
    found = schema_of(source, scan(source, wanted=needed)).names()
    lacking = [name for name in needed if name not in found]
    if lacking:
        raise DataError(f"{source.name}: expected a column {', '.join(lacking)}; got {', '.join(found) or 'none':.300}")


def listed(rules: Sequence[Rule]) -> str:
    """Rules as a prompt lists them."""
    return "\n".join(
        f"- {rule.name}: {rule.description}" if rule.description != rule.name else f"- {rule.name}" for rule in rules
    )
