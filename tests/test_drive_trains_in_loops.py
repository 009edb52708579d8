"""Drive trains that lose torque in closed loops: the reduced equation, rest, runs."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sim
from sim.dynamics import LagrangianDynamics, solve_motion
from sim.engines.adaptive import solve_adaptive
from sim.engines.bullet.bullet import Bullet
from sim.engines.mujoco.mujoco import Mujoco
from sim.robots import DriveTrain
from sim.simulation import build_problem
from tests.helpers.loop_robots import (
    LIMITS,
    FourBar,
    parallelogram,
    reduced,
    rough_bars,
    slider_crank,
)

pytestmark = pytest.mark.usefixtures("few_steps")

G = (0.0, 0.0, -9.81)
BARS = FourBar()
TRAIN = DriveTrain(-50, 1e-4, coulomb=0.01, coulomb_back=0.02, viscous=1e-4,
                   efficiency=0.8, efficiency_back=0.7)  # fmt: skip
A, V, C, ETA, BACK = 0.25, 0.25, (0.5, 1.0), 0.8, 0.7  # all at the crank


def geared(crank=0.3, rate=0.0, torque="0"):
    """The four-bar with a train in its crank, its path, and the start of all joints."""
    robot = BARS.robot().with_drives({"crank_joint": TRAIN})
    q, qd, _ = BARS.motion(np.array([crank]), np.array([rate]), np.zeros(1))
    motion = sim.JointMotion.torque({"crank_joint": torque}, q0=q[:, 0], qd0=qd[:, 0])
    return sim.Scenario(robot, motion, 0.06, dt=4e-3, method="adaptive")


def rate_of(a, ad, u):
    """a'' of ``m a'' + dm/da a'²/2 + dV/da = E y``, y = u - A a'' - V a' - s c, by trying both."""
    m, dm, dV = reduced(BARS, a, -G[2])
    s = np.sign(ad)
    left = u - V * ad - (C[0] if s > 0 else -C[1])
    for E, drives in ((ETA, True), (1 / BACK, False)):
        add = (E * left - 0.5 * dm * ad * ad - dV) / (m + E * A)
        if ((left - A * add) * s > 0) == drives:
            return add
    raise AssertionError("neither sense of the loss fits")


@pytest.mark.parametrize(("rate", "kind"), [(2.0, Bullet), (-2.0, Mujoco)])
def test_a_geared_crank_moves_as_the_reduced_equation_says(rate, kind):
    """With a torque that drives and then brakes, while the crank goes on in its sense."""
    scenario = geared(rate=rate, torque=f"{9 * np.sign(rate)}*COS(30*time)")
    problem = build_problem(scenario)
    t, path, robot = problem.t, problem.broken_path, problem.robot

    def slope(t, y):
        return [y[1], rate_of(*y, 9 * np.sign(rate) * np.cos(30 * t))]

    wanted = solve_ivp(slope, (0, t[-1]), (0.3, rate), "DOP853", t, rtol=1e-11, atol=1e-12).y
    assert (wanted[1] * rate > 0).all()
    answers = [solve_motion([(0.0, LagrangianDynamics(robot, G))], path, t)]
    with kind(robot, G) as engine:
        answers.append(solve_adaptive(engine, t, path).solved)
    for found in answers:
        np.testing.assert_allclose(found.q[0], wanted[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.qd[0], wanted[1], rtol=0, atol=1e-8)
        np.testing.assert_allclose(found.q, BARS.motion(*wanted, 0 * t)[0], rtol=0, atol=2e-9)
        energy = sum(BARS.energies(found.q[0], found.qd[0], -G[2])) + 0.5 * A * found.qd[0] ** 2
        gained = found.works.work[0] - found.works.loss[0]
        np.testing.assert_allclose(energy - energy[0], gained, rtol=0, atol=1e-9)
        assert (np.diff(found.works.loss[0]) > 0).all()


@pytest.mark.parametrize("side", ["most", "least"])
def test_a_geared_loop_rests_within_the_band_of_its_gear_and_leaves_it_beyond(side):
    """eta_b dV/da - c_back <= N tau_m <= dV/da / eta_f + c, of the weight of all bars."""
    a = 0.6 + np.pi
    weight = reduced(BARS, a, -G[2])[2]
    assert weight > 1.45  # N·m, which the crank must give to hold
    edge, out = (weight / ETA + C[0], 1) if side == "most" else (BACK * weight - C[1], -1)
    for beyond in (-0.01, 0.01):
        problem = build_problem(geared(a, torque=repr(edge + out * beyond)))
        stages = [(0.0, LagrangianDynamics(problem.robot, G))]
        found = solve_motion(stages, problem.broken_path, problem.t)
        if beyond < 0:
            assert not found.qd[0].any()
            assert found.stuck[0].all()
        else:
            assert out * found.qd[0, -1] > 1e-5


def test_a_controlled_run_of_it_passes_every_check():
    robot = BARS.robot().with_drives({"crank_joint": TRAIN})
    start = (0.3, 0.3, 1.0)
    motion = sim.JointMotion.displacement({"crank_joint": "0.3 + 0.2*SIN(9*time)"}, q0=start)
    law = sim.PDGravity(robot, 20.0, pose=start)
    given = {"dt": 4e-3, "method": "adaptive", "engine": "mujoco"}
    recording = sim.run(
        sim.Scenario(robot, motion, 0.3, controller=sim.Controller(law, 4e-3), **given)
    )
    assert [check.name for check in sim.check(recording) if not check.ok] == []
    loss = recording.recorded["gear_loss.crank_joint"]
    assert loss.min() >= 0.0
    assert loss.max() > 1.0


ROCKER = DriveTrain(20, 5e-4, coulomb=0.02, viscous=1e-3, efficiency=0.7, efficiency_back=0.75)
# Of crank and rocker, at the joints: A, V, c forwards and backwards, eta and back.
GEARS = ((A, V, C, ETA, BACK), (0.2, 0.4, (0.4, 0.4), 0.7, 0.75))
ROUGH = np.array(list(LIMITS.values()))


def levers(a):
    """Rates of crank, rocker and coupler joint per rate of the crank, and their derivatives."""
    _, rate, second = BARS.motion(np.array([a]), np.ones(1), np.zeros(1))
    return rate[:, 0], second[:, 0]


def mechanism(is_rough, is_tied):
    """The four-bar with dry friction in its joints or not, and a second drive at its rocker."""
    robot = rough_bars() if is_rough else BARS.robot()
    if not is_tied:
        return robot.with_drives({"crank_joint": TRAIN})
    (loop,) = robot.loops
    robot = replace(robot, loops=(replace(loop, passive=("coupler_joint",)),))
    return robot.with_drives({"crank_joint": TRAIN, "rocker_joint": ROCKER})


def acceleration(a, ad, torques, is_rough):
    """a'' of ``m a'' + dm/da a'²/2 + dV/da = Σ r E y - s Σ |r| f``, by trying all senses of E."""
    m, dm, dV = reduced(BARS, a, -G[2])
    rates, seconds = levers(a)
    push = -0.5 * dm * ad * ad - dV - is_rough * np.sign(ad) * (np.abs(rates) @ ROUGH)
    left, senses, trains = [], [], list(zip(rates, seconds, torques, GEARS, strict=False))
    for r, dr, u, (inertia, viscous, dry, *_) in trains:
        senses.append(s := np.sign(r * ad))
        left.append(u - inertia * dr * ad * ad - viscous * r * ad - (dry[0] if s > 0 else -dry[1]))
    for pattern in product([True, False], repeat=len(torques)):
        E = [one[3] if drives else 1 / one[4] for drives, one in zip(pattern, GEARS, strict=False)]
        carried = sum(e * r * r * gear[0] for e, (r, *_, gear) in zip(E, trains, strict=True))
        given = sum(e * r * y for e, y, (r, *_) in zip(E, left, trains, strict=True))
        add = (push + given) / (m + carried)
        y = [y - gear[0] * r * add for y, (r, *_, gear) in zip(left, trains, strict=True)]
        if all((x * s > 0) == drives for x, s, drives in zip(y, senses, pattern, strict=True)):
            return add
    raise AssertionError("no senses of the losses fit")


