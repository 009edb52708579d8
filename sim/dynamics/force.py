"""Force and VForce: an external wrench on a link, and a force or torque between two markers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.components import COMPONENTS, Components
from sim.dynamics.force_element import ElementState
from sim.dynamics.marker_force import MarkerForce
from sim.errors import ExpressionError, ScenarioError
from sim.functions.expression import Expression, StateExpression, as_function, call_of
from sim.functions.spline import Spline
from sim.functions.syntax import Time
from sim.functions.time_function import TimeFunction, require_finite
from sim.kinematics.forward import frame_of
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.maths.sampling import SAME_TIME
from sim.robots.marker import ABSOLUTE, WORLD, Marker
from sim.robots.names import NO_NAMES, Names
from sim.robots.robot import Robot

Component = str | float | TimeFunction


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Force(MarkerForce):
    """A force and a torque on a frame, each with three components over time.

    Parameters
    ----------
    frame : str
        Link on which they act.
    force, torque : sequence of three
        Components as expressions of time, numbers or time functions [N], [N·m].
    at : array_like, shape (3,)
        Point of application in the frame [m].
    axes : str
        Axes of the components: ``world``, or a link with which they rotate.
    splines : mapping of str to Spline, optional
        Points of AKISPL, CUBSPL and INTERP in the components, by name.
    name : str, optional
        Records the wrench, along the world's axes, as channels ``force.<name>.fx`` … ``mz``.

    Raises
    ------
    ScenarioError
        If there are not three components each, a number is not finite, or the name has characters
        other than letters, digits, ``_`` and ``-``.
    ExpressionError
        If an expression cannot be read.
    """

    frame: str
    force: Sequence[Component] = (0.0, 0.0, 0.0)
    torque: Sequence[Component] = (0.0, 0.0, 0.0)
    at: ArrayLike = (0.0, 0.0, 0.0)
    axes: str = WORLD
    splines: Mapping[str, Spline] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        if self.name and not re.fullmatch(r"[\w-]++", self.name):
            raise ScenarioError(
                f"{self.label}: its name {self.name!r} becomes a part of channels; letters, "
                "digits, _ and - are allowed"
            )
        object.__setattr__(self, "splines", MappingProxyType(dict(self.splines)))
        for name in ("force", "torque"):
            components = getattr(self, name)
            if isinstance(components, str) or len(components) != 3:
                raise ScenarioError(f"{self.label}: {name} takes three components, x y z")
        point = np.asarray(self.at, dtype=np.float64)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise ScenarioError(f"{self.label}: `at` takes three finite numbers in m")
        object.__setattr__(self, "at", frozen(point))
        object.__setattr__(self, "i", Marker("i", self.frame, point))
        axes = ABSOLUTE if self.axes == WORLD else self.axes
        object.__setattr__(self, "j", Marker("j", axes))
        _ = self.functions  # raise here for expressions that cannot be read

    @property
    def label(self) -> str:
        """Beginning of messages."""
        return f"Force on frame {self.frame!r}"

    @cached_property
    def functions(self) -> tuple[TimeFunction, ...]:
        """The six components as functions of time, force first."""
        return tuple(self._function(component) for component in (*self.force, *self.torque))

    def _function(self, component: Component) -> TimeFunction:
        try:
            return as_function(component, self.splines)
        except ExpressionError as error:
            reason = f"{self.label}: {error.reason}"
            raise ExpressionError(reason, error.text, error.position) from None
        except ScenarioError as error:
            raise ScenarioError(f"{self.label}: {error}") from None

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check frames and components; see `ForceElement`."""
        frame_of(robot, self.frame)
        if self.axes != WORLD:
            frame_of(robot, self.axes)
        for function in self.functions:
            if isinstance(function, Spline):
                _require_covered(f"{self.label}: its table", function, duration)
        t = np.unique([*np.linspace(0.0, duration, 1001), *self.breaks(duration)])
        for function in self.functions:
            require_finite(function, t, self.label)

    def breaks(self, duration: float) -> Array:
        """Return times in the run where a component or a derivative of it may jump [s]."""
        times = [function.breaks(0.0, duration) for function in self.functions]
        return np.unique(np.concatenate(times))

    def stops(self, duration: float) -> Array:
        """Return these times and the middles of narrow pulses, where a solver restarts [s]."""
        written = [one for one in self.functions if isinstance(one, Expression)]
        middles = [one.breaks(0.0, duration, has_middles=True) for one in written]
        return np.unique(np.concatenate([self.breaks(duration), *middles]))

    def title(self, robot: Robot) -> str:
        """Return the text for a message."""
        return "forces act on it"

    @property
    def has_reaction(self) -> bool:
        """False: the force acts on the link alone."""
        return False

    @property
    def components_on_i(self) -> Components:
        """Six components, along the axes of the force."""
        trees = tuple(call_of(function, Time(0)) for function in self.functions)
        return Components(trees, self.j, NO_NAMES)

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Names of the six components' channels; none without a name."""
        return tuple(f"force.{self.name}.{c}" for c in COMPONENTS) if self.name else ()

    def channels(self, at: ElementState) -> Mapping[str, Array]:
        """Return the wrench of a named force along the world's axes [N], [N·m]."""
        if not self.name:
            return {}
        rows = np.concatenate(self.on_marker(0, at.t, at.kinematics))
        return dict(zip(self.channel_names, rows, strict=True))


