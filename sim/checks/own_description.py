"""The model's table against both formulations, at some instants, from the description only.

The two tables of a run may agree and both belong to another robot, other loads or another gravity.
Therefore the run's own URDF, with the friction, springs, stops, forces, contacts, payloads and
gravity in the description, is evaluated once more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.checks.formulations import rounding_of_motion
from sim.checks.judgement import Judgement
from sim.checks.limits import AT_REST, CANCELLED, FORMULATIONS, FORMULATIONS_FLOOR
from sim.checks.robot_by_description import (
    known_elements,
    robot_by_description,
    stages,
    unknown_forces,
)
from sim.checks.run_view import RunView
from sim.dynamics import lagrange, newton_euler
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.friction import dry_limit, friction_torque, needs_reaction, viscous_torque
from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.maths.arrays import Array, distinct
from sim.recording.schema.methods import IDEAL, STEPPED
from sim.robots.friction_surface import friction_surfaces

# Evenly spaced over the run, plus one at every event, so that each payload is evaluated.
INSTANTS = 20

# Accuracy of joint rates in solved loops, relative to the largest power; loop pins do no work.
LOOSE_PINS = 1e-9


class _DescribedValues(Struct, frozen=True, eq=False):
    """Values from the description at the model's motion, at K instants.

    Parameters
    ----------
    lagrange, newton_euler : ndarray, shape (n, K)
        Joint efforts required for inertia, gravity and the forces on links [N·m or N].
    elements : ndarray, shape (n, K)
        Efforts of the force elements in joints, which act in addition to the drives.
    on_links : ndarray, shape (n, K)
        Joint efforts equivalent to the force elements on links.
    viscous, dry, known : ndarray, shape (n, K)
        Friction: viscous part, bound of the dry part, and total in joints moved by a drive.
    ke : mapping of str to ndarray, shape (K,)
        Kinetic energy of each link [J].
    pe : ndarray, shape (K,)
        [J]
    stored : ndarray, shape (K,), or None
        Energy in the force elements [J].
    """

    lagrange: Array
    newton_euler: Array
    elements: Array
    on_links: Array
    viscous: Array
    dry: Array
    known: Array
    ke: dict[str, Array]
    pe: Array
    stored: Array | None


def own_description(view: RunView) -> Iterator[Judgement]:
    """Check torque, friction and energies by the description; with loops the power of drives.

    The torque is computed by Lagrange's equation and by Newton–Euler; the larger error counts. The
    geometry of loops is not in the description, but loop pins do no work. All is exact, and the
    limit is rounding. Torques are not judged if a force has no expression (`unknown_forces`), and
    nothing is judged if the URDF has other joints, which fails in another check.

    Raises
    ------
    SimError
        If the description has an impossible law, load or link.
    """
    robot = view.robot
    if (view.tree_row_names, view.row_names) != (robot.tree_row_names, robot.row_names):
        return
    k = _instants(view)
    motion = view.analytic_rows("q", "qd", "qdd", at=k)
    robot, are_known = robot_by_description(view), not unknown_forces(view)
    facts = _values_by_description(view, known_elements(view, robot), k, motion)
    yield from _energies(view, facts, k)
    if not (needs_reaction(robot) and (view.run.robot.loops or not are_known)):
        yield from _friction(view, facts, k)
    if not are_known:
        return
    if view.run.robot.loops:
        yield _power(view, facts, motion[1], k)
    else:
        yield from _torques(view, facts, k)


def _instants(view: RunView) -> NDArray[np.intp]:
    """Return the indices of the evaluated samples, ascending."""
    count = view.t.size
    even = np.linspace(0, count - 1, min(INSTANTS, count)).round().astype(np.intp)
    times = np.array([event.t for event in view.run.events])
    return distinct(even, np.minimum(np.searchsorted(view.t, times), count - 1))


def _values_by_description(
    view: RunView, elements: ElementSum, k: NDArray[np.intp], motion: tuple[Array, ...]
) -> _DescribedValues:
    q, qd, _ = motion
    robot, t = elements.robot, view.t[k]
    S, gravity = robot.coupling[0], view.run.settings.gravity
    z = [view.analytic(f"state.{row}")[k] for row in range(elements.states)]
    at = elements.at(t, q, qd, np.reshape(z, (elements.states, t.size)))
    wrenches = elements.wrenches(at)
    n, count = q.shape
    first, second, reaction = np.empty((n, count)), np.empty((n, count)), []
    ke: dict[str, Array] = {}
    pe = np.zeros(count)
    for part, carrying in stages(robot, view.run.events, t):
        here: list[AppliedWrench] = [wrench.during(part) for wrench in wrenches]
        q, qd, qdd = (rows[:, part] for rows in motion)
        first[:, part] = lagrange.link_torque(carrying, q, qd, qdd, gravity)
        first[:, part] -= joint_torque(carrying, q, here)
        solution = newton_euler.wrenches(carrying, q, qd, qdd, gravity, here)
        second[:, part] = solution.tau
        reaction.append(solution.reaction)
        links, kinetic, potential = lagrange.energies(carrying, q, qd, gravity)
        pe[part] = potential.sum(axis=0)
        for link, row in zip(links, kinetic, strict=True):
            ke.setdefault(link, np.zeros(count))[part] = row
    _, qd_tree = at.kinematics.on_tree
    loads = np.concatenate(reaction, axis=-1)
    return _DescribedValues(
        lagrange=first,
        newton_euler=second,
        elements=np.asarray(S.T @ elements.joint_efforts(at)),
        on_links=joint_torque(robot, at.q, wrenches),
        viscous=np.asarray(S.T @ viscous_torque(robot, qd_tree)),
        dry=np.asarray(np.abs(S.T) @ dry_limit(robot, qd_tree, loads)),
        known=np.asarray(S.T @ friction_torque(robot, qd_tree, loads)),
        ke=ke,
        pe=pe,
        stored=elements.stored_energy(at),
    )


def _torques(view: RunView, facts: _DescribedValues, k: NDArray[np.intp]) -> Iterator[Judgement]:
    """Check torque minus friction, plus the force elements, against both formulations."""
    tau, friction = view.analytic_rows("tau", "friction", at=k)
    useful = tau - friction + facts.elements
    error = np.maximum(np.abs(useful - facts.lagrange), np.abs(useful - facts.newton_euler))
    peaks, highest = view.peaks("tau", view.row_names)
    highest = max(highest, *map(_largest, (facts.elements, facts.on_links, facts.lagrange)))
    rounded, _ = rounding_of_motion(view)
    for row, name in enumerate(view.robot.row_names):
        largest = max(peaks[name], _largest(facts.elements[row]))
        limit = FORMULATIONS * largest + FORMULATIONS_FLOOR * max(highest, view.terms(name))
        limit += rounded[name]
        yield view.judge_samples("recomputed torque", f"tau.{name}", k, error[row], limit)


def _power(view: RunView, facts: _DescribedValues, qd: Array, k: NDArray[np.intp]) -> Judgement:
    """Check the power of all drives of closed loops against that of links and joints."""
    tau, friction = view.analytic_rows("tau", "friction", at=k)
    spent = friction - facts.elements
    driven = np.sum(tau * qd, axis=0)
    first, second = (
        np.sum((torque + spent) * qd, axis=0) for torque in (facts.lagrange, facts.newton_euler)
    )
    error = np.maximum(np.abs(driven - first), np.abs(driven - second))
    # In a freely swinging mechanism all terms cancel, including inertia against weight.
    efforts = np.abs([tau, facts.lagrange, friction, facts.elements]).sum(axis=0) + view.moments
    limit = LOOSE_PINS * max(_largest(np.sum(efforts * np.abs(qd), axis=0)), AT_REST)
    return view.judge_samples("recomputed power", f"power.{view.row_names[0]}", k, error, limit)


def _friction(view: RunView, facts: _DescribedValues, k: NDArray[np.intp]) -> Iterator[Judgement]:
    """Check friction against its law; in a free joint that may stick, the viscous part and a bound.

    A joint without friction, in both description and table, has no check. If drives prescribe all
    joints, both tables have the friction of that motion, and every sample must be the same.
    """
    how = view.run.solved_by
    is_prescribed = how in (STEPPED, IDEAL) and not view.run.settings.free
    (friction,) = view.analytic_rows("friction", at=k)
    surfaces = friction_surfaces(robot_by_description(view))
    smooth = {view.tree_row_names[row] for one in surfaces for row in one.rows}
    highest = max(_largest(facts.known), _largest(facts.dry))
    for row, name in enumerate(view.robot.row_names):
        largest = max(_largest(facts.known[row]), _largest(facts.dry[row]))
        if largest == 0.0 and not np.any(view.analytic(f"friction.{name}")):
            continue
        if name in view.run.settings.free and name not in smooth:
            beyond = np.abs(friction[row] - facts.viscous[row]) - facts.dry[row]
            error = np.where(np.isnan(beyond), beyond, np.maximum(beyond, 0.0))
        else:
            error = np.abs(friction[row] - facts.known[row])
        limit = FORMULATIONS * largest + FORMULATIONS_FLOOR * highest
        channel, of_tables = f"friction.{name}", np.zeros_like(view.t)
        if is_prescribed:
            of_tables = np.abs(view.recorded_values(channel) - view.analytic(channel))
        of_tables[k] = np.maximum(of_tables[k], error)
        yield view.judge_errors("recomputed friction", channel, of_tables, limit)


def _energies(view: RunView, facts: _DescribedValues, k: NDArray[np.intp]) -> Iterator[Judgement]:
    """Check kinetic energy per link, potential energy (zero at the origin) and stored energy."""
    highest = max(map(_largest, facts.ke.values()), default=0.0)
    for link, values in facts.ke.items():
        channel = f"ke.{link}"
        if view.has(channel):
            limit = FORMULATIONS * _largest(values) + FORMULATIONS_FLOOR * max(highest, AT_REST)
            error = np.abs(view.analytic(channel)[k] - values)
            yield view.judge_samples("recomputed energy", channel, k, error, limit)
    limit = FORMULATIONS * _largest(facts.pe) + CANCELLED * max(view.moments, AT_REST)
    error = np.abs(view.analytic("pe")[k] - facts.pe)
    yield view.judge_samples("recomputed energy", "pe", k, error, limit)
    if facts.stored is not None and view.has("stored"):
        limit = FORMULATIONS * _largest(facts.stored) + FORMULATIONS_FLOOR * AT_REST
        error = np.abs(view.analytic("stored")[k] - facts.stored)
        yield view.judge_samples("recomputed energy", "stored", k, error, limit)


def _largest(values: Array) -> float:
    return float(np.max(np.abs(values), initial=0.0))
