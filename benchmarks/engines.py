"""Both engines side by side in one run: error against wall time, prescribed and free.

Prescribed: scenario ur10_step, 10 s, by `ideal` (nothing is discretised) and by `stepped` at four
steps; the error is that of the torques against Newton-Euler, of each joint's own peak. Free: a
double pendulum of thin rods, 2 s, by `stepped` at three steps and by `adaptive`; the error is that
of the angles against a solution of the model at 1e-12. Each engine has its turn in every round, so
that what else the machine does falls on both; medians are printed, and the ratio of wall times. Run
with ``python benchmarks/engines.py``.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from sim.dynamics.hybrid import LagrangianResponse
from sim.dynamics.integration import integrate
from sim.dynamics.newton_euler import inverse_dynamics
from sim.engines.adaptive import adaptive
from sim.engines.contract import Marching
from sim.engines.ideal import ideal
from sim.engines.opening import open_engine
from sim.engines.stepped import stepped
from sim.motion import JointMotion
from sim.recording.engine_names import ENGINES
from sim.robots import read_urdf
from sim.scenario.script import load_script

ROUNDS = 5
G = (0.0, 0.0, -9.81)

ROD = """<link name="{0}"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="{1}" iyy="{1}" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
HINGE = """<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/>
<origin xyz="0 0 {3}"/><axis xyz="0 1 0"/></joint>"""
PENDULUM = (
    '<robot name="double_pendulum"><link name="base"/>'
    + ROD.format("upper", 1 / 12)
    + ROD.format("lower", 1 / 12)
    + HINGE.format("shoulder", "base", "upper", 0)
    + HINGE.format("elbow", "upper", "lower", -1)
    + "</robot>"
)

# (engine) -> error
Task = Callable[[Marching], float]


def prescribed() -> tuple[object, tuple[float, float, float], dict[str, Task]]:
    """Robot, gravity, and what is done with them."""
    scenario, _ = load_script("ur10_step").build({})
    robot = scenario.robot
    motion = scenario.motion.on(robot, scenario.duration)
    driven = np.ones(6, dtype=bool)

    def path(t):
        at = motion.at(t)
        return at.q, at.qd, at.qdd

    def task(h: float, method: str) -> Task:
        t = np.linspace(0.0, scenario.duration, round(scenario.duration / h) + 1)
        exact = inverse_dynamics(robot, *path(t), scenario.gravity)

        def run(engine: Marching) -> float:
            if method == "ideal":
                found = ideal(engine, t, *path(t))
            else:
                found = stepped(engine, t, path, driven, None)
            off = np.abs(found.tau - exact).max(axis=1)
            return float((off / np.abs(exact).max(axis=1)).max())

        return run

    tasks = {"ideal, 1 ms": task(1e-3, "ideal")}
    tasks |= {f"stepped, {1e3 * h:g} ms": task(h, "stepped") for h in (8e-3, 4e-3, 2e-3, 1e-3)}
    return robot, scenario.gravity, tasks


def free() -> tuple[object, tuple[float, float, float], dict[str, Task]]:
    """The same of a motion that nothing prescribes."""
    robot, duration = read_urdf(PENDULUM), 2.0
    motion = JointMotion.displacement({}, q0=[0.8, 0.3], free=["shoulder", "elbow"])
    path, loose = motion.on(robot, duration), np.zeros(2, dtype=bool)

    def start(t):
        at = path.at(t)
        q = np.broadcast_to(path.q0[:, None], at.q.shape)
        return q.copy(), np.zeros_like(at.q), np.zeros_like(at.q)

    def task(h: float, method: str) -> Task:
        t = np.linspace(0.0, duration, round(duration / h) + 1)
        exact = integrate([(0.0, LagrangianResponse(robot, G))], path, t).q

        def run(engine: Marching) -> float:
            if method == "adaptive":
                found = adaptive(engine, t, path)
            else:
                found = stepped(engine, t, start, loose, None)
            return float(np.abs(found.q - exact).max())

        return run

    tasks = {"adaptive, 10 ms": task(1e-2, "adaptive")}
    tasks |= {f"stepped, {1e3 * h:g} ms": task(h, "stepped") for h in (4e-3, 2e-3, 1e-3)}
    return robot, G, tasks


def main() -> None:
    for title, (robot, gravity, tasks) in (
        ("prescribed motion, torque error of a joint's peak", prescribed()),
        ("free motion, angle error [rad]", free()),
    ):
        print(title)
        walls = {(name, engine): [] for name in tasks for engine in ENGINES}
        errors = {}
        for _ in range(ROUNDS):
            for engine in ENGINES:
                with open_engine(engine, robot, gravity) as opened:
                    for name, run in tasks.items():
                        begin = time.perf_counter()
                        errors[name, engine] = run(opened)
                        walls[name, engine].append(time.perf_counter() - begin)
        for name in tasks:
            both = {engine: statistics.median(walls[name, engine]) for engine in ENGINES}
            told = "   ".join(
                f"{ENGINES[engine].title} {1e3 * wall:8.1f} ms {errors[name, engine]:.1e}"
                for engine, wall in both.items()
            )
            ratio = both["mujoco"] / both["bullet"]
            print(f"  {name:16} {told}   MuJoCo takes {ratio:.2f} of PyBullet's time")


if __name__ == "__main__":
    main()
