"""Identify: friction, inertias and rotors of an arm, or the load that it carries, from a log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.dynamics.inertial_parameters import inertial_parameters
from sim.errors import ForeignError
from sim.identification.base_parameters import base_parameters, typical_sizes
from sim.identification.doubts import suspicions
from sim.identification.equations import Equations
from sim.identification.identified_urdf import with_inertias, with_joint_friction
from sim.identification.log import Log
from sim.identification.payload import PAYLOAD, payload_columns, payload_found
from sim.identification.prior import are_possible, nearest_possible, possible, prior_of
from sim.identification.result import FrictionLaw, Identification, JointScore, Parameter
from sim.identification.signals import Samples, bandwidth, choose_cutoff, sample, time_base
from sim.identification.spectral import Fit, Prior
from sim.identification.terms import Terms, friction_terms, rigid_columns, rotor_terms
from sim.maths.arrays import Array
from sim.robots.payload import Payload
from sim.robots.robot import Robot

MASSES = (
    "how the masses are shared out among links is no result, nor is their sum: torques, friction "
    "and base parameters are"
)
UNTOLD = "the motion does not tell it"
GAINS = (
    "an error of the torques' scale is one of the payload's mass, one to one, and no residual "
    "shows it"
)


def identify(
    robot: Robot,
    log: Log,
    *,
    payload: bool = False,
    cutoff: float | None = None,
    despite_doubts: bool = False,
) -> Identification:
    """Friction, inertias and rotors of a robot from a log, or friction and its payload.

    The torques are linear in all of them, tau = Y theta + friction; regressor, friction and
    measured torque go through one low-pass, and the bins of their transforms below it are fitted
    with weights by the noise of each joint. Inertias are pulled weakly to those of the file and
    stay possible.

    Parameters
    ----------
    robot : Robot
        As its file has it; of a payload the unloaded arm.
    log : Log
    payload : bool
        Whether the arm is taken as it is, and what it carries at its tool is looked for.
    cutoff : float, optional
        Of the low-pass on both sides [Hz]; chosen from the log without it.
    despite_doubts : bool
        Whether a log is fitted that seems to be in other units, order or signs.

    Raises
    ------
    ForeignError
        If the log is another's, is too short, seems to be in other units, order or signs, the
        cut-off does not suit it, or no payload can be what it tells.
    ModelError
        If a payload is asked of a robot without a single tool.
    """
    if log.joints != robot.row_names:
        raise ForeignError(
            f"{log.source} is of joints {', '.join(log.joints)}; robot {robot.name!r} has "
            f"{', '.join(robot.row_names)}"
        )
    doubts = suspicions(robot, log)
    if doubts and doubts[0].is_grave and not despite_doubts:
        raise ForeignError(f"{log.source}: {doubts[0].text}. --despite-doubts fits it as it is")
    at = _checked(log, cutoff)
    samples = sample(log)
    task = _payload_task(robot, samples, at) if payload else _arm_task(robot, samples, at)
    return _result(robot, log, task, [doubt.text for doubt in doubts])


@dataclass(frozen=True, eq=False)
class _Task:
    """Equations of what is looked for: inertial parameters first, then friction."""

    equations: Equations
    friction: Terms
    rotors: Terms | None
    prior_theta: Array | None  # of the arm, where its inertias are looked for
    base: Equations | None  # the same for base parameters, without a prior


def _checked(log: Log, cutoff: float | None) -> float:
    own = choose_cutoff(log)
    rate = 1 / float(np.median(np.diff(log.t)))
    at = own if cutoff is None else cutoff
    highest = rate / 5
    if not 0 < at <= highest:
        raise ForeignError(
            f"A cut-off of {at:g} Hz does not suit {log.source}, which has {rate:.4g} samples a "
            f"second; above 0 and at most {highest:.3g} Hz are allowed, {own:.3g} Hz is its own"
        )
    if float(np.ptp(log.t)) * at < 6:
        raise ForeignError(
            f"{log.source} is {np.ptp(log.t):.3g} s long, too short for a cut-off of {at:.3g} Hz: "
            f"at least {6 / at:.3g} s are needed, and half a minute is a good log"
        )
    return at


def _arm_task(robot: Robot, samples: Samples, cutoff: float) -> _Task:
    friction, rotors = friction_terms(robot, samples), rotor_terms(robot, samples)
    Y = rigid_columns(robot, samples)
    columns = np.concatenate([Y, friction.columns, rotors.columns], axis=1)
    theta = possible(inertial_parameters(robot))
    return _Task(Equations.of(samples, columns, cutoff), friction, rotors, theta, None)


def _payload_task(robot: Robot, samples: Samples, cutoff: float) -> _Task:
    friction, Y = friction_terms(robot, samples), rigid_columns(robot, samples)
    carried = payload_columns(robot, Y)
    columns = np.concatenate([Y, carried, friction.columns], axis=1)
    equations = Equations.of(samples, columns, cutoff).less(inertial_parameters(robot))
    return _Task(equations, friction, None, None, None)


def _result(robot: Robot, log: Log, task: _Task, doubts: Sequence[str]) -> Identification:
    first = len(PAYLOAD) if task.prior_theta is None else task.prior_theta.size
    count = len(task.friction.names)
    used, fit, why = _fit_friction(task, first)
    x = np.zeros(first + count)
    x[used] = fit.x
    width = np.full(first + count, np.inf)
    width[used] = fit.half_width
    terms = _parameters(task.friction, x[first:], width[first:], why)
    own = task.equations.with_columns(range(first + count))
    payload: Payload | None = None
    notes = [*log.notes, *doubts, log.torque_from]
    laws = _laws(robot, dict(zip(task.friction.names, x[first:], strict=True)))
    if task.prior_theta is None:
        parameters, payload = payload_found(fit, robot, log)
        carrying = robot if payload is None else robot.with_payload(
            payload.mass, payload.com, payload.inertia
        )  # fmt: skip
        identified = with_joint_friction(carrying, laws)
        notes.append(GAINS)
    else:
        parameters = [*_rotors(robot, task, used, first), *_base(robot, task, used, first)]
        identified = with_joint_friction(with_inertias(robot, x[:first]), laws)
        notes.append(MASSES)
    every = (*terms, *parameters)
    faults = [f"{p.name}: {p.why_not}" for p in every if "cannot be" in p.why_not]
    by_file = np.zeros(first + count)
    if task.prior_theta is not None:
        by_file[:first] = inertial_parameters(robot)
    return Identification(
        robot=robot,
        identified=identified,
        log=log,
        times=time_base(log),
        bandwidth=bandwidth(log),
        cutoff=task.equations.cutoff,
        friction=laws,
        parameters=every,
        payload=payload,
        scores=_scores(robot, task, own, used, first, x, by_file),
        faults=tuple(faults),
        notes=tuple(notes),
        equations=own,
        x=x,
    )


def _fit(task: _Task, used: Sequence[int], first: int, until: float | None = None) -> Fit:
    """A fit with some of the columns, inertias possible and pulled to the file's."""
    prior: Prior | None = None
    if task.prior_theta is not None:
        prior = prior_of(task.prior_theta, len(used) - first)
    fit = task.equations.with_columns(used).fit(prior, until)
    if prior is None or task.prior_theta is None or are_possible(fit.x[:first]):
        return fit
    x = nearest_possible(fit.rows, fit.right, prior, task.prior_theta)
    return Fit(x, fit.half_width, fit.covariance, fit.rows, fit.right, fit.quantile, fit.bins)


