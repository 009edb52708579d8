"""Coupled joints of a deck as joints that follow one another."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from sim.decks.couplings import Coupling, read_couplings
from sim.decks.deck import Deck
from sim.decks.deck_motions import driven_joint
from sim.decks.spanning_tree import STARTS, SpanningTree
from sim.robots import Mimic


def with_couplings(deck: Deck, tree: SpanningTree) -> SpanningTree:
    """The tree with its coupled joints as followers: of a driven one, else one with a start.

    Raises
    ------
    DeckError
        If a coupling cannot be had here, or joints are coupled twice.
    """
    couplings = read_couplings(deck, tree)
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
    leaders = [name for name in (*driven, *started, *coupled) if name in coupled]
    mimics = _followers(couplings, leaders)
    joints = {row.name: replace(row, mimic=mimics.get(row.name, row.mimic)) for row in tree.joints}
    return replace(
        tree,
        joints=tuple(joints.values()),
        joints_of={
            id: tuple(joints[row.name] for row in rows) for id, rows in tree.joints_of.items()
        },
        notes=tuple(coupling.note for coupling in couplings if coupling.note),
    )


def _followers(couplings: Collection[Coupling], leaders: Iterable[str]) -> dict[str, Mimic]:
    """What each joint follows; those come first in `leaders` that others are to follow."""
    mimics: dict[str, Mimic] = {}
    waiting, reached = list(couplings), set[str]()
    for leader in leaders:
        row = [leader] if leader not in reached else []
        reached.update(row)
        for name in row:  # it grows
            for coupling in [one for one in waiting if name in (j.name for j in one.joints)]:
                waiting.remove(coupling)
                follower, mimic = _mimic(coupling, name)
                if follower in reached:
                    raise coupling.statement.refusal(
                        f"joints {name} and {follower} are coupled already by other statements"
                    )
                mimics[follower] = mimic
                reached.add(follower)
                row.append(follower)
    return mimics


def _mimic(coupling: Coupling, leader: str) -> tuple[str, Mimic]:
    """Name of the other joint, and how it follows: both stay as they are typed at the start."""
    (a, b), (rate_a, rate_b) = coupling.joints, coupling.rates
    if b.name == leader:
        (a, b), (rate_a, rate_b) = (b, a), (rate_b, rate_a)
    ratio = -rate_a / rate_b
    return b.name, Mimic(leader, ratio, float(b.start - ratio * a.start))
