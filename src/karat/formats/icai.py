"""A folder of results of ICAI (inverse-cai): the AnnotatedPairs file in it, or one made of its log files.

Newer versions write `070_annotations_train_ap.json`. Older ones log the pairs (`000_train_data.csv`), the principles
(`030_distilled_principles_per_cluster.json`: a number -> the principle) and the votes (`040_votes_per_comparison.csv`:
for each pair a dictionary of Python's, number of a principle -> whether it votes as preferred_text does, None where it
does not apply, or "invalid").
"""

import ast
import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from karat.errors import DataError
from karat.formats.documents import parse
from karat.formats.findings import counted
from karat.formats.scratch import scratch_file
from karat.formats.source import Source, decode

PAIRS = "070_annotations_train_ap.json"
_TRAINED, _PRINCIPLES, _VOTES = (
    "000_train_data.csv",
    "030_distilled_principles_per_cluster.json",
    "040_votes_per_comparison.csv",
)
_DEFAULT = "preferred_text"
_OTHER = {"text_a": "text_b", "text_b": "text_a"}
_NEEDED = ("index", "text_a", "text_b", _DEFAULT)
_FIXED = {"index", "text_a", "text_b", "model_a", "model_b", "input", "prompt", _DEFAULT}


def results_in(folder: Path) -> Path | None:
    """The folder with the results of ICAI: this one, or `results` in it. None for other folders."""
    for one in (folder, folder / "results"):
        if (one / PAIRS).is_file() or all((one / name).is_file() for name in (_TRAINED, _PRINCIPLES, _VOTES)):
            return one
    return None


def icai_source(folder: Path, results: Path, source: Source) -> Source:
    """The results as an AnnotatedPairs file. source: what is known of it. Raises DataError for logs that are none."""
    named = folder.parent.name if folder.name == "results" else folder.name
    if (results / PAIRS).is_file():
        return _at(source, results / PAIRS, named)
    document = _document(results, named)
    path = scratch_file("icai.json")
    path.write_text(json.dumps(document), encoding="utf-8")
    return _at(source, path, named)


def _at(source: Source, path: Path, named: str) -> Source:
    return Source(source.name, source.how.input_format or "json", path, how=source.how, held=f"{named}.json")


def _document(results: Path, name: str) -> dict[str, Any]:
    """The logs as a document of AnnotatedPairs."""
    principles = parse(
        decode((results / _PRINCIPLES).read_bytes(), str(results / _PRINCIPLES)), str(results / _PRINCIPLES)
    )
    if not isinstance(principles, dict) or not all(isinstance(one, str) for one in principles.values()):
        raise DataError(f"{results / _PRINCIPLES}: expected an object of numbers and principles; got something else")
    pairs, votes = list(_rows(results / _TRAINED)), dict(_votes(results / _VOTES))
    missing = [name for name in _NEEDED if not pairs or name not in pairs[0]]
    if missing:
        raise DataError(
            f"{results / _TRAINED}: expected rows with the columns {', '.join(_NEEDED)}; got no {missing[0]}"
        )
    judges = [name for name in pairs[0] if name not in _FIXED and _is_judge(pairs, name)]
    annotators = {_DEFAULT: {"type": "unknown"}, **{one: {"type": "unknown"} for one in judges}}
    annotators |= {_id(one): {"description": one, "type": "principle"} for one in principles.values()}
    ids = {number: _id(one) for number, one in principles.items()}
    lacking = [pair["index"] for pair in pairs if pair.get("index") not in votes]
    if lacking:
        hold = counted(len(lacking), "pair has", "pairs have")
        raise DataError(f"{results / _VOTES}: expected votes on each pair; {hold} none, such as {lacking[0]:.60}")
    comparisons = [_comparison(pair, votes[pair["index"]], ids, judges) for pair in pairs]
    metadata = {"version": "2.0", "dataset_name": name, "default_annotator": _DEFAULT}
    return {"metadata": metadata, "annotators": annotators, "comparisons": comparisons}


def _id(principle: str) -> str:
    """The id that ICAI gives a principle."""
    return hashlib.md5(principle.encode(), usedforsecurity=False).hexdigest()[:8]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a CSV, of which names that stand twice hold the same."""
    reader = csv.reader(io.StringIO(decode(path.read_bytes(), str(path)), newline=""))
    header = next(reader, [])
    for number, row in enumerate(reader, 1):
        if len(row) != len(header):
            raise DataError(f"{path}, row {number}: expected {len(header)} cells, as in line 1; got {len(row)}")
        yield dict(zip(header, row, strict=True))


def _votes(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The index of each pair with the votes on it, by number of the principle."""
    for number, row in enumerate(_rows(path), 1):
        try:
            said = ast.literal_eval(row.get("votes", ""))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise DataError(f"{path}, row {number}, column votes: expected a dictionary; got {row.get('votes'):.60}")
        yield row.get("index", ""), {str(key): vote for key, vote in said.items()}


def _is_judge(pairs: list[dict[str, str]], name: str) -> bool:
    """Whether a column holds votes."""
    return any(pair[name] in _OTHER for pair in pairs)


def _comparison(
    pair: Mapping[str, str], votes: Mapping[str, Any], ids: Mapping[str, str], judges: list[str]
) -> dict[str, Any]:
    preferred = pair.get(_DEFAULT, "")
    cast: dict[str, dict[str, str | None]] = {one: {"pref": pair[one]} for one in (_DEFAULT, *judges) if pair.get(one)}
    cast |= {one: _annotation(votes.get(number), preferred) for number, one in ids.items()}
    responses = {
        f"response_{side}": {"text": pair.get(f"text_{side}"), "model": pair.get(f"model_{side}") or None}
        for side in "ab"
    }
    metadata = {name: value for name, value in pair.items() if name not in {*_FIXED, *judges}}
    prompt = pair.get("input") or pair.get("prompt") or None
    return {"id": pair.get("index"), "prompt": prompt, **responses, "annotations": cast, "metadata": metadata}


def _annotation(vote: object, preferred: str) -> dict[str, str | None]:
    """A principle's vote, of whether it agrees with the preferred text."""
    if vote is True or vote is False:
        return {"pref": preferred if vote else _OTHER.get(preferred, "nan")}
    return {"pref": None, "no_pref_reason": "not_applicable" if vote is None else str(vote)}
