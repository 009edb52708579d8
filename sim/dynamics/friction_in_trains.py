"""Shares of a joint and its drive train in the friction: sliding, stuck or driven."""

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
    """Friction with that of the trains, the most of it at rest, and what the trains take, (n, N).

    What holds a stuck joint is that of the joint's own friction first. The most there is follows
    the side to which the joint is pushed.

    Parameters
    ----------
    answer : WithFriction
        Its efforts have the rotors in them; its friction and limits are those of the joints.
    loads : ndarray, shape (n, N)
        Of the force elements in joints [N·m or N].
    friction : ndarray, shape (n, N)
        All that holds a stuck joint; of the others that of the joint.
    sliding : ndarray, shape (n, N)
        What the trains of free joints take that are not stuck.
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
    """Friction of joints in loops with that of the trains, and what the trains take, (n, N) each.

    `loose` (n, N) is what trains take of joints that are not driven; for the others see
    `with_trains`.
    """
    links = answer.effort - trains.inertia[:, None] * answer.qdd - loads
    lost = _of_driven(trains, links + answer.friction, loads, qd)
    train = np.where(driven[:, None], lost, loose)
    return answer.friction + train, train


def _of_driven(trains: DriveTrains, links: Array, loads: Array, qd: Array) -> Array:
    """What trains of driven joints take, (n, N), of torques (n, N) that move links and joints."""
    return trains.lost_torque(trains.passes(links, loads), qd)
