from types import SimpleNamespace

from sim.audit import auditing
from sim.audit.repaired import repaired
from sim.robots import read_urdf

REPAIR = SimpleNamespace(
    part="link 'arm'", says="mass -1 kg", taken="mass 0 kg", joints=("a", "b"), why="it is low"
)


def test_a_repair_is_a_warning_with_what_was_taken_and_which_joints_it_touches():
    (one,) = repaired([REPAIR])
    assert (one.severity, one.code, one.link_or_joint) == ("warning", "repaired", "arm")
    for words in ("mass -1 kg", "mass 0 kg", "it is low", "a, b"):
        assert words in one.text
    assert list(repaired([])) == []


def test_what_a_reader_repaired_is_in_the_audit(monkeypatch):
    def with_repair(*args, **kwargs):
        robot = read_urdf(*args, **kwargs)
        object.__setattr__(robot, "repairs", (REPAIR,))
        return robot

    monkeypatch.setattr(auditing, "read_urdf", with_repair)
    assert [f.code for f in auditing.audit("ur10").findings] == ["repaired"]
