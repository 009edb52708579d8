"""CONTACT(id, jflag, comp, rm) in functions: the total force of all shape pairs of a CONTACT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sim.decks import trees
from sim.decks.statements import Statement
from sim.functions.syntax import Call, Node

MOST_PAIRS = 12  # of a CONTACT whose forces are summed
OF_TORQUES = frozenset("5678")


def force_of_pairs(names: Sequence[str], others: Sequence[str]) -> Node:
    """Return a component of the total force of all pairs of a CONTACT."""
    side, component, _ = others
    if component == "1" and len(names) > 1:
        parts = [force_of_pairs(names, (side, axis, "0")) for axis in "234"]
        return Call("SQRT", (trees.add(*(trees.multiply(one, one) for one in parts)),), 0)
    return trees.add(*(trees.call("SFORCE", name, *others) for name in names))


def why_no_contact(one: Call, contacts: Mapping[str, Sequence[str]], asking: Statement) -> str:
    """Return why the force of a CONTACT cannot be recorded; empty if it can be.

    Raises
    ------
    DeckError
        Names the referring statement if there is no such CONTACT.
    """
    id, _, component, *_ = (*map(trees.label_of, one.arguments), "", "", "")
    if (pairs := contacts.get(id)) is None:
        raise asking.refusal(f"CONTACT({id}): there is no CONTACT/{id}")
    if component in OF_TORQUES:
        return f"CONTACT({id}): no page of ADAMS states the point of its torque"
    if len(pairs) > MOST_PAIRS:
        return f"CONTACT({id}): it has {len(pairs)} pairs; at most {MOST_PAIRS} are summed"
    return ""
