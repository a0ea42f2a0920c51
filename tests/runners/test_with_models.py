"""What models compare is the same to 1e-6 wherever they are held: in this process, in others, or by actors of Ray."""

import json
import os
from collections.abc import Iterator
from contextlib import closing

import pytest
from polars.testing import assert_frame_equal

import adjudge
from adjudge import Report
from adjudge.evaluations.preferences import scoring as preferences_scoring
from adjudge.evaluations.violations import span_matching
from adjudge.runners.on_ray import OnRay
from adjudge.runners.processes import Processes
from made import EXAMPLES
from made_models import WORDS, make_model

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_model(tmp_path_factory.mktemp("models") / "small"))


class _Shared(Processes):
    """Processes that stay."""

    def close(self) -> None:
        """Nothing ends."""


@pytest.fixture(scope="module", params=["processes", "ray"])
def elsewhere(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The options of a runner. All tests share its processes, in each of which torch takes seconds to load."""
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    if request.param == "ray":
        with closing(OnRay(None)):
            yield {"runner": "ray"}
        return
    shared = _Shared()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("adjudge.runners.processes.Processes", lambda: shared)
        yield {"runner": "processes"}
    Processes.close(shared)


def near(found: Report, expected: Report) -> None:
    """All figures are the same to 1e-6, and p, of which the adjusted one is made, as far as follows from that.

    p moves by at most .8 / se for each unit of the figure, twice the density of the normal at 0. Processors differ in
    how they round sums of many threads: of a p of .68, that of other processes was 1.6e-6 away on one of them.
    """
    assert found.tables.keys() == expected.tables.keys()
    for name, table in expected.tables.items():
        p = [column for column in table.columns if column in {"p", "p_adjusted"}]
        assert_frame_equal(found[name].drop(p), table.drop(p), rel_tol=0, abs_tol=1e-6)
        for one, other in zip(found[name].iter_rows(named=True), table.iter_rows(named=True), strict=True):
            if other.get("p") is not None and other["high"] is not None:
                error = (other["high"] - other["low"]) / 2 / 1.96
                assert one["p"] == pytest.approx(other["p"], rel=0, abs=1e-6 * max(1, 0.8 / error))


def test_bertscore_is_that_of_one_process(model, elsewhere, monkeypatch):
    monkeypatch.setattr(preferences_scoring, "_BY_MODEL_AT_ONCE", 3)
    folder = EXAMPLES / "preferences"
    given = folder / "gold.jsonl", [folder / "careful.tsv", folder / "quick.tsv"]
    options = {"explanations": True, "embedding_model": model}
    alone = adjudge.preferences(*given, **options)
    assert "bertscore" in alone["scores"]["metric"].to_list()
    near(adjudge.preferences(*given, **options, **elsewhere), alone)


def test_violations_matched_by_embeddings_are_those_of_one_process(model, elsewhere, monkeypatch, tmp_path):
    monkeypatch.setattr(span_matching, "_EMBEDDED_AT_ONCE", 5)
    texts = [" ".join((WORDS * 2)[n : n + 4]) for n in range(12)]
    for name, shift in (("truth", 0), ("predicted", 1)):
        rows = [
            {
                "id": f"t{n}",
                "text": "x" * 40,
                "violations": [{"start": 0, "end": 20 - n, "rule": texts[(n + shift) % 12], "explanation": texts[n]}],
            }
            for n in range(12)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = tmp_path / "truth.jsonl", tmp_path / "predicted.jsonl"
    options = dict.fromkeys(("rule_similarity", "text_similarity"), f"sentence-transformers:{model}")
    alone = adjudge.violations(*given, **options)
    assert alone["scores"]["value"].is_between(0.01, 0.99).any()  # neither all nor nothing matches
    near(adjudge.violations(*given, **options, **elsewhere), alone)
