"""Contacts of a PyBullet body: touching links by step, and the contact forces."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot
from sim.watching.cause import Cause
from sim.watching.sample_store import SampleStore

LOOK_EVERY = (
    8  # samples, a power of two; a look at contacts costs as much as half a reading of the joints
)
ANY_BODY, ANY_LINK = -1, -2  # defaults of getContactPoints
NONE = -2  # in place of a link's number
Pair = tuple[int, int, int]  # the other body, the own link, the link of the other body


class Contacts:
    """Contacts at the samples of a loop.

    Parameters
    ----------
    bullet, body, client
    carries : bool
        The base is free or planar: contacts carry the body, and their forces are kept. Those of a
        fixed base are looked at in each sample only once there are some.
    """

    def __init__(self, bullet: Any, body: int, client: int, *, carries: bool) -> None:
        self._body = body
        # Without names a look takes a quarter less time: of any other body and any links.
        read = getattr(bullet.getContactPoints, "func", bullet.getContactPoints)
        of = ANY_BODY if carries else body
        self.read = partial(read, of, ANY_BODY, ANY_LINK, ANY_LINK, client)
        self._carries, self.until = carries, math.inf if carries else 0
        self._touching: dict[Pair, set[int]] = {}
        self._points = SampleStore(15)
        numbers = range(-1, bullet.getNumJoints(body, physicsClientId=client))
        info = (bullet.getDynamicsInfo(body, k, physicsClientId=client) for k in numbers)
        self._rolling_and_spinning = dict(zip(numbers, (one[6:8] for one in info), strict=True))

    def keep(self, sample: int, points: Iterable[Any]) -> None:
        """Note which links touch, by the result of ``read()``."""
        for point in self._with_body_first(points) if self._carries else points:
            if self._carries:  # even without a force, as a point may transmit a moment yet
                self._keep(sample, point)
            if point[9] > 0:  # normal force
                near = range(sample - LOOK_EVERY, sample + LOOK_EVERY + 1)
                near = range(sample, sample + 1) if self._carries else near
                self._touching.setdefault(point[2:5], set()).update(near)
                self.until = max(self.until, sample + 2 * LOOK_EVERY)

    def _with_body_first(self, points: Iterable[Any]) -> Iterator[Any]:
        """Yield the contact points of the body, each with the body first.

        For a single body, PyBullet exchanges bodies, points and normal of a point that it stores
        the other way round, but not the directions of friction; therefore all points are read.
        """
        for point in points:
            if point[1] == self._body:
                yield point
            elif point[2] == self._body:
                flag, a, b, on_a, on_b, at_a, at_b, n, gap, force, f, x, g, y = point[:14]
                n, x, y = ([-one for one in direction] for direction in (n, x, y))
                yield flag, b, a, on_b, on_a, at_b, at_a, n, gap, force, f, x, g, y

    def _keep(self, sample: int, point: Any) -> None:
        """Record the points on both links, and the force: normal, and friction in two axes."""
        (nx, ny, nz), (ax, ay, az), (bx, by, bz) = point[7], point[11], point[13]
        n, a, b = point[9], point[10], point[12]
        force = nx * n + ax * a + bx * b, ny * n + ay * a + by * b, nz * n + az * a + bz * b
        other = point[4] if point[2] == self._body else NONE
        self._points.add(sample, point[3], other, *point[5], *point[6], *force, *point[7])

    def masks(self, names: Mapping[int, str], rows: int) -> dict[str, Mask]:
        """Return the steps in which each pair of links touches."""
        return {self._title(pair, names): mask(at, rows) for pair, at in self._touching.items()}

    def _title(self, pair: Pair, names: Mapping[int, str]) -> str:
        other, own, theirs = pair
        if other == self._body:
            return f"{names.get(own, own)} with {names.get(theirs, theirs)}"
        return f"{names.get(own, own)} with body {other}"

    def cause(self, robot: Robot, names: Mapping[int, str], q: Array, rows: int) -> Iterator[Cause]:
        """Return contact forces on a body with a free or planar base; self-contacts are errors.

        Parameters
        ----------
        robot : Robot
            As in the engine.
        names : mapping of int to str
            Links by their indices.
        q : ndarray, shape (n, N)
            Positions before each step.
        rows : int
            Number of samples.
        """
        if not (self._carries and self._touching):
            return
        masks = self.masks(names, rows)
        steps = int(np.any(list(masks.values()), axis=0).sum())
        own = [pair for pair in self._touching if pair[0] == self._body]
        pairs = [self._title(pair, names) for pair in own] or list(masks)
        points = self._points.rows()
        largest = float(np.linalg.norm(points[:, 9:12], axis=1).max())
        more = f" and {len(pairs) - 2} more" if len(pairs) > 2 else ""
        yield Cause(
            "self-contact" if own else "contact",
            f"contact of {', '.join(pairs[:2])}{more} in {steps} of {rows - 1} steps, with up to "
            f"{largest:.4g} N at a point: included",
            "flags=p.URDF_USE_SELF_COLLISION_EXCLUDE_ALL_PARENTS, or setCollisionFilterPair"
            if own
            else "",
            pairs[0],
            -_torque(robot, names, q, points),
            is_error=bool(own),
        )

    def spins(self, robot: Robot, names: Mapping[int, str], q: Array) -> Iterator[Array]:
        """Yield generalised forces (n, N) of unit moments that contacts may transmit.

        ``getContactPoints`` does not return the moments of spinning friction (about the normal) and
        rolling friction (about all axes) of a link.
        """
        if not (self._carries and self._touching):
            return
        points = self._points.rows()
        step, moved = points[:, 0].astype(np.intp) - 1, q.shape[1]
        for number in np.unique(points[:, 1]).astype(int).tolist():
            rolling, spinning = self._rolling_and_spinning[number]
            at = (points[:, 1] == number) & (step >= 0) & (step < moved)
            if not (rolling or spinning) or not at.any():
                continue
            touches, normal = np.zeros(moved), np.zeros((3, moved))
            touches[step[at]], normal[:, step[at]] = 1.0, points[at, 12:].T
            axes = np.eye(3)[:, :, None] * touches if rolling else normal[None]
            for axis in axes:
                wrench = AppliedWrench(names[number], np.zeros(3), np.zeros((3, 1)), axis)
                yield joint_torque(robot, q, [wrench])


def _torque(robot: Robot, names: Mapping[int, str], q: Array, points: Array) -> Array:
    """Return generalised forces of contacts, (n, N), at points of the state before a step."""
    moving = Kinematics(robot, q, np.zeros_like(q))
    step = points[:, 0].astype(np.intp) - 1
    wrenches = []
    for side, place, sense in ((1, slice(3, 6), 1.0), (2, slice(6, 9), -1.0)):
        for number in np.unique(points[:, side]).astype(int).tolist():
            if (link := names.get(number)) is None:
                continue
            at = (points[:, side] == number) & (step >= 0) & (step < q.shape[1])
            force, moment = np.zeros((3, q.shape[1])), np.zeros((3, q.shape[1]))
            there = sense * points[at, 9:12].T
            lever = points[at, place].T - moving.frame(link).p[:, step[at]]
            np.add.at(force.T, step[at], there.T)
            np.add.at(moment.T, step[at], np.cross(lever, there, axis=0).T)
            wrenches.append(AppliedWrench(link, np.zeros(3), force, moment))
    return np.asarray(joint_torque(robot, q, wrenches))


def mask(samples: Iterable[int], rows: int) -> Mask:
    """Return the steps (rows - 1,) that end in one of the samples."""
    steps = np.zeros(rows, dtype=bool)
    steps[[k for k in samples if 0 <= k < rows]] = True
    return steps[1:]
