"""Loops of a deck, `sim.robots.Loop`, from joints outside its tree, JPRIMs and GCONs.

Frame a is marker J and frame b is marker I; z of each is the axis of the joint.

Source: MSC Adams Solver, statements JOINT, JPRIM and GCON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from sim.decks.carriages import planes_of_carriages
from sim.decks.closed_places import SHORTEST, nearest_closed
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_gcon import gcon_loop, place_of
from sim.decks.deck_joints import NEAR, ApartError, along_shaft, kind_of, steps_of
from sim.decks.deck_urdf import without_rounding
from sim.decks.statement_forms import FORMS
from sim.decks.statements import Statement
from sim.decks.velocity_gcons import is_coupling, is_of_velocities
from sim.dynamics.closed_positions import positions_about
from sim.errors import DeckError, SimError
from sim.kinematics.loop_equations import joint_equations, loop_error
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.robots.loop import Loop
from sim.robots.loop_kinds import LOOP_KINDS, LoopKind
from sim.robots.robot import Robot

KINDS: Mapping[str, LoopKind] = MappingProxyType(
    {
        "REVOLUTE": "hinge",
        "TRANSLATIONAL": "slider",
        "CYLINDRICAL": "cylinder",
        "SPHERICAL": "point",
        "UNIVERSAL": "universal",
        "HOOKE": "universal",
        "PLANAR": "planar",
        "FIXED": "fixed",
        "CONVEL": "constant_velocity",
        "SCREW": "screw",
        "ATPOINT": "point",
        "INLINE": "inline",
        "INPLANE": "inplane",
        "PARALLEL_AXES": "parallel",
        "PERPENDICULAR": "perpendicular",
        "ORIENTATION": "orientation",
    }
)
PINS: Mapping[str, tuple[int, int]] = MappingProxyType({"HOOKE": (1, 0)})
"""Axis of J and of I that the kind's axes are, where they are not z."""

INDEPENDENT = 1e-7  # of the largest singular value; smaller equations are redundant


def deck_loops(functions: DeckFunctions) -> tuple[tuple[Statement, Loop], ...]:
    """Return the loops of a deck, without their passive joints, and the ties of its threads.

    Raises
    ------
    DeckError
        If a statement has no kind, refers to a missing object, or has an unsupported function;
        names line and statement.
    """
    tree, deck = functions.tree, functions.deck
    closing = (*tree.closing, *deck.of("JPRIM"), *_held_gcons(functions))
    loops = []
    for one in closing:
        of = gcon_loop if one.keyword == "GCON" else _loop_between
        try:
            name = functions.closing_names[f"{one.keyword}/{one.id}"]
            loop = of(one, name, functions)  # also for idle joints, whose markers may be apart
            if not (one.keyword == "JOINT" and tree.is_idle(one, deck)):
                loops.append((one, loop))
        except DeckError:
            raise
        except SimError as error:
            raise DeckError(f"{one.label}: {error}") from None
    return (*loops, *_ties(functions), *planes_of_carriages(functions))


def _held_gcons(functions: DeckFunctions) -> list[Statement]:
    """Return GCONs kept by loops: not those of couplings, nor those of speeds during assembly."""
    passed = is_of_velocities if functions.tree.is_apart else is_coupling
    return [one for one in functions.deck.of("GCON") if not passed(one, functions)]


def threads_in_loops(
    functions: DeckFunctions, loops: Sequence[tuple[Statement, Loop]]
) -> frozenset[int]:
    """Return the ids of the SCREWs within loops."""
    tree, joints = functions.tree, functions.deck.by_id("JOINT")
    passed = [tree.joints_between(loop.link_a, loop.link_b) for _, loop in loops]
    on_loops = set[str]().union(*passed)
    return frozenset(
        id
        for id, rows in tree.joints_of.items()
        if "SCREW" in joints[id].flags and on_loops & {row.name for row in rows}
    )


