"""Estimate, before a run, of the steps required by stiff springs and dampers of free joints.

Rapidly decaying modes cost none, because the solver then takes implicit steps
(`sim.dynamics.stiff_motion`); fast undamped oscillations require some in each period.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ElementState
from sim.dynamics.friction import viscous_matrix
from sim.dynamics.hybrid import LagrangianDynamics, require_inertia
from sim.dynamics.lagrange import mass_matrix
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.stiff_motion import explicit_rate, is_stiff, steps_needed
from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask
from sim.motion.state_torque import TorqueOfState
from sim.robots.actuation import Actuation, WrittenActuation
from sim.simulation.problem import Problem

STEP = 1e-6  # rad, m and per second, of central differences
MOST_STEPS = 20_000  # a few minutes; each step evaluates engine and model twelve times
WORTH_A_WORD = 1000.0  # steps per second


class StiffMode(Struct, frozen=True, eq=False):
    """The fastest mode of the free joints about the start.

    Parameters
    ----------
    part : str
        Main part of the mode: a joint, weighted by its inertia, or a motor's state.
    rate : float
        |λ| [1/s].
    frequency : float
        Frequency of its oscillation [Hz]; zero if it only decays.
    values : ndarray
        Eigenvalues λ of all modes [1/s].
    cause : str
        Marker force that gives most of its stiffness and damping; empty if none does.
    """

    part: str
    rate: float
    frequency: float
    values: Array
    cause: str = ""

    @property
    def steps_a_second(self) -> float:
        """Least number of steps of an explicit solver [1/s]."""
        return explicit_rate(self.values)

    def text(self) -> str:
        """Return a description of the mode and its rate."""
        moves = f"oscillates at {self.frequency:.3g} Hz"
        if self.frequency == 0:
            moves = f"decays by 1/e in {1 / self.rate:.2g} s"
        return (
            f"{self.part} is stiff: with {self.cause or 'its spring, motor and damping'} it {moves}"
        )


def stiffest_mode(
    elements: ElementSum, q: Array, free: Mask, actuation: Actuation | None = None
) -> StiffMode | None:
    """Return the stiffest mode of M qdd + D qd + K q = T z with elements, motors, viscous friction.

    z are the own states of motors, with their rates. Elements that act only in a part of their
    range are omitted: stops and contacts. So are motors whose torque is held between samples, which
    does not depend on the state within a step. None without any mode.

    Parameters
    ----------
    elements : ElementSum
        Elements, with the robot and its payloads.
    q : ndarray, shape (n,)
        [rad or m]
    free : ndarray of bool, shape (n,)
    actuation : Actuation, optional
        Law of the motors.
    """
    robot = elements.robot
    steady = ElementSum(robot, tuple(e for e in elements.elements if e.is_steady))
    at = steady.at(np.zeros(1), q[:, None], 0.0 * q[:, None], steady.start[:, None])
    slopes = steady.slopes(at)
    of_free = np.ix_(free, free)
    n, motors = q.size, _slopes_of_motors(actuation, q, elements)
    K = -slopes.q[..., 0] - motors[:n, :n]
    D = viscous_matrix(robot) - slopes.qd[..., 0] - motors[:n, n : 2 * n]
    if not (K[of_free].any() or D[of_free].any() or motors[n:].any()):
        return None
    M = mass_matrix(robot, q[:, None])[of_free][..., 0]
    inverse = np.linalg.inv(M)
    of_joints = np.block(
        [[np.zeros_like(M), np.eye(len(M))], [-inverse @ K[of_free], -inverse @ D[of_free]]]
    )
    names = [name for name, is_free in zip(robot.row_names, free, strict=True) if is_free]
    values, vectors = np.linalg.eig(of_joints)
    fastest = int(np.argmax(np.abs(values)))
    share = np.sqrt(np.diag(M)) * np.abs(vectors[len(M) :, fastest])
    shape = np.zeros(n, dtype=complex)
    shape[free] = vectors[: len(M), fastest]
    mode = _mode(f"Free joint {names[int(np.argmax(share))]!r}", values)
    mode = replace(mode, cause=_cause(steady, at, shape, values[fastest]))
    of_states = motors[n:, 2 * n :]
    if not of_states.size:
        return mode
    into = np.vstack([np.zeros((len(M), len(of_states))), inverse @ motors[:n][free][:, 2 * n :]])
    whole = np.block([[of_joints, into], [motors[n:, np.tile(free, 2).nonzero()[0]], of_states]])
    state = int(np.argmax(np.abs(np.diag(of_states))))
    names = list(actuation.state_names) if isinstance(actuation, TorqueOfState) else ["of a law"]
    coupled = _mode(f"State {names[state % len(names)]!r} of a motor", np.linalg.eigvals(whole))
    is_joints_own = coupled.rate < 1.5 * mode.rate  # the states hardly affect the joints' motion
    return replace(coupled, part=mode.part) if is_joints_own else coupled


def _mode(part: str, values: Array) -> StiffMode:
    """Return the fastest of some modes, by their eigenvalues [1/s]."""
    fastest = values[np.argmax(np.abs(values))]
    return StiffMode(part, float(abs(fastest)), float(abs(fastest.imag) / (2 * np.pi)), values)


def _cause(elements: ElementSum, at: ElementState, x: Array, rate: complex) -> str:
    """Return the marker force with the largest work |xᴴ (K + λ D) x| in a mode, if it is most."""
    forces = {e.label: e for e in elements.elements if isinstance(e, MarkerForce)}
    slopes = {label: ElementSum(elements.robot, (e,)).slopes(at) for label, e in forces.items()}
    works = {label: abs(x.conj() @ (s.q + rate * s.qd)[..., 0] @ x) for label, s in slopes.items()}
    whole = elements.slopes(at)
    most = max(works, key=lambda label: works[label], default="")
    total = abs(x.conj() @ (whole.q + rate * whole.qd)[..., 0] @ x)
    return most if most and 2 * works[most] > total else ""


def _slopes_of_motors(actuation: Actuation | None, q: Array, elements: ElementSum) -> Array:
    """Return ∂(τ, z')/∂(q, qd, z) of the motors at the start, at rest, (n + states, 2 n + states).

    Computed by central differences; zero for motors whose torque is held between samples.
    """
    n = q.size
    if actuation is None or actuation.hold is not None:
        return np.zeros((n, 2 * n))
    names = actuation.other_states if isinstance(actuation, WrittenActuation) else ()
    others = elements.start[[elements.state_rows[name] for name in names]]
    start = np.concatenate([q, np.zeros(n), actuation.start])
    steps = STEP * np.maximum(1.0, np.abs(start))
    aside = np.eye(start.size + others.size, start.size) * steps
    states = np.append(start, others)[:, None] + np.hstack([aside, -aside])
    at = np.zeros(states.shape[1]), states[:n], states[n : 2 * n], states[2 * n :]
    ahead, behind = np.split(np.vstack([actuation(*at), actuation.rate(*at)]), 2, axis=1)
    return np.asarray((ahead - behind) / (2 * steps))


def require_affordable_steps(problem: Problem) -> None:
    """Check that the free joints are not so stiff that a run would take very long.

    Raises
    ------
    ScenarioError
        If they are; names joint, frequency or decay, steps per second and in total, and a remedy;
        or names a joint without inertia.
    """
    mode = _of(problem)
    if mode is None:
        return
    duration = _duration(problem)
    steps = steps_needed(mode.values, duration)
    if steps > MOST_STEPS:
        each = steps / duration
        raise ScenarioError(
            f"{mode.text()}, and the solver takes some {each:.3g} steps per second, {steps:.3g} "
            f"for {duration:g} s; at most {MOST_STEPS} are taken, which is {MOST_STEPS / each:.3g} "
            "s. Give it less stiffness, more inertia, damping of its oscillation, a shorter "
            "run, or hold it by a drive"
        )


def stiffness_note(problem: Problem) -> tuple[str, ...]:
    """Return a note on the cost of a stiff run that is not refused."""
    mode = _of(problem)
    if mode is None or mode.steps_a_second < WORTH_A_WORD:
        return ()
    if is_stiff(mode.values, _duration(problem)):
        return (f"{mode.text()}; the solver takes implicit steps, which it does not limit",)
    return (f"{mode.text()}, and the solver takes some {mode.steps_a_second:.3g} steps per second",)


def _duration(problem: Problem) -> float:
    return float(problem.t[-1] - problem.t[0])


@lru_cache(maxsize=1)  # called before a run, and again for its description
def _of(problem: Problem) -> StiffMode | None:
    """Return the stiffest mode of all stages' robots at the start, if a solver marches."""
    free, t = problem.path.free, problem.t
    if not (problem.method.solves_motion and free.any()) or problem.robot.loops:
        return None
    q = problem.prescribed_motion(t[:1]).q[:, 0]
    for stage in problem.payloads.stages:
        require_inertia(LagrangianDynamics(stage.robot), free, float(t[0]), q[:, None])
    elements = (ElementSum(s.robot, problem.elements.elements) for s in problem.payloads.stages)
    actuation = problem.path.actuation
    modes = [stiffest_mode(each, q, free, actuation) for each in elements]
    return max((one for one in modes if one is not None), key=lambda m: m.rate, default=None)
