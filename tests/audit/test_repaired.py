from types import SimpleNamespace

from sim.audit.repaired import repaired


def test_a_repair_is_a_warning_with_what_was_taken_and_which_joints_it_touches():
    repair = SimpleNamespace(
        link="arm", says="mass -1 kg", taken="mass 0 kg", joints=("a", "b"), why="it is negative"
    )
    (one,) = repaired([repair])
    assert (one.severity, one.code, one.link_or_joint) == ("warning", "repaired", "arm")
    for words in ("mass -1 kg", "mass 0 kg", "it is negative", "a, b"):
        assert words in one.text
    assert list(repaired([])) == []
