"""Contact of a robot with the ground, a table or a wall: a sphere on a link and a plane.

The plane pushes along its normal by IMPACT. Its friction acts against the slip v of the sphere's
surface at the point of contact, with mu(|v|) times the push::

    mu = STEP(v, -v_s, -mu_s, v_s, mu_s)   |v| < v_s
         STEP to mu_d                      v_s <= |v| < 1.5 v_s
         mu_d                              1.5 v_s <= |v|

so that a body on a slope creeps instead of sticking, more slowly for a smaller v_s.

References
----------
MSC Adams Solver, statement CONTACT (IMPACT, and the coefficient of Coulomb friction by slip).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from itertools import chain, count
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.components import Components
from sim.dynamics.contact_law import ContactLaw
from sim.dynamics.contact_shape import ContactShape
from sim.dynamics.force_element import ElementState
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.shape_contact import Contact, channel_rows, channels_called
from sim.errors import ModelError
from sim.kinematics.forward import frame_of
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.robots.joint_friction import SLIDING
from sim.robots.marker import ABSOLUTE, Marker
from sim.robots.names import Names
from sim.robots.quantity import Checker
from sim.robots.robot import Robot


@checked
@dataclass(frozen=True, eq=False, repr=False)
class GroundContact(MarkerForce):
    """A sphere or a point on a link above a plane of the world, with the force of this module.

    By default the plane is z = height, and without `mu_static` there is no friction.

    Parameters
    ----------
    frame : str
        Link that carries the sphere.
    stiffness : float
        k of the force k p^e at the penetration p [N/m^e].
    radius : float
        Radius of the sphere; zero for a point [m].
    at : array_like, shape (3,)
        Centre in `frame` [m].
    exponent : float
        e, at least 1; 1.5 is that of an elastic sphere on a plane (Hertz).
    damping : float
        Damping at full depth [N·s/m].
    depth : float
        Penetration at which the damping is full [m].
    height : float
        Height of the plane above the world's origin, along its normal [m].
    normal : array_like, shape (3,)
        Normal of the plane, pointing away from the ground, world axes; of any length.
    mu_static, mu_dynamic : float
        Coefficients of friction at v_s and well above it (default of the second: the first).
    stiction_velocity : float
        Speed v_s below which friction passes through zero [m/s].
    name : str
        Name in its channels, those of a `Contact` of a sphere on a plane (default: `frame`).

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
    name: str = ""

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
        x, y, z = normal = frozen(normal / length, (3,))
        object.__setattr__(self, "normal", normal)
        object.__setattr__(self, "i", Marker("i", self.frame, at))
        axes = (0.0, float(np.arctan2(np.hypot(x, y), z)), float(np.arctan2(y, x)))
        object.__setattr__(self, "j", Marker("j", ABSOLUTE, self.height * normal, axes))

    @property
    def label(self) -> str:
        """Beginning of messages about this contact."""
        return f"Ground contact of {self.frame!r}"

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the frame exists; see `ForceElement`."""
        frame_of(robot, self.frame)

    @property
    def has_reaction(self) -> bool:
        """False: the force acts on the link alone."""
        return False

    @property
    def is_sudden(self) -> bool:
        """True: the force begins when the sphere touches the plane."""
        return True

    def title(self, robot: Robot) -> str:
        """Return the text for a message."""
        return "it may touch the ground"

    @cached_property
    def of_shapes(self) -> Contact:
        """Same contact as one of a sphere and a plane."""
        law = ContactLaw.impact(self.stiffness, self.exponent, self.damping, self.depth)
        sphere = ContactShape("sphere", self.i, (self.radius, 0.0, 0.0))
        return Contact(
            sphere, ContactShape("plane", self.j), law, name="ground", mu_static=self.mu_static,
            mu_dynamic=self.mu_dynamic, stiction_velocity=self.stiction_velocity,
        )  # fmt: skip

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Channels of push, friction, depth, force, moment and point of application."""
        return channels_called(self.name or self.frame)

    def channels(self, at: ElementState) -> Mapping[str, Array]:
        """Return what `Contact` records of the sphere and the plane."""
        rows = channel_rows(self.of_shapes.totals(at.kinematics))
        return dict(zip(self.channel_names, rows, strict=True))

    @property
    def components_on_i(self) -> Components:
        """Push along the normal and friction across it, along the axes of the plane.

        The force acts at the nearest point of a sphere; the push passes through its centre.
        """
        names = Names((self.i, self.j), self._variables)
        if self.mu_static:
            x, y = (f"-VARVAL(push)*VARVAL(mu)*VARVAL(s{axis})" for axis in "xy")
            r = repr(self.radius)
            texts = (x, y, "VARVAL(push)", f"{r}*{y}", f"-{r}*{x}", "0")
        else:
            texts = ("0", "0", "VARVAL(push)", "0", "0", "0")
        trees = (names.parse(self.label, text).tree for text in texts)
        return Components(tuple(trees), self.j, names)

    @property
    def _variables(self) -> dict[str, str]:
        """Push, slip along both axes, its square, and mu divided by the slip's size [s/m].

        The last has a limit at zero slip: STEP(z, -1, -mu_s, 1, mu_s) is mu_s z (3 - z²)/2.
        """
        r, v_s, mu_s = self.radius, self.stiction_velocity, self.mu_static
        mu_d = mu_s if self.mu_dynamic is None else self.mu_dynamic
        law = ", ".join(map(repr, (self.stiffness, self.exponent, self.damping, self.depth)))
        slow = f"{mu_s / (2.0 * v_s)!r}*(3 - VARVAL(ss)/{v_s * v_s!r})"
        ends = f"{v_s!r}, {mu_s!r}, {SLIDING * v_s!r}, {mu_d!r}"
        fast = f"STEP(SQRT(VARVAL(ss)), {ends})/SQRT(VARVAL(ss))"
        return {
            "push": f"IMPACT(DZ(i,j,j) - {r!r}, VZ(i,j,j), 0, {law})",
            "sx": f"VX(i,j,j) - {r!r}*WY(i,j,j)",
            "sy": f"VY(i,j,j) + {r!r}*WX(i,j,j)",
            "ss": "VARVAL(sx)*VARVAL(sx) + VARVAL(sy)*VARVAL(sy)",
            "mu": f"IF(VARVAL(ss) - {v_s * v_s!r}: {slow}, {fast}, {fast})",
        }


Touching = TypeVar("Touching", GroundContact, Contact)


def named_apart(contacts: Iterable[Touching]) -> tuple[Touching, ...]:
    """Return contacts with distinct names: several on the frame ``foot`` become ``foot-2`` etc."""
    named = list[Touching]()
    names = set[str]()
    for contact in contacts:
        if isinstance(contact, GroundContact) and not contact.name:
            numbered = (f"{contact.frame}-{k}" for k in count(2))
            name = next(name for name in chain([contact.frame], numbered) if name not in names)
            names.add(name)
            named.append(contact if name == contact.frame else replace(contact, name=name))
        else:
            named.append(contact)
    return tuple(named)
