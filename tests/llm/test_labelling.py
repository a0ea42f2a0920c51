"""Votes of a model on traits: in the pair's own order, beside those that are there."""

from collections import Counter
from dataclasses import replace

import polars as pl
import pytest

import adjudge as library
from adjudge.errors import DataError, OptionError
from adjudge.llm.calls import Status
from adjudge.llm.labelling import ORDER, Labelling, read_all, traits
from adjudge.llm.prompts import template
from adjudge.writers.pair_files import write_pairs
from llm.scripted import ask
from made_pairs import column, comparison, document, read, votes

TRAITS = {"polite": "is more polite", "brief": "is shorter", "warm": "is warmer"}


def labelling(**how):
    return Labelling(**{"traits": TRAITS, "template": template("annotations_label"), "model": "m", **how})


@pytest.fixture
def pairs(written):
    """Twelve pairs, whose first response is the longer one."""
    return read(written(document(*(comparison(f"p{n}", {"ann": "a"}, a="yes, of course", b="no") for n in range(12)))))


def labelled(pairs, answer, **how):
    asked = labelling(**how)
    return asked.labelled(pairs, ask(answer)(lambda: asked.calls(pairs)))


def all_of(vote):
    return lambda call: dict.fromkeys(call.form.fields, vote)


def the_longer(call):
    longer = len(call.judged["response_a"]) > len(call.judged["response_b"])
    return dict.fromkeys(call.form.fields, "A" if longer else "B")


def test_the_order_is_drawn_for_each_pair_and_is_that_of_the_prompt(pairs):
    orders = {call.about["order"]: call.judged for call in labelling().calls(pairs)}
    assert orders["ab"] == {"instruction": "Really?", "response_a": "yes, of course", "response_b": "no"}
    assert orders["ba"] == {"instruction": "Really?", "response_a": "no", "response_b": "yes, of course"}


def test_the_order_depends_on_the_seed_and_the_pair_alone(pairs):
    def orders(many, **how):
        return {call.about["pair"]: call.about["order"] for call in labelling(**how).calls(many)}

    fewer = replace(pairs, frame=pairs.frame.tail(3))
    assert orders(fewer).items() <= orders(pairs).items()
    assert orders(pairs, seed=1) != orders(pairs)


def test_votes_come_back_in_the_order_of_the_pair(pairs):
    """The order is written down; one that is neither ab nor ba is drawn anew."""
    found = labelled(pairs, the_longer)
    people = {"ann": ["text_a"] * 12, "ben": ["missing"] * 12}
    assert votes(found) == people | {f"{trait}|m": ["text_a"] * 12 for trait in TRAITS}
    shown = {call.about["pair"]: call.about["order"] for call in labelling().calls(pairs)}
    assert column(found, ORDER) == [shown[pair] for pair in column(found, "pair")]
    assert ORDER in found.metadata
    odd = replace(pairs, frame=pairs.frame.with_columns(pl.lit("A first").alias(ORDER)))
    assert column(labelled(odd, the_longer), ORDER) == column(found, ORDER)


def test_traits_are_asked_together_each_once_in_an_order_of_the_pair(pairs):
    asked = {f"trait {n}": f"is more {n}" for n in range(21)}
    calls = [*labelling(traits=asked).calls(pairs)]
    sizes = Counter(len(call.form.fields) for call in calls)
    assert sizes == {10: 24, 1: 12}
    first = {}
    for call in calls:
        first.setdefault(call.about["pair"], []).extend(call.form.fields)
        assert call.given["traits"].splitlines() == [f"{name}: {asked[name]}" for name in call.form.fields]
    assert all(sorted(names) == sorted(asked) for names in first.values())
    assert len(set(map(tuple, first.values()))) > 1


def test_pairs_keep_the_order_in_which_they_were_shown_whatever_the_seed(pairs):
    first = labelled(pairs, the_longer, traits={"warm": "is warmer"})
    drawn_anew = {call.about["pair"]: call.about["order"] for call in labelling(seed=1).calls(pairs)}
    assert column(first, ORDER) != [drawn_anew[pair] for pair in column(first, "pair")]
    second = labelled(first, the_longer, seed=1)
    assert column(second, ORDER) == column(first, ORDER)
    given = votes(second)
    assert [given[f"{trait}|m"] for trait in TRAITS] == [["text_a"] * 12] * 3


def test_a_further_trait_and_a_further_model_are_added(pairs):
    first = labelled(pairs, the_longer, traits={"warm": "is warmer"})
    second = labelled(first, all_of("both"), traits={"polite": "is more polite"})
    third = labelled(second, all_of("neither"), model="other")
    given = votes(third)
    assert given["warm|m"] == ["text_a"] * 12
    assert given["polite|m"] == ["both"] * 12
    assert given["warm|other"] == ["neither"] * 12
    assert len(third.annotators) == 2 + 2 + 3


@pytest.mark.parametrize("ending", [".json", ".parquet"])
def test_the_file_is_read_again_and_scored(pairs, tmp_path, ending):
    path = tmp_path / f"labelled{ending}"
    found = labelled(pairs, the_longer)
    write_pairs(found, path, ending)
    assert votes(read(path)) == votes(found)
    assert column(read(path), ORDER) == column(found, ORDER)
    agreement = library.annotations(path, reference="ann")["agreement"].filter(pl.col("annotator") != "ben")
    agreement = agreement.filter(metric="accuracy")
    assert agreement["annotator"].to_list() == [one.id for one in found.annotators[2:]]
    assert set(agreement.select("value", "n").iter_rows()) == {(1.0, 12)}
    refused = labelled(pairs, lambda call: Status.REFUSED if call.about["pair"] == "p3" else the_longer(call))
    write_pairs(refused, path, ending)
    assert votes(read(path)) == votes(refused)
    assert votes(refused)["warm|m"][3] == "refused"


def test_pairs_on_which_nobody_voted_yet_are_read_from_a_table(written):
    table = written("nr,text_a,text_b,topic\n7,yes,no,tea\n8,hello,hi,\n", "pairs.csv")
    pairs = read_all(table, {"pair": "nr"})
    assert pairs.annotators == ()
    assert (column(pairs, "pair"), column(pairs, "topic")) == (["7", "8"], ["tea", None])
    found = labelled(pairs, the_longer)
    assert votes(found)["warm|m"] == ["text_a", "text_a"]
    with pytest.raises(DataError, match="text_a"):
        read_all(written("a,b\nyes,no\n", "other.csv"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("polite = 'is'", "expected a table"),
        ("[traits]", "expected a table"),
        ("[traits]\npolite = ' '", "polite: expected what more of the trait means"),
        ("[traits", "expected traits as TOML"),
    ],
)
def test_a_file_that_holds_no_traits_is_refused(written, text, said):
    with pytest.raises(OptionError, match=said):
        traits(written(text, "traits.toml"))
