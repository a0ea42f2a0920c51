import polars as pl

import adjudge
from adjudge.render.terminal import tables_text


def test_a_figure_of_one_cluster_says_on_how_many_items_it_rests():
    table = pl.DataFrame(
        {
            "item": [1, 2, 3, 4],
            "annotator": ["ann"] * 4,
            "label": ["a", "b", "a", "b"],
            "reference": ["a", "b", "b", "b"],
            "cluster": ["one"] * 4,
        }
    )
    report = adjudge.reliability(table)
    line = next(line for line in tables_text(report).splitlines() if line.startswith("ann  "))
    assert line.split()[:3] == ["ann", "75.0%", "[a]"]
    assert line.rstrip().endswith(" 4")


def test_a_note_cannot_steer_the_terminal(written):
    from made import EXAMPLES

    pairs = (EXAMPLES / "annotations" / "pairs.json").read_text(encoding="utf-8")
    report = adjudge.annotations(written(pairs.replace("household questions", "\\u001b[31mred")))
    assert "\x1b" not in tables_text(report)


def rag_answers(right, noise):
    """Answers of two models to 40 questions. right: (model, condition) -> how many are right."""
    return pl.DataFrame(
        {"id": f"{condition}{place}", "ability": "noise_robustness", "model": model, "answer": ["Oslo"]}
        | {"response": "Oslo" if place < count else "Rome", "condition": condition, **noise.get(condition, {})}
        for (model, condition), count in right.items()
        for place in range(40)
    )


RIGHT = {("dense", "clean"): 34, ("bm25", "clean"): 39, ("dense", "noisy"): 36, ("bm25", "noisy"): 20}


def test_differences_of_two_models_have_one_direction():
    noise = {"clean": {"noise_ratio": 0.0}, "noisy": {"noise_ratio": 0.8}}
    answers = rag_answers(RIGHT, noise).with_columns(pl.col("id").str.strip_prefix("clean").str.strip_prefix("noisy"))
    screen = str(adjudge.rag(answers).summary)
    assert "dense − bm25" in screen
    assert [" ".join(line.split())[:80] for line in screen.splitlines() if "0% noise  " in line] == [
        "Accuracy, 0% noise 85% [71, 93] 98% [87, 100] −12 pp [−26, −3]",
        "Accuracy, 80% noise 90% [77, 96] 50% [35, 65] +40 pp [26, 55]",
    ]


def test_answers_without_noise_ratio_are_shown_and_a_caution():
    answers = rag_answers(RIGHT, {})
    summary = adjudge.rag(answers).summary
    assert "Accuracy, noise robustness" in summary.table.rows
    assert "80 questions without noise_ratio" in summary.cautions[0].text
    groups = str(adjudge.rag(answers, by=["condition"]).summary)
    assert "condition noisy: Significantly better than another model: dense" in " ".join(groups.split())


def test_findings_on_many_pairs_name_the_worse_one():
    right = {"anna": 58, "ben": 57, "cleo": 55, "dalia": 20}
    rows = [
        {"item": item, "annotator": name, "label": "a" if item < count else "b", "reference": "a", "batch": item % 9}
        for name, count in right.items()
        for item in range(60)
    ]
    summary = adjudge.reliability(pl.DataFrame(rows)).summary
    assert summary.findings[0].text == "dalia is significantly worse than anna, ben and cleo"
    lines = str(adjudge.reliability(pl.DataFrame(rows), by=["batch"]).summary).splitlines()
    assert sum(line.startswith("    batch ") and ", pooled" in line for line in lines) == 9
    assert any("more annotators" in line for line in lines)


def test_the_card_proposes_the_better_of_two_judges():
    wrong = {"ann": (0, 1), "ben": (2, 3), "cleo": (4, 5), "good": (), "fair": (6,)}
    rows = [
        {"item": item, "annotator": name, "label": "ab"[item // 20 % 2 ^ (item % 20 in places)]}
        for name, places in wrong.items()
        for item in range(200)
    ]
    summary = adjudge.card(pl.DataFrame(rows), judges=["good", "fair"]).summary
    assert summary.findings[0].text.startswith("good is significantly better than fair")
    assert [step.text for step in summary.next] == ["Use good"]
