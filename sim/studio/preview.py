"""Preview of a setup: motion and analytic torques of the run, without an engine."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import sim
from sim.engine_names import default_engine
from sim.errors import ExpressionError, SimError
from sim.functions.expression import Expression, expression
from sim.functions.lint import Level, lint
from sim.kinematics.inverse.sliders import poses_of
from sim.kinematics.jacobian import chain_length
from sim.maths.arrays import Array
from sim.maths.units import ANGULAR, LINEAR, Units
from sim.motion.target import POSITION
from sim.robots.marker import WORLD
from sim.simulation.build_problem import build_problem
from sim.simulation.model_answer import prescribed_torque
from sim.studio.deck_source import load_deck_of
from sim.studio.folder import Folder
from sim.studio.refusal import RefusalError
from sim.studio.robot_source import load_robot_of
from sim.studio.setup import CurveRequest, Floor, Setup, Spring, is_finite

SHOWN = 401  # samples that are sent
FINER = 5  # refinement for peaks, some of which 401 samples miss
LONGEST = 3600.0  # [s]; longest preview
SINGULAR = 1e-3  # least singular value, with lengths relative to that of the chain
BESIDE = 1e-9  # of the duration: distance before and after a break at which a function is evaluated
JUMP = 1e-6  # of its largest value; a smaller change is the slope between both points
DIGITS = 6  # after the first of the largest value of a curve
_JOINT = re.compile(r"[Jj]oint '([^']+)'")


def preview(folder: Folder, setup: Setup) -> dict[str, Any]:
    """Return curves of each function, and motion and torques of all joints if known.

    Raises
    ------
    RefusalError
        If a number or a joint is invalid.
    """
    rows = _curves(folder, setup)
    t = _times(setup.duration)
    answer: dict[str, Any] = {"t": _shorten(t[::FINER]), "rows": rows}
    if any("error" in row for row in rows.values()):
        return answer
    try:
        return answer | _motion(folder, setup)
    except SimError as error:
        hint = _remedy_of_start(folder, setup) if setup.follows_path else ""
        return answer | {"failed": str(error), "joint": joint_of(str(error)), "hint": hint}


def curve(wanted: CurveRequest) -> dict[str, Any]:
    """Return the curve of one function and its warnings, or its error with position.

    Raises
    ------
    RefusalError
        If the duration is invalid.
    """
    _require_duration(wanted.duration)
    units = LINEAR if wanted.sliding else ANGULAR
    row = _curve(wanted.text, wanted.level, units, wanted.duration)
    return {"t": _shorten(_times(wanted.duration)[::FINER]), **row}


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
    for name, row in _curves(folder, setup).items():
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
            drives = {name: _function(text) for name, text in texts.items()}
            motion = getattr(sim.JointMotion, level)(drives, q0) | motion
    missing = setup.drives_of("table").keys() - setup.table_columns.keys()
    if missing:
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
        q, qd, _ = problem.path.motion(_times(setup.duration)[::FINER])
        names = np.array([row.name for row in scenario.robot.coordinates])
        free = names[problem.path.free].tolist()
        return {"q": _rows(q), "qd": _rows(qd), "unsolved": free}
    motion, tau = prescribed_torque(problem)
    return {
        "q": _rows(motion.q[:, ::FINER]),
        "qd": _rows(motion.qd[:, ::FINER]),
        "tau": _rows(tau[:, ::FINER]),
        "peaks": np.abs(tau).max(axis=1).tolist(),
        "rates": np.abs(motion.qd).max(axis=1).tolist(),
        "outside": _outside(scenario.robot, motion.q),
    }


def _outside(robot: sim.Robot, q: Array) -> dict[str, float]:
    """Return the joints that leave their range, and the excess [rad or m]."""
    low = np.array([row.limits.lower for row in robot.coordinates])
    high = np.array([row.limits.upper for row in robot.coordinates])
    beyond = np.maximum(low - q.min(axis=1), q.max(axis=1) - high)
    return {
        row.name: float(by)
        for row, by in zip(robot.coordinates, beyond, strict=True)
        if row.limits.has_range and by > 1e-9
    }


def _curves(folder: Folder, setup: Setup) -> dict[str, dict[str, Any]]:
    _require_duration(setup.duration)
    if setup.is_deck:
        return {}  # its functions are drawn with the motion
    if setup.follows_path:
        return _path_curves(setup)
    robot = load_robot_of(folder, setup)
    rows = {}
    for name, drive in setup.drives.items():
        if name not in robot.joint_names:
            raise RefusalError(422, f"robot {robot.name!r} has no joint {name!r}")
        if drive.kind in ("free", "table"):
            continue
        (row,) = robot.joint(name).coordinates
        rows[name] = _curve(drive.text, drive.kind, row.units, setup.duration)
    return rows


def _path_curves(setup: Setup) -> dict[str, dict[str, Any]]:
    return {
        name: _curve(text, "displacement", LINEAR if name in POSITION else ANGULAR, setup.duration)
        for name, text in (setup.path or {}).items()
    }


def _require_duration(duration: float) -> None:
    if not 0 < duration <= LONGEST:
        raise RefusalError(422, f"the duration must be above 0 and at most {LONGEST:g} s")


class _Function:
    """A function with cached breaks, which take most of the time of a preview."""

    def __init__(self, text: str) -> None:
        self.expression = expression(text)
        self._breaks: dict[tuple[float, float], Array] = {}

    def __str__(self) -> str:
        return str(self.expression)

    def value(self, t: ArrayLike) -> Array:
        return self.expression.value(t)

    def derivatives(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        return self.expression.derivatives(t)

    def breaks(self, t0: float, t1: float) -> Array:
        if (t0, t1) not in self._breaks:
            self._breaks[t0, t1] = self.expression.breaks(t0, t1)
        return self._breaks[t0, t1]


@lru_cache(maxsize=128)
def _function(text: str) -> _Function:
    return _Function(text)


@lru_cache(maxsize=128)
def _curve(text: str, level: Level, units: Units, duration: float) -> dict[str, Any]:
    """Return one function: its curve and warnings, or its error with position."""
    if not text.strip():
        return {"error": {"reason": "type a function of time", "position": None}}
    t = _times(duration)
    try:
        function = _function(text).expression
        with np.errstate(all="ignore"):
            f = function.value(t)
    except ExpressionError as error:
        position = len(text.rstrip()) if error.position is None else error.position
        return {"error": {"reason": error.reason, "position": position}}
    except SimError as error:
        return {"error": {"reason": str(error), "position": None}}
    if not np.isfinite(f).all():
        reason = f"not a finite number at t = {t[np.argmin(np.isfinite(f))]:.4g} s"
        return {"f": _shorten(f[::FINER]), "error": {"reason": reason, "position": None}}
    warnings = [one.message for one in lint(function, level, units, duration)]
    jumps = _jump_times(function, duration, float(np.abs(f).max()))
    return {"f": _shorten(f[::FINER]), "warnings": warnings, "jumps": jumps}


def _jump_times(function: Expression, duration: float, largest: float) -> list[float]:
    """Return the times inside the duration at which a function jumps [s]; `largest` is its peak."""
    t = function.breaks(-duration, duration)
    t = t[(t > 0.0) & (t < duration)]
    with np.errstate(all="ignore"):
        before, after = (function.value(t + side * duration * BESIDE) for side in (-1, 1))
    times: list[float] = t[np.abs(after - before) > JUMP * largest].tolist()
    return times


@lru_cache(maxsize=8)
def _times(duration: float) -> Array:
    return np.linspace(0.0, duration, FINER * (SHOWN - 1) + 1)


def _rows(values: Array) -> list[list[float | None]]:
    return [_shorten(row) for row in values]


def _shorten(row: Array) -> list[float | None]:
    """Round to seven digits of the largest value; NaN and inf become None."""
    good = np.isfinite(row)
    largest = np.abs(row[good]).max(initial=0.0)
    digits = DIGITS if largest == 0 else int(DIGITS - np.floor(np.log10(largest)))
    short = np.round(np.where(good, row, 0.0), min(digits, 300)).tolist()
    return [x if ok else None for x, ok in zip(short, good.tolist(), strict=True)]


def poses(robot: sim.Robot) -> dict[str, list[float]]:
    """Return the named poses of a robot [rad or m], zero included."""
    named = {name: q for name, q in poses_of(robot).items() if name != "zero"}
    return {name: robot.pose(name).tolist() for name in ("zero", *named)}
