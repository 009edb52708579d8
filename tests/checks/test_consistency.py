from dataclasses import replace

import msgspec
import numpy as np
import pytest

from sim.checks import check
from sim.errors import RecordingError
from sim.motion import JointMotion, PointMotion
from sim.recording import Recording
from sim.robots import JointFriction, load_robot
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import arm, short_run, with_settings
from tests.helpers.synthetic_runs import with_joint

LAW = JointFriction(0.3, 0.2, stiction_velocity=0.02, pin_radius=0.05, max_torque=0.4)
BENT = (0.1, -1.2, 1.4, -1.7, -1.5, 0.2)  # rad; the UR10 far from its singular poses


def failed(recording):
    return {(one.name, one.channel) for one in check(recording) if not one.ok}


def wrong(recording):
    (one,) = (one for one in check(recording) if one.name == "robot")
    return one.worst


# Regimes of friction


@pytest.fixture(scope="module", params=["stepped", "ideal"])
def rubbing(request):
    robot = arm().with_friction({"elbow": LAW})
    motion = JointMotion.displacement({"elbow": "0.3*SIN(9*time)"})
    return run(Scenario(robot, motion, 0.3), method=request.param)


def test_a_regime_is_that_of_the_speed_at_the_pin(rubbing):
    assert failed(rubbing) == set()
    speed = np.abs(0.05 * rubbing.analytic["qd.elbow"])
    regimes = rubbing.analytic["regime.elbow"]
    np.testing.assert_array_equal(regimes == 0, speed < 0.02)
    np.testing.assert_array_equal(regimes == 2, speed >= 0.03)
    assert set(regimes) == {0, 1, 2}


@pytest.mark.parametrize(("table", "of"), [("recorded", ""), ("analytic", " of model")])
@pytest.mark.parametrize("k", [0, 100, 300])
def test_one_wrong_regime_is_seen_in_either_table(rubbing, table, of, k):
    frame = getattr(rubbing, table).copy()
    frame.iloc[k, frame.columns.get_loc("regime.elbow")] += 1
    assert failed(replace(rubbing, **{table: frame})) == {(f"friction regime{of}", "regime.elbow")}


def test_a_law_survives_its_description_also_without_a_largest_torque(rubbing, tmp_path):
    rubbing.write(tmp_path)
    assert failed(Recording.read(tmp_path)) == set()
    endless = run(
        Scenario(
            arm().with_friction({"elbow": JointFriction(0.3, 0.2)}),
            JointMotion.displacement({"elbow": "0.3*SIN(9*time)"}),
            0.1,
        )
    )
    endless.write(tmp_path)
    assert failed(Recording.read(tmp_path)) == set()


@pytest.mark.parametrize(
    "law",
    [
        {"mu_static": 0.3, "mu_dynamic": 0.2, "stiction_velocity": -1.0},
        {"mu_static": 0.3},
        {"mu_static": 0.3, "mu_dynamic": 0.2, "stickiness": 1.0},
        {"mu_static": 0.3, "mu_dynamic": ("preload",)},
    ],
)
def test_a_law_that_is_none_is_an_error_that_names_the_joint(rubbing, law):
    with pytest.raises(RecordingError, match="no law of friction for joint 'elbow'"):
        check(with_joint(rubbing, "elbow", friction_law=law))


# Free joints


def test_a_run_with_free_joints_is_described_as_it_is():
    motion = JointMotion.displacement({"shoulder": "SIN(time)"}, free=["elbow"])
    motor = motion.torque({"elbow": 1.0}) | JointMotion.displacement({"shoulder": "SIN(time)"})
    for one in (motion, motor):
        recording = run(Scenario(arm(), one, 0.05), method="adaptive")
        assert recording.run.settings.free == ("elbow",)
        assert wrong(recording) == 0


@pytest.mark.parametrize(
    ("free", "count"),
    [((), 0), (("elbow",), 1), (("shoulder", "elbow"), 2), (("knee",), 1)],
)
def test_a_driven_joint_is_not_free_nor_one_that_is_not_there(free, count):
    """Limits are wider where joints are free."""
    assert wrong(with_settings(short_run(), free=free)) == count


def test_a_joint_with_a_motor_is_free():
    motion = JointMotion.torque({"elbow": 1.0})
    recording = run(Scenario(arm(), motion, 0.05), method="adaptive")
    assert wrong(recording) == 0
    assert wrong(with_settings(recording, free=())) == 1
    drives = (msgspec.structs.replace(recording.run.drives[0], level="velocity"),)
    assert wrong(recording.with_description(drives=drives)) == 1


def test_where_the_tool_is_moved_no_joint_is_free():
    path = {"x": "0.5", "y": "0.2", "z": "0.4+0.1*time"}
    motion = PointMotion(path, start=BENT)
    recording = run(Scenario(load_robot("ur10"), motion, 0.05), method="ideal")
    assert wrong(recording) == 0
    assert wrong(with_settings(recording, free=("elbow_joint",))) == 1


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (1e-14, 0), (1e-9, 1), (1e-4, 1)])
def test_a_mass_that_is_told_is_that_of_the_text(share, count):
    """A millionth of a gram is another mass: both were written with all their digits."""
    recording = short_run()
    facts = recording.run.robot
    masses = {**facts.masses, "forearm": facts.masses["forearm"] * (1 + share)}
    told = recording.with_description(robot=msgspec.structs.replace(facts, masses=masses))
    assert wrong(told) == count
    assert failed(told) == ({("robot", "q.shoulder")} if count else set())


@pytest.mark.parametrize("facts", [{"damping": 0.1}, {"friction": 0.1}])
def test_what_rubs_is_that_of_the_text(facts):
    recording = short_run()
    joints = tuple(
        msgspec.structs.replace(one, **facts) if one.name == "elbow" else one
        for one in recording.run.robot.joints
    )
    robot = msgspec.structs.replace(recording.run.robot, joints=joints)
    assert wrong(recording.with_description(robot=robot)) == 1