def _ties(functions: DeckFunctions) -> Iterator[tuple[Statement, Loop]]:
    """Yield the ties between the two joints of a SCREW in a loop, and those of a CONVEL."""
    for id in functions.tree.joints_of:
        one = functions.deck.by_id("JOINT")[id]
        if name := tie_name(one, functions):
            kind: LoopKind = "untwisted" if "CONVEL" in one.flags else "function"
            yield one, _of_frames(one, name, kind, functions)


def tie_name(joint: Statement, functions: DeckFunctions) -> str:
    """Return the name of the loop that ties the tree joints of a joint; empty if none does."""
    name = functions.joint_names[joint.id]
    if "CONVEL" in joint.flags and functions.tree.joints_of[joint.id]:
        return f"{name}_twist"
    return f"{name}_thread" if joint.id in functions.tree.threads else ""


def _thread(one: Statement, T_ji: Array, length: float, near: float) -> str:
    """Return the function that keeps ``DZ - PITCH/2π AZ`` of I in J at its typed value."""
    turn, slide = steps_of(one, T_ji, True, length, near)
    rest = float(slide.start - slide.ratio * turn.start)
    return f"DZ(b,a,a) - ({float(slide.ratio)!r})*AZ(b,a) - ({rest!r})"


def with_loops(
    robot: Robot, loops: Sequence[tuple[Statement, Loop]], q: Array, movable: Sequence[str]
) -> Robot:
    """Return the robot with its loops, which determine as many movable joints as possible.

    Parameters
    ----------
    q : ndarray, shape (n, 1)
        Typed configuration [rad or m].
    movable : sequence of str
        Undriven joints. The loops may determine only some rotations of a ball, as for a rod between
        two balls, which is free to spin.

    Raises
    ------
    DeckError
        If no joint moves between the links of a loop.
    ApartError
        If a loop is open in the typed configuration.
    """
    for index, (one, _) in enumerate(loops):
        try:
            robot.with_loops(*(loop for _, loop in loops[: index + 1]))
        except SimError as error:
            raise DeckError(f"{one.label}: {error}") from None
    closed = robot.with_loops(*(loop for _, loop in loops))
    gap = loop_error(closed, closed.q_tree(q))[:, 0]
    for (one, _), size in zip(loops, gap, strict=True):
        if not size <= NEAR:
            raise ApartError(f"{one.label}: it is open by {size:.6g} m or rad at the start")
    loose = np.array([row.joint in movable for row in closed.coordinates], dtype=np.float64)
    J = joint_equations(closed, nearest_closed(closed, q, loose))[1][..., 0]
    passive = _passive(closed, J, movable)
    first, *others = closed.loops
    return replace(closed, loops=(replace(first, passive=passive), *others))


def idle_notes(functions: DeckFunctions) -> Iterator[str]:
    """Yield notes on joints between parts that FIXED joints already connect."""
    for one in functions.tree.closing:
        if functions.tree.is_idle(one, functions.deck):
            yield f"{one.label}: ignored, as FIXED joints already connect its parts"


def loop_notes(robot: Robot, q: Array) -> tuple[str, ...]:
    """Return a note on redundant loop equations, whose forces are not unique."""
    J = joint_equations(robot, q)[1][..., 0]
    repeated = J.shape[0] - _rank(J)
    if not repeated:
        return ()
    return (
        f"{repeated} of {J.shape[0]} equations of the loops repeat others: forces of joints in "
        "them are the least that do it, while ADAMS leaves equations out",
    )


def still_joints(robot: Robot, q: Array) -> frozenset[str]:
    """Return the joints locked by loops, at positions q (n, 1) and in their neighbourhood."""
    if not robot.loops:
        return frozenset()
    moves = np.zeros(q.shape[0])
    for near in positions_about(robot, q[:, 0], np.zeros(q.shape[0], dtype=bool)):
        J = joint_equations(robot, near[:, None])[1][..., 0]
        freedoms = np.linalg.svd(J)[2][_rank(J) :]
        moves = np.maximum(moves, np.abs(freedoms).max(axis=0, initial=0.0))
    rows = zip(robot.coordinates, moves, strict=True)
    return frozenset(row.joint for row, size in rows if size < INDEPENDENT)


