"""Adjudge evaluates annotators, LLM judges, predictors of preferences, checkers and RAG systems.

It compares their labels with reference labels, item by item, and reports metrics with confidence intervals and tests.
All public names are here, and nowhere else: `__init__.pyi` lists them. They are loaded on first use, so that importing
Adjudge, or calling one of its commands, loads neither a heavy library nor unneeded modules.
"""

from importlib import import_module

with open(f"{__file__}i", encoding="utf-8") as _stub:  # noqa: PTH123 - for speed
    _HOMES = {words[3]: words[1] for words in map(str.split, _stub) if "import" in words}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    """A public name, imported on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return __all__