def torque_strings(is_tied, sign):
    crank = {"crank_joint": f"{9 * sign}*COS(30*time)"}
    return crank | ({"rocker_joint": f"{2 * sign}*SIN(20*time)"} if is_tied else {})


@pytest.mark.parametrize(
    ("is_rough", "is_tied", "rate", "engine"),
    [(1, 0, 2.0, "mujoco"), (0, 1, -2.0, "bullet"), (1, 1, 2.0, "mujoco")],
)
def test_rough_joints_and_tied_drives_move_as_the_reduced_equation_says(
    is_rough, is_tied, rate, engine
):
    """By model and engine, with every check, while torques drive and brake."""
    q, qd, _ = BARS.motion(np.array([0.3]), np.array([rate]), np.zeros(1))
    sign = np.sign(rate)
    motion = sim.JointMotion.torque(torque_strings(is_tied, sign), q0=q[:, 0], qd0=qd[:, 0])
    robot = mechanism(is_rough, is_tied)
    scenario = sim.Scenario(robot, motion, 0.06, dt=4e-3, method="adaptive", engine=engine)
    recording = sim.run(scenario)
    assert [check for check in sim.check(recording) if not check.ok] == []

    def slopes(t, y):
        torques = 9 * sign * np.cos(30 * t), 2 * sign * np.sin(20 * t)
        return [y[1], acceleration(*y, torques[: 1 + is_tied], is_rough)]

    t, at = recording.t, ["q.crank_joint", "qd.crank_joint"]
    wanted = solve_ivp(slopes, (0, t[-1]), (0.3, rate), "DOP853", t, rtol=1e-11, atol=1e-12).y
    assert (wanted[1] * rate > 0).all()
    for table in (recording.recorded, recording.analytic):
        np.testing.assert_allclose(table[at].to_numpy().T, wanted, rtol=0, atol=2e-8)
        rubbing = is_rough * ROUGH * np.sign(levers(0.3)[0] * rate)
        for name, size in zip(LIMITS, rubbing, strict=True):
            np.testing.assert_allclose(table[f"friction.{name}"], size, rtol=1e-12)


