"""Torque over speed at a motor's shaft, with its continuous and intermittent regions."""

from __future__ import annotations

import math

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.chart import Chart
from sim.sizing.choice import MotorChoice
from sim.sizing.shaft import shaft_motion

SIZE = 420, 272  # px
LEFT, RIGHT, TOP, BELOW = 52, 20, 22, 38
ROOM = 1.06  # of the larger of ratings and motion
NEAR = 0.4  # px; closer points of a curve are left out
RPM = math.pi / 30  # rad/s


def picture(choice: MotorChoice) -> Markup:
    """Draw a joint's motor: magnitude of speed, and torque, negative while braking."""
    motor, load = choice.pair.motor, choice.load
    speed = ROOM * max(motor.highest_speed, load.peak_speed) / RPM
    torque = ROOM * max(motor.torque_peak, load.peak_torque)
    chart = Chart(*SIZE, LEFT, RIGHT, TOP, BELOW, (0.0, speed), (-torque, torque))
    rated, highest = motor.speed_rated / RPM, motor.highest_speed / RPM
    edge = [(0.0, motor.continuous_at(0.0)), (rated, motor.torque_continuous)]
    marks = [
        _region(chart, [(0.0, motor.torque_peak), (highest, motor.torque_peak)], "moment"),
        _region(chart, edge, "forever"),
        chart.grid(5, 9, x_title="speed [1/min]", y_title="torque [N·m], negative: braking"),
        chart.rule_y(0.0, "zero"),
        chart.line(*_motion(chart, choice), "motion"),
        chart.dot(load.mean_speed / RPM, load.rms_torque.value or 0.0, 4.5, "mean"),
    ]
    words = f"Torque over speed at the shaft of {motor.name} in {choice.joint}"
    return chart.drawing(marks, words, "shaft")


def _region(chart: Chart, edge: list[tuple[float, float]], cls: str) -> str:
    """Return the area between an edge and its reflection about zero torque."""
    mirrored = [(speed, -torque) for speed, torque in reversed(edge)]
    return chart.path([np.array([*edge, *mirrored])], cls, closed=True)


def _motion(chart: Chart, choice: MotorChoice) -> tuple[Array, Array]:
    """Return speeds and torques of the samples, thinned to the visible resolution."""
    shaft = shaft_motion(choice.duty, choice.pair)
    N = choice.duty.t.size
    sense = np.where(shaft.speed[:N] < 0, -1.0, 1.0)
    speed, torque = np.abs(shaft.speed[:N]) / RPM, sense * shaft.torque[:N]
    indices: list[int] = []
    last = (-math.inf, -math.inf)
    for k in range(N):
        here = chart.across(float(speed[k])), chart.up(float(torque[k]))
        if math.dist(here, last) >= NEAR:
            indices.append(k)
            last = here
    return speed[indices], torque[indices]
