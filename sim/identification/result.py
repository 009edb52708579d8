"""Identification: identified and unidentified numbers of a robot, and the quality of the fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sim.identification.equations import LogEquations
from sim.identification.log import Log
from sim.identification.signals import TimeBase
from sim.maths.arrays import Array
from sim.robots.payload import Payload
from sim.robots.robot import Robot
from sim.showing.one_line import one_line


@dataclass(frozen=True)
class Parameter:
    """One number of the model.

    Parameters
    ----------
    name : str
        ``elbow_joint.coulomb``, ``payload.mass``; of base parameters the combination that it is.
    unit : str
    value : float or None
        None if the log does not determine it.
    interval : tuple of float or None
        95 % [low, high].
    why_not : str
        Why it is not told; empty where it is.
    """

    name: str
    unit: str
    value: float | None
    interval: tuple[float, float] | None
    why_not: str = ""

    @property
    def is_told(self) -> bool:
        """Whether the log identifies the number."""
        return not self.why_not


@dataclass(frozen=True)
class FrictionLaw:
    """Friction law coulomb sign(qd) + viscous qd + offset; an unidentified term is 0."""

    coulomb: float
    viscous: float
    offset: float


@dataclass(frozen=True)
class FurtherFriction:
    """Term of friction besides the three, earned on held-out blocks of the log.

    Parameters
    ----------
    name : str
        Of its parameter, ``elbow_joint.cubic``.
    meaning : str
    law : FrictionLaw
        Of the joint, fitted beside the term.
    without, by_it : float
        Share of the measured torque that is left in held-out blocks.
    """

    name: str
    meaning: str
    law: FrictionLaw
    without: float
    by_it: float


@dataclass(frozen=True)
class JointScore:
    """Unexplained shares of one joint's torque, of its measured RMS.

    Parameters
    ----------
    joint : str
    unit : str
        Of its effort.
    measured : float
        RMS after the low-pass.
    by_file : float
        Share of the residual with the file's inertias and no friction.
    seen : float
        Share of the residual over the samples that were fitted, all of them.
    unseen : float
        Share over the second half, fitted on the first alone.
    sliding : float
        The same without samples at rest.
    at_rest : float
        Share of the time in which the joint rests.
    """

    joint: str
    unit: str
    measured: float
    by_file: float
    seen: float
    unseen: float
    sliding: float
    at_rest: float


@dataclass(frozen=True, eq=False)
class Identification:
    """The result of `sim.identify`.

    Parameters
    ----------
    robot : Robot
        As its file has it.
    identified : Robot
        With the identified inertias, damping and dry friction, or with the payload.
    log : Log
    times : TimeBase
    bandwidth, cutoff : float
        Of the log, and of the low-pass on both sides [Hz].
    gravity : str
        Its direction in the frame of the base, and where that is from.
    friction : mapping of str to FrictionLaw
        By joint.
    further : tuple of FurtherFriction
        Terms that `friction` and the URDF do not have, and that the log asks for.
    parameters : tuple of Parameter
        Identified and undetermined parameters.
    payload : Payload or None
        Of an identification of one.
    scores : tuple of JointScore
    faults, notes : tuple of str
        What the model cannot explain; what a reader must know.
    equations : LogEquations
        Filtered columns and torques.
    x : ndarray, shape (p,)
        Numbers of the columns.
    """

    robot: Robot
    identified: Robot
    log: Log
    times: TimeBase
    bandwidth: float
    cutoff: float
    gravity: str
    friction: Mapping[str, FrictionLaw]
    further: tuple[FurtherFriction, ...]
    parameters: tuple[Parameter, ...]
    payload: Payload | None
    scores: tuple[JointScore, ...]
    faults: tuple[str, ...]
    notes: tuple[str, ...]
    equations: LogEquations
    x: Array

    def __repr__(self) -> str:
        count = sum(parameter.is_told for parameter in self.parameters)
        return one_line(
            f"Identification of {self.robot.name} from {self.log.source}:",
            f"{count} of {len(self.parameters)} parameters identified",
            f"cut-off {self.cutoff:.3g} Hz",
        )

    @property
    def is_of_payload(self) -> bool:
        """True if only a payload was identified, with the arm's parameters kept."""
        return any(parameter.name == "payload.mass" for parameter in self.parameters)

    def parameter(self, name: str) -> Parameter:
        """A parameter by name.

        Raises
        ------
        KeyError
            If there is none.
        """
        return next_of(self.parameters, name)


def next_of(parameters: tuple[Parameter, ...], name: str) -> Parameter:
    """The parameter of a name; KeyError if there is none."""
    for parameter in parameters:
        if parameter.name == name:
            return parameter
    raise KeyError(f"{name!r} is none of {', '.join(parameter.name for parameter in parameters)}")