@pytest.mark.parametrize("is_rough", [False, True])
@pytest.mark.parametrize("out", [1.0, -1.0])
def test_tied_drives_rest_within_the_bands_of_both_gears_and_leave_them_beyond(out, is_rough):
    """They break away where ``Σ r E (u - c)`` of this sense exceeds dV/da and the joints' friction.

    c at rest is `breakaway` times as large.
    """
    a, u, more = 0.6 + np.pi, 0.8, 1.3
    r = levers(a)[0]
    weight = reduced(BARS, a, -G[2])[2] + out * is_rough * (np.abs(r) @ ROUGH)

    def passed_on(u, gear, sense):
        y = u - more * (gear[2][0] if sense > 0 else -gear[2][1])
        return y * (gear[3] if y * sense > 0 else 1 / gear[4])

    needed = weight - r[1] * passed_on(u, GEARS[1], np.sign(out * r[1]))
    y = needed * (1 / ETA if needed * out > 0 else BACK)
    edge = y + more * (C[0] if out > 0 else -C[1])
    trains = {"crank_joint": TRAIN, "rocker_joint": ROCKER}
    sticky = {name: replace(one, breakaway=more) for name, one in trains.items()}
    robot = mechanism(is_rough, True).with_drives(sticky)
    q = BARS.motion(np.array([a]), np.zeros(1), np.zeros(1))[0][:, 0]
    for beyond in (-0.01, 0.01):
        torques = {"crank_joint": repr(float(edge + out * beyond)), "rocker_joint": repr(u)}
        motion = sim.JointMotion.torque(torques, q0=q)
        problem = build_problem(sim.Scenario(robot, motion, 0.008, dt=4e-3, method="adaptive"))
        stages = [(0.0, LagrangianDynamics(problem.robot, G))]
        found = solve_motion(stages, problem.broken_path, problem.t)
        if beyond < 0:
            assert np.abs(found.qd).max() < 1e-12  # rounding of the coupler's, brought to the loop
        else:
            assert out * found.qd[0, -1] > 1e-5


