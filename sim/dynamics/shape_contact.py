"""Contact: forces between two shapes that touch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.contact_law import ContactLaw
from sim.dynamics.contact_pairs import features_of, pairs_of, totals_of
from sim.dynamics.contact_shape import ContactShape
from sim.dynamics.force_element import ElementState
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ModelError, ScenarioError
from sim.kinematics.forward import Kinematics, marker_place
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.maths.rotations import cross
from sim.robots.joint_friction import SLIDING
from sim.robots.quantity import Checker
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.dynamics.kernels.contact_records import ContactPairs

# Depth over a radius, or over the smallest half length of a shape on a plane, beyond which a
# contact is invalid: a centre or axis is nearly inside the other shape, where normals turn …
DEEPEST = 0.9
# … of two shapes with edges, over the smallest half length, …
DEEPEST_EDGES = 0.5
# … and at the start of a run, unless overlap is allowed.
DEEP_AT_START = 0.05

# Depth [m] at a force of 1 N below which rounding of positions dominates the force.
SHALLOWEST = 1e-12

# States of a contact with stiction in recordings, and the values of the last one: the mode, which
# is 0 while it slides or does not touch.
HELD, STICKS, STARTS = 5, 1.0, 2.0

COMPONENTS = ("normal", "friction", "depth", "fx", "fy", "fz", "mx", "my", "mz")
PLACE = ("x", "y", "z")


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Contact(MarkerForce):
    """Two shapes on two links, or on a link and the ground, that push each other apart.

    A box on a plane has four points with a quarter of the stiffness each, a lying capsule or
    cylinder two; see docs/loads.md. Friction acts against the slip v at each point with the
    coefficient of ADAMS: STEP(v, -v_s, -mu_s, v_s, mu_s), from v_s to v_d STEP to mu_d, so that
    bodies creep instead of sticking. With `stiction` they stick.

    Parameters
    ----------
    a, b : ContactShape
    law : ContactLaw
    name : str
        Name in its channels ``contact.<name>.normal`` (sum of the normal forces [N]), ``.friction``
        [N], ``.depth`` [m], and of the force on a, about its centre, world axes, ``.fx … .mz``
        (default: the links, ``ball-world``).
    mu_static, mu_dynamic : float
        Coefficients of friction at v_s and from v_d on (default of the second: the first).
    stiction_velocity, friction_velocity : float
        v_s and v_d [m/s] (default of the second: 1.5 v_s).
    allow_overlap : bool
        Whether the shapes may overlap at the start by more than 5 % of their smallest half size.
    switched : sequence of float
        Times at which it is switched off, on, off … [s].
    stiction : bool
        Whether the contact sticks: at zero slip of all its points together, friction is the force
        that keeps the slip zero, at most mu_static times the normal force. Only with method
        "adaptive"; see docs/friction.md.

    Raises
    ------
    ModelError
        If both shapes are on one link, or both are planes, or a number is out of its range.

    References
    ----------
    MSC Adams Solver, statement CONTACT.
    """

    a: ContactShape
    b: ContactShape
    law: ContactLaw
    _: KW_ONLY
    name: str = ""
    mu_static: float = 0.0
    mu_dynamic: float | None = None
    stiction_velocity: float = 1e-2
    friction_velocity: float | None = None
    allow_overlap: bool = False
    switched: tuple[float, ...] = ()
    stiction: bool = False

    def __post_init__(self) -> None:
        for which, kind in (("a", ContactShape), ("b", ContactShape), ("law", ContactLaw)):
            if not isinstance(one := getattr(self, which), kind):
                raise ModelError(f"Contact: {which} must be a sim.{kind.__name__}, got {one!r}")
        if not self.name:
            object.__setattr__(self, "name", f"{self.a.at.link}-{self.b.at.link}")
        object.__setattr__(self, "i", self.a.at)
        object.__setattr__(self, "j", self.b.at)
        self.require_name_and_markers()
        self._require_pair()
        check = Checker(self.label)
        v_s = check.positive("stiction_velocity", self.stiction_velocity, "m/s")
        check.not_negative("mu_static", self.mu_static, "")
        if self.mu_dynamic is not None:
            check.not_negative("mu_dynamic", self.mu_dynamic, "")
        self._require_stiction()
        v_d = self.friction_velocity
        if v_d is not None and not check.finite("friction_velocity", v_d, "m/s") > v_s:
            raise ModelError(
                f"{self.label}: friction_velocity {v_d!r} m/s must be above "
                f"stiction_velocity, {v_s:g} m/s"
            )

    def _require_stiction(self) -> None:
        """Check the coefficients of a contact with stiction."""
        mu_s = self.mu_static
        mu_d = mu_s if self.mu_dynamic is None else self.mu_dynamic
        if not isinstance(self.stiction, bool):
            raise ModelError(f"{self.label}: stiction {self.stiction!r} must be True or False")
        if self.stiction and not mu_s > 0.0:
            raise ModelError(
                f"{self.label}: stiction needs mu_static above 0, got {mu_s:g}; set mu_static, or "
                "omit stiction"
            )
        if self.stiction and mu_d > mu_s:
            raise ModelError(
                f"{self.label}: mu_dynamic {mu_d:g} is above mu_static {mu_s:g}, so that what "
                "sticks would never begin to slide; with stiction it must be at most that"
            )

    def _require_pair(self) -> None:
        """Check that the shapes are on different links and not both planes."""
        a, b = self.a, self.b
        if a.at.link == b.at.link:
            raise ModelError(
                f"{self.label}: both shapes are on link {a.at.link!r}, where they cannot move "
                "relative to each other"
            )
        if a.kind == b.kind == "plane":
            raise ModelError(f"{self.label}: two planes touch nowhere or everywhere")

    @property
    def has_reaction(self) -> bool:
        """True: the action on a has a reaction on b."""
        return True

    @property
    def is_sudden(self) -> bool:
        """True: the force begins when the shapes touch."""
        return True

    def title(self, robot: Robot) -> str:
        """Return the text for a message."""
        return f"{self.label} may touch it"

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the links exist and can move relative to each other; see `ForceElement`."""
        super().require_usable(robot, duration)
        bodies = [marker_place(robot, marker)[0] for marker in (self.i, self.j)]
        if bodies[0] == bodies[1]:
            raise ModelError(
                f"{self.label}: links {self.i.link!r} and {self.j.link!r} never move to each other"
            )
        k, e = self.law.stiffness, self.law.exponent
        if (depth := k ** (-1.0 / e)) < SHALLOWEST:
            raise ModelError(
                f"{self.label}: stiffness {k:.4g} N/m^{e:g} is {depth:.2g} m deep at 1 N, which "
                f"no step can resolve; the largest stiffness is {SHALLOWEST**-e:.2g}"
            )

    def require_start(self, t: Array, kinematics: Kinematics) -> None:
        """Check that the shapes overlap at the start (N = 1) by no more than a resting contact.

        Raises
        ------
        ScenarioError
            If they do; names pair, depth and remedy.
        """
        depth = self.is_on(t) * self.totals(kinematics)[:, 10]
        smallest = min(self.a.smallest, self.b.smallest)
        limit = self.deepest if self.allow_overlap else DEEP_AT_START * smallest
        if depth[0] > limit:
            remedy = ", or set allow_overlap=True" if depth[0] <= self.deepest else ""
            raise ScenarioError(
                f"{self.label}: {self.a.label} and {self.b.label} overlap by {depth[0]:.4g} m at "
                f"the start, more than {limit:.4g} m{self._joint_of(kinematics.robot)}; move one "
                f"of them{remedy}"
            )

    def _joint_of(self, robot: Robot) -> str:
        """Return the part of a message for a joint that connects the two links."""
        ends = {self.i.link, self.j.link}
        for joint in robot.tree_joints:
            if {joint.parent, joint.child} == ends:
                return f" (joint {joint.name!r} connects their links)"
        return ""

    @cached_property
    def deepest(self) -> float:
        """Depth [m] up to which the contact has one normal."""
        radii = [one.smallest for one in (self.a, self.b) if one.kind in ("sphere", "capsule")]
        if min(radii, default=np.inf) < np.inf:
            return DEEPEST * min(radii)
        share = DEEPEST if "plane" in (self.a.kind, self.b.kind) else DEEPEST_EDGES
        return share * min(self.a.smallest, self.b.smallest)

    @property
    def friction(self) -> tuple[float, float, float, float]:
        """Static and dynamic coefficient, and the slips [m/s] at which they are reached."""
        mu_s, v_s, v_d = self.mu_static, self.stiction_velocity, self.friction_velocity
        mu_d = mu_s if self.mu_dynamic is None else self.mu_dynamic
        return mu_s, mu_d, v_s, SLIDING * v_s if v_d is None else v_d

    @property
    def patch(self) -> tuple[float, ...]:
        """1 with stiction, and the direction in which it starts to slide; see `ContactPairs`."""
        return (float(self.stiction), *(0.0,) * 6)

    @cached_property
    def pair(self) -> ContactPairs:
        """The contact as a record for kernels, alone, with frames 0 and 1."""
        return pairs_of([self], [(0, 1)])

    @cached_property
    def _smooth_pair(self) -> ContactPairs:
        """`pair` without friction."""
        return replace(self.pair, friction=self.pair.friction * (0.0, 0.0, 1.0, 1.0))

    def totals(self, kinematics: Kinematics) -> Array:
        """Return the results of `kernels.contact_forces.meet` at N states, shape (N, 27)."""
        return totals_of(self.pair, self.patch, self.i, self.j, kinematics)

    def features(self, kinematics: Kinematics) -> Array:
        """Return distance, normal from a to b and closest points at N states, (N, 10) [m]."""
        return features_of(self.pair, *(kinematics.marker(one) for one in (self.i, self.j)))

    def on_i(self, t: Array, kinematics: Kinematics) -> tuple[Array, Array]:
        """Return force and torque on the link of a at its centre; see `MarkerForce`."""
        rows = self.require_finite(self.totals(kinematics).T, t, "force")
        return rows[:3], rows[3:6]

    def start(self, robot: Robot) -> Array:
        """Return initial states of a contact with stiction: holding force, moment and mode.

        The force is in world axes, the moment about the normal. When the contact starts to slide
        they are the direction. Only recordings have these states: the solver computes them with
        the accelerations.
        """
        return np.zeros(HELD if self.stiction else 0)

    def rate(self, at: ElementState) -> Array:
        """Return zeros; see `start`."""
        return np.zeros((HELD if self.stiction else 0, at.t.size))

    def wrenches(self, at: ElementState) -> tuple[AppliedWrench, ...]:
        """Return the action on a and the reaction on b; none if the shapes never touch."""
        if at.z.size:
            totals = self._on_record(at)
            action = totals[:, :3].T, totals[:, 3:6].T
            at.kinematics.forces[self] = at.t, action
        force, torque = self.on_marker(0, at.t, at.kinematics)
        return super().wrenches(at) if force.any() or torque.any() else ()

    def _on_record(self, at: ElementState) -> Array:
        """Return `totals` at N recorded states, with the holding force where the contact sticks."""
        kinematics, ends = at.kinematics, (self.i, self.j, at.kinematics)
        force, turn, mode = at.z[:3], at.z[3], at.z[4]
        if not mode.any():
            return np.asarray(self.is_on(at.t)[:, None] * self.totals(kinematics))
        smooth = totals_of(self._smooth_pair, self.patch, *ends)
        normal, centre = smooth[:, 20:23].T, smooth[:, 17:20].T
        starts = np.concatenate([np.where(mode == STARTS, 2.0, 1.0)[None], force, turn * normal])
        totals = totals_of(self.pair, starts.T, *ends)
        moment = cross(centre - kinematics.marker(self.i).p, force) + turn * normal
        smooth[:, :3] += force.T
        smooth[:, 3:6] += moment.T
        smooth[:, 7:10] = force.T
        totals[mode == STICKS] = smooth[mode == STICKS]
        return np.asarray(self.is_on(at.t)[:, None] * totals)

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Channels of push, friction, depth, force and moment, and centre of the push."""
        return channels_called(self.name)

    def channels(self, at: ElementState) -> Mapping[str, Array]:
        """Return push, friction, depth, force and moment on a, and the centre of the push.

        Raises
        ------
        ScenarioError
            If one shape is too deep in the other for a defined force.
        """
        if at.z.size:
            totals = self._on_record(at)
        else:
            totals = self.is_on(at.t)[:, None] * self.totals(at.kinematics)
        self.require_shallow(at.t, totals[:, 10])
        return dict(zip(self.channel_names, channel_rows(totals), strict=True))

    def require_shallow(self, t: Array, depth: Array) -> None:
        """Check that no shape is deep in the other.

        Raises
        ------
        ScenarioError
            If one is; names pair, time, depth and limit.
        """
        limit = self.deepest
        if (deep := depth > limit).any():
            k = int(np.argmax(deep))
            raise ScenarioError(
                f"{self.label}: {self.a.label} is {depth[k]:.4g} m deep in {self.b.label} at "
                f"t = {t[k]:.6g} s, more than {limit:.4g} m, beyond which the "
                "direction of the force is not unique; make the contact stiffer"
            )


def channels_called(name: str) -> tuple[str, ...]:
    """Return the channels of a contact with some name."""
    of, at = (f"contact.{name}.", f"contact_point.{name}.")
    return (*(of + c for c in COMPONENTS), *(at + c for c in PLACE))


def channel_rows(totals: Array) -> tuple[Array, ...]:
    """Return the channels (N,) of a contact from its results at N states (N, 16)."""
    rows = totals.T
    push, friction = rows[6], np.sqrt(np.sum(rows[7:10] ** 2, axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        place = np.where(push > 0.0, rows[11:14] / push, 0.0)
    return push, friction, rows[10], *rows[:6], *place
