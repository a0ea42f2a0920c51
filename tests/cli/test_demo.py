"""The demo: simulated judges, with the truth beside their estimates."""


def test_the_demo_shows_estimates_beside_the_truth(adjudge, tmp_path):
    status, printed, _ = adjudge("demo", "--folder", tmp_path / "demo")
    assert status == 0
    told = " ".join(printed.split())
    assert told.count("the 95% interval covers the true value in") == 6
    assert "(missing)" not in printed
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {
        "absent-minded.tsv",
        "annotations.parquet",
        "card.csv",
        "careful.tsv",
        "careful@1.jsonl",
        "eager@3.jsonl",
        "guessing.tsv",
        "preferences.jsonl",
        "quick.tsv",
        "reliability.csv",
        "report.html",
        "shy@2.jsonl",
        "rag.jsonl",
        "violations.jsonl",
    }
