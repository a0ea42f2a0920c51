"""A rubric put to models: what is asked, what becomes a label, and how sure a model was."""

import json
from dataclasses import replace
from math import log
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("inspect_ai", reason="asking models needs adjudge[models]")

import adjudge
from adjudge.errors import DataError, OptionError, OutputError
from adjudge.llm.rubric import read_rubric
from llm.server import ModelServer, serving

pytestmark = [
    pytest.mark.models,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]

HELPFUL = '[criteria.helpful]\nquestion = "Does the answer help?"\nscale = ["yes", "no"]\n'
STARS = '[criteria.quality]\nquestion = "How good is it?"\nmin = 1\nmax = 5\n'
BETTER = 'responses = ["one", "two"]\n[criteria.better]\nquestion = "Which is better?"\npairwise = true\n'
ANSWERS = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "question": ["Reset?", "Where?", "Free?", "Card?"],
        "answer": ["Hold it for 10 s.", "Closed on Monday.", "Yes, it is free.", "Sure."],
        "human_ana": ["Yes", "no", "yes", "yes"],
        "score": [4, 1, 5, 3],
    }
)
TEXTS = ("prompt", "left", "right")
PAIRS = pl.DataFrame({"id": ["a", "b"], "prompt": ["Hi", "Yo"], "one": ["long text", "x"], "two": ["y", "longer text"]})


class TokenServer(ModelServer):
    """Answers with the probability of each label at the token that says it. chances: label -> probability."""

    chances: dict | None = None

    def reply(self, prompt, body):
        sent = super().reply(prompt, body)
        if self.chances and body.get("logprobs"):
            text = sent["choices"][0]["message"]["content"]
            label = json.loads(text)["verdict"]["label"]
            start = text.rindex(str(label))
            top = [{"token": f"{name}", "logprob": log(p), "bytes": None} for name, p in self.chances.items()]
            tokens = [text[:start], str(label), text[start + len(str(label)) :]]
            sent["choices"][0]["logprobs"] = {
                "content": [
                    {"token": token, "logprob": -0.1, "bytes": None, "top_logprobs": top if nth == 1 else []}
                    for nth, token in enumerate(tokens)
                ]
            }
        return sent


def stating(label, confidence=80):
    """A model that always states a label; or that a function of the prompt states."""
    return lambda prompt, body: json.dumps(
        {
            "reason": "so it is",
            "verdict": {"label": label(prompt) if callable(label) else label, "confidence": confidence},
        }
    )


def judged(tmp_path, server, data, rubric, models=("openai-api/local/m",), **how):
    (tmp_path / "rubric.toml").write_text(rubric)
    output = tmp_path / how.pop("name", "labels.parquet")
    with serving(server) as url:
        how = {"base_url": url, "output": output, "concurrency": 4, **how}
        return adjudge.judge(data, rubric=tmp_path / "rubric.toml", model=models, **how)


def test_labels_of_models_and_of_people_are_one_table(tmp_path):
    server = ModelServer(stating(lambda prompt: "no" if "Monday" in prompt else "yes"))
    found = judged(tmp_path, server, ANSWERS, HELPFUL, ("openai-api/local/m", "openai-api/local/n"), runs=2)
    frame = pl.read_parquet(found.output)
    assert frame.equals(found.frame)
    people = frame.filter(kind="human")
    assert people.select("item", "annotator", "criterion", "label").rows() == [
        (item, "human_ana", "helpful", label) for item, label in zip("abcd", ("yes", "no", "yes", "yes"), strict=True)
    ]
    models = frame.filter(kind="model")
    assert models.group_by("annotator", "run").len().sort("annotator", "run").rows() == [
        (f"openai-api/local/{name}", run, 4) for name in "mn" for run in "12"
    ]
    assert models.filter(item="b")["label"].unique().to_list() == ["no"]
    assert set(models["confidence"]) == {0.8}
    assert [run.asked.tally.answered for run in found.runs] == [8, 8]
    assert found.card.estimate("agreement", table="judges", judge="openai-api/local/n").value == 1
    assert "Can an LLM judge replace human annotators?" in str(found)
    assert len(str(found).splitlines()) <= 24
    assert any("shown to the models: question, answer" in note for note in found.notes)
    assert not any(name in str(server.requests[0]["messages"]) for name in ("human_ana", "score"))


