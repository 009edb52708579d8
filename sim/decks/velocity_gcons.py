"""GCONs of velocities that couple joints, such as bevel gears, as equations of joint speeds.

A function like ``20*WZ(30,10,31) - 40*WZ(40,10,41)`` is linear in joint speeds if each W is about
the common axis of the hinges between its markers, and each V along slides between them:

    Σ c (a · e_k) dq/dt = 0

Source: MSC Adams Solver, statement GCON.
"""

from __future__ import annotations

import numpy as np

from sim.decks import trees
from sim.decks.deck import Deck
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_variables import without_variables
from sim.decks.spanning_tree import SpanningTree, TreeJoint
from sim.decks.statements import Statement
from sim.errors import SimError
from sim.functions.expression import expression
from sim.functions.syntax import Call, Node, Time, rewrite, walk
from sim.maths.arrays import Array

GROUND = "0"
VELOCITIES = frozenset("VX VY VZ WX WY WZ".split())
EXACT = 1e-9  # relative to the largest coefficient: allowed deviation from linearity
PARALLEL = 1e-9  # of unit vectors
MOST = 3  # joints coupled by one equation


def velocity_terms(node: Node) -> dict[tuple[str, ...], float] | None:
    """Return coefficients of V and W in a function, by name and labels.

    None if it has other functions, or is not linear and zero at rest.
    """
    calls = [one for one in trees.calls(node) if one.name in trees.READINGS]
    has_time = any(isinstance(part, Time) for part in walk(node))
    if has_time or not VELOCITIES.issuperset(one.name for one in calls):
        return None
    each = [*dict.fromkeys(map(_key, calls))]
    trials = [
        np.zeros(len(each)),
        *np.eye(len(each)),
        np.random.default_rng(0).normal(size=len(each)),
    ]
    values = [_value(node, dict(zip(each, x.tolist(), strict=True))) for x in trials]
    if not each or not np.isfinite(values).all():
        return None
    at_rest, *coefficients, other = values
    least = EXACT * max(map(abs, coefficients))
    is_linear = abs(other - np.array(coefficients) @ trials[-1]) <= least
    return (
        dict(zip(each, coefficients, strict=True)) if is_linear and abs(at_rest) <= least else None
    )


def _key(one: Call) -> tuple[str, ...]:
    return (one.name, *map(trees.label_of, one.arguments))


def _value(node: Node, values: dict[tuple[str, ...], float]) -> float:
    """Evaluate a function with given values of its calls; NaN if it cannot be computed."""

    def put(part: Node) -> Node:
        if isinstance(part, Call) and part.name in VELOCITIES:
            return trees.literal(values[_key(part)])
        return part

    try:
        return float(expression(trees.write(rewrite(node, put))).value(0.0))
    except SimError:
        return float("nan")


def own_function(one: Statement, functions: DeckFunctions) -> Node:
    """Return the function of a GCON in SI units, VARIABLEs inlined."""
    return without_variables(functions.function(one), functions)


def is_of_velocities(one: Statement, functions: DeckFunctions) -> bool:
    """Whether the function of a GCON reads V or W of markers."""
    return any(call.name in VELOCITIES for call in trees.calls(own_function(one, functions)))


def integrate_velocities(one: Statement, functions: DeckFunctions) -> Node | None:
    """Return a GCON of V as one of D in SI units, zero in the typed configuration; else None.

    V of i and j along k, seen from k's part, is the rate of D of the same markers.
    """
    terms = velocity_terms(own_function(one, functions)) or {}
    deck, shifts, start = functions.deck, list[Node](), 0.0
    pairs = set[frozenset[str]]()
    for (name, *labels), coefficient in terms.items():
        i, j, k, observer = (*labels, GROUND, GROUND, GROUND)[:4]
        parts = [part_of(one, label, deck) for label in (i, j, k, observer)]
        if name[0] != "V" or parts[2] != parts[3]:
            return None
        pairs.add(frozenset((i, j)))
        T_i, T_j, T_k = (np.eye(4) if x == GROUND else deck.T_0m(int(x)) for x in (i, j, k))
        start += coefficient * float((T_i - T_j)[:3, 3] @ T_k[:3, "XYZ".index(name[1])])
        shifts.append(
            trees.multiply(trees.literal(coefficient), trees.call(f"D{name[1]}", i, j, k))
        )
    return trees.add(*shifts, trees.negate(trees.literal(start))) if len(pairs) == 1 else None


