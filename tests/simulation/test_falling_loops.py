"""Closed loops that nothing drives, or a torque: run by both engines and judged."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sim
from tests.helpers.loop_robots import LIMITS, FourBar, rough_bars, windows

BARS = FourBar()
START = {"crank_joint": 0.4, "rocker_joint": 0.5, "coupler_joint": 0.9}  # near an assembled pose
FALL = sim.JointMotion.acceleration({}, q0=START, qd0={"crank_joint": 2.0}, free=["crank_joint"])
PUSH = sim.JointMotion.torque({"crank_joint": "0.5 + SIN(9*time)"}, q0=START)


def scenario(motion, robot=None, **more):
    robot = BARS.robot() if robot is None else robot
    return sim.Scenario(robot, motion, duration=0.12, dt=4e-3, method="adaptive", **more)


def column(recording, name, table="recorded"):
    return getattr(recording, table)[name].to_numpy()


@pytest.mark.parametrize(
    ("engine", "motion"), [("bullet", FALL), ("mujoco", PUSH)], ids=["free", "torque"]
)
def test_a_four_bar_falls_in_both_engines_as_in_the_model(engine, motion):
    recording = sim.run(scenario(motion, engine=engine))
    checks = sim.check(recording)
    assert [check for check in checks if not check.ok] == []
    assert {"energy balance", "Lagrange and Newton-Euler", "loop closure force"} <= {
        check.name for check in checks
    }
    assert recording.run.settings.free == BARS.robot().joint_names
    q, qd = (column(recording, f"{group}.crank_joint") for group in ("q", "qd"))
    kinetic, potential = BARS.energies(q, qd, 9.81)
    gained = kinetic + potential - (kinetic + potential)[0]
    work = column(recording, "work.crank_joint")
    np.testing.assert_allclose(gained, work, rtol=0, atol=1e-9)  # [J] of some 10
    assert np.ptp(q) > 0.1
    assert np.abs(work).max() > 0.01 or motion is FALL


def test_an_arm_of_three_freedoms_and_three_loops_falls():
    arm = sim.load_robot("irb460_paper")
    free = ("swing_joint", "lower_arm_joint", "crank_joint")
    fall = sim.JointMotion.displacement({}, free=free)
    recording = sim.run(replace(scenario(fall, arm, engine="mujoco"), duration=0.04))
    assert [check for check in sim.check(recording) if not check.ok] == []
    energy = column(recording, "ke") + column(recording, "pe")
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-9 * abs(energy[0]))
    assert np.ptp(column(recording, "ke")) > 0.3  # [J]


def test_pins_of_a_parallelogram_pull_as_newton_says():
    """Both bars move alike: what the pin gives across the rocker is known from the angle."""
    bars = FourBar(ground=0.5, crank=0.4, coupler=0.5, rocker=0.4)
    start = {"crank_joint": np.pi + 1, "rocker_joint": np.pi + 1, "coupler_joint": -np.pi / 2 - 1}
    fall = sim.JointMotion.displacement({}, q0=start, free=["crank_joint"])
    recording = sim.run(scenario(fall, bars.robot(), engine="mujoco"))
    angle, rate, second = (
        column(recording, f"{group}.crank_joint") for group in ("q", "qd", "qdd")
    )
    m3 = bars.masses[2]
    # The rocker about its foot: l F = m3 l²/3 θ'' - m3 g l/2 sin θ, F across it.
    across = 0.4 * m3 * second / 3 - m3 * 9.81 * np.sin(angle) / 2
    F = np.stack([column(recording, f"loop.coupler_on_rocker.f{c}") for c in "xz"])
    own = F[0] * np.cos(angle) - F[1] * np.sin(angle)
    np.testing.assert_allclose(own, across, rtol=0, atol=1e-9)  # [N] of some 10
    assert np.abs(across).max() > 0.5 and np.abs(rate).max() > 0.5


def test_a_solver_moves_passive_joints_of_a_driven_loop_as_its_equations_do():
    drive = sim.JointMotion.displacement({"crank_joint": "0.4 + 2*time**2"}, q0=START)
    recording = sim.run(scenario(drive, engine="mujoco"))
    assert all(check.ok for check in sim.check(recording))
    t = recording.recorded.index.to_numpy()
    motion = BARS.motion(0.4 + 2 * t**2, 4 * t, 4 + 0 * t)
    for group, rows in zip(("q", "qd", "qdd"), motion, strict=True):
        for name, row in zip(BARS.robot().joint_names, rows, strict=True):
            np.testing.assert_allclose(column(recording, f"{group}.{name}"), row, atol=1e-9)


def test_a_singular_pose_is_passed_and_said():
    """A window that leans: from 1.45 rad its bars lie in one line within 0.06 s."""
    start, rate = {"foot_0": 1.45, "foot_1": 1.45, "corner_0": -1.45}, {"foot_0": 3.0}
    fall = sim.JointMotion.acceleration({}, q0=start, qd0=rate, free=["foot_0"])
    # A sample lies 3 mrad beside the pose: accelerations agree to 2e-7 rad/s², forces to 8e-6 N.
    recording = sim.run(
        replace(scenario(fall, windows(1), engine="mujoco"), duration=0.119, dt=3.5e-3)
    )
    (note,) = [note for note in recording.run.notes if "singular" in note]
    t, angle = recording.recorded.index.to_numpy(), column(recording, "q.foot_0")
    passed = np.interp(np.pi / 2, angle, t)
    said = float(note.partition("t = ")[2].split(" s")[0])
    assert said == pytest.approx(passed, abs=1e-3)  # [s]; where the solver slowed down
    assert "near foot_0 = 1.5" in note
    assert [check for check in sim.check(recording) if not check.ok] == []
    least = column(recording, "loop_singular_value")
    assert np.abs(angle[np.argmin(least)] - np.pi / 2) < 4e-3 and least.min() < 4e-3 < least[0]
    for row, is_named in ((0, True), (np.argmin(least), False)):
        table = recording.recorded.copy()
        table.iloc[row, table.columns.get_loc("loop.window_0.fx")] += 2e-5  # [N]
        lie = replace(recording, recorded=table)
        failed = {check.channel for check in sim.check(lie) if not check.ok}
        assert ("loop.window_0.fx" in failed) is is_named
    k = 2 * 9.81 / (2 / 3 + 1)
    exact = solve_ivp(
        lambda _, y: [y[1], k * np.sin(y[0])], (0, t[-1]), [1.45, 3.0], "DOP853", t,
        rtol=1e-13, atol=1e-13,
    ).y[0]  # fmt: skip
    np.testing.assert_allclose(angle, exact, rtol=0, atol=1e-9)  # [rad]


def test_dry_friction_of_a_driven_loop_loads_its_drive_by_virtual_work():
    """Power of the crank: of all energies, and what its joints lose, which it takes along."""
    drive = sim.JointMotion.displacement({"crank_joint": "0.4 + 2*time**2"}, q0=START)
    recording = sim.run(scenario(drive, rough_bars()))
    assert [check for check in sim.check(recording) if not check.ok] == []
    t, h = recording.t[1:], 1e-4

    def energy(times):
        return sum(BARS.energies(0.4 + 2 * times**2, 4 * times, 9.81))

    near, far = (energy(t + k * h) - energy(t - k * h) for k in (1, 2))
    qd = BARS.motion(0.4 + 2 * t**2, 4 * t, 4 + 0 * t)[1]
    losses = np.abs(qd) * [[LIMITS[name]] for name in BARS.robot().joint_names]
    power = (8 * near - far) / (12 * h) + losses.sum(axis=0)
    found = column(recording, "tau.crank_joint")[1:]
    np.testing.assert_allclose(found, power / (4 * t), rtol=0, atol=1e-7)  # [N·m] of some 2
    for name, row in zip(BARS.robot().joint_names, losses, strict=True):
        lost = column(recording, f"friction.{name}") * column(recording, f"qd.{name}")
        np.testing.assert_allclose(lost[1:], row, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_loops_with_a_free_joint_are_left_to_the_solver(method):
    with pytest.raises(sim.ScenarioError, match=r"'crank_joint' is free .* use method 'adaptive'"):
        sim.run(replace(scenario(FALL), method=method))


def test_a_loop_that_cannot_close_is_refused_before_the_run():
    far = FourBar(ground=2.0)
    with pytest.raises(
        sim.ScenarioError, match=r"Loop 'coupler on rocker' .* open by .* m at t = 0"
    ):
        sim.run(scenario(FALL, far.robot()))


@pytest.mark.parametrize("controlled", [False, True])
def test_a_free_joint_that_opens_a_loop_without_passive_joints_is_refused(controlled):
    """Nothing would keep such a loop closed."""
    closed = BARS.robot()
    robot = replace(closed, loops=(replace(closed.loops[0], passive=()),))
    q = BARS.motion(np.array([0.4]), np.zeros(1), np.zeros(1))[0][:, 0]
    start = dict(zip(robot.row_names, q.tolist(), strict=True))
    law = sim.Controller(lambda x, state: (np.zeros(3), state), 4e-3) if controlled else None
    motion = sim.JointMotion({}, q0=start, free=() if controlled else ("coupler_joint",))
    given = scenario(motion, robot, controller=law)
    with pytest.raises(sim.ScenarioError, match=r"Loop 'coupler on rocker' .* no passive joints"):
        sim.run(given)
