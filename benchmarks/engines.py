"""Both engines on the same tasks: prescribed and free motion.

Prescribed: scenario ur10_step, 10 s, with `ideal` (no time discretisation) and with `stepped` at
four step sizes; errors are torque differences from Pinocchio's `rnea`, relative to the joint's
peak. Free: a double pendulum of thin rods, 2 s, with `stepped` at three step sizes and with
`adaptive`; errors are angle differences from Pinocchio's `aba`, integrated by SciPy's DOP853 at a
relative tolerance of 1e-13.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial

import numpy as np
import pinocchio as pin

from benchmarks.contest import Contender, Part, Row, Settings, Subject, turns
from benchmarks.peers import G, by_pinocchio, by_scipy
from sim.engine_names import ENGINES, installed_engines
from sim.engines.adaptive import solve_adaptive
from sim.engines.contract import Marching
from sim.engines.ideal import solve_ideal
from sim.engines.opening import open_engine
from sim.engines.stepped import solve_stepped
from sim.motion import JointMotion
from sim.robots import Robot, read_urdf
from sim.scenario.script import load_script

ROD = """<link name="{0}"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="{1}" iyy="{1}" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
HINGE = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>
<origin xyz="0 0 {3}"/><axis xyz="0 1 0"/>
<limit lower="-100" upper="100" effort="1000" velocity="100"/></joint>"""
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


def prescribed() -> tuple[Robot, tuple[float, float, float], dict[str, Task]]:
    """Return robot, gravity, and tasks of a prescribed motion."""
    scenario, _ = load_script("ur10_step").build({})
    robot = scenario.robot
    motion = scenario.motion.on(robot, scenario.duration)
    driven = np.ones(6, dtype=bool)

    def path(t):
        at = motion.at(t)
        return at.q, at.qd, at.qdd

    def task(h: float, method: str) -> Task:
        t = np.linspace(0.0, scenario.duration, round(scenario.duration / h) + 1)
        exact = by_pinocchio(robot, scenario.gravity)(*path(t))

        def run(engine: Marching) -> float:
            if method == "ideal":
                found = solve_ideal(engine, t, *path(t))
            else:
                found = solve_stepped(engine, t, path, driven, None)
            off = np.abs(found.tau - exact).max(axis=1)
            return float((off / np.abs(exact).max(axis=1)).max())

        return run

    tasks = {"ideal, 1 ms": task(1e-3, "ideal")}
    tasks |= {f"stepped, {1e3 * h:g} ms": task(h, "stepped") for h in (8e-3, 4e-3, 2e-3, 1e-3)}
    return robot, scenario.gravity, tasks


def free() -> tuple[Robot, tuple[float, float, float], dict[str, Task]]:
    """Return robot, gravity, and tasks of a free motion."""
    robot, duration = read_urdf(PENDULUM), 2.0
    motion = JointMotion.displacement({}, q0=[0.8, 0.3], free=["shoulder", "elbow"])
    path, loose = motion.on(robot, duration), np.zeros(2, dtype=bool)

    def start(t):
        at = path.at(t)
        q = np.broadcast_to(path.q0[:, None], at.q.shape)
        return q.copy(), np.zeros_like(at.q), np.zeros_like(at.q)

    def task(h: float, method: str) -> Task:
        t = np.linspace(0.0, duration, round(duration / h) + 1)
        exact = by_scipy(pin.buildModelFromXML(robot.text), [0.8, 0.3], t, 1e-13)()

        def run(engine: Marching) -> float:
            if method == "adaptive":
                found = solve_adaptive(engine, t, path)
            else:
                found = solve_stepped(engine, t, start, loose, None)
            return float(np.abs(found.q - exact).max())

        return run

    tasks = {"adaptive, 10 ms": task(1e-2, "adaptive")}
    tasks |= {f"stepped, {1e3 * h:g} ms": task(h, "stepped") for h in (4e-3, 2e-3, 1e-3)}
    return robot, G, tasks


def measured(settings: Settings) -> Subject:
    """Return a plot of errors over time for each kind of motion."""
    return Subject(
        __doc__,
        (
            _part(
                "Prescribed motion",
                prescribed(),
                "largest torque error, relative to the joint's peak",
                settings,
            ),
            _part("Free motion", free(), "largest angle error [rad]", settings),
        ),
    )


def _part(
    title: str,
    work: tuple[Robot, tuple[float, float, float], dict[str, Task]],
    error: str,
    settings: Settings,
) -> Part:
    robot, gravity, tasks = work
    with contextlib.ExitStack() as stack:
        opened = {
            name: stack.enter_context(open_engine(name, robot, gravity))
            for name in installed_engines()
        }
        chosen = list(tasks.items())[: settings.pick(len(tasks), 1)]
        contenders = [
            Contender(f"{ENGINES[name].title}, {what}", partial(run, engine), error=run(engine))
            for what, run in chosen
            for name, engine in opened.items()
        ]
        rows: dict[str, Row] = turns(contenders, settings)
    return Part(title, tuple(rows.values()), "run", error, "work-precision")
