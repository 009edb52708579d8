"""Grips: which contacts stick, and the times at which that changes.

A contact that slides comes to rest, and one that touches may be at rest from the beginning; there
it sticks if that takes no more than its limit. One that sticks slides when it takes more, along
what then moves it. Which of several do so is the motion with the least

    1/2 (qdd - qdd_0)ᵀ M (qdd - qdd_0) + Σ mu_static N |J qdd + Jd qd|

where qdd_0 is without these frictions: it is convex, as each N is known from the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import numpy as np
from msgspec import Struct, structs

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.equations_of_motion import Balance, FrictionModes, Mechanism
from sim.dynamics.force_element import ElementState, ForceElement
from sim.dynamics.friction import needs_reaction
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.kernels.shape_kinds import AT_REST, FADED
from sim.dynamics.pinned_joints import GRIP, ROUNDING
from sim.dynamics.shape_contact import STARTS, STICKS, Contact
from sim.dynamics.slips import Patches, Rows, patches_of, rows_of
from sim.dynamics.stick_slip import consistent_modes
from sim.dynamics.sticking import ContactInMode, has_stiction, in_modes
from sim.dynamics.sticking_dynamics import cutoffs, forces, limited_forces, mobility, responses
from sim.dynamics.wrench import Acting
from sim.errors import ScenarioError
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array, Mask

ROUNDS = 8  # of joints and contacts in turn, to find modes that fit
FITTED, ALIKE = 50, 1e-10  # rounds of holding forces and the friction they cause; least change
NOTHING = 1e-60  # m/s or rad/s, whose square a solver cannot compute with
MOVES = 1e-9  # of the largest acceleration of a slip, below which one does not slide

Direction = tuple[float, ...]  # of a slip, along the surface and about the normal


class GripChange(Struct, frozen=True, eq=False):
    """Contacts that leave their mode.

    Parameters
    ----------
    t : float
        When [s].
    resting : tuple of int
        Those that come to rest.
    starts : mapping of int to tuple
        Those that start to slide, and where.
    """

    t: float
    resting: tuple[int, ...] = ()
    starts: Mapping[int, Direction] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Given(ForceElement):
    """Wrenches as a force element."""

    acting: Acting

    def wrenches(self, at: ElementState) -> Acting:
        """Return the wrenches."""
        return self.acting


class Grips(Struct, frozen=True, eq=False, dict=True):
    """The contacts with stiction of a mechanism in their modes.

    Parameters
    ----------
    mechanism : Mechanism
        As if no contact stuck.
    contacts : tuple of Contact
    modes : tuple of ContactInMode
    """

    mechanism: Mechanism
    contacts: tuple[Contact, ...]
    modes: tuple[ContactInMode, ...]

    @classmethod
    def of(cls, mechanism: Mechanism) -> Grips | None:
        """Return the contacts with stiction of a mechanism, all sliding; None if it has none."""
        every = mechanism.elements
        contacts = tuple(one for one in every if isinstance(one, Contact) and has_stiction(one))
        if not contacts:
            return None
        return cls(mechanism, contacts, tuple(ContactInMode.of(x, sticks=False) for x in contacts))

    @property
    def dynamics(self) -> HybridDynamics:
        """Dynamics without holding forces."""
        return self.mechanism.dynamics

    @cached_property
    def sticking(self) -> list[int]:
        """Indices of the contacts that stick."""
        return [k for k, one in enumerate(self.modes) if one.sticks]

    def in_modes(self) -> Mechanism:
        """Return the mechanism in these modes."""
        return in_modes(self.mechanism, self.modes, self.dynamics)

    def patches(self, t: Array, y: Array) -> Patches:
        """Return the patches of all contacts at states (size, N)."""
        q, qd, _ = self.mechanism.motion(t, y)
        return patches_of(self.modes, Kinematics(self.dynamics.robot, q, qd))

    def after(
        self, t: float, y: Array, modes: FrictionModes, change: GripChange
    ) -> tuple[Grips, Array]:
        """Return the modes from t [s] on, and the state y (size,) with zero slip of what sticks.

        `modes` are those of the joints; `change` is what leaves its mode now.
        """
        at, starts = np.array([t]), dict(change.starts)
        patches = self.patches(at, y[:, None])
        for k, mode in enumerate(self.modes):  # those on their way
            if any(mode.start_of_slip) and k not in change.resting:
                starts.setdefault(k, mode.start_of_slip)
        presses = patches.push[:, 0] > 0.0
        rests = presses & (patches.speed[:, 0] <= 2.0 * AT_REST)
        rests[list(change.resting)] = presses[list(change.resting)]
        rests[list(starts)] = False
        chosen = self._in(starts)
        which = np.flatnonzero(rests).tolist()
        if not which:
            return chosen, y
        y = chosen._at_rest(t, y, modes, which)
        stuck = self._in(starts, which)
        margins = stuck.margins(at, y[:, None], modes)[:, 0]
        if margins.min() >= 0.0:
            return stuck, y
        slides = stuck._slides(t, y, modes, which)
        if not slides:
            slides = stuck.starts(t, y, modes, [int(margins.argmin())])
        starts |= slides
        return self._in(starts, [k for k in which if k not in slides]), y

    def holding_too(self, k: int) -> Grips:
        """Return the same contacts of which contact k sticks too."""
        starts = {n: one.start_of_slip for n, one in enumerate(self.modes) if n != k}
        return self._in(starts, [*self.sticking, k])

    def rest_with_joint(self, t: float, y: Array) -> GripChange:
        """Return the rest of contacts that have just begun to slide, as a joint stops at `y`."""
        speeds = self.patches(np.array([t]), y[:, None]).speed[:, 0]
        slow = speeds <= AT_REST
        began = (k for k, one in enumerate(self.modes) if slow[k] and any(one.start_of_slip))
        return GripChange(t, tuple(began))

    def _in(self, starts: Mapping[int, Direction], sticking: Iterable[int] = ()) -> Grips:
        """Return the same contacts, some of which start to slide or stick."""
        sticks, none = set(sticking), (0.0,) * 6
        modes = (
            ContactInMode.of(one, sticks=k in sticks, start_of_slip=starts.get(k, none))
            for k, one in enumerate(self.contacts)
        )
        return structs.replace(self, modes=tuple(modes))

    def starts(
        self, t: float, y: Array, modes: FrictionModes, which: Iterable[int]
    ) -> dict[int, Direction]:
        """Return the direction of slip of contacts at break-away, opposite to the holding force."""
        rows, f, left = self.held(np.array([t]), y[:, None], modes)
        directions = dict[int, Direction]()
        for k in which:
            n = self.sticking.index(k)
            part = slice(3 * n, 3 * n + 3)
            slip = (left if left[0, part].any() else -f)[0, part]
            if direction := rows.direction(n, slip):
                directions[k] = direction
        return directions

    def held(self, t: Array, y: Array, modes: FrictionModes) -> tuple[Rows, Array, Array]:
        """Return rows, holding forces and remaining slip rates at states; see `forces`."""
        balance, which = self._without(t, y, modes), [self.modes[k] for k in self.sticking]
        rows = rows_of(which, self.dynamics.robot, balance.q, balance.qd)
        P = mobility(self.dynamics, balance.q, self._given(modes))
        return rows, *forces(rows, P, balance.qdd.T)

    def _without(
        self, t: Array, y: Array, modes: FrictionModes, holding: Acting | None = None
    ) -> Balance:
        """Return the balance without holding forces, but with the friction that they cause.

        They are those of the contacts that stick, unless given by their wrenches.
        """
        mechanism = self.in_modes()
        if not self._is_felt:
            return structs.replace(mechanism, dynamics=self.dynamics).at(t, y, modes)
        full = mechanism
        if holding is not None:
            loads = ElementSum(self.dynamics.robot, (*mechanism.elements, _Given(holding)))
            full = structs.replace(mechanism, loads=loads, dynamics=self.dynamics)
        balance = full.at(t, y, modes)
        acting, wrenches = mechanism.loads_at(
            t, balance.q, balance.qd, y[mechanism.layout.elements]
        )
        effort = balance.tau + acting - balance.friction
        motion = balance.q, balance.qd, balance.qdd, self._given(modes)
        qdd, _ = self.dynamics.hybrid_dynamics(*motion, effort, wrenches)
        return replace(balance, qdd=qdd)

    @cached_property
    def _is_felt(self) -> bool:
        """Whether friction in joints or gears depends on what holds the contacts."""
        trains = self.mechanism.trains
        is_lossy = trains is not None and bool(trains.is_lossy.any())
        is_in_loops = self.mechanism.rough_loops is not None
        return is_in_loops or is_lossy or needs_reaction(self.dynamics.robot)

    def _given(self, modes: FrictionModes) -> Mask:
        driven = ~self.mechanism.prescription.free
        return driven if self.mechanism.rough_loops is not None else driven | modes.stuck

    def _at_rest(self, t: float, y: Array, modes: FrictionModes, which: Sequence[int]) -> Array:
        """Return the state with zero slip of some contacts, by the least change of momentum."""
        q, qd, _ = self.mechanism.motion(np.array([t]), y[:, None])
        rows = rows_of([self.modes[k] for k in which], self.dynamics.robot, q, qd)
        P, J = mobility(self.dynamics, q, self._given(modes)), rows.J[0]
        W = J @ P @ J.T
        inverse = np.linalg.pinv(W, cutoffs(W, rows, P, np.ones_like(rows.push)))[0]
        qd[:, 0] -= P[0] @ J.T @ inverse @ J @ qd[:, 0]
        qd[np.abs(qd) < NOTHING] = 0.0
        y = y.copy()
        y[self.mechanism.layout.qd] = qd[self.mechanism.prescription.free, 0]
        return y

    def kept(self, t: float, y: Array, modes: FrictionModes) -> Array:
        """Return the state after a step, with the slips of sticking contacts set to zero."""
        which = self.sticking
        return self._at_rest(t, y, modes, which) if which else y

    def _slides(
        self, t: float, y: Array, modes: FrictionModes, which: Sequence[int]
    ) -> dict[int, Direction]:
        """Return which of the sticking contacts slide, with their directions."""
        at, robot = (np.array([t]), y[:, None], modes), self.dynamics.robot
        balance, contacts = self._without(*at), [self.modes[k] for k in which]
        rows = rows_of(contacts, robot, balance.q, balance.qd)
        P = mobility(self.dynamics, balance.q, self._given(modes))
        kinematics = Kinematics(robot, balance.q, balance.qd)
        most, last = self._limits(rows.push[0], which), np.full(3 * len(which), np.inf)
        for _ in range(FITTED):
            W, b = (x[0] for x in responses(rows, P, balance.qdd.T))
            f = limited_forces(W, b, most)
            if not self._is_felt or np.abs(f - last).max() <= ALIKE * most.max():
                break
            last, acting = f, rows.wrenches(contacts, f[None], kinematics)
            balance = self._without(*at, acting)
        else:
            raise _misfit(contacts, t)
        a, sizes = (W @ f + b).reshape(-1, 3), np.linalg.norm(f.reshape(-1, 3), axis=1)
        is_full, least = sizes >= (1.0 - 1e-6) * most, MOVES * np.abs(b).max()
        return {
            k: rows.direction(n, a[n])
            for n, k in enumerate(which)
            if is_full[n] and np.linalg.norm(a[n]) > least
        }

    def _limits(self, push: Array, which: Sequence[int]) -> Array:
        return np.array([self.contacts[k].mu_static for k in which]) * push

    def margins(self, t: Array, y: Array, modes: FrictionModes) -> Array:
        """Return friction limit minus holding force of each contact at states (size, N) [N].

        The shape is (C, N); infinite for contacts that slide.
        """
        margin = np.full((len(self.modes), t.size), np.inf)
        which = self.sticking
        if not which:
            return margin
        rows, f, left = self.held(t, y, modes)
        sizes = np.linalg.norm(f.reshape(t.size, -1, 3), axis=2).T
        slides = left.reshape(t.size, -1, 3).any(axis=2).T
        limits = self._limits(rows.push, which).T
        enough = (1.0 + GRIP) * limits + ROUNDING * self.mechanism.weight - sizes
        margin[which] = np.where(slides, -1.0, enough)
        return margin

    def on_record(self, t: Array, y: Array, modes: FrictionModes) -> dict[str, Array]:
        """Return the recorded states of the contacts at states (size, N), (5, N) each."""
        states = np.zeros((len(self.modes), 5, t.size))
        if self.sticking and t.size:
            endless = structs.replace(self, mechanism=structs.replace(self.mechanism, until=np.inf))
            rows, f, _ = endless.held(t, y, modes)
            for n, k in enumerate(self.sticking):
                along = np.einsum("bxN,Nb->xN", rows.axes[n], f[:, 3 * n : 3 * n + 3])
                normal = rows.axes[n, 2, 3:]
                states[k, :3] = along[:3]
                states[k, 3] = rows.radius[n] * np.sum(along[3:] * normal, axis=0)
                states[k, 4] = STICKS
        patches = self.patches(t, y)
        for k, one in enumerate(self.modes):
            if any(one.start_of_slip):
                start, starts = np.array(one.start_of_slip), patches.speed[k] < FADED
                states[k, :3, starts] = start[:3]
                states[k, 3, starts] = start[3:] @ patches.normal[k][:, starts]
                states[k, 4, starts] = STARTS
        return {one.name: rows for one, rows in zip(self.contacts, states, strict=True)}


def consistent_grips(
    grips: Grips,
    t: float,
    y: Array,
    modes: FrictionModes,
    breaking: Mapping[int, float],
    change: GripChange,
) -> tuple[FrictionModes, Grips, Array]:
    """Return consistent modes of joints and contacts from a time on, and the state there.

    Raises
    ------
    ScenarioError
        If none do.
    """
    for _ in range(ROUNDS):
        grips, y = grips.after(t, y, modes, change)
        new = consistent_modes(grips.in_modes(), t, y, breaking)
        if np.array_equal(new.stuck, modes.stuck) and np.array_equal(new.slide, modes.slide):
            return new, grips, y
        modes = new
    raise _misfit(grips.contacts, t)


def _misfit(contacts: Sequence[Contact], t: float) -> ScenarioError:
    names = ", ".join(repr(one.name) for one in contacts)
    return ScenarioError(
        f"The dry friction of joints and of contacts {names} does not fit together at t = {t:.6g} s"
    )