def is_coupling(one: Statement, functions: DeckFunctions) -> bool:
    """Whether a GCON of velocities is not a loop of two markers."""
    return is_of_velocities(one, functions) and integrate_velocities(one, functions) is None


def joint_speeds(
    one: Statement, functions: DeckFunctions
) -> tuple[tuple[TreeJoint, ...], tuple[float, ...]]:
    """Return the joints whose speeds a GCON couples, and their coefficients [1/rad or 1/m].

    Raises
    ------
    DeckError
        If it is not linear in the speeds of two or three joints.
    """
    node = own_function(one, functions)
    text, terms = trees.write(node), velocity_terms(node)
    if terms is None:
        raise one.refusal(
            f"its function {text!r} is not linear and homogeneous in V and W of markers; of "
            "velocities only that is supported"
        )
    rates: dict[TreeJoint, float] = {}
    for (name, *labels), coefficient in terms.items():
        for joint, share in _shares(one, name, labels, functions.deck, functions.tree).items():
            rates[joint] = rates.get(joint, 0.0) + coefficient * share
    largest = max(map(abs, rates.values()), default=0.0)
    rates = {joint: rate for joint, rate in rates.items() if abs(rate) > EXACT * largest}
    if not 2 <= len(rates) <= MOST:
        names = ", ".join(joint.name for joint in rates) or "none"
        raise one.refusal(
            f"its function {text!r} reads the speeds of {len(rates)} joints, {names}; a GCON of "
            f"velocities is supported where it couples two or {MOST}"
        )
    return tuple(rates), tuple(rates.values())


def _shares(
    one: Statement, name: str, labels: list[str], deck: Deck, tree: SpanningTree
) -> dict[TreeJoint, float]:
    """Return V or W for unit speed of each joint between the first two markers."""
    i, j, k, observer = (*labels, GROUND, GROUND, GROUND)[:4]
    links = [tree.link_of[part_of(one, label, deck)].name for label in (i, j, k, observer)]
    between = _joints_between(tree, links[0], links[1])
    shown, move = f"{name}({', '.join(labels)})", "hinge" if name[0] == "W" else "slide"
    moving = [(joint, sign) for joint, sign in between if joint.move != "fixed"]
    turning = [joint for joint, _ in moving if joint.move != "slide"]
    axes = [_axis(tree, joint) for joint, _ in moving if joint.move == move]
    on = {
        links[0],
        links[1],
        *(name for joint, _ in between for name in (joint.parent, joint.child)),
    }
    is_constant = (
        all(joint.move in ("hinge", "slide") for joint, _ in moving)
        and (move == "hinge" or not turning)
        and all(np.abs(np.cross(axis, axes[0])).max() < PARALLEL for axis in axes)
        and links[2] in on
        and (move == "hinge" or links[3] in on)
    )
    if not is_constant:
        raise one.refusal(
            f"{shown} is no fixed multiple of the speeds of joints: between its markers W needs "
            "hinges with one axis and V needs slides alone, and the axes must be those of a part "
            "between them"
        )
    e = np.eye(3) if k == GROUND else deck.T_0m(int(k))[:3, :3]
    along = e[:, "XYZ".index(name[1])]
    return {
        joint: sign * float(_axis(tree, joint) @ along)
        for joint, sign in moving
        if joint.move == move
    }


def part_of(one: Statement, label: str, deck: Deck) -> int:
    """Return the part of a marker; that of 0 is the ground."""
    if label == GROUND:
        return deck.ground.statement.id
    if (
        not trees.is_id(label)
        or int(label) not in deck.markers
        or deck.markers[int(label)].is_floating
    ):
        raise one.refusal(f"there is no MARKER/{label} with a place")
    return deck.markers[int(label)].part


def _axis(tree: SpanningTree, joint: TreeJoint) -> Array:
    """Return the axis of a joint in the world, in the typed configuration."""
    T = next(link.T_0l for link in tree.links if link.name == joint.child)
    return np.asarray(T[:3, :3] @ joint.axis)


def _joints_between(tree: SpanningTree, i: str, j: str) -> list[tuple[TreeJoint, float]]:
    """Return the joints between two links, and the signs with which they move i relative to j."""
    above = {joint.child: joint for joint in tree.joints}

    def way(link: str) -> list[TreeJoint]:
        path = list[TreeJoint]()
        while link in above:
            path.append(above[link])
            link = above[link].parent
        return path

    one, other = way(i), way(j)
    return [
        *((joint, 1.0) for joint in one if joint not in other),
        *((joint, -1.0) for joint in other if joint not in one),
    ]
