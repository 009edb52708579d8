from dataclasses import replace

from sim.reports.page.overlay import APART, Overlay
from tests.helpers.page_runs import bad_run, good_run


def turned(by):
    table = good_run().recorded
    return replace(good_run(), recorded=table.assign(**{"q.elbow": table["q.elbow"] + by}))


def test_a_ghost_is_seen_where_a_joint_is_elsewhere():
    assert Overlay.of("b", turned(2 * APART), good_run()).is_apart(good_run())
    assert not Overlay.of("b", turned(APART / 2), good_run()).is_apart(good_run())


def test_a_ghost_needs_every_joint_of_the_robot():
    overlay = Overlay("b", good_run().recorded)
    assert overlay.poses(["shoulder", "elbow"])
    assert not overlay.poses(["shoulder", "wrist"])


def test_an_overlay_knows_how_far_the_run_is_from_it():
    overlay = Overlay.of("baseline", good_run(), bad_run())
    assert not overlay.comparison.ok
    assert overlay.comparison.differences[0].channel == "tau.elbow"


def test_runs_with_nothing_in_common_are_not_compared():
    table = good_run().recorded.rename(columns=lambda name: f"x{name}")
    other = Overlay.of("other", replace(good_run(), recorded=table), good_run())
    assert other.comparison is None
    assert not other.poses(["elbow"])


def test_a_shorter_run_is_laid_over_as_far_as_it_goes():
    short = replace(good_run(), recorded=good_run().recorded.iloc[:50])
    assert not Overlay("b", short.recorded).is_apart(good_run())
    assert not Overlay("b", good_run().recorded).is_apart(short)
