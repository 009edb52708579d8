"""Identification of an arm's friction, inertias and rotors, or of its payload, from a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sim.curves.spectral_fit import SpectralFit
from sim.dynamics.inertial_parameters import inertial_parameters
from sim.errors import ForeignError
from sim.identification.arm_chain import last_arm_link
from sim.identification.base_parameters import BaseParameters, base_parameters, typical_sizes
from sim.identification.further_friction import earned_terms, unit_of
from sim.identification.gravity_direction import gravity_in_base
from sim.identification.identified_urdf import with_inertias, with_joint_friction
from sim.identification.log import Log
from sim.identification.payload import payload_parameters
from sim.identification.prepared_log import Prepared, convert_numerical_errors, prepare_log
from sim.identification.result import FrictionLaw, FurtherFriction, Identification, Parameter
from sim.identification.rotors import Model, fit_model, share_out, with_rotors
from sim.identification.scores import joint_scores
from sim.identification.signals import bandwidth, require_cutoff, sample, time_base
from sim.identification.task import (
    NEGATIVE,
    UNTOLD,
    Task,
    arm_task,
    fit_task,
    payload_task,
    settle,
    why_negative,
)
from sim.identification.terms import FRICTION, TorqueTerms
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.payload import Payload
from sim.robots.robot import Robot

MASSES = (
    "torques, friction and base parameters are identified; the masses of single links, and their "
    "sum, are not"
)
BEYOND = "the cut-off exceeds the bandwidth of the log: intervals are too narrow"
LIGHTER = "the arm is lighter than in its file, or the torques have a different scale"
TOO_WIDE = "interval as wide as the physically possible range"
ROTORS = "rotor inertias are fitted together with friction, and are in the card: {}"
GAINS = (
    "an error in the scale of the torques is an equal relative error of the payload's mass, "
    "invisible in the residual"
)
UNEXPLAINED = 0.25  # of the torque of the most loaded joint; models of good files leave a tenth
UNRELATED = 0.5  # likewise, of torques that do not follow from the positions
OTHER_COLUMNS = (
    "the fit does not predict {:.0f} % of the torque of {}: positions and torques may not belong "
    "together (columns of two arms, two recordings, or other joints); name them with --map"
)
OTHER_MASSES = (
    "model and payload do not explain {:.0f} % of the torque of {}: masses in the arm's file may "
    "be wrong, and the payload may compensate for them; identify the arm without a load first"
)


@checked
def identify(
    robot: Robot,
    log: Log,
    *,
    payload: bool = False,
    cutoff: float | None = None,
    tool: str | None = None,
    mount: Sequence[float] | None = None,
    despite_doubts: bool = False,
) -> Identification:
    """Identify friction, inertias and rotors of a robot from a log, or friction and payload.

    The torques are linear in all parameters, tau = Y theta + friction; regressor, friction and
    measured torque pass through one low-pass, and the bins of their transforms below it are fitted
    with weights by the noise of each joint. Inertias are drawn weakly to those of the file and
    remain physically possible.

    Parameters
    ----------
    robot : Robot
        As in its file; for a payload, the unloaded arm.
    log : Log
    payload : bool
        Whether to keep the arm's parameters and identify the payload only.
    cutoff : float, optional
        Cut-off of the low-pass on both sides [Hz] (default: from the log).
    tool : str, optional
        Link that carries the payload, and frame of the payload's mass centre (default: the robot's
        tool, or the link at the end of its arm if the tool is ambiguous).
    mount : sequence of float, length 6, optional
        Position [m] and roll, pitch, yaw about fixed axes [rad] of the base in the world. The
        mounting of a robot with a rotated base counts as stated (default: estimated from the log).
    despite_doubts : bool
        Accept a log whose units, joint order or signs are suspicious.

    Raises
    ------
    ForeignError
        If the log is that of another robot, is too short, has suspicious units, order or signs,
        contradicts the stated mounting, does not suit the cut-off, or shows a load that no payload
        can have.
    ModelError
        If a payload is requested for a robot without a single arm, or a joint is a ball.
    """
    robot.require_no_balls(
        "no drive measures its moments; identification supports hinges and slides only"
    )
    log.require_of(robot)
    if payload:
        robot = replace(robot, tool=_carrier(robot, tool))
    elif tool is not None:
        raise ForeignError(
            f"--tool {tool} is the link of a payload; identify the payload with --payload"
        )
    ready = prepare_log(
        robot, log, mount=mount, payload=payload, despite_doubts=despite_doubts
    )  # fmt: skip
    with convert_numerical_errors(log):
        at = require_cutoff(ready.log, cutoff)
        make = payload_task if payload else arm_task
        is_free = ready.estimate is not None
        settled = settle(make, ready.robot, sample(ready.log), at, is_free=is_free)
        if ready.estimate is not None:
            gravity = gravity_in_base(settled.robot)
            ready = replace(ready, gravity=ready.estimate.words(gravity, settled.turn))
        return _result(settled.robot, ready.log, settled.task, ready, settled.notes)


def _carrier(robot: Robot, tool: str | None) -> str:
    return robot.tool or last_arm_link(robot) if tool is None else robot.link(tool).name


def _result(
    robot: Robot, log: Log, task: Task, ready: Prepared, settled: Sequence[str]
) -> Identification:
    first = task.first
    model = fit_model(robot, task)
    columns, fit, x = model.columns, model.fit, model.x
    width = np.full(x.size, np.inf)
    width[columns] = fit.half_width
    friction = slice(first, task.behind)
    terms = _parameters(task.friction, x[friction], width[friction], model.why)
    rotors = {
        robot.row_names[k - task.behind]: float(x[k])
        for k in columns
        if task.behind <= k < task.end
    }
    payload: Payload | None = None
    notes = [*log.notes, *ready.notes, *settled, log.torque_from]
    width_of_log = bandwidth(log)
    if task.equations.cutoff > width_of_log:
        notes.append(BEYOND)
    laws = _laws(robot, task, x, model.why)
    if task.prior_theta is None:
        parameters, payload = payload_parameters(fit, robot, log)
        carrying = robot if payload is None else robot.with_payload(
            payload.mass, payload.com, payload.inertia
        )  # fmt: skip
        identified = with_rotors(with_joint_friction(carrying, laws), robot, rotors)
        notes.append(GAINS)
        if rotors:
            notes.append(ROTORS.format(", ".join(rotors)))
    else:
        parameters = [*_rotors(robot, task, model), *_base(robot, task, columns)]
        theta, separate_rotors = _share_out(robot, x[:first], rotors)
        identified = with_joint_friction(with_inertias(robot, theta), laws)
        identified = with_rotors(identified, robot, separate_rotors)
        notes.append(MASSES)
    by_file = np.zeros(x.size)
    if task.prior_theta is not None:
        by_file[:first] = inertial_parameters(robot)
    scores = joint_scores(robot, task, columns, x, by_file)
    loaded = max(scores, key=lambda score: score.measured)
    if task.prior_theta is None and loaded.unseen > UNEXPLAINED:
        notes.append(OTHER_MASSES.format(100 * loaded.unseen, loaded.joint))
    elif loaded.unseen > UNRELATED:
        notes.append(OTHER_COLUMNS.format(100 * loaded.unseen, loaded.joint))
    further, friction_parameters = _further_friction(robot, task, model)
    every = (*terms, *friction_parameters, *parameters)
    faults = [f"{p.name}: {p.why_not}" for p in every if p.why_not == NEGATIVE]
    if task.prior_theta is None and fit.x[0] < -fit.half_width[0]:
        faults.append(f"payload.mass: {fit.x[0]:.3g} kg, below 0 beyond its interval; {LIGHTER}")
    return Identification(
        robot=robot,
        identified=identified,
        log=log,
        times=time_base(log),
        bandwidth=width_of_log,
        cutoff=task.equations.cutoff,
        gravity=ready.gravity,
        friction=laws,
        further=further,
        parameters=every,
        payload=payload,
        scores=scores,
        faults=tuple(faults),
        notes=tuple(notes),
        equations=task.equations,
        x=x,
    )


def _parameters(
    terms: TorqueTerms, x: Array, width: Array, why: dict[str, str], *, first: int = 0
) -> list[Parameter]:
    parameters = []
    for k, (name, unit) in enumerate(zip(terms.names, terms.units, strict=True), first):
        if name in why:
            parameters.append(Parameter(name, unit, None, None, why[name]))
        else:
            value, half = float(x[k]), float(width[k])
            parameters.append(Parameter(name, unit, value, (value - half, value + half)))
    return parameters


def _laws(robot: Robot, task: Task, x: Array, why: Mapping[str, str]) -> dict[str, FrictionLaw]:
    """Return the friction laws in coefficients of all columns, without the unidentified terms."""
    values = dict(zip(task.friction.names, x[task.first : task.behind].tolist(), strict=True))
    values |= dict.fromkeys(why, 0.0)
    return {
        name: FrictionLaw(*(values[f"{name}.{kind}"] for kind in FRICTION))
        for name in robot.row_names
    }


def _further_friction(
    robot: Robot, task: Task, model: Model
) -> tuple[tuple[FurtherFriction, ...], list[Parameter]]:
    """Return further terms from a fit of their own, which repeats the joint's friction."""
    if not (earned := earned_terms(robot, task, model.x)):
        return (), []
    columns = model.columns
    wider = task
    for term in earned:
        wider = replace(wider, equations=wider.equations.with_column(term.row, term.column))
    size = task.equations.columns.shape[1]
    fit = fit_task(wider, [*columns, *range(size, size + len(earned))])
    every = np.zeros(size)
    every[columns] = fit.x[: len(columns)]
    laws = _laws(robot, task, every, model.why)
    terms, parameters = [], []
    for k, term in enumerate(earned, len(columns)):
        row = robot.coordinates[term.row]
        name, value, width = f"{row.name}.{term.kind}", float(fit.x[k]), float(fit.half_width[k])
        if abs(value) <= width:  # terms kept by blocks may be insignificant by intervals
            continue
        unit = unit_of(term.kind, is_angle=row.is_angle)
        parameters.append(Parameter(name, unit, value, (value - width, value + width)))
        terms.append(FurtherFriction(name, term.meaning, laws[row.name], term.without, term.by_it))
    return tuple(terms), parameters


