"""Differences that follow from those of positions and velocities, by the model.

A hard contact makes 1e-3 N of 1e-10 m: two right answers that pass a blow 1e-10 s after each other
differ within it by what no limit of an acceleration allows, and not before and after it. So where a
limit is exceeded, what the model itself has at the engine's state less what it has at its own is
taken off first; the rest is judged by the same limit. Positions are judged by theirs alone, and
nothing follows from a state that is beyond its own limits.

Of accelerations it is, with A = M⁻¹ of what is not prescribed, or its part that loops allow::

    δqdd = A (r(q + δq, qd + δqd) - r(q, qd)),    r = loads - inverse dynamics of the model's qdd

Velocities are states themselves. What loads take up of δq they give back as speed,

    δqdᵀ M δqd = |δqᵀ (r(q + δq, qd) - r(q, qd))|

at most, with the δq of a sample or of one of its neighbours. A speed that was given once stays, as
far as the positions show that it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.checks.forces_by_law import own_states
from sim.checks.robot_by_description import known_elements, robot_by_description, stages
from sim.checks.run_view import RunView
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.lagrange import energies, inverse_dynamics, mass_matrix
from sim.kinematics.jacobian import frame_acceleration, twist
from sim.maths.arrays import Array, Mask
from sim.maths.pieces import pieces
from sim.recording.recorded_robot import with_kept_loops
from sim.robots.robot import Robot

Samples = NDArray[np.intp]

REACTIONS = ("reaction", "measure", "loop")

# While a contact gets stiffer δq falls, so that no sample has the most of both: of a force p^e the
# root of the product is at most 1.2 (e = 1.5) to 1.32 (e = 3) times what any sample has.
MISSED = 2.0

# A sine that rises from a sample to the next, or falls, is at most so much as steep as it shows.
STEEPER = np.pi / 2


@dataclass(frozen=True, eq=False)
class StateDifferences:
    """Differences that follow in a run that solves for its motion, computed on demand.

    Parameters
    ----------
    view : RunView
    """

    view: RunView

    def of(self, channel: str) -> Array:
        """The difference of a channel that is no error of its own, (N,), never negative.

        Of a vector of the tool, as ``tool.a``, it is the length of its difference.
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
            moved = view.moved_inertia("m" if view.unit(channel) == "N·m" else "f")
            return np.asarray(moved * np.max(np.abs(self._rows("qdd")), axis=0))
        return np.abs(self._consequences[self._channels.index(channel)])

    def _of_tool(self, part: str) -> Array:
        """Length of the difference of its velocity, "v" or "w", or acceleration, "a" or "wd"."""
        (q, qd, qdd), robot = self._motion, self.view.robot
        dq, dqd = self._state_difference
        if part in ("v", "w"):
            difference = twist(robot, q + dq, qd + dqd) - twist(robot, q, qd)
        else:
            moved = q + dq, qd + dqd, qdd + self._rows("qdd")
            difference = frame_acceleration(robot, None, *moved)
            difference = difference - frame_acceleration(robot, None, q, qd, qdd)
        return np.sqrt(
            np.sum(np.square(difference[:3] if part in ("v", "a") else difference[3:]), axis=0)
        )

    def _rows(self, group: str) -> Array:
        """Differences of all rows of joints, (n, N)."""
        names = [f"{group}.{row}" for row in self.view.row_names]
        return self._consequences[[self._channels.index(name) for name in names]]

    @cached_property
    def _channels(self) -> tuple[str, ...]:
        """Channels of the rows of differences."""
        of_rows = (f"{of}.{row}" for of in ("qdd", "tau") for row in self.view.row_names)
        return (*of_rows, *(f"ke.{link}" for link in self._links), "pe")

    @property
    def _links(self) -> list[str]:
        """Links and rotors whose kinetic energies are in the tables."""
        return [name[3:] for name in self.view.run.units if name.startswith("ke.")]

    @cached_property
    def _motion(self) -> tuple[Array, Array, Array]:
        """q, qd and qdd of the model, (n, N) each."""
        names, values = self.view.row_names, self.view.analytic
        q, qd, qdd = (np.stack([values(f"{of}.{j}") for j in names]) for of in ("q", "qd", "qdd"))
        return q, qd, qdd

    @cached_property
    def _off(self) -> tuple[Array, Array]:
        """Differences of the engine's q and qd from the model's, (n, N) each."""
        names, values = self.view.row_names, self.view.recorded_values
        q, qd = (np.stack([values(f"{of}.{j}") for j in names]) for of in ("q", "qd"))
        return q - self._motion[0], qd - self._motion[1]

    @cached_property
    def _places(self) -> Array:
        """δq, (n, N); zero where it is beyond its limit, or no number."""
        dq = self._off[0]
        return np.where(np.abs(dq) <= self.view.limits.position, dq, 0.0)

    @cached_property
    def _state_difference(self) -> tuple[Array, Array]:
        """δq and δqd, (n, N) each; zero at a sample where one of them is beyond its limit."""
        limits = np.array([self.view.velocity_limit(row) for row in self.view.row_names])
        is_within = np.abs(self._off[1]) <= limits[:, None] + self._velocity
        is_within &= self._places == self._off[0]
        dq, dqd = (np.where(is_within.all(axis=0), off, 0.0) for off in self._off)
        return dq, dqd

    @cached_property
    def _velocity(self) -> Array:
        """|δqd| of the rows of joints, (n, N) [rad/s or m/s]."""
        gained = self._by_stages(len(self.view.row_names), self._gained_speed)
        steps = np.abs(np.diff(self._places, axis=1)) / np.diff(self.view.t)
        steps = np.pad(steps, ((0, 0), (1, 1)), mode="edge")
        shown = STEEPER * np.maximum(steps[:, 1:], steps[:, :-1])
        most = MISSED * np.maximum.accumulate(gained, axis=1)
        return np.maximum(gained, np.minimum(shown, most))

    def _gained_speed(self, stage: _StageDynamics, k: Samples) -> Array:
        """The speeds that loads make of δq, (n, samples k)."""
        q, qd, _ = stage.motion
        here, taken_up = stage.lacking(q, qd), np.zeros(k.size)
        for near in (k - 1, k, k + 1):
            dq = self._places[:, np.clip(near, 0, self.view.t.size - 1)]
            work = np.sum(dq * (stage.lacking(q + dq, qd) - here), axis=0)
            taken_up = np.maximum(taken_up, np.abs(work))
        return np.sqrt(np.einsum("jjN->jN", stage.compliance()) * taken_up)

    @cached_property
    def _consequences(self) -> Array:
        """A row of N for each of `_channels`."""
        return self._by_stages(len(self._channels), self._differences)

    def _differences(self, stage: _StageDynamics, k: Samples) -> Array:
        """The rows of `_consequences` at samples k."""
        q, qd, _ = stage.motion
        dq, dqd = (x[:, k] for x in self._state_difference)
        dtau = stage.lacking(q + dq, qd + dqd) - stage.lacking(q, qd)
        ddq = np.einsum("jkN,kN->jN", stage.compliance(), dtau)
        torque = np.einsum("jkN,kN->jN", stage.mass, ddq) - dtau
        torque[stage.loose] = 0.0
        energy = stage.energies(q + dq, qd + dqd, self._links) - stage.energies(q, qd, self._links)
        return np.concatenate([ddq, torque, energy])

    def _by_stages(self, rows: int, of_stage: Callable[[_StageDynamics, Samples], Array]) -> Array:
        """Values at all samples at which the model's motion is finite, (rows, N)."""
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


