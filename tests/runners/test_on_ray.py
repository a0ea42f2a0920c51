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
from made_workers import dies, slow

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


def test_a_worker_that_dies_is_replaced_and_a_part_that_kills_all_is_named(cluster, tmp_path):
    once, always = tmp_path / "once", tmp_path / "always"
    once.mkdir(), always.mkdir()
    with closing(OnRay(cluster.address)) as runner:
        assert sorted(runner.map(partial(dies, once, 1), [2, 3, 4])) == [(0, 4), (1, 9), (2, 16)]
        ((_, found),) = runner.map(partial(dies, always, 99), [3])
    assert isinstance(found, LostError)


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
