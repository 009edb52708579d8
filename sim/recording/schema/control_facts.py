"""A sampled controller, in a run's description."""

from __future__ import annotations

from typing import Literal

import msgspec

from sim.recording.schema.base import Facts
from sim.recording.schema.element_facts import NamesFacts

# Check that engine and model sense the same encoder steps.
ENCODER_STEPS = "encoder steps"


STRINGS = "strings"  # name of a law given by expressions


class KnownRobotFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """Robot model used by a shipped law.

    Parameters
    ----------
    T_0b : tuple of tuple of float
        Its mounting, as in `sim.robots.robot.Robot`.
    urdf : str
        Its text; empty if equal to that of the run.
    drives : mapping
        Fields of its drive trains, by joint.
    loops : tuple of str
        Names of its closed loops.
    """

    T_0b: tuple[tuple[float, ...], ...]
    urdf: str = ""
    drives: dict[str, dict[str, float | bool | None]] = msgspec.field(default_factory=dict)
    loops: tuple[str, ...] = ()


class SolverErrorFacts(Facts, frozen=True, kw_only=True):
    """Differences of two half steps from one step at samples, in engine or model.

    Parameters
    ----------
    steps : int
        Number of steps computed twice.
    error : float
        Largest difference of any position or velocity [rad, m, rad/s or m/s].
    at : float
        Time of that sample [s].
    controlled : int
        Number of other steps, taken by the error-controlled solver to its own tolerance.
    """

    steps: int
    error: float
    at: float
    controlled: int = 0


class ControllerFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """A controller; a law that is a program is identified by its name and the hash of its source.

    Parameters
    ----------
    law : str
        Name of the law.
    source_sha256 : str or None
        Hash of the law's source; None for expressions and for laws not written in Python.
    parameters : mapping of str to tuple of float
        Numeric arguments of the law.
    strings : mapping of str to str
        Expressions of the law, by joint.
    names : NamesFacts or None
        Names available to these expressions; None also for runs of earlier versions.
    known : KnownRobotFacts or None
        Robot model of a shipped law; None for others, and for runs of earlier versions.
    sample_time : float
        [s]
    delay : int
        In samples.
    encoder_bits : int or None
        Bits per revolution.
    noise : float
        [rad or m]
    seed : int
    limits : mapping of str to float
        Largest torques [N·m or N]; without infinite ones.
    rule : str
        Integration rule within a sample.
    sensed_at : str
        Side of an elastic gear whose sensor the law receives.
    idle : tuple of str
        Joint rows without a motor, moved by loops or loads.
    recorded, analytic : SolverErrorFacts or None
        Solver error of engine and model.
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
