"""Differences caused by differences of positions and velocities, from the model.

A hard contact converts 1e-10 m to 1e-3 N: two correct solutions whose impacts are 1e-10 s apart
differ during the impact by more than any limit of an acceleration, but not before or after it.
Where a limit is exceeded, the difference between the model's value at the engine's state and at its
own state is therefore subtracted first; the remainder is judged by the same limit. Positions are
judged by their own limits only, and a state beyond its limits explains nothing.

For accelerations it is, with A = M⁻¹ of the unprescribed joints, or its part allowed by loops::

    δqdd = A (r(q + δq, qd + δqd) - r(q, qd)),    r = loads - inverse dynamics of the model's qdd

For reactions it is their difference by the Newton-Euler equations at both states with the forces of
elements there: a contact acts on joints that it does not accelerate.

Velocities are states themselves. The work of loads on δq becomes speed,

    δqdᵀ M δqd = |δqᵀ (r(q + δq, qd) - r(q, qd))|

at most, with the δq of a sample or one of its neighbours. A speed difference persists once it has
arisen, as far as the positions show it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.checks.by_law import own_states
from sim.checks.robot_by_description import known_elements, robot_by_description, stages
from sim.checks.run_view import RunView
from sim.dynamics import newton_euler
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.lagrange import energies, inverse_dynamics, mass_matrix
from sim.kinematics.jacobian import frame_acceleration, twist
from sim.maths.arrays import Array, Mask
from sim.maths.pieces import pieces
from sim.recording.recorded_robot import with_kept_loops
from sim.robots.robot import Robot

Samples = NDArray[np.intp]

REACTIONS = ("reaction", "measure", "loop")

# As a contact stiffens δq decreases, so that no sample has the maximum of both: for a force p^e the
# root of the product is at most 1.2 (e = 1.5) to 1.32 (e = 3) times the value of any sample.
MISSED = 2.0

# Largest ratio of a sine's slope to its difference quotient between samples where it is monotonic.
STEEPER = np.pi / 2


class StateDifferences(Struct, frozen=True, eq=False, dict=True):
    """Differences that follow from others in a run solved for its motion, computed on demand.

    Parameters
    ----------
    view : RunView
    """

    view: RunView

    def of(self, channel: str) -> Array:
        """Return the explained difference of a channel, (N,), never negative.

        For a vector of the tool, such as ``tool.a``, it is the length of the difference.
        """
        view, (group, _, name) = self.view, channel.partition(".")
        if not (view.run.solved_by.solves_motion and view.run.settings.free):
            return np.zeros_like(view.t)
        if group in ("qd", "qdd"):
            rows = self._velocity if group == "qd" else np.abs(self._rows("qdd"))
            coupling = np.abs(np.asarray(view.run.robot.coupling))
            return np.asarray(coupling[view.tree_row_names.index(name)] @ rows)
        if group == "power":
            tau, qd = (np.abs(view.analytic(f"{of}.{name}")) for of in ("tau", "qd"))
            dtau, dqd = self.of(f"tau.{name}"), self.of(f"qd.{name}")
            return np.asarray(tau * dqd + qd * dtau + dtau * dqd)
        if group == "tool":
            return self._of_tool(name)
        if group in REACTIONS:
            kind = "m" if view.unit(channel) == "N·m" else "f"
            inertia_force = view.moved_inertia(kind) * np.max(np.abs(self._rows("qdd")), axis=0)
            return np.asarray(np.maximum(inertia_force, self._reactions["fm".index(kind)]))
        return np.abs(self._consequences[self._channels.index(channel)])

    def _of_tool(self, part: str) -> Array:
        """Return the length of the difference of velocity "v", "w" or acceleration "a", "wd"."""
        (q, qd, qdd), robot = self._motion, self.view.robot
        dq, dqd = self._state_difference
        if part in ("v", "w"):
            difference = twist(robot, q + dq, qd + dqd) - twist(robot, q, qd)
        else:
            displaced = q + dq, qd + dqd, qdd + self._rows("qdd")
            difference = frame_acceleration(robot, None, *displaced)
            difference = difference - frame_acceleration(robot, None, q, qd, qdd)
        return np.sqrt(
            np.sum(np.square(difference[:3] if part in ("v", "a") else difference[3:]), axis=0)
        )

    def _rows(self, group: str) -> Array:
        """Return the differences of all joint rows, (n, N)."""
        names = [f"{group}.{row}" for row in self.view.row_names]
        return self._consequences[[self._channels.index(name) for name in names]]

    @cached_property
    def _channels(self) -> tuple[str, ...]:
        """Channels of the rows of differences."""
        of_rows = (f"{of}.{row}" for of in ("qdd", "tau") for row in self.view.row_names)
        return (*of_rows, *(f"ke.{link}" for link in self._links), "pe")

    @property
    def _links(self) -> list[str]:
        """Names of links and rotors with kinetic energies in the tables."""
        return [name[3:] for name in self.view.run.units if name.startswith("ke.")]

    @cached_property
    def _motion(self) -> tuple[Array, Array, Array]:
        """q, qd and qdd of the model, (n, N) each."""
        q, qd, qdd = self.view.analytic_rows("q", "qd", "qdd")
        return q, qd, qdd

    @cached_property
    def _off(self) -> tuple[Array, Array]:
        """Differences of q and qd between engine and model, (n, N) each."""
        names, values = self.view.row_names, self.view.recorded_values
        q, qd = (np.stack([values(f"{of}.{j}") for j in names]) for of in ("q", "qd"))
        return q - self._motion[0], qd - self._motion[1]

    @cached_property
    def _places(self) -> Array:
        """δq, (n, N); zero where it exceeds its limit or is not finite."""
        dq = self._off[0]
        return np.where(np.abs(dq) <= self.view.limits.position, dq, 0.0)

    @cached_property
    def _state_difference(self) -> tuple[Array, Array]:
        """δq and δqd, (n, N) each; zero at samples where one of them exceeds its limit."""
        limits = np.array([self.view.velocity_limit(row) for row in self.view.row_names])
        is_within = np.abs(self._off[1]) <= limits[:, None] + self._velocity
        is_within &= self._places == self._off[0]
        dq, dqd = (np.where(is_within.all(axis=0), off, 0.0) for off in self._off)
        return dq, dqd

    @cached_property
    def _velocity(self) -> Array:
        """|δqd| of the joint rows, (n, N) [rad/s or m/s]."""
        gained = self._by_stages(len(self.view.row_names), self._gained_speed)
        steps = np.abs(np.diff(self._places, axis=1)) / np.diff(self.view.t)
        steps = np.pad(steps, ((0, 0), (1, 1)), mode="edge")
        shown = STEEPER * np.maximum(steps[:, 1:], steps[:, :-1])
        most = MISSED * np.maximum.accumulate(gained, axis=1)
        return np.maximum(gained, np.minimum(shown, most))

    def _gained_speed(self, stage: _StageDynamics, k: Samples) -> Array:
        """Return the speeds due to the work of loads on δq, (n, samples k)."""
        q, qd, _ = stage.motion
        here, taken_up = stage.lacking(q, qd), np.zeros(k.size)
        for near in (k - 1, k, k + 1):
            dq = self._places[:, np.clip(near, 0, self.view.t.size - 1)]
            work = np.sum(dq * (stage.lacking(q + dq, qd) - here), axis=0)
            taken_up = np.maximum(taken_up, np.abs(work))
        return np.sqrt(np.einsum("jjN->jN", stage.compliance()) * taken_up)

    @cached_property
    def _consequences(self) -> Array:
        """Differences of each of `_channels`, a row of N each."""
        return self._by_stages(len(self._channels), self._differences)

    def _differences(self, stage: _StageDynamics, k: Samples) -> Array:
        """Return the rows of `_consequences` at samples k."""
        q, qd, _ = stage.motion
        dq, dqd = (x[:, k] for x in self._state_difference)
        dtau = stage.lacking(q + dq, qd + dqd) - stage.lacking(q, qd)
        ddq = np.einsum("jkN,kN->jN", stage.compliance(), dtau)
        torque = np.einsum("jkN,kN->jN", stage.mass, ddq) - dtau
        torque[stage.loose] = 0.0
        energy = stage.energies(q + dq, qd + dqd, self._links) - stage.energies(q, qd, self._links)
        return np.concatenate([ddq, torque, energy])

    @cached_property
    def _reactions(self) -> Array:
        """Largest difference of a reaction force [N] and moment [N·m] without loops, (2, N)."""
        return self._by_stages(2, self._reaction_differences)

    def _reaction_differences(self, stage: _StageDynamics, k: Samples) -> Array:
        q, qd, qdd = stage.motion
        dq, dqd = (x[:, k] for x in self._state_difference)
        displaced = stage.joint_wrenches(q + dq, qd + dqd, qdd + self._rows("qdd")[:, k])
        off = displaced - stage.joint_wrenches(q, qd, qdd)
        return np.asarray(np.max(np.linalg.norm(off, axis=2), axis=0))

    def _by_stages(self, rows: int, of_stage: Callable[[_StageDynamics, Samples], Array]) -> Array:
        """Return values at all samples where the model's motion is finite, (rows, N)."""
        view, values = self.view, np.zeros((rows, self.view.t.size))
        known = with_kept_loops(robot_by_description(view), view.recording)
        is_known = np.all(np.isfinite(self._motion), axis=(0, 1))
        for piece in pieces(view.t.size):
            k = np.arange(view.t.size)[piece][is_known[piece]]
            for part, robot in stages(known, view.run.events, view.t[k]):
                at = k[part]
                q, qd, qdd = (x[:, at] for x in self._motion)
                values[:, at] = of_stage(_StageDynamics(view, robot, at, (q, qd, qdd)), at)
        return values


