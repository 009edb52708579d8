"""Parts that a deck types a little beside the joints that hold them, moved there.

ADAMS does so before it starts. Here each part is moved without turning it, one after another from
the ground on; what closes a loop is closed by the joints.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.decks.deck import Deck, Part
from sim.decks.deck_joints import APART, COUPLING, NEAR, kind_of, stray_of
from sim.decks.spanning_tree import closing_joints, parts_of
from sim.decks.statements import Statement
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose


def assembled(deck: Deck) -> Deck:
    """The deck with its parts where the joints of its tree hold them, and a note on each."""
    holding = [joint for joint in deck.of("JOINT") if kind_of(joint) not in COUPLING]
    closing = closing_joints(deck, holding)
    waiting = [joint for joint in holding if joint not in closing]
    placed, notes = {deck.ground.statement.id}, list[str]()
    while True:
        ready = (one for one in waiting if placed & {*parts_of(one, deck)})
        if joint := next(ready, None):
            waiting.remove(joint)
            far = next((id for id in parts_of(joint, deck) if id not in placed), None)
            way = None if far is None else _way(joint, far, deck)
            if far is not None and way is not None:
                deck = replace(deck, parts=_moved(deck, far, way))
                notes.append(
                    f"{joint.label}: its markers are {1e3 * np.linalg.norm(way):.3g} mm apart as "
                    f"typed; PART/{far} is moved there, as ADAMS's assembly does"
                )
            placed |= set() if far is None else {far}
        elif loose := next((id for id in deck.parts if id not in placed), None):
            placed.add(loose)
        else:
            return replace(deck, notes=(*deck.notes, *notes))


def _way(joint: Statement, far: int, deck: Deck) -> Array | None:
    """The way to where a joint holds a part, in the world [m]; None if it is there, or too far."""
    i, j = (deck.marker(joint, key) for key in "IJ")
    T_0j = deck.T_0m(j)
    stray = stray_of(joint, inverse_pose(T_0j) @ deck.T_0m(i))
    if not NEAR < np.linalg.norm(stray) <= APART:
        return None
    return np.asarray((-1.0 if deck.markers[i].part == far else 1.0) * T_0j[:3, :3] @ stray)


def _moved(deck: Deck, id: int, way: Array) -> dict[int, Part]:
    part = deck.parts[id]
    return {**deck.parts, id: replace(part, T_0p=pose(None, way) @ part.T_0p)}