def _passive(robot: Robot, J: Array, movable: Sequence[str]) -> tuple[str, ...]:
    """Return joints whose columns of J are the most independent, single ones before balls."""
    rows = {
        name: [k for k, row in enumerate(robot.coordinates) if row.joint == name]
        for name in movable
    }
    chosen, remaining = list[str](), list(movable)
    while remaining:
        now = [k for name in chosen for k in rows[name]]
        basis = np.linalg.qr(J[:, now])[0]
        residual = J - basis @ (basis.T @ J)
        gains = {
            name: (len(rows[name]) == 1, float(np.linalg.norm(residual[:, rows[name]])))
            for name in remaining
            if _rank(J[:, now + rows[name]]) > _rank(J[:, now])
        }
        if not gains:
            break
        best = max(gains, key=lambda name: gains[name])
        chosen.append(best)
        remaining.remove(best)
    for name in chosen.copy():  # a ball may be determined only in part: then another joint is free
        others = [k for other in chosen if other != name for k in rows[other]]
        if len(rows[name]) == 1 and _rank(J[:, others]) == _rank(J[:, others + rows[name]]):
            chosen.remove(name)
    return tuple(name for name in movable if name in chosen)


def _rank(J: Array) -> int:
    sizes = np.linalg.svd(J, compute_uv=False)
    return int(np.count_nonzero(sizes > INDEPENDENT * max(1.0, sizes.max(initial=0.0))))


def _loop_between(one: Statement, name: str, functions: DeckFunctions) -> Loop:
    """Return the loop of a joint or a primitive, from marker J to marker I."""
    deck = functions.deck
    i, j = (deck.marker(one, key) for key in "IJ")
    if one.keyword == "JOINT":
        word = kind_of(one)
        T_ji = inverse_pose(deck.T_0m(j)) @ deck.T_0m(i)
        steps_of(one, T_ji, True, near=functions.tree.near)  # refuses separated markers
    elif len(one.flags) == 1:
        (word,) = one.flags
    else:
        primitives = [word for word in KINDS if word in FORMS["JPRIM"].flags.split()]
        raise one.refusal(f"it needs one kind: {', '.join(primitives)}")
    return _of_frames(one, name, KINDS[word], functions, PINS.get(word, (2, 2)))


def _of_frames(
    one: Statement,
    name: str,
    kind: LoopKind,
    functions: DeckFunctions,
    pins: tuple[int, int] = (2, 2),
) -> Loop:
    """Return a loop of a given kind from marker J to marker I, about their axes `pins`."""
    deck, closure, (of_j, of_i) = functions.deck, LOOP_KINDS[kind], pins
    i, j = (deck.marker(one, key) for key in "IJ")
    T_ji, has_thread = inverse_pose(deck.T_0m(j)) @ deck.T_0m(i), closure.has_function
    link_a, T_a = place_of(j, functions)
    link_b, T_b = place_of(i, functions)
    R_b = T_b[:3, :3] @ along_shaft(T_ji) if closure.is_untwisted else T_b[:3, :3]
    # without rotation the transverse directions keep their typed angle, except of FIXED in assembly
    stays = closure.square and not has_thread and not (kind == "fixed" and functions.tree.is_apart)
    across = R_b[:, 0]
    if stays:
        typed = T_b[:3, :3] @ T_ji[:3, :3].T[:, 0]
        typed = typed - R_b[:, 2] * (R_b[:, 2] @ typed)
        length = float(np.linalg.norm(typed))
        across = typed / length if length > SHORTEST else across
    return Loop(
        name,
        link_a,
        without_rounding(T_a[:3, 3]),
        link_b,
        without_rounding(T_b[:3, 3]),
        kind=kind,
        axis_a=without_rounding(T_a[:3, of_j]) if closure.has_axis_a or has_thread else None,
        axis_b=without_rounding(R_b[:, of_i]) if closure.has_axes or has_thread else None,
        across_a=without_rounding(T_a[:3, 0]) if closure.has_across or has_thread else None,
        across_b=without_rounding(across) if closure.has_across or has_thread else None,
        function=_thread(one, T_ji, deck.units.length, functions.tree.near) if has_thread else None,
    )
