"""Speed ranges in which the friction laws of sliding joints are smooth, and the laws in them.

The coefficient of a law changes from static to dynamic within half a stiction velocity, which a
joint often passes in less than one step of the solver. The solver therefore integrates one speed
range at a time, with the law of that range continued beyond it, and restarts where a joint leaves
its range.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import lru_cache

import numpy as np
from msgspec import structs

from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.hybrid import ExtendedDynamics, HybridDynamics
from sim.dynamics.smooth_pieces import SmoothPiece
from sim.maths.arrays import Array
from sim.robots.joint_friction import SLIDING
from sim.robots.robot import Robot

# Relative to a bound of a range: distance beyond it at which a joint has left the range, and
# distance within which the sign of the acceleration selects one of two ranges.
BEYOND, AT_BOUND = 1e-9, 1e-8

PASSING = 0.25  # of the time in which a joint passes a range: longest step where its law changes


def with_speed_ranges(
    mechanism: Mechanism, modes: FrictionModes, t: float, y: Array
) -> FrictionModes:
    """Return the modes with the speed range of each sliding joint at a state y (size,)."""
    robot, free = mechanism.dynamics.robot, mechanism.prescription.free
    bounds = _bounds(robot)
    sliding = [i for i in bounds if modes.slide[i] != 0]
    if not sliding:
        return modes
    speeds = np.tile([0.0, np.inf], (free.size, 1))
    along = np.zeros(free.size)
    along[free] = modes.slide[free] * y[mechanism.layout.qd]
    rate: Array | None = None
    for i in sliding:
        edges, speed = np.array(bounds[i]), float(along[i])
        k = int(np.searchsorted(edges, speed))
        near = np.flatnonzero(np.abs(edges - speed) <= AT_BOUND * edges)
        if near.size:
            if rate is None:
                rate = modes.slide * mechanism.at(np.array([t]), y[:, None], modes).qdd[:, 0]
            k = int(near[0]) + int(rate[i] >= 0)
        low = 0.0 if k == 0 else edges[k - 1] * (1 - BEYOND)
        high = np.inf if k == edges.size else edges[k] * (1 + BEYOND)
        speeds[i] = low, high
    return structs.replace(modes, speeds=speeds)


def in_speed_ranges(piece: SmoothPiece, modes: FrictionModes, t: float, y: Array) -> SmoothPiece:
    """Return the piece with the friction laws of the modes' speed ranges, which are smooth.

    Steps in a range where a coefficient changes are limited to a part of it: beyond rest, which a
    stage of a longer step would reach, the law is that of the opposite motion.
    """
    if modes.speeds is None:
        return piece
    mechanism, robot = piece.mechanism, piece.mechanism.dynamics.robot
    low, high = modes.speeds.T
    middle = np.where(np.isinf(high), 4 * low, 0.5 * (low + high))
    passing: dict[str, int] = {}
    laws: dict[str, float] = {}
    for name, i, slip in _changing_laws(robot):
        if modes.slide[i] == 0:
            continue
        law, regime = robot.joint(name).friction_law, slip * middle[i]
        if law is None or 1.0 < regime < SLIDING:
            passing[name] = i
        else:
            laws[name] = law.mu_static if regime < 1.0 else law.mu_dynamic
    mechanism = _with_coefficients(mechanism, tuple(laws.items()))
    longest = piece.longest_step
    for end in ("mu_static", "mu_dynamic") if passing else ():
        known = {name: getattr(robot.joint(name).friction_law, end) for name in passing}
        at = _with_coefficients(mechanism, tuple(known.items())).at(
            np.array([t]), y[:, None], modes
        )
        for i in passing.values():
            rate = abs(float(at.qdd[i, 0]))
            longest = min(longest, PASSING * (high[i] - low[i]) / rate if rate > 0 else np.inf)
    return structs.replace(piece, mechanism=mechanism, longest_step=longest)


def leaves_range(modes: FrictionModes, joint: int, speed: float) -> bool:
    """Whether a joint that changes its mode leaves its range of speed instead of stopping."""
    return modes.speeds is not None and bool((np.abs(modes.speeds[joint] - speed) < speed).any())


def _changing_laws(robot: Robot) -> list[tuple[str, int, float]]:
    """Return the joints whose coefficient changes with the speed of one independent joint.

    Each with its name, the row of the independent joint, and the slip per unit of its speed, in
    stiction velocities.
    """
    S, laws = robot.coupling[0], []
    for row, joint in enumerate(robot.tree_row_joints):
        law, moved_by = joint.friction_law, np.flatnonzero(S[row])
        is_plain = law is not None and not (law.turns_with or joint.is_ball)
        if law is None or not is_plain or not joint.has_load_friction or moved_by.size != 1:
            continue
        if law.mu_dynamic < law.mu_static:
            i = int(moved_by[0])
            slip = float(law.slip(np.abs(S[row, i : i + 1]), is_prismatic=joint.is_prismatic)[0])
            laws.append((joint.name, i, slip))
    return laws


@lru_cache(maxsize=64)
def _bounds(robot: Robot) -> dict[int, list[float]]:
    """Return the speeds of independent joints between the ranges, ascending, by row."""
    bounds: dict[int, set[float]] = {}
    for _, i, slip in _changing_laws(robot):
        bounds.setdefault(i, set()).update((1.0 / slip, SLIDING / slip))
    return {i: sorted(speeds) for i, speeds in bounds.items()}


def _with_coefficients(mechanism: Mechanism, laws: tuple[tuple[str, float], ...]) -> Mechanism:
    """Return the mechanism with constant coefficients of friction for the named joints."""
    smooth = _robot_with_coefficients(mechanism.dynamics.robot, laws)
    return structs.replace(mechanism, dynamics=_of_robot(mechanism.dynamics, smooth))


@lru_cache(maxsize=64)
def _robot_with_coefficients(robot: Robot, laws: tuple[tuple[str, float], ...]) -> Robot:
    changed = {}
    for name, mu in laws:
        if (law := robot.joint(name).friction_law) is not None:
            changed[name] = replace(law, mu_static=mu, mu_dynamic=mu)
    return robot.with_friction(changed) if changed else robot


def _of_robot(dynamics: HybridDynamics, robot: Robot) -> HybridDynamics:
    """Return the same dynamics for a robot that differs in its friction laws only."""
    if robot is dynamics.robot:
        return dynamics
    if isinstance(dynamics, ExtendedDynamics):
        return structs.replace(dynamics, tree=_of_robot(dynamics.tree, robot))
    changed = copy(dynamics)
    vars(changed)["robot"] = robot
    return changed
