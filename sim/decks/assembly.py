"""Initial assembly of parts that are typed apart, as by ADAMS before the simulation.

Each part is free in the world, and all joints, JPRIMs and GCONs are loops e(x) = 0 between them.
The start is the assembled configuration closest to the typed one: the sum of squares of the
displacements of the mass centres, and of the displacements of each part's farthest marker by
rotation, is minimal. Coordinates named by EXACT count `KEPT` times as much.

Source: MSC Adams Solver, statement PART, and the analysis of initial conditions. Its minimum
depends on the unit of length and on Euler angles: parts with remaining freedoms that are typed far
apart may be assembled elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace

from sim.decks.closed_places import least_open, nearest_closed
from sim.decks.deck import COORDINATES, Deck, Part, channel_names
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_joints import ApartError
from sim.decks.deck_loops import deck_loops
from sim.decks.deck_urdf import urdf_text
from sim.decks.spanning_tree import SpanningTree, single_parts
from sim.errors import DeckError, SimError
from sim.functions.spline import Spline
from sim.kinematics.forward import frame_pose
from sim.kinematics.loop_equations import loop_error
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.maths.screws import log_rotation
from sim.robots.loading import read_urdf
from sim.robots.robot import Robot
from sim.showing.one_line import shorten_list

KEPT = 1e3
EULER = frozenset({"PSI", "THETA", "PHI"})
CLOSED = 1e-9  # [m], [rad] gap of closed loops
STILL = 1e-9  # [m], [rad] smaller displacements of a part are ignored
SHOWN = 3  # parts, or statements, in a message


def move_together(
    deck: Deck, inputs: Mapping[int, Spline], values: Mapping[int, float], cause: ApartError
) -> Deck:
    """Return the deck with its parts moved so that all constraints are closed.

    Raises
    ------
    DeckError
        If they cannot be assembled; names what was apart, and the remaining gaps.
    """
    tree = single_parts(deck)
    try:
        functions = DeckFunctions(deck, tree, inputs, values)
        held = deck_loops(functions)
        robot = read_urdf(urdf_text("parts", tree, "parts of a deck, each by itself"))
        robot = robot.with_loops(*(loop for _, loop in held))
    except SimError as error:
        raise DeckError(f"{cause}; the parts cannot be moved together: {error}") from None
    typed = np.zeros((len(robot.coordinates), 1))
    reach = 1 / _weights(deck, tree, robot)
    q = nearest_closed(robot, typed, reach)
    gaps = loop_error(robot, robot.q_tree(q))[:, 0]
    if not gaps.max() <= CLOSED:
        q = least_open(robot, typed, reach)
        gaps = loop_error(robot, robot.q_tree(q))[:, 0]
        largest_first = sorted(zip(gaps, held, strict=True), key=lambda pair: -pair[0])
        still = (f"{one.keyword}/{one.id} by {gap:.3g}" for gap, (one, _) in largest_first[:SHOWN])
        raise DeckError(
            f"{cause}; no place nearby brings the parts together: {', '.join(still)} m or rad "
            "stay open at best; check the lengths of their parts and where their markers are"
        )
    parts = {id: _moved_part(part, tree, robot, q) for id, part in deck.parts.items()}
    return replace(deck, parts=parts, notes=(*deck.notes, _note(deck, parts, cause)))


def _weights(deck: Deck, tree: SpanningTree, robot: Robot) -> Array:
    """Return the weight of each coordinate in the minimum, shape (n,) [1 or m]."""
    weight, joints = np.ones(len(robot.coordinates)), [row.joint for row in robot.coordinates]
    carried = {joint.child: joint for joint in tree.joints}
    for id, link in tree.link_of.items():
        exact = {*deck.parts[id].statement.words("EXACT", COORDINATES)}
        joint = carried.get(link.name)
        while joint is not None:
            rows, is_ball = np.array([name == joint.name for name in joints]), joint.move == "ball"
            is_kept = exact & (EULER if is_ball else {joint.name[-1].upper()})
            weight[rows] = (_size(deck, id) if is_ball else 1.0) * (KEPT if is_kept else 1.0)
            joint = carried.get(joint.parent)
    return weight


def _size(deck: Deck, id: int) -> float:
    """Return the largest distance of a part's markers from its mass centre [m]; 1 if it is 0."""
    com = deck.parts[id].com
    places = (one.T_pm[:3, 3] for one in deck.markers.values() if one.part == id)
    return max((float(np.linalg.norm(place - com)) for place in places), default=0.0) or 1.0


def _moved_part(part: Part, tree: SpanningTree, robot: Robot, q: Array) -> Part:
    link = tree.link_of[part.statement.id]
    T = frame_pose(robot, q, link.name)[..., 0] @ inverse_pose(link.T_0l)
    way, turn = _change(part, T @ part.T_0p)
    return part if max(way, turn) < STILL else replace(part, T_0p=T @ part.T_0p)


def _change(part: Part, T_0p: Array) -> tuple[float, float]:
    """Return displacement of the mass centre [m] and rotation of the part [rad] to a pose."""
    T = T_0p @ inverse_pose(part.T_0p)
    way = T_0p[:3, :3] @ part.com + T_0p[:3, 3] - part.T_0p[:3, :3] @ part.com - part.T_0p[:3, 3]
    return float(np.linalg.norm(way)), float(np.linalg.norm(log_rotation(T[:3, :3])))


def _note(deck: Deck, parts: Mapping[int, Part], error: ApartError) -> str:
    """Return a note on the moved parts and their displacements."""
    names = channel_names(part.statement for part in parts.values())
    shifts = []
    for id, part in parts.items():
        way, turn = _change(deck.parts[id], part.T_0p)
        if way or turn:
            shifts.append((way, f"{names[id]} by {1e3 * way:.4g} mm, {np.degrees(turn):.4g}°"))
    largest_first = [text for _, text in sorted(shifts, reverse=True)]
    return f"parts are moved together, {shorten_list(largest_first, SHOWN)}: {error}"
