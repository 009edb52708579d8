"""Forces between markers at one state in machine code.

NumPy evaluates forces that are, or call, Python functions, and all states at which a value is not
finite, an IF switches, or an uncounted angle reaches half a turn; it then gives the value or raises
the error.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from sim.dynamics.contact_pairs import pairs_of, with_own_memory
from sim.dynamics.counted_angle import CountedAngle
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ForceElement
from sim.dynamics.kernels.contact_forces import act_in_contact
from sim.dynamics.kernels.marker_forces import act_between_markers
from sim.dynamics.kernels.records import Bodies, MarkerForces, marker_work
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.shape_contact import Contact
from sim.dynamics.single_state.body_constants import body_constants
from sim.dynamics.single_state.far_apart import FarApart, reaches
from sim.dynamics.single_state.program_table import MarkerPrograms, python_function
from sim.dynamics.wrench import AppliedWrench
from sim.kinematics.forward import marker_place
from sim.maths.arrays import Array
from sim.robots.marker import Angle
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.dynamics.kernels.contact_records import ContactPairs


class MarkerLoads(Struct, frozen=True, eq=False, dict=True):
    """Forces between markers in machine code, and the other loads.

    Parameters
    ----------
    robot : Robot
    forces : tuple of MarkerForce
        Evaluated forces; some are only read by others.
    markers : MarkerForces
        The same forces as a record for kernels.
    bodies : Bodies
    rest : ElementSum or None
        Other elements, with all own states unless each is an angle that is counted here.
    contacts : ContactPairs, optional
        Records of the last of `forces`, which are contacts of shapes.
    """

    robot: Robot
    forces: tuple[MarkerForce, ...]
    markers: MarkerForces
    bodies: Bodies
    rest: ElementSum | None
    contacts: ContactPairs | None = None

    def until(self, time: float) -> MarkerForces:
        """Return the forces with a time that is constant after some time [s]."""
        constants = self.markers.constants.copy()
        constants[0] = time
        return replace(self.markers, constants=constants)

    @cached_property
    def reach(self) -> Array:
        """`reaches` of the contacts."""
        assert self.contacts is not None
        return reaches(self.bodies, self.markers, self.contacts)

    def workspace(self) -> MarkerWorkspace:
        """Return a workspace in which a solver evaluates them at successive states."""
        return MarkerWorkspace(self)


class MarkerWorkspace:
    """Values of `MarkerLoads` at the latest state.

    A solver evaluates thousands of states, and a new array costs as much as its numbers: all arrays
    are kept, and the next `fill` overwrites them.

    Parameters
    ----------
    loads : MarkerLoads

    Attributes
    ----------
    torque : ndarray, shape (n,)
        Generalised forces at the independent joints [N·m or N].
    wrenches : tuple of AppliedWrench
        Wrenches on i and j of each force except contacts, on links that move.
    wrenches_of_contacts : tuple of tuples of AppliedWrench
        The same for each contact.
    rates : ndarray, shape (angles,)
        Rates of the counted angles [rad/s].
    """

    def __init__(self, loads: MarkerLoads) -> None:
        self.coupling = None if loads.robot.is_plain else loads.robot.coupling
        self.work = marker_work(loads.bodies, loads.markers)
        self.torque, self.rates = self.work.torque, self.work.rates
        self.are_apart = False  # all shapes are certainly apart at the latest state
        pairs = loads.contacts
        self.contacts = None if pairs is None else with_own_memory(pairs)
        self.far_apart: FarApart | None = None
        if pairs is not None:
            self.far_apart = FarApart(self.work, pairs, loads.reach, loads.robot.coupling)
        others = loads.rest is not None or len(loads.markers.forces) or self.rates.size
        # whether nothing acts at positions (n,), where all that might are shapes that may be apart
        self.is_idle = None if others or self.far_apart is None else self.far_apart.is_sure
        acting = (
            [self.work.acting]
            if self.contacts is None
            else [self.work.acting, self.contacts.acting]
        )
        rows = [row for one in acting for row in one.reshape(-1, 3, 3, 1)]
        for row in rows:
            row.flags.writeable = False  # read-only for all others
        self.wrenches, count = tuple[AppliedWrench, ...](), len(loads.markers.forces)
        of_contacts = list[tuple[AppliedWrench, ...]]()
        for k, force in enumerate(loads.forces):
            ends = (force.i, force.j)[: 1 + force.has_reaction]
            pair = tuple(
                AppliedWrench.at_one_time(marker.link, marker.point, rows[2 * k + side])
                for side, marker in enumerate(ends)
                if marker_place(loads.robot, marker)[0] >= 0
            )
            if k < count:
                self.wrenches += pair if loads.markers.forces[k, 6] else ()
            else:
                of_contacts.append(pair)
        self.wrenches_of_contacts = tuple(of_contacts)

    @property
    def acting(self) -> tuple[AppliedWrench, ...]:
        """Wrenches of the forces, and of the contacts that push at the latest state."""
        if self.contacts is None or self.are_apart:
            return self.wrenches
        pushes = self.contacts.totals[:, 6].tolist()
        pushing = zip(pushes, self.wrenches_of_contacts, strict=True)
        return (*self.wrenches, *(one for push, both in pushing if push for one in both))

    def fill(self, time: float, q: Array, qd: Array, own_states: Array) -> bool:
        """Evaluate all forces; False if one is not finite or has no direction (NumPy then raises).

        Parameters
        ----------
        time : float
            [s]
        q, qd : ndarray, shape (n,)
            States of the independent joints [rad or m], [rad/s or m/s].
        own_states : ndarray, shape (states,)
            Own states of the elements.
        """
        self.are_apart = self.far_apart is not None and self.far_apart.is_sure(q)
        if self.coupling is None:
            return self._act(time, q, qd, own_states)
        S, q_0 = self.coupling
        is_finite = self._act(time, S @ q + q_0.ravel(), S @ qd, own_states)
        self.torque = S.T @ self.work.torque
        return is_finite

    def _act(self, time: float, q_tree: Array, qd_tree: Array, own_states: Array) -> bool:
        """Evaluate all forces at a state of the tree's joints; return whether they are finite."""
        if not act_between_markers(self.work, time, q_tree, qd_tree, own_states):
            return False
        if self.contacts is None or self.are_apart:
            return True
        return bool(act_in_contact(self.work, self.contacts))


