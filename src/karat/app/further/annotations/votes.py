"""Votes that a person gives on pairs, and the data set with them."""

import shlex
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import streamlit as st

from karat.app import words
from karat.app.labelling import Form, Labels, label
from karat.app.results import Result
from karat.formats.columnar import write_columnar
from karat.render.numbers import plain
from karat.render.pair import pair_fragment
from karat.schemas.pairs import CODE, TEXTS, VOTE, Annotator, Pairs

_VOTES = ("text_a", "text_b", "both", "neither")
_FILE = "labelled.parquet"
_PART = "vote"
_QUESTIONS = {_PART: "Which text gets your vote?"}


def votes(result: Result) -> None:
    """Ask for votes, first on the pairs on which the reference has none."""
    if result.read is None:
        words.say("The pairs are not at hand: open the files of pairs themselves.")
        return
    sets = {one.name: one for one in result.read}
    names = list(sets)
    name = st.selectbox("Data set", names, key="labelled", bind="query-params") if len(names) > 1 else names[0]
    pairs = sets[name]
    trusted = pairs.default if result.given.get("reference") in (None, []) else None
    frame = pairs.frame
    if trusted is not None:
        frame = frame.sort(pl.col(VOTE + trusted) != CODE["missing"], maintain_order=True)

    def show(pair: str) -> None:
        row = pairs.frame.filter(pl.col("pair") == pair).select(TEXTS).collect().row(0, named=True)
        hidden = {name: None if name.startswith("model") else text for name, text in row.items()}
        words.put(pair_fragment(hidden, None, {}, marked=False))

    def save(who: str, given: Labels) -> bytes:
        with TemporaryDirectory() as folder:
            path = Path(folder) / _FILE
            write_columnar(with_votes(pairs, who, given), path)
            return path.read_bytes()

    def use(who: str) -> str:
        return shlex.join(["karat", "annotations", "score", _FILE, "--reference", who])

    asked = frame.select("pair").collect()["pair"].to_list()
    order = "Those without a vote of the reference stand first." if trusted is not None else ""
    said = {one: plain(one) for one in _VOTES}
    label(result, Form(asked, lambda _: [_PART], said, show, save, _FILE, use, order, questions=_QUESTIONS))


def with_votes(pairs: Pairs, who: str, given: Labels) -> Pairs:
    """A data set with a person's votes; what the person voted before stands on the pairs without a new one."""
    known = {one.id: one for one in pairs.annotators}
    column = VOTE + who
    codes = pl.LazyFrame(
        {"pair": list(given), "new": [CODE[one[_PART]] for one in given.values()]},
        schema={"pair": pl.String, "new": pl.UInt8},
    )
    before = pl.col(column) if who in known else pl.lit(CODE["missing"], pl.UInt8)
    frame = pairs.frame.join(codes, on="pair", how="left", maintain_order="left")
    frame = frame.with_columns(pl.coalesce("new", before).alias(column)).drop("new")
    everyone = tuple(known.values()) if who in known else (*pairs.annotators, Annotator(who, type="human"))
    return replace(pairs, frame=frame, annotators=everyone)
