"""Notes on runs that are integrated without machine code."""

import numpy as np
import pytest

import sim
from sim.simulation import build_problem, slow_notes
from tests.helpers.small_robots import double_pendulum, pendulum

ARM = double_pendulum(1.0, 0.5, 0.4, 0.3)
FREE = sim.JointMotion.torque({}, {"shoulder": 1.0, "elbow": 0.0}, free=("shoulder", "elbow"))
HELD = sim.JointMotion.displacement({"shoulder": "TIME", "elbow": "0"})


class Push(sim.SForce):
    """A force that is a Python function."""

    components_on_i = law_on_i = None

    def on_i(self, t, kinematics):
        force = np.ones((3, t.size))
        return force, 0 * force


PUSH = Push("push", sim.Marker("i", "lower"), sim.Marker("j", "world"), "1")


def notes(motion, *forces, robot=ARM):
    method = "stepped" if motion is HELD else "adaptive"
    scenario = sim.Scenario(robot, motion, 0.1, method=method, forces=forces)
    return slow_notes.slow_notes(build_problem(scenario))


def test_a_force_that_is_a_python_function_is_named_with_its_cost():
    (note,) = notes(FREE, PUSH)
    assert note.startswith("Push 'push' is a Python function: the run takes about 50 times")
    assert notes(FREE) == notes(HELD, PUSH) == ()


class Ramp:
    """A function of time of a user's own."""

    def value(self, t):
        return t

    def derivatives(self, t):
        return t, np.ones_like(t), np.zeros_like(t)

    def breaks(self, t0, t1):
        return np.empty(0)


def test_forces_are_slow_only_where_they_call_a_python_function():
    points = sim.spline([0, 1, 2, 3], [0, 1, 4, 9])
    cheby = sim.SForce("cheby", PUSH.i, PUSH.j, "2*CHEBY(TIME, 1, 0, 1, 1)")
    follower = sim.SForce(
        "pull",
        PUSH.i,
        PUSH.j,
        "SFORCE(cheby, 0, 1, 0) + SFORCE(push, 0, 1, 0)",
        names=sim.Names(forces=(cheby, PUSH)),
    )
    over_time = sim.Force("lower", ("3*TIME", points, 1.0))
    ground = sim.GroundContact("lower", stiffness=1e4, radius=0.1, mu_static=0.3)
    assert notes(FREE, over_time, ground, cheby) == ()
    assert notes(FREE, cheby, PUSH, follower)[1].startswith("SForce 'pull' calls SFORCE, which")
    (note,) = notes(FREE, sim.Force("lower", (Ramp(), 0.0, 0.0)))
    assert note.startswith("Force on frame 'lower' calls Ramp, which machine code lacks")


@pytest.mark.parametrize(("module", "setting", "remedy"), [
    (False, "1", "pip install numba"), (True, "0", "unset SIM_FAST"),
])  # fmt: skip
def test_where_numpy_integrates_a_run_says_so(monkeypatch, module, setting, remedy):
    monkeypatch.setattr("sim.dynamics.single_state.switch.is_installed", lambda: module)
    monkeypatch.setattr(slow_notes, "is_installed", lambda: module)
    monkeypatch.setenv("SIM_FAST", setting)
    (note,) = notes(FREE, PUSH)
    assert note.endswith(f"20 to 100 times as long; {remedy}")
    assert notes(HELD) == ()
    single = sim.JointMotion.torque({}, {"hinge": 1.0}, free=("hinge",))
    assert notes(single, robot=pendulum(1.0, 0.4)) == ()  # where machine code is not loaded
