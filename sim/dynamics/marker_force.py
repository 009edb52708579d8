"""MarkerForce: a force element between two markers that acts on one and reacts on the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from sim.dynamics.components import COMPONENTS, Components
from sim.dynamics.element_sum import slopes_by_differences
from sim.dynamics.force_element import ElementState, ForceElement, Slopes, WrenchChange
from sim.dynamics.small_forces import arm_of, change_on_i
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ScenarioError
from sim.functions.expression import sides_of, undefined_term
from sim.functions.jet import Jet
from sim.functions.syntax import Call, Node, Reading, evaluate, walk
from sim.kinematics.forward import Kinematics, marker_place, require_markers
from sim.kinematics.moving_frame import Pair, length_of
from sim.kinematics.small_change import ChangeReading, SmallChange
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array, Mask
from sim.maths.rotations import cross
from sim.robots.marker import Angle, Marker
from sim.robots.names import Names
from sim.robots.robot import Robot
from sim.showing.one_line import ChangesShown

# Characters that are not allowed in a channel's name: dots separate its parts.
_UNNAMED = set(". \t\n/")


class MarkerForce(ChangesShown, ForceElement):
    """A force element between markers i and j.

    A subclass defines the action on i; the reaction on j acts at the point of i:

        F_j = -F_i,  T_j = -T_i - (p_i - p_j) × F_i   at j's origin.
    """

    name: str
    i: Marker
    j: Marker
    switched: Sequence[float] = ()

    @property
    def kind(self) -> str:
        """Noun for the element in messages."""
        return type(self).__name__

    @property
    def label(self) -> str:
        """Beginning of messages: ``Spring 'pull'``."""
        return f"{self.kind} {self.name!r}"

    @property
    def has_reaction(self) -> bool:
        """False if the force acts on i alone."""
        return True

    def is_on(self, t: Array) -> Mask:
        """Whether it acts at times t (N,); the times in `switched` turn it off and on in turn."""
        return np.searchsorted(self.switched, t, side="right") % 2 == 0

    def breaks(self, duration: float) -> Array:
        """Return times at which it is switched [s]."""
        return np.array([time for time in self.switched if time < duration])

    def on_i(self, t: Array, kinematics: Kinematics) -> tuple[Array, Array]:
        """Return force and torque on i's link at i's origin, world axes, (3, N) each [N], [N·m].

        By default their components are `values_on_i`.

        Raises
        ------
        ScenarioError
            If the force has no direction or is not finite at one of the states.
        NotImplementedError
            If a subclass implements neither this method nor a law.
        """
        law, rows = self.law_on_i, self.values_on_i(t, kinematics)
        if law is None or law.along is None:
            force = self.along_line(rows[0], t, kinematics)
            return force, np.zeros_like(force)
        R = kinematics.marker(law.along).R
        force, torque = np.einsum("abN,kbN->kaN", R, rows.reshape(2, 3, -1))
        return force, torque

    def values_on_i(self, t: Array, kinematics: Kinematics) -> Array:
        """Evaluate the expressions of its law, (1, N) or (6, N); raises as `on_i` does."""
        law = self.law_on_i
        if law is None:
            raise NotImplementedError(f"{type(self).__name__} defines no force on i")
        state, shape = StateReading(t, kinematics, law.names), kinematics.q.shape[1:]
        with np.errstate(all="ignore"):
            values = [evaluate(one, Jet.time(t), state).value for one in law.expressions]
        rows = np.stack([np.broadcast_to(x, shape) for x in values])
        if not np.isfinite(rows).all():
            terms = (undefined_term(one, Jet.time(t), state) for one in law.expressions)
            self.require_finite(rows, t, term=next(filter(None, terms), ""))
        return rows

    @property
    def components_on_i(self) -> Components | None:
        """Law on i as expressions, as from `parse_law`; None for a Python function.

        With a Python function, integration takes about fifty times as long.
        """
        return None

    @cached_property
    def law_on_i(self) -> Components | None:
        """Law of `components_on_i`, read and checked once.

        Raises
        ------
        ScenarioError
            If the number of expressions is neither 1 nor, along the axes of a marker, 6.
        """
        law = self.components_on_i
        if law is not None and len(law.expressions) != (1 if law.along is None else 6):
            raise ScenarioError(
                f"{self.label}: its law has {len(law.expressions)} expressions; give 1, the force "
                "along the line between its markers, or 6, along the axes of a marker"
            )
        return law

    def parse_law(self, *texts: str, along: Marker | None = None) -> Components:
        """Parse a law: the force along the line, or six components along a marker's axes.

        ``i`` and ``j`` in the expressions are its markers.
        """
        names = Names((replace(self.i, name="i"), replace(self.j, name="j")))
        return Components(tuple(names.parse(self.label, x).tree for x in texts), along, names)

    def wrench_changes(self, small: SmallChange) -> tuple[WrenchChange, ...] | None:
        """Return action on i and reaction on j with their changes; see `ForceElement`."""
        if self.law_on_i is None:
            return None
        if not self.is_on(small.time.value).all():
            return ()
        pairs = [WrenchChange(self.i, *self.change_on_marker(0, small))]
        if self.has_reaction:
            pairs.append(WrenchChange(self.j, *self.change_on_marker(1, small)))
        return tuple(pairs)

    def change_on_marker(self, side: int, small: SmallChange) -> tuple[Pair, Pair]:
        """Return force and torque at the marker of side i (0) or j (1), with their changes, (3, K).

        Raises
        ------
        ScenarioError
            If a slope is not finite; names the force.
        """
        law = self.law_on_i
        assert law is not None
        force, torque = change_on_i(self.label, law, (self.i, self.j), small)
        if side == 0:
            return force, torque
        if not self.has_reaction:
            none = np.zeros_like(force[0])
            return (none, none), (none, none)
        arm, darm = arm_of((self.i, self.j), small)
        moment = torque[0] + cross(arm, force[0])
        turning = torque[1] + cross(darm, force[0]) + cross(arm, force[1])
        return (-force[0], -force[1]), (-moment, -turning)

    def sides(self, small: SmallChange) -> Iterator[Array]:
        """Yield switching values of its functions and all that they read; see `ForceElement`."""
        if (law := self.law_on_i) is not None:
            for one in law.expressions:
                yield from sides_read(one, law.names, small)

    def require_name_and_markers(self) -> None:
        """Check the name and that i and j are markers.

        Raises
        ------
        ScenarioError
            If the name is not valid in a channel, or i or j is not a marker.
        """
        if not (isinstance(self.name, str) and self.name and not _UNNAMED & set(self.name)):
            raise ScenarioError(
                f"{self.kind}: name {self.name!r} must be a text without spaces, dots and slashes"
            )
        for which, marker in (("i", self.i), ("j", self.j)):
            if not isinstance(marker, Marker):
                raise ScenarioError(f"{self.label}: {which} must be a sim.Marker, got {marker!r}")

    def require_names(self, names: object) -> None:
        """Check the names available to functions; raises a ScenarioError."""
        if not isinstance(names, Names):
            raise ScenarioError(f"{self.label}: names must be a sim.Names, got {names!r}")

    def require_line(self) -> None:
        """Check that i and j are two points.

        Raises
        ------
        ScenarioError
            If they are the same point of one link.
        """
        if self.i.link == self.j.link and self.i.xyz == self.j.xyz:
            raise ScenarioError(
                f"{self.label}: markers {self.i.name!r} and {self.j.name!r} are one point of link "
                f"{self.i.link!r}; a force along the line between them has no direction"
            )

    def on_marker(self, side: int, t: Array, kinematics: Kinematics) -> tuple[Array, Array]:
        """Return force and torque at the marker of side i (0) or j (1), world axes, (3, N) each."""
        cached = kinematics.forces.get(self)
        if cached is None or cached[0] is not t:
            force, torque = self.on_i(t, kinematics)
            if self.switched:
                force, torque = self.is_on(t) * force, self.is_on(t) * torque
            cached = kinematics.forces[self] = t, (force, torque)
        action = cached[1]
        return action if side == 0 else self._reaction(action, kinematics)

    def _reaction(self, action: tuple[Array, Array], kinematics: Kinematics) -> tuple[Array, Array]:
        """Return the action at j's origin for one at i's; zero without a reaction."""
        force, torque = action
        if not self.has_reaction:
            return np.zeros_like(force), np.zeros_like(force)
        arm = kinematics.marker(self.i).p - kinematics.marker(self.j).p
        return -force, -torque - cross(arm, force)

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Channels of the force along the line and its length, or of the six components."""
        if (law := self.law_on_i) is None:
            return ()
        if law.along is None:
            return f"force.{self.name}.f", f"length.{self.name}"
        return tuple(f"force.{self.name}.{c}" for c in COMPONENTS)

    def channels(self, at: ElementState) -> Mapping[str, Array]:
        """Return values of its expressions, and the length along which a single one acts."""
        if self.law_on_i is None:
            return {}
        values = self.values_on_i(at.t, at.kinematics)
        rows = (*values, self.length(at)[0]) if len(values) == 1 else values
        return dict(zip(self.channel_names, rows, strict=True))

    def read_markers(self) -> tuple[Marker, ...]:
        """Return all markers that the force needs."""
        return self.i, self.j

    def read_angles(self) -> Iterator[Angle]:
        """Yield AX, AY and AZ in its functions."""
        if (law := self.law_on_i) is not None:
            for one in law.expressions:
                yield from law.names.angles_read(one)

    def read_forces(self) -> tuple[MarkerForce, ...]:
        """Return the other forces that its functions may read."""
        readable = () if self.law_on_i is None else self.law_on_i.names.forces
        return tuple(one for one in readable if isinstance(one, MarkerForce))

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the links of all markers exist, and the times; see `ForceElement`."""
        if not (np.isfinite(self.switched).all() and (np.diff(self.switched) >= 0.0).all()):
            raise ScenarioError(
                f"{self.label}: switched {self.switched!r} s must be finite and ascend"
            )
        require_markers(robot, self.read_markers(), self.label)

    def title(self, robot: Robot) -> str:
        """Return the text for a message."""
        return f"{self.label} acts on it"

    def wrenches(self, at: ElementState) -> tuple[AppliedWrench, ...]:
        """Return the action on i and the reaction on j, except on the world."""
        kinematics, action = at.kinematics, self.on_marker(0, at.t, at.kinematics)
        pairs = [(self.i, action)]
        if self.has_reaction:
            pairs.append((self.j, self._reaction(action, kinematics)))
        return tuple(
            AppliedWrench(marker.link, marker.point, *pair, kinematics.marker(marker).p)
            for marker, pair in pairs
            if marker_place(at.robot, marker)[0] >= 0
        )

    def slopes(self, at: ElementState) -> Slopes | None:
        """Return the slopes of its generalised forces at the joints."""
        return slopes_by_differences(self, at)

    def along_line(self, size: Array, t: Array, kinematics: Kinematics) -> Array:
        """Return a force of size (N,) that pushes i away from j, shape (3, N) [N].

        Raises
        ------
        ScenarioError
            If the markers are at one point; names them and the time.
        """
        separation = kinematics.marker(self.i).p - kinematics.marker(self.j).p
        length = np.sqrt(np.sum(separation * separation, axis=0))
        if not np.all(length > 0.0):
            time = float(np.broadcast_to(t, length.shape)[~(length > 0.0)][0])
            raise ScenarioError(
                f"{self.label}: markers {self.i.name!r} and {self.j.name!r} are at one point at "
                f"t = {time:.6g} s; a force along the line between them has no direction there"
            )
        return size / length * separation

    def require_finite(
        self, rows: Array, t: Array, what: str = "function", term: str = ""
    ) -> Array:
        """Return the values (…, N) if all are finite; `term` is the part that may not be.

        Raises
        ------
        ScenarioError
            If a value is not; names the force and the first such time.
        """
        if not np.isfinite(rows).all():
            bad = ~np.isfinite(rows).reshape(-1, rows.shape[-1]).all(axis=0)
            time = float(np.broadcast_to(t, bad.shape)[bad][0])
            at = f"{time:.6g} s{f': {term}' if term else ''}"
            raise ScenarioError(f"{self.label}: its {what} is not finite at t = {at}")
        return rows

    def length(self, at: ElementState) -> tuple[Array, Array]:
        """Return the distance of the markers and its rate, (N,) each [m], [m/s]."""
        i, j = (at.kinematics.marker(marker) for marker in (self.i, self.j))
        separation = length_of((i.p - j.p, i.v - j.v))
        return separation.value, separation.first


def sides_read(node: Node, names: Names, small: SmallChange) -> Iterator[Array]:
    """Yield the side of each switch at K states, for an expression and all that it reads."""
    state = ChangeReading(small, names)
    for part in walk(node):
        if isinstance(part, Call):
            with np.errstate(all="ignore"):
                yield from sides_of(part, small.time, state)
        elif isinstance(part, Reading) and part.name == "VARVAL":
            yield from sides_read(names.expressions[part.labels[0]].tree, names, small)
        elif isinstance(part, Reading) and part.name == "SFORCE":
            force = names.force_by_label[part.labels[0]]
            yield from force.sides(small) if isinstance(force, MarkerForce) else ()
