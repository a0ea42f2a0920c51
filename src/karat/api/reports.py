"""What every evaluation's figures become: a Report with its signature, its first outcomes and its examples."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat import __version__
from karat.api.arguments import Progress
from karat.evaluations import evaluation as about
from karat.report import Input, Items, Report
from karat.signature import command_line, signature

if TYPE_CHECKING:
    import polars as pl

MadeBy = Mapping[str, Any]
"""What a report says of how it was made: its version, evaluation, signature, options and inputs."""

Writer = Callable[[MadeBy], Items]
"""Writes outcomes, with what says how they were made, to where they were asked for."""

TextsOf = Callable[["pl.DataFrame"], list[dict[str, str]]]
"""From rows of outcomes to what the inputs say of each: name -> text."""

FIRST_ITEMS = 10
"""How many judgments' outcomes a report keeps."""

_SAMPLED = 100_000
"""How many judgments, at most, examples are chosen from."""


def report_of(
    function: Callable[..., Report],
    options: Mapping[str, Any],
    inputs: tuple[Input, ...],
    tables: Mapping[str, "pl.DataFrame"],
    *,
    items: Writer | Items,
    named: Sequence[str] = (),
    found: Mapping[str, Any] | None = None,
    evaluation: str = "",
    command: str = "",
    **rest: Any,  # noqa: ANN401 - the other fields of a Report
) -> Report:
    """A Report of what `function` found, with its signature and the command that gives the same.

    items: the outcomes, or what writes them. named: options that name a further input, the last of `inputs`; its hash
    says more than its name. found: settings that the data decided, for the signature alone. evaluation: where the
    function's name does not say it; command: where it is not to score.
    """
    evaluation = evaluation or function.__name__
    figures = {name: value for name, value in options.items() if name not in ("examples", *named)}
    defaults = {name: one.default for name, one in inspect.signature(function).parameters.items()}
    paths = [one.path for one in inputs[: len(inputs) - len(named)]]
    repeatable = all(Path(one.path).is_file() for one in inputs)
    made: dict[str, Any] = {
        "karat": __version__,
        "evaluation": evaluation,
        "signature": signature(__version__, evaluation, {**figures, **(found or {})}, inputs),
        "options": options,
        "inputs": inputs,
    }
    words = command or f"{evaluation} score"
    return Report(
        about=about(evaluation, tables),
        tables=tables,
        items=items if isinstance(items, Items) else items(made),
        command=command_line(words, paths, options, defaults) if repeatable else None,
        **{name: value for name, value in made.items() if name != "evaluation"},
        **rest,
    )


def by_item(texts_of: Callable[[list[str]], dict[str, dict[str, str]]]) -> TextsOf:
    """Texts of items as texts of rows."""

    def of_rows(rows: "pl.DataFrame") -> list[dict[str, str]]:
        found = texts_of(rows["item"].unique().to_list())
        return [found.get(item, {}) for item in rows["item"]]

    return of_rows


def items_of(
    outcome: "pl.LazyFrame", first: "pl.LazyFrame", rows: int, path: str | Path | None, step: Progress
) -> Writer:
    """What keeps the first outcomes, and writes all of them to a file where one is asked for."""

    def write(made: MadeBy) -> Items:
        from karat.render.files import sha256_of, write_items
        from karat.schemas.outcomes import as_text

        head = as_text(first).collect()
        if path is None:
            return Items(head, rows)
        with step("writing items"):
            write_items(as_text(outcome), Path(path), {**made, "rows": rows})
        return Items(head, rows, str(path), sha256_of(Path(path)))

    return write


def sampled(frame: "pl.LazyFrame", height: int, seed: int) -> "pl.LazyFrame":
    """At most _SAMPLED rows, drawn at random, in random order."""
    import numpy as np
    import polars as pl

    drawn = np.random.default_rng(seed).choice(height, size=min(height, _SAMPLED), replace=False)
    return frame.select(pl.all().gather(drawn))


def examples_of(
    sample: "pl.LazyFrame",
    kinds: Sequence[str],
    count: int,
    texts_of: TextsOf,
    seed: int,
    unsaid: Sequence[str] = (),
) -> "pl.DataFrame":
    """Up to `count` of the sampled outcomes of each kind, with what the inputs' texts say of them.

    unsaid: columns that tell a reader nothing.
    """
    import polars as pl

    from karat.schemas.outcomes import as_text

    rows = as_text(sample).filter(pl.col("outcome").is_in(kinds)).collect()
    rows = rows.sample(fraction=1, shuffle=True, seed=seed)
    order = pl.col("outcome").replace_strict(kinds, range(len(kinds)), return_dtype=pl.Int64)
    chosen = rows.filter(pl.int_range(pl.len()).over("outcome") < count).sort(order, maintain_order=True)
    texts = texts_of(chosen) if chosen.height else []
    names = sorted({name for row in texts for name in row}.difference(chosen.columns))
    beside = {name: [row.get(name) for row in texts] for name in names}
    added = [pl.Series(name, text, pl.String) for name, text in beside.items()]
    return chosen.drop("value", "cluster", *unsaid).with_columns(added)


def silent(_: str) -> AbstractContextManager[object]:
    """A progress that shows nothing."""
    return nullcontext()
