"""Contact of a robot with the ground, a table or a wall: a sphere on a link and a plane.

The plane pushes along its normal by `sim.functions.impact.impact`. It rubs against the slip v of
the sphere's surface where the two touch, with mu(|v|) times the push::

    mu = STEP(v, -v_s, -mu_s, v_s, mu_s)   |v| < v_s
         STEP to mu_d                      v_s <= |v| < 1.5 v_s
         mu_d                              1.5 v_s <= |v|

so that a body on a slope creeps instead of sticking, the slower the smaller v_s.

References
----------
MSC Adams Solver, statement CONTACT (IMPACT, and the coefficient of Coulomb friction by slip).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.element_sum import slopes_by_differences
from sim.dynamics.force_element import ElementState, ForceElement, Slopes, WrenchChange
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ModelError
from sim.functions import profiles
from sim.functions.impact import impact, step
from sim.functions.jet import Jet, choose
from sim.kinematics.forward import frame_of
from sim.kinematics.small_change import MovedFrame, Pair, SmallChange, length_of
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import cross
from sim.recording.schema.element_facts import ContactFacts
from sim.robots.joint_friction import SLIDING
from sim.robots.marker import Marker
from sim.robots.quantity import Checker
from sim.robots.robot import Robot
from sim.showing.one_line import changed_fields


@checked
@dataclass(frozen=True, eq=False)
class GroundContact(ForceElement):
    """A sphere, or a point, on a link above a plane of the world, by the law of this file.

    Without `normal` the plane is z = height, and without `mu_static` it does not rub.

    Parameters
    ----------
    frame : str
        The link that carries it.
    stiffness : float
        k of the force k p^e at the penetration p [N/m^e].
    radius : float
        Of the sphere; zero for a point [m].
    at : array_like, shape (3,)
        Centre in `frame` [m].
    exponent : float
        e, at least 1; 1.5 is that of an elastic sphere on a plane (Hertz).
    damping : float
        Damping at full depth [N·s/m].
    depth : float
        Penetration at which the damping is full [m].
    height : float
        Of the plane above the world's origin, along its normal [m].
    normal : array_like, shape (3,)
        Of the plane, out of what is touched, world axes; of any length.
    mu_static, mu_dynamic : float
        Coefficients of friction at v_s and well above it (default of the second: the first).
    stiction_velocity : float
        v_s, below which friction goes through zero [m/s].

    Raises
    ------
    ModelError
        If a number is not finite or out of its range.
    """

    frame: str
    _: KW_ONLY
    stiffness: float
    radius: float = 0.0
    at: ArrayLike = (0.0, 0.0, 0.0)
    exponent: float = 1.5
    damping: float = 0.0
    depth: float = 1e-4
    height: float = 0.0
    normal: ArrayLike = (0.0, 0.0, 1.0)
    mu_static: float = 0.0
    mu_dynamic: float | None = None
    stiction_velocity: float = 1e-2

    def __post_init__(self) -> None:
        check = Checker(f"Ground contact of {self.frame!r}")
        values = {
            "stiffness": check.positive("stiffness", self.stiffness, "N/m^e"),
            "radius": check.not_negative("radius", self.radius, "m"),
            "exponent": check.at_least_one("exponent", self.exponent, ""),
            "damping": check.not_negative("damping", self.damping, "N·s/m"),
            "depth": check.positive("depth", self.depth, "m"),
            "height": check.finite("height", self.height, "m"),
            "mu_static": check.not_negative("mu_static", self.mu_static, ""),
            "stiction_velocity": check.positive("stiction_velocity", self.stiction_velocity, "m/s"),
        }
        if self.mu_dynamic is not None:
            values["mu_dynamic"] = check.not_negative("mu_dynamic", self.mu_dynamic, "")
        for name, value in values.items():
            object.__setattr__(self, name, value)
        try:
            at = frozen(self.at, (3,))
        except (TypeError, ValueError):
            at = None
        if at is None or not np.isfinite(at).all():
            raise ModelError(
                f"Ground contact of {self.frame!r}: at {self.at!r} m must be three finite numbers"
            )
        object.__setattr__(self, "at", at)
        try:
            normal = np.asarray(self.normal, dtype=np.float64)
        except (TypeError, ValueError):
            normal = np.empty(0)
        length = float(np.linalg.norm(normal)) if normal.shape == (3,) else 0.0
        if not 0 < length < np.inf:
            raise ModelError(
                f"Ground contact of {self.frame!r}: normal {self.normal!r} must be three finite "
                "numbers that are not all 0"
            )
        object.__setattr__(self, "normal", frozen(normal / length, (3,)))

    def __repr__(self) -> str:
        return changed_fields(self)

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the frame exists; see `ForceElement`."""
        frame_of(robot, self.frame)

    @property
    def is_sudden(self) -> bool:
        """True: it acts where the sphere touches."""
        return True

    def title(self, robot: Robot) -> str:
        """Text for a message."""
        return "it may touch the ground"

    def wrenches(self, at: ElementState) -> tuple[AppliedWrench, ...]:
        """Push and friction of the plane at the centre of the sphere, and the moment of friction.

        The push at the nearest point of a sphere passes through its centre: no moment there.
        """
        frame = at.kinematics.frame(self.frame)
        centre = np.asarray(self.at)
        arm = np.einsum("abN,b->aN", frame.R, centre)
        n, v = np.asarray(self.normal), frame.v + cross(frame.w, arm)
        gap = n @ (frame.p + arm) - self.radius - self.height
        law = (self.stiffness, self.exponent, self.damping, self.depth)
        push = impact(gap, n @ v, 0.0, *law)
        force = n[:, None] * push
        if not self.mu_static:
            return (AppliedWrench(self.frame, centre, force, np.zeros_like(force)),)
        lever = np.broadcast_to(-self.radius * n[:, None], v.shape)
        slip = v + cross(frame.w, lever)
        slip = slip - n[:, None] * (n @ slip)
        friction = -push * self._coefficient_over(np.sqrt(np.sum(slip**2, axis=0))) * slip
        return (AppliedWrench(self.frame, centre, force + friction, cross(lever, friction)),)

    def wrench_changes(self, small: SmallChange) -> tuple[WrenchChange]:
        """Push and friction with their changes; see `ForceElement`."""
        frame, push = self._push(small)
        n = np.asarray(self.normal)[:, None]
        marker = Marker("centre", self.frame, self.at)
        force, torque = (n * push.value, n * push.first), (0.0 * frame.v, 0.0 * frame.v)
        if self.mu_static:
            slip, speed = self._slip(frame)
            v_s, mu_s = self.stiction_velocity, self.mu_static
            mu_d = mu_s if self.mu_dynamic is None else self.mu_dynamic
            z = speed / v_s
            slow = (mu_s / (2.0 * v_s)) * (3.0 - z * z)
            ends = (v_s, mu_s, SLIDING * v_s, mu_d)
            fast = profiles.step(speed, *map(Jet.constant, ends)) / speed
            rubs = -push * choose(np.sign(z.value - 1.0), slow, fast, fast)
            rub = rubs.value * slip[0], rubs.first * slip[0] + rubs.value * slip[1]
            lever = np.broadcast_to(-self.radius * n, rub[0].shape)
            force = force[0] + rub[0], force[1] + rub[1]
            torque = cross(lever, rub[0]), cross(lever, rub[1])
        return (WrenchChange(marker, force, torque),)

    def _push(self, small: SmallChange) -> tuple[MovedFrame, Jet]:
        """The centre's frame, and the push of the plane."""
        frame = small.frame(Marker("centre", self.frame, self.at))
        n, none = np.asarray(self.normal), np.zeros(())
        gap = Jet(n @ frame.at.p - self.radius - self.height, n @ frame.moved.v, none)
        law = (0.0, self.stiffness, self.exponent, self.damping, self.depth)
        rate = Jet(n @ frame.at.v, n @ frame.v, none)
        with np.errstate(all="ignore"):
            return frame, profiles.impact(gap, rate, *map(Jet.constant, law))

    def _slip(self, frame: MovedFrame) -> tuple[Pair, Jet]:
        """Slip of the surfaces, and its size."""
        n = np.asarray(self.normal)[:, None]
        lever = np.broadcast_to(-self.radius * n, frame.v.shape)
        slip = frame.at.v + cross(frame.at.w, lever), frame.v + cross(frame.w, lever)
        across = slip[0] - n * (n[:, 0] @ slip[0]), slip[1] - n * (n[:, 0] @ slip[1])
        return across, length_of(across)

    def sides(self, small: SmallChange) -> tuple[Array, ...]:
        """Contact state and slip speed; see `ForceElement`."""
        frame, push = self._push(small)
        regimes = self.stiction_velocity * np.array([1.0, SLIDING])
        speed = self._slip(frame)[1].value if self.mu_static else 0.0 * push.value
        regime = np.asarray(np.searchsorted(regimes, speed), dtype=np.float64)
        return np.sign(push.value), regime

    def _coefficient_over(self, speed: Array) -> Array:
        """mu(v) / v at speeds of slip (N,) [s/m], which has a limit where nothing slips."""
        v_s, mu_s = self.stiction_velocity, self.mu_static
        mu_d = mu_s if self.mu_dynamic is None else self.mu_dynamic
        z = speed / v_s  # STEP(z, -1, -mu_s, 1, mu_s) = mu_s z (3 - z²) / 2
        slow = mu_s * (3.0 - np.minimum(z, 1.0) ** 2) / (2.0 * v_s)
        fast = step(speed, v_s, mu_s, SLIDING * v_s, mu_d) / np.maximum(speed, v_s)
        return np.where(z < 1.0, slow, fast)

    def describe(self) -> ContactFacts:
        """Description of the contact with all its numbers."""
        (x, y, z), (a, b, c) = (np.asarray(v).tolist() for v in (self.at, self.normal))
        return ContactFacts(**{**vars(self), "at": (x, y, z), "normal": (a, b, c)})

    def slopes(self, at: ElementState) -> Slopes:
        """Slopes of its generalised forces at the joints."""
        return slopes_by_differences(self, at)