@pytest.mark.parametrize(("u", "passed_on"), [(9.0, ETA), (-9.0, 1 / BACK)])
def test_a_lossy_gear_turns_a_parallelogram_whose_friction_follows_its_pin(u, passed_on):
    """Newton's law of the rocker has its foot's load, the gear's law what the crank gets."""
    law = sim.JointFriction(0.3, 0.3, 1e-4, pin_radius=0.05, friction_arm=0.0,
                            inputs=("reaction_force",))  # fmt: skip
    robot = parallelogram().with_friction({"rocker_joint": law}).with_drives({"crank_joint": TRAIN})
    motion = sim.JointMotion.torque({"crank_joint": u}, q0=[0.4], qd0=[3.0])
    scenario = sim.Scenario(robot, motion, 0.01, dt=2e-3, method="adaptive", engine="mujoco")
    recording = sim.run(scenario)
    assert [check for check in sim.check(recording) if not check.ok] == []
    for table in (recording.recorded, recording.analytic):
        q, qd, qdd, tau, friction = (
            table[f"{of}.crank_joint"].to_numpy() for of in ("q", "qd", "qdd", "tau", "friction")
        )
        pin = np.stack([table[f"loop.coupler_on_rocker.f{c}"] for c in "xz"])
        turn = np.stack([np.cos(q) * qdd - np.sin(q) * qd**2, -np.sin(q) * qdd - np.cos(q) * qd**2])
        foot = 1.2 * (0.2 * turn + np.array([[0.0], [-G[2]]])) - pin
        moment = 0.3 * 0.05 * np.hypot(*foot)
        np.testing.assert_allclose(friction, moment, rtol=0, atol=1e-8)  # [N·m] of 0.4
        given = tau + 9.81 * 0.4 * np.sin(q) * (1.0 / 2 + 1.5 + 1.2 / 2) - moment
        inertia = 0.4**2 * (1.0 / 3 + 1.5 + 1.2 / 3)
        np.testing.assert_allclose(inertia * qdd, given, rtol=0, atol=1e-8)
        y = u - A * qdd - V * qd - C[0]
        np.testing.assert_allclose(tau, passed_on * y, rtol=0, atol=1e-8)
        assert qd.min() > 0.5
        assert (y * u > 0).all()


def test_a_geared_crank_presses_its_slider_on_the_guide_whose_friction_follows_that():
    """Rotor and gear load the loop, of which MuJoCo has the force on the guide."""
    law = sim.JointFriction(0.3, 0.3, stiction_velocity=1e-4, inputs=("reaction_force",))
    robot = slider_crank(0.2, 0.6).with_friction({"slider_joint": law})
    robot = robot.with_drives({"crank_joint": TRAIN})
    q0 = {"crank_joint": 0.5, "rod_joint": 1.0, "slider_joint": 0.6}
    motion = sim.JointMotion.torque({"crank_joint": 9.0}, q0=q0, qd0={"crank_joint": 3.0})
    scenario = sim.Scenario(robot, motion, 0.01, dt=2e-3, method="adaptive", engine="mujoco")
    recording = sim.run(scenario)
    assert [check for check in sim.check(recording) if not check.ok] == []
    table = recording.recorded
    pressed = np.hypot(*(table[f"reaction.slider_joint.f{c}"] for c in "yz"))
    wanted = 0.3 * pressed * np.sign(table["qd.slider_joint"])
    np.testing.assert_allclose(table["friction.slider_joint"], wanted, rtol=0, atol=1e-8)  # of 9 N
    assert np.abs(pressed - 2 * 9.81).min() > 1


def test_a_motor_without_torque_is_turned_through_its_loop_by_another_drive():
    """The crank gives what its motion takes less r E y of the rocker, y what its rotor leaves."""
    q = BARS.motion(np.array([0.3]), np.ones(1), np.zeros(1))[0][:, 0]
    drives = {"crank_joint": "0.3 + 0.2*(1 - COS(9*time))"}
    motion = sim.JointMotion.displacement(drives, q0=q, free=["rocker_joint"])
    robot = mechanism(False, True).with_drives({"rocker_joint": ROCKER})
    scenario = sim.Scenario(robot, motion, 0.3, dt=0.01, method="adaptive", engine="mujoco")
    recording = sim.run(scenario)
    assert [check for check in sim.check(recording) if not check.ok] == []
    inertia, viscous, dry, *_ = GEARS[1]
    a, ad, add, tau = (recording.recorded[f"{of}.crank_joint"] for of in ("q", "qd", "qdd", "tau"))
    for angle, speed, rate, given in list(zip(a, ad, add, tau, strict=True))[1:]:
        m, dm, dV = reduced(BARS, angle, -G[2])
        (_, r, _), (_, dr, _) = levers(angle)
        s = np.sign(r * speed)
        y = -inertia * (r * rate + dr * speed**2) - viscous * r * speed - s * dry[0]
        by_rocker = r * y * (0.7 if y * s > 0 else 1 / 0.75)
        wanted = m * rate + 0.5 * dm * speed**2 + dV - by_rocker
        assert given == pytest.approx(wanted, abs=1e-7)  # [N·m] of 5


def test_a_train_on_a_passive_joint_is_refused():
    passive = BARS.robot().with_drives({"coupler_joint": DriveTrain(20, 1e-4)})
    with pytest.raises(sim.ScenarioError, match=r"'coupler_joint' .* is passive"):
        build_problem(replace(geared(), robot=passive))
