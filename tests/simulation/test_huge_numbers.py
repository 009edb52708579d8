"""Numbers that are finite and too large: refused by their own name, before the engine tries."""

from dataclasses import replace

import pytest

from sim.errors import ModelError, ScenarioError
from sim.motion import JointMotion
from sim.robots import load_robot
from sim.scenario import Scenario
from sim.simulation.resource_limits import memory_of, require_memory
from sim.simulation.run import run
from tests.helpers.small_robots import double_pendulum, joint, lift, link, robot

SOUND = double_pendulum(1.0, 1.0, 1.0, 1.0)


def scenario(robot, drive="STEP(TIME, 0, 0, 0.02, 1d)", level="displacement", **more):
    first, *rest = robot.joint_names
    motion = getattr(JointMotion, level)({first: drive, **dict.fromkeys(rest, "0")})
    return Scenario(robot, motion, **({"duration": 0.02} | more))


def far(*, origin="0 0 0", com="0 0 0"):
    return robot(
        link("near", 1.0, moments="1 1 1"),
        joint("base", "revolute", "ground", "near", "0 1 0"),
        link("far", 1.0, com=com, moments="1 1 1"),
        joint("tip", "revolute", "near", "far", "0 1 0", f'<origin xyz="{origin}"/>'),
    )


@pytest.mark.parametrize("method", ["stepped", "ideal", "adaptive"])
@pytest.mark.parametrize(
    ("made", "words"),
    [
        (far(origin="0 1e6 0"), r"Joint 'tip' is away from link 'near' by 1e\+06 m; at most 1"),
        (far(com="5e5 0 0"), r"Link 'far' has its mass centre at 500000 m; at most 100000 m"),
    ],
)
def test_a_length_beyond_all_robots_is_named(made, words, method):
    with pytest.raises(ModelError, match=words):
        run(scenario(made, method=method))


@pytest.mark.parametrize(
    ("made", "drive", "level", "words"),
    [
        (SOUND, "TAN(PI/2)", "displacement", r"a position of 1\.63312e\+16 rad at t = 0 s"),
        (SOUND, "TAN(PI/2)", "velocity", r"position of 1\.63312e\+13 rad at t = 0\.001 s"),
        (SOUND, "1e8*TIME", "displacement", r"velocity of 1e\+08 rad/s at t = 0 s; at most 1e\+07"),
        (lift(1.0), "1e8", "displacement", r"a position of 1e\+08 m at t = 0 s; at most 1e\+07 m "),
    ],
)
def test_a_drive_beyond_all_joints_is_named_with_the_time(made, drive, level, words):
    with pytest.raises(ScenarioError, match=f"drive of joint '{made.joint_names[0]}' .*{words}"):
        run(scenario(made, drive, level))


@pytest.mark.parametrize("mass", [1e12, 1e-20])
def test_a_payload_counts_as_a_link(mass):
    with pytest.raises(ModelError, match=r"mass 1e[+-]\d+ kg is unrealistic"):
        load_robot("ur10").with_payload(mass=mass)


def test_a_run_beyond_the_memory_is_refused_with_what_to_change():
    long = scenario(load_robot("ur10"), duration=600.0, dt=1e-3)
    require_memory(long, 4e9)
    require_memory(long, 1e9, stored=True)
    with pytest.raises(ScenarioError) as caught:
        require_memory(long, 1e9)
    words = str(caught.value)
    assert "600001 samples" in words
    assert "this machine has 1 GB" in words
    assert "`--dt`" in words
    # a shorter run, as long as the message says, fits
    seconds = float(words.rsplit("less than ", 1)[1].split(maxsplit=1)[0])
    require_memory(replace(long, duration=round(0.9 * seconds)), 1e9)


def test_the_estimate_is_what_was_measured():
    # UR10, 1 ms, Linux, ru_maxrss, its tables in files: 446 MB for 180 s, 575 MB for 600 s
    robot = load_robot("ur10").with_payload(mass=5.0)
    for samples, measured in ((180_001, 446e6), (600_001, 575e6)):
        assert pytest.approx(memory_of(robot, samples, stored=True), rel=0.3) == measured


def test_tables_that_stay_in_files_take_no_memory():
    robot = load_robot("ur10")
    held = memory_of(robot, 600_001) - memory_of(robot, 600_001, stored=True)
    assert held > 2 * 8 * 600_001 * 118  # both tables