def test_confidence_is_the_probability_of_the_label_where_the_server_tells_it(tmp_path):
    server = TokenServer(stating("yes"))
    server.chances = {"yes": 0.6, "no": 0.2, "maybe": 0.2}
    frame = judged(tmp_path, server, ANSWERS, HELPFUL).frame.filter(kind="model")
    assert frame["confidence"].round(9).unique().to_list() == [0.75]
    again = judged(tmp_path, server, ANSWERS, HELPFUL).frame.filter(kind="model")
    assert again.equals(frame), "answers that are known from before"
    ordered = judged(tmp_path, server, ANSWERS, HELPFUL + "ordered = true\n", name="ordered.csv").frame
    assert ordered.filter(kind="model")["score"].round(9).unique().to_list() == [0.75 * 1 + 0.25 * 2]
    server.chances = {"4": 0.5, "5": 0.3, "2": 0.2}
    server.answer = stating(4)
    frame = judged(tmp_path, server, ANSWERS, STARS, name="stars.csv").frame.filter(kind="model")
    assert frame["label"].unique().to_list() == ["4"]
    assert frame["score"].round(9).unique().to_list() == [0.5 * 4 + 0.3 * 5 + 0.2 * 2]


def test_the_card_of_a_run_orders_labels_as_the_rubric_does(tmp_path):
    three = HELPFUL.replace('"no"', '"so so", "no"') + "ordered = true"
    for rubric, order in ((STARS, "--level ordinal"), (three, "--ordered 'yes,so so,no'"), (HELPFUL, "")):
        label = "4" if rubric == STARS else "yes"
        found = judged(tmp_path, ModelServer(stating(label)), ANSWERS.with_columns(human_ana=pl.lit(label)), rubric)
        assert str(replace(found, output=Path("l.csv"))).endswith(f"adjudge card l.csv {order}".rstrip())


def test_pairs_are_shown_in_both_orders_and_labels_stand_in_their_own(tmp_path):
    frame = judged(tmp_path, ModelServer(stating("A")), PAIRS, BETTER).frame
    rows = frame.sort("item", "position").select("item", "position", "label").rows()
    assert [*map(" ".join, rows)] == ["a ab A", "a ba B", "b ab A", "b ba B"]
    assert judged(tmp_path, ModelServer(stating("A")), PAIRS, BETTER, swap=False, name="o.csv").frame.height == 2
    sample = {"swap": False, "probe": ["position"], "probe_items": 1, "name": "s.csv"}
    assert judged(tmp_path, ModelServer(stating("A")), PAIRS, BETTER, **sample).frame.height == 3


def test_pairs_that_are_answered_in_one_order_alone_are_counted(tmp_path):
    longer_first = "longer text\n</text-"
    server = ModelServer(
        stating("A"), lambda attempt, prompt: "refusal" if longer_first in prompt.partition("Response B")[0] else None
    )
    found = judged(tmp_path, server, PAIRS.filter(id="b"), BETTER)
    assert found.frame["label"].null_count() == 1
    assert "1 pair was answered in one order alone, the other order has no label" in found.notes


def test_probes_ask_again_about_changed_items(tmp_path):
    server = ModelServer(stating(lambda prompt: "yes" if "expert" in prompt else "no"))
    found = judged(tmp_path, server, ANSWERS, HELPFUL, probe=["length", "authority"], probe_items=3)
    assert {*found.frame.filter(probe="length")["item"]} != {*"abc"}, "a random sample"
    counts = found.frame.filter(kind="model").group_by("probe", "label").len().sort("probe")
    assert counts.rows() == [(None, "no", 4), ("authority", "yes", 3), ("length", "no", 3)]


@pytest.mark.parametrize(
    ("other", "used", "more"),
    [
        ("n/a", True, ""),
        ("hard to say", False, ""),
        ("yes", False, HELPFUL.replace("helpful", "clear")),  # of which of two criteria?
    ],
)
def test_human_labels_are_not_shown_even_if_a_cell_holds_none(tmp_path, other, used, more):
    server = ModelServer(stating("yes"))
    answers = ANSWERS.with_columns(human_ana=pl.Series(["yes", "no", "yes", other]))
    found = judged(tmp_path, server, answers, HELPFUL + more)
    kept = "human labels: human_ana" if used else "neither shown nor used, since they hold labels: human_ana"
    assert kept in found.notes
    assert (found.card is not None) == used
    assert found.frame.filter(kind="human")["label"].to_list() == ["yes", "no", "yes"] * used
    assert not any(text in str(server.requests) for text in ("human_ana", "hard to say", "n/a"))


