"""Force: what the surroundings do to a link, as ADAMS expressions of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.wrench import AppliedWrench
from sim.errors import ExpressionError, ScenarioError
from sim.kinematics.forward import frame_of, frame_pose
from sim.motion.expression import expression
from sim.motion.function import TimeFunction, require_finite
from sim.robots.model import Robot
from sim.spatial import Array, frozen

Component = str | float | TimeFunction

WORLD = "world"


@dataclass(frozen=True, eq=False)
class Force:
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

    @property
    def _title(self) -> str:
        return f"Force on frame {self.frame!r}"

    @cached_property
    def functions(self) -> tuple[TimeFunction, ...]:
        """The six components as functions of time, force first."""
        return tuple(self._function(component) for component in (*self.force, *self.torque))

    def _function(self, component: Component) -> TimeFunction:
        if isinstance(component, TimeFunction):
            return component
        if isinstance(component, Real) and not np.isfinite(component):
            raise ScenarioError(f"{self._title}: {component} is not a finite number")
        text = component if isinstance(component, str) else repr(float(component))
        try:
            return expression(text)
        except ExpressionError as error:
            reason = f"{self._title}: {error.reason}"
            raise ExpressionError(reason, error.text, error.position) from None

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the frames exist and that the components are finite during the run.

        Raises
        ------
        ModelError
            If a frame is unknown; the message lists the frames.
        ScenarioError
            If a component is not finite somewhere in the run.
        """
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

    def wrench(self, robot: Robot, t: Array, q: Array) -> AppliedWrench:
        """The wrench at times `t` (N,) [s] and joint positions `q` (n, N), along world axes."""
        six = np.stack([function.value(t) for function in self.functions])
        if self.axes != WORLD:
            R = frame_pose(robot, q, self.axes)[:3, :3]
            six = np.einsum("abN,kbN->kaN", R, six.reshape(2, 3, -1)).reshape(6, -1)
        return AppliedWrench(self.frame, np.asarray(self.at), six[:3], six[3:])

    def described(self) -> dict[str, Any]:
        """The force as plain data."""
        return {
            "frame": self.frame,
            "force": [_text(component) for component in self.force],
            "torque": [_text(component) for component in self.torque],
            "at": np.asarray(self.at).tolist(),
            "axes": self.axes,
        }


def _text(component: Component) -> str:
    text = getattr(component, "text", component)
    return str(text) if isinstance(text, str | Real) else type(component).__name__.lower()
