"""A sampled controller, as a run's description keeps it."""

from __future__ import annotations

from typing import Literal

import msgspec

from sim.recording.schema.base import Facts
from sim.recording.schema.element_facts import NamesFacts

# The check of whether engine and model sense the same steps of their encoders.
ENCODER_STEPS = "encoder steps"


STRINGS = "strings"  # what a law of strings is called


class KnownRobotFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """The robot that a shipped law knows.

    Parameters
    ----------
    T_0b : tuple of tuple of float
        Its mounting, as `sim.robots.robot.Robot` has it.
    urdf : str
        Its text; empty where it is that of the run.
    drives : mapping
        Its drive trains by joint, with their fields.
    loops : tuple of str
        Names of its closed loops.
    """

    T_0b: tuple[tuple[float, ...], ...]
    urdf: str = ""
    drives: dict[str, dict[str, float | bool | None]] = msgspec.field(default_factory=dict)
    loops: tuple[str, ...] = ()


class SolverErrorFacts(Facts, frozen=True, kw_only=True):
    """Differences of two half steps from one step at samples; of engine or model.

    Parameters
    ----------
    steps : int
        How many were done twice.
    error : float
        The largest difference of any position or velocity [rad, m, rad/s or m/s].
    at : float
        In which sample [s].
    controlled : int
        How many others the error-controlled solver took, to its own tolerance.
    """

    steps: int
    error: float
    at: float
    controlled: int = 0


class ControllerFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """A controller; a law that is a program is known by its name and the hash of its source.

    Parameters
    ----------
    law : str
        What it is called.
    source_sha256 : str or None
        Of the law's source; None of strings and of what was not written in Python.
    parameters : mapping of str to tuple of float
        The numbers that a law is made with.
    strings : mapping of str to str
        Of a law of strings, by joint.
    names : NamesFacts or None
        What these strings may read; None of runs of earlier versions too.
    known : KnownRobotFacts or None
        What a shipped law knows of the robot; None of others, and of runs of earlier versions.
    sample_time : float
        [s]
    delay : int
        Samples.
    encoder_bits : int or None
        A turn.
    noise : float
        [rad or m]
    seed : int
    limits : mapping of str to float
        Largest torques [N·m or N]; without those that are infinite.
    rule : str
        By which a sample was integrated.
    sensed_at : str
        The side of an elastic gear whose sensor the law receives.
    idle : tuple of str
        Rows of joints without a motor, which loops or loads move.
    recorded, analytic : SolverErrorFacts or None
        The solver's error on either side.
    """

    law: str
    source_sha256: str | None
    sample_time: float
    limits: dict[str, float]
    rule: Literal["DOP853", "RK4"]
    parameters: dict[str, tuple[float, ...]] = msgspec.field(default_factory=dict)
    strings: dict[str, str] = msgspec.field(default_factory=dict)
    names: NamesFacts | None = None
    known: KnownRobotFacts | None = None
    delay: int = 0
    encoder_bits: int | None = None
    noise: float = 0.0
    seed: int = 0
    sensed_at: Literal["motor", "link"] = "motor"
    idle: tuple[str, ...] = ()
    recorded: SolverErrorFacts | None = None
    analytic: SolverErrorFacts | None = None
