"""Couplings of joints as linear equations of their speeds: COUPLER, GEAR, RACKPIN, GCON.

    Σ rate dq/dt = 0

Source: MSC Adams Solver, statements COUPLER, GEAR and JOINT.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.decks.deck import Deck
from sim.decks.deck_drives import driven_joint
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_joints import NEAR, kind_of
from sim.decks.spanning_tree import STARTS, SpanningTree, TreeJoint
from sim.decks.statements import Statement
from sim.decks.velocity_gcons import is_coupling, joint_speeds
from sim.maths.arrays import Array
from sim.robots import Mimic

KINDS = ("REVOLUTE", "TRANSLATIONAL", "CYLINDRICAL")  # joints that can be coupled
TYPES = {"TRANSLATIONAL": "slide", "ROTATIONAL": "hinge"}
NO_SPEED = 1e-9  # [m/s] at the teeth per m/s or rad/s of a joint, taken as zero
BESIDE = 1e-3  # of the pitch diameter: least distance of a rack from the pinion's axis
UNCOUPLED = 1e-12  # of the largest rate of a coupling [1/m or 1/rad]: rounding of zero


class Coupling(Struct, frozen=True, eq=False):
    """Two or three joints of the tree with their rates, and notes for the reader of a run."""

    statement: Statement
    joints: tuple[TreeJoint, ...]
    rates: tuple[float, ...]
    note: str = ""


def read_couplings(functions: DeckFunctions) -> tuple[Coupling, ...]:
    """Return the couplings of a deck in SI units.

    Raises
    ------
    DeckError
        If one is not linear, or its joints and markers do not match.
    """
    deck, tree = functions.deck, functions.tree
    racks = [joint for joint in deck.of("JOINT") if kind_of(joint) == "RACKPIN"]
    return (
        *(_coupler(one, deck, tree) for one in deck.of("COUPLER")),
        *(_gear(one, deck, tree) for one in deck.of("GEAR")),
        *(_rack_and_pinion(one, deck, tree) for one in racks),
        *_of_velocities(functions),
    )


def _of_velocities(functions: DeckFunctions) -> Iterator[Coupling]:
    """Yield GCONs of W and V that couple joints, such as those of bevel gears."""
    for one in functions.deck.of("GCON"):
        if is_coupling(one, functions):
            yield Coupling(one, *joint_speeds(one, functions))


def _coupler(one: Statement, deck: Deck, tree: SpanningTree) -> Coupling:
    """Return ``Σ r q = 0`` with displacements of I in J, in the deck's length unit and radians."""
    for key in ("FUNCTION", "ROUTINE"):
        if key in one.values:
            raise one.refusal(f"{key}: only a linear coupler is supported, by SCALES")
    joints = _joints(one, deck, 3)
    typed_scales = one.numbers("SCALES")
    scales = [] if typed_scales is None else typed_scales.tolist()
    if len(scales) == len(joints) - 1:
        scales = [1.0, *scales]
    if len(scales) != len(joints) or not all(scales):
        typed = f"SCALES = {', '.join(one.values['SCALES'])}" if scales else "no SCALES"
        raise one.refusal(
            f"{typed}: it requires a number other than 0 for each of {len(joints)} joints, of "
            "which the first may be left out where it is 1"
        )
    types = (one.text("TYPE") or "").upper().replace(" ", "").split(":")
    types += [""] * (len(joints) - len(types))
    if len(types) > len(joints) or not all(any(x.startswith(t) for x in TYPES) for t in types):
        raise one.refusal(f"TYPE = {one.text('TYPE')}: it requires T or R for each joint, as T:R")
    rows = tuple(
        _freedom(one, joint, tree, kind) for joint, kind in zip(joints, types, strict=True)
    )
    rates = tuple(r / _unit(row, deck) for r, row in zip(scales, rows, strict=True))
    stray = sum(rate * row.start for rate, row in zip(rates, rows, strict=True))
    places = ", ".join(f"{row.name} at {row.start:.6g}" for row in rows)
    note = f"{one.label}: its displacements count from where the parts are typed, {places}"
    return Coupling(one, rows, rates, note if abs(stray) > NEAR * max(map(abs, rates)) else "")


def _gear(one: Statement, deck: Deck, tree: SpanningTree) -> Coupling:
    """Return the coupling by equal velocities along z of the CV marker, seen from the carrier."""
    cv = deck.marker(one, "CV")
    T, carrier = deck.T_0m(cv), deck.markers[cv].part
    first, second = _joints(one, deck)
    for joint in (first, second):
        if deck.markers[deck.marker(joint, "J")].part != carrier:
            raise one.refusal(
                f"CV = {cv} is on PART/{carrier}, the J marker of JOINT/{joint.id} is not; both "
                "belong to the carrier of the gear"
            )
    a, speed_a = _tooth_speed(one, first, tree, carrier, T[:3, 3], T[:3, 2])
    b, speed_b = _tooth_speed(one, second, tree, carrier, T[:3, 3], T[:3, 2])
    return Coupling(one, (a, b), (speed_a, -speed_b))


