"""Systems for the kernels: a mechanism in constant modes as records of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.caused_friction import law_constants
from sim.dynamics.counted_angle import CountedAngle
from sim.dynamics.drive_trains import DriveTrains
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.gravity import Gravity
from sim.dynamics.load_dependent_friction import SlidingJoints
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.pinned_joints import GRIP, ROUNDING
from sim.dynamics.single_state.body_constants import body_constants, joint_constants
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.wrench import Acting, body_wrenches
from sim.maths.arrays import Array, Mask
from sim.maths.chebyshev import ChebyshevPieces, fit_pieces
from sim.robots.actuation import TorqueOverTime
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.dynamics.kernels.records import Friction, HeldFriction, MarkerWork, System
    from sim.dynamics.single_state.marker_loads import MarkerLoads


def machine_loads(mechanism: Mechanism) -> MarkerLoads | None:
    """Return forces between markers and counted angles in machine code; None without either."""
    loads = mechanism.loads
    if loads is None or not is_on():
        return None
    if not any(isinstance(element, MarkerForce | CountedAngle) for element in loads.elements):
        return None
    from sim.dynamics.single_state.marker_loads import marker_loads

    return marker_loads(loads)


def linear_and_between_markers(
    mechanism: Mechanism,
) -> tuple[ElementSum | None, MarkerLoads | None]:
    """Return the other loads, and the forces between markers."""
    markers = machine_loads(mechanism)
    return (mechanism.loads, None) if markers is None else (markers.rest, markers)


# Of torques over time, and of linear elements.
NO_MOTORS = np.empty(0), np.empty((0, 0, 0))
NO_ELEMENTS = np.empty(0), np.empty((0, 0)), np.empty((0, 0))


def linear_elements(loads: ElementSum | None) -> tuple[Array, Array, Array]:
    """Return efforts of linear elements at q = qd = 0, their stiffness and damping."""
    linear = None if loads is None else loads.linear
    return NO_ELEMENTS if linear is None else (linear.at_zero, linear.stiffness, linear.damping)


def motors_over_time(mechanism: Mechanism, since: float, end: float) -> tuple[Array, Array] | None:
    """Return motor torques as series in time; None if there is no series."""
    actuation = mechanism.prescription.actuation
    if not isinstance(actuation, TorqueOverTime):
        return NO_MOTORS
    pieces = _series_of(actuation, since, min(end, mechanism.until))
    return None if pieces is None else (pieces.edges, pieces.coefficients)


@lru_cache(maxsize=4)  # called after each change of a mode
def _series_of(actuation: TorqueOverTime, since: float, end: float) -> ChebyshevPieces | None:
    return fit_pieces(actuation.torque, since, end)


def system_of(mechanism: Mechanism, modes: FrictionModes, *forces: Array) -> System:
    """Return the system for constant modes; see `JointForces` for the forces."""
    from sim.dynamics.kernels.records import JointForces

    system = unforced_system(mechanism, modes)
    if not any(part.size for part in forces):
        return system
    return replace(system, forces=JointForces(*forces))


@lru_cache(maxsize=16)
def _without_markers(robot: Robot, gravity: Gravity) -> MarkerWork:
    """Return the empty record of forces between markers."""
    from sim.dynamics.kernels.records import marker_work
    from sim.dynamics.single_state.program_table import MarkerPrograms

    return marker_work(body_constants(robot, gravity), MarkerPrograms(robot).arrays())


def friction_record(robot: Robot, trains: DriveTrains | None, slide: Array) -> Friction:
    """Return the friction of tree joints that slide as given by `slide` (n,), without surfaces."""
    moving, still = SlidingJoints.of(robot, trains, slide), np.zeros((len(robot.coupling[0]), 1))
    constant = moving.dry(still)[:, 0]
    if trains is not None:
        constant += trains.coulomb(slide[:, None])[:, 0]
    return moving.caused.record(moving.units(still)[..., 0], slide, constant)


def held_record(robot: Robot, trains: DriveTrains | None, held: Mask, dry: Array) -> HeldFriction:
    """Return the dry friction of held joints, without surfaces.

    `dry` (2, n) is the friction of rotors forwards and backwards.
    """
    from sim.dynamics.kernels.records import HeldFriction

    follows = (robot.coupling[0] != 0)[:, held].any(axis=1)
    joints = robot.tree_row_joints
    laws = {k: law for k in np.flatnonzero(follows) if (law := joints[k].friction_law) is not None}
    slips, constants = np.zeros(len(laws)), np.zeros((len(laws), 9))
    for k, (row, law) in enumerate(laws.items()):
        slips[k] = law.slip(np.ones(1), is_prismatic=joints[row].is_prismatic)[0]
        constants[k] = law_constants(joints[row], law)
    gears = np.zeros(0, dtype=np.intp)
    rotors, ends, is_elastic = np.zeros((2, 0)), np.ones((4, 0)), np.zeros(0, dtype=bool)
    if trains is not None:
        gears = np.flatnonzero(trains.is_dry & held)
        rotors = np.stack([trains.inertia, trains.viscous])[:, gears]
        ends = np.concatenate([dry, trains.efficiency])[:, gears]
        is_elastic = np.broadcast_to(trains.is_elastic, held.shape)[gears]
    inertia, viscous = rotors
    preload, most, mu_static, mu_dynamic = constants[:, 5:].T
    return HeldFriction(
        np.array([*laws], dtype=np.intp), constants[:, :5], slips, preload, most, mu_static,
        mu_dynamic, gears, inertia, viscous, ends[:2], ends[2:], is_elastic, *np.zeros((2, 6)),
    )  # fmt: skip


@lru_cache(maxsize=4)  # called by a solver and a march
def unforced_system(mechanism: Mechanism, modes: FrictionModes) -> System:
    """Return the system without motors and linear elements."""
    from sim.dynamics.kernels.records import JointForces, System, marker_work

    response, free, layout = mechanism.dynamics, mechanism.prescription.free, mechanism.layout
    robot, (_, markers) = response.robot, linear_and_between_markers(mechanism)
    bodies, trains = body_constants(robot, response.gravity), mechanism.trains
    dry = np.empty((2, 0)) if trains is None else trains.dry
    if markers is None:
        between = _without_markers(robot, response.gravity)
    else:
        between = marker_work(bodies, markers.until(mechanism.until))
    return System(
        bodies,
        joint_constants(robot, free, ~free | modes.stuck),
        friction_record(robot, trains, modes.slide),
        held_record(robot, trains, ~free, dry),
        held_record(robot, trains, modes.stuck, dry if trains is None else trains.breakaway * dry),
        JointForces(*NO_MOTORS, *NO_ELEMENTS),
        between,
        np.zeros((len(robot.coupling[0]), 6)),
        layout.qd.start,
        layout.motor_work.start,
        layout.friction_loss.start,
        layout.external_work,
        np.array([GRIP, ROUNDING * mechanism.weight]),
    )


@contextmanager
def applying(wrenches: Acting, system: System, robot: Robot, q: Array) -> Iterator[None]:
    """Let wrenches at positions q (n,) act on a system's bodies, in the loads of its joints."""
    if wrenches:
        system.applied[:] = body_wrenches(robot, q[:, None], wrenches)[..., 0]
    try:
        yield
    finally:
        if wrenches:
            system.applied[:] = 0.0  # others use the system, too
