"""Six axes with a spherical wrist on an arm with elbow offset, such as the KUKA KR 210: 8 branches.

Axis 1 is perpendicular to the parallel axes 2 and 3; axes 4, 5 and 6 intersect in the wrist centre,
each perpendicular to the next, and axis 4 is along the arm's plane. The arm's own angles are φ1,
the direction of the upper arm, the bend of the elbow up to the wrist centre, and φ4, φ5, φ6 of
``Rz(φ4) Ry(φ5) Rz(φ6)`` from the forearm to the tool; φ5 is zero when axes 4 and 6 align.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.kinematics.inverse.arm import FREE, elbow, shoulder
from sim.kinematics.inverse.arm_frame import PLANE, drop_rounding, turn_y, turn_z
from sim.kinematics.inverse.family import Angles, ElbowArm
from sim.kinematics.inverse.lines import LARGEST_DEVIATION, Lines, meeting_point
from sim.kinematics.inverse.wrists import WRISTS, one_wrist, opposite_angle
from sim.maths.arrays import Array, frozen


@dataclass(frozen=True, eq=False, kw_only=True)
class SphericalWrist(ElbowArm):
    """An arm of two links with three axes that intersect at its end.

    Parameters
    ----------
    forearm : float
        Angle from the line elbow - wrist centre to axis 4 [rad].
    """

    name: ClassVar[str] = "spherical_wrist"
    wrists: ClassVar[tuple[str, ...]] = WRISTS
    forearm: float

    def angles(self, R: Array, p: Array, hint: Array) -> Angles:
        """Return all eight branches; see `Family.angles`."""
        base = shoulder(p[0], p[1], self.lateral, hint[0])
        arm = elbow((base.r - self.shoulder_offset)[:, None, None], p[2], self.lengths, hint[1])
        along = arm.first[:, :, 0] + arm.curvature[:, :, 0] + self.forearm  # axis 4, (2, 2, N)
        cos, sin = np.cos(along), np.sin(along)
        c, s = base.c[:, None], base.s[:, None]
        # Rows of the rotation in forearm axes, x = n × axis 4, n, axis 4.
        radial = [c * R[0, k] + s * R[1, k] for k in range(3)]
        y = [s * R[0, k] - c * R[1, k] for k in range(3)]
        x = [cos * R[2, k] - sin * radial[k] for k in range(3)]
        z2 = cos * radial[2] + sin * R[2, 2]
        s5 = np.sqrt(x[2] * x[2] + y[2] * y[2])
        free = s5 <= FREE
        some_free = bool(free.any())
        size = np.where(free, 1.0, s5) if some_free else s5
        c4, s4 = x[2] / size, y[2] / size
        if some_free:  # axes 4 and 6 coincide
            c4, s4 = np.where(free, np.cos(hint[3]), c4), np.where(free, np.sin(hint[3]), s4)
        phi4, phi5 = np.arctan2(s4, c4), np.arctan2(s5, z2)
        phi6 = np.arctan2(c4 * y[0] - s4 * x[0], c4 * y[1] - s4 * x[1])
        wrist_free = free[:, :, None]
        a = one_wrist(
            (
                base.phi[:, None, None],
                arm.first,
                arm.curvature,
                np.stack([phi4, opposite_angle(phi4)], axis=2),
                np.stack([phi5, -phi5], axis=2),
                np.stack([phi6, opposite_angle(phi6)], axis=2),
            ),
            wrist_free,
        )
        margins = {
            "shoulder": np.abs(base.r)[:, None, None],
            "elbow": arm.sine,
            "wrist": s5[:, :, None],
        }
        free_angles = ((0, base.free), (1, arm.free), (3, wrist_free))
        return Angles(a, arm.gap + base.gap, margins, free_angles)


def fit(lines: Lines) -> SphericalWrist | None:
    """Return the six-axis arm in its own frame, or None if it is not of this family."""
    if lines.k != 6 or lines.coupling.shape[1] != 6 or not lines.are_parallel(1, 2):
        return None
    w, c = lines.w, lines.c
    squareness = max(abs(w[3, 1]), abs(w[3] @ w[4]), abs(w[4] @ w[5]))
    if squareness > LARGEST_DEVIATION:
        return None
    meetings = [meeting_point(c[i], w[i], c[4], w[4]) for i in (3, 5)]
    centre = (meetings[0][0] + meetings[1][0]) / 2
    separation = max(*(gap for _, gap in meetings), float(np.linalg.norm(meetings[0][0] - centre)))
    upper = lines.plane_point(2) - lines.plane_point(1)
    fore = complex(centre[0], centre[2]) - lines.plane_point(2)
    if separation > LARGEST_DEVIATION or min(abs(upper), abs(fore)) < LARGEST_DEVIATION:
        return None
    axis4 = complex(w[3, 0], w[3, 2])
    F = PLANE @ turn_z(float(np.angle(axis4))) @ _FOREARM
    axis5 = F.T @ w[4]
    theta4 = float(np.arctan2(-axis5[0], axis5[1]))
    axis6 = turn_z(theta4).T @ F.T @ w[5]
    theta5 = float(np.arctan2(axis6[0], axis6[2]))
    sign = lines.signs
    K = np.diag([sign[0], sign[1], sign[2], 1.0, 1.0, 1.0])
    k = [0.0, np.angle(upper), np.angle(fore / upper), theta4, theta5, 0.0]
    return SphericalWrist(
        **lines.placement(F @ turn_z(theta4) @ turn_y(theta5), centre),
        K=frozen(K @ lines.coupling),
        k=frozen(k),
        deviation=max(lines.deviation, squareness, separation),
        shoulder_offset=drop_rounding(lines.plane_point(1).real),
        lateral=drop_rounding(-centre[1]),
        lengths=(abs(upper), abs(fore)),
        forearm=drop_rounding(float(np.angle(axis4 / fore))),
    )


# Columns: n × axis 4, n, axis 4, in the plane's axes rotated such that axis 4 is the first.
_FOREARM = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
