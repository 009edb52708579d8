"""Notes on splines that a run reads beyond their points, or whose points have another unit."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from sim.errors import ScenarioError
from sim.functions.expression import Expression
from sim.functions.spline import Spline
from sim.functions.spline_calls import reads_spline, spline_calls
from sim.functions.syntax import Call, Node, walk
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.motion.joint_motion import JointMotion
from sim.motion.point_motion import PointMotion
from sim.motion.state_torque import StateTorque, TorqueOfState
from sim.robots.names import NO_NAMES, Names
from sim.showing.one_line import count_text
from sim.simulation.answer import Answer
from sim.simulation.problem import Problem
from sim.simulation.table import solved_state

if TYPE_CHECKING:  # loaded with a scenario's elements and requests, if it has any
    from sim.dynamics.components import Components
    from sim.dynamics.force_element import ForceElement
    from sim.dynamics.marker_force import MarkerForce
    from sim.dynamics.request import Request
    from sim.dynamics.spring import Spring

LARGE = {"rad": (6.5, "degrees"), "m": (20.0, "mm")}
"""Points from here on look like this unit, where they are read by an angle or a length."""
SCARCE = 0.1  # largest share of such points that is read
ROUNDED = 1e-9  # relative to the range; a closer argument is at the end
BEYOND = {
    "polynomial": "the polynomial of its end goes on",
    "linear": "its tangent goes on",
    "none": "it has no value",
    "parabola": "the parabola through its three end points goes on",
    "line": "the line through its two end points goes on",
}


class _Law(msgspec.Struct, frozen=True):
    """A function that may read splines, and its channel."""

    channel: str
    tree: Node
    names: Names = NO_NAMES
    request: Request | None = None
    splines: Mapping[str, Spline] = msgspec.field(default_factory=dict)  # of a function of time


@dataclass
class _Beyond:
    """Distance beyond a spline's points at which it is read, with the first and farthest time.

    And the largest argument, with its unit if it is that of a function of the state.
    """

    spline: Spline
    unit: str = ""
    largest: float = 0.0
    far: float = 0.0
    x: float = 0.0
    t: float = 0.0
    channel: str = ""
    channels: dict[str, None] = field(default_factory=dict)

    def add(self, channel: str, t: Array, x: Array, unit: str) -> None:
        self.unit = unit or self.unit
        self.largest = max(self.largest, float(np.nanmax(np.abs(x), initial=0.0)))
        low, high = float(self.spline.knots[0]), float(self.spline.knots[-1])
        far = np.nan_to_num(np.maximum(low - x, x - high), nan=-np.inf)
        k = int(np.argmax(far))
        if far[k] <= ROUNDED * (high - low):
            return
        self.channels[channel] = None
        if far[k] > self.far:
            self.far, self.x, self.t = float(far[k]), float(x[k]), float(t[k])
            self.channel = channel


class SplineReads:
    """Reads of a problem's splines beyond their points, over the pieces of a run."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.laws = tuple(law for law in _laws(problem) if reads_spline(law.tree, _trees(law)))
        self.points = tuple(_splines(problem))
        self.beyond: dict[tuple[str, bytes, bytes], _Beyond] = {}

    def add(self, answer: Answer) -> None:
        """Take up the samples of an answer."""
        t = answer.t
        for channel, spline, spring in self.points:
            x, unit = t, ""
            if spring is not None:
                state = self.problem.state(answer, answer.element_states)
                x, unit = spring.length(state)[0] - spring.free_length, "m"
            self._add(f"of {channel}", spline, channel, t, x, unit)
        if not self.laws:
            return
        from sim.dynamics.request_reading import RequestReading

        at = solved_state(self.problem, answer)
        motors = self.problem.path.actuation
        names = motors.state_names if isinstance(motors, TorqueOfState) else ()
        z = dict(zip((n.upper() for n in names), answer.actuator_states, strict=True))
        for law in self.laws:
            reading = (
                RequestReading(at, law.names, law.request.joints)
                if law.request is not None
                else StateReading(t, at.kinematics, law.names, z)
            )
            named = {**law.names.splines, **law.splines}
            # if an argument cannot be evaluated, the law itself has raised
            with contextlib.suppress(ScenarioError):
                for spline, node, x in spline_calls(law.tree, t, reading, _trees(law)):
                    keys = (key for key, one in named.items() if one.knots is spline.knots)
                    unit = _unit_of(node, law.names)
                    self._add(next(keys, ""), spline, law.channel, t, x, unit)

    def notes(self) -> tuple[str, ...]:
        """Return a note on each spline that is read beyond its points, and on units of points."""
        units = (_question(name, one) for (name, *_), one in self.beyond.items())
        beyond = (_note(name, one) for (name, *_), one in self.beyond.items() if one.far)
        return *filter(None, units), *beyond

    def _add(self, name: str, spline: Spline, channel: str, t: Array, x: Array, unit: str) -> None:
        key = name.lower(), spline.knots.tobytes(), spline.values.tobytes()
        self.beyond.setdefault(key, _Beyond(spline)).add(channel, t, x, unit)


