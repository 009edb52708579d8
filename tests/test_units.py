import pytest

from sim.units import unit_of
from tests.short_runs import short_run


@pytest.mark.parametrize(
    ("channel", "turning", "sliding"),
    [
        ("q.j", "rad", "m"),
        ("qd.j", "rad/s", "m/s"),
        ("qdd.j", "rad/s²", "m/s²"),
        ("tau.j", "N·m", "N"),
        ("tau_error.j", "N·m", "N"),
        ("friction.j", "N·m", "N"),
        ("power.j", "W", "W"),
    ],
)
def test_a_joint_channel_has_the_unit_of_its_joint(channel, turning, sliding):
    assert unit_of(channel) == turning
    assert unit_of(channel, prismatic=["j"]) == sliding
    assert unit_of(channel, prismatic=["k"]) == turning


@pytest.mark.parametrize(
    ("channel", "unit"),
    [
        ("t", "s"),
        ("ke", "J"),
        ("pe", "J"),
        ("ke.arm", "J"),
        ("reaction.j.fx", "N"),
        ("reaction.j.fz", "N"),
        ("reaction.j.mx", "N·m"),
        ("reaction.j.mz", "N·m"),
        ("tool.x", "m"),
        ("tool.z", "m"),
        ("tool.qx", "1"),
        ("tool.qw", "1"),
        ("tool.vy", "m/s"),
        ("tool.wz", "rad/s"),
    ],
)
def test_every_other_channel_has_its_own_unit(channel, unit):
    assert unit_of(channel) == unit


def test_names_with_dots_and_names_like_units_do_not_confuse():
    assert unit_of("q.left.arm.joint", prismatic=["left.arm.joint"]) == "m"
    assert unit_of("reaction.left.fx.arm.mz") == "N·m"
    assert unit_of("reaction.mx.fy") == "N"


def test_a_run_knows_the_unit_of_every_channel():
    recording = short_run()
    assert list(recording.units) == list(recording.recorded.columns)
    assert recording.units["tool.qw"] == "1"
