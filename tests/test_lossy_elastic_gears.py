"""Elastic gears that lose a part of their torque: each way, at rest, and in any state."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sim
from sim.dynamics import ElementSum, LagrangianDynamics, solve_motion
from sim.engines.adaptive import solve_adaptive
from sim.engines.bullet.bullet import Bullet
from sim.engines.mujoco.mujoco import Mujoco
from sim.robots import DriveTrain
from tests.helpers.small_robots import double_pendulum, pendulum

STILL = (0.0, 0.0, 0.0)
INERTIA, N, J, K = 0.25, -50.0, 1e-4, 400.0  # kg·m² of the link, ratio, kg·m², N·m/rad
ETA, BACK = 0.8, 0.6


def geared(**more):
    train = DriveTrain(
        N, rotor_inertia=J, stiffness=K, efficiency=ETA, efficiency_back=BACK, **more
    )
    return pendulum(1.0, 0.5).with_drives({"hinge": train})


def test_the_motor_gives_what_the_spring_takes_over_the_efficiency_and_never_gains():
    """In 10 000 random states: J theta'' + b theta' + s c + f / (N E), by the formula alone."""
    rng = np.random.default_rng(4)
    robot = geared(coulomb=0.02, viscous=1e-3, gear_damping=0.7)
    spin, hinge = (robot.row_names.index(name) for name in ("spin_of_hinge", "hinge"))
    q, qd, qdd = rng.normal(size=(3, 2, 10_000)) * np.array([[10.0], [0.3]])[[spin, hinge].index(0)]
    f = K * (q[spin] / N - q[hinge]) + 0.7 * (qd[spin] / N - qd[hinge])
    p, s = f / N, np.sign(qd[spin])
    y = np.where(p * s > 0, p / ETA, BACK * p)
    needed = J * qdd[spin] + 1e-3 * qd[spin] + 0.02 * s + y
    tau = sim.inverse_dynamics(robot, q, qd, qdd, STILL)
    np.testing.assert_allclose(tau[spin], needed, rtol=0, atol=1e-12 * np.abs(needed).max())
    np.testing.assert_allclose(tau[hinge], INERTIA * qdd[hinge] - f, rtol=0, atol=1e-10)
    lost = (tau[spin] - J * qdd[spin] - p) * qd[spin]
    assert (lost >= 0).all()
    assert lost.max() > 0


def by_pieces(twist, t):
    """Link and motor after a twist, without a torque: pieces in which the signs are constant.

    The motor turns without a rest: where it stops, the spring pulls it on.
    """
    y, now, states = np.array([twist * N, 0.0, 0.0, 0.0]), 0.0, []
    f, s = K * twist, -np.sign(twist * N)
    for _ in range(20):
        E = 1 / ETA if f / N * s > 0 else BACK

        def rate(_, y, E=E):
            f = K * (y[0] / N - y[1])
            return [y[2], y[3], -E * f / N / J, f / INERTIA]

        def slackens(_, y, f=f):
            return K * (y[0] / N - y[1]) * np.sign(f)

        def turns(_, y, s=s):
            return y[2] * s

        for event in (slackens, turns):
            event.terminal, event.direction = True, -1
        found = solve_ivp(rate, (now, t[-1]), y, "DOP853", events=(slackens, turns), rtol=1e-12,
                          atol=1e-14, dense_output=True)  # fmt: skip
        states += [found.sol(time) for time in t[(t >= now) & (t < found.t[-1])]]
        now, y = found.t[-1], found.y[:, -1]
        if found.status == 0:
            return np.transpose([*states, y])
        f, s = (-f, s) if found.t_events[0].size else (f, -s)
    raise AssertionError("it changes its signs without end")


def test_a_twisted_gear_unwinds_as_scipy_finds_it_piece_by_piece():
    robot, t = geared(), np.linspace(0.0, 0.12, 25)
    rows = [robot.row_names.index(name) for name in ("spin_of_hinge", "hinge")]
    motion = sim.JointMotion.torque({"hinge": "0"}, q0={"hinge": 0.0, "spin_of_hinge": 0.05 * N})
    path = motion.on(robot, 0.12)
    wanted = by_pieces(0.05, t)
    loads = ElementSum(robot, sim.Scenario(robot, motion, 0.12).elements)
    answers = [solve_motion([(0.0, LagrangianDynamics(robot, STILL))], path, t, loads)]
    for kind in (Bullet, Mujoco):
        with kind(robot, STILL) as engine:
            answers.append(solve_adaptive(engine, t, path, loads).solved)
    for found in answers:
        np.testing.assert_allclose(found.q[rows[1]], wanted[1], rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.q[rows[0]], wanted[0], rtol=0, atol=1e-9 * abs(N))
        np.testing.assert_allclose(found.qd[rows[1]], wanted[3], rtol=0, atol=1e-8)
        assert (np.diff(found.works.loss[rows[0]]) >= 0).all()
    assert np.ptp(np.sign(wanted[2])) == 2  # the motor turned back


@pytest.mark.parametrize(("share", "stays"), [(0.98, True), (1.02, False)])
def test_a_motor_without_torque_is_held_by_more_friction_than_the_spring_pulls(share, stays):
    """By eta_b f / N, which is less than f / N: the link swings on a gear that is at rest."""
    twist = 0.05
    robot = geared(coulomb=BACK * K * twist / abs(N) / share)
    motion = sim.JointMotion.torque({"hinge": "0"}, q0={"hinge": 0.0, "spin_of_hinge": twist * N})
    t, path = np.linspace(0.0, 0.1, 11), motion.on(robot, 0.1)
    loads = ElementSum(robot, sim.Scenario(robot, motion, 0.1).elements)
    found = solve_motion([(0.0, LagrangianDynamics(robot, STILL))], path, t, loads)
    hinge, spin = robot.row_names.index("hinge"), robot.row_names.index("spin_of_hinge")
    moved = np.abs(found.q[spin] - twist * N).max()
    if stays:
        swing = twist * (1 - np.cos(np.sqrt(K / INERTIA) * t))
        np.testing.assert_allclose(found.q[hinge], swing, rtol=0, atol=1e-10)
        assert moved == 0.0
    else:
        assert moved > 1e-3


def test_a_run_beside_a_rigid_lossy_gear_passes_every_check():
    train = {"efficiency": 0.8, "efficiency_back": 0.7}
    robot = double_pendulum(1.5, 0.8, 0.6, 0.9).with_drives(
        {
            "elbow": DriveTrain(-40, 1e-4, 0.003, stiffness=800.0, gear_damping=0.3, **train),
            "shoulder": DriveTrain(50, rotor_inertia=2e-4, efficiency=0.85),
        }
    )
    motion = sim.JointMotion.torque(
        {"elbow": "6*SIN(9*time)", "shoulder": "12"}, q0={"elbow": 0.3}, qd0={"elbow": 1.0}
    )
    recording = sim.run(
        sim.Scenario(robot, motion, 0.04, dt=2e-3, method="adaptive", engine="mujoco")
    )
    assert [check.name for check in sim.check(recording) if not check.ok] == []
    assert (recording.recorded["gear_loss.elbow"] >= 0).all()
    assert recording.recorded["gear_loss.elbow"].max() > 1e-3