def _unit_of(node: Node, names: Names) -> str:
    """Return the unit of a spline's argument; empty if a factor in it may convert it."""
    from sim.dynamics.request_units import unit_of

    trees = [node, *(names.expressions[name].tree for name in names.variables_read(node))]
    parts = (part for tree in trees for part in walk(tree) if isinstance(part, Call))
    return "" if any(part.name in ("*", "/") for part in parts) else unit_of(node, names)


def _question(name: str, one: _Beyond) -> str:
    """Return the question whether points are in degrees or mm; empty if they may be in SI units."""
    large, unit = LARGE.get(one.unit, (np.inf, ""))
    ends = float(np.abs(one.spline.knots[[0, -1]]).max())
    if ends < large or one.largest > SCARCE * ends:
        return ""
    of = f"spline {name}" if name else "a spline"
    return (
        f"{of} has points up to {ends:.6g} {one.unit} and is read up to {one.largest:.4g} "
        f"{one.unit}: are its points in {unit}?"
    )


def _note(name: str, one: _Beyond) -> str:
    low, high = one.spline.knots[[0, -1]]
    others = len(one.channels) - 1
    who = f"{one.channel} and {count_text(others, 'other channel')} read"
    of = f"spline {name}" if name else "a spline"
    end = "last" if one.x > high else "first"
    if not others:
        who = f"{one.channel} reads"
    return (
        f"{of} is read beyond its {end} point, which is extrapolation: its points are from "
        f"{low:.6g} to {high:.6g}, and {who} it at {one.x:.6g}, {one.far:.6g} "
        f"beyond, at t = {one.t:.6g} s; there {BEYOND[one.spline.extrapolate]}"
    )


def _trees(law: _Law) -> dict[str, Node]:
    return {name: one.tree for name, one in law.names.expressions.items()}


def _of_time(channel: str, function: object) -> Iterator[_Law]:
    if isinstance(function, Expression):
        yield _Law(channel, function.tree, splines=function.splines)


def _laws(problem: Problem) -> Iterator[_Law]:
    """Yield all laws that may read a spline in a call."""
    scenario = problem.scenario
    for channel, function in _drives(problem):
        yield from _of_time(channel, function)
        if isinstance(function, StateTorque):
            yield _Law(channel, function.expression.tree, function.names)
            for name, rate in function.names.rates.items():
                yield _Law(f"dif.{name.lower()}", rate.tree, function.names)
    if scenario.elements:
        yield from _laws_of_elements(scenario.elements)
    for request in scenario.requests:
        for component, expression in request.expressions.items():
            yield _Law(request.channel(component), expression.tree, request.names, request)


def _laws_of_elements(elements: Sequence[ForceElement]) -> Iterator[_Law]:
    from sim.dynamics.force import Force
    from sim.dynamics.marker_force import MarkerForce
    from sim.dynamics.states import States

    for element in elements:
        if isinstance(element, Force):
            for function in element.functions:
                yield from _of_time(f"force.{element.name or element.frame}", function)
        elif isinstance(element, States):
            for name, rate in element.names.rates.items():
                yield _Law(f"dif.{name.lower()}", rate.tree, element.names)
        elif isinstance(element, MarkerForce) and (law := _law_of(element)) is not None:
            for tree in law.expressions:
                yield _Law(f"force.{element.name}", tree, law.names)


def _law_of(force: MarkerForce) -> Components | None:
    """Return the law of a force on i; None for a spring with a spline, see `_splines`."""
    from sim.dynamics.spring import Spring

    is_spline = isinstance(force, Spring) and isinstance(force.function, Spline)
    return None if is_spline else force.law_on_i


def _drives(problem: Problem) -> Iterator[tuple[str, object]]:
    """Yield the channel and the function of each drive."""
    motion, path = problem.scenario.motion, problem.scenario.path
    if isinstance(motion, JointMotion):
        groups = {"displacement": "q", "velocity": "qd", "acceleration": "qdd", "torque": "tau"}
        for joint, (level, function) in motion.drives.items():
            yield f"{groups[level]}.{joint}", function
    for one in dict.fromkeys(each for each in (motion, path) if isinstance(each, PointMotion)):
        yield from ((f"target.{component}", f) for component, f in one.functions.items())


def _splines(problem: Problem) -> Iterator[tuple[str, Spline, Spring | None]]:
    """Yield splines that are themselves a drive or a spring's law, with their channels."""
    for channel, function in _drives(problem):
        if isinstance(function, Spline):
            yield channel, function, None
    if not problem.scenario.elements:
        return
    from sim.dynamics.spring import Spring

    for element in problem.scenario.elements:
        if isinstance(element, Spring) and isinstance(element.function, Spline):
            yield f"force.{element.name}", element.function, element
