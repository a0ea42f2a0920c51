"""Which columns of a table hold labels of one kind, and so those of several annotators."""

from collections.abc import Container, Iterable, Sequence

from adjudge.look.column_profile import Table
from adjudge.readers.column_names import joined, words
from adjudge.readers.column_synonyms import ANNOTATOR, MODEL_NAMES, MODELS, TRUSTED

_ANNOTATORS = {*ANNOTATOR, *MODELS}


def alike(table: Table, names: Sequence[str], trusted: str | None) -> list[str]:
    """Columns that hold labels of one kind: of the trusted column, else the most that share theirs.

    Where the names of annotators have a word in common (rater_1, rater_2; human_label, gpt4_label), others with these
    labels are something else.
    """
    groups = [[other for other in names if share(table, one, other)] for one in ([trusted] if trusted else names)]
    best = max(groups, key=len, default=[])
    if not trusted and len(best) == 1:
        return []
    judges = _called(best, _ANNOTATORS)
    named = judges if len(judges) > 1 else [*judges, *_called(best, TRUSTED)]
    common = set.intersection(*(set(words(name)) for name in named)) - {*MODEL_NAMES, *TRUSTED} if named else set()
    common = {word for word in common if len(word) > 1 and not word.isdigit()}  # as in gpt-4o and gpt-4o-mini
    fitting = [name for name in best if common <= set(words(name)) or name in _called(best, TRUSTED)]
    return fitting if len(fitting) > 1 else best


def _called(names: Sequence[str], meaning: Container[str]) -> list[str]:
    return [name for name in names if any(one in meaning for one in (*words(name), joined(name)))]


def kinds_of(names: Sequence[str]) -> list[list[str]]:
    """Columns of several criteria, each of which everyone judged (ana_tone, ana_style, ben_tone, ben_style), by these.

    Empty where names do not say so.
    """
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(words(name)[-1:][0] if len(words(name)) > 1 else "", []).append(name)
    everyone = {frozenset(words(name)[:-1] for name in own) for own in kinds.values()}
    several = len(kinds) > 1 and len(everyone) == 1 and min(map(len, kinds.values())) > 1
    return list(kinds.values()) if several and not any(kind.isdigit() for kind in kinds) else []


def share(table: Table, one: str, other: str) -> bool:
    """Whether two columns hold the same labels: most of the fewer, or of numbers, which mean little, most of both.

    Decimals need not be the same, but most of the same range.
    """
    ours, theirs = table[one].folded, table[other].folded
    kinds = {table[one].kind, table[other].kind}
    if "decimals" in kinds and kinds <= {"decimals", "whole numbers"}:
        ranges = [sorted(float(text.replace(",", ".")) for text in texts) for texts in (ours, theirs)]
        low, *_, high = sorted(end for values in ranges for end in (values[0], values[-1]))
        both = min(values[-1] for values in ranges) - max(values[0] for values in ranges)
        return both * 2 >= high - low
    sizes = len(ours), len(theirs)
    least = min(sizes) if table[one].kind == "text" else max(sizes)
    return len(ours & theirs) * 2 >= least


def only(table: Table, names: Iterable[str]) -> Table:
    """The table with some of its columns alone."""
    return Table({name: table[name] for name in names})
