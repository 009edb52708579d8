"""Force: what the surroundings do to a link, as ADAMS expressions of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.force_element import ElementState, ForceElement
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ExpressionError, ScenarioError
from sim.functions.expression import as_function
from sim.functions.time_function import TimeFunction, require_finite, text_of
from sim.kinematics.forward import frame_of
from sim.maths.arrays import Array, frozen
from sim.recording.schema.facts import ForceFacts
from sim.robots.marker import WORLD
from sim.robots.robot import Robot
from sim.showing.one_line import changed_fields

Component = str | float | TimeFunction


@dataclass(frozen=True, eq=False)
class Force(ForceElement):
    """A force and a torque on a frame, each with three components over time.

    Parameters
    ----------
    frame : str
        The link that they act on.
    force, torque : sequence of three
        Components as expressions of time, numbers or time functions [N], [N·m].
    at : array_like, shape (3,)
        Point of application in the frame [m].
    axes : str
        The axes of the components: ``world``, or a link whose axes they turn with.

    Raises
    ------
    ScenarioError
        If there are not three components each, or a number is not finite.
    ExpressionError
        If an expression cannot be read.
    """

    frame: str
    force: Sequence[Component] = (0.0, 0.0, 0.0)
    torque: Sequence[Component] = (0.0, 0.0, 0.0)
    at: ArrayLike = (0.0, 0.0, 0.0)
    axes: str = WORLD

    def __post_init__(self) -> None:
        for name in ("force", "torque"):
            components = getattr(self, name)
            if isinstance(components, str) or len(components) != 3:
                raise ScenarioError(f"{self._title}: {name} takes three components, x y z")
        point = np.asarray(self.at, dtype=np.float64)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise ScenarioError(f"{self._title}: `at` takes three finite numbers in m")
        object.__setattr__(self, "at", frozen(point))
        _ = self.functions  # an expression that cannot be read shall fail here

    def __repr__(self) -> str:
        return changed_fields(self)

    @property
    def _title(self) -> str:
        return f"Force on frame {self.frame!r}"

    @cached_property
    def functions(self) -> tuple[TimeFunction, ...]:
        """The six components as functions of time, force first."""
        return tuple(self._function(component) for component in (*self.force, *self.torque))

    def _function(self, component: Component) -> TimeFunction:
        try:
            return as_function(component)
        except ExpressionError as error:
            reason = f"{self._title}: {error.reason}"
            raise ExpressionError(reason, error.text, error.position) from None
        except ScenarioError as error:
            raise ScenarioError(f"{self._title}: {error}") from None

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check frames and components; see `ForceElement`."""
        frame_of(robot, self.frame)
        if self.axes != WORLD:
            frame_of(robot, self.axes)
        t = np.unique([*np.linspace(0.0, duration, 1001), *self.breaks(duration)])
        for function in self.functions:
            require_finite(function, t, self._title)

    def breaks(self, duration: float) -> Array:
        """Times in the run where a component or a derivative of it may jump [s]."""
        times = [function.breaks(0.0, duration) for function in self.functions]
        return np.unique(np.concatenate(times))

    def title(self, robot: Robot) -> str:
        """Text for a message."""
        return "forces act on it"

    def wrenches(self, at: ElementState) -> tuple[AppliedWrench, ...]:
        """The wrench along the world's axes."""
        six = np.stack([function.value(at.t) for function in self.functions])
        if self.axes != WORLD:
            R = at.kinematics.rotation(self.axes)
            six = np.einsum("abN,kbN->kaN", R, six.reshape(2, 3, -1)).reshape(6, -1)
        return (AppliedWrench(self.frame, np.asarray(self.at), six[:3], six[3:]),)

    def describe(self) -> ForceFacts:
        """The force as it was typed."""
        x, y, z = np.asarray(self.at).tolist()
        return ForceFacts(
            frame=self.frame,
            force=tuple(map(text_of, self.force)),
            torque=tuple(map(text_of, self.torque)),
            at=(x, y, z),
            axes=self.axes,
        )
