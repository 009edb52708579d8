import pyarrow.parquet as pq
import pytest

from sim.recording.schema.channels import source_of, unit_of
from sim.robots import Coordinate
from tests.helpers.short_runs import short_run


def slide(name):
    return Coordinate(name, name, "sliding", (0.0, 0.0, 1.0))


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
    assert unit_of(channel, [slide("j")]) == sliding
    assert unit_of(channel, [slide("k")]) == turning


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
    assert unit_of("q.left.arm.joint", [slide("left.arm.joint")]) == "m"
    assert unit_of("reaction.left.fx.arm.mz") == "N·m"
    assert unit_of("reaction.mx.fy") == "N"


def test_a_run_knows_the_unit_of_every_channel():
    recording = short_run()
    assert list(recording.units) == list(recording.recorded.columns)
    assert recording.units["tool.qw"] == "1"


@pytest.mark.parametrize(
    ("channel", "is_law"),
    [
        ("tau.j", False),
        ("qdd.j", False),
        ("ke.arm", False),
        ("tool.x", False),
        ("tool.wz", False),
        ("tool.ax", True),
        ("tool.wdz", True),
        ("reaction.j.fx", True),
        ("friction.j", True),
        ("stop.j", True),
        ("loop.pin.fx", True),
    ],
)
def test_a_column_of_the_engine_says_where_a_law_of_the_model_made_it(channel, is_law):
    wanted = "a law of the model on the engine's motion" if is_law else "the engine"
    assert source_of(channel, "bullet") == wanted
    told = channel.startswith(("reaction.", "loop."))  # MuJoCo has a sweep of its own for these
    assert source_of(channel, "mujoco") == ("the engine" if told else wanted)


def test_the_files_columns_carry_their_unit_and_their_source(tmp_path):
    short_run().write(tmp_path)
    schema = pq.read_schema(tmp_path / "recording.parquet")
    reaction = next(name for name in schema.names if name.startswith("reaction."))
    assert schema.field(reaction).metadata[b"source"].startswith(b"a law of the model")
    assert schema.field("tool.x").metadata == {b"unit": b"m", b"source": b"the engine"}
    assert b"source" not in pq.read_schema(tmp_path / "analytic.parquet").field("tool.x").metadata
