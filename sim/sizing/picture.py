"""Torque over speed at a motor's shaft, with where it may work for ever and for a moment."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup, escape

from sim.maths.arrays import Array
from sim.reports.page.quantity import number
from sim.sizing.choice import MotorChoice
from sim.sizing.shaft import shaft_motion

WIDTH, HEIGHT = 420, 260  # px
LEFT, RIGHT, TOP, BELOW = 48, 12, 10, 36
ROOM = 1.06  # of the larger of ratings and motion
NEAR = 0.4  # px; nearer points of a curve are left out
RPM = math.pi / 30  # rad/s
TICKS = 5


@dataclass(frozen=True)
class _Axes:
    """Magnitude of speed to the right [1/min]; torque up, negative where it brakes [N·m]."""

    speed: float
    torque: float

    def x(self, speed: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * speed / self.speed

    def y(self, torque: float) -> float:
        middle, half = (HEIGHT + TOP - BELOW) / 2, (HEIGHT - TOP - BELOW) / 2
        return middle - half * torque / self.torque

    def points(self, corners: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(n):.1f},{self.y(tau):.1f}" for n, tau in corners)


def picture(choice: MotorChoice) -> Markup:
    """The drawing of a joint's motor, as SVG."""
    motor, load = choice.pair.motor, choice.load
    axes = _Axes(
        ROOM * max(motor.highest_speed, load.peak_speed) / RPM,
        ROOM * max(motor.torque_peak, load.peak_torque),
    )
    rated, highest = motor.speed_rated / RPM, motor.highest_speed / RPM
    rest, peak = motor.continuous_at(0.0), motor.torque_peak
    edge = [(0.0, rest), (rated, motor.torque_continuous), (rated, 0.0), (0.0, 0.0)]
    forever = edge[:2] + [(n, -tau) for n, tau in reversed(edge[:2])]
    moment = [(0.0, peak), (highest, peak), (highest, -peak), (0.0, -peak)]
    at = load.mean_speed / RPM, load.rms_torque.value or 0.0
    words = f"Torque over speed at the shaft of {choice.pair.motor.name} in {choice.joint}"
    parts = [
        f'<svg class="shaft" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(words)}">',
        f'<polygon class="moment" points="{axes.points(moment)}"/>',
        f'<polygon class="forever" points="{axes.points(forever)}"/>',
        *_scales(axes),
        f'<polyline class="motion" points="{_motion(axes, choice)}"/>',
        f'<circle class="mean" cx="{axes.x(at[0]):.1f}" cy="{axes.y(at[1]):.1f}" r="4.5"/>',
        "</svg>",
    ]
    return Markup("".join(parts))


def _motion(axes: _Axes, choice: MotorChoice) -> str:
    """The samples, thinned to what can be seen."""
    shaft = shaft_motion(choice.duty, choice.pair)
    N = choice.duty.t.size
    sense = np.where(shaft.speed[:N] < 0, -1.0, 1.0)
    speed, torque = np.abs(shaft.speed[:N]) / RPM, sense * shaft.torque[:N]
    kept: list[tuple[float, float]] = []
    last = (-math.inf, -math.inf)
    for n, tau in zip(speed.tolist(), torque.tolist(), strict=True):
        here = axes.x(n), axes.y(tau)
        if math.dist(here, last) >= NEAR:
            kept.append((n, tau))
            last = here
    return axes.points(kept)


def _scales(axes: _Axes) -> Iterator[str]:
    """Lines and numbers of both axes, and their names."""
    for n in _round_steps(axes.speed):
        x = axes.x(n)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BELOW}"/>'
        yield (
            f'<text x="{x:.1f}" y="{HEIGHT - BELOW + 14}" text-anchor="middle">{number(n)}</text>'
        )
    steps = _round_steps(axes.torque)
    for tau in [*(-steps[:0:-1]), *steps]:
        y = axes.y(float(tau))
        yield f'<path class="grid{"" if tau else " zero"}" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        text = number(float(tau))
        yield f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    yield f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" text-anchor="end">speed, 1/min</text>'
    yield f'<text x="{LEFT}" y="{HEIGHT - 6}">torque, N·m; braking below 0</text>'


def _round_steps(end: float) -> Array:
    """From 0 to `end` by 1, 2 or 5 times a power of ten."""
    rough = end / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
    return np.asarray(np.arange(0, math.floor(end / step) + 1) * step)
