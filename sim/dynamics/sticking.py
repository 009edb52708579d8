"""Modes of contacts with stiction: each sticks or slides.

`sim.dynamics.slips` has what slips, `sim.dynamics.sticking_dynamics` what holds it, and
`sim.dynamics.grips` when that changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields

import numpy as np
from msgspec.structs import replace

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.shape_contact import Contact
from sim.dynamics.sticking_dynamics import StickingDynamics
from sim.maths.arrays import Array
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class ContactInMode(Contact):
    """A contact with stiction while it sticks, so that its own law has no friction, or slides.

    Parameters
    ----------
    sticks : bool
    start_of_slip : tuple of 6 floats
        Of one that starts to slide the direction of its slip, along the surface and about the
        normal, world axes.
    """

    _: KW_ONLY
    sticks: bool = False
    start_of_slip: tuple[float, ...] = (0.0,) * 6

    @property
    def kind(self) -> str:
        """Name of the kind, that of `Contact`."""
        return Contact.__name__

    @property
    def friction(self) -> tuple[float, float, float, float]:
        """Coefficients as of `Contact`; zero while it sticks."""
        mu_s, mu_d, v_s, v_d = super().friction
        return (0.0, 0.0, v_s, v_d) if self.sticks else (mu_s, mu_d, v_s, v_d)

    @property
    def patch(self) -> tuple[float, ...]:
        """Mode and direction in which it starts to slide; see `ContactPairs`."""
        return (2.0 if any(self.start_of_slip) else 1.0, *self.start_of_slip)

    def start(self, robot: Robot) -> Array:
        """Return no states: the solver computes the holding force itself."""
        return np.empty(0)

    @classmethod
    def of(
        cls, contact: Contact, *, sticks: bool, start_of_slip: tuple[float, ...] = (0.0,) * 6
    ) -> ContactInMode:
        """Return a contact in one of its modes."""
        values = {one.name: getattr(contact, one.name) for one in fields(Contact)}
        return cls(**values, sticks=sticks, start_of_slip=start_of_slip)


def in_modes(
    mechanism: Mechanism, contacts: Sequence[ContactInMode], base: HybridDynamics
) -> Mechanism:
    """Return a mechanism with its contacts with stiction in the given modes."""
    modes = iter(contacts)
    elements = tuple(next(modes) if has_stiction(one) else one for one in mechanism.elements)
    stuck = tuple(one for one in contacts if one.sticks)
    dynamics = StickingDynamics(base, stuck) if stuck else base
    return replace(mechanism, loads=ElementSum(base.robot, elements), dynamics=dynamics)


def has_stiction(element: object) -> bool:
    """Return whether a force element is a contact with stiction."""
    return isinstance(element, Contact) and element.stiction


def with_modes(loads: ElementSum | None) -> ElementSum | None:
    """Return loads for a solver, with the contacts with stiction in their sliding mode."""
    if loads is None or not any(map(has_stiction, loads.elements)):
        return loads
    elements = (
        ContactInMode.of(one, sticks=False) if isinstance(one, Contact) and one.stiction else one
        for one in loads.elements
    )
    return ElementSum(loads.robot, tuple(elements))


def recorded_states(loads: ElementSum | None, z: Array, held: Mapping[str, Array]) -> Array:
    """Return all states of loads: those of the solver (states, N) and of contacts (5, N) each."""
    if loads is None or not any(map(has_stiction, loads.elements)):
        return z
    rows, begin = list[Array](), 0
    for one in loads.elements:
        count = one.start(loads.robot).size
        if isinstance(one, Contact) and one.stiction:
            rows.append(held.get(one.name, np.zeros((count, z.shape[1]))))
        else:
            rows.append(z[begin : begin + count])
            begin += count
    return np.concatenate(rows)
