"""Friction of a joint and its drive train: sliding, stuck or driven."""

from __future__ import annotations

import numpy as np

from sim.dynamics.drive_trains import DriveTrains
from sim.dynamics.load_dependent_friction import WithFriction
from sim.maths.arrays import Array, Mask


def with_trains(
    trains: DriveTrains,
    answer: WithFriction,
    loads: Array,
    qd: Array,
    friction: Array,
    sliding: Array,
    driven: Mask,
    stuck: Mask,
) -> tuple[Array, Array, Array]:
    """Return friction with the trains, its largest value at rest, and the trains' part, (n, N).

    A stuck joint is first held by its own friction. The largest value is that for the direction in
    which the joint is pushed.

    Parameters
    ----------
    answer : WithFriction
        Solution with efforts that include the rotors; friction and limits are those of the joints.
    loads : ndarray, shape (n, N)
        Efforts of force elements in the joints [N·m or N].
    friction : ndarray, shape (n, N)
        Total holding friction of stuck joints; own friction of the others.
    sliding : ndarray, shape (n, N)
        Friction of trains of free joints that are not stuck.
    driven, stuck : ndarray of bool, shape (n,)
    """
    in_joint, train, limit = (
        np.clip(friction, -answer.limit, answer.limit),
        sliding.copy(),
        answer.limit,
    )
    train[stuck] = (friction - in_joint)[stuck]
    links = answer.effort - trains.inertia[:, None] * answer.qdd - loads  # without their friction
    train[driven] = _of_driven(trains, links + answer.friction, loads, qd)[driven]
    passed = trains.passes(links, loads)
    least, most = trains.band(passed, answer.limit)
    beyond = np.where(friction < 0, passed - least, most - passed)
    whole = np.where(stuck[:, None], friction, friction + train)
    return whole, np.where(stuck[:, None], beyond, limit), train


def with_trains_in_loops(
    trains: DriveTrains, answer: WithFriction, loads: Array, qd: Array, loose: Array, driven: Mask
) -> tuple[Array, Array]:
    """Return friction of joints in loops including the trains, and the trains' part, (n, N) each.

    `loose` (n, N) is the trains' friction of joints that are not driven; for the others see
    `with_trains`.
    """
    links = answer.effort - trains.inertia[:, None] * answer.qdd - loads
    losses = _of_driven(trains, links + answer.friction, loads, qd)
    train = np.where(driven[:, None], losses, loose)
    return answer.friction + train, train


def _of_driven(trains: DriveTrains, links: Array, loads: Array, qd: Array) -> Array:
    """Return friction of driven joints' trains, (n, N), at torques (n, N) on links and joints."""
    return trains.lost_torque(trains.passes(links, loads), qd)
