import numpy as np
import pandas as pd
import pytest

from sim.recording.cut_instants import INSTANTS, instants_to_cut
from sim.simulation.table import WRENCH


def reactions(joints, samples=1000):
    return np.random.default_rng(joints).normal(size=(joints, 6, samples))


def instants(reaction):
    """Of the table that has these reactions."""
    joints = [str(k) for k in range(len(reaction))]
    columns = {
        f"reaction.{joint}.{c}": row
        for joint, rows in zip(joints, reaction, strict=True)
        for c, row in zip(WRENCH, rows, strict=True)
    }
    return instants_to_cut(pd.DataFrame(columns), joints)


@pytest.mark.parametrize("joints", [1, 6, 60, 120])
def test_a_robot_is_judged_evenly_and_at_every_peak(joints):
    reaction = reactions(joints)
    chosen = instants(reaction)
    assert {0, 999} <= set(chosen)
    assert INSTANTS <= chosen.size <= INSTANTS + 2 * joints
    peaks = np.argmax(np.linalg.norm(reaction[:, :3], axis=1), axis=-1)
    assert set(peaks) <= set(chosen)
