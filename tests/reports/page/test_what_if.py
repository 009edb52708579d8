"""What the page has for other payloads and speeds, and which runs have none."""

import msgspec
import numpy as np
import pytest

from sim.recording.schema.facts import EventFacts
from sim.reports.page.page import page
from sim.reports.page.page_meta import VisibleChannels
from sim.reports.page.sampled_pieces import STEP, errors, pieces
from sim.reports.page.what_if import what_if
from tests.helpers.page_runs import good_run
from tests.helpers.short_runs import with_settings


def test_the_curves_are_those_of_the_run_and_small():
    found = what_if(good_run())
    assert found.why is None
    assert found.facts.error <= 1e-9  # of each joint's peak
    assert found.facts.run.mass == 0.5
    assert len(found.block) < 20_000


def with_event(run):
    event = EventFacts(t=0.1, kind="pick up", payload="box", link="box", mass=1.0, ke=0.0, pe=0.0)
    return run.with_description(events=(event,))


def with_stop(run):
    robot = run.run.robot
    joints = tuple(msgspec.structs.replace(j, forces={"stop": {}}) for j in robot.joints)
    return run.with_description(robot=msgspec.structs.replace(robot, joints=joints))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda run: with_settings(run, free=("elbow",)), "joint 'elbow' moved freely"),
        (lambda run: with_settings(run, passive=("elbow",)), "closed loops move joint 'elbow'"),
        (with_event, "picked up or set down"),
        (with_stop, "end stops or other forces that are not linear act in joints 'shoulder'"),
        (lambda run: run.having(urdf=None), "has not kept the URDF"),
    ],
)
def test_a_run_that_does_not_fit_has_no_sliders_and_says_why(change, why):
    assert why in what_if(change(good_run())).why


def test_the_page_says_why_it_has_no_sliders():
    html = page(VisibleChannels.of(with_event(good_run())))
    assert "No sliders for another payload or speed: a payload is picked up" in html
    assert 'class="sliders"' not in html
    assert "whatif-curves" not in html


def test_torques_that_the_formula_does_not_give_are_not_shown():
    run = good_run()
    table = run.analytic.copy()
    table["tau.elbow"] += 1e-3 * np.sin(20 * table.index.to_numpy())
    assert "something else acts" in what_if(run.having(analytic=table)).why


def test_pieces_hold_smooth_curves_to_the_step_and_end_where_they_bend():
    t = np.linspace(0.0, 2.0, 2001)
    values = np.stack([np.sin(9 * t), np.where(t < 0.7, t, 1.4 - t)])
    size = np.ones(2)
    found = pieces(t, [0.7], [], lambda k: values[:, k], size, 1e-14 * size)
    assert 0.7 in [piece.a for piece in found]
    worst = max(np.abs(one).max() for one in errors(t, values, found, [], STEP * np.eye(2)))
    # half a step of each of some 20 coefficients
    assert worst <= 10 * STEP
