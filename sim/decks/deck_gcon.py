"""GCON of a deck as a loop: a rod if it keeps a distance, else an expression of two frames.

Source: MSC Adams Solver, statement GCON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

import numpy as np

from sim.decks import trees
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_urdf import without_rounding
from sim.decks.statements import Statement
from sim.decks.typed_checks import SPLINES
from sim.decks.velocity_gcons import integrate_velocities, own_function
from sim.errors import SimError
from sim.functions.expression import expression
from sim.functions.state_functions import ANGLES, OF_LOOPS
from sim.functions.syntax import Call, Node, Number, rewrite, walk
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.robots.loop import Loop

GROUND = "0"
SHIFTS = ("DX", "DY", "DZ")
SAME = 1e-9  # relative to the largest value of a function: rounding
PARALLEL = 1e-12  # of axes: rounding of their angles


def markers_of(one: Statement, functions: DeckFunctions) -> tuple[str, str]:
    """Return the two markers that the function of a GCON reads; "0" is the ground.

    Raises
    ------
    DeckError
        If it does not read exactly two markers.
    """
    node = _position(one, functions)
    pairs = dict[tuple[str, str], bool]()
    for call in trees.calls(node):
        if call.name in OF_LOOPS:
            i, j, *_ = (*map(trees.label_of, call.arguments), GROUND)
            pairs[i, j] = pairs.get((i, j), False) or call.name != "DM"
    if not pairs:
        text = trees.write(node)
        raise one.refusal(f"its function {text!r} reads no two markers by {', '.join(OF_LOOPS)}")
    b, a = max(pairs, key=lambda pair: pairs[pair])
    if any(set(pair) != {a, b} for pair in pairs):
        text = trees.write(node)
        raise one.refusal(f"its function {text!r} reads more than two markers, {a} and {b}")
    return b, a


def gcon_loop(one: Statement, name: str, functions: DeckFunctions) -> Loop:
    """Return the loop of a GCON between two markers, of which the second is frame a.

    Raises
    ------
    DeckError
        If it has no FUNCTION, or does not read exactly two markers.
    """
    node = _position(one, functions)
    if others := [call.name for call in trees.calls(node) if call.name in {*SPLINES, "DIF"}]:
        remedy = "write the curve as POLY or another expression of their positions"
        if others[0] == "DIF":
            remedy = "let an SFORCE with a stiffness and a damping follow the state"
        raise one.refusal(
            f"{others[0]} is not supported in a GCON, a function of the positions of two markers; "
            f"{remedy}"
        )
    b, a = markers_of(one, functions)
    if not _is_same_along_any_axes(node) and _is_along(b, node, functions):
        b, a = (b, a) if _is_along(a, node, functions) else (a, b)

    def of_frames(part: Node) -> Node:
        if not isinstance(part, Call) or part.name not in trees.READINGS:
            return part
        labels = [*map(trees.label_of, part.arguments)]
        if part.name in OF_LOOPS:
            labels += [GROUND] * ((3 if part.name in SHIFTS else 2) - len(labels))
        is_turned = part.name in SHIFTS and labels[:2] == [a, b]
        if is_turned:  # from b to a is the reverse of from a to b
            labels[:2] = b, a
        call = trees.call(part.name, *({a: "a", b: "b"}.get(label, label) for label in labels))
        return trees.negate(call) if is_turned else call

    node = rewrite(node, of_frames)
    ends = _id(one, b, functions), _id(one, a, functions)
    along = _marker_along(node, ends[1], functions)
    if along is not None or _is_same_along_any_axes(node):
        node = rewrite(
            node, lambda part: trees.call(part.name, *"baa") if _is_shift(part) else part
        )
    if (length := _rod_length(one)) > 0:
        (link_b, T_b), (link_a, T_a) = (place_of(id, functions) for id in ends)
        points = link_a, without_rounding(T_a[:3, 3]), link_b, without_rounding(T_b[:3, 3])
        return Loop(name, *points, kind="rod", length=length * functions.deck.units.length)
    return function_loop(name, *ends, trees.write(node), functions, along)


def _position(one: Statement, functions: DeckFunctions) -> Node:
    """Return the function of a GCON in SI units; one of velocities is integrated to positions."""
    return integrate_velocities(one, functions) or own_function(one, functions)


def _is_shift(part: Node) -> TypeGuard[Call]:
    return isinstance(part, Call) and part.name in SHIFTS


def _is_along(marker: str, node: Node, functions: DeckFunctions) -> bool:
    """Whether all shifts in a function are along axes fixed to the part of a marker."""
    shifts = [map(trees.label_of, one.arguments) for one in trees.calls(node) if one.name in SHIFTS]
    axes = {(*labels, GROUND, GROUND)[2] for labels in shifts}
    deck, ground = functions.deck, functions.deck.ground.statement.id
    known = [int(x) for x in (marker, *axes) if trees.is_id(x) and int(x) in {0, *deck.markers}]
    parts = {ground if id == 0 else deck.markers[id].part for id in known}
    return len(known) == 1 + len(axes) and len(parts) == 1


def _marker_along(node: Node, a: int, functions: DeckFunctions) -> int | None:
    """Return the marker whose axes all shifts use, if these are fixed and admissible in frame a.

    0 is the world. None for other functions: frame a then keeps its own axes.
    """
    axes = {trees.label_of(one.arguments[2]) for one in trees.calls(node) if one.name in SHIFTS}
    label = axes.pop() if len(axes) == 1 else "a"
    markers, ground = functions.deck.markers, functions.deck.ground.statement.id
    if not trees.is_id(label) or int(label) not in {0, *markers}:
        return None
    of_axes, of_a = (ground if id == 0 else markers[id].part for id in (int(label), a))
    (_, T_axes), (_, T_a) = (place_of(id, functions) for id in (int(label), a))
    is_turned = np.abs(T_axes[:3, :3] - T_a[:3, :3]).max() > PARALLEL
    return None if of_axes != of_a or (_reads_turns(node) and is_turned) else int(label)


def _reads_turns(node: Node) -> bool:
    return any(one.name in ANGLES for one in trees.calls(node))


def _is_same_along_any_axes(node: Node) -> bool:
    """Whether a function depends on the distance of b and a only, such as DX² + DY² + DZ²."""
    if not any(map(_is_shift, walk(node))) or _reads_turns(node):
        return False
    rng, values = np.random.default_rng(0), []
    for d in rng.normal(size=(3, 3)):
        for R in (np.eye(3), *np.linalg.qr(rng.normal(size=(2, 3, 3)))[0]):
            at = dict(zip(SHIFTS, (R @ d).tolist(), strict=True))
            at["DM"] = float(np.linalg.norm(d))
            try:
                values.append(_value(node, at))
            except SimError:  # the loop reports it
                return False
    same = np.array(values).reshape(3, 3)
    return bool(np.ptp(same, axis=1).max() <= SAME * max(1.0, np.abs(same).max()))


def _value(node: Node, at: Mapping[str, float]) -> float:
    """Evaluate a function with given values of its shifts and distances."""

    def put(part: Node) -> Node:
        return trees.literal(at[part.name]) if isinstance(part, Call) and part.name in at else part

    return float(expression(trees.write(rewrite(node, put))).value(0.0))


def function_loop(
    name: str, b: int, a: int, text: str, functions: DeckFunctions, along: int | None = None
) -> Loop:
    """Return the loop that keeps a function of the frames a and b of two markers at zero.

    Frame a has the axes of the marker `along` on its part, if given.
    """
    link_a, T_a = place_of(a, functions)
    R_a = T_a[:3, :3] if along is None else place_of(along, functions)[1][:3, :3]
    link_b, T_b = place_of(b, functions)
    return Loop(
        name,
        link_a,
        without_rounding(T_a[:3, 3]),
        link_b,
        without_rounding(T_b[:3, 3]),
        kind="function",
        axis_a=without_rounding(R_a[:, 2]),
        axis_b=without_rounding(T_b[:3, 2]),
        across_a=without_rounding(R_a[:, 0]),
        across_b=without_rounding(T_b[:3, 0]),
        function=text,
    )


def _id(one: Statement, label: str, functions: DeckFunctions) -> int:
    """Return the id of the marker that a function names; 0 is the ground."""
    if label == GROUND:
        return 0
    markers = functions.deck.markers
    if not trees.is_id(label) or int(label) not in markers or markers[int(label)].is_floating:
        raise one.refusal(f"there is no MARKER/{label} with a place")
    return int(label)


def place_of(marker: int, functions: DeckFunctions) -> tuple[str, Array]:
    """Return the link of a marker and its pose there [m]; the ground itself for 0."""
    if marker == 0:
        root = functions.tree.links[0]
        return root.name, np.asarray(inverse_pose(root.T_0l))
    link = functions.tree.link_of[functions.deck.markers[marker].part]
    return link.name, np.asarray(inverse_pose(link.T_0l) @ functions.deck.T_0m(marker))


def _rod_length(one: Statement) -> float:
    """Return L of a function ``DM(I, J) - L``; 0 for any other."""
    match trees.parse(one.text("FUNCTION") or "", one):
        case Call("+", (Call("DM"), Call("-", (Number(is_literal=True, in_degrees=False) as L,)))):
            return L.value
    return 0.0
