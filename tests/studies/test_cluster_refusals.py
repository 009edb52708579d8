"""What a cluster and its workers must be, without a cluster."""

import pytest

from sim.errors import ScenarioError
from sim.studies.cluster import _client, _require_same
from sim.studies.plan import versions


def test_versions_that_differ_are_both_named():
    ours = {"python": "3.11.2", "numpy": "2.1.0", "code": "0123456789ab"}
    _require_same("tcp://a:1", dict(ours), ours)
    for name, own in ours.items():
        theirs = {**ours, name: "9"}
        with pytest.raises(
            ScenarioError,
            match=rf"Worker tcp://a:1 has another version of {name}: 9 there, {own} here",
        ):
            _require_same("tcp://a:1", theirs, ours)
    with pytest.raises(ScenarioError, match="another version of code: None there"):
        _require_same("tcp://a:1", {k: v for k, v in ours.items() if k != "code"}, ours)


def test_the_versions_are_those_that_can_change_a_number():
    assert set(versions()) >= {"python", "sim", "numpy", "scipy", "pybullet", "code"}


@pytest.mark.parametrize("address", ["host", "http//host", "tcp://host", "tcp:// host:1", ""])
def test_what_is_no_address_is_refused_at_once(address):
    pytest.importorskip("distributed")
    with pytest.raises(ScenarioError, match="takes the address of a Dask scheduler, such as tcp:"):
        _client(address)