def _fit_friction(task: _Task, first: int) -> tuple[list[int], Fit, dict[str, str]]:
    """The fit without friction that cannot be; the columns that it has; why others are not told."""
    names = task.friction.names
    used = list(range(first + len(names)))
    why: dict[str, str] = {}
    while True:
        fit = _fit(task, used, first)
        bad: dict[int, str] = {}
        for column, value, width in zip(used, fit.x, fit.half_width, strict=True):
            if column < first:
                continue
            name = names[column - first]
            if not np.isfinite(width):
                bad[column] = UNTOLD
            elif value < 0 and not name.endswith(".offset"):
                bad[column] = _why_negative(value, width)
        if not bad:
            return used, fit, why
        why |= {names[column - first]: text for column, text in bad.items()}
        used = [column for column in used if column not in bad]


def _why_negative(value: float, width: float) -> str:
    """Of a number that must not be negative, and is."""
    if value < -width:
        return "comes out negative beyond its interval, which cannot be: it stands in for another"
    return "it is not told apart from 0"


def _parameters(
    terms: Terms, x: Array, width: Array, why: dict[str, str], *, first: int = 0
) -> list[Parameter]:
    found = []
    for k, (name, unit) in enumerate(zip(terms.names, terms.units, strict=True), first):
        if name in why:
            found.append(Parameter(name, unit, None, None, why[name]))
        else:
            value, half = float(x[k]), float(width[k])
            found.append(Parameter(name, unit, value, (value - half, value + half)))
    return found


