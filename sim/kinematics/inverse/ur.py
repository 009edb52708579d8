"""Arms with three parallel axes and a crossed wrist, such as the Universal Robots: 8 branches.

Axis 1 is perpendicular to the parallel axes 2, 3 and 4; axis 5 is perpendicular to axis 4, axis 6
to axis 5 and intersects it. The arm's own angles are φ1, the direction of the upper arm, the bend
of the elbow, φ234, φ5 (zero if axis 6 is parallel to the elbow's) and φ6, with
``R = Rz(φ1) P Rz(φ234) Ry(-φ5) Rz(φ6)`` and P the axes of the arm's plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.arm import FREE, Shoulder, elbow, shoulder
from sim.kinematics.inverse.arm_frame import PLANE, drop_rounding, turn_y, turn_z
from sim.kinematics.inverse.family import Angles, ElbowArm
from sim.kinematics.inverse.lines import LARGEST_DEVIATION, Lines, meeting_point
from sim.kinematics.inverse.wrists import WRISTS, one_wrist, opposite_angle
from sim.maths.arrays import Array, frozen


@dataclass(frozen=True, eq=False, kw_only=True)
class UR(ElbowArm):
    """Three parallel axes and a crossed wrist.

    Parameters
    ----------
    hand : complex
        Wrist centre relative to axis 4 at φ234 = 0, in the arm's plane [m].
    """

    name: ClassVar[str] = "ur"
    wrists: ClassVar[tuple[str, ...]] = WRISTS
    hand: complex

    def angles(self, R: Array, p: Array, hint: Array) -> Angles:
        """Return all eight branches; see `Family.angles`."""
        base = shoulder(p[0], p[1], self.lateral, hint[0])
        c, s = base.c, base.s
        # Rows of the rotation in the arm's plane, (2, N) each: n, then radial; up is R[2].
        n0, n1, n2 = (s * R[0, k] - c * R[1, k] for k in range(3))
        radial0, radial1 = (c * R[0, k] + s * R[1, k] for k in range(2))
        s5 = np.sqrt(n0 * n0 + n1 * n1)
        free = s5 <= FREE
        some_free = bool(free.any())
        size = np.where(free, 1.0, s5) if some_free else s5
        wrist_r, wrist_u = base.r - self.shoulder_offset, np.broadcast_to(p[2], base.r.shape)
        c6, s6 = n0 / size, -n1 / size
        if some_free:  # axis 6 is parallel to axes 2, 3 and 4
            phi6 = self._free_phi6(R, base, wrist_r + 1j * wrist_u, n2, hint[5])
            c6, s6 = np.where(free, np.cos(phi6), c6), np.where(free, np.sin(phi6), s6)
        phi5, phi6 = np.arctan2(s5, n2), np.arctan2(s6, c6)
        cos = R[2, 0] * s6 + R[2, 1] * c6
        sin = -(radial0 * s6 + radial1 * c6)
        phi234 = np.arctan2(sin, cos)
        hand_r = cos * self.hand.real - sin * self.hand.imag
        hand_u = sin * self.hand.real + cos * self.hand.imag
        arm = elbow(
            np.stack([wrist_r - hand_r, wrist_r + hand_r], axis=1)[:, None],
            np.stack([wrist_u - hand_u, wrist_u + hand_u], axis=1)[:, None],
            self.lengths,
            hint[1],
        )
        wrist_free = free[:, None, None]
        *a, gap, elbow_margin = one_wrist(
            (
                base.phi[:, None, None],
                arm.first,
                arm.curvature,
                np.stack([phi234, opposite_angle(phi234)], axis=1)[:, None],
                np.stack([phi5, -phi5], axis=1)[:, None],
                np.stack([phi6, opposite_angle(phi6)], axis=1)[:, None],
                arm.gap + base.gap,
                arm.sine,
            ),
            wrist_free,
        )
        margins = {
            "shoulder": np.abs(base.r)[:, None, None],
            "elbow": elbow_margin,
            "wrist": s5[:, None, None],
        }
        free_angles = ((0, base.free), (1, arm.free), (5, wrist_free))
        return Angles(tuple(a), gap, margins, free_angles)

    def _free_phi6(
        self, R: Array, base: Shoulder, wrist: NDArray[np.complex128], n2: Array, hint: Array
    ) -> Array:
        """Return φ6 nearest to its hint for which the arm can close, if only φ234 ± φ6 matters.

        Axis 4 is on a circle about the wrist centre; if the hint puts it out of reach, the nearest
        point of the circle at the end of the reach is taken.
        """
        c, s = base.c, base.s
        radial0, radial1 = (c * R[0, k] + s * R[1, k] for k in range(2))
        c6, s6 = np.cos(hint), np.sin(hint)
        phi234 = np.arctan2(-(radial0 * s6 + radial1 * c6), R[2, 0] * s6 + R[2, 1] * c6)
        away = self.hand * np.exp(1j * phi234) * np.conj(wrist)
        angle, product = np.angle(away), np.maximum(np.abs(away), FREE)
        squares = np.abs(wrist) ** 2 + abs(self.hand) ** 2
        longest, shortest = sum(self.lengths), self.lengths[0] - self.lengths[1]
        least = np.clip((squares - longest**2) / (2 * product), -1.0, 1.0)
        most = np.clip((squares - shortest**2) / (2 * product), -1.0, 1.0)
        allowed = np.arccos(np.clip(np.cos(angle), least, most))
        return hint - np.copysign(1.0, n2) * (np.copysign(allowed, angle) - angle)


def fit(lines: Lines) -> UR | None:
    """Return the six-axis arm in its own frame, or None if it is not of this family."""
    if lines.k != 6 or lines.coupling.shape[1] != 6 or not lines.are_parallel(1, 2, 3):
        return None
    w, c = lines.w, lines.c
    squareness = max(abs(w[3] @ w[4]), abs(w[4] @ w[5]))
    if squareness > LARGEST_DEVIATION:
        return None
    centre, separation = meeting_point(c[4], w[4], c[5], w[5])
    upper = lines.plane_point(2) - lines.plane_point(1)
    fore = lines.plane_point(3) - lines.plane_point(2)
    if separation > LARGEST_DEVIATION or min(abs(upper), abs(fore)) < LARGEST_DEVIATION:
        return None
    axis5 = PLANE.T @ w[4]
    theta4 = float(np.arctan2(axis5[0], -axis5[1]))
    F = PLANE @ turn_z(theta4)
    axis6 = F.T @ w[5]
    theta5 = float(np.arctan2(-axis6[0], axis6[2]))
    hand = (complex(centre[0], centre[2]) - lines.plane_point(3)) * np.exp(-1j * theta4)
    sign = lines.signs
    K = np.diag([sign[0], sign[1], sign[2], sign[3], 1.0, 1.0])
    K[3, 1:3] = sign[1:3]
    return UR(
        **lines.placement(F @ turn_y(-theta5), centre),
        K=frozen(K @ lines.coupling),
        k=frozen([0.0, np.angle(upper), np.angle(fore / upper), theta4, theta5, 0.0]),
        deviation=max(lines.deviation, squareness, separation),
        shoulder_offset=drop_rounding(lines.plane_point(1).real),
        lateral=drop_rounding(-centre[1]),
        lengths=(abs(upper), abs(fore)),
        hand=complex(drop_rounding(hand.real), drop_rounding(hand.imag)),
    )
