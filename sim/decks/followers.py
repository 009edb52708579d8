"""Coupled joints of a deck as joints that follow one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from sim.decks.couplings import Coupling, read_couplings
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_motions import driven_joint
from sim.decks.spanning_tree import STARTS, SpanningTree
from sim.decks.statements import Statement
from sim.robots import Mimic

UNCOUPLED = 1e-12  # of the largest rate of a coupling [1/m or 1/rad]: rounding of zero


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
