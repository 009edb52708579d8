"""Drive trains that lose torque in closed loops: the reduced equation, rest, runs, refusals."""

from dataclasses import replace

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
from tests.helpers.loop_robots import FourBar, reduced, rough_bars

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
        answers.append(solve_adaptive(engine, t, path).hybrid)
    for found in answers:
        np.testing.assert_allclose(found.q[0], wanted[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.qd[0], wanted[1], rtol=0, atol=1e-8)
        np.testing.assert_allclose(found.q, BARS.motion(*wanted, 0 * t)[0], rtol=0, atol=2e-9)
        energy = sum(BARS.energies(found.q[0], found.qd[0], -G[2])) + 0.5 * A * found.qd[0] ** 2
        gained = found.motor_work[0] - found.friction_loss[0]
        np.testing.assert_allclose(energy - energy[0], gained, rtol=0, atol=1e-9)
        assert (np.diff(found.friction_loss[0]) > 0).all()


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


def test_trains_whose_rest_is_not_known_are_refused():
    scenario = geared()
    rough = replace(scenario, robot=rough_bars().with_drives({"crank_joint": TRAIN}))
    with pytest.raises(sim.ScenarioError, match=r"'crank_joint' .* closed loop and has dry"):
        build_problem(rough)
    (loop,) = BARS.robot().loops
    tied = replace(BARS.robot(), loops=(replace(loop, passive=("coupler_joint",)),))
    both = tied.with_drives({"crank_joint": TRAIN, "rocker_joint": DriveTrain(20, 1e-4)})
    with pytest.raises(sim.ScenarioError, match=r"'crank_joint' of .* has dry .* tie drives"):
        build_problem(replace(scenario, robot=both))
    smooth = {name: DriveTrain(50, 1e-4, viscous=1e-3) for name in ("crank_joint", "rocker_joint")}
    build_problem(replace(scenario, robot=tied.with_drives(smooth)))
    passive = BARS.robot().with_drives({"coupler_joint": DriveTrain(20, 1e-4)})
    with pytest.raises(sim.ScenarioError, match=r"'coupler_joint' .* is passive"):
        build_problem(replace(scenario, robot=passive))
