"""Controller: a sampled law that commands a robot's motors, with its clock, sensors and limits."""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, get_args

import numpy as np
from msgspec.structs import replace

from sim.control import Cascade, ComputedTorque, PDGravity, StringLaw
from sim.dynamics.control_axes import ControlAxes, Side, has_encoder, wanted_motion
from sim.dynamics.control_loop import ControlLoop, Law, StepRule
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.motion.joint_path import JointPath
from sim.recording.schema.control_facts import STRINGS, ControllerFacts, KnownRobotFacts
from sim.recording.schema.element_facts import facts_of
from sim.robots.names import Names
from sim.robots.robot import Robot
from sim.scenario.claim import is_finite
from sim.showing.one_line import one_line

MOST_BITS = 40  # a finer encoder is exact to rounding
MOST_DELAY = 1000  # samples
SHIPPED = (PDGravity, ComputedTorque, Cascade)
MOST_SAMPLES_IN_STEP = 100_000  # samples of a controller per step of the run
WHOLE = 1e-6  # tolerance of a whole number of samples


@checked
@dataclass(frozen=True, eq=False)
class Controller:
    """A sampled controller: it reads joint positions and commands the motors.

    The scenario's motion is the reference; the joints that it prescribes have a motor. Engine and
    model each run their own copy of the law.

    Parameters
    ----------
    law : callable, or mapping of str to str
        ``law(sensed, state) -> (torques, next state)``, a pure function; see
        `sim.dynamics.control_loop.Sensed`. Or torques by joint as expressions of time and the
        sensed state, ``-30*AZ(arm, base)``; a joint without an expression has no torque. For a
        joint with a drive train the torque is N times the motor's [N·m or N].
    sample_time : float
        [s]
    start : object
        Initial state of the law.
    delay : int
        Samples from sensing until the command acts; the torque is zero until the first does.
    encoder_bits : int, optional
        2**bits steps per turn of each revolute joint (default: exact positions).
    noise : float
        Standard deviation of the positions [rad or m].
    seed : int
        Seed of the noise.
    limits : mapping of str to float, optional
        Largest torques by joint [N·m or N], infinity for none (default: ratings of joint and
        motor).
    rule : {"DOP853", "RK4"}
        Integration rule between samples; see `sim.dynamics.sampled`.
    names : Names, optional
        Names for expressions of the state.
    sensed_at : {"motor", "link"}
        Sensor that the law reads at a joint with an elastic gear.

    Raises
    ------
    ScenarioError
        If a setting has the wrong type or is out of its range.
    """

    law: Law | Mapping[str, str]
    sample_time: float = 1e-3
    start: Any = None
    delay: int = 0
    encoder_bits: int | None = None
    noise: float = 0.0
    seed: int = 0
    limits: Mapping[str, float] | None = None
    rule: StepRule = "DOP853"
    names: Names = field(default_factory=Names)
    sensed_at: Side = "motor"

    def __post_init__(self) -> None:
        if not (callable(self.law) or isinstance(self.law, Mapping)):
            raise ScenarioError(
                "A controller's law is a function (sensed, state) -> (torques, next state), or "
                f"torques by joint as strings; got a {type(self.law).__name__}"
            )
        if not (is_finite(self.sample_time) and self.sample_time > 0):
            raise ScenarioError(
                f"sample_time must be a positive number of seconds, got {self.sample_time!r}"
            )
        _whole("delay", self.delay, 0, MOST_DELAY, "samples")
        _whole("seed", self.seed, 0, 2**63 - 1, "")
        if self.encoder_bits is not None:
            _whole("encoder_bits", self.encoder_bits, 1, MOST_BITS, "bits per turn")
        if not (is_finite(self.noise) and self.noise >= 0):
            raise ScenarioError(
                f"noise must be a standard deviation of 0 or more [rad or m], got {self.noise!r}"
            )
        if self.rule not in get_args(StepRule):
            raise ScenarioError(
                f"rule {self.rule!r}: choose one of {', '.join(get_args(StepRule))}"
            )
        if self.sensed_at not in get_args(Side):
            raise ScenarioError(
                f"sensed_at {self.sensed_at!r}: choose one of {', '.join(get_args(Side))}"
            )

    def __repr__(self) -> str:
        bits = "" if self.encoder_bits is None else f"{self.encoder_bits} bits a turn"
        delay = f"{self.delay} samples late" if self.delay else ""
        every = f"every {1e3 * self.sample_time:.4g} ms"
        return one_line("Controller:", self.law_name, every, delay, bits)

    @property
    def law_name(self) -> str:
        """Name of the law."""
        if isinstance(self.law, Mapping):
            return STRINGS
        named = self.law if hasattr(self.law, "__name__") else type(self.law)
        return str(getattr(named, "__qualname__", named.__name__))

    def on(self, robot: Robot, path: JointPath, dt: float) -> JointPath:
        """Return the path of a robot whose motors follow this controller instead of the motion.

        Parameters
        ----------
        path : JointPath
            Reference motion.
        dt : float
            Sampling interval of the run [s].

        Raises
        ------
        ScenarioError
            If the sample times do not match, or a controller cannot move some part of the robot.
        """
        self._require_clock(dt)
        _require_motors(path)
        n, idle = len(robot.row_names), path.free | passive_joints(robot)
        law, start = self.law, self.start
        if isinstance(law, Mapping):
            law = StringLaw(robot, dict(law), self.names)
        at_start = path.motion(np.zeros(1))
        q0, qd0 = (np.where(path.free, start, x[:, 0])
                   for start, x in zip((path.q0, path.qd0), at_start[:2], strict=True))  # fmt: skip
        loop = ControlLoop(
            robot,
            law,
            start,
            self.sample_time,
            self.delay,
            self._quantum(robot),
            np.where(has_encoder(robot), float(self.noise), 0.0),
            self.seed,
            np.where(idle, np.inf, self.limits_of(robot)),
            lambda t: wanted_motion(robot, t, path.motion(t)),
            idle,
            self.rule,
            self.sensed_at,
        )
        return replace(
            path, free=np.ones(n, dtype=bool), q0=q0, qd0=qd0, corners=np.empty(0), actuation=loop
        )

    def limits_of(self, robot: Robot) -> Array:
        """Return the largest torque of each row's motor, (n,) [N·m or N]; infinite without one.

        Raises
        ------
        ScenarioError
            If a limit is for an unknown joint, or not positive.
        """
        axes = ControlAxes.of(robot)
        names, most = axes.names, np.full(axes.rows, math.inf)
        if self.limits is None:
            rows = [robot.row_names.index(name) for name in names]
            most[axes.driven] = [_rating(robot, row) for row in rows] / np.abs(axes.ratios)
            return most
        for name, value in self.limits.items():
            if name not in names:
                raise ScenarioError(
                    f"limit of joint {name!r}: it is not in robot {robot.name!r}; joints: "
                    f"{', '.join(names)}"
                )
            if not isinstance(value, int | float) or not value > 0:
                raise ScenarioError(f"limit of joint {name!r} must be positive, got {value!r}")
        limits = np.array([float(self.limits.get(name, math.inf)) for name in names])
        most[axes.driven] = limits / np.abs(axes.ratios)
        return most

    def describe(self, robot: Robot) -> ControllerFacts:
        """Return the entry of the controller in a run's description."""
        limits = zip(robot.row_names, self.limits_of(robot).tolist(), strict=True)
        strings = dict(self.law) if isinstance(self.law, Mapping) else {}
        return ControllerFacts(
            law=self.law_name,
            source_sha256=source_hash(self.law),
            parameters=_parameters(self.law),
            strings=strings,
            # a law with an initial state of its own cannot be reproduced
            names=facts_of(self.names) if strings and self.start is None else None,
            known=_known_robot(self.law, robot) if self.start is None else None,
            sample_time=float(self.sample_time),
            delay=self.delay,
            encoder_bits=self.encoder_bits,
            noise=float(self.noise),
            seed=self.seed,
            limits={name: x for name, x in limits if math.isfinite(x)},
            rule=self.rule,
            sensed_at=self.sensed_at,
        )

    def _quantum(self, robot: Robot) -> Array:
        if self.encoder_bits is None:
            return np.zeros(len(robot.row_names))
        turns = np.array([row.is_angle for row in robot.coordinates])
        return np.where(turns & has_encoder(robot), 2 * np.pi / 2.0**self.encoder_bits, 0.0)

    def _require_clock(self, dt: float) -> None:
        many, few = self.sample_time / dt, dt / self.sample_time
        ratio = max(many, few)
        if few > MOST_SAMPLES_IN_STEP:
            raise ScenarioError(
                f"Controller: sample_time {self.sample_time:.4g} s is more than "
                f"{MOST_SAMPLES_IN_STEP:,} times shorter than the run's step dt = {dt:.4g} s"
            )
        if abs(ratio - round(ratio)) <= WHOLE * ratio:
            return
        near = dt * max(1, round(many)) if many >= 1 else dt / round(few)
        raise ScenarioError(
            f"The controller's sample time {self.sample_time:.9g} s and the run's step dt = "
            f"{dt:.9g} s: one must be a whole number of the other; {near:.9g} s is near"
        )


