"""Force elements on links, markers and what strings name, as a run's description keeps them."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from sim.recording.schema.base import Facts, Vector


class ElementFacts(Facts, frozen=True, kw_only=True, tag_field="kind"):
    """A force element on links: its fields, with the name of its kind in the file.

    `law` is where its class stands, ``module:class``. A new kind is a member of `AnyElement`.
    """

    law: ClassVar[str]


class SplineFacts(Facts, frozen=True, kw_only=True):
    """The points of a spline and how they are joined; see `sim.functions.spline.Spline`."""

    knots: tuple[float, ...]
    values: tuple[float, ...]
    kind: Literal["cubic", "notaknot", "akima", "hermite", "linear", "hold"]
    extrapolate: Literal["polynomial", "linear", "none", "parabola", "line"]


class ForceFacts(ElementFacts, frozen=True, kw_only=True, tag="force", omit_defaults=True):
    """A force on a link; components in its axes, as they were typed [N], [N·m], [m].

    What was added later is left out where there is none: the points that its components read, by
    name, and the name of its channels.
    """

    law: ClassVar[str] = "sim.dynamics.force:Force"

    frame: str
    force: tuple[str, ...]
    torque: tuple[str, ...]
    at: Vector
    axes: str
    splines: dict[str, SplineFacts] = msgspec.field(default_factory=dict)
    name: str = ""


class ContactFacts(ElementFacts, frozen=True, kw_only=True, tag="contact", omit_defaults=True):
    """A sphere on a link above a plane; see `sim.dynamics.contact.GroundContact`.

    What was added later is left out where there is none.
    """

    law: ClassVar[str] = "sim.dynamics.contact:GroundContact"

    frame: str
    stiffness: float
    radius: float
    at: Vector
    exponent: float
    damping: float
    depth: float
    height: float
    normal: Vector = (0.0, 0.0, 1.0)
    mu_static: float = 0.0
    mu_dynamic: float | None = None
    stiction_velocity: float = 1e-2


class MarkerFacts(Facts, frozen=True, kw_only=True):
    """A frame fixed on a link; see `sim.robots.marker.Marker`."""

    name: str
    link: str
    xyz: Vector
    rpy: Vector


class NamesFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """What strings of the state name; see `sim.robots.names.Names`."""

    markers: tuple[MarkerFacts, ...]
    variables: dict[str, str]
    forces: tuple[AnyElement, ...]
    splines: dict[str, SplineFacts]
    states: dict[str, str] = msgspec.field(default_factory=dict)
    start: dict[str, float] = msgspec.field(default_factory=dict)
    shared: tuple[str, ...] = ()


class SpringFacts(ElementFacts, frozen=True, kw_only=True, tag="spring"):
    """A spring and damper between two markers; see `sim.dynamics.spring.Spring`."""

    law: ClassVar[str] = "sim.dynamics.spring:Spring"

    name: str
    i: MarkerFacts
    j: MarkerFacts
    stiffness: float
    damping: float
    free_length: float
    preload: float
    force: str | SplineFacts | None


class SForceFacts(ElementFacts, frozen=True, kw_only=True, tag="single force"):
    """A force or torque between two markers; see `sim.dynamics.sforce.SForce`."""

    law: ClassVar[str] = "sim.dynamics.sforce:SForce"

    name: str
    i: MarkerFacts
    j: MarkerFacts
    function: str
    acts: str
    action_only: bool
    names: NamesFacts


class VForceFacts(ElementFacts, frozen=True, kw_only=True, tag="vector force"):
    """Force and torque between two markers; see `sim.dynamics.vforce.VForce`."""

    law: ClassVar[str] = "sim.dynamics.vforce:VForce"

    name: str
    i: MarkerFacts
    j: MarkerFacts
    force: tuple[str, ...]
    torque: tuple[str, ...]
    along: MarkerFacts | None
    names: NamesFacts


class BushingFacts(ElementFacts, frozen=True, kw_only=True, tag="bushing"):
    """Springs and dampers of six axes between two markers; see `sim.dynamics.bushing.Bushing`."""

    law: ClassVar[str] = "sim.dynamics.bushing:Bushing"

    name: str
    i: MarkerFacts
    j: MarkerFacts
    stiffness: Vector
    damping: Vector
    turning_stiffness: Vector
    turning_damping: Vector
    preload: Vector
    turning_preload: Vector


class StatesFacts(ElementFacts, frozen=True, kw_only=True, tag="states"):
    """States with rates of their own; see `sim.dynamics.states.States`."""

    law: ClassVar[str] = "sim.dynamics.states:States"

    names: NamesFacts


class CountedAngleFacts(ElementFacts, frozen=True, kw_only=True, tag="counted angle"):
    """An angle between two markers; see `sim.dynamics.counted_angle.CountedAngle`."""

    law: ClassVar[str] = "sim.dynamics.counted_angle:CountedAngle"

    function: str
    i: MarkerFacts
    j: MarkerFacts
    at_start: float


AnyElement = (
    ForceFacts
    | ContactFacts
    | SpringFacts
    | SForceFacts
    | VForceFacts
    | BushingFacts
    | StatesFacts
    | CountedAngleFacts
)
