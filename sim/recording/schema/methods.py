"""Solution methods as values: what each discretises, and its required agreement with the model."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

MethodName = Literal["stepped", "ideal", "adaptive"]
WayName = Literal["stepped", "ideal", "adaptive", "watched"]  # of a recorded run

# Step at which the limits below apply; the error remaining after extrapolation, and that of the
# trapezoidal rule of the work integral, are of second order in the step.
REFERENCE_STEP = 1e-3  # [s]

# The position of an undriven joint contains the errors of all previous steps.
FREE = 1e-3


class MethodLimits(Struct, frozen=True, kw_only=True):
    """Largest allowed differences of one method; those of a step's error are zero by default.

    Parameters
    ----------
    torque, acceleration : float
        Relative to the joint's peak.
    bend_torque, bend_acceleration : float
        Relative to the largest second difference of the joint's analytic curve, see
        `sim.checks.limits.curvature`.
    bend_velocity : float
        Relative to the largest fourth difference of the joint's analytic velocity.
    floor : float
        Relative to the largest peak of all joints: rounding, for unloaded joints.
    velocity : float
        [rad/s or m/s]
    energy : float
        Kinetic and potential, relative to the energy moved.
    work : float
        Work done minus energy gained, relative to the energy moved.
    position, tool : float
        Driven joints [rad or m]; tool [m].
    halving : float
        Estimated error of the torque at the full step, relative to the joint's peak. Above it the
        step is too coarse for the extrapolation. Zero without an estimate.
    """

    torque: float
    acceleration: float
    bend_torque: float = 0.0
    bend_acceleration: float = 0.0
    bend_velocity: float = 0.0
    floor: float
    velocity: float
    energy: float
    work: float
    position: float
    tool: float
    halving: float = 0.0


class Method(Struct, frozen=True):
    """A method of solving a problem with an engine.

    Parameters
    ----------
    name : str
        Name in a scenario, a description and on the command line.
    limits : Limits
        At a step of `REFERENCE_STEP`.
    is_discretised : bool
        Its values are differences over a step: they contain the step's error, estimated by halving,
        and extend across the corners of a drive.
    is_two_sided : bool
        A power that jumps on a sample is known on both sides of the jump.
    solves_motion : bool
        An error-controlled solver computes motion and works, independent of the sampling.
    growing : tuple of str
        Limits that grow with the square of the step.
    loosened : tuple of str
        Limits that are `FREE` if a joint is free, growing with the square of the step.
    """

    name: WayName
    limits: MethodLimits
    is_discretised: bool = False
    is_two_sided: bool = False
    solves_motion: bool = False
    growing: tuple[str, ...] = ()
    loosened: tuple[str, ...] = ()

    def limits_at(self, dt: float, *, has_free_joints: bool) -> MethodLimits:
        """Return the limits at a step `dt` [s]."""
        coarse = coarseness(dt)
        if has_free_joints and self.loosened:
            return replace(self.limits, **dict.fromkeys(self.loosened, FREE * coarse))
        grown = {name: getattr(self.limits, name) * coarse for name in self.growing}
        return replace(self.limits, **grown)


def coarseness(dt: float) -> float:
    """Return the ratio of a second-order error to that at `REFERENCE_STEP`, at least 1."""
    return max(1.0, (dt / REFERENCE_STEP) ** 2)


# Measured on the UR10 at 1 ms: torque 1.4e-6 (a wrist joint that carries 2 mN·m) and 5e-7 (all
# others), acceleration 5e-6 of the peak, velocity 4e-10 rad/s, energies 4e-11. Extrapolation leaves
# h²/24 d²a/dt² of an acceleration a, h⁴/480 d⁴v/dt⁴ of a velocity v, and of a torque up to four
# times the error of an acceleration in a light joint affected by the errors of heavier ones. Step
# halving shows the first-order error of the full step, which the extrapolation removes. Its limit
# is a choice: drives of half a second have up to 1.2e-2 and yet agree with the model, and the
# shipped scenarios stay below 5e-3.
STEPPED = Method(
    "stepped",
    is_discretised=True,
    limits=MethodLimits(
        torque=2e-6,
        acceleration=1e-5,
        bend_torque=1 / 4,
        bend_acceleration=1 / 12,
        bend_velocity=1 / 240,
        floor=1e-9,
        velocity=1e-5,
        energy=1e-5,
        work=1e-5,
        position=1e-9,
        tool=1e-9,
        halving=2e-2,
    ),
    growing=("torque", "acceleration", "velocity", "energy", "work"),
    loosened=("torque", "acceleration", "velocity", "energy", "work", "position", "tool"),
)

# Only the work integral is discretised: the remaining errors are rounding.
IDEAL = Method(
    "ideal",
    is_two_sided=True,
    limits=MethodLimits(
        torque=1e-11,
        acceleration=1e-9,
        floor=1e-12,
        velocity=1e-12,
        energy=1e-9,
        work=1e-6,
        position=1e-12,
        tool=1e-12,
    ),
    growing=("work",),
)

# The solver keeps each step to 1e-12, independent of the sampling; a sensitive motion amplifies
# this error. Observed on the pendulums and free arms of the tests: 1e-11 to 2e-9.
ADAPTIVE = Method(
    "adaptive",
    is_two_sided=True,
    solves_motion=True,
    limits=MethodLimits(
        torque=1e-7,
        acceleration=1e-7,
        floor=1e-9,
        velocity=1e-7,
        energy=1e-7,
        work=1e-6,
        position=1e-7,
        tool=1e-7,
    ),
)

METHODS: Mapping[str, Method] = MappingProxyType({m.name: m for m in (STEPPED, IDEAL, ADAPTIVE)})
assert tuple(METHODS) == get_args(MethodName)

# An external loop recorded by `sim.watch`: the motion is used as it is, and the torque of each step
# belongs to its start by the engine's own discrete law. Observed on the UR10 in PyBullet: 1e-11 to
# 5e-10, in MuJoCo 4e-13.
WATCHED = Method("watched", limits=replace(IDEAL.limits, torque=1e-9))

WAYS: Mapping[str, Method] = MappingProxyType({**METHODS, "watched": WATCHED})
assert tuple(WAYS) == get_args(WayName)
