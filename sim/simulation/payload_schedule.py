"""Schedule of payloads that are picked up and set down during a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from msgspec import Struct, structs

from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask
from sim.maths.sampling import SAME_TIME
from sim.robots.payload import Payload
from sim.robots.robot import Robot
from sim.scenario.payload_events import PayloadEvent, PickUp


class Stage(Struct, frozen=True, eq=False):
    """A part of the run with constant masses.

    Parameters
    ----------
    begin : float
        Beginning [s]; a sample at an event belongs to the stage after it.
    robot : Robot
        Robot with the payloads carried; other payloads are links without mass.
    carried : mapping of str to bool
        Whether the link of each payload of the run is carried.
    """

    begin: float
    robot: Robot
    carried: Mapping[str, bool]


class PayloadSchedule(Struct, frozen=True, eq=False):
    """A robot with all payloads of a run, and the stages in which it carries some of them.

    Parameters
    ----------
    robot : Robot
        Robot with every payload attached, one link each.
    links : mapping of str to str
        Link of each payload, by the payload's name.
    stages : tuple of Stage
    events : tuple of PayloadEvent
        In order of time.
    """

    robot: Robot
    links: Mapping[str, str]
    stages: tuple[Stage, ...]
    events: tuple[PayloadEvent, ...] = ()

    def split(self, t: Array) -> Iterator[tuple[slice, Stage]]:
        """Yield the slices of ascending times `t` [s] in each stage, with the stage."""
        begins = np.array([stage.begin for stage in self.stages])
        edges = [0, *np.searchsorted(t, begins[1:] - SAME_TIME), t.size]
        for stage, (begin, end) in zip(self.stages, pairwise(edges), strict=True):
            if end > begin:
                yield slice(begin, end), stage

    def evaluate(
        self, t: Array, kernel: Callable[[Robot, slice], tuple[Array, ...]]
    ) -> list[Array]:
        """Evaluate a kernel for each stage's robot and samples, and join its arrays in time."""
        parts = [kernel(stage.robot, part) for part, stage in self.split(t)]
        return [np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True)]

    def is_carried(self, link: str, t: Array) -> Mask:
        """Whether a link is no payload, or a payload that is carried, at each time, shape (N,)."""
        mask = np.ones(t.size, dtype=bool)
        if link in self.links.values():
            for part, stage in self.split(t):
                mask[part] = stage.carried[link]
        return mask

    @property
    def times(self) -> Array:
        """Times of the events after the start [s]."""
        return np.array([stage.begin for stage in self.stages[1:]])


def payload_schedule(
    robot: Robot,
    events: Sequence[PayloadEvent],
    t: Array,
    waiting: Sequence[PickUp] = (),
    *,
    is_on_sample: bool = True,
) -> PayloadSchedule:
    """Return the payload schedule over the sample times `t` (N,) [s].

    Parameters
    ----------
    waiting : sequence of PickUp
        Payloads that have a link and are not picked up.
    is_on_sample : bool
        Whether each event must be on a sample.

    Raises
    ------
    ScenarioError
        If an event is outside the run or between two samples, picks up a payload already carried,
        or sets down one that is not.
    ModelError
        If a payload's frame is unknown.
    """
    for event in events:
        _require_in_run(event, t)
        if is_on_sample:
            _require_on_sample(event, t, is_at_event=bool(waiting))
    ordered = tuple(sorted(events, key=lambda event: event.time))
    loaded, links = _with_payloads(robot, (*waiting, *ordered))
    carried: frozenset[str] = frozenset()
    stages = [_stage(loaded, links, float(t[0]), carried)]
    for event in ordered:
        carried = _links_after(event, links, carried)
        if event.time - stages[-1].begin < SAME_TIME:
            stages.pop()
        stages.append(_stage(loaded, links, event.time, carried))
    return PayloadSchedule(loaded, links, tuple(stages), ordered)


def _with_payloads(robot: Robot, events: Sequence[PayloadEvent]) -> tuple[Robot, dict[str, str]]:
    """Return the robot with every payload attached, and the links of the payloads."""
    links: dict[str, str] = {}
    bodies: dict[str, Payload] = {}
    for event in events:
        if not isinstance(event, PickUp):
            continue
        body = event.payload
        if bodies.setdefault(event.name, body) is not body:
            raise ScenarioError(f"Two payloads are called {event.name!r}; give each its own name")
        if event.name not in links:
            heavier = robot.with_payload(body.mass, body.com, body.inertia, body.frame)
            if heavier is robot:
                raise ScenarioError(
                    f"Payload {event.name!r} picked up at {event.time:g} s has no mass"
                )
            links[event.name] = _new_link(robot, heavier)
            robot = heavier
    return robot, links


def _new_link(before: Robot, after: Robot) -> str:
    """Return the link that a robot has gained."""
    (name,) = {link.name for link in after.links} - {link.name for link in before.links}
    return name


def _stage(loaded: Robot, links: Mapping[str, str], begin: float, carried: frozenset[str]) -> Stage:
    is_carried = {link: link in carried for link in links.values()}
    if all(is_carried.values()):
        return Stage(begin, loaded, is_carried)
    bodies = tuple(
        k if is_carried.get(k.name, True) else structs.replace(k, inertia=None)
        for k in loaded.links
    )
    return Stage(begin, replace(loaded, links=bodies), is_carried)


def _links_after(
    event: PayloadEvent, links: Mapping[str, str], carried: frozenset[str]
) -> frozenset[str]:
    """Return the links carried after an event."""
    link = links.get(event.name, "")
    if isinstance(event, PickUp):
        if link in carried:
            raise ScenarioError(
                f"Payload {event.name!r} is picked up at {event.time:g} s but carried already"
            )
        return carried | {link}
    if link not in carried:
        held = ", ".join(sorted(name for name, one in links.items() if one in carried))
        raise ScenarioError(
            f"Payload {event.name!r} is set down at {event.time:g} s but not carried; "
            f"carried then: {held or 'none'}"
        )
    return carried - {link}


def _require_in_run(event: PayloadEvent, t: Array) -> None:
    what = "picked up" if isinstance(event, PickUp) else "set down"
    if not t[0] <= event.time <= t[-1]:  # also refuses NaN
        raise ScenarioError(
            f"Payload {event.name!r} is {what} at {event.time:g} s, outside the run "
            f"({t[0]:g} s to {t[-1]:g} s)"
        )


def _require_on_sample(event: PayloadEvent, t: Array, *, is_at_event: bool) -> None:
    if np.min(np.abs(t - event.time)) > SAME_TIME:
        what = "picked up" if isinstance(event, PickUp) else "set down"
        remedy = f"choose a multiple of dt = {t[1] - t[0]:g} s"
        if is_at_event:
            remedy = "at an event that needs method 'ideal' or 'adaptive'"
        raise ScenarioError(
            f"Payload {event.name!r} is {what} at {event.time:.9g} s, between two samples; {remedy}"
        )
