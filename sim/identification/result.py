"""Result of an identification: identified and unidentified numbers, and the quality of the fit."""

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
        ``elbow_joint.coulomb``, ``payload.mass``; for base parameters the combination.
    unit : str
    value : float or None
        None if the log does not determine it.
    interval : tuple of float or None
        95 % interval [low, high].
    why_not : str
        Why the number is not identified; empty if it is.
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
    """Friction term besides the three, confirmed on held-out blocks of the log.

    Parameters
    ----------
    name : str
        Name of its parameter, ``elbow_joint.cubic``.
    meaning : str
    law : FrictionLaw
        Law of the joint, fitted together with the term.
    without, by_it : float
        Residual share of the measured torque in held-out blocks.
    """

    name: str
    meaning: str
    law: FrictionLaw
    without: float
    by_it: float


@dataclass(frozen=True)
class JointScore:
    """Unexplained shares of one joint's torque, relative to its measured RMS.

    Parameters
    ----------
    joint : str
    unit : str
        Unit of its effort.
    measured : float
        RMS after the low-pass.
    by_file : float
        Residual share with the file's inertias and no friction.
    seen : float
        Residual share over all samples, which are those of the fit.
    unseen : float
        Residual share over the second half, fitted on the first alone.
    sliding : float
        `unseen` without samples at rest.
    at_rest : float
        Share of the time in which the joint is at rest.
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
    """Result of `sim.identify`.

    Parameters
    ----------
    robot : Robot
        As in its file.
    identified : Robot
        With the identified inertias, damping and dry friction, or with the payload.
    log : Log
    times : TimeBase
    bandwidth, cutoff : float
        Bandwidth of the log, and cut-off of the low-pass on both sides [Hz].
    gravity : str
        Direction of gravity in the base frame, and its source.
    friction : mapping of str to FrictionLaw
        By joint.
    further : tuple of FurtherFriction
        Terms supported by the log that `friction` and the URDF do not contain.
    parameters : tuple of Parameter
        Identified and undetermined parameters.
    payload : Payload or None
        The payload, if one was identified.
    scores : tuple of JointScore
    faults, notes : tuple of str
        Effects that the model cannot explain; remarks for the reader.
    equations : LogEquations
        Filtered columns and torques.
    x : ndarray, shape (p,)
        Coefficients of the columns.
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
        """Whether only a payload was identified, with the arm's parameters kept."""
        return any(parameter.name == "payload.mass" for parameter in self.parameters)

    def parameter(self, name: str) -> Parameter:
        """Return a parameter by name.

        Raises
        ------
        KeyError
            If there is no such parameter.
        """
        return next_of(self.parameters, name)


def next_of(parameters: tuple[Parameter, ...], name: str) -> Parameter:
    """Return the parameter of a name; raises KeyError if there is none."""
    for parameter in parameters:
        if parameter.name == name:
            return parameter
    raise KeyError(f"{name!r} is none of {', '.join(parameter.name for parameter in parameters)}")
