"""Drawings of a case: its robot, its worst curve over time, and the errors of the methods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from sim.errors import SimError
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import Marks, text
from sim.reports.svg.scales import num, room_for, span_of
from sim.robots.robot import Robot
from sim.verification.case import Case
from sim.verification.verdict import CaseReading, CaseVerdict

SIZE, EDGE = 230.0, 35.0  # of a picture and around the robot [px]
WIDTH, HEIGHT = 420.0, 170.0  # of a plot [px]
PLANES = ((0, 2), (0, 1), (1, 2))  # of the world; the first of those that show as much
AXES = "xyz"
MOST = 160  # points of a curve


def picture(case: Case) -> Markup | None:
    """Draw the robot of a case at the start; None if it has none."""
    shown = _robot_at_start(case)
    if shown is None:
        return None
    robot, q = shown
    places, ends, centres = _skeleton(robot, q)
    every = np.array([*places, *(centre for centre, _ in centres)])
    i, j = _plane(every)
    low, high = every[:, [i, j]].min(axis=0), every[:, [i, j]].max(axis=0)
    half = max(float(np.max(high - low)), 1e-9) / 2
    x, y = ((float(middle) - half, float(middle) + half) for middle in (low + high) / 2)
    chart = Chart(SIZE, SIZE, EDGE, EDGE, EDGE, EDGE, x, y)
    heaviest = max((mass for _, mass in centres), default=1.0)
    marks: list[Marks] = [
        [chart.line((a[i], b[i]), (a[j], b[j]), "bar") for a, b in ends],
        [
            chart.dot(at[i], at[j], 2.5 + 5 * (mass / heaviest) ** (1 / 3), "mass", num(mass))
            for at, mass in centres
        ],
        [chart.dot(at[i], at[j], 2.6, "joint") for at in places],
        text(8, SIZE - 8, f"{AXES[i]} across, {AXES[j]} up", cls="tick"),
    ]
    return chart.drawing(marks, f"{robot.name} where it starts", "picture")


def _robot_at_start(case: Case) -> tuple[Robot, Array] | None:
    """Return the robot and its positions (n,) at the start."""
    try:
        if case.shown is not None:
            robot, q = case.shown()
            return robot, np.asarray(q, dtype=np.float64)
        if case.scenario is None:
            return None
        from sim.simulation.build_problem import build_problem

        problem = build_problem(case.scenario())
        path, start = problem.path, problem.prescribed_motion(np.zeros(1)).q[:, 0]
        return problem.robot, np.where(path.free, path.q0, start)
    except SimError:  # reported in the verdict; a picture is not required
        return None


def _skeleton(
    robot: Robot, q: Array
) -> tuple[list[Array], list[tuple[Array, Array]], list[tuple[Array, float]]]:
    """Return link positions, bars between them, and mass centres with masses, in the world [m]."""
    motion = Kinematics(robot, q[:, None], 0 * q[:, None])
    frames = {link.name: motion.frame(link.name) for link in robot.links}
    origin = {name: np.asarray(frame.p[:, 0]) for name, frame in frames.items()}
    bars = [(origin[joint.parent], origin[joint.child]) for joint in robot.joints]
    centres = []
    for link in robot.links[1:]:
        if link.inertia is not None and link.inertia.mass > 0:
            at = origin[link.name] + frames[link.name].R[..., 0] @ np.asarray(link.inertia.com)
            bars.append((origin[link.name], at))
            centres.append((at, link.inertia.mass))
    return list(origin.values()), bars, centres


def _plane(points: Array) -> tuple[int, int]:
    """Return the two world axes in which points extend most."""
    spread = np.ptp(points, axis=0)
    rounded = [round(float(spread[list(plane)].sum()), 6) for plane in PLANES]
    return PLANES[int(np.argmax(rounded))]


def plot(verdict: CaseVerdict) -> Markup | None:
    """Draw the curve nearest to its tolerance, and the methods' errors in it; None without one."""
    curves = [one for one in verdict.readings if one.expected.t is not None and _is_row(one)]
    if not curves:
        return None
    name = max(curves, key=lambda one: one.share).quantity
    of_name = [one for one in curves if one.quantity == name]
    return _two_panels(name, of_name)


def _is_row(one: CaseReading) -> bool:
    return one.value is not None and one.value.ndim == 1


def _two_panels(name: str, readings: Sequence[CaseReading]) -> Markup:
    expected = readings[0].expected
    t, unit = np.asarray(expected.t), expected.unit
    k = np.unique(np.linspace(0, t.size - 1, MOST).round().astype(int))
    values = [(one, np.asarray(one.value)) for one in readings]
    every = np.concatenate([expected.numbers, *(value for _, value in values)])
    off = [
        (value[k] - expected.numbers[k], _colour(one), one.method.title) for one, value in values
    ]
    reach = max(float(np.max(np.abs(row))) for row, _, _ in off) or readings[0].within
    upper, lower = _chart(0.0, t, span_of(every)), _chart(HEIGHT + 6, t, (-reach, reach))
    marks: list[Marks] = [
        _panel(upper, t[k], [(expected.numbers[k], "expected", "expected")], ""),
        [
            upper.dots(t[indices], value[indices], 2.4, _colour(one))
            for number, (one, value) in enumerate(values)
            for indices in [k[number :: 3 * len(values)]]
        ],
        text(upper.left, 12, f"{name} [{unit}]", cls="name"),
        _panel(lower, t[k], off, "t [s]"),
        text(lower.left, HEIGHT + 18, f"error [{unit}]", cls="name"),
    ]
    return lower.drawing(marks, f"{name} over time, and how far it is off", "curve")


def _colour(one: CaseReading) -> str:
    return f"by-{one.method.engine or one.method.name}"


def _chart(top: float, t: Array, ends: tuple[float, float]) -> Chart:
    return Chart(WIDTH, top + HEIGHT, room_for(ends, 4), 12.0, top + 20.0, 36.0,
                 (float(t[0]), float(t[-1])), ends)  # fmt: skip


def _panel(
    chart: Chart, t: Array, rows: Sequence[tuple[Array, str, str]], title: str
) -> list[Marks]:
    low, high = chart.y
    return [
        chart.grid(x=5, y=4, x_title=title),
        chart.rule_y(0.0, "zero") if low < 0 < high else [],
        [chart.line(t, row, cls, label) for row, cls, label in rows],
    ]
