"""Dry friction that follows the load it causes, at one state, by Newton's method.

The question of `sim.dynamics.load_dependent_friction` with the slopes of the law itself: the load
of a joint is linear in the frictions of the joints that slide, and its magnitudes have plain
derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.dynamics.drive_trains import drive_trains_of
from sim.dynamics.friction import needs_reaction
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.load_dependent_friction import ROUNDING, SETTLED, SLOPE, joint_limit
from sim.dynamics.single_state.instant import Instant
from sim.functions.impact import step
from sim.maths.arrays import Array, Mask
from sim.robots.joint_friction import SLIDING
from sim.robots.robot import Robot

TINY = 1e-300  # [N, N·m]; what is across is divided by no less

MOST_ROUNDS = 25  # it takes three; what takes more is asked of the other one


@dataclass(frozen=True, eq=False)
class OneStateFriction:
    """The joints that slide on dry friction, of which k follow their load.

    Parameters
    ----------
    joints : ndarray of int
        All that slide.
    sense : ndarray
        Of each, 1 or -1.
    following : ndarray of int, shape (k,)
        Which of them follow their load.
    steady : ndarray
        Friction of each that slides without any load [N·m or N]; not limited.
    most : ndarray, shape (k,)
        The law never gives more [N·m or N].
    coulomb : ndarray, shape (k,)
        Friction beside the law, also at the motor [N·m or N].
    factors : ndarray, shape (k, 4)
        What makes the load of the magnitudes of the force across and along the axis and of the
        moment across and along it.
    speed : ndarray, shape (k,)
        Slip at unit speed of the joint, in stiction velocities.
    mu : ndarray, shape (2, k)
        Coefficients, static and dynamic.
    """

    joints: NDArray[np.intp]
    sense: Array
    following: NDArray[np.intp]
    steady: Array
    most: Array
    coulomb: Array
    factors: Array
    speed: Array
    mu: Array

    @classmethod
    def of(cls, robot: Robot, slide: Array) -> OneStateFriction:
        """Friction of the joints that slide as `slide` says, shape (n,).

        In a robot with mimics no joint follows its load.
        """
        sliding = np.flatnonzero(slide)
        motors = np.zeros(sliding.size)
        if (trains := drive_trains_of(robot)) is not None:
            motors = np.abs(trains.coulomb(slide[:, None])[sliding, 0])
        if not needs_reaction(robot):
            limit = joint_limit(robot, np.zeros((len(robot.tree_coordinates), 1)), None)[:, 0]
            none, no_joints = np.empty(0), np.empty(0, dtype=np.intp)
            rest = np.empty((0, 4)), none, np.empty((2, 0))
            steady = limit[sliding] + motors
            return cls(sliding, slide[sliding], no_joints, steady, none, none, *rest)
        steady, following, rows = np.zeros(sliding.size), [], []
        for row, joint in enumerate(robot.tree_row_joints[i] for i in sliding):
            law, slides = joint.friction_law, joint.is_prismatic
            if law is None or not law.follows_reaction(is_prismatic=slides):
                constant = (
                    0.0
                    if law is None
                    else law.dry(np.zeros(1), None, joint.axis, is_prismatic=slides)[0]
                )
                steady[row] = joint.friction + constant + motors[row]
                continue
            following.append(row)
            steady[row] = law.preload if "preload" in law.inputs else 0.0
            slip = float(law.slip(np.ones(1), is_prismatic=slides)[0])
            factors = law.load_factors(is_prismatic=slides)
            also = joint.friction + motors[row]
            rows.append((law.max_torque, also, *factors, slip, law.mu_static, law.mu_dynamic))
        table = np.reshape(np.array(rows, dtype=float), (-1, 9))
        return cls(
            sliding,
            slide[sliding],
            np.array(following, dtype=np.intp),
            steady,
            table[:, 0],
            table[:, 1],
            table[:, 2:6],
            table[:, 6],
            np.ascontiguousarray(table[:, 7:].T),
        )

    def answer(
        self, response: HybridDynamics, at: Instant, qdd: Array, held: Mask, smooth_effort: Array
    ) -> tuple[Array, Array, Array] | None:
        """qdd, effort and dry friction along the motion, (n,) each; None if nothing fits soon.

        Parameters
        ----------
        qdd : ndarray, shape (n,)
            Of held joints.
        held : ndarray of bool, shape (n,)
        smooth_effort : ndarray, shape (n,)
            All that acts but dry friction and wrenches; there are none [N·m or N].
        """
        count = self.joints.size
        efforts = np.empty((smooth_effort.size, 1 + count))
        efforts[:] = smooth_effort[:, None]
        efforts[self.joints, np.arange(1, 1 + count)] -= self.sense
        qdds, efforts = response.at_instant(at, qdd, held, efforts, ())
        loads = at.loads(self.joints[self.following], qdds)
        dry = self._solve(loads, np.abs(at.qd[self.joints[self.following]]))
        if dry is None:
            return None
        friction = np.zeros(smooth_effort.size)
        friction[self.joints] = self.sense * dry
        return _under(qdds, dry), _under(efforts, dry), friction

    def _solve(self, loads: Array, speed: Array) -> Array | None:
        """Dry frictions of the joints that slide that fit the loads (k, 6, 1 + count)."""
        rest, more = loads[..., 0], loads[..., 1:] - loads[..., :1]
        following, factors = self.following, self.factors
        mu = step(speed * self.speed, 1.0, self.mu[0], SLIDING, self.mu[1])
        dry = self.steady.copy()
        dry[following] = 0.0
        slopes_at = more[..., following]
        unit = np.eye(following.size)
        across, along = factors[:, 0::2], factors[:, 1::2]
        for _ in range(MOST_ROUNDS):
            load = rest + more @ dry
            parts = load.reshape(-1, 2, 3)  # x y z of force and moment
            squares = parts * parts
            size = np.sqrt(squares[..., 0] + squares[..., 1])
            gradient = parts * (across / np.maximum(size, TINY))[..., None]
            gradient[..., 2] = along * np.sign(parts[..., 2])
            gradient = gradient.reshape(-1, 6)
            raw = mu * (gradient * load).sum(axis=1) + self.steady[following]
            limit = np.minimum(raw, self.most) + self.coulomb
            lacking = limit - dry[following]
            heaviest = float(np.abs(load).max())
            fits = SETTLED * max(limit.tolist() + dry.tolist()) + ROUNDING * heaviest
            if max(map(abs, lacking.tolist())) <= fits:
                return dry
            gradient *= np.where(raw < self.most, mu, 0.0)[:, None]
            A = unit - (gradient[:, None] @ slopes_at)[:, 0]
            if _determinant(A) > SLOPE:
                lacking = np.linalg.solve(A, lacking)
            dry[following] += lacking
        return None


def _under(cases: Array, dry: Array) -> Array:
    """A linear quantity (n, 1 + count) under dry frictions (count,)."""
    rest = cases[:, 0]
    return np.asarray(rest + (cases[:, 1:] - cases[:, :1]) @ dry)


def _determinant(A: Array) -> float:
    """Determinant of a small matrix, without the overhead of LAPACK."""
    if len(A) == 2:
        (a, b), (c, d) = A.tolist()
        return float(a * d - b * c)
    return float(A[0, 0]) if len(A) == 1 else float(np.linalg.det(A))
