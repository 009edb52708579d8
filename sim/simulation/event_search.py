"""Search for the times at which a scenario's conditions become true, by the model and the engine.

A motion is followed until the first condition becomes true; then the scenario including the effect
of that event is followed further, and so on. With all times known it is a scenario without
conditions, which is run like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from msgspec import structs

from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.integration import segment_to_passage
from sim.dynamics.passages import Condition, Passage, Watch
from sim.dynamics.smooth_pieces import MotionSegment
from sim.engines.coupled import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ScenarioError
from sim.kinematics.forward import Kinematics
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.scenario.after_events import (
    Occurrence,
    after_events,
    is_ended,
    payloads_of_events,
    phase_end,
)
from sim.scenario.events import PHASE_END, Evaluate, When
from sim.scenario.scenario import Scenario
from sim.simulation.build_problem import build_problem
from sim.simulation.model_answer import stages_of_model
from sim.simulation.problem import Problem

# Largest number of events of a run; and the interval below which repeated events are endless [s].
MOST_EVENTS, SOONEST = 200, 1e-5

SAMPLES = 32  # samples of a prescribed motion between two evaluations of its conditions


@dataclass(frozen=True, eq=False)
class Course:
    """Events of a run as found by the engine or by the model.

    Parameters
    ----------
    problem : Problem
        Problem in which all events have times.
    passages : tuple of Passage
        Events of the conditions, in order of time.
    """

    problem: Problem
    passages: tuple[Passage, ...]


@dataclass(frozen=True, eq=False)
class Courses:
    """Events of a run as found by engine and model, and their conditions."""

    conditions: tuple[Condition, ...]
    recorded: Course
    analytic: Course
    waiting: tuple[int, ...]  # conditions that are true at the start, and must first become false


# Returns the next event of a motion after the last one; None if there is none.
Follow = Callable[[Problem, Watch], Passage | None]


def courses_of(scenario: Scenario) -> Courses:
    """Find the events of a scenario, by the engine and by the model.

    Raises
    ------
    ScenarioError
        If a condition cannot be read, is true at the start, or repeatedly becomes true at once; or
        if it depends on the state of joints that the method does not solve for.
    """
    search = _EventSearch(scenario)
    if search.is_prescribed:
        recorded = analytic = search.passages(_along_path)
    else:
        analytic = search.passages(_Solver(stages_of_model))
        robot, payloads = search.first.robot, tuple(search.first.payloads.links.values())
        with open_engine(
            scenario.engine, robot, scenario.gravity, keep_separate=payloads
        ) as engine:

            def by_engine(problem: Problem) -> list[tuple[float, HybridDynamics]]:
                return [
                    (stage.begin, EngineDynamics(engine, stage.robot, stage.carried))
                    for stage in problem.payloads.stages
                ]

            recorded = search.passages(_Solver(by_engine))
    cut = search.shorten(analytic)
    at_engine, at_model = (
        Course(search.problem(cut, each), tuple(each)) for each in (recorded, analytic)
    )
    return Courses(search.conditions, at_engine, at_model, search.waiting)


class _EventSearch:
    """Conditions of a scenario, and the problems that result from its events."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.payloads = payloads_of_events(scenario)
        self.waiting: tuple[int, ...] = ()
        robot = scenario.robot
        self.conditions = tuple(
            Condition.of(event.label, event.condition, event.names, robot)
            for event in scenario.conditions
        )
        self.angles = tuple(a for one in self.conditions for a in one.read_angles())
        self.first = self.problem(scenario, ())
        # with a controller, at whose instants no solver looks, only time conditions are possible
        self.is_prescribed = not self.first.method.solves_motion or scenario.controller is not None
        if self.is_prescribed:
            self._require_prescribed()

    def _require_prescribed(self) -> None:
        """Check that no condition depends on a motion that is unknown before the run."""
        if not self.first.path.free.any():
            return
        for one in self.conditions:
            if one.reads_state:
                is_stepped = self.scenario.controller is None
                why = (
                    f"joint {self.first.first_free!r} is free, and method "
                    f"{self.scenario.method!r} watches a prescribed motion only; use method "
                    "'adaptive'"
                    if is_stepped
                    else "under a sampled controller only conditions of TIME are watched"
                )
                raise ScenarioError(f"{one.label} depends on the state, but {why}")

    def problem(
        self, scenario: Scenario, passages: Sequence[Passage], *, is_whole: bool = True
    ) -> Problem:
        """Return the problem of a scenario whose events occurred at these passages.

        It may be valid only from the last one on.
        """
        known = [self._occurrence(scenario, one) for one in passages]
        during = [one for one in known if one.t <= scenario.duration]
        resolved = after_events(scenario, during, is_whole=is_whole)
        return build_problem(resolved, self.payloads, self.angles)

    def _occurrence(self, scenario: Scenario, passage: Passage) -> Occurrence:
        """Return an event at a passage, with its expressions evaluated there."""
        event = self.scenario.conditions[passage.number]
        names = self.conditions[passage.number].names
        t = np.array([passage.t])
        states = {name: np.array([value]) for name, value in passage.states.items()}
        kinematics = Kinematics(
            self.scenario.robot, passage.q[:, None], passage.qd[:, None], states
        )
        state = StateReading(t, kinematics, names)
        values = tuple(
            float(names.parse(event.label, action.function).value(t, state)[0])
            for action in event.actions
            if isinstance(action, Evaluate)
        )
        return Occurrence(event, _on_sample(scenario, passage.t), values)

    def passages(self, follow: Follow) -> list[Passage]:
        """Return all events of conditions up to the end of the run."""
        events = self.scenario.conditions
        may_hold = [one.repeat and not one.waits for one in events]
        waits = [one.waits for one in events]
        watch = Watch(self.conditions, may_hold, waits, self._breaks())
        passages = list[Passage]()
        problem = self.first
        while (passage := follow(problem, watch)) is not None:
            event = self.scenario.conditions[passage.number]
            passages.append(passage)
            self._require_end(passages)
            if self._is_ended(passages):
                break
            watch.is_over[passage.number] = not event.repeat
            watch.conditions = self._conditions_after(passages)
            problem = self.problem(self.scenario, passages, is_whole=False)
        self.waiting = watch.waiting
        return passages

    def _is_ended(self, passages: Sequence[Passage]) -> bool:
        """Whether the last of the events ends the run."""
        return is_ended(self._events(passages))

    def _events(self, passages: Sequence[Passage]) -> list[tuple[When, float]]:
        """Return the events that occurred, with their times [s]."""
        return [(self.scenario.conditions[one.number], one.t) for one in passages]

    def _conditions_after(self, passages: Sequence[Passage]) -> tuple[Condition, ...]:
        """Return the conditions, at the end of the present phase if they wait for it."""
        (end, _), conditions = phase_end(self._events(passages)), list(self.conditions)
        for k, event in enumerate(self.scenario.conditions):
            if end is not None and PHASE_END in event.names.variables:
                names = replace(event.names, variables={PHASE_END: repr(end)})
                robot = self.scenario.robot
                conditions[k] = Condition.of(event.label, event.condition, names, robot)
        return tuple(conditions)

    def _breaks(self) -> Array:
        """Return times where a condition may jump because of time alone [s]."""
        times = [one.breaks(self.scenario.duration) for one in self.conditions]
        return np.unique(np.concatenate(times))

    def _require_end(self, passages: Sequence[Passage]) -> None:
        """Check that events do not repeat endlessly."""
        last = passages[-1]
        times = [one.t for one in passages if one.number == last.number]
        is_soon = len(times) > 1 and times[-1] - times[-2] < SOONEST
        if len(passages) <= MOST_EVENTS and not is_soon:
            return
        raise ScenarioError(
            f"{self.conditions[last.number].label} repeats endlessly: "
            f"{len(times)} times up to t = {last.t:.9g} s, the last two "
            f"{times[-1] - times[-2]:.3g} s apart; leave a distance between the conditions that "
            "undo each other, or let it happen once"
        )

    def shorten(self, passages: Sequence[Passage]) -> Scenario:
        """Return the scenario up to the last sample at or before the event that ends it."""
        scenario = self.scenario
        if not self._is_ended(passages):
            return scenario
        end = passages[-1].t
        steps = int((end + SAME_TIME) / scenario.dt)
        if steps < 1:
            raise ScenarioError(
                f"{self.conditions[passages[-1].number].label} ends the run at t = {end:.6g} s, "
                f"before its first sample after the start, at {scenario.dt:g} s"
            )
        return replace(scenario, duration=round(float(scenario.times[steps]), 12))


