"""When the conditions of a scenario become true, by the model and by the engine.

A motion is followed until the first condition becomes true; the scenario with what that event does
from its time on is followed further, and so on. With all times known it is a scenario without
conditions, which is run like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.hybrid import HybridDynamics, LagrangianDynamics
from sim.dynamics.passage_search import segment_to_passage
from sim.dynamics.passages import Condition, Passage, Watch
from sim.dynamics.smooth_pieces import MotionSegment
from sim.engines.coupled import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ScenarioError
from sim.kinematics.forward import Kinematics
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.scenario.after_events import Occurrence, after_events, ends_run, payloads_of_events
from sim.scenario.events import Evaluate
from sim.scenario.scenario import Scenario
from sim.simulation.build_problem import build_problem
from sim.simulation.problem import Problem

# More events than these in a run are without end, and so is one that happens so soon again [s].
MOST_EVENTS, SOONEST = 200, 1e-5

SAMPLES = 32  # of a prescribed motion between two looks at its conditions


@dataclass(frozen=True, eq=False)
class Course:
    """What happens in a run by one of its two answers.

    Parameters
    ----------
    problem : Problem
        All events have their times.
    passages : tuple of Passage
        When which condition becomes true, in order of time.
    """

    problem: Problem
    passages: tuple[Passage, ...]


@dataclass(frozen=True, eq=False)
class Courses:
    """What happens in a run by engine and model, and the conditions of its events."""

    conditions: tuple[Condition, ...]
    recorded: Course
    analytic: Course
    waiting: tuple[int, ...]  # conditions that are true at the start, and must be false first


# The next passage of a motion from the last one on; None if there is none.
Follow = Callable[[Problem, Watch], Passage | None]


def courses_of(scenario: Scenario) -> Courses:
    """What happens in a scenario, by the engine and by the model.

    Raises
    ------
    ScenarioError
        If a condition cannot be read, is true at the start, or becomes true again and again at
        once; or if it is one of the state of joints that the method does not solve for.
    """
    search = _EventSearch(scenario)
    if search.is_prescribed:
        recorded = analytic = search.passages(_along_path)
    else:
        analytic = search.passages(_Solver(_by_model))
        robot, payloads = search.first.robot, tuple(search.first.payloads.links.values())
        with open_engine(
            scenario.engine, robot, scenario.gravity, keep_separate=payloads
        ) as engine:

            def by_engine(problem: Problem) -> list[tuple[float, HybridDynamics]]:
                return [
                    (
                        stage.begin,
                        EngineDynamics(
                            engine, stage.robot, {one: one in stage.carried for one in payloads}
                        ),
                    )
                    for stage in problem.payloads.stages
                ]

            recorded = search.passages(_Solver(by_engine))
    cut = search.shorten(analytic)
    at_engine, at_model = (
        Course(search.problem(cut, each), tuple(each)) for each in (recorded, analytic)
    )
    return Courses(search.conditions, at_engine, at_model, search.waiting)


class _EventSearch:
    """The conditions of a scenario, and the problems that its events make of it."""

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
        # with a controller, whose instants a solver does not look at, only time can be watched
        self.is_prescribed = not self.first.method.solves_motion or scenario.controller is not None
        if self.is_prescribed:
            self._require_prescribed()

    def _require_prescribed(self) -> None:
        """Check that no condition depends on a motion that is not known before the run."""
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
        """The problem of a scenario whose events have happened at these passages.

        It may be valid from the last one on only.
        """
        known = [self._occurrence(scenario, one) for one in passages]
        during = [one for one in known if one.t <= scenario.duration]
        resolved = after_events(scenario, during, is_whole=is_whole)
        return build_problem(resolved, self.payloads, self.angles)

    def _occurrence(self, scenario: Scenario, passage: Passage) -> Occurrence:
        """An event at a passage, with the values of what it evaluates there."""
        event = self.scenario.conditions[passage.number]
        names = self.conditions[passage.number].names
        t = np.array([passage.t])
        states = {name: np.array([value]) for name, value in passage.states.items()}
        kinematics = Kinematics(
            self.scenario.robot, passage.q[:, None], passage.qd[:, None], states
        )
        read = StateReading(t, kinematics, names)
        values = tuple(
            float(names.parse(event.label, action.function).value(t, read)[0])
            for action in event.actions
            if isinstance(action, Evaluate)
        )
        return Occurrence(event, _on_sample(scenario, passage.t), values)

    def passages(self, follow: Follow) -> list[Passage]:
        """When which condition becomes true, up to the end of the run."""
        events = self.scenario.conditions
        may_hold, waits = ([one.repeat for one in events], [one.waits for one in events])
        watch = Watch(self.conditions, may_hold, waits, self._breaks())
        passages = list[Passage]()
        problem = self.first
        while (passage := follow(problem, watch)) is not None:
            event = self.scenario.conditions[passage.number]
            passages.append(passage)
            self._require_end(passages)
            if ends_run(event):
                break
            watch.is_over[passage.number] = not event.repeat
            problem = self.problem(self.scenario, passages, is_whole=False)
        self.waiting = watch.waiting
        return passages

    def _breaks(self) -> Array:
        """Times where a condition may jump by time alone [s]."""
        times = [one.breaks(self.scenario.duration) for one in self.conditions]
        return np.unique(np.concatenate(times))

    def _require_end(self, passages: Sequence[Passage]) -> None:
        """Check that events do not happen without end."""
        last = passages[-1]
        times = [one.t for one in passages if one.number == last.number]
        is_soon = len(times) > 1 and times[-1] - times[-2] < SOONEST
        if len(passages) <= MOST_EVENTS and not is_soon:
            return
        raise ScenarioError(
            f"{self.conditions[last.number].label} happens again and again without end: "
            f"{len(times)} times up to t = {last.t:.9g} s, the last two "
            f"{times[-1] - times[-2]:.3g} s apart; leave a distance between the conditions that "
            "undo each other, or let it happen once"
        )

    def shorten(self, passages: Sequence[Passage]) -> Scenario:
        """The scenario up to the last sample at or before the event that ends it."""
        scenario = self.scenario
        if not passages or not ends_run(scenario.conditions[passages[-1].number]):
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
    """The time of an event, or that of the sample that it is on [s]."""
    nearest = min(round(t / scenario.dt), scenario.times.size - 1)
    sample = float(scenario.times[nearest])
    return sample if abs(t - sample) <= SAME_TIME else t


def _by_model(problem: Problem) -> list[tuple[float, HybridDynamics]]:
    return [
        (stage.begin, LagrangianDynamics(stage.robot, problem.gravity))
        for stage in problem.payloads.stages
    ]


class _Solver:
    """Follows a motion that is solved for, from passage to passage."""

    def __init__(self, stages: Callable[[Problem], list[tuple[float, HybridDynamics]]]) -> None:
        self.stages = stages
        self.last: tuple[Mechanism, MotionSegment] | None = None

    def __call__(self, problem: Problem, watch: Watch) -> Passage | None:
        """The next passage."""
        stages, path = self.stages(problem), problem.broken_path
        path = replace(path, corners=np.union1d(path.corners, watch.breaks))
        self.last = segment_to_passage(stages, path, problem.t, problem.loads, watch, self.last)
        return None if self.last is None else self.last[1].passed


def _along_path(problem: Problem, watch: Watch) -> Passage | None:
    """The next passage of a prescribed motion."""

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