def test_a_card_that_cannot_be_made_is_a_note_after_paid_calls(tmp_path, monkeypatch):
    def fail(_):
        raise OutputError("no space left")

    monkeypatch.setattr("adjudge.api.judge.card", fail)
    found = judged(tmp_path, ModelServer(stating("yes")), ANSWERS, HELPFUL)
    assert found.card is None
    assert "no card: no space left" in found.notes


def test_what_was_not_answered_has_no_label_and_says_why(tmp_path):
    server = ModelServer(stating("yes"), lambda attempt, prompt: "refusal" if "Monday" in prompt else None)
    found = judged(tmp_path, server, ANSWERS, HELPFUL)
    lost = found.frame.filter(pl.col("label").is_null())
    assert lost.select("item", "kind").rows() == [("b", "model")]
    assert "cannot help" in lost["explanation"][0]
    assert "1 refused" in str(found)


def test_a_rubric_says_levels_steps_and_examples(tmp_path):
    rubric = (
        'show = ["answer"]\nsystem = "You check a help desk."\n'
        + HELPFUL
        + 'levels = {yes = "solves it"}\nsteps = ["Read it twice."]\n'
        + 'examples = [{answer = "Press it.", label = "yes", why = "it is short"}]\n'
    )
    server = ModelServer(stating("yes"))
    judged(tmp_path, server, ANSWERS, rubric)
    prompt = str(server.requests[0]["messages"])
    for part in ("help desk", "yes: solves it", "1. Read it twice.", "answer: Press it.", "since it is short"):
        assert part in prompt
    assert "Reset?" not in prompt


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "required field `criteria`"),
        ('[criteria.x]\nquestion = "?"\n', "expected the labels"),
        ('[criteria.x]\nquestion = "?"\nscale = ["a", "a"]\n', "expected the labels"),
        ('[criteria.x]\nquestion = "?"\nscale = ["a", "b"]\npairwise = true', "also A and B if pairwise"),
        ('[criteria.x]\nquestion = "?"\nscale = ["a"]\nmin = 1\nmax = 2', "expected the labels"),
        ('[criteria.x]\nquestion = "?"\nscal = ["a", "b"]\n', "unknown field `scal`"),
        ('[criteria.x]\nscale = ["a", "b"]\n', "required field `question`"),
        ('[criteria.x]\nquestion = "?"\nscale = "yes"\n', r"Expected `array`, got `str` - at `\$\.criteria"),
        ('[criteria.x]\nquestion = "?"\nmin = 5\nmax = 1\n', "min below max"),
        ('[criteria.x]\nquestion = "?"\npairwise = true\n', "two responses"),
        ('[criteria.x]\nquestion = "?"\nscale = ["a", "b"]\nlevels = {c = "C"}\n', "no label of the scale"),
    ],
)
def test_what_is_wrong_in_a_rubric_is_named(tmp_path, text, problem):
    path = tmp_path / "rubric.toml"
    path.write_text(text)
    with pytest.raises(OptionError, match=problem):
        read_rubric(path)


def test_data_that_a_rubric_does_not_fit_is_an_error(tmp_path):
    server = ModelServer(stating("yes"))
    with pytest.raises(OptionError, match='no column "anser"'):
        judged(tmp_path, server, ANSWERS, f'show = ["anser"]\n{HELPFUL}')
    with pytest.raises(DataError, match="id of each item"):
        judged(tmp_path, server, ANSWERS.with_columns(id=pl.lit("a")), HELPFUL, columns={"item": "id"})
    with pytest.raises(OptionError, match="score: expected labels of a criterion"):
        judged(tmp_path, server, ANSWERS, HELPFUL, human=["score"])
    with pytest.raises(OptionError, match="expected position, length"):
        judged(tmp_path, server, ANSWERS, HELPFUL, probe=["lenght"])
    with pytest.raises(OptionError, match="position swaps the responses of pairs"):
        judged(tmp_path, server, ANSWERS, HELPFUL, probe=["position"])
    with pytest.raises(OptionError, match="no price of openai-api/local/m"):
        judged(tmp_path, server, ANSWERS, HELPFUL, ("openai/gpt-4.1", "openai-api/local/m"), max_cost=1)
    assert not server.requests


