"""Request: recorded curves as expressions of the state, accelerations and reactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np

from sim.dynamics.joint_ends import JointEnds
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.request_kinds import request_channel
from sim.dynamics.request_reading import RequestReading, SolvedState, ends_in
from sim.dynamics.request_units import NO_UNIT, unit_of
from sim.errors import ExpressionError, ModelError, ScenarioError
from sim.functions.expression import StateExpression
from sim.functions.state_functions import EULER_PARAMETERS, GROUND
from sim.functions.syntax import Reading
from sim.kinematics.forward import marker_place
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.marker import Angle
from sim.robots.names import NO_NAMES, Names
from sim.robots.robot import Robot
from sim.showing.one_line import count_text, one_line

GROUPS = ("request", "variable", "part", "result")  # first parts of channel names

SUMS = frozenset({f"{kind}{axis}" for kind in "FT" for axis in "MXYZ"})

_UNNAMED = set(". \t\n/")  # characters not allowed in a part of a channel's name


@checked
@dataclass(frozen=True, eq=False)
class Request:
    """Recorded curves: channels ``request.<name>.<component>``.

    Parameters
    ----------
    name : str
    functions : mapping of str to str or float
        Expression by component, such as ``{"height": "DZ(tip, base)"}``: of TIME, of the functions
        of state that forces use, and of results: accelerations ``ACCX``, ``WDTX`` …, orientations
        ``PSI``, ``YAW``, ``ORIENT`` …, a joint's constraint force ``JOINT(id, jflag, comp, rm)``,
        its drive's ``MOTION(…)``, and all forces between two markers, ``FX(i, j)`` ….
    names : Names
        Names available to the functions.
    joints : sequence of JointEnds
        Joints with names of their own, and their markers. Other joints of the robot have their own
        names, with I on the child and J on the parent; so have loops, with I on b and J on a.
    group : {"request", "variable", "part", "result"}
        Channels are ``<group>.<name>.<component>``, for ``variable`` without the name.

    Raises
    ------
    ScenarioError
        If the group is unknown, a name cannot be part of a channel's, or there is no function.
    ExpressionError
        If a function cannot be read; the message shows the place.

    References
    ----------
    MSC Adams Solver, statement REQUEST and function reference.
    """

    name: str
    functions: Mapping[str, str | float]
    _: KW_ONLY
    names: Names = NO_NAMES
    joints: Sequence[JointEnds] = ()
    group: str = "request"

    def __post_init__(self) -> None:
        if self.group not in GROUPS:
            raise ScenarioError(
                f"Request {self.name!r}: group {self.group!r}: choose one of {', '.join(GROUPS)}"
            )
        for what, word in (("name", self.name), *(("component", one) for one in self.functions)):
            if not (isinstance(word, str) and word and not _UNNAMED & set(word)):
                raise ScenarioError(
                    f"Request: {what} {word!r} must be a text without spaces, dots and slashes"
                )
        if not isinstance(self.names, Names):
            raise ScenarioError(f"{self.label}: names must be a sim.Names, got {self.names!r}")
        if not self.functions:
            raise ScenarioError(f"{self.label}: it has no function")
        object.__setattr__(self, "joints", tuple(self.joints))
        for component, expression in self.expressions.items():
            for reading in expression.readings:
                self._require_component(component, expression, reading)

    def __repr__(self) -> str:
        return one_line(f"Request {self.name}:", count_text(len(self.functions), "function"))

    @property
    def label(self) -> str:
        """Beginning of messages."""
        return f"Request {self.name!r}"

    @cached_property
    def expressions(self) -> Mapping[str, StateExpression]:
        """The functions by component."""
        return {
            component: self.names.parse_request(f"{self.label}, {component}", text)
            for component, text in self.functions.items()
        }

    @cached_property
    def units(self) -> Mapping[str, str]:
        """Unit of each channel."""
        items = self.expressions.items()
        if self.group == "variable":  # as in ADAMS: in the units of its deck
            return {self.channel(c): NO_UNIT for c, _ in items}
        return {self.channel(c): unit_of(one.tree, self.names) for c, one in items}

    def channel(self, component: str) -> str:
        """Return the channel of a component."""
        return request_channel(self.group, self.name, component)

    def require_usable(self, robot: Robot) -> None:
        """Check that the links, joints and forces in its functions exist.

        Raises
        ------
        ModelError, ScenarioError
            If one does not; names the request, and those that exist.
        """
        try:
            for expression in self.expressions.values():
                for marker in self.names.markers_read(expression):
                    marker_place(robot, marker)
                for reading in expression.readings:
                    if reading.name in ("JOINT", "MOTION"):
                        ends_in(robot, self.joints, reading.labels[0])
                    elif reading.name in SUMS:
                        self._require_between(reading)
        except ModelError as error:
            raise ModelError(f"{self.label}: {error}") from None

    def read_forces(self) -> tuple[MarkerForce, ...]:
        """Return the forces that its functions may read."""
        return tuple(one for one in self.names.forces if isinstance(one, MarkerForce))

    def read_angles(self) -> Iterator[Angle]:
        """Yield AX, AY and AZ in its functions."""
        for one in self.expressions.values():
            yield from self.names.angles_read(one.tree)

    def channels(self, at: SolvedState) -> dict[str, Array]:
        """Return the values of the curves, (N,) each, at N solved states.

        Raises
        ------
        ScenarioError
            If one is not finite; names it and the time.
        """
        state, curves = RequestReading(at, self.names, self.joints), {}
        for component, expression in self.expressions.items():
            try:
                values = expression.value(at.t, state)
            except ScenarioError as error:
                if self.group == "variable":
                    values = np.full(at.t.shape, np.nan)
                    curves[self.channel(component)] = values
                    continue
                raise ScenarioError(f"{self.label}, {component}: {error}") from None
            if self.group != "variable" and not np.isfinite(values).all():
                time = float(at.t[~np.isfinite(values)][0])
                raise ScenarioError(
                    f"{self.label}, {component}: {expression.text!r} is not finite at "
                    f"t = {time:.6g} s"
                )
            curves[self.channel(component)] = values
        return curves

    def _require_between(self, reading: Reading) -> None:
        """Check that a force or joint in a function acts between two markers, or on one."""
        by_label = self.names.marker_by_label
        if (*reading.labels, GROUND)[1] == GROUND:
            marker = by_label.get(reading.labels[0])
            if not any(one.i == marker and not one.has_reaction for one in self.read_forces()):
                raise ScenarioError(
                    f"{self.label}: {reading.name}({reading.labels[0].lower()}): no action-only "
                    "force of its names acts on this marker; name two markers to read what acts "
                    "between them"
                )
            return
        pair = {by_label.get(label) for label in reading.labels[:2]}
        acting = [{one.i, one.j} for one in self.read_forces()]
        acting += [{one.i, one.j} for one in self.joints]
        if pair not in acting:
            raise ScenarioError(
                f"{self.label}: {reading.name}({', '.join(reading.labels[:2]).lower()}): no force "
                "of its names and none of its joints acts between these markers"
            )

    def _require_component(
        self, component: str, expression: StateExpression, reading: Reading
    ) -> None:
        """Refuse a fourth component of three angles."""
        is_angle = reading.name == "ORIENT" and reading.numbers[0] != EULER_PARAMETERS
        if is_angle and reading.numbers[1] == 4:
            raise ExpressionError(
                f"{self.label}, {component}: a sequence of angles has components 1 to 3",
                expression.text,
                reading.position,
            )
