"""Samples at which joints are cut open: evenly spaced, and at the largest reactions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, distinct
from sim.recording.files.table_files import Table, numbers_in

# Evenly spaced over the run, and at the largest force and moment of each joint, where errors of a
# formula show; a UR10 takes 50 ms.
INSTANTS = 32


def instants_to_cut(analytic: Table, joints: Sequence[str]) -> NDArray[np.intp]:
    """Return ascending indices of the samples at which joints of the model's table are cut open."""

    def size(joint: str, kind: str) -> Array:
        parts = (numbers_in(analytic, f"reaction.{joint}.{kind}{c}") for c in "xyz")
        return np.asarray(sum(part**2 for part in parts))

    count = len(analytic)
    even = np.linspace(0, count - 1, min(INSTANTS, count)).round().astype(np.intp)
    largest = [int(np.argmax(size(joint, kind))) for joint in joints for kind in "fm"]
    return distinct([*even, *largest])