def test_a_rubric_is_written_from_the_columns_of_a_table(tmp_path):
    path = tmp_path / "rubric.toml"
    adjudge.judge(ANSWERS, init=True, output=path)
    rubric = read_rubric(path)
    assert rubric.show == ("question", "answer")
    assert [one.scale for one in rubric.criteria.values()] == [("Yes", "no")]
    numbers, votes = range(4), {"best_ana": "ABAA", "best_ben": "ABBA", "clear_ana": "1233", "clear_ben": "3211"}
    coded = pl.DataFrame(
        {"ticket": [f"T-{n}" for n in numbers]} | {one: [f"{one} {n}" for n in numbers] for one in TEXTS}
    )
    labelled = coded.with_columns(**{name: pl.Series([*labels]) for name, labels in votes.items()})
    adjudge.judge(labelled, init=True, output=path)
    rubric = read_rubric(path)
    assert (rubric.show, rubric.responses) == (("prompt",), ("left", "right"))
    assert {name: one.labels for name, one in rubric.criteria.items()} == {"best": ("A", "B"), "clear": ("1", "2", "3")}
    assert rubric.criteria["best"].pairwise
    better = BETTER.replace('"one", "two"', '"left", "right"')
    found = judged(tmp_path, ModelServer(stating("A")), coded, better, swap=False)
    assert found.frame["item"].to_list() == coded["ticket"].to_list(), "codes are ids"
    assert "shown to the models: prompt, left, right" in found.notes


def test_settings_and_headers_reach_the_server(tmp_path):
    server = ModelServer(stating("yes"))
    more = {"top_p": "0.5", "extra_body": '{"guided": [1]}'}
    judged(tmp_path, server, ANSWERS, HELPFUL, model_option=more, header={"X-Team": "evaluation"})
    assert (server.requests[0]["top_p"], server.requests[0]["guided"]) == (0.5, [1])
    assert "x-team: evaluation" in server.headers[0].lower()
    assert '"evaluation"' not in (tmp_path / "labels.parquet.logs" / "answers.jsonl").read_text()
    with pytest.raises(OptionError, match="no setting top_pp"):
        judged(tmp_path, server, ANSWERS, HELPFUL, model_option={"top_pp": "1"})


def test_nothing_is_asked_beyond_the_cost_that_is_allowed(tmp_path):
    prices = tmp_path / "prices.toml"
    many = pl.DataFrame({"id": range(40), "answer": [f"Number {n}." for n in range(40)]})
    models = ("openai-api/local/m", "openai-api/local/n")  # of which 100 tokens are 0.10
    prices.write_text("".join(f'["{name}"]\ninput = 1000\noutput = 0\n' for name in models))
    limits = {"prices": prices, "max_cost": 0.5, "concurrency": 1}
    found = judged(tmp_path, ModelServer(stating("yes")), many, HELPFUL, models, **limits)
    assert [str(run) for run in found.runs[1:]] == ["openai-api/local/n: not asked"], "the limit is that of all models"
    assert (found.runs[0].asked.tally.answered, found.runs[0].asked.cost) == (5, pytest.approx(0.5))
    assert found.is_incomplete
    assert "the cost has reached 0.50" in found.runs[0].asked.tally.reasons()


def test_a_model_that_cannot_be_used_costs_no_labels_of_others_and_is_counted_as_missing(tmp_path):
    found = judged(tmp_path, ModelServer(stating("yes")), ANSWERS, HELPFUL, ("mistral/m", "openai-api/local/m"))
    assert found.is_incomplete
    assert any(note.startswith("mistral/m: the model cannot be used; found: ") for note in found.notes)
    assert found.frame.filter(kind="model").height == 4


def test_a_dry_run_of_several_models_shows_prompts_once(tmp_path):
    shown = str(judged(tmp_path, ModelServer(stating("yes")), ANSWERS, HELPFUL, ("openai/a", "openai/b"), dry_run=True))
    assert shown.count("--- prompt 1 of 4 ---") == 1
    assert [line.split(",")[0] for line in shown.splitlines()[-2:]] == ["openai/a: 4 calls", "openai/b: 4 calls"]
