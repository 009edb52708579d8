"""Scenario: model, method, settings and additional criteria of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.gravity import GRAVITY
from sim.dynamics.joint_forces import joint_elements
from sim.engine_names import ENGINES, EngineName, default_engine
from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.maths.sampling import sample_times
from sim.motion.joint_path import Motion
from sim.motion.point_motion import PointMotion
from sim.recording.schema.description import MOST_SAMPLES
from sim.recording.schema.element_facts import facts_of
from sim.recording.schema.methods import METHODS, MethodName
from sim.robots.robot import Robot
from sim.scenario.claim import Claim, is_finite
from sim.showing.one_line import count_text, one_line, shorten, span_text

if TYPE_CHECKING:  # loaded only if a scenario has one
    from sim.clearance.request import Clearance
    from sim.dynamics.contact import GroundContact
    from sim.dynamics.force_element import ForceElement
    from sim.dynamics.model_names import ModelNames
    from sim.dynamics.reactions import Measure
    from sim.dynamics.request import Request
    from sim.dynamics.shape_contact import Contact
    from sim.reference.reference import Reference
    from sim.scenario.controller import Controller
    from sim.scenario.events import When
    from sim.scenario.payload_events import PayloadEvent


WHOLE = 1e-6  # tolerance of a whole number of steps
FITTED = " of the run and is shortened: "


@checked
@dataclass(frozen=True, eq=False)
class Scenario:
    """Robot, motion, duration and settings of one run.

    Parameters
    ----------
    robot : Robot
    motion : Motion
    duration : float
        [s]
    dt : float
        Sampling interval and, for `stepped`, the step [s]. If it does not divide the duration it is
        reduced to the largest value that does, with a note.
    method : {"stepped", "ideal", "adaptive"}
    gravity : tuple of float
        In the world [m/s²].
    claims : tuple of Claim
    forces : tuple of ForceElement
        Forces on links, such as a `Force` of the environment.
    events : tuple of PickUp, SetDown and When
        Payloads that are picked up and set down, and actions triggered by conditions.
    contacts : tuple of GroundContact and Contact
        Possible contacts of the robot with the ground, and of shapes.
    measures : tuple of Measure
        Reactions to record in addition to those of every joint in its own frame.
    requests : tuple of Request
        Curves to record, as expressions of the state.
    reference : Reference, optional
        Results of another program to compare the run with.
    path : PointMotion, optional
        Intended path of the tool (default: the motion itself if it is a `PointMotion`).
    path_tolerance : float, optional
        Allowed distance of the tool from it [m] (default: the method's own limit).
    notes : tuple of str
        Findings of the scenario that a reader of the run should know.
    tolerances : mapping of str to float
        Absolute tolerance of channels that match a pattern, in the channel's unit, for comparisons
        of this run with another.
    engine : {"bullet", "mujoco"}
        Physics engine (default: PyBullet if installed, otherwise MuJoCo).
    clearance : Clearance, optional
        Distance that links must keep from each other and from a floor (default: not checked).
    controller : Controller, optional
        Controller of the motors; the motion is then its reference.
    model_names : ModelNames, optional
        Names of parts and joints in another program's results.

    Raises
    ------
    ScenarioError
        If a setting is not finite, not positive, or does not fit the others.
    """

    robot: Robot
    motion: Motion
    duration: float
    dt: float = 1e-3
    method: MethodName = "stepped"
    gravity: tuple[float, float, float] = GRAVITY
    claims: tuple[Claim, ...] = ()
    forces: tuple[ForceElement, ...] = ()
    events: tuple[PayloadEvent | When, ...] = ()
    contacts: tuple[GroundContact | Contact, ...] = ()
    measures: tuple[Measure, ...] = ()
    reference: Reference | None = None
    path: PointMotion | None = None
    path_tolerance: float | None = None
    notes: tuple[str, ...] = ()
    tolerances: Mapping[str, float] = field(default_factory=dict)
    engine: EngineName = field(default_factory=default_engine)
    clearance: Clearance | None = None
    requests: tuple[Request, ...] = ()
    controller: Controller | None = None
    model_names: ModelNames | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.robot, Robot):
            raise ScenarioError(f"robot must be a sim.Robot, got {type(self.robot).__name__}")
        if not isinstance(self.motion, Motion):
            kind = type(self.motion).__name__
            raise ScenarioError(f"motion must be a motion such as sim.JointMotion, got {kind}")
        if self.path is None and isinstance(self.motion, PointMotion):
            object.__setattr__(self, "path", self.motion)
        for name in ("duration", "dt"):
            object.__setattr__(self, name, _seconds(name, getattr(self, name)))
        if self.method not in METHODS:
            raise ScenarioError(f"method {self.method!r}: choose one of {', '.join(METHODS)}")
        if self.engine not in ENGINES:
            raise ScenarioError(f"engine {self.engine!r}: choose one of {', '.join(ENGINES)}")
        object.__setattr__(self, "gravity", _gravity(self.gravity))
        for pattern, tolerance in self.tolerances.items():
            if not (is_finite(tolerance) and tolerance > 0):
                raise ScenarioError(
                    f"tolerance of {pattern!r} must be a positive number, got {tolerance!r}"
                )
        names = [measure.name for measure in self.measures]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ScenarioError(f"Two measures are called {twice[0]!r}; give each its own name")
        self._check_events()
        self._check_forces()
        self._check_requests()
        _require_clearance(self.clearance)
        self._check_controller()
        steps = self.duration / self.dt
        if steps > MOST_SAMPLES:
            raise ScenarioError(
                f"{self.duration:g} s at dt = {self.dt:g} s is {steps:.3g} samples; "
                f"at most {MOST_SAMPLES} are allowed"
            )
        if round(steps) < 1 or steps < 1 - WHOLE:
            raise ScenarioError(
                f"dt = {self.dt:g} s is longer than the duration, {self.duration:g} s"
            )
        self._fit_step(steps)
        if not self.robot.joint_names:
            raise ScenarioError(f"Robot {self.robot.name!r} has no joint that moves")

    def __repr__(self) -> str:
        _, _, description = repr(self.motion).strip("<>").partition(": ")
        motion = description or type(self.motion).__name__  # for a user-defined motion
        named = ("force", "event", "contact", "measure", "request", "claim")
        counts = [(what, len(getattr(self, f"{what}s"))) for what in named]
        return one_line(
            f"Scenario of {shorten(self.robot.name, 18)}:",
            shorten(motion, 38),
            span_text(self.duration, self.dt),
            self.method,
            *(count_text(number, what) for what, number in counts if number),
        )

    def _check_events(self) -> None:
        """Check the types of events."""
        if not self.events:
            return
        from sim.scenario.events import When
        from sim.scenario.payload_events import PickUp, SetDown

        for event in self.events:
            if not isinstance(event, PickUp | SetDown | When):
                raise ScenarioError(
                    "events must be sim.PickUp, sim.SetDown or sim.When, got "
                    f"{type(event).__name__}"
                )

    def _check_forces(self) -> None:
        """Check that forces between markers have unique names, and functions read acting ones."""
        if not (self.forces or self.contacts):
            return
        from sim.dynamics.contact import named_apart
        from sim.dynamics.marker_force import MarkerForce

        object.__setattr__(self, "contacts", named_apart(self.contacts))
        loads = (*self.forces, *self.contacts)
        between = [one for one in loads if isinstance(one, MarkerForce) and one.name]
        labels = [force.name.upper() for force in between]
        twice = [force.name for force in between if labels.count(force.name.upper()) > 1]
        if twice:
            raise ScenarioError(f"Two forces are called {twice[0]!r}; give each its own name")
        acting = [facts_of(force) for force in between]
        for force in between:
            for inner in force.read_forces():
                if facts_of(inner) not in acting:
                    raise ScenarioError(
                        f"{force.label} reads {inner.label}, which does not act in the scenario; "
                        "put it in `forces` too"
                    )
        notes = [note for force in self.forces for note in force.notes if note not in self.notes]
        object.__setattr__(self, "notes", (*self.notes, *notes))

    def _check_requests(self) -> None:
        """Check that requests have unique names, and that the forces that they read act."""
        if not self.requests and self.model_names is None:
            return
        from sim.dynamics.model_names import ModelNames
        from sim.dynamics.request import Request

        if not isinstance(self.model_names, ModelNames | None):
            kind = type(self.model_names).__name__
            raise ScenarioError(f"model_names must be a sim.ModelNames, got {kind}")
        for request in self.requests:
            if not isinstance(request, Request):
                kind = type(request).__name__
                raise ScenarioError(f"requests must be sim.Request each, got {kind}")
        names = Counter((request.group, request.name) for request in self.requests)
        (_, name), count = names.most_common(1)[0] if names else (("", ""), 0)
        if count > 1:
            raise ScenarioError(f"Two requests are called {name!r}; give each its own name")
        pairs = [(request, force) for request in self.requests for force in request.read_forces()]
        if not pairs:
            return
        acting = [facts_of(force) for force in self.forces]
        for request, force in pairs:
            if facts_of(force) not in acting:
                raise ScenarioError(
                    f"{request.label} reads {force.label}, which does not act in the scenario; put "
                    "it in `forces` too"
                )

    def _check_controller(self) -> None:
        """Check the controller's type, and that the method solves for its motion."""
        if self.controller is None:
            return
        from sim.scenario.controller import Controller

        if not isinstance(self.controller, Controller):
            kind = type(self.controller).__name__
            raise ScenarioError(f"controller must be a sim.Controller, got {kind}")
        if not METHODS[self.method].solves_motion:
            raise ScenarioError(
                f"Method {self.method!r} prescribes the motion, but a controller determines it; "
                "use method 'adaptive'"
            )
        sudden = [one for one in self.elements if one.is_sudden]
        if sudden and self.controller.rule == "RK4":
            raise ScenarioError(
                f"Rule 'RK4' does not see what begins within a sample, and of robot "
                f"{self.robot.name!r} {sudden[0].title(self.robot)}; use rule 'DOP853'"
            )

    def _fit_step(self, steps: float) -> None:
        """Shorten a step that does not divide the duration, and add a note."""
        dt, whole = self.dt, round(steps)
        if abs(steps - whole) > WHOLE:
            whole = math.ceil(steps)
            object.__setattr__(self, "dt", self.duration / whole)
        fitted = f"{FITTED}{whole} steps of {self.dt:.9g} s"
        # a scenario derived from another one inherits the other's note
        notes = [note for note in self.notes if FITTED not in note or note.endswith(fitted)]
        if self.dt != dt:
            notes.append(f"dt = {dt:.9g} s does not divide the {self.duration:.9g} s{fitted}")
        object.__setattr__(self, "notes", tuple(notes))

    @property
    def payload_events(self) -> tuple[PayloadEvent, ...]:
        """Events with a given time."""
        if not self.events:
            return ()
        from sim.scenario.events import When

        return tuple(event for event in self.events if not isinstance(event, When))

    @property
    def conditions(self) -> tuple[When, ...]:
        """Events that wait for a condition."""
        if not self.events:
            return ()
        from sim.scenario.events import When

        return tuple(event for event in self.events if isinstance(event, When))

    @property
    def elements(self) -> tuple[ForceElement, ...]:
        """All force elements: in the robot's joints, forces and contacts."""
        return (*joint_elements(self.robot), *self.forces, *self.contacts)

    @property
    def times(self) -> Array:
        """Sample times 0, dt, … duration, shape (N,) [s]."""
        return sample_times(self.duration, round(self.duration / self.dt) + 1)


def _seconds(name: str, value: float) -> float:
    if not (is_finite(value) and value > 0):
        raise ScenarioError(f"{name} must be a positive number of seconds, got {value!r}")
    return float(value)


def _require_clearance(value: object) -> None:
    if value is None:
        return
    from sim.clearance.request import Clearance

    if not isinstance(value, Clearance):
        raise ScenarioError(f"clearance must be a sim.Clearance, got {type(value).__name__}")


def _gravity(value: ArrayLike) -> tuple[float, float, float]:
    try:
        g = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        g = np.empty(0)
    if g.shape != (3,) or not np.isfinite(g).all():
        raise ScenarioError(f"gravity must be three finite numbers in m/s², got {value!r}")
    x, y, z = g.tolist()
    return x, y, z