@lru_cache(maxsize=16)
def marker_loads(loads: ElementSum) -> MarkerLoads | None:
    """Return the forces between markers of some loads in machine code; None if there are none."""
    angles = tuple(one.angle for one in loads.elements if isinstance(one, CountedAngle))
    rated = angles if len(angles) == loads.states else ()  # else NumPy handles all states
    states = list[str | Angle | None]([None] * loads.states)
    for state, row in loads.state_rows.items():
        states[row] = state
    programs, marker_forces = MarkerPrograms(loads.robot, states), list[MarkerForce]()
    contacts, rest = list[Contact](), list[ForceElement]()
    for element in loads.elements:
        if isinstance(element, CountedAngle) and rated:
            continue
        if isinstance(element, Contact):
            contacts.append(element)
        elif isinstance(element, MarkerForce) and not python_function(element):
            marker_forces.append(element)
        else:
            rest.append(element)
    if not (marker_forces or contacts or rated):
        return None
    for force in marker_forces:
        programs.add_force(force)
    pairs = None
    if contacts:
        ends = [(programs.marker(one.i), programs.marker(one.j)) for one in contacts]
        pairs = pairs_of(contacts, ends)
    others = ElementSum(loads.robot, tuple(rest)) if rest else None
    bodies = body_constants(loads.robot, (0.0, 0.0, 0.0))  # forces do not need gravity
    markers, forces = programs.arrays(rated), (*programs.force_rows, *contacts)
    return MarkerLoads(loads.robot, forces, markers, bodies, others, pairs)