class _StageDynamics(Struct, frozen=True, eq=False, dict=True):
    """The model at samples `k` (N,) with equal payloads.

    `motion` is q, qd and qdd of the model there, (n, N) each.
    """

    view: RunView
    robot: Robot
    k: Samples
    motion: tuple[Array, Array, Array]

    @cached_property
    def _elements(self) -> ElementSum:
        return known_elements(self.view, self.robot)

    @cached_property
    def _own_states(self) -> Array:
        return own_states(self._elements, self.view.table(analytic=True), self.k)

    def lacking(self, q: Array, qd: Array) -> Array:
        """Return r of this file, (n, N) [N·m or N]."""
        at = self._elements.at(self.view.t[self.k], q, qd, self._own_states)
        gravity = self.view.run.settings.gravity
        needed = inverse_dynamics(self.robot, q, qd, self.motion[2], gravity)
        return self._elements.torque(at) - needed

    def joint_wrenches(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return force and moment in every joint of the open tree, (joints, 2, 3, N)."""
        at = self._elements.at(self.view.t[self.k], q, qd, self._own_states)
        gravity, acting = self.view.run.settings.gravity, self._elements.wrenches(at)
        rows = newton_euler.wrenches(self.robot, q, qd, qdd, gravity, acting).reaction
        return rows.reshape(len(rows), 2, 3, -1)

    @property
    def loose(self) -> Mask:
        """Mask of the unprescribed rows, (n,)."""
        settings = self.view.run.settings
        return np.isin(self.view.row_names, (*settings.free, *settings.passive))

    @cached_property
    def mass(self) -> Array:
        """M, (n, n, N)."""
        return mass_matrix(self.robot, self.motion[0])

    def compliance(self) -> Array:
        """Return A of this file, (n, n, N): ``Z (Zᵀ M Z)⁻¹ Zᵀ`` with the motions Z of loose joints.

        Zero at singular poses of loops, where it is unknown.
        """
        from sim.dynamics.small_motions import allowed_motions

        loose, compliance = self.loose, np.zeros_like(self.mass)
        mass = self.mass[np.ix_(loose, loose)]
        Z = allowed_motions(self.robot, self.motion[0], loose, mass)
        is_known = np.isfinite(Z).all(axis=(0, 1))
        Z, mass, part = Z[..., is_known], mass[..., is_known], np.zeros_like(mass)
        inverse = np.linalg.inv(np.einsum("jaN,jkN,kbN->Nab", Z, mass, Z))
        part[..., is_known] = np.einsum("jaN,Nab,kbN->jkN", Z, inverse, Z)
        compliance[np.ix_(loose, loose)] = part
        return compliance

    def energies(self, q: Array, qd: Array, links: Sequence[str]) -> Array:
        """Return kinetic energies of links and rotors (zero if massless), then potential energy."""
        names, ke, pe = energies(self.robot, q, qd, self.view.run.settings.gravity)
        of, still = dict(zip(names, ke, strict=True)), np.zeros(q.shape[1])
        return np.stack([*(of.get(link, still) for link in links), pe.sum(axis=0)])