def _require_covered(what: str, points: Spline, duration: float) -> None:
    """Check that splines without extrapolation cover the run.

    Raises
    ------
    ScenarioError
        If they do not; names both times.
    """
    first, last = float(points.knots[0]), float(points.knots[-1])
    if points.extrapolate == "none" and not (first <= SAME_TIME and duration <= last + SAME_TIME):
        raise ScenarioError(
            f"{what} lasts from {first:g} to {last:g} s, and the run from 0 to {duration:g} s; "
            "shorten the run, or set `start` to the time in the table at which it begins"
        )


@checked
@dataclass(frozen=True, eq=False, repr=False)
class VForce(MarkerForce):
    """A force and a torque on i along a marker's axes, with the reaction on j's link at i.

    Parameters
    ----------
    name : str
        Name in its channels ``force.<name>.fx`` … ``mz`` [N], [N·m], along the axes of `along`.
    i, j : Marker
        Markers, whose names the functions may use.
    force, torque : sequence of three str or float
        Components as functions of TIME and the state [N], [N·m].
    along : Marker, optional
        Marker whose axes the components are along (default: j). The functions may use its name.
    names : Names
        Further names available to the functions.

    Raises
    ------
    ScenarioError
        If there are not three components each, or two names are the same.
    ExpressionError
        If a component cannot be read; the message shows the place.

    References
    ----------
    MSC Adams Solver, statements VFORCE, VTORQUE and GFORCE.
    """

    name: str
    i: Marker
    j: Marker
    force: Sequence[str | float] = (0.0, 0.0, 0.0)
    torque: Sequence[str | float] = (0.0, 0.0, 0.0)
    _: KW_ONLY
    along: Marker | None = None
    names: Names = NO_NAMES

    def __post_init__(self) -> None:
        self.require_name_and_markers()
        self.require_names(self.names)
        if not (self.along is None or isinstance(self.along, Marker)):
            raise ScenarioError(f"{self.label}: along must be a sim.Marker, got {self.along!r}")
        for what in ("force", "torque"):
            components = getattr(self, what)
            if isinstance(components, str) or len(components) != 3:
                raise ScenarioError(f"{self.label}: {what} takes three components, x y z")
            object.__setattr__(self, what, tuple(components))
        _ = self.expressions  # raise here for a component that cannot be read

    @property
    def axes(self) -> Marker:
        """Marker with the axes of the components."""
        return self.j if self.along is None else self.along

    @property
    def is_sudden(self) -> bool:
        """True if a component switches at some value of the state."""
        return any(one.switches_with_state for one in self.expressions)

    @cached_property
    def scope(self) -> Names:
        """Names available to the functions, including the markers of the force."""
        return self.names.with_markers(self.i, self.j, self.axes)

    @cached_property
    def expressions(self) -> tuple[StateExpression, ...]:
        """The six components, force first."""
        each = zip(COMPONENTS, (*self.force, *self.torque), strict=True)
        return tuple(self.scope.parse(f"{self.label}, {c}", one, self.name) for c, one in each)

    def read_markers(self) -> tuple[Marker, ...]:
        """Return all markers that the force needs."""
        markers = (marker for one in self.expressions for marker in self.scope.markers_read(one))
        return (self.i, self.j, self.axes, *markers)

    def breaks(self, duration: float) -> Array:
        """Return times where a component may jump because of time alone [s]."""
        return self.scope.breaks(self.expressions, duration)

    def stops(self, duration: float) -> Array:
        """Return these times and the middles of narrow pulses, where a solver restarts [s]."""
        return self.scope.breaks(self.expressions, duration, has_middles=True)

    @property
    def components_on_i(self) -> Components:
        """Six components along the axes, as expressions."""
        return Components(tuple(one.tree for one in self.expressions), self.axes, self.scope)
