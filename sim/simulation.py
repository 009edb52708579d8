"""run: one scenario through the engine and through the analytic model, into a Recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sim import provenance
from sim.dynamics import lagrange, newton_euler
from sim.dynamics.free_motion import free_motion
from sim.dynamics.friction import friction_torque
from sim.errors import ScenarioError
from sim.kinematics.forward import frame_motion
from sim.kinematics.tree import tree_of
from sim.motion.path import JointPath
from sim.recording import Recording
from sim.robots.model import Robot
from sim.scenario import Method, Scenario
from sim.spatial import Array, Mask, quaternion_xyzw
from sim.units import unit_of

if TYPE_CHECKING:
    import pandas as pd

    from sim.engine.samples import Samples

# (steps done, steps in all)
Progress = Callable[[int, int], None]

REACTION = ("fx", "fy", "fz", "mx", "my", "mz")
TOOL = ("x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz")


def run(
    scenario: Scenario,
    *,
    method: Method | None = None,
    dt: float | None = None,
    name: str = "scenario",
    progress: Progress | None = None,
) -> Recording:
    """Simulate a scenario and evaluate the analytic model at the same times.

    Parameters
    ----------
    scenario : Scenario
    method, dt : optional
        Replace the scenario's own.
    name : str
        What the run is called in its description.
    progress : callable, optional
        Told now and then how many engine steps of how many are done.

    Raises
    ------
    ScenarioError
        If a setting or a drive cannot be used.
    EngineError
        If the engine fails; names joint and time.
    """
    scenario = replace(
        scenario,
        method=scenario.method if method is None else method,
        dt=scenario.dt if dt is None else dt,
    )
    path = scenario.motion.on(scenario.robot, scenario.duration)
    t = scenario.times
    target = None if scenario.path is None else scenario.path.positions(t)
    recorded = _table(scenario, t, *_simulate(scenario, path, t, progress), target)
    analytic = _table(scenario, t, *_evaluate(scenario, path, t), target)
    prismatic = [joint.name for joint in scenario.robot.joints if joint.is_prismatic]
    # The engine tells nothing of a tool frame that does not move.
    analytic = analytic[recorded.columns]
    info = {
        "scenario": name,
        "method": scenario.method,
        "settings": _settings(scenario, path),
        "robot": provenance.robot_facts(scenario.robot),
        "drives": scenario.motion.described(scenario.robot, scenario.duration),
        "notes": list(scenario.notes),
        "claims": [vars(claim) for claim in scenario.claims],
        "units": {column: unit_of(column, prismatic) for column in recorded.columns},
        "provenance": provenance.of_this_process(),
    }
    return Recording(recorded, analytic, info)


@dataclass(frozen=True, eq=False)
class _State:
    """Motion and torque of the independent joints and of all tree joints."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array
    tau_error: Array
    friction: Array
    q_tree: Array
    qd_tree: Array
    qdd_tree: Array


@dataclass(frozen=True, eq=False)
class _Bodies:
    links: tuple[str, ...]
    ke: Array
    pe: Array
    tool: Array | None


def _simulate(
    scenario: Scenario, path: JointPath, t: Array, progress: Progress | None
) -> tuple[_State, _Bodies]:
    from sim.engine.bullet import Engine
    from sim.engine.ideal import ideal
    from sim.engine.stepped import stepped
    from sim.engine.survey import survey

    robot = scenario.robot
    S, q_0 = robot.coupling
    driven = _driven(robot, path)
    if scenario.method == "ideal" and not driven.all():
        raise ScenarioError(
            f"Joint {_first_free(robot, path)!r} is free; method 'ideal' needs every joint "
            "prescribed: use method 'stepped'"
        )

    def on_tree(time: Array) -> tuple[Array, Array, Array]:
        wanted = path.at(time)
        q = np.where(path.free[:, None], path.q0[:, None], wanted.q)
        qd = np.where(path.free[:, None], path.qd0[:, None], wanted.qd)
        return S @ q + q_0[:, None], S @ qd, S @ wanted.qdd

    rubs = any(joint.damping or joint.friction for joint in robot.tree_joints)
    friction = (lambda qd: friction_torque(robot, qd)) if rubs else None
    # the full step, the half step and the survey; or the samples and the survey
    total = t.size * (2 if scenario.method == "ideal" else 4)
    told = None if progress is None else (lambda done: progress(done, total))
    q, qd, qdd = on_tree(t)
    with Engine(robot, scenario.gravity, told) as engine:
        if scenario.method == "ideal":
            got = ideal(engine, t, q, qd, qdd, friction_torque(robot, qd))
        else:
            got = stepped(engine, t, on_tree, driven, friction)
        links = tuple(mass.link for mass in tree_of(robot).masses)
        found = survey(engine, got.q, got.qd, links, scenario.gravity)
    rubbed = np.where(driven[:, None], qd, got.qd)
    return _recorded_state(robot, got, rubbed), _Bodies(found.links, found.ke, found.pe, found.tool)


def _driven(robot: Robot, path: JointPath) -> Mask:
    """For each tree joint whether a motor holds it; a joint and its mimics go together."""
    S, _ = robot.coupling
    loose = (S != 0)[:, path.free].any(axis=1)
    for joint, is_loose in zip(robot.tree_joints, loose, strict=True):
        if is_loose and (joint.mimic or _is_followed(robot, joint.name)):
            raise ScenarioError(
                f"Joint {joint.name!r} is free and coupled by <mimic>; drive it instead"
            )
    return np.asarray(~loose)


