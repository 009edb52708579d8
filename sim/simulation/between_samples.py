"""The model between the samples: on both sides of each corner, and at short drive pulses.

A table has a single value where a drive jumps, and misses whatever happens between two samples.
"""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array, Mask, distinct
from sim.maths.quadrature import SHORT
from sim.maths.sampling import SAME_TIME
from sim.recording.columns import ColumnTable
from sim.recording.schema.corners import distances
from sim.simulation.model_answer import drives_at
from sim.simulation.problem import Problem
from sim.simulation.table import motor_columns, named_columns

# Distance of the left side of a corner from the corner, relative to a step; and at most relative to
# the distance from the previous corner.
BESIDE, BETWEEN_CORNERS = 1e-6, 0.25

# Nodes per piece, from a total number of nodes. The maximum of a half wave is missed by a 3000th
# with the most nodes and by an eighth with the fewest.
MOST_NODES, FEWEST_NODES, IN_ALL = 64, 3, 2048

# Points in a piece at which its drives are evaluated, and the amount, relative to the largest
# value, by which they must exceed their values at both ends.
LOOKED_AT, BULGE = (0.01, 0.3, 0.5, 0.7, 0.99), 0.01


def between_samples(problem: Problem, corners: tuple[float, ...]) -> ColumnTable | None:
    """Return motion, torques and powers by the model at corners, two or more rows each; or None.

    The row at a corner has the values after it; the preceding row is just before the corner.
    Between samples, times are kept at which a joint's position, speed, torque or power is extreme.

    Parameters
    ----------
    problem : Problem
    corners : tuple of float
        Corners of the run's settings, ascending [s].
    """
    at = np.asarray(corners, dtype=np.float64)
    nodes = _nodes(problem, at)
    if not at.size + nodes.size:
        return None
    gaps = np.diff(at, prepend=problem.t[0])
    sides = np.concatenate(
        [at, at - np.minimum(BESIDE * problem.scenario.dt, BETWEEN_CORNERS * gaps)]
    )
    t = distinct(sides, nodes)
    columns = _columns(problem, t)
    is_kept = np.isin(t, sides)
    is_kept[_tops(columns)] = True
    return ColumnTable(t, columns).at_rows(is_kept)


def _columns(problem: Problem, t: Array) -> dict[str, Array]:
    robot, (motion, efforts) = problem.robot, drives_at(problem, t)
    tree, independent = robot.tree_row_names, robot.row_names
    q, qd, qdd = robot.on_tree(motion.q, motion.qd, motion.qdd)
    groups = [
        ("q", tree, q),
        ("qd", tree, qd),
        ("qdd", tree, qdd),
        ("tau", independent, efforts.tau),
        ("power", independent, efforts.tau * motion.qd),
    ]
    return named_columns(*groups) | motor_columns(robot, motion, efforts)


def _tops(columns: dict[str, Array]) -> list[int]:
    """Return indices of the minimum and maximum of each position, speed, torque and power."""
    curves = [values for channel, values in columns.items() if not channel.startswith("qdd.")]
    return [int(end(values)) for values in curves for end in (np.argmax, np.argmin)]


def _nodes(problem: Problem, corners: Array) -> Array:
    """Return times inside the pieces that samples do not show, shape (M,).

    Pieces are the parts of a step with a corner inside, and the steps between two breaks less than
    `SHORT` steps apart: between two corners all, others only if a velocity or an acceleration
    exceeds its values at both ends.
    """
    t = problem.t
    inside = corners[distances(corners, t) > SAME_TIME]
    ends = distinct(t, inside)
    begin, length = ends[:-1], np.diff(ends)
    longest = (SHORT - 0.5) * float(np.max(np.diff(t)))
    is_between = np.isin(begin, inside) | np.isin(ends[1:], inside)
    is_between |= _gaps(corners, begin + 0.5 * length) < longest
    doubtful = np.flatnonzero(~is_between & (_gaps(problem.breaks, begin + 0.5 * length) < longest))
    if doubtful.size:
        is_between[doubtful] = _bulges(problem, begin[doubtful], length[doubtful])
    begin, length = begin[is_between], length[is_between]
    count = int(np.clip(IN_ALL // max(begin.size, 1), FEWEST_NODES, MOST_NODES))
    places = (np.arange(count) + 0.5) / count
    return (begin[:, None] + length[:, None] * places).ravel()


def _gaps(breaks: Array, times: Array) -> Array:
    """Return the distance of the two breaks around each time; infinite outside the breaks."""
    known = np.concatenate([[-np.inf], breaks, [np.inf]])
    after = np.searchsorted(breaks, times)
    return np.asarray(known[after + 1] - known[after])


def _bulges(problem: Problem, begin: Array, length: Array) -> Mask:
    """Whether a velocity or an acceleration exceeds both its ends inside each piece, (M,)."""
    path = problem.path.at((begin[:, None] + length[:, None] * np.array(LOOKED_AT)).ravel())
    has_bulge = np.zeros(begin.size, dtype=bool)
    for rows in (path.qd, path.qdd):
        values = rows.reshape(len(rows), begin.size, len(LOOKED_AT))
        low, high = (end(values[..., [0, -1]], axis=-1) for end in (np.min, np.max))
        beyond = np.maximum(np.max(values, axis=-1) - high, low - np.min(values, axis=-1))
        size = np.max(np.abs(values), axis=(1, 2))[:, None]
        has_bulge |= np.any(beyond > BULGE * size, axis=0)
    return has_bulge
