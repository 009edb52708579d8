"""Detection of functions of TIME that change too fast for a solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct

from sim.dynamics.constrained_dynamics import with_closed_loops
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.states import States
from sim.dynamics.step_choice import ATOL
from sim.dynamics.stiff_motion import HOPELESS, JUDGED, STABLE
from sim.errors import ScenarioError
from sim.functions.jet import Jet
from sim.functions.syntax import Node, evaluate
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.motion.state_torque import TorqueOfState
from sim.robots.names import Names
from sim.simulation.problem import Problem

# After ten times `JUDGED` steps a solver gives up if more than this number are left.
MOST = HOPELESS / (10 * JUDGED)

# Times at which functions are evaluated, irregular so that no period hides between them; and the
# stretches of the run, in each of which half of the times must show a fast change.
LOOKS, STRETCHES = 1024, 32
FAST = 0.1  # relative to the fastest stretch; slower ones are ignored
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)

# A step that is too long for an acceleration that oscillates between a and -a has an error above a
# h / 20; the solver ignores the function if this is below ATOL of a velocity.
UNNOTICED = 20 * ATOL

Derivatives = Callable[[Array], tuple[Array, Array]]


class TimedFunction(Struct, frozen=True, eq=False):
    """A function in use, as TIME alone changes it.

    Parameters
    ----------
    title : str
        Name of its owner, in a message.
    derivatives : callable
        Times (N,) [s] -> first and second derivative with respect to TIME.
    """

    title: str
    derivatives: Derivatives

    def rates(self, t: Array) -> Array:
        """Return the angular frequency |f''/f'| in each stretch of times (LOOKS,) [rad/s]."""
        with np.errstate(all="ignore"):
            first, second = self.derivatives(t)
            rates = np.broadcast_to(np.abs(second / first), t.shape)
        return np.median(np.where(np.isfinite(rates), rates, 0.0).reshape(STRETCHES, -1), axis=1)


def require_slow_functions(problem: Problem) -> None:
    """Check that no function of TIME changes too fast to be integrated.

    Raises
    ------
    ScenarioError
        If one does; names the element, frequency, steps per second and in total, and a remedy.
    """
    begin, duration = float(problem.t[0]), float(problem.t[-1] - problem.t[0])
    looks = (np.arange(LOOKS) + GOLDEN * np.arange(LOOKS) % 1.0) / LOOKS
    t = begin + duration * looks
    for function in _functions(problem):
        rates = function.rates(t)
        is_fast = rates > FAST * rates.max()
        span = duration * float(is_fast.mean())
        rate = float(np.median(rates[is_fast])) if is_fast.any() else 0.0
        if rate / STABLE * span <= MOST:
            continue
        each = min(rate / STABLE, _swing(problem, rate, t) / UNNOTICED)
        if each * span > MOST:
            raise ScenarioError(
                f"{function.title} changes with TIME at {rate / (2 * np.pi):.3g} Hz, for which "
                f"the solver takes at least {each:.3g} steps a second, {each * span:.3g} for "
                f"{span:.3g} s; at most {MOST:.3g} are taken. Give it a slower function of TIME, "
                "or a shorter run"
            )


def _swing(problem: Problem, rate: float, t: Array) -> float:
    """Return the amplitude of accelerations and state rates at a frequency at the start [unit/s].

    It comes from second differences over half a period, in which all else changes little.
    """
    path = problem.broken_path
    dynamics = LagrangianDynamics(problem.robot, problem.gravity)
    ((_, closed),) = with_closed_loops([(float(t[0]), dynamics)], path.q0, ~path.free)
    mechanism, n = Mechanism(closed, path, problem.loads), path.free.size
    times = t[:: LOOKS // STRETCHES] + np.pi / rate * np.arange(3)[:, None]
    y = np.repeat(mechanism.start()[:, None], times.size, axis=1)
    modes = FrictionModes(np.zeros(n, dtype=bool), np.zeros(n))
    rates = mechanism.rate(times.ravel(), y, modes).reshape(len(y), 3, -1)
    return float(np.abs(rates[:, 0] - 2 * rates[:, 1] + rates[:, 2]).max(initial=0.0) / 4)


def _functions(problem: Problem) -> Iterator[TimedFunction]:
    """Yield all acting functions of the state: of forces, states and motors.

    Torques that depend on TIME alone are checked where they are integrated.
    """
    for element in problem.elements.elements:
        if isinstance(element, MarkerForce) and (law := element.law_on_i) is not None:
            yield from _constant_functions(problem, element.label, law.expressions, law.names)
        if isinstance(element, States):
            yield from _of_states(problem, element.names)
    actuation = problem.path.actuation
    if isinstance(actuation, TorqueOfState):
        for one in actuation.torque_laws:
            title = f"The torque of joint {problem.robot.row_names[one.row]!r}"
            yield from _constant_functions(problem, title, (one.expression.tree,), one.names)
        for names in {id(one.names): one.names for one in actuation.rate_laws}.values():
            yield from _of_states(problem, names)


def _of_states(problem: Problem, names: Names) -> Iterator[TimedFunction]:
    for name, rate in names.rates.items():
        yield from _constant_functions(
            problem, f"The rate of state {name.lower()!r}", (rate.tree,), names
        )


def _constant_functions(
    problem: Problem, title: str, nodes: tuple[Node, ...], names: Names
) -> Iterator[TimedFunction]:
    """Yield functions of TIME at the constant state of the start."""
    for node in nodes:

        def derivatives(t: Array, node: Node = node) -> tuple[Array, Array]:
            jet = evaluate(node, Jet.time(t), _start_of(problem, t, names))
            return jet.first, jet.second

        yield TimedFunction(title, derivatives)


def _start_of(problem: Problem, t: Array, names: Names) -> StateReading:
    """Return the state of the start, at rest, for functions of the state at any times (N,)."""

    def rest(values: Array) -> Array:
        return np.repeat(values[:, None], t.size, axis=1)

    q = rest(problem.prescribed_motion(problem.t[:1]).q[:, 0])
    at = problem.elements.at(t, q, np.zeros_like(q), rest(problem.elements.start))
    motors = problem.path.actuation
    motor_states: dict[str, Array] = {}
    if isinstance(motors, TorqueOfState):
        names_of_motors = (name.upper() for name in motors.state_names)
        motor_states = dict(zip(names_of_motors, rest(motors.start), strict=True))
    return StateReading(t, at.kinematics, names, motor_states)
