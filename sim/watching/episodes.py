"""Episodes of a loop: pieces between states that it sets, judged separately."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.maths.arrays import Mask
from sim.watching.cause import EPISODE, SET_BY_HAND, Cause
from sim.watching.evidence import Evidence

MOST = 0.5  # of the steps: from more states on that are set, nothing of a loop is left to judge
LISTED = 4  # episodes that are listed
Pieces = tuple[Evidence, list[Cause]]


def in_pieces(e: Evidence) -> Pieces:
    """Return the steps that the engine made between states that the loop sets, with notes.

    A state that is set before the first step, or as a whole between two steps, is no error. The
    step that follows is left out, since the state before it was not sampled.
    """
    none = np.zeros(e.count, dtype=bool)
    parts, whole = (none if x is None else x for x in (e.set_by_hand, e.episodes))
    known, notes = parts | whole, list[Cause]()
    if known[0] and not known[1:].all():
        e, whole = e.part(slice(1, None)), whole[1:]
        notes.append(_other_start(e))
    if not whole.any():
        return e, notes
    if whole.mean() > MOST:
        return replace(e, set_by_hand=known[-e.count :]), notes
    notes.append(_episodes(e, whole))
    return e.part(~whole), notes


def _other_start(e: Evidence) -> Cause:
    text = "the first step is left out: a state was set between sim.watch and it"
    if e.engine == "mujoco":
        text += ", or mj_step2 called without mj_step1"
    return Cause(SET_BY_HAND, text, "call sim.watch after setting the start", is_error=False)


def _episodes(e: Evidence, whole: Mask) -> Cause:
    """Return the note on steps (N,) that begin with a state that is set."""
    begins = np.flatnonzero(np.diff(whole, prepend=False) & whole)
    numbers = [e.number(k) for k in begins]
    shown = ", ".join(f"{k + 1} ({k * e.dt:.4g} s)" for k in numbers[:LISTED])
    more = f" and {len(numbers) - LISTED} more" if len(numbers) > LISTED else ""
    left_out = f"{count} steps are" if (count := int(whole.sum())) > 1 else "1 step is"
    text = f"the loop sets a new state before step {shown}{more}: each piece is judged by itself, "
    return Cause(EPISODE, f"{text}and {left_out} left out", is_error=False)


def is_at_ends(e: Evidence) -> Mask:
    """Return the first two steps and the last one of each piece that another one adjoins, (N,)."""
    begins = e.begins
    return begins | np.roll(begins, 1) | np.roll(begins, -1)