def _laws(robot: Robot, x: dict[str, float]) -> dict[str, FrictionLaw]:
    return {
        name: FrictionLaw(
            *(float(x.get(f"{name}.{kind}", 0.0)) for kind in ("coulomb", "viscous", "offset"))
        )
        for name in robot.row_names
    }


def _rotors(robot: Robot, task: _Task, used: Sequence[int], first: int) -> list[Parameter]:
    """Rotors from a fit of their own; the inertias and friction that are kept are without them."""
    if task.rotors is None:
        return []
    told = base_parameters(robot).rotors_told
    behind = first + len(task.friction.names)
    columns = [behind + k for k, is_told in enumerate(told) if is_told]
    found = []
    fit = _fit(task, [*used, *columns], first)
    values = dict(
        zip(columns, zip(fit.x[len(used) :], fit.half_width[len(used) :], strict=True), strict=True)
    )
    for k, (name, unit) in enumerate(zip(task.rotors.names, task.rotors.units, strict=True)):
        value, width = values.get(behind + k, (0.0, np.inf))
        if not told[k]:
            why = "no motion tells it from the links' own inertia"
        elif not np.isfinite(width):
            why = UNTOLD
        elif value < 0:
            why = _why_negative(value, width)
        elif value < width:
            why = "it is not told apart from 0"
        else:
            found.append(Parameter(name, unit, float(value), (value - width, value + width)))
            continue
        found.append(Parameter(name, unit, None, None, why))
    return found


def _base(robot: Robot, task: _Task, used: Sequence[int], first: int) -> list[Parameter]:
    """Base parameters of the log alone, no prior beside it."""
    base = base_parameters(robot)
    theta = inertial_parameters(robot)
    sizes = np.maximum(np.abs(base.of(theta)), typical_sizes(theta)[base.independent])
    columns = [*base.independent, *(k for k in used if k >= first)]
    try:
        fit = task.equations.with_columns(columns).fit()
    except ForeignError:
        why = "the log is too short for so many numbers"
        return [
            Parameter(name, unit, None, None, why)
            for name, unit in zip(base.names, base.units, strict=True)
        ]
    found = []
    for k, (name, unit) in enumerate(zip(base.names, base.units, strict=True)):
        value, width = float(fit.x[k]), float(fit.half_width[k])
        if width < sizes[k]:
            found.append(Parameter(name, unit, value, (value - width, value + width)))
        else:
            found.append(Parameter(name, unit, None, None, "its interval is as wide as it may be"))
    return found


def _scores(
    robot: Robot,
    task: _Task,
    own: Equations,
    used: Sequence[int],
    first: int,
    x: Array,
    by_file: Array,
) -> tuple[JointScore, ...]:
    """Shares of the residual, with the second half of the log as what the first has not seen."""
    t = own.samples.t
    middle = float(t[0] + t[-1]) / 2
    half = np.zeros_like(x)
    half[used] = _fit(task, used, first, middle).x
    usable = own.samples.usable(own.cutoff)
    everything = np.ones(t.size, bool)
    unseen, sliding = (own.shares(half, t >= middle, sliding=only) for only in (False, True))
    seen, file = own.shares(x, everything), own.shares(by_file, everything)
    rms = np.sqrt((own.torques[:, usable] ** 2).mean(axis=1))
    rest = 1 - own.is_sliding[:, usable].mean(axis=1)
    return tuple(
        JointScore(
            row.name, "N·m" if row.is_angle else "N",
            *(float(numbers[k]) for numbers in (rms, file, seen, unseen, sliding, rest)),
        )
        for k, row in enumerate(robot.coordinates)
    )  # fmt: skip
