"""Exact first-order changes of frames, of functions of the state and of joint torques.

Along small motions ``δq = s dq``, ``δqd = s dqd`` everything here is a pair of a value and its
derivative by s at s = 0. With the axes a_k and origins p_k of the joints that move a point p, and
the rotation ω_k of their frames by dq,

    da_k = ω_k × a_k,      d(a_k × (p - p_k)) = da_k × (p - p_k) + a_k × (dp - dp_k)

For a ball dq is a rotation about the axes of its child. Switches take their side for small positive
s, so that dq and -dq give the slopes on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, cast

import numpy as np
from msgspec import Struct

from sim.errors import ScenarioError
from sim.functions.jet import Jet
from sim.functions.syntax import evaluate
from sim.kinematics.forward import Kinematics, marker_place
from sim.kinematics.moving_frame import MovingFrame, Pair
from sim.kinematics.state_reading import JetsOfReadings
from sim.kinematics.tree import Tree, tree_of
from sim.maths.arrays import Array
from sim.maths.rotations import cross
from sim.robots.marker import Marker
from sim.robots.names import Names

LATER = 2.0**-46  # relative step in time, to evaluate just after an instant
SOON = 1e-30  # s; just after zero


class ChangingForce(Protocol):
    """A force that SFORCE reads."""

    def change_on_marker(self, side: int, small: SmallChange) -> tuple[Pair, Pair]:
        """Return force and torque at the marker of side i (0) or j (1), world axes, (3, K) each."""
        ...


@dataclass(frozen=True, eq=False)
class SmallChange:
    """K states of a robot, each with a small motion.

    Parameters
    ----------
    t : ndarray, shape (K,)
        [s]
    kinematics : Kinematics
        Kinematics at the K states.
    dq, dqd : ndarray, shape (n, K)
        Motions of the independent joints.
    """

    t: Array
    kinematics: Kinematics
    dq: Array
    dqd: Array
    _frames: dict[Marker, MovingFrame] = field(default_factory=dict, init=False)

    @cached_property
    def time(self) -> Jet:
        """Time just after the instant, constant in s."""
        return Jet.constant(self.t + LATER * np.abs(self.t) + SOON)

    @cached_property
    def tree(self) -> Tree:
        """Tree of the robot."""
        return tree_of(self.kinematics.robot)

    @cached_property
    def on_tree(self) -> tuple[Array, Array]:
        """dq and dqd of all tree joints, (n_tree, K) each."""
        S, _ = self.kinematics.robot.coupling
        return S @ self.dq, S @ self.dqd

    def frame(self, marker: Marker) -> MovingFrame:
        """Return a marker and its change; raises as `marker_place`."""
        if marker not in self._frames:
            self._frames[marker] = self._frame_of(marker)
        return self._frames[marker]

    def _frame_of(self, marker: Marker) -> MovingFrame:
        at = self.kinematics.marker(marker)
        body, _ = marker_place(self.kinematics.robot, marker)
        if body < 0:
            return MovingFrame.in_time(at)
        joints = self._joints_of(body)
        dp, spin = joints.velocity(at.p, joints.dq)
        v, w = joints.velocity(at.p, joints.dqd)
        if self.kinematics.qd.any():
            qd = self.kinematics.on_tree[1][joints.rows]
            arm = joints.turns * cross(joints.axes, dp - joints.dp, axis=1)
            arm += joints.turns * cross(joints.daxes, at.p - joints.p, axis=1)
            arm += (1 - joints.turns) * joints.daxes
            v = v + np.sum(arm * qd[:, None], axis=0)
            w = w + np.sum(joints.turns * joints.daxes * qd[:, None], axis=0)
        return MovingFrame(at.R, (at.p, dp), (at.v, v), (at.w, w), spin)

    def joint_torque(self, body: int, point: Pair, force: Pair, torque: Pair) -> Pair:
        """Return generalised forces of a wrench on a body at a point, (n_tree, K) each."""
        value, change = np.zeros((2, self.tree.n, self.t.size))
        if body < 0:
            return value, change
        joints, (p, dp), (F, dF), (T, dT) = self._joints_of(body), point, force, torque
        turns, lever = joints.turns, p - joints.p
        J = turns * cross(joints.axes, lever, axis=1) + (1 - turns) * joints.axes
        dJ = turns * cross(joints.daxes, lever, axis=1) + (1 - turns) * joints.daxes
        dJ += turns * cross(joints.axes, dp - joints.dp, axis=1)
        axes, daxes = turns * joints.axes, turns * joints.daxes
        value[joints.rows] = np.sum(J * F + axes * T, axis=1)
        change[joints.rows] = np.sum(J * dF + dJ * F + axes * dT + daxes * T, axis=1)
        return value, change

    @cached_property
    def _joints(self) -> dict[int, _Joints]:
        return {}

    def _joints_of(self, body: int) -> _Joints:
        if body not in self._joints:
            self._joints[body] = _Joints.of(self, body)
        return self._joints[body]


class _Joints(Struct, frozen=True, eq=False):
    """The k joints that move a body, from the root on: (k, 3, K) each except rows and rates."""

    rows: list[int]
    turns: Array  # (k, 1, 1): 0 if prismatic
    axes: Array
    daxes: Array
    p: Array
    dp: Array
    dq: Array  # (k, K)
    dqd: Array

    @classmethod
    def of(cls, small: SmallChange, body: int) -> _Joints:
        tree, poses = small.tree, small.kinematics.poses
        rows = list(tree.ancestors(body))
        dq, dqd = (x[rows] for x in small.on_tree)
        turns = np.array([float(not tree.prismatic[row]) for row in rows])[:, None, None]
        axes, p = poses.R[rows, :, 2], poses.p[rows]
        spins = np.cumsum(turns * axes * dq[:, None], axis=0)
        last = np.arange(len(rows))  # the axes of a ball rotate with all three of its rows
        for first in tree.balls:
            if first in rows:
                last[rows.index(first) : rows.index(first) + 3] = rows.index(first) + 2
        dp = np.zeros_like(p)
        for k in range(len(rows)):
            part = slice(None, k + 1)
            lever = turns[part] * cross(axes[part], p[k] - p[part], axis=1)
            lever += (1 - turns[part]) * axes[part]
            dp[k] = np.sum(lever * dq[part, None], axis=0)
        return cls(rows, turns, axes, cross(spins[last], axes, axis=1), p, dp, dq, dqd)

    def velocity(self, point: Array, rates: Array) -> tuple[Array, Array]:
        """Return velocity of a point and of its body at rates (k, K) of the joints, (3, K) each."""
        lever = self.turns * cross(self.axes, point - self.p, axis=1) + (1 - self.turns) * self.axes
        turning = self.turns * self.axes * rates[:, None]
        return np.sum(lever * rates[:, None], axis=0), np.sum(turning, axis=0)


class ChangeReading(JetsOfReadings):
    """Functions of the state as jets by s, at K states, each computed once.

    Parameters
    ----------
    small : SmallChange
    names : Names
        Names of the labels.
    """

    def __init__(self, small: SmallChange, names: Names) -> None:
        super().__init__(small.kinematics, names)
        self.small = small

    def _frame(self, marker: Marker) -> MovingFrame:
        return self.small.frame(marker)

    def _variable(self, name: str, label: str) -> Jet:
        if name == "VARVAL":
            return evaluate(self.names.expressions[label].tree, self.small.time, self)
        raise ScenarioError(
            f"DIF({label.lower()}) is a state with a rate of its own, which small motions "
            "do not have; write the law by functions of the joints' state"
        )

    def _wrench(self, label: str, side: int) -> tuple[Pair, Pair]:
        force = cast("ChangingForce", self.names.force_by_label[label])
        return force.change_on_marker(side, self.small)

    def _hinges(self, signs: Array) -> tuple[Pair, Pair]:
        positions, velocities = zip(self.kinematics.on_tree, self.small.on_tree, strict=True)
        (q, dq), (qd, dqd) = positions, velocities
        return (signs @ q, signs @ dq), (signs @ qd, signs @ dqd)


def unit_along(a: Pair) -> Pair:
    """Return a / |a| and its change; NaN if a is zero."""
    length = np.sqrt(np.sum(a[0] ** 2, axis=0))
    u = a[0] / length
    return u, (a[1] - u * np.sum(u * a[1], axis=0)) / length


def turned_along(R: Array, spin: Array, a: Pair) -> Pair:
    """Return R a for a frame that rotates by `spin` (3, K), with its change."""
    value = np.einsum("abN,bN->aN", R, np.broadcast_to(a[0], (3, R.shape[-1])))
    change = np.einsum("abN,bN->aN", R, np.broadcast_to(a[1], (3, R.shape[-1])))
    return value, change + cross(spin, value)
