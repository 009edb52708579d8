import pytest

from sim.comparison.comparison_status import ComparisonStatus, sort_by_urgency, summary
from sim.comparison.outcome import Comparison, Difference, Shift
from sim.showing.shares import share_text


def difference(channel, worst, first=None, at=2.0):
    return Difference(
        channel, worst, 1.0, "N·m", at, first, first is None, rule="1e-06 of the peak"
    )


def compared(*differences, level="outside", **facts):
    ok = level != "outside"
    return Comparison(differences, (), (), (), ok, level, **facts)


SAME = ComparisonStatus("arm", compared(difference("tau.a", 0.0), level="bit"))
NEAR = ComparisonStatus("belt", compared(difference("tau.a", 0.25), level="tolerance"))
APART = ComparisonStatus(
    "crane",
    compared(
        difference("tau.a", 40.0, first=0.75),
        difference("q.a", 3.0, first=0.512),
        difference("qd.a", 4.0, first=0.512),
        changes=("parameter load: 1 → 2", "step: 1 → 2", "gravity: 9 → 8", "tool: a → b"),
        shift=Shift(0.002, 0.01),
    ),
)
LOST = ComparisonStatus("drill", missing="no run", reason="none in results/runs")


def test_the_summary_counts_and_names_what_differs_first():
    assert summary([SAME, NEAR]) == "2 of 2 inside tolerance (1 same to the bit)"
    assert summary([SAME, APART, NEAR, LOST]) == (
        "2 of 4 inside tolerance (1 same to the bit); drill: no run; "
        "crane differs first at 0.512 s (qd.a)"
    )


def test_a_long_summary_names_three():
    many = [ComparisonStatus(f"s{k}", missing="no baseline") for k in range(5)]
    assert summary(many).endswith("; no baseline: 5 scenarios")
    many.append(ComparisonStatus("s5", missing="no run"))
    assert summary(many).endswith("s0: no baseline; s1: no baseline; s2: no baseline; and 3 more")


def test_what_is_not_well_comes_first_and_the_nearest_to_its_limit_next():
    assert [one.scenario for one in sort_by_urgency([SAME, NEAR, APART, LOST])] == [
        "drill", "crane", "belt", "arm",
    ]  # fmt: skip


def test_the_lines_say_what_changed_before_how_far():
    lines = APART.lines(most=2)
    assert lines[:4] == (
        "input    parameter load: 1 → 2",
        "input    step: 1 → 2",
        "input    2 more",
        "shift    the run is 2 ms later; this shift explains the difference except for 1 %",
    )
    assert lines[4] == (
        "channel  tau.a: 40 N·m at 2 s, limit 1 N·m: 1e-06 of the peak; first at 0.75 s"
    )
    assert len(lines) == 6


def test_a_difference_without_a_cause_says_so():
    lines = ComparisonStatus("arm", compared(difference("tau.a", 2.0, first=0.0))).lines()
    assert lines[0] == "input    unchanged"


def test_channels_that_went_stand_against_the_same():
    gone = Comparison((), ("tau.b",), (), ("the run itself failed its checks",), ok=False)
    assert ComparisonStatus("arm", gone).text == (
        "arm differs: missing: tau.b; the run itself failed its checks"
    )


def test_a_renamed_joint_is_counted_and_not_listed_in_full():
    old, new = (tuple(f"{group}.{name}" for group in range(14)) for name in ("old", "new"))
    renamed = ComparisonStatus("arm", Comparison((), old, new, (), ok=False))
    found, more = (", ".join(f"{k}.{name}" for k in range(3)) for name in ("old", "new"))
    assert renamed.text == f"arm differs: missing: {found} and 11 more; new: {more} and 11 more"
    assert renamed.lines()[1].endswith("11.old and 2 more")


def test_what_was_not_compared_says_why():
    assert (LOST.ok, LOST.word, LOST.share) == (False, "no run", "–")
    assert LOST.text == "drill: no run: none in results/runs"
    assert LOST.lines() == ("reason   none in results/runs",)


def test_where_all_is_the_same_no_channel_is_the_worst():
    assert SAME.worst is None
    assert NEAR.worst.channel == "tau.a"


@pytest.mark.parametrize(
    ("used", "text"),
    [
        (0.0, "0 %"),
        (1e-7, "< 1 %"),
        (0.034, "3 %"),
        (9.99, "999 %"),
        (100.8, "101 ×"),
        (float("inf"), "∞"),
        (float("nan"), "no number"),
    ],
)
def test_shares_are_short(used, text):
    assert share_text(used) == text
