"""Notes on runs that are integrated without machine code."""

from dataclasses import dataclass

import numpy as np

import sim
from sim.dynamics import MarkerForce
from sim.simulation import build_problem, slow_notes
from tests.helpers.small_robots import double_pendulum

ARM = double_pendulum(1.0, 0.5, 0.4, 0.3)
FREE = sim.JointMotion.torque({}, {"shoulder": 1.0, "elbow": 0.0}, free=("shoulder", "elbow"))
HELD = sim.JointMotion.displacement({"shoulder": "TIME", "elbow": "0"})


@dataclass(frozen=True, eq=False)
class Push(MarkerForce):
    """A force that is a Python function."""

    name: str
    i: sim.Marker
    j: sim.Marker
    channel_names = ()

    def on_i(self, t, kinematics):
        force = np.ones((3, t.size))
        return force, 0 * force

    def describe(self):
        return sim.SForce(self.name, self.i, self.j, "1").describe()


PUSH = Push("push", sim.Marker("i", "lower"), sim.Marker("j", "world"))


def notes(motion, *forces):
    method = "adaptive" if motion is FREE else "stepped"
    scenario = sim.Scenario(ARM, motion, 0.1, method=method, forces=forces)
    return slow_notes.slow_notes(build_problem(scenario))


def test_a_force_that_is_a_python_function_is_named_with_its_cost():
    (note,) = notes(FREE, PUSH)
    assert note.startswith("Push 'push' is a Python function: the run takes about 50 times")
    assert notes(FREE) == notes(HELD, PUSH) == ()


def test_without_numba_a_run_that_is_integrated_says_so(monkeypatch):
    monkeypatch.setattr(slow_notes, "is_installed", lambda: False)
    (note,) = notes(FREE)
    assert note.endswith("20 to 100 times as long; pip install numba")
    assert notes(HELD) == ()
