"""Spring and Bushing: a spring and damper between two markers, along a line or all six axes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike

from sim.dynamics.components import Components
from sim.dynamics.force_element import ElementState
from sim.dynamics.marker_force import MarkerForce
from sim.errors import ExpressionError, ScenarioError
from sim.functions.expression import call_of, expression
from sim.functions.integral import antiderivative
from sim.functions.spline import Spline
from sim.functions.syntax import Call
from sim.functions.time_function import TimeFunction
from sim.kinematics.forward import Kinematics
from sim.kinematics.state_reading import HALF_TURN
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.maths.screws import inverse_left_jacobian, log_rotation
from sim.robots.marker import Marker
from sim.robots.quantity import Checker

UNITS = {
    "stiffness": "N/m",
    "damping": "N·s/m",
    "turning_stiffness": "N·m/rad",
    "turning_damping": "N·m·s/rad",
    "preload": "N",
    "turning_preload": "N·m",
}


@checked
@dataclass(frozen=True, eq=False, repr=False)
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


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Bushing(MarkerForce):
    """A bushing: F = F_0 - K d - C v and T = T_0 - J⁻ᵀ K_t φ - C_t ω on i along the axes of j.

    Here d = R_jᵀ (p_i - p_j), v is its rate as seen from j, φ the rotation vector of i in j and ω
    the angular velocity. J⁻¹ maps ω to dφ/dt, so that the torque is the gradient of ½ φᵀ K_t φ and
    no cycle gains energy. To first order, and exactly for rotations about one axis, φ is ADAMS's
    AX, AY, AZ. The force acts on i; its reaction acts on j's link at the point of i. The energy ½
    dᵀ K d + ½ φᵀ K_t φ is stored; preloads count as external forces.

    Parameters
    ----------
    name : str
        Name in the channels ``force.<name>.fx`` … ``mz`` [N], [N·m], along j's axes.
    i, j : Marker
    stiffness, damping : float or array_like, shape (3,)
        Diagonals of K [N/m], C [N·s/m]; a single number applies to all three axes.
    turning_stiffness, turning_damping : float or array_like, shape (3,)
        Diagonals of K_t [N·m/rad], C_t [N·m·s/rad].
    preload, turning_preload : float or array_like, shape (3,)
        F_0 [N], T_0 [N·m].
    switched : sequence of float
        Times at which it is switched off, on, off … [s]; a switched bushing stores no energy.

    Raises
    ------
    ModelError
        If a number is not finite, or a stiffness or damping is negative.

    References
    ----------
    MSC Adams Solver, statement BUSHING; Chirikjian, Stochastic Models, Information Theory, and Lie
    Groups 2, section 10.6 (J of the rotation vector).
    """

    name: str
    i: Marker
    j: Marker
    _: KW_ONLY
    stiffness: ArrayLike = 0.0
    damping: ArrayLike = 0.0
    turning_stiffness: ArrayLike = 0.0
    turning_damping: ArrayLike = 0.0
    preload: ArrayLike = 0.0
    turning_preload: ArrayLike = 0.0
    switched: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self.require_name_and_markers()
        for what, unit in UNITS.items():
            object.__setattr__(self, what, self._three(what, unit))

    def _three(self, what: str, unit: str) -> tuple[float, float, float]:
        """Return the diagonal of a matrix, or a vector, as three numbers."""
        check, stated = Checker(self.label), getattr(self, what)
        row = [stated] * 3 if np.ndim(stated) == 0 else list(stated)
        if len(row) != 3:
            raise ScenarioError(f"{self.label}: {what} takes one number or three; got {stated!r}")
        one = check.finite if "preload" in what else check.not_negative
        x, y, z = (one(what, value, unit) for value in row)
        return x, y, z

    def displacement(self, kinematics: Kinematics) -> Array:
        """Return displacement and rotation vector of i from j, j's axes, (6, N) [m], [rad].

        Raises
        ------
        ScenarioError
            If the bushing resists rotation and has turned by nearly half a turn.
        """
        i, j = kinematics.marker(self.i), kinematics.marker(self.j)
        d = np.einsum("abN,aN->bN", j.R, i.p - j.p)
        if not any(self.turning_stiffness):  # type: ignore[arg-type]
            return np.concatenate([d, np.zeros_like(d)])
        phi = log_rotation(np.einsum("baN,bcN->acN", j.R, i.R))
        if np.any(np.sum(phi * phi, axis=0) > (np.pi - HALF_TURN) ** 2):
            raise ScenarioError(
                f"{self.label}: marker {self.i.name!r} has turned by half a turn in "
                f"{self.j.name!r}, where the torque of a bushing jumps; for larger turns use a "
                "rotational sim.SForce of AZ"
            )
        return np.concatenate([d, phi])

    @property
    def components_on_i(self) -> Components:
        """Components on i along the axes of j, as expressions."""
        rows = zip("XYZ", *(getattr(self, what) for what in UNITS), strict=True)
        force, torque = list[str](), list[str]()
        for axis, k, c, _, turning, preload, turning_preload in rows:
            pull = f"{k!r} * D{axis}(i, j, j) + {c!r} * V{axis}(i, j, j, j)"
            force.append(f"{preload!r} - ({pull})")
            torque.append(f"{turning_preload!r} - {turning!r} * W{axis}(i, j, j)")
        law = self.parse_law(*force, *torque, along=self.j)
        return replace(law, turning_stiffness=self.turning_stiffness)

    def values_on_i(self, t: Array, kinematics: Kinematics) -> Array:
        """Return force and torque on i along j's axes, (6, N) [N], [N·m]; see `MarkerForce`."""
        values = super().values_on_i(t, kinematics)
        if any(self.turning_stiffness):  # type: ignore[arg-type]
            phi = self.displacement(kinematics)[3:]
            torque = np.array(self.turning_stiffness)[:, None] * phi
            values[3:] -= np.einsum("baN,bN->aN", inverse_left_jacobian(phi), torque)
        return values

    def stored_energy(self, at: ElementState) -> Array | None:
        """½ dᵀ K d + ½ φᵀ K_t φ [J]; None if there is no stiffness or the bushing is switched."""
        stiffness = np.array([*self.stiffness, *self.turning_stiffness])  # type: ignore[misc]
        if self.switched or not stiffness.any():
            return None
        return 0.5 * stiffness @ self.displacement(at.kinematics) ** 2

    def channels(self, at: ElementState) -> dict[str, Array]:
        """Return the components along j's axes by channel, zero while it is switched off."""
        return {name: self.is_on(at.t) * row for name, row in super().channels(at).items()}