def _is_followed(robot: Robot, name: str) -> bool:
    return any(joint.mimic and joint.mimic.joint == name for joint in robot.tree_joints)


def _first_free(robot: Robot, path: JointPath) -> str:
    return robot.joint_names[int(np.argmax(path.free))]


def _recorded_state(robot: Robot, got: Samples, rubbed: Array) -> _State:
    """State of an engine's samples; `rubbed` is the velocity at which friction was evaluated."""
    S, _ = robot.coupling
    own = [robot.tree_joints.index(joint) for joint in robot.independent_joints]
    return _State(
        q=got.q[own],
        qd=got.qd[own],
        qdd=got.qdd[own],
        tau=S.T @ got.tau,
        tau_error=np.abs(S.T) @ got.tau_error,
        friction=S.T @ friction_torque(robot, rubbed),
        q_tree=got.q,
        qd_tree=got.qd,
        qdd_tree=got.qdd,
    )


def _evaluate(scenario: Scenario, path: JointPath, t: Array) -> tuple[_State, _Bodies]:
    """The Lagrangian model at the prescribed motion (free joints integrated)."""
    robot = scenario.robot
    S, q_0 = robot.coupling
    if path.free.any():

        def prescribed(time: Array) -> tuple[Array, Array, Array]:
            wanted = path.at(time)
            return wanted.q, wanted.qd, wanted.qdd

        q, qd, qdd = free_motion(
            robot, prescribed, path.free, path.q0, path.qd0, t, path.corners, scenario.gravity
        )
    else:
        wanted = path.at(t)
        q, qd, qdd = wanted.q, wanted.qd, wanted.qdd
    model = lagrange.terms(robot, q, qd, scenario.gravity)
    friction = S.T @ friction_torque(robot, S @ qd)
    tau = model.torque(qd, qdd) + friction
    tau[path.free] = 0.0  # nothing drives them; the model solved for their motion instead
    exact = np.zeros_like(tau)
    state = _State(q, qd, qdd, tau, exact, friction, S @ q + q_0[:, None], S @ qd, S @ qdd)
    return state, _Bodies(model.links, model.ke, model.pe, _tool(robot, q, qd))


def _tool(robot: Robot, q: Array, qd: Array) -> Array | None:
    if robot.tool is None:
        return None
    tool = frame_motion(robot, robot.tool, q, qd)
    return np.concatenate([tool.p, quaternion_xyzw(tool.R), tool.v, tool.w])


def _table(
    scenario: Scenario, t: Array, state: _State, bodies: _Bodies, target: Array | None
) -> pd.DataFrame:
    """All channels of one answer, time down the rows."""
    import pandas as pd

    robot = scenario.robot
    names = robot.joint_names
    columns: dict[str, Array] = {}
    for group, rows in (("q", state.q_tree), ("qd", state.qd_tree), ("qdd", state.qdd_tree)):
        columns |= {f"{group}.{j.name}": x for j, x in zip(robot.tree_joints, rows, strict=True)}
    power = state.tau * state.qd
    for group, rows in (
        ("tau", state.tau),
        ("power", power),
        ("friction", state.friction),
        ("tau_error", state.tau_error),
    ):
        columns |= {f"{group}.{name}": x for name, x in zip(names, rows, strict=True)}
    # The engine's own joint sensor is wrong in motion (its velocity terms are counted twice), so
    # reactions come from Newton–Euler on the motion of this answer.
    reaction = newton_euler.wrenches(robot, state.q, state.qd, state.qdd, scenario.gravity).reaction
    for joint, rows in zip(robot.tree_joints, reaction, strict=True):
        columns |= {f"reaction.{joint.name}.{c}": x for c, x in zip(REACTION, rows, strict=True)}
    columns |= {f"ke.{link}": x for link, x in zip(bodies.links, bodies.ke, strict=True)}
    columns |= {"ke": bodies.ke.sum(axis=0), "pe": bodies.pe.sum(axis=0)}
    if bodies.tool is not None:
        columns |= {f"tool.{c}": x for c, x in zip(TOOL, bodies.tool, strict=True)}
    if target is not None:
        columns |= {f"target.{c}": x for c, x in zip("xyz", target, strict=True)}
    return pd.DataFrame(columns, index=pd.Index(t, name="t"))


def _settings(scenario: Scenario, path: JointPath) -> dict[str, Any]:
    return {
        "duration": scenario.duration,
        "dt": scenario.dt,
        "samples": int(scenario.times.size),
        "gravity": list(scenario.gravity),
        "corners": _corners(scenario, path),
        "free": [
            name
            for name, is_free in zip(scenario.robot.joint_names, path.free, strict=True)
            if is_free
        ],
        "tolerances": dict(scenario.tolerances),
        "path_tolerance": scenario.path_tolerance,
    }


def _corners(scenario: Scenario, path: JointPath) -> list[float]:
    """Times where an acceleration jumps, or bends between two samples."""
    corners = path.corners[path.corners > 0]
    if not corners.size:
        return []
    steps = corners / scenario.dt
    off_grid = np.abs(steps - np.rint(steps)) > 1e-6
    beside = 1e-6 * scenario.dt
    before, after = (
        2 * _qdd(scenario, path, corners + side * beside)
        - _qdd(scenario, path, corners + 2 * side * beside)
        for side in (-1, 1)
    )
    jumps = np.abs(after - before) > 1e-6 * (1 + np.abs(after))
    return [float(t) for t in corners[off_grid | jumps.any(axis=0)]]


def _qdd(scenario: Scenario, path: JointPath, t: Array) -> Array:
    return path.at(np.clip(t, 0.0, scenario.duration)).qdd
