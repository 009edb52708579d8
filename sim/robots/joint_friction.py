"""Load-dependent friction of a joint: the FRICTION statement of ADAMS.

The dry friction of a joint at the relative speed v of the contact surfaces is::

    D = min(mu L + P, D_max)

    mu = mu_s             |v| < v_s              stiction
         STEP to mu_d     v_s <= |v| < 1.5 v_s   transition
         mu_d             1.5 v_s <= |v|         sliding

with the preload P and the load L of the reaction F, M transmitted by the joint::

    revolute    L = R_p |F_across| + R_n |F_along| + (R_p / R_b) |M_across|     v = R_p qd
    prismatic   L = |F_across| + |M_across| / R_b + |M_along| / R_n             v = qd

R_p is the pin radius, R_n the friction arm, R_b the bending arm; the components of the drive, the
moment about a revolute axis and the force along a prismatic one, do not count as load. Below v_s
the friction of a driven joint passes through zero as ``D STEP(v, -v_s, -1, v_s, 1)``.

MSC documents the quantity that each parameter converts, the three regimes, and the preload as a
frictional force or torque. Our interpretation: the parts add up by magnitude, the preload is not
multiplied by mu, the overlap of a prismatic joint is constant, and friction passes through zero by
the STEP function of ADAMS contacts; ADAMS lets a joint creep there instead.

References
----------
MSC Adams Solver, statement FRICTION; MSC Adams View, "Friction regime determination".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.errors import ModelError
from sim.functions.impact import step
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.coordinate import Coordinate
from sim.robots.quantity import Checker
from sim.showing.one_line import ChangesShown

SLIDING = 1.5  # times the stiction velocity: end of the transition
INPUTS = ("preload", "reaction_force", "bending_moment", "torsional_moment")


@checked
@dataclass(frozen=True, repr=False)
class JointFriction(ChangesShown):
    """Stick-slip friction of a revolute or prismatic joint, by the law at the head of this file.

    The defaults are those of ADAMS, in SI units. Its lengths of one metre are unrealistic for a
    robot's bearing: set them.

    Parameters
    ----------
    mu_static, mu_dynamic : float
        Coefficients of friction below the stiction velocity and well above it.
    stiction_velocity : float
        Speed at the surface of contact below which the joint sticks [m/s]: ``pin_radius |qd|`` of a
        revolute joint, ``|qd|`` of a prismatic one.
    pin_radius : float
        Radius at which the transverse force causes friction, revolute joints only [m].
    friction_arm : float
        Revolute: radius at which the axial force causes friction. Prismatic: distance from the axis
        at which the moment about it is carried (REACTION_ARM of ADAMS) [m].
    bending_arm : float
        Length over which the transverse moment is carried (BENDING_REACTION_ARM of a revolute joint
        of ADAMS, INITIAL_OVERLAP of a translational one) [m].
    preload : float
        Friction without any load [N·m, or N of a prismatic joint].
    max_torque : float
        Upper bound of the friction [N·m, or N of a prismatic joint].
    inputs : tuple of str
        Contributions to the friction, of "preload", "reaction_force", "bending_moment" and
        "torsional_moment" (prismatic joints only).
    turns_with : str
        For a prismatic joint that forms a sleeve with an adjacent revolute one: name of that joint,
        whose rotation moves the same surface; see `sim.robots.friction_surface`.

    Raises
    ------
    ModelError
        If a number is negative or not finite, a length or speed is zero, the dynamic coefficient
        is above the static one, or an input is unknown.

    References
    ----------
    MSC Adams Solver, statement FRICTION.
    """

    mu_static: float
    mu_dynamic: float
    stiction_velocity: float = 0.1
    pin_radius: float = 1.0
    friction_arm: float = 1.0
    bending_arm: float = 1.0
    preload: float = 0.0
    max_torque: float = math.inf
    inputs: tuple[str, ...] = INPUTS
    turns_with: str = ""

    def __post_init__(self) -> None:
        check = Checker("Joint friction")
        check.set_fields(self, check.not_negative, "", "mu_static", "mu_dynamic")
        check.set_fields(self, check.positive, "m/s", "stiction_velocity")
        check.set_fields(self, check.positive, "m", "pin_radius")
        check.set_fields(self, check.not_negative, "m", "friction_arm")
        check.set_fields(self, check.positive, "m", "bending_arm")
        limited = () if self.max_torque == math.inf else ("max_torque",)
        check.set_fields(self, check.not_negative, "N·m (prismatic: N)", "preload", *limited)
        object.__setattr__(self, "inputs", tuple(self.inputs))
        if self.mu_dynamic > self.mu_static:
            raise ModelError(
                f"Joint friction: mu_dynamic {self.mu_dynamic:g} exceeds mu_static "
                f"{self.mu_static:g}; it must be at most mu_static"
            )
        if unknown := [name for name in self.inputs if name not in INPUTS]:
            raise ModelError(
                f"Joint friction: inputs {unknown} are unknown; allowed: {', '.join(INPUTS)}"
            )

    @property
    def facts(self) -> dict[str, float | str | tuple[str, ...] | None]:
        """Return the fields for a run's description; `turns_with` for a sleeve only."""
        fields = dict(vars(self))
        return fields if self.turns_with else {k: v for k, v in fields.items() if k != "turns_with"}

    def require_suitable(self, joint: str, *, is_prismatic: bool) -> None:
        """Check that a joint can have this friction law.

        Raises
        ------
        ModelError
            If the joint is prismatic and the friction arm is zero; the message names `joint`.
        """
        if is_prismatic and self.friction_arm == 0:
            raise ModelError(
                f"Joint friction: friction_arm 0 m of prismatic joint {joint!r} must be above 0; "
                "the moment about the axis is divided by it"
            )

    def follows_reaction(self, *, is_prismatic: bool) -> bool:
        """Whether the law depends on the reaction in the joint."""
        if self.mu_static == 0.0:
            return False
        contributing = {"reaction_force", "bending_moment"}
        if is_prismatic:
            contributing.add("torsional_moment")
        return not contributing.isdisjoint(self.inputs)

    def slip(self, qd: Array, *, is_prismatic: bool) -> Array:
        """Return the speed of the contact surfaces over the stiction velocity, shape (N,)."""
        return np.asarray(self._surface_speed(qd, is_prismatic) / self.stiction_velocity)

    def regime(self, qd: Array, row: Coordinate) -> Array:
        """Return 0 in stiction, 1 in transition, 2 in sliding, shape (N,)."""
        return regime_at(self.slip(qd, is_prismatic=not row.is_angle))

    def dry(self, qd: Array, reaction: Array | None, axis: Array, *, is_prismatic: bool) -> Array:
        """Return D = min(mu L + P, D_max), shape (N,) [N·m or N].

        Parameters
        ----------
        qd : ndarray, shape (N,)
            Velocity of the joint [rad/s or m/s].
        reaction : ndarray, shape (6, N), or None
            Force and moment of the parent on the child at the joint frame, along its axes [N],
            [N·m]; None if the law does not depend on it.
        axis : ndarray, shape (3,)
            Joint axis, along the same axes.
        """
        load = None if reaction is None else self.load(reaction, axis, is_prismatic=is_prismatic)
        return self.limit(self._surface_speed(qd, is_prismatic), load)

    def limit(self, v: Array, load: Array | None) -> Array:
        """Return D at surface speeds v [m/s] and loads L, (N,) (None: no load)."""
        v_s = self.stiction_velocity
        dry = np.full(v.shape, self.preload if "preload" in self.inputs else 0.0)
        if load is not None:
            mu = step(np.abs(v), v_s, self.mu_static, SLIDING * v_s, self.mu_dynamic)
            dry += mu * load
        return np.asarray(np.minimum(dry, self.max_torque))

    def _surface_speed(self, qd: Array, is_prismatic: bool) -> Array:
        return qd if is_prismatic else self.pin_radius * qd

    def load_factors(self, *, is_prismatic: bool) -> tuple[float, float, float, float]:
        """Factors of |F_across|, |F_along|, |M_across| and |M_along| in the load L.

        Lengths for a revolute joint, reciprocal lengths for a prismatic one; 0 for ignored parts.
        """
        force, bending, torsion = (name in self.inputs for name in INPUTS[1:])
        if is_prismatic:
            return 1.0 * force, 0.0, bending / self.bending_arm, torsion / self.friction_arm
        bent = self.pin_radius / self.bending_arm
        return self.pin_radius * force, self.friction_arm * force, bent * bending, 0.0

    def load(self, reaction: Array, axis: Array, *, is_prismatic: bool) -> Array:
        """Return the load L of a reaction, (N,): a torque (revolute) or force (prismatic)."""
        F_along, F_across = _parts(reaction[:3], axis)
        M_along, M_across = _parts(reaction[3:], axis)
        parts = (F_across, F_along, M_across, M_along)
        factors = self.load_factors(is_prismatic=is_prismatic)
        return np.asarray(sum(a * b for a, b in zip(factors, parts, strict=True)))


def regime_at(slip: Array) -> Array:
    """Return 0 in stiction, 1 in transition, 2 in sliding; `slip` is v / v_s."""
    slip = np.abs(slip)
    return np.where(slip < 1.0, 0.0, np.where(slip < SLIDING, 1.0, 2.0))


def _parts(vector: Array, axis: Array) -> tuple[Array, Array]:
    """Return the magnitudes of a vector (3, N) along an axis and across it, each (N,)."""
    along = axis @ vector
    return np.abs(along), np.sqrt(np.sum((vector - np.outer(axis, along)) ** 2, axis=0))
