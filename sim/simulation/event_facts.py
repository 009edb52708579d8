"""Description of a run's events that waited for conditions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import msgspec
import numpy as np

from sim.dynamics.lagrange import energies
from sim.dynamics.passages import Passage
from sim.maths.sampling import SAME_TIME
from sim.recording.schema.description import Run
from sim.recording.schema.event_facts import ConditionFacts, OccurrenceFacts
from sim.recording.schema.facts import EventFacts
from sim.scenario.after_events import phase_end
from sim.scenario.events import PHASE_END, EndPhase, SwitchOff, SwitchOn
from sim.scenario.scenario import Scenario
from sim.simulation.event_search import Course, Courses


def with_conditions(described: Run, scenario: Scenario, courses: Courses) -> Run:
    """Add the times of events, and notes on those that did not occur, to the description."""
    facts = tuple(_facts(scenario, courses))
    notes = tuple(
        f"Event {one.condition!r} did not happen: its condition never changed from false to true"
        for one in facts
        if not one.occurrences
    )
    waiting = tuple(
        f"Event {facts[k].condition!r} is true at the start; it waits until it has been false, as "
        "is assumed of a SENSOR that ends a simulation, of which ADAMS's pages do not say it"
        for k in courses.waiting
    )
    events = tuple(_with_energies(event, courses.recorded) for event in described.events)
    notes = (*described.notes, *waiting, *notes, *_acting_from_start(scenario, courses))
    return msgspec.structs.replace(described, conditions=facts, events=events, notes=notes)


def _acting_from_start(scenario: Scenario, courses: Courses) -> Iterator[str]:
    """Yield notes on elements that an event switches on while they act from the start."""
    first: dict[str, SwitchOn | SwitchOff] = {}
    for passage in courses.analytic.passages:
        for action in scenario.conditions[passage.number].actions:
            if isinstance(action, SwitchOn | SwitchOff):
                first.setdefault(action.name, action)
    actions = [action for event in scenario.conditions for action in event.actions]
    turned_off = {action.name for action in actions if isinstance(action, SwitchOff)}
    for name, earliest in first.items():
        if isinstance(earliest, SwitchOn) and name in turned_off:
            yield (
                f"{name!r} acts from the start, as an event also switches it off; "
                f"if it must not: sim.When('TIME >= 0', sim.SwitchOff({name!r}))"
            )


def _facts(scenario: Scenario, courses: Courses) -> Iterator[ConditionFacts]:
    for number, event in enumerate(scenario.conditions):
        by_engine, by_model = (
            [one for one in course.passages if one.number == number]
            for course in (courses.recorded, courses.analytic)
        )
        yield ConditionFacts(
            condition=event.condition,
            then=tuple(map(str, event.actions)),
            repeat=event.repeat,
            occurrences=tuple(
                _occurrence(scenario, courses, recorded, analytic)
                for recorded, analytic in zip_longest(by_engine, by_model)
            ),
        )


def _occurrence(
    scenario: Scenario, courses: Courses, recorded: Passage | None, analytic: Passage | None
) -> OccurrenceFacts:
    problem, either = courses.analytic.problem, analytic or recorded
    assert either is not None
    robot = problem.robot
    course = courses.analytic if analytic else courses.recorded
    cause = _cause(scenario, course.passages, either)
    by_position, by_velocity = courses.conditions[cause.number].sensitivity(robot, cause)
    known = problem.method.solves_motion | ~problem.path.free
    rows = [(name, k) for k, name in enumerate(robot.row_names) if known[k]]
    return OccurrenceFacts(
        t=None if analytic is None else analytic.t,
        recorded=None if recorded is None else recorded.t,
        rate=cause.rate,
        by_position=by_position,
        by_velocity=by_velocity,
        q={name: float(either.q[k]) for name, k in rows},
        qd={name: float(either.qd[k]) for name, k in rows},
    )


def _cause(scenario: Scenario, passages: tuple[Passage, ...], one: Passage) -> Passage:
    """Return the event from which the duration counts that ends a phase; of others, the event."""
    if PHASE_END in scenario.conditions[one.number].names.variables:
        before = passages[: passages.index(one)]
        events = [(scenario.conditions[earlier.number], earlier.t) for earlier in before]
        end, duration = phase_end(events)
        for earlier, (event, t) in zip(before, events, strict=True):
            ends_phase = any(isinstance(action, EndPhase) for action in event.actions)
            if end and duration and ends_phase and abs(end - duration - t) <= SAME_TIME:
                return _cause(scenario, passages, earlier)
    return one


def _with_energies(event: EventFacts, course: Course) -> EventFacts:
    """Return a payload event between two samples with the energies at its own time."""
    problem = course.problem
    for one in course.passages:
        if abs(one.t - event.t) > SAME_TIME or np.min(np.abs(problem.t - event.t)) <= SAME_TIME:
            continue
        sign = 1.0 if event.kind == "pick up" else -1.0
        links, ke, pe = energies(problem.robot, one.q[:, None], one.qd[:, None], problem.gravity)
        row = links.index(event.link)
        ke_pe = {"ke": sign * float(ke[row, 0]), "pe": sign * float(pe[row, 0])}
        return msgspec.structs.replace(event, **ke_pe)
    return event
