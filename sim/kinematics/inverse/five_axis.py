"""Five axes, three of them parallel, such as an arc welding arm: 4 branches.

Axis 1 is perpendicular to the parallel axes 2, 3 and 4, and axis 5 to axis 4. The tool axis, along
axis 5, stays in the arm's vertical plane: a pose whose tool axis leaves that plane is out of reach,
and is solved with the tool axis rotated into it. The arm's own angles are φ1, the direction of the
upper arm, the bend of the elbow, the direction of axis 5, and φ5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.kinematics.inverse.arm import Shoulder, elbow, shoulder
from sim.kinematics.inverse.arm_frame import PLANE, drop_rounding, turn_z
from sim.kinematics.inverse.family import Angles, ElbowArm
from sim.kinematics.inverse.lines import LARGEST_DEVIATION, Lines, foot
from sim.maths.arrays import Array, Mask, frozen

_NEAR_AXIS = 1e-4  # m; closer to axis 1 the tool axis determines the plane better than its point


@dataclass(frozen=True, eq=False, kw_only=True)
class FiveAxis(ElbowArm):
    """Three parallel axes and a rotating tool.

    Parameters
    ----------
    hand : complex
        Point of axis 5 nearest to the tool's, relative to axis 4, when axis 5 is radial [m].
    """

    name: ClassVar[str] = "five_axis"
    hand: complex

    def angles(self, R: Array, p: Array, hint: Array) -> Angles:
        """Return all four branches; see `Family.angles`."""
        base, free = self._plane(R, p, hint[0])
        c, s = base.c, base.s
        radial = [c * R[0, k] + s * R[1, k] for k in range(3)]
        lean = np.abs(s * R[0, 2] - c * R[1, 2])
        along = np.arctan2(R[2, 2], radial[2])
        cos, sin = np.cos(along), np.sin(along)
        # The row along n × tool axis is (cos φ5, -sin φ5) for any inclination of the tool axis.
        phi5 = np.arctan2(sin * radial[1] - cos * R[2, 1], cos * R[2, 0] - sin * radial[0])
        arm = elbow(
            (base.r - self.shoulder_offset - cos * self.hand.real + sin * self.hand.imag)[
                :, None, None
            ],
            (p[2] - sin * self.hand.real - cos * self.hand.imag)[:, None, None],
            self.lengths,
            hint[1],
        )
        a = (
            base.phi[:, None, None],
            arm.first,
            arm.curvature,
            along[:, None, None],
            phi5[:, None, None],
        )
        level = R[0, 2] * R[0, 2] + R[1, 2] * R[1, 2]
        margins = {"shoulder": np.sqrt(base.r * base.r + level)[:, None, None], "elbow": arm.sine}
        gap = arm.gap + base.gap + lean[:, None, None]
        return Angles(a, gap, margins, ((0, free), (1, arm.free)))

    def _plane(self, R: Array, p: Array, hint: Array) -> tuple[Shoulder, Mask]:
        """Return the arm's plane through the point or, on axis 1, along the tool axis."""
        by_point = shoulder(p[0], p[1], self.lateral, hint)
        near = np.hypot(p[0], p[1]) < _NEAR_AXIS
        if self.lateral or not near.any():
            return by_point, by_point.free
        by_axis = shoulder(R[0, 2], R[1, 2], 0.0, hint)
        size = np.hypot(p[0], p[1])
        chosen = near & (np.hypot(R[0, 2], R[1, 2]) > size)
        c, s = np.where(chosen, by_axis.c, by_point.c), np.where(chosen, by_axis.s, by_point.s)
        r = c * p[0] + s * p[1]
        phi = np.where(chosen, by_axis.phi, by_point.phi)
        return Shoulder(phi, c, s, r, by_point.gap, by_point.free), by_point.free & by_axis.free


def fit(lines: Lines) -> FiveAxis | None:
    """Return the five-axis arm in its own frame, or None if it is not of this family."""
    if lines.k != 5 or lines.coupling.shape[1] != 5 or not lines.are_parallel(1, 2, 3):
        return None
    w, c = lines.w, lines.c
    squareness = abs(float(w[4, 1]))
    if squareness > LARGEST_DEVIATION:
        return None
    centre = foot(lines.T_ae[:3, 3], c[4], w[4])
    upper = lines.plane_point(2) - lines.plane_point(1)
    fore = lines.plane_point(3) - lines.plane_point(2)
    if min(abs(upper), abs(fore)) < LARGEST_DEVIATION:
        return None
    theta4 = float(np.angle(complex(w[4, 0], w[4, 2])))
    hand = (complex(centre[0], centre[2]) - lines.plane_point(3)) * np.exp(-1j * theta4)
    sign = lines.signs
    K = np.diag([sign[0], sign[1], sign[2], sign[3], 1.0])
    K[3, 1:3] = sign[1:3]
    return FiveAxis(
        **lines.placement(PLANE @ turn_z(theta4) @ _HAND, centre),
        K=frozen(K @ lines.coupling),
        k=frozen([0.0, np.angle(upper), np.angle(fore / upper), theta4, 0.0]),
        deviation=max(lines.deviation, squareness),
        shoulder_offset=drop_rounding(lines.plane_point(1).real),
        lateral=drop_rounding(-centre[1]),
        lengths=(abs(upper), abs(fore)),
        hand=complex(drop_rounding(hand.real), drop_rounding(hand.imag)),
    )


# Columns: n × axis 5, n, axis 5, in the plane's axes rotated such that axis 5 is the first.
_HAND = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
