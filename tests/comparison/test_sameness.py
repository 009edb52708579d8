import math
import struct

import numpy as np
import pandas as pd
import pytest

from sim.comparison.sameness import ChannelDifference, same_to_the_bit, sameness

T = [0.0, 0.1, 0.2]


def frame(index=T, **columns):
    return pd.DataFrame(columns, index=pd.Index(np.array(index), name="t"))


def table(**more):
    return frame(**{"q.a": [1.0, -4.0, 2.0], "tau.a": [0.0, 0.0, 0.0], **more})


def next_up(value):
    """The double above a positive one, by its bits."""
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
    return struct.unpack("<d", struct.pack("<q", bits + 1))[0]


def test_a_copy_is_the_same():
    assert same_to_the_bit(table(), table().copy())
    assert sameness(table(), table()).furthest is None
    assert sameness(table(), table()).same


@pytest.mark.parametrize(
    "other",
    [
        table(**{"q.a": [next_up(1.0), -4.0, 2.0]}),
        table(**{"tau.a": [-0.0, 0.0, 0.0]}),
        table(**{"tau.a": [math.nan, 0.0, 0.0]}),
        table(**{"tau.a": np.zeros(3, dtype=np.float32)}),
        table()[["tau.a", "q.a"]],
        table()[["q.a"]],
        table().rename(columns={"q.a": "q.b"}),
        table().iloc[:2],
        table(index=[0.0, 0.1, next_up(0.2)]),
    ],
    ids=["ulp", "sign of zero", "nan", "type", "order", "fewer", "name", "rows", "time"],
)
def test_the_least_difference_counts(other):
    assert not same_to_the_bit(table(), other)
    assert not same_to_the_bit(other, table())
    assert not sameness(other, table()).same


def test_two_equal_columns_in_another_order_are_not_the_same():
    twins = frame(a=[1.0, 2.0, 3.0], b=[1.0, 2.0, 3.0])
    assert not same_to_the_bit(twins, twins[["b", "a"]])
    assert sameness(twins, twins[["b", "a"]]).apart == ()


def test_a_nan_is_a_nan_whatever_its_bits():
    odd = struct.unpack("<d", struct.pack("<Q", 0xFFF8000000000001))[0]
    mine, theirs = (table(**{"tau.a": [value, 0.0, 0.0]}) for value in (odd, math.nan))
    assert mine["tau.a"].to_numpy().tobytes() != theirs["tau.a"].to_numpy().tobytes()
    assert same_to_the_bit(mine, theirs)
    assert sameness(mine, theirs).apart == ()


def test_the_furthest_channel_is_that_with_the_largest_share_of_its_own_peak():
    found = sameness(
        table(**{"q.a": [1.0, -4.0, 2.5], "ke": [1.0, 1.25, 1.0]}),
        table(**{"ke": [1.0, 1.0, 1.0]}),
    )
    assert found.apart == ("q.a", "ke")
    assert found.furthest == ChannelDifference("ke", 0.25, 0.25, 0.1)  # q.a: 0.5 of 4
    assert found.same_times


def test_a_channel_that_was_zero_comes_behind_all_others():
    still = sameness(table(**{"tau.a": [0.0, 1e-17, 0.0]}), table()).furthest
    assert still == ChannelDifference("tau.a", 1e-17, None, 0.1)
    both = sameness(table(**{"tau.a": [0.0, 9.0, 0.0], "q.a": [1.0, -4.0, 2.1]}), table())
    assert both.apart == ("q.a", "tau.a")
    assert both.furthest.channel == "q.a"


def test_a_lost_number_comes_before_all_others():
    lost = sameness(table(**{"q.a": [9.0, -4.0, 2.0], "tau.a": [0.0, math.nan, 0.0]}), table())
    assert lost.furthest == ChannelDifference("tau.a", math.inf, None, 0.1)
    endless = table(**{"q.a": [math.inf, 1.0, 2.0]})
    assert sameness(endless, endless).furthest is None


def test_a_sign_of_zero_is_apart_by_nothing():
    found = sameness(table(**{"tau.a": [-0.0, 0.0, 0.0]}), table())
    assert (found.same, found.apart, found.furthest) == (False, ("tau.a",), None)


def test_other_times_and_channels_are_told_and_what_both_have_is_compared():
    mine = frame([0.0, 0.05, 0.1], **{"q.a": [1.0, 9.0, -4.0], "new": [0.0, 0.0, 0.0]})
    found = sameness(mine, table())
    assert (found.missing, found.new) == (("tau.a",), ("new",))
    assert (found.same, found.same_times, found.apart) == (False, False, ())
