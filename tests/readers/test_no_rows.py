"""A file without rows, of any form and in any role, is refused in words: no figure is made from nothing."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import adjudge
from adjudge import DataError
from made_samples import ANSWERED, JUDGED, MARKED, PREFERRED, SCORES, VOTED

LONG = {"id": ["1", "2"], "criterion": "safety", "label": ["A", "B"]}
TRUE = {"id": ["1", "2"], "answer": "Lima"}
ASKED = [{name: row[name] for name in ("id", "ability", "model", "response")} for row in ANSWERED]
VERDICTS = {"id": ["1", "2"], "model": "m", "correct": "true"}
SAFETY = {"criteria": ["safety"]}


@dataclass(frozen=True)
class Role:
    """What a file is to a function. table: what it would hold. run: takes it, and a full file of `beside`."""

    name: str
    table: Any
    run: Callable[[Any, Any], object]
    beside: Any = None


ROLES = [
    Role("judgments", JUDGED, lambda it, _: adjudge.reliability(it)),
    Role("judgments beside others", JUDGED, lambda it, full: adjudge.reliability([full, it]), JUDGED),
    Role("votes", VOTED, lambda it, _: adjudge.annotations(it, reference="ana")),
    Role("votes beside others", VOTED, lambda it, full: adjudge.annotations([full, it], reference="ana"), VOTED),
    Role("pairs to convert", VOTED, lambda it, _: adjudge.convert(it, Path("out.json"), evaluation="annotations")),
    Role("gold", PREFERRED, lambda it, full: adjudge.preferences(it, full, **SAFETY), PREFERRED),
    Role("long gold", LONG, lambda it, full: adjudge.preferences(it, full, **SAFETY), PREFERRED),
    Role("predictions", PREFERRED, lambda it, full: adjudge.preferences(full, it, **SAFETY), PREFERRED),
    Role("long predictions", LONG, lambda it, full: adjudge.preferences(full, it, **SAFETY), PREFERRED),
    Role("scores", SCORES, lambda it, _: adjudge.rank_preferences(it)),
    Role("scores beside others", SCORES, lambda it, full: adjudge.rank_preferences([full, it]), SCORES),
    Role("truth", MARKED, adjudge.violations, MARKED),
    Role("marks", MARKED, lambda it, full: adjudge.violations(full, it), MARKED),
    Role("answers", ANSWERED, lambda it, _: adjudge.rag(it)),
    Role("answers beside others", ANSWERED, lambda it, full: adjudge.rag([full, it]), ANSWERED),
    Role("true answers", TRUE, lambda it, full: adjudge.rag(full, gold=it), ASKED),
    Role("verdicts", VERDICTS, lambda it, full: adjudge.rag(full, verdicts=it), ANSWERED),
]  # fmt: skip


def parquet(table: pl.DataFrame) -> bytes:
    held = io.BytesIO()
    table.write_parquet(held)
    return held.getvalue()


EMPTY: dict[str, Callable[[pl.DataFrame], bytes]] = {
    "csv": lambda table: table.write_csv().encode(),
    "tsv": lambda table: table.write_csv(separator="\t").encode(),
    "json": lambda _: b"[]",
    "jsonl": lambda _: b"\n\n\n",
    "txt": lambda _: b"",
    "parquet": parquet,
}


@pytest.mark.parametrize("ending", EMPTY)
@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_file_without_rows_is_refused_by_name(tmp_path, monkeypatch, role, ending):
    monkeypatch.chdir(tmp_path)
    path, full = tmp_path / f"nothing.{ending}", tmp_path / "full.csv"
    path.write_bytes(EMPTY[ending](pl.DataFrame(role.table).clear()))
    if role.beside:
        pl.DataFrame(role.beside).write_csv(full)
    with pytest.raises(DataError, match=r"no \w+ found|is empty|expected (at least one text|a list)") as caught:
        role.run(path, full)
    assert str(caught.value).startswith(str(path))
    assert not Path("out.json").exists()


def test_a_table_without_rows_is_refused():
    """Of a checker it says that it finds nothing, which a warning repeats."""
    marked, preferred = pl.DataFrame(MARKED), pl.DataFrame(PREFERRED)
    with pytest.raises(DataError, match="no rows found"):
        adjudge.reliability(pl.DataFrame(JUDGED).clear())
    with pytest.raises(DataError, match="no rows found"):
        adjudge.preferences(preferred, preferred.clear(), **SAFETY)
    assert any("lacks 2 of 2 texts" in one for one in adjudge.violations(marked, marked.clear()).warnings)
