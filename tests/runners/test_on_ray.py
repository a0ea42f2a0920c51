"""A Ray cluster of two nodes on this machine gives what threads give, also when a worker or a node dies in the middle."""

import os
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import adjudge
from adjudge import OptionError
from adjudge.runners.on_ray import OnRay
from adjudge.runners.runner import LostError
from made import EXAMPLES
from made_workers import device, dies, loaded_by, loads, slow

pytestmark = pytest.mark.models

COLUMNS = {"annotator_columns": ["ref", "u"], "vote_values": {"text_a": "a", "text_b": "b"}, "reference": "ref"}


def test_a_cluster_that_is_not_there_is_said_so():
    """It comes first: a process asks for a cluster as long as it is in none."""
    with pytest.raises(OptionError, match=r"no cluster can be reached at 127\.0\.0\.1:1"):
        OnRay("127.0.0.1:1")


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), str(Path(adjudge.__file__).parents[1])])
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    from ray.cluster_utils import Cluster

    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    found.add_node(num_cpus=1)
    found.wait_for_nodes()
    with closing(OnRay(found.address)):  # what joins again shares its workers, which take seconds to begin
        yield found
    found.shutdown()


def test_tables_are_those_of_one_process(cluster, tmp_path):
    table = pl.DataFrame({"pair": [f"p{n}" for n in range(60)], "text_a": "x", "text_b": "yy"})
    table = table.with_columns(ref=pl.Series(list("ab" * 30)), u=pl.Series(list("aab" * 20)))
    for number in range(3):
        table[20 * number : 20 * number + 20].write_csv(tmp_path / f"{number}.csv")
    given = {"one_data_set": "all", **COLUMNS}
    found = adjudge.annotations(f"{tmp_path}/*.csv", **given, runner="ray", ray_address=cluster.address)
    alone = adjudge.annotations(f"{tmp_path}/*.csv", **given)
    for name, expected in alone.tables.items():
        assert_frame_equal(found[name], expected, check_exact=True)


def test_violations_and_answers_are_those_of_one_process(cluster):
    marks = EXAMPLES / "violations"
    for evaluation, given in {
        adjudge.violations: (marks / "truth.jsonl", [marks / "careful.jsonl", marks / "eager.jsonl"]),
        adjudge.rag: (EXAMPLES / "rag" / "answers.jsonl",),
    }.items():
        found, alone = evaluation(*given, runner="ray", ray_address=cluster.address), evaluation(*given)
        for name, expected in alone.tables.items():
            assert_frame_equal(found[name], expected, check_exact=True)


def test_a_worker_that_dies_is_replaced_and_a_part_that_kills_all_is_named(cluster, tmp_path):
    once, always = tmp_path / "once", tmp_path / "always"
    once.mkdir(), always.mkdir()
    with closing(OnRay(cluster.address)) as runner:
        assert sorted(runner.map(partial(dies, once, 1), [2, 3, 4])) == [(0, 4), (1, 9), (2, 16)]
        ((_, found),) = runner.map(partial(dies, always, 99), [3])
    assert isinstance(found, LostError)


def test_actors_hold_a_model_and_are_replaced_when_they_die(cluster, tmp_path):
    often, once, always = (tmp_path / name for name in ("often", "once", "always"))
    often.mkdir(), once.mkdir(), always.mkdir()
    with closing(OnRay(cluster.address)) as runner:
        assert sorted(runner.map_loaded(partial(loads, often, 0), range(8))) == [(n, n * n) for n in range(8)]
        assert len(loaded_by(often)) == len(set(loaded_by(often))) == 2  # one for each processor of the cluster
        assert sorted(runner.map_loaded(partial(loads, once, 1), [2, 3, 4])) == [(0, 4), (1, 9), (2, 16)]
        found = dict(runner.map_loaded(partial(loads, always, 99), [3, 5, 6]))
    assert (found.pop(1), found.pop(2)) == (25, 36)
    assert isinstance(found[0], LostError)


def test_where_there_are_gpus_each_has_a_model(cluster, tmp_path):
    further = cluster.add_node(num_cpus=2, num_gpus=2)
    cluster.wait_for_nodes()
    with closing(OnRay(cluster.address)) as runner:
        assert sorted(runner.map_loaded(partial(loads, tmp_path, 0), range(6))) == [(n, n * n) for n in range(6)]
        seen = dict(runner.map_loaded(device, range(6))).values()
    cluster.remove_node(further)
    assert sorted(set(seen)) == ["0", "1"]


def test_a_node_that_dies_in_the_middle_is_survived(cluster):
    further = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    found = {}
    with closing(OnRay(cluster.address)) as runner:
        for place, square in runner.map(slow, range(12)):
            found[place] = square
            if further is not None:
                cluster.remove_node(further, allow_graceful=False)
                further = None
    assert found == {n: n * n for n in range(12)}