@dataclass(frozen=True, eq=False)
class _StageDynamics:
    """The model at samples `k` (N,) at which the robot carries the same.

    `motion` are q, qd and qdd of the model there, (n, N) each.
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
        """r of this file, (n, N) [N·m or N]."""
        at = self._elements.at(self.view.t[self.k], q, qd, self._own_states)
        gravity = self.view.run.settings.gravity
        needed = inverse_dynamics(self.robot, q, qd, self.motion[2], gravity)
        return self._elements.torque(at) - needed

    @property
    def loose(self) -> Mask:
        """Mask of the rows that nothing prescribes, (n,)."""
        settings = self.view.run.settings
        return np.isin(self.view.row_names, (*settings.free, *settings.passive))

    @cached_property
    def mass(self) -> Array:
        """M, (n, n, N)."""
        return mass_matrix(self.robot, self.motion[0])

    def compliance(self) -> Array:
        """A of this file, (n, n, N): ``Z (Zᵀ M Z)⁻¹ Zᵀ`` with the motions Z of loose joints.

        Zero at singular poses of loops, where it is not known.
        """
        from sim.dynamics.small_motions import allowed_motions

        loose, compliance = self.loose, np.zeros_like(self.mass)
        mass = self.mass[np.ix_(loose, loose)]
        Z = allowed_motions(self.robot, self.motion[0], loose, mass)
        is_known = np.isfinite(Z).all(axis=(0, 1))
        Z, mass, part = Z[..., is_known], mass[..., is_known], np.zeros_like(mass)
        moved = np.linalg.inv(np.einsum("jaN,jkN,kbN->Nab", Z, mass, Z))
        part[..., is_known] = np.einsum("jaN,Nab,kbN->jkN", Z, moved, Z)
        compliance[np.ix_(loose, loose)] = part
        return compliance

    def energies(self, q: Array, qd: Array, links: Sequence[str]) -> Array:
        """Kinetic of the links and rotors, zero of those without mass; potential of all, last."""
        names, ke, pe = energies(self.robot, q, qd, self.view.run.settings.gravity)
        of, still = dict(zip(names, ke, strict=True)), np.zeros(q.shape[1])
        return np.stack([*(of.get(link, still) for link in links), pe.sum(axis=0)])