def _on_sample(scenario: Scenario, t: float) -> float:
    """Return the time of an event, or that of the sample with which it coincides [s]."""
    nearest = min(round(t / scenario.dt), scenario.times.size - 1)
    sample = float(scenario.times[nearest])
    return sample if abs(t - sample) <= SAME_TIME else t


class _Solver:
    """Follows a motion that is solved for, from event to event."""

    def __init__(self, stages: Callable[[Problem], list[tuple[float, HybridDynamics]]]) -> None:
        self.stages = stages
        self.last: tuple[Mechanism, MotionSegment] | None = None

    def __call__(self, problem: Problem, watch: Watch) -> Passage | None:
        """Return the next event."""
        stages, path = self.stages(problem), problem.broken_path
        path = structs.replace(path, corners=np.union1d(path.corners, watch.breaks))
        self.last = segment_to_passage(stages, path, problem.t, problem.loads, watch, self.last)
        return None if self.last is None else self.last[1].passed


def _along_path(problem: Problem, watch: Watch) -> Passage | None:
    """Return the next event of a prescribed motion."""

    def states(t: Array) -> Kinematics:
        return problem.state(problem.prescribed_motion(t)).kinematics

    begin = max(watch.since, float(problem.t[0]))
    edges = np.unique([*problem.t[::SAMPLES], problem.t[-1], *problem.breaks, *watch.breaks])
    inside = edges[(edges > begin) & (edges <= problem.t[-1])]
    for low, high in pairwise([begin, *inside.tolist()]):
        passage = watch.first_passage(low, high, problem.t, states)
        if passage is not None:
            return passage
    return None
