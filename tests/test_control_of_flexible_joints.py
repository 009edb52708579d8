"""Sampled controllers over elastic gears, told the motor's angle or the link's."""

import numpy as np
import pytest
from scipy.linalg import expm

import sim
from sim.errors import ScenarioError
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.small_robots import pendulum

STILL = (0.0, 0.0, 0.0)
INERTIA = 0.25  # kg·m², of 1 kg at 0.5 m
N, J, K, C, B = -50.0, 1e-4, 900.0, 0.8, 2e-4
T, DT = 4e-3, 2e-3  # s
KP, KD, START, WANTED = 60.0, 4.0, 0.1, 0.3
DRIVE = sim.DriveTrain(N, J, viscous=B, stiffness=K, gear_damping=C)


def law(sensed, state):
    return KP * (sensed.q_ref - sensed.q) + KD * (sensed.qd_ref - sensed.qd), state


def go(controller, engine="bullet", **more):
    robot = pendulum(1.0, 0.5).with_drives({"hinge": DRIVE})
    motion = sim.JointMotion.displacement({"hinge": f"{WANTED} + 0.5*time"}, **more)
    return run(
        Scenario(robot, motion, 0.1, dt=DT, method="adaptive", gravity=STILL, engine=engine,
                 controller=controller)
    )  # fmt: skip


def recurrence(side, times):
    """q, theta, qd and its rate of the linear arm, whose motor is held from sample to sample."""
    A = np.zeros((5, 5))  # and the motor's torque
    A[0, 2] = A[1, 3] = 1.0
    twist, rate = np.array([-K, K / N]), np.array([-C, C / N])
    A[2, :2], A[2, 2:4] = twist / INERTIA, rate / INERTIA
    A[3, :2], A[3, 2:4] = -twist / (N * J), -rate / (N * J)
    A[3, 3] -= B / J
    A[3, 4] = 1.0 / J
    step, x, found = expm(A * DT), np.array([START, N * WANTED, 0.5, N * 0.5, 0.0]), []
    for k, t in enumerate(times):
        if k % 2 == 0:  # T is two steps
            q, qd = (x[0], x[2]) if side == "link" else (x[1] / N, x[3] / N)
            x[4] = (KP * (WANTED + 0.5 * t - q) + KD * (0.5 - qd)) / N
        found.append(x[:4])
        x = step @ x
    return np.array(found).T


@pytest.mark.parametrize(("side", "engine"), [("motor", "bullet"), ("link", "mujoco")])
def test_an_elastic_joint_moves_as_the_recurrence_of_either_sensor_says(side, engine):
    controller = sim.Controller(law, T, limits={}, sensed_at=side)
    held = go(controller, engine, q0={"hinge": START})
    expected = recurrence(side, held.t)
    for table in (held.recorded, held.analytic):
        for row, channel in enumerate(("q.hinge", "q.spin_of_hinge", "qd.hinge")):
            off = np.abs(table[channel].to_numpy() - expected[row]).max()
            assert off < 1e-12 * max(1.0, np.abs(expected[row]).max()), channel  # rounding
    faults = {(one.name, one.channel) for one in sim.check(held) if not one.ok}
    assert faults <= {("control loop stability", "ke")}  # twisted by 0.2 rad to begin with


def test_a_run_tells_both_sensors_and_what_the_motor_is_commanded():
    controller = sim.Controller(law, T, encoder_bits=16, delay=1, limits={"hinge": 0.1})
    held = go(controller)
    table, step = held.analytic, 2 * np.pi / 2**16
    assert all(one.ok for one in sim.check(held))
    assert (table["q.hinge"].iloc[0], table["qd.hinge"].iloc[0]) == (WANTED, 0.5)  # untwisted
    np.testing.assert_allclose(table["reference.spin_of_hinge"], N * table["reference.hinge"])
    for side in ("hinge", "spin_of_hinge"):
        ticks = table[f"sensed.{side}"].to_numpy() / step
        np.testing.assert_allclose(ticks, np.round(ticks), atol=1e-6)
    at = slice(2, -1, 2)  # the instants from the first command on; the end is none
    told = table["sensed.spin_of_hinge"] / N, table["sensed_qd.spin_of_hinge"] / N
    wanted = KP * (table["reference.hinge"] - told[0]) + KD * (0.5 - told[1])
    one_late = wanted.to_numpy()[:-3:2] / N
    np.testing.assert_allclose(table["command.spin_of_hinge"].to_numpy()[at], one_late, atol=1e-9)
    np.testing.assert_allclose(
        table["motor_tau.hinge"].to_numpy()[at], np.clip(one_late, -0.1 / 50, 0.1 / 50), atol=1e-9
    )
    assert table["saturated.spin_of_hinge"].any() and not table["command.hinge"].any()


def test_strings_read_what_is_sensed_as_of_an_untwisted_gear():
    arm = sim.Marker("arm", "bob"), sim.Marker("base", "ground")
    text = f"{KP}*({WANTED} + 0.5*time - AY(arm, base)) + {KD}*(0.5 - WY(arm, base))"
    strings = sim.Controller({"hinge": text}, T, limits={}, names=sim.Names(arm))
    written, typed = (go(one).analytic for one in (strings, sim.Controller(law, T, limits={})))
    np.testing.assert_allclose(written["q.hinge"], typed["q.hinge"], rtol=0, atol=1e-12)


def test_what_does_not_fit_is_told():
    robot = pendulum(1.0, 0.5).with_drives({"hinge": DRIVE})
    with pytest.raises(ScenarioError, match="PDGravity assumes rigid gears, but joint 'hinge'"):
        sim.PDGravity(robot, 20.0)
    with pytest.raises(ScenarioError, match="sensed_at 'gear': choose one of motor, link"):
        sim.Controller(law, T, sensed_at="gear")
    with pytest.raises(ScenarioError, match="'spin_of_hinge': it is not in robot"):
        go(sim.Controller({"spin_of_hinge": "1"}, T))
