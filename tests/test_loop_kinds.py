"""Runs of machines that a hinge, a slider or a rod closes, against closed forms."""

from dataclasses import replace

import numpy as np
import pytest

import sim
from tests.helpers.loop_robots import FourBar, block_crank, rod_bar, slider_crank

DRIVE = "2*time+0.3*SIN(3*time)"


def drive(t):
    return 2 * t + 0.3 * np.sin(3 * t), 2 + 0.9 * np.cos(3 * t), -2.7 * np.sin(3 * t)


def hinge_bar():
    bars = FourBar()
    (pin,) = bars.robot().loops
    hinge = replace(pin, normal=None, kind="hinge", axis_a=(0, 1, 0), axis_b=(0, 1, 0))
    return bars, replace(bars.robot(), loops=(hinge,))


def column(recording, channel):
    return recording.recorded[channel].to_numpy()


def start(bars, robot):
    q = bars.motion(np.zeros(1), np.zeros(1), np.zeros(1))[0][:, 0]
    return dict(zip(bars.robot().joint_names, q, strict=True) if len(robot.joint_names) > 2
                else zip(robot.joint_names, q[:2], strict=True))  # fmt: skip


@pytest.mark.parametrize(("of", "engine"), [(hinge_bar, "mujoco"), (rod_bar, "bullet")])
def test_a_crank_carries_the_power_that_energies_in_closed_form_need(of, engine):
    bars, robot = of()
    motion = sim.JointMotion.displacement({"crank_joint": DRIVE}, q0=start(bars, robot))
    recording = sim.run(sim.Scenario(robot, motion, 0.5, dt=5e-3, engine=engine), method="ideal")
    t, h = recording.t, 1e-4
    energy = [sum(bars.energies(*drive(t + k * h)[:2], 9.81)) for k in (-2, -1, 1, 2)]
    power = (8 * (energy[2] - energy[1]) - (energy[3] - energy[0])) / 12 / h
    torque, wanted = column(recording, "tau.crank_joint"), power / drive(t)[1]
    np.testing.assert_allclose(torque, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())
    assert [check for check in sim.check(recording) if not check.ok] == []
    if of is hinge_bar:  # the bars lie in one plane: it holds no moment
        assert (
            max(np.abs(column(recording, f"loop.coupler_on_rocker.m{c}")).max() for c in "xyz")
            < 1e-9
        )
        return
    # The rocker about its foot: m l²/3 c'' - m g l/2 sin c is the lever of the rod's pull.
    _, rate, second = bars.motion(*drive(t))
    _, b, c = bars.absolute(drive(t)[0])
    m, length = bars.masses[2], bars.rocker
    needed = m * length**2 / 3 * second[1] - m * 9.81 * length / 2 * np.sin(c)
    tension = column(recording, "loop.rod.tension")
    lever = length * (np.sin(b) * np.cos(c) - np.cos(b) * np.sin(c))  # pulls back along b
    np.testing.assert_allclose(-tension * lever, needed, rtol=0, atol=1e-9)  # [N·m] of some 10
    assert np.ptp(tension) > 5 and np.abs(rate).max() > 1


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_rod_keeps_its_length_while_all_falls_and_does_no_work(engine):
    bars, robot = rod_bar()
    fall = sim.JointMotion.acceleration(
        {}, q0=start(bars, robot), qd0={"crank_joint": 2.0}, free=["crank_joint"]
    )
    scenario = sim.Scenario(robot, fall, 0.1, dt=5e-3, engine=engine)
    recording = sim.run(scenario, method="adaptive")
    q, qd = (column(recording, f"{group}.crank_joint") for group in ("q", "qd"))
    energy = sum(bars.energies(q, qd, 9.81))
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-10)  # [J]
    assert [check for check in sim.check(recording) if not check.ok] == []
    np.testing.assert_allclose(column(recording, "q.rocker_joint"), bars.absolute(q)[2], atol=1e-10)


def test_a_guide_holds_a_block_as_a_slide_of_the_tree_does():
    """One slider-crank cut at its pin and at its guide: drive, motion and what the guide holds."""
    runs = []
    for robot, start in (
        (slider_crank(0.2, 0.6, com="0.05 0.03 0.02"), {"rod_joint": 1.9, "slider_joint": 0.55}),
        (block_crank(0.2, 0.6, com="0.05 0.03 0.02"), {"rod_joint": 1.9, "block_joint": -1.9}),
    ):
        motion = sim.JointMotion.displacement({"crank_joint": DRIVE}, q0=start)
        scenario = sim.Scenario(robot, motion, 0.3, dt=5e-3, engine="mujoco")
        runs.append(sim.run(scenario, method="ideal"))
        assert [check for check in sim.check(runs[-1]) if not check.ok] == []
    pinned, guided = runs
    for channel in ("q.rod_joint", "qdd.rod_joint", "tau.crank_joint"):
        np.testing.assert_allclose(column(guided, channel), column(pinned, channel), atol=1e-9)
    # The guide gives the block what the slide gives it, but that the tree holds the whole machine
    # out of its plane there too: across the way in the plane, and the moment about the hinges.
    for component in ("fz", "my"):
        wanted = column(pinned, f"reaction.slider_joint.{component}")
        found = column(guided, f"loop.guide.{component}")
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)  # [N, N·m]
        assert np.abs(wanted).max() > 0.5
    np.testing.assert_allclose(column(guided, "loop.guide.fx"), 0, atol=1e-9)  # its free way


def test_a_distance_that_a_string_keeps_pulls_as_a_rod_does():
    bars, rod = rod_bar()
    (loop,) = rod.loops
    text = replace(loop, kind="function", length=None, function=f"DM(b,a)/{bars.coupler} - 1")
    motion = sim.JointMotion.displacement({"crank_joint": DRIVE}, q0=start(bars, rod))
    runs = [
        sim.run(sim.Scenario(robot, motion, 0.2, dt=0.01, engine="mujoco"), method="ideal")
        for robot in (rod, replace(rod, loops=(text,)))
    ]
    assert [check for check in sim.check(runs[1]) if not check.ok] == []
    for channel in ("tau.crank_joint", "q.rocker_joint", "loop.rod.fx", "loop.rod.fz"):
        one, other = (column(recording, channel) for recording in runs)
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-10)
    for c in "xyz":  # of a distance alone
        np.testing.assert_allclose(column(runs[1], f"loop.rod.m{c}"), 0, atol=1e-12)


def test_what_is_open_is_said_equation_by_equation():
    _, robot = rod_bar()
    (rod,) = robot.loops
    long = replace(robot, loops=(replace(rod, length=2.0),))
    motion = sim.JointMotion.displacement({"crank_joint": 0.0})
    with pytest.raises(sim.ScenarioError, match=r"'rod' .* open by .* m .* its length 2 m"):
        sim.run(sim.Scenario(long, motion, 0.1))
    _, robot = hinge_bar()
    (hinge,) = robot.loops
    leaning = replace(hinge, axis_b=(0, np.cos(0.01), np.sin(0.01)))
    words = (
        r"open by 0\.0099998.* rad .* in .coupler on rocker. axis_b leans on .* by -0\.009081 rad"
    )
    with pytest.raises(sim.ScenarioError, match=words):
        sim.run(sim.Scenario(replace(robot, loops=(leaning,)), motion, 0.1))