def source_hash(law: Law | Mapping[str, str]) -> str | None:
    """Return the SHA-256 of a law's source, or of its machine-independent code without a file.

    None for expressions, which a description contains, and for laws not written in Python.
    """
    if isinstance(law, Mapping):
        return None
    definition: Any = law if inspect.isroutine(law) else type(law)
    try:
        text = inspect.getsource(definition)
    except (OSError, TypeError):
        code = getattr(law, "__code__", None)
        if code is None:
            return None
        text = repr((code.co_code.hex(), code.co_consts, code.co_names))
    return hashlib.sha256(text.encode()).hexdigest()


def _parameters(law: Law | Mapping[str, str]) -> dict[str, tuple[float, ...]]:
    """Return the numbers of a law that is a dataclass."""
    if not is_dataclass(law) or isinstance(law, type):
        return {}
    parameters = {}
    for one in fields(law):
        try:
            values = np.asarray(getattr(law, one.name), dtype=np.float64)
        except (TypeError, ValueError):
            continue
        if values.ndim <= 1 and np.isfinite(values).all():
            parameters[one.name] = tuple(np.atleast_1d(values).tolist())
    return parameters


def _known_robot(law: Law | Mapping[str, str], run: Robot) -> KnownRobotFacts | None:
    """Describe a shipped law's robot, without a text equal to the run's; None for other laws."""
    if not isinstance(law, SHIPPED) or type(law) not in SHIPPED:
        return None
    known = law.robot
    drives = (joint for joint in known.joints if joint.drive is not None)
    return KnownRobotFacts(
        T_0b=tuple(map(tuple, known.T_0b.tolist())),
        urdf="" if known.text == run.text else known.text,
        drives={joint.name: asdict(joint.drive) for joint in drives if joint.drive},
        loops=tuple(loop.name for loop in known.loops),
    )


def _rating(robot: Robot, row: int) -> float:
    """Return the least rating of joint, gear and motor at a joint, infinite without one."""
    rating = robot.coordinates[row].limits.effort
    if (drive := robot.drives.get(row)) is not None:
        peak = drive.motor_peak_torque or drive.motor_rated_torque
        rating = min(rating, math.inf if peak is None else abs(drive.ratio) * peak)
    return rating if rating > 0 else math.inf


def _whole(name: str, value: object, least: int, most: int, unit: str) -> None:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (is_whole and least <= int(value) <= most):  # type: ignore[call-overload]
        of = f" of {unit}" if unit else ""
        raise ScenarioError(
            f"{name} must be a whole number{of} from {least} to {most}, got {value!r}"
        )


def _require_motors(path: JointPath) -> None:
    if path.actuation is not None:
        raise ScenarioError(
            "The motion of a controlled robot is its reference and must not contain torques: "
            "leave torques to the controller, or omit the controller"
        )
    if path.free.all():
        raise ScenarioError(
            "A controller drives the joints that the motion prescribes, and it prescribes none"
        )
