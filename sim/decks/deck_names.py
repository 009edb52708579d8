"""Names of a deck's forces and loops in a run: ids are unique per kind, names overall."""

from __future__ import annotations

from collections.abc import Iterable

from sim.decks.deck import Deck, channel_name, channel_names
from sim.decks.statement_forms import FORCES
from sim.decks.statements import Statement


def force_names(deck: Deck) -> dict[str, str]:
    """Return names of forces, keyed by ``SFORCE/1``."""
    names: dict[str, str] = {}
    for kind in (*FORCES, "CONTACT"):
        for id, name in channel_names(deck.of(kind)).items():
            others = {other.upper() for other in names.values()}
            names[f"{kind}/{id}"] = f"{kind}_{id}" if name.upper() in others else name
    return names


def closing_names(deck: Deck, closing: Iterable[Statement]) -> dict[str, str]:
    """Return names of loops, keyed by ``JPRIM/1``: joints outside the tree, JPRIM and GCON."""
    joints = channel_names(deck.of("JOINT"))
    names: dict[str, str] = {}
    for one in (*closing, *deck.of("JPRIM", "GCON")):
        if one.keyword == "JOINT":
            names[f"JOINT/{one.id}"] = joints[one.id]
            continue
        name = channel_name(one)
        others = {other.upper() for other in (*joints.values(), *names.values())}
        names[f"{one.keyword}/{one.id}"] = (
            f"{one.keyword}_{one.id}" if name.upper() in others else name
        )
    return names