def _share_out(
    robot: Robot, theta: Array, rotors: Mapping[str, float]
) -> tuple[Array, Mapping[str, float]]:
    """Return inertias that contain the rotors which links can represent, and the other rotors."""
    is_separate = base_parameters(robot).rotors_told
    rows = {row: rotors[name] for row, name in enumerate(robot.row_names) if name in rotors}
    shared = share_out(robot, theta, {row: x for row, x in rows.items() if not is_separate[row]})
    if shared is None:
        return theta, rotors
    return shared, {robot.row_names[row]: x for row, x in rows.items() if is_separate[row]}


def _rotors(robot: Robot, task: Task, model: Model) -> list[Parameter]:
    """Return the rotors; those that are not kept come from a fit of all rotors."""
    is_separate = base_parameters(robot).rotors_told
    places = (task.behind + k for k, is_told in enumerate(is_separate) if is_told)
    others = [column for column in places if column not in model.columns]
    fit = fit_task(task, [*model.columns, *others]) if others else model.fit
    values = _numbers([*model.columns, *others], fit) | _numbers(model.columns, model.fit)
    parameters = []
    for k, (name, unit) in enumerate(zip(task.rotors.names, task.rotors.units, strict=True)):
        value, width = values.get(task.behind + k, (0.0, np.inf))
        if not is_separate[k]:
            why = "not separable from the links' inertia by any motion"
        elif robot.rotor_inertia[k] > 0:
            why = "value of the robot file"
        elif not np.isfinite(width):
            why = UNTOLD
        elif value < 0:
            why = why_negative(value, width)
        elif value < width:
            why = "interval contains 0"
        else:
            parameters.append(Parameter(name, unit, float(value), (value - width, value + width)))
            continue
        parameters.append(Parameter(name, unit, None, None, why))
    return parameters


