"""The payload as ten columns at the tool frame, and as mass, centre and tensor."""

from __future__ import annotations

import numpy as np

from sim.curves.spectral_fit import SpectralFit
from sim.dynamics.inertial_parameters import MOMENTS, NAMES, change_of_frame
from sim.errors import ForeignError, ModelError
from sim.identification.log import Log
from sim.identification.result import Parameter
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.robots.inertia import why_impossible
from sim.robots.payload import Payload
from sim.robots.robot import Robot

PAYLOAD = tuple(f"payload.{name}" for name in NAMES)
CHANCE = 4.0  # half widths below 0; a log without payload does not reach it by chance
REACH = 0.3  # [m]; a mass centre with a wider interval is not identified
# [m]; lever at which the mass sets the interval that a moment of inertia must have to be
# identified. By its own estimate it would be identified if by chance too large.
SIZE = 0.1


def payload_columns(robot: Robot, Y: Array) -> Array:
    """Return torques per unit of each parameter of a body at the tool, (n, 10, N).

    Raises
    ------
    ModelError
        If the robot has no single tool, or the tool does not move.
    """
    tool = robot.require_tool()
    tree = tree_of(robot)
    body, T_bt = tree.frames[tool]
    if body < 0:
        raise ModelError(f"The tool {tool!r} of robot {robot.name!r} is not moved by a joint")
    _, T_bl = tree.frames[robot.tree_joints[body].child]
    of_body = Y[:, 10 * body : 10 * body + 10]
    return np.einsum("nkN,kp->npN", of_body, change_of_frame(inverse_pose(T_bl) @ T_bt))


def payload_parameters(
    fit: SpectralFit, robot: Robot, log: Log
) -> tuple[list[Parameter], Payload | None]:
    """Return mass, centre and tensor about it with their intervals, along the tool frame's axes.

    The payload is None if its mass is not significantly different from 0.

    Raises
    ------
    ForeignError
        If the mass is negative by more than four half widths of its interval.
    """
    p, covariance = fit.x[:10], fit.covariance[:10, :10]
    width = np.where(np.isfinite(fit.half_width[:10]), fit.quantile, np.inf)
    mass, mass_width = float(p[0]), float(fit.half_width[0])
    if not np.isfinite(mass_width):
        return [_unidentified_parameter(name, unit) for name, unit in _WORDS], None
    if mass < -CHANCE * mass_width:
        raise ForeignError(
            f"{log.source} gives a payload of {mass:.3g} kg within {mass_width:.2g} kg, which is "
            f"impossible: robot {robot.name!r} is lighter than its file, or the torques have "
            "another scale; identify the unloaded arm first, and pass its URDF as --robot"
        )
    interval = (max(mass - mass_width, 0.0), max(mass, 0.0) + mass_width)
    parameters = [Parameter("payload.mass", "kg", max(mass, 0.0), interval)]
    if mass <= mass_width:
        return [
            *parameters,
            *(_unidentified_parameter(name, unit) for name, unit in _WORDS[1:]),
        ], None
    centre, tensor = p[1:4] / mass, _about_centre(p)
    slopes = np.stack([_slopes(p, k) for k in range(10)], axis=1)
    half = width.max() * np.sqrt(np.diag(slopes @ covariance @ slopes.T))
    values = np.concatenate([centre, [tensor[place] for place in MOMENTS]])
    limits = [REACH] * 3 + [mass * SIZE**2] * 6
    is_body = why_impossible(mass, tensor) is None
    for k, (name, unit) in enumerate(_WORDS[1:]):
        if half[k] < limits[k] and (k < 3 or is_body):
            value = float(values[k])
            parameters.append(Parameter(name, unit, value, (value - half[k], value + half[k])))
        else:
            parameters.append(_unidentified_parameter(name, unit))
    com = tuple(float(parameter.value or 0.0) for parameter in parameters[1:4])
    has_tensor = all(parameter.is_told for parameter in parameters[4:])
    return parameters, Payload(mass, com, tensor if has_tensor else None, robot.tool)


_WORDS = (
    ("payload.mass", "kg"),
    *((f"payload.com.{axis}", "m") for axis in "xyz"),
    *((f"payload.{name.lower()}", "kg·m²") for name in NAMES[4:]),
)


def _unidentified_parameter(name: str, unit: str) -> Parameter:
    return Parameter(name, unit, None, None, "not identifiable from the log")


def _about_centre(p: Array) -> Array:
    """Return the tensor about the mass centre of parameters (10,)."""
    about_origin = np.zeros((3, 3))
    for k, (row, column) in enumerate(MOMENTS):
        about_origin[row, column] = about_origin[column, row] = p[4 + k]
    h = p[1:4]
    return np.asarray(about_origin - (h @ h * np.eye(3) - np.outer(h, h)) / p[0])


def _slopes(p: Array, k: int) -> Array:
    """Return derivatives of centre and tensor by parameter k, (9,), by central differences."""
    step = 1e-6 * max(abs(p[k]), 1e-3)

    def values(shift: float) -> Array:
        shifted = p.copy()
        shifted[k] += shift
        tensor = _about_centre(shifted)
        return np.concatenate([shifted[1:4] / shifted[0], [tensor[place] for place in MOMENTS]])

    return np.asarray((values(step) - values(-step)) / (2 * step))
