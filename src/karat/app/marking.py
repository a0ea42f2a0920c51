"""Violations that a person marks in texts, and the ground truth with them."""

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl
import streamlit as st

from karat.app import words
from karat.app.labelling import labelled
from karat.app.results import Result
from karat.formats.violations import VIOLATIONS
from karat.names import short
from karat.render.html import fragment
from karat.render.marks import SHOWN, with_marks
from karat.schemas.columns import NONE
from karat.schemas.violations import ID, INVENTED, PLACE, SEVERITY, TEXT, TEXT_PARTS, Marked

_FILE, _SCORE = "marked.jsonl", ("karat", "violations", "score")
_WORD = re.compile(r"\w+|[^\w\s]")
_NOTHING, _INSERTED = -1, "nothing: insert before it"
_CHOSEN, _WRITTEN = TEXT_PARTS[:2], TEXT_PARTS[2:]
"""What is said of a violation: chosen among what others say, and written anew."""
_QUOTED, _AHEAD, _READ = 60, 30, 120
Span = dict[str, Any]


def mark_violations(result: Result) -> None:
    """Ask for violations, text by text, beginning with what is true so far; first of texts without any."""
    truth = result.read
    if truth is None or truth.texts[TEXT].null_count():
        words.say("The texts are not at hand: open the files of violations themselves, with their texts.")
        return
    if truth.others:
        words.say("Violations can be marked where one annotator is the truth: set References to one.")
        return
    texts, known = dict(truth.texts.select(ID, TEXT).iter_rows()), marks_of(truth)
    began = known if _is_trusted(result) else {}
    said = {name: truth.spans[name].drop_nulls().unique().sort().to_list() for name in _CHOSEN}

    def ask(item: str, given: dict[str, list[Span]]) -> None:
        spans = given.get(item, began.get(item, []))
        view = with_marks(texts[item], [(one["start"], one["end"]) for one in spans])
        words.put(fragment("marked.html", view=view))
        _listed(item, texts[item], spans, given)
        _asked(item, texts[item], said, lambda span: given.update({item: [*spans, span]}))

    def save(_: str, given: Mapping[str, Sequence[Span]]) -> bytes:
        every = truth.texts if _is_trusted(result) else truth.texts.filter(pl.col(ID).is_in([*given]))
        return lines_of(every, {**began, **given}, result.given).encode()

    items = sorted(texts, key=lambda item: bool(known.get(item)))
    labelled(result, items, ask, save=save, name=_FILE, use=lambda _: command_of(result), order="", called="texts")


def marks_of(truth: Marked) -> dict[str, list[Span]]:
    """The violations of each text, as Karat's own lines have them."""
    ids, found = truth.texts[ID].to_list(), dict[str, list[Span]]()
    for span in truth.spans.drop(INVENTED).to_dicts():  # of predictions alone
        found.setdefault(ids[span.pop(PLACE)], []).append(span)
    return found


def _listed(item: str, text: str, spans: Sequence[Span], given: dict[str, list[Span]]) -> None:
    """What is marked, each with a button that takes it away; or one that says that there is nothing to mark."""
    for number, span in enumerate(spans, start=1):
        quote = text[span["start"] : span["end"]]
        said = ", ".join(filter(None, (span[name] for name in TEXT_PARTS)))
        with st.container(horizontal=True, vertical_alignment="center"):
            rest = [one for place, one in enumerate(spans, start=1) if place != number]
            st.button(
                f"Remove {number}", key=f"remove {number} {item}", on_click=partial(given.__setitem__, item, rest)
            )
            words.say(f"“{short(quote, _QUOTED)}”{': ' if said else ''}{said}")
    if not spans and item not in given:
        st.button("Nothing is wrong here", key=f"nothing {item}", on_click=partial(given.__setitem__, item, []))


def _asked(item: str, text: str, said: Mapping[str, Sequence[str]], add: Callable[[Span], None]) -> None:
    """Ask for one more violation: its first and last word, and what it breaks."""
    places = [found.span() for found in _WORD.finditer(text[:SHOWN])]
    if not places:
        words.say("This text has no word to be marked.")
        return
    names = {
        number: f"{number + 1}: {short(text[start : start + _READ], _AHEAD)}"
        for number, (start, _) in enumerate(places)
    }

    def key(name: str) -> str:
        return f"{name} {item}"

    words.small_heading("Add a violation")
    first_place, last_place = st.columns(2)
    first = first_place.selectbox(
        "First word", list(names), format_func=lambda one: names[one], key=key("first"), filter_mode="contains"
    )
    last = last_place.selectbox(
        "Last word",
        [*range(first, len(places)), _NOTHING],
        format_func=lambda one: names.get(one, _INSERTED),
        key=key("last"),
        filter_mode="contains",
    )
    for place, name in zip(st.columns(2), _CHOSEN, strict=True):
        hint = f"Choose or type a {name}"
        place.selectbox(
            name.capitalize(), said[name], index=None, key=key(name), accept_new_options=True, placeholder=hint
        )
    for place, name in zip(st.columns(2), _WRITTEN, strict=True):
        place.text_input(name.capitalize(), key=key(name))

    def added() -> None:
        start = places[first][0]
        parts = {name: st.session_state[key(name)] or None for name in TEXT_PARTS}
        end = start if last == _NOTHING else places[last][1]
        add({"start": start, "end": end, **parts, SEVERITY: None})
        for name in _WRITTEN:
            st.session_state[key(name)] = ""

    st.button("Add the violation", on_click=added, key=key("add"))


def lines_of(texts: pl.DataFrame, marks: Mapping[str, Sequence[Span]], given: Mapping[str, Any]) -> str:
    """Texts with their violations as lines that are read with the options with which the ground truth was."""
    called, base = given.get("columns", {}), given.get("offset_base", 0)
    cluster = given.get("cluster")
    held = {"cluster": cluster} if cluster not in (None, NONE) else {}
    rows = texts.rename(held, strict=False).to_dicts()

    def named(row: Mapping[str, Any]) -> dict[str, Any]:
        return {called.get(name, name): one for name, one in row.items() if one is not None or name in called}

    def counted(span: Span) -> Span:
        return named({**span, "start": span["start"] + base, "end": span["end"] + base})

    lines = ({**row, VIOLATIONS: [counted(one) for one in marks.get(row[ID], ())]} for row in rows)
    return "".join(f"{json.dumps(named(line), ensure_ascii=False)}\n" for line in lines)


def command_of(result: Result) -> str:
    """The command that reads the file as the ground truth, beside what the first command reads as predictions."""
    path, predictions = str(result.given["ground_truth"]), result.given.get("predictions") or ()
    if result.report.command is None:
        return shlex.join([*_SCORE, _FILE, *predictions])
    line = shlex.split(result.report.command)
    line[len(_SCORE) : len(_SCORE) + 1] = [_FILE] if predictions else [_FILE, path]
    if (trusted := result.report.options.get("truth_annotator")) is None:
        return shlex.join(line)
    place = line.index("--truth-annotator")
    del line[place : place + 2]
    if not result.given.get("predicted_annotator") and path in (predictions or [path]):
        others = result.report["scores"]["checker"].unique(maintain_order=True).to_list()
        others = [one for one in others if one != trusted] + ([] if _is_trusted(result) else [trusted])
        line += [word for one in others for word in ("--predicted-annotator", one)]
    return shlex.join(line)


def _is_trusted(result: Result) -> bool:
    """Whether anyone's violations are true already, and not only read with those of somebody."""
    found: bool = result.report.options.get("truth_annotator") == result.given.get("truth_annotator")
    return found
