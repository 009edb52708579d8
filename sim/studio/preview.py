"""Preview of a setup: motion and analytic torques of the run, without an engine."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

import sim
from sim.engine_names import default_engine
from sim.errors import SimError
from sim.kinematics.inverse.sliders import poses_of
from sim.kinematics.jacobian import chain_length
from sim.maths.arrays import Array
from sim.motion.target import POSITION
from sim.robots.marker import WORLD
from sim.simulation.build_problem import build_problem
from sim.simulation.model_answer import prescribed_torque
from sim.studio.folder import Folder
from sim.studio.refusal import RefusalError
from sim.studio.robot_source import load_deck_of, load_robot_of
from sim.studio.setup import Floor, Setup, Spring, is_finite
from sim.studio.typed_curves import (
    FINER,
    SHOWN,
    curves_of,
    function_of,
    shorten,
    shorten_rows,
    times_of,
)

SINGULAR = 1e-3  # least singular value, with lengths relative to that of the chain
_JOINT = re.compile(r"[Jj]oint '([^']+)'")


def preview(folder: Folder, setup: Setup) -> dict[str, Any]:
    """Return curves of each function, and motion and torques of all joints if known.

    Raises
    ------
    RefusalError
        If a number or a joint is invalid.
    """
    rows = curves_of(folder, setup)
    t = times_of(setup.duration)
    answer: dict[str, Any] = {"t": shorten(t[::FINER]), "rows": rows}
    if any("error" in row for row in rows.values()):
        return answer
    try:
        return answer | _motion(folder, setup)
    except SimError as error:
        hint = _remedy_of_start(folder, setup) if setup.follows_path else ""
        return answer | {"failed": str(error), "joint": joint_of(str(error)), "hint": hint}


def scenario_of(folder: Folder, setup: Setup) -> sim.Scenario:
    """Return the scenario that the script of a setup builds.

    Raises
    ------
    SimError
        If a part of it is invalid.
    RefusalError
        If a joint of the table has no column.
    """
    if setup.is_deck:
        return load_deck_of(folder, setup.robot).scenario(setup.duration, setup.dt)
    robot = load_robot_of(folder, setup)
    return sim.Scenario(
        robot,
        _tool_motion(setup, robot) if setup.follows_path else _joint_motion(setup, robot),
        setup.duration,
        dt=setup.dt,
        method=setup.method,
        engine=setup.engine or default_engine(),
        gravity=setup.gravity,
        forces=tuple(map(_spring, setup.springs)),
        contacts=() if setup.floor is None else _contacts(setup.floor),
    )


def _spring(one: Spring) -> sim.Spring:
    return sim.Spring(
        one.name,
        sim.Marker("i", *one.i),
        sim.Marker("j", *one.j),
        stiffness=one.stiffness,
        damping=one.damping,
        free_length=one.free_length,
    )


def _contacts(floor: Floor) -> tuple[sim.Contact, ...]:
    plane = sim.ContactShape.plane(at=(0.0, 0.0, floor.height))
    law = sim.ContactLaw.impact(stiffness=floor.stiffness, damping=floor.damping)
    spheres = [sim.ContactShape.sphere(link, radius, at) for link, at, radius in floor.spheres]
    return tuple(
        sim.Contact(sphere, plane, law, name=f"floor{k}", mu_static=floor.friction)
        for k, sphere in enumerate(spheres, 1)
    )


def require_usable(folder: Folder, setup: Setup) -> None:
    """Check that the script of a setup can be run.

    Raises
    ------
    SimError, RefusalError
        If it cannot; names the responsible joint, if there is one.
    """
    if not is_finite(setup):
        raise RefusalError(422, "all numbers must be finite")
    for name, row in curves_of(folder, setup).items():
        if error := row.get("error"):
            what = "component" if setup.follows_path else "joint"
            raise RefusalError(422, f"{what} {name!r}: {error['reason']}")
    scenario = scenario_of(folder, setup)
    _require_links(setup, scenario.robot)
    scenario.motion.on(scenario.robot, setup.duration)


def _require_links(setup: Setup, robot: sim.Robot) -> None:
    """Check that springs and contacts are on existing links."""
    named = {WORLD, *(link.name for link in robot.links)}
    ends = [(f"spring {one.name!r}", end[0]) for one in setup.springs for end in (one.i, one.j)]
    if setup.floor is not None:
        ends += [("contact with the floor", link) for link, _, _ in setup.floor.spheres]
    for what, link in ends:
        if link not in named:
            raise RefusalError(422, f"{what}: robot {robot.name!r} has no link {link!r}")


def joint_of(message: str) -> str | None:
    """Return the joint that an error message names."""
    match = _JOINT.search(message)
    return match[1] if match else None


def _start(setup: Setup, robot: sim.Robot) -> Any:
    return setup.positions or (None if setup.start == "zero" else robot.pose(setup.start))


def _tool_motion(setup: Setup, robot: sim.Robot) -> sim.PointMotion:
    components: dict[str, Any] = {name: text for name, text in (setup.path or {}).items()}
    if setup.points is not None:
        times = setup.points.times
        components |= {name: sim.spline(times, x) for name, x in setup.points.columns.items()}
    return sim.PointMotion(components, start=_start(setup, robot))


def _remedy_of_start(folder: Folder, setup: Setup) -> str:
    """Return a remedy for a tool path that begins at a singular pose; "" for other paths."""
    robot = load_robot_of(folder, setup)
    start = _start(setup, robot)
    if isinstance(start, dict):
        start = [start.get(row.name, 0.0) for row in robot.coordinates]
    q = np.zeros(len(robot.coordinates)) if start is None else np.asarray(start)
    components = (*(setup.path or {}), *(() if setup.points is None else setup.points.columns))
    turns = not set(components) <= set(POSITION)
    J = sim.jacobian(robot, q)
    J = np.vstack([J[:3] / chain_length(robot), J[3:]]) if turns else J[:3] / chain_length(robot)
    if np.linalg.svd(J, compute_uv=False)[-1] > SINGULAR:
        return ""
    return (
        "The start is a singular pose, such as a stretched arm, from which the tool cannot move in "
        "every direction: bend the arm with the start sliders in Model, and choose the path again."
    )


def _joint_motion(setup: Setup, robot: sim.Robot) -> sim.JointMotion:
    """Return the motion as in the script, drive by drive."""
    q0 = _start(setup, robot)
    motion = sim.JointMotion({}, q0, free=tuple(setup.free))
    for level in ("displacement", "velocity", "acceleration", "torque"):
        if texts := setup.drives_of(level):
            drives = {name: function_of(text) for name, text in texts.items()}
            motion = getattr(sim.JointMotion, level)(drives, q0) | motion
    if missing := setup.drives_of("table").keys() - setup.table_columns.keys():
        raise RefusalError(422, f"joint {min(missing)!r}: no table with a column for it is pasted")
    if setup.table is not None and setup.table_columns:
        make = getattr(sim.JointMotion, setup.table.level)
        motion = make(setup.table_columns, q0, times=setup.table.times) | motion
    return motion


def _motion(folder: Folder, setup: Setup) -> dict[str, Any]:
    """Return positions, rates and torques of all joints, and the largest torques."""
    scenario = scenario_of(folder, setup)
    step = setup.duration / (FINER * (SHOWN - 1))
    problem = build_problem(replace(scenario, dt=step))
    if problem.is_solved:  # the motion of free joints is known only after the run
        q, qd, _ = problem.path.motion(times_of(setup.duration)[::FINER])
        names = np.array([row.name for row in scenario.robot.coordinates])
        free = names[problem.path.free].tolist()
        return {"q": shorten_rows(q), "qd": shorten_rows(qd), "unsolved": free}
    motion, tau = prescribed_torque(problem)
    return {
        "q": shorten_rows(motion.q[:, ::FINER]),
        "qd": shorten_rows(motion.qd[:, ::FINER]),
        "tau": shorten_rows(tau[:, ::FINER]),
        "peaks": np.abs(tau).max(axis=1).tolist(),
        "rates": np.abs(motion.qd).max(axis=1).tolist(),
        "outside": _excesses(scenario.robot, motion.q),
    }


def _excesses(robot: sim.Robot, q: Array) -> dict[str, float]:
    """Return the joints that leave their range, and the excess [rad or m]."""
    low = np.array([row.limits.lower for row in robot.coordinates])
    high = np.array([row.limits.upper for row in robot.coordinates])
    beyond = np.maximum(low - q.min(axis=1), q.max(axis=1) - high)
    return {
        row.name: float(by)
        for row, by in zip(robot.coordinates, beyond, strict=True)
        if row.limits.has_range and by > 1e-9
    }


def poses(robot: sim.Robot) -> dict[str, list[float]]:
    """Return the named poses of a robot [rad or m], zero included."""
    named = {name: q for name, q in poses_of(robot).items() if name != "zero"}
    return {name: robot.pose(name).tolist() for name in ("zero", *named)}
