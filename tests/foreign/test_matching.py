import numpy as np
import pytest

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignColumn, ForeignTable
from sim.foreign.matching import matches_of
from sim.foreign.naming import Naming

UNITS = {
    "q.elbow_joint": "rad", "q.wrist": "rad", "qd.elbow_joint": "rad/s", "qd.wrist": "rad/s",
    "tau.elbow_joint": "N·m", "tau.wrist": "N·m", "tool.x": "m", "ke": "J",
}  # fmt: skip


def table(*titles):
    columns = []
    for title in titles:
        name, _, unit = title.partition("|")
        columns.append(ForeignColumn(name, unit or None, np.arange(3.0)))
    return ForeignTable("a.csv", tuple(columns))


def found(*titles, naming=None, **said):
    matches = matches_of(table(*titles), naming or Naming(**said), UNITS)
    return {titles[m.place]: m.channel for m in matches}


@pytest.mark.parametrize(
    ("title", "channel"),
    [
        ("tau.elbow_joint", "tau.elbow_joint"),
        ("Tau Elbow Joint", "tau.elbow_joint"),
        ("torque elbow", "tau.elbow_joint"),
        ("elbow_torque", "tau.elbow_joint"),
        ("tau_Nm.elbow_joint", "tau.elbow_joint"),
        ("v_rad_s.elbow_joint", "qd.elbow_joint"),
        ("qd_elbow_joint_rad_per_s", "qd.elbow_joint"),
        ("Position wrist", "q.wrist"),
        ("wrist speed", "qd.wrist"),
        ("joint_position.wrist", "q.wrist"),
        (".model.run_1.wrist.torque", "tau.wrist"),
        ("TOOL.X", "tool.x"),
        ("ke", "ke"),
    ],
)
def test_a_column_is_found_by_its_name(title, channel):
    assert found("Time", title) == {"Time": "t", title: channel}


@pytest.mark.parametrize("title", ["elbow", "x", ".model.part.x", "tau", "angle", "FX"])
def test_a_name_that_says_too_little_is_none(title):
    assert found("t", "ke", title) == {"t": "t", "ke": "ke"}


@pytest.mark.parametrize("title", ["t", "Time", "TIME", "t_s", "time_ms", ".m.LC_4.force.TIME"])
def test_times_are_found_by_their_name(title):
    assert found(title, "ke")[title] == "t"


def test_a_unit_in_a_name_counts_where_it_measures_the_channel():
    def units(*titles):
        return [m.unit for m in matches_of(table(*titles), Naming(), UNITS)]

    assert units("time_ms", "q_deg.wrist") == ["ms", "deg"]
    assert units("time", "q_deg.wrist|rad") == [None, None]  # brackets count before the name


def test_what_the_user_says_counts_before_a_name():
    assert found("t", "tau.wrist", "mine", channels={"mine": "tau.wrist"}) == {
        "t": "t", "mine": "tau.wrist",
    }  # fmt: skip
    assert found("t", "clock", "ke", channels={"clock": "t"}) == {"clock": "t", "ke": "ke"}


def test_a_sign_may_be_reversed():
    (_, match) = matches_of(table("t", "m1"), Naming({"m1": "-tau.wrist"}), UNITS)
    assert (match.channel, match.sign) == ("tau.wrist", -1)


@pytest.mark.parametrize(
    ("titles", "said", "words"),
    [
        (("t", "tau.wrist", "Torque Wrist"), {}, "'tau.wrist' and 'Torque Wrist' are both channel"),
        (("t", "a", "b"), {"channels": {"a": "ke", "b": "ke"}}, "'a' and 'b' are both channel ke"),
        (("t", "a", "b"), {}, "no column has the name of a channel.*Columns: t, a, b.*--map"),
        (("t", "a"), {"channels": {"torqe": "ke"}}, "names a column 'torqe', which is not there"),
        (("t", "torque 1"), {"channels": {"torqe 1": "ke"}}, "near: torque 1"),
        (("t", "a"), {"channels": {"a": "tau.wrst"}}, "no channel 'tau.wrst'; near: tau.wrist"),
        (("t", "ke"), {"units": {"kee": "J"}}, "--unit names a column 'kee'.*near: ke"),
        (("t", "a", "a"), {"channels": {"a": "ke"}}, "2 columns are called 'a'"),
        (("t", "a"), {"channels": {"a": "q.wrst+1"}}, r"no channel 'q.wrst\+1'; near: q.wrist"),
        (("t", "a"), {"channels": {"a": "q.wrist+x"}}, r"'\+x' is not a number with a unit"),
        (
            ("t", "a"),
            {"channels": {"a": "q.wrist+1mm"}},
            "'mm' is not of the same quantity as 'rad'",
        ),
        (
            ("clock", "ke"),
            {"channels": {"clock": "-t"}},
            "clock=-t: the sign of a time cannot be reversed",
        ),
    ],
)
def test_a_name_for_nothing_or_for_two_is_refused_with_what_there_is(titles, said, words):
    with pytest.raises(ForeignError, match=words):
        found(*titles, **said)


def test_a_channel_may_contain_signs():
    (_, match) = matches_of(table("t", "a"), Naming({"a": "q.j-1-1e-3"}), {"q.j-1": "rad"})
    assert (match.channel, match.offset) == ("q.j-1", -1e-3)


def test_two_joints_that_are_written_alike_are_told_by_their_own_names():
    units = {"q.d_x": "rad", "qd.x": "rad/s"}
    (_, match) = matches_of(table("t", "qd.x"), Naming(), units)
    assert match.channel == "qd.x"
    with pytest.raises(ForeignError, match="no column has the name"):
        matches_of(table("t", "wrist_1 angle"), Naming(), {"q.wrist1": "rad", "q.wrist_1": "rad"})


@pytest.mark.parametrize("header", ["j2 (deg)", "j2 [deg]", "j2 / deg", "j2", "J2 (deg)"])
def test_a_header_is_named_as_it_stands_in_the_file(header):
    assert found("t", "j2|deg", channels={header: "q.wrist"})["j2|deg"] == "q.wrist"
    assert found("t", "j2|deg", "j2|rad", channels={"j2 [rad]": "q.wrist"})["j2|rad"] == "q.wrist"


def test_a_header_with_another_unit_is_another_column():
    with pytest.raises(ForeignError, match="which is not there"):
        found("t", "j2|deg", channels={"j2 (rad)": "q.wrist"})