def _rack_and_pinion(one: Statement, deck: Deck, tree: SpanningTree) -> Coupling:
    """Return the coupling of pinion I and rack J: equal speed of the teeth, PD/2 from z of I.

    The rack moves along z of J; the teeth are on its side of the pinion. If the rack's marker is on
    the pinion's axis, its displacement along z of J is ``+PD/2`` times the angle about z of I.
    """
    diameter = deck.units.length * one.number("PD")
    if diameter <= 0:
        raise one.refusal("it needs PD, the pitch diameter of the pinion, above 0")
    i, j = (deck.marker(one, key) for key in "IJ")
    T_0i, T_0j = deck.T_0m(i), deck.T_0m(j)
    about, along = T_0i[:3, 2], T_0j[:3, 2]
    tilt = float(np.arctan2(np.linalg.norm(np.cross(T_0i[:3, 0], along)), T_0i[:3, 0] @ along))
    if tilt > NEAR:
        raise one.refusal(
            f"x of I = {i} is {np.degrees(tilt):.6g} degrees from z of J = {j}; the x axis of the "
            "pinion must be along the z axis of the rack at the start"
        )
    side = np.cross(about, along)
    offset = float((T_0j[:3, 3] - T_0i[:3, 3]) @ side)
    note = ""
    if abs(offset) < BESIDE * diameter:
        offset = -1.0
        note = (
            f"{one.label}: J is on the axis of the pinion, so its sense of rotation is ambiguous; "
            "assumed: z of the rack = +PD/2 times the angle about z of the pinion"
        )
    teeth = T_0i[:3, 3] + np.sign(offset) * diameter / 2 * side
    pinion, rack, carrier = _joints_of_teeth(one, deck, deck.markers[i].part, deck.markers[j].part)
    a, speed_a = _tooth_speed(one, pinion, tree, carrier, teeth, along)
    b, speed_b = _tooth_speed(one, rack, tree, carrier, teeth, along)
    return Coupling(one, (a, b), (speed_a, -speed_b), note)


def _joints(one: Statement, deck: Deck, most: int = 2) -> list[Statement]:
    """Return the two or more joints that a statement names."""
    ids = one.numbers("JOINTS")
    if ids is None or len(set(ids.tolist())) != len(ids) or len(ids) < 2:
        raise one.refusal("it needs JOINTS = two different joints")
    if len(ids) > most:
        raise one.refusal(f"it couples {len(ids)} joints; at most {most} are supported")
    joints = deck.by_id("JOINT")
    for id, text in zip(ids.tolist(), one.values["JOINTS"], strict=True):
        if id not in joints:
            raise one.refusal(f"JOINTS: there is no JOINT/{text}")
        if kind_of(joints[id]) not in KINDS:
            raise one.refusal(f"JOINT/{text} is {kind_of(joints[id])}; it takes {', '.join(KINDS)}")
    return [joints[id] for id in ids.tolist()]


def _freedom(one: Statement, joint: Statement, tree: SpanningTree, kind: str) -> TreeJoint:
    """Return the freedom of a joint given by TYPE, T or R; by default the only one."""
    moves = {move for name, move in TYPES.items() if name.startswith(kind)}
    rows = [row for row in tree.joints_of[joint.id] if row.move in moves]
    if len(rows) != 1:
        what = (
            f"no freedom of TYPE {kind}"
            if kind
            else "two degrees of freedom; give TYPE = T:R or similar"
        )
        raise one.refusal(f"JOINT/{joint.id}, {kind_of(joint)}, has {what}")
    return rows[0]


def _joints_of_teeth(
    one: Statement, deck: Deck, pinion: int, rack: int
) -> tuple[Statement, Statement, int]:
    """Return the joints of pinion and rack, and the part that carries both."""
    ways = [
        (turning, sliding, carrier)
        for turning in deck.of("JOINT")
        for sliding in deck.of("JOINT")
        if kind_of(turning) in ("REVOLUTE", "CYLINDRICAL") and kind_of(sliding) == "TRANSLATIONAL"
        for carrier in _other_part(turning, pinion, deck) & _other_part(sliding, rack, deck)
    ]
    if len(ways) != 1:
        raise one.refusal(
            f"it needs one part that holds the pinion, PART/{pinion}, by a REVOLUTE and the rack, "
            f"PART/{rack}, by a TRANSLATIONAL; there are {len(ways)}"
        )
    return ways[0]


def _other_part(joint: Statement, part: int, deck: Deck) -> set[int]:
    """Return the part at the other end of a joint; empty if `part` is not at one."""
    parts = {deck.markers[deck.marker(joint, key)].part for key in "IJ"}
    return parts - {part} if part in parts else set()


