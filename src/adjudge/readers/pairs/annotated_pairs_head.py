"""The beginning of AnnotatedPairs JSON: its metadata and annotators, and which columns its comparisons have."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from adjudge.errors import nearest
from adjudge.readers.io.json_documents import kind, not_plain, plain_text
from adjudge.readers.pairs.annotated_pairs import FIXED, SIDES, Places
from adjudge.readers.pairs.pairs import metadata_name
from adjudge.readers.problems import Findings
from adjudge.schemas.pairs import TRAIT, AnnotatedPairs, Annotator

_PRINCIPLE = re.compile(r"Select the (?:response|output|answer|text) that\s+")
_KEYS = "available_metadata_keys_per_comparison"
_TOLD = ("default_annotator", "dataset_name", "description", "created_at", "version")


def read_head(
    name: str, stem: str, members: Mapping[str, object], sample: Sequence[object]
) -> tuple[AnnotatedPairs, Places]:
    """The data set without its pairs, and the places of its columns of text.

    name: of the file, for messages. stem: the data set's name where the file does not say one. members: those of the
    document but for comparisons. sample: its first comparisons. Raises DataError where a member is not what it must be.
    """
    findings, held = Findings(), dict[str, dict[str, object]]()
    for key, missing in (("metadata", {}), ("annotators", None)):
        member = missing if members.get(key) is None else members[key]
        if wrong := not_plain(member):
            findings.add(f"{name}, {key}: {wrong if key in members else 'expected an object; got nothing'}")
        held[key] = member if isinstance(member, dict) else {}
    metadata, declared = held["metadata"], held["annotators"]
    annotators = [_annotator(f"{name}, annotators, {one:.60}", one, about, findings) for one, about in declared.items()]
    told = _texts(f"{name}, metadata", metadata, _TOLD, findings)
    default = told["default_annotator"]
    if default is not None and default not in declared:
        findings.add(
            f"{name}, metadata, default_annotator: expected one of the annotators declared; "
            f'got "{default:.60}"{nearest(default, declared)}'
        )
    keys = metadata.get(_KEYS) or []
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        findings.add(f"{name}, metadata, {_KEYS}: expected a list of names; got {kind(keys)}")
        keys = []
    findings.settle()
    further = _further(keys, sample)
    head = AnnotatedPairs(told["dataset_name"] or stem, pl.LazyFrame(), tuple(annotators), default, tuple(further))
    return replace(head, description=told["description"], created_at=told["created_at"]), {**FIXED, **further}


def _texts(place: str, holder: Mapping[str, object], keys: Sequence[str], findings: Findings) -> dict[str, str | None]:
    """Texts of an object; anything else is a problem."""
    for key in keys:
        if isinstance(holder.get(key), list | dict):
            findings.add(f"{place}, {key}: expected text; got {kind(holder[key])}")
    return {key: plain_text(holder.get(key)) for key in keys}


def _annotator(place: str, annotator: str, about: object, findings: Findings) -> Annotator:
    if not isinstance(about, dict):
        findings.add(f"{place}: expected an object; got {kind(about)}")
        return Annotator(annotator)
    texts = _texts(place, about, ("name", "description", "type"), findings)
    name = texts["name"] or principle(texts["description"] or "", texts["type"])
    return Annotator(annotator, name, texts["description"], texts["type"] or "unknown")


def principle(description: str, kind: str | None) -> str | None:
    """What an annotator that follows a principle votes for, in short; None for other descriptions.

    >>> principle("Select the response that is more polite.", "principle"), principle("A person", "human")
    ('is more polite', None)
    """
    short, cut = _PRINCIPLE.subn("", description.strip(), count=1)
    return (short.strip(" .") or None) if cut or kind == TRAIT else None


def _further(declared: Sequence[str], sample: Sequence[object]) -> Places:
    """The places of all that comparisons hold beside what every one does."""
    found = dict.fromkeys(("metadata", key) for key in declared)
    for holder in ("metadata", *SIDES):
        inner = [one[holder] for one in sample if isinstance(one, dict) and isinstance(one.get(holder), dict)]
        found |= dict.fromkeys((holder, key) for one in inner for key in one if (holder, key) not in FIXED.values())
    return {(metadata_name(key) if holder == "metadata" else f"{holder}.{key}"): (holder, key) for holder, key in found}