def _numbers(columns: Sequence[int], fit: SpectralFit) -> dict[int, tuple[float, float]]:
    """Return value and half width of the interval by column."""
    pairs = zip(fit.x.tolist(), fit.half_width.tolist(), strict=True)
    return dict(zip(columns, pairs, strict=True))


def _base(robot: Robot, task: Task, fitted_columns: Sequence[int]) -> list[Parameter]:
    """Return base parameters from the log alone, without a prior."""
    base = base_parameters(robot)
    theta = inertial_parameters(robot)
    sizes = np.maximum(np.abs(base.of(theta)), typical_sizes(theta)[base.independent])
    columns = [
        *base.independent,
        *(k for k in fitted_columns if k >= task.first and _is_separate(base, task, k)),
    ]
    try:
        fit = task.equations.with_columns(columns).fit()
    except ForeignError:
        why = "the log is too short for so many numbers"
        return [
            Parameter(name, unit, None, None, why)
            for name, unit in zip(base.names, base.units, strict=True)
        ]
    parameters = []
    for k, (name, unit) in enumerate(zip(base.names, base.units, strict=True)):
        value, width = float(fit.x[k]), float(fit.half_width[k])
        if width < sizes[k]:
            parameters.append(Parameter(name, unit, value, (value - width, value + width)))
        else:
            parameters.append(Parameter(name, unit, None, None, TOO_WIDE))
    return parameters


def _is_separate(base: BaseParameters, task: Task, column: int) -> bool:
    """Whether a column is not among the links' base parameters, as for some rotors."""
    return not task.behind <= column < task.end or base.rotors_told[column - task.behind]
