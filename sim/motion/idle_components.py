"""Prescribed components that no joint moves: satisfied at all joint positions, or at none."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.errors import ScenarioError
from sim.functions.time_function import TimeFunction
from sim.kinematics.inverse.travel import joint_limits
from sim.maths.arrays import Array
from sim.motion.target import ANGLES, COMPONENTS, POSITION, Constraint, target

POSES = 8  # at which the components are checked for motion
_SEED = 20180702
IDLE = 1e-12  # relative to the largest entry of the gradient; less is rounding
TRUE = 1e-10  # [m, rad]; tolerance of any component


def idle_components(
    constraint: Constraint, functions: Mapping[str, TimeFunction], times: Array
) -> dict[str, float]:
    """Return the components that no joint moves, with their values [m or rad].

    A whole pose and three angles are not searched: they are satisfied as one.

    Raises
    ------
    ScenarioError
        If such a component is prescribed differently at one of the `times` [s] (names it, its value
        there and the error), or nothing else is prescribed.
    """
    if len(functions) == len(COMPONENTS):
        return {}
    angles = [name for name in ANGLES if name in functions]
    names = [name for name in POSITION if name in functions] + angles
    q = _poses(constraint)
    equations = constraint.equations(target(functions, np.zeros(POSES)), q)
    size = np.abs(equations.A).max(axis=(1, 2))
    idle = [
        name
        for name, largest in zip(names, size, strict=True)
        if largest <= IDLE * max(1.0, float(size.max()))
        and not (name in angles and len(angles) == len(ANGLES))
    ]
    # the prescribed value less the gap is the value of the component
    there = target(functions, np.zeros(1)).value
    values = {
        name: float(
            np.round(there[COMPONENTS.index(name), 0] - equations.gap[names.index(name), 0], 12)
            + 0.0
        )
        for name in idle
    }
    for name, value in values.items():
        _require_true(constraint, name, value, functions[name], times)
    if len(values) == len(functions):
        raise ScenarioError(
            f"No joint of robot {constraint.robot.name!r} moves what is prescribed "
            f"({', '.join(values)}); prescribe a component that a joint moves"
        )
    return values


def _require_true(
    constraint: Constraint, name: str, value: float, function: TimeFunction, times: Array
) -> None:
    prescribed = function.value(times)
    away = np.abs(prescribed - value)
    if name in ANGLES:
        away = np.abs(np.remainder(prescribed - value + np.pi, 2 * np.pi) - np.pi)
    k = int(np.argmax(away))
    if away[k] <= TRUE:
        return
    scale, unit = (np.pi / 180, "°") if name in ANGLES else (1.0, "m")
    frame = constraint.frame or constraint.robot.tool
    raise ScenarioError(
        f"Component {name!r} of frame {frame!r} is {value / scale:.6g} {unit} wherever the joints "
        f"of robot {constraint.robot.name!r} are: no joint moves it. At t = {times[k]:.6g} s "
        f"{prescribed[k] / scale:.6g} {unit} is prescribed, {away[k] / scale:.3g} {unit} away; "
        f"leave {name!r} out, or give it the value that it has"
    )


def _poses(constraint: Constraint) -> Array:
    """Return generic positions inside the limits, shape (n, POSES)."""
    lower, upper = (limit[:, None] for limit in joint_limits(constraint.robot))
    low, high = np.maximum(lower, -np.pi), np.minimum(upper, np.pi)
    low, high = np.where(low > high, lower, low), np.where(low > high, upper, high)
    parts = np.random.default_rng(_SEED).uniform(0.1, 0.9, (len(low), POSES))
    return np.asarray(low + parts * (high - low))


def word(name: str, value: float) -> str:
    """Return a message on a component that is always satisfied."""
    scale, unit = (np.pi / 180, "°") if name in ANGLES else (1.0, "m")
    return (
        f"component {name!r} is {value / scale:.6g} {unit} wherever the joints are, as prescribed; "
        "no joint moves it, and it is left out"
    )
