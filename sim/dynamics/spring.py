"""Spring: a spring and damper between two markers, along the line between them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np
from msgspec.structs import replace

from sim.dynamics.components import Components
from sim.dynamics.force_element import ElementState
from sim.dynamics.marker_force import MarkerForce
from sim.errors import ExpressionError, ScenarioError
from sim.functions.expression import call_of, expression
from sim.functions.integral import antiderivative
from sim.functions.spline import Spline
from sim.functions.syntax import Call
from sim.functions.time_function import TimeFunction
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.marker import Marker
from sim.robots.quantity import Checker
from sim.showing.one_line import changed_fields


@checked
@dataclass(frozen=True, eq=False)
class Spring(MarkerForce):
    """A spring and damper between markers: repulsive force preload - k x - c ẋ, or f(x) - c ẋ.

    x = |p_i - p_j| - free length. Its elastic energy ½ k x² - preload x, or -∫ f dx, is stored.

    Parameters
    ----------
    name : str
        Name in its channels ``force.<name>.f`` [N] and ``length.<name>`` [m].
    i, j : Marker
    stiffness : float
        k [N/m].
    damping : float
        c [N·s/m].
    free_length : float
        Distance at which the force of the stiffness is zero [m].
    preload : float
        Force at the free length, positive if repulsive [N].
    force : str or Spline, optional
        f in place of stiffness and preload: an expression of ``x``, such as ``-800*x-3e4*x**3``, or
        a `sim.spline` through measured points [N].

    Raises
    ------
    ModelError
        If a number is not finite, or stiffness or free length is negative. A negative damping is
        reported in a note of the scenario.
    ScenarioError
        If the markers are one point, or there are both a force and a stiffness or preload.
    ExpressionError
        If the force cannot be read; the message shows the place.

    References
    ----------
    MSC Adams Solver, statement SPRINGDAMPER, TRANSLATIONAL.
    """

    name: str
    i: Marker
    j: Marker
    _: KW_ONLY
    stiffness: float = 0.0
    damping: float = 0.0
    free_length: float = 0.0
    preload: float = 0.0
    force: str | Spline | None = None

    def __post_init__(self) -> None:
        self.require_name_and_markers()
        self.require_line()
        check = Checker(self.label)
        values = {
            "stiffness": check.not_negative("stiffness", self.stiffness, "N/m"),
            "damping": check.finite("damping", self.damping, "N·s/m"),
            "free_length": check.not_negative("free_length", self.free_length, "m"),
            "preload": check.finite("preload", self.preload, "N"),
        }
        for name, number in values.items():
            object.__setattr__(self, name, number)
        if self.force is not None:
            if self.stiffness or self.preload:
                raise ScenarioError(
                    f"{self.label}: force {self.force!r} replaces stiffness and preload; "
                    "set one or the other"
                )
            _ = self.function  # raise here for a force that cannot be read

    def __repr__(self) -> str:
        return changed_fields(self)

    @cached_property
    def function(self) -> TimeFunction | None:
        """Force as a function of x."""
        if self.force is None or isinstance(self.force, Spline):
            return self.force
        if not isinstance(self.force, str):
            raise ScenarioError(
                f"{self.label}: force {self.force!r} must be an expression of x or a spline"
            )
        try:
            return expression(self.force, variable="x")
        except ExpressionError as error:
            reason = f"{self.label}: {error.reason}"
            raise ExpressionError(reason, error.text, error.position) from None

    @property
    def components_on_i(self) -> Components:
        """Repulsive force along the line."""
        x, damping = f"(DM(i, j) - {self.free_length!r})", f"-({self.damping!r}) * VR(i, j)"
        if self.function is None:
            return self.parse_law(f"{self.preload!r} - {self.stiffness!r} * {x} {damping}")
        pull = self.parse_law(x, damping)
        over, damped = pull.expressions
        law = call_of(self.function, over)
        return replace(pull, expressions=(Call("+", (law, damped), 0),))

    def stored_energy(self, at: ElementState) -> Array | None:
        """Return ½ k x² - preload x, or -∫ f dx from the free length; None for a damper [J]."""
        x = self.length(at)[0] - self.free_length
        if self.function is not None:
            low, high = min(0.0, float(x.min())), max(0.0, float(x.max()))
            work = antiderivative(self.function, low, max(high, low + 1e-12))
            return np.asarray(work.value(0.0) - work.value(x))
        if not (self.stiffness or self.preload):
            return None
        return 0.5 * self.stiffness * x * x - self.preload * x

    @property
    def notes(self) -> tuple[str, ...]:
        """Note on negative damping, which adds energy."""
        if self.damping >= 0:
            return ()
        return (f"{self.label}: its damping {self.damping:g} N·s/m is negative and puts energy in",)
