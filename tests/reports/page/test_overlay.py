from dataclasses import replace

import numpy as np

from sim.reports.page.data import curves
from sim.reports.page.overlay import APART, Overlay
from tests.helpers.page_runs import bad_run, curves_of, good_run
from tests.helpers.synthetic_runs import with_reference


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


def error_of_reference(table, **facts):
    """How far the reference is from the run, as a page draws it, at the samples that are kept."""
    run = with_reference(good_run(), table, **facts)
    overlay = Overlay.of_reference(run, run.reference, run.run.reference)
    drawn = curves(run, (), [overlay.recorded], slack=[overlay.slack], reference=0)
    found = curves_of(drawn.meta, drawn.block)
    return {name: found[name]["over"][0] for name in table.columns}


def test_a_quaternion_of_a_reference_has_the_sign_of_ours():
    parts = [f"tool.q{c}" for c in "xyzw"]
    for apart in error_of_reference(-good_run().recorded[parts], digits=17).values():
        assert np.abs(apart).max() < 1e-12


def test_what_the_print_of_a_reference_explains_is_no_difference():
    table = good_run().recorded[["tau.elbow"]].iloc[10:200:10]
    printed = table.map(lambda value: float(f"{value:.3g}"))
    assert np.abs(printed - table).max().iloc[0] > 0
    (apart,) = error_of_reference(printed, digits=3).values()
    assert np.nanmax(np.abs(apart)) == 0
    (apart,) = error_of_reference(printed + 1.0, digits=3).values()
    assert np.nanmin(np.abs(apart)) > 0.9