def _tooth_speed(
    one: Statement,
    joint: Statement,
    tree: SpanningTree,
    carrier: int,
    point: Array,
    along: Array,
) -> tuple[TreeJoint, float]:
    """Return the freedom of a joint that moves the teeth, and their speed per rad/s or m/s of it.

    The speed is that of the joint's other part relative to the carrier, at `point` [m] in the
    direction `along`, both in the world.
    """
    rows, link_at = tree.joints_of[joint.id], {link.name: link.T_0l for link in tree.links}
    if not rows:
        raise one.refusal(f"JOINT/{joint.id} closes a loop and is not a coordinate")
    sign = 1.0 if rows[0].parent == tree.link_of[carrier].name else -1.0
    speeds = []
    for row in rows:
        T = link_at[row.child]
        axis = T[:3, :3] @ row.axis
        velocity = axis if row.move == "slide" else np.cross(axis, point - T[:3, 3])
        speeds.append(sign * float(velocity @ along))
    moving = [index for index, speed in enumerate(speeds) if abs(speed) > NO_SPEED]
    if len(moving) != 1:
        how = "does not move" if not moving else "moves by two freedoms"
        raise one.refusal(
            f"JOINT/{joint.id} {how} the teeth along the direction of common velocity; the contact "
            "must be off the axis, with its z axis tangent to both pitch circles"
        )
    return rows[moving[0]], speeds[moving[0]]


def _unit(joint: TreeJoint, deck: Deck) -> float:
    """Return the deck's unit of a joint's displacement [m or rad]."""
    return deck.units.length if joint.move == "slide" else 1.0


def with_couplings(functions: DeckFunctions) -> SpanningTree:
    """Return the tree with coupled joints as followers of a driven one, or of one with a start.

    Raises
    ------
    DeckError
        If a coupling is unsupported, or couplings lock a joint.
    """
    deck, tree = functions.deck, functions.tree
    couplings = read_couplings(functions)
    if not couplings:
        return tree
    driven = [driven_joint(motion, deck, tree).joint.name for motion in deck.of("MOTION")]
    started = [
        row.name
        for joint in deck.of("JOINT")
        if any(key in joint.values for key in STARTS)
        for row in tree.joints_of[joint.id]
    ]
    coupled = [row.name for coupling in couplings for row in coupling.joints]
    first = [name for name in (*driven, *started) if name in coupled]
    mimics, repeated = _followers(couplings, list(dict.fromkeys([*first, *coupled])))
    joints = {row.name: replace(row, mimic=mimics.get(row.name, row.mimic)) for row in tree.joints}
    return replace(
        tree,
        joints=tuple(joints.values()),
        joints_of={
            id: tuple(joints[row.name] for row in rows) for id, rows in tree.joints_of.items()
        },
        toothed=frozenset(
            row.name
            for coupling in couplings
            if coupling.statement.keyword in ("GEAR", "JOINT")
            for row in coupling.joints
        ),
        notes=(
            *(coupling.note for coupling in couplings if coupling.note),
            *(f"{one.label}: it repeats what other statements couple" for one in repeated),
        ),
    )


def _followers(
    couplings: Sequence[Coupling], names: Sequence[str]
) -> tuple[dict[str, Mimic], list[Statement]]:
    """Return the leaders of each joint, and redundant statements; the first of `names` lead.

    The equations of all couplings are solved for the last joints, as speeds of the first.
    """
    A = np.zeros((len(couplings), len(names)))
    start = {row.name: row.start for coupling in couplings for row in coupling.joints}
    for equation, coupling in zip(A, couplings, strict=True):
        for row, rate in zip(coupling.joints, coupling.rates, strict=True):
            equation[names.index(row.name)] = rate / max(map(abs, coupling.rates))
    column_of = dict[int, int]()  # column of the joint that each equation is solved for
    for column in reversed(range(len(names))):
        remaining = [index for index in range(len(couplings)) if index not in column_of]
        pivot = max(remaining, key=lambda index: abs(A[index, column]), default=0)
        if not remaining or abs(A[pivot, column]) < UNCOUPLED:
            continue
        A[pivot] /= A[pivot, column]
        column_of[pivot] = column
        for index in range(len(couplings)):
            if index != pivot:
                A[index] -= A[index, column] * A[pivot]
    mimics = dict[str, Mimic]()
    for index, column in column_of.items():
        follower, equation = names[column], A[index]
        ratios = {
            name: float(-rate)
            for name, rate in zip(names, equation, strict=True)
            if abs(rate) > UNCOUPLED and name != follower
        }
        if not ratios:
            raise couplings[index].statement.refusal(
                f"with the other couplings it leaves joint {follower} no motion"
            )
        offset = start[follower] - sum(ratio * start[name] for name, ratio in ratios.items())
        first, *others = (Mimic(name, ratio) for name, ratio in ratios.items())
        mimics[follower] = replace(first, offset=float(offset), others=tuple(others))
    return mimics, [one.statement for k, one in enumerate(couplings) if k not in column_of]
