"""Two tables of closed forms, without a run."""

import numpy as np
import pandas as pd
import pytest

from sim.errors import RecordingError
from sim.foreign import MappedCurve
from sim.reference import at_samples, between_samples

OWN = np.linspace(0.0, 1.0, 101)
HALF = 2.0 * OWN
TURN = {"tool.qx": np.sin(HALF), "tool.qy": 0 * OWN, "tool.qz": 0 * OWN, "tool.qw": np.cos(HALF)}


def curve(channel, t, values, rounding=0.0, t_rounding=0.0):
    widths = [np.full(t.size, float(width)) for width in (rounding, t_rounding)]
    return MappedCurve(channel, channel, "in SI", t, values, *widths)


def test_any_two_tables_are_aligned_between_their_samples():
    t = np.arange(0.0, 1.0, 1 / 240)
    own = {"a": np.sin(3 * OWN), "b": np.cos(3 * OWN)}
    curves = [curve("a", t, np.sin(3 * t)), curve("b", t, np.cos(3 * t) + 0.5, rounding=0.1)]
    a, b = between_samples(OWN, own.__getitem__, curves)
    assert a.t is t
    assert a.beyond.max() < 4e-8  # h⁴ 3⁴ / 24 of a cubic at its ends
    np.testing.assert_allclose(b.excess, 0.5, atol=4e-8)
    np.testing.assert_allclose(b.beyond, 0.4, atol=4e-8)


def test_a_corner_of_ours_makes_a_band_and_a_jump_within_it_is_no_difference():
    own = {"a": np.where(OWN < 0.5, 0.0, 1.0)}
    theirs = curve("a", np.array([0.2, 0.4952, 0.8]), np.array([0.0, 0.3, 1.0]))
    (plain,) = between_samples(OWN, own.__getitem__, [theirs])
    assert plain.excess[1] > 0.05
    (banded,) = between_samples(OWN, own.__getitem__, [theirs], corners=(0.5,), step=0.01)
    assert (banded.low[1], banded.high[1]) == (0.0, 1.0)
    assert not banded.excess.any()


@pytest.mark.parametrize("is_between", [False, True])
def test_a_quaternion_of_the_other_sign_is_the_same_rotation(is_between):
    signs = np.where(OWN < 0.3, -1.0, 1.0)
    if is_between:
        curves = [curve(name, OWN, signs * values) for name, values in TURN.items()]
        found = between_samples(OWN, TURN.__getitem__, curves)
    else:
        theirs = {name: signs * values for name, values in TURN.items()}
        table = pd.DataFrame(theirs, index=pd.Index(OWN, name="t"))
        found = at_samples(OWN, TURN.__getitem__, table, 17)
    assert [one.excess.max() for one in found] == [0.0] * 4


def test_samples_that_ours_has_not_are_named():
    table = pd.DataFrame({"a": [1.0]}, index=pd.Index([0.123], name="t"))
    with pytest.raises(RecordingError, match=r"t = 0\.123 s"):
        at_samples(OWN, {"a": OWN}.__getitem__, table, 6)
