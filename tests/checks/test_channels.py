import math

import numpy as np
import pandas as pd
import pytest

from sim.checks.channels import column, driven_joints, own_joints, times
from sim.errors import RecordingError

TABLE = pd.DataFrame(
    {"tau.a": [1.0, math.inf, math.nan, -math.inf]}, index=pd.Index([0.0, 0.5, 2.0, 3.0], name="t")
)


def info(free=()):
    joints = [
        {"name": "a", "mimic": None},
        {"name": "b", "mimic": "a"},
        {"name": "c", "mimic": None},
    ]
    return {"robot": {"joints": joints}, "settings": {"free": list(free)}}


def names(joints):
    return [joint["name"] for joint in joints]


def test_the_times_are_the_index_of_the_table():
    assert times(TABLE).tolist() == [0.0, 0.5, 2.0, 3.0]


def test_what_is_no_finite_number_reads_as_nan():
    np.testing.assert_array_equal(column(TABLE, "tau.a"), [1.0, np.nan, np.nan, np.nan])
    assert TABLE["tau.a"].iloc[1] == math.inf


def test_a_channel_that_is_not_there_is_named():
    with pytest.raises(RecordingError, match=r"no channel 'tau\.b'"):
        column(TABLE, "tau.b")


def test_joints_that_follow_are_not_moved_on_their_own():
    assert names(own_joints(info())) == ["a", "c"]


def test_passive_joints_of_closed_loops_are_not_driven():
    run = info()
    run["settings"]["passive"] = ["c"]
    assert names(driven_joints(run)) == ["a"]


def test_free_joints_are_not_driven():
    assert names(driven_joints(info(free=["c"]))) == ["a"]
    assert names(own_joints(info(free=["c"]))) == ["a", "c"]
