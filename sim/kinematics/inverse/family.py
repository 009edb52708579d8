"""Common interface of the families of arms with a closed-form inverse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, Mask

TAU = 2 * np.pi
ELBOWS = ("elbow up", "elbow down")


@dataclass(frozen=True, eq=False)
class Angles:
    """All branches of the arm's own angles; every array broadcasts to (shoulder, elbow, wrist, N).

    Parameters
    ----------
    a : tuple of ndarray, length n
        [rad]
    gap : ndarray
        Residual of the branch, zero if it reaches the pose [m and rad].
    margins : mapping of str to ndarray
        Distance from each singularity: ``shoulder`` in [m], ``elbow`` and ``wrist`` as a sine.
    free : tuple of (int, ndarray of bool)
        Index of an angle that is free, and where.
    """

    a: tuple[Array, ...]
    gap: Array
    margins: Mapping[str, Array]
    free: tuple[tuple[int, Mask], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Family(ABC):
    """Constants of one arm, from the geometry of its axes.

    Parameters
    ----------
    T_0a : ndarray, shape (4, 4)
        Pose of the arm frame in the world.
    E : ndarray, shape (3, 3)
        Rotates the tool frame such that ``R_0aᵀ R_0e E`` is a product of plain rotations.
    tool : ndarray, shape (3,)
        Tool point relative to the wrist centre, in the frame rotated by `E` [m].
    K, k : ndarray, shape (n, n) and (n,)
        The arm's own angles are ``a = K q + k``.
    deviation : float
        Deviation of the axes from the family's plain geometry [rad and m].
    lateral : float
        Distance of the wrist centre, or of the last axis of a palletizer, from the plane through
        axis 1, along the elbow axis [m].
    lengths : tuple of float
        Shoulder to elbow, and elbow to wrist centre or to the next parallel axis [m].
    """

    name: ClassVar[str]
    """As in a card's ``ik``."""
    wrists: ClassVar[tuple[str, ...]] = ("",)
    """Names of the wrist branches."""

    T_0a: Array
    E: Array
    tool: Array
    K: Array
    k: Array
    deviation: float
    lateral: float
    lengths: tuple[float, float]

    @property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """Names of the shoulder, elbow and wrist branches."""
        return sides(self.lateral), ELBOWS, self.wrists

    @abstractmethod
    def angles(self, R: Array, p: Array, hint: Array) -> Angles:
        """Return all branches of the arm's own angles.

        Parameters
        ----------
        R : ndarray, shape (3, 3, N)
            Rotation of the tool frame, rotated by `E`, in the arm frame.
        p : ndarray, shape (3, N)
            Wrist centre in the arm frame [m].
        hint : ndarray, shape (n, 1) or (n, N)
            Value of each angle if it is free.
        """

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of shoulder, elbow and wrist branches."""
        return tuple(len(words) for words in self.words)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of all branches, in order."""
        shoulders, elbows, wrists = self.words
        return tuple(
            ", ".join(filter(None, (s, e, w))) for s in shoulders for e in elbows for w in wrists
        )

    def joint(self, angle: int) -> int:
        """Return the moving joint that mainly determines one of the arm's own angles."""
        return int(np.argmax(np.abs(self.K[angle])))

    def each(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of `Angles` at one pose, one per branch, shape (branches,)."""
        return np.broadcast_to(values, (*self.shape, 1)).reshape(-1)

    def in_arm_frame(self, R: Array, p: Array) -> tuple[Array, Array]:
        """Return the rotation of the tool frame by `E`, and the wrist centre, in the arm frame."""
        N = p.shape[1]
        R_a0 = self.T_0a[:3, :3].T
        if not np.array_equal(self.T_0a[:3, :3], np.eye(3)):
            R = (R_a0 @ R.reshape(3, 3 * N)).reshape(3, 3, N)
        if not np.array_equal(self.E, np.eye(3)):
            R = np.matmul(self.E.T, R)
        p = R_a0 @ (p - self.T_0a[:3, 3, None])
        for axis, length in enumerate(self.tool):
            if length:
                p = p - length * R[:, axis]
        return R, p

    def joint_positions(self, a: tuple[Array, ...], out: Array, joints: NDArray[np.int64]) -> None:
        """Write joint positions ``K⁻¹ (a - k)`` in [-π, π] [rad].

        Parameters
        ----------
        a : tuple of ndarray
            The arm's own angles, as in `Angles`.
        out : ndarray, shape (shoulder, elbow, wrist, joints of the robot, N)
        joints : ndarray of int, shape (n,)
            Index in `out` of each joint that moves the tool.
        """
        K = np.linalg.inv(self.K)
        offsets = -K @ self.k
        for joint, row, offset in zip(joints, K, offsets, strict=True):
            q = out[..., joint, :]
            terms = [(weight, angle) for weight, angle in zip(row, a, strict=True) if weight]
            np.multiply(terms[0][1], terms[0][0], out=q)
            for weight, angle in terms[1:]:
                if weight == 1.0:
                    q += angle
                elif weight == -1.0:
                    q -= angle
                else:
                    q += weight * angle
            if offset:
                q += offset
            if row[1] or np.abs(row).sum() * np.pi + abs(offset) > 3.15:  # may exceed π
                turns = q * (1 / TAU)
                np.rint(turns, out=turns)
                turns *= TAU
                q -= turns


def sides(lateral: float) -> tuple[str, str]:
    """Return the names of the shoulder branches, that with positive radial coordinate first.

    An arm with an offset from axis 1 is to the left or right of it, seen from the base towards the
    wrist centre; an arm without offset reaches to the front or over its back.
    """
    if lateral == 0:
        return ("shoulder front", "shoulder back")
    return (
        ("shoulder right", "shoulder left") if lateral > 0 else ("shoulder left", "shoulder right")
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ElbowArm(Family):
    """A family whose arm of two links is in a plane rotated by axis 1.

    Parameters
    ----------
    shoulder_offset : float
        Radial distance of axis 2 from axis 1 [m].
    """

    shoulder_offset: float
