"""What the page has for other payloads and speeds, and which runs have none."""

import msgspec
import numpy as np
import pytest

import sim
from sim.motion import JointMotion
from sim.recording.schema.facts import EventFacts
from sim.reports.page.page import page
from sim.reports.page.page_meta import VisibleChannels
from sim.reports.page.sampled_pieces import STEP, largest_errors, pieces
from sim.reports.page.what_if import what_if
from tests.helpers.page_runs import good_run
from tests.helpers.short_runs import DURATION, SMOOTH, arm, with_settings


def test_the_curves_are_those_of_the_run_and_small():
    found = what_if(good_run())
    assert found.why is None
    assert found.facts.error <= 1e-9  # of each joint's peak
    assert found.facts.run.mass == 0.5
    assert len(found.block) < 20_000


def with_event(run):
    event = EventFacts(t=0.1, kind="pick up", payload="box", link="box", mass=1.0, ke=0.0, pe=0.0)
    return run.with_description(events=(event,))


def swing(change=lambda robot: robot, **more):
    motion = JointMotion.displacement(SMOOTH)
    scenario = sim.Scenario(change(arm()), motion, DURATION, method="ideal", **more)
    return sim.run(scenario, name="swing")


FAR, HERE = sim.Marker("far", "base", (0.3, 0.1, 0.9)), sim.Marker("here", "tip")
BOX = sim.Payload(1.0)
STOP = sim.Stop(stiffness=1e3, damping=30.0, lower=-0.01, upper=0.05)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: swing(lambda r: r.with_stops({"elbow": STOP})), "an end stop is reached"),
        (
            lambda: swing(
                forces=(
                    sim.SForce("drag", HERE, FAR, "VR(here,far)**2", names=sim.Names((HERE, FAR))),
                )
            ),
            "nonlinear in speed",
        ),
        (
            lambda: swing(forces=(sim.Force("tip", ("9*time", 0, 0)),)),
            "forces depend on time",
        ),
        (
            lambda: swing(lambda r: r.with_friction({"elbow": sim.JointFriction(0.02, 0.01)})),
            "the friction of joint 'elbow' depends nonlinearly on load",
        ),
        (
            lambda: swing(events=(sim.PickUp(0.1, BOX, "box"), sim.SetDown(0.2, "box"))),
            "the picked-up payload is not the whole tool load",
        ),
        (
            lambda: swing(
                events=(sim.PickUp(0.1, BOX, "a"), sim.SetDown(0.2, "a"), sim.PickUp(0.2, BOX, "b"))
            ),
            "several payloads are picked up",
        ),
    ],
)
def test_what_acts_beyond_the_formula_is_named(make, why):
    assert why in what_if(make()).why


@pytest.mark.parametrize(
    "make",
    [
        lambda: swing(lambda r: r.with_stops({"elbow": sim.Stop(1e4, damping=9.0)})),  # not reached
        lambda: swing(forces=(sim.Bushing("b", HERE, FAR, stiffness=30.0, damping=2.0),)),
        lambda: swing(
            lambda r: r.with_drives(
                {"elbow": sim.DriveTrain(90, 1e-4, coulomb=0.05, viscous=2e-4, efficiency=0.8)}
            )
        ),
        lambda: swing(lambda r: r.mounted((0, 0, 1), (0.3, -0.4, 1)), gravity=(3.0, 0.0, -4.0)),
    ],
)
def test_what_follows_the_path_is_in_the_curves(make):
    assert what_if(make()).facts.error <= 1e-9  # of each joint's peak


def with_elastic_gear(run):
    first, *others = run.run.robot.joints
    joints = (msgspec.structs.replace(first, drive={"ratio": 90.0, "stiffness": 5e3}), *others)
    return run.with_description(robot=msgspec.structs.replace(run.run.robot, joints=joints))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (with_elastic_gear, "elastic gears of joint 'shoulder' deflect, so another"),
        (lambda run: with_settings(run, free=("elbow",)), "joint 'elbow' moved freely"),
        (with_event, "the picked-up payload is not the whole tool load"),
        (lambda run: run.having(urdf=None), "has not kept the URDF"),
    ],
)
def test_a_run_that_does_not_fit_has_no_sliders_and_says_why(change, why):
    assert why in what_if(change(good_run())).why


def test_the_page_says_why_it_has_no_sliders():
    html = page(VisibleChannels.of(with_event(good_run())))
    assert "Not available for this run: the picked-up payload is not the whole" in html
    assert 'class="sliders"' not in html
    assert "whatif-curves" not in html


def test_torques_that_the_formula_does_not_give_are_not_shown():
    run = good_run()
    table = run.analytic.copy()
    table["tau.elbow"] += 1e-3 * np.sin(20 * table.index.to_numpy())
    assert "or other forces act" in what_if(run.having(analytic=table)).why


def test_pieces_hold_smooth_curves_to_the_step_and_end_where_they_bend():
    t = np.linspace(0.0, 2.0, 2001)
    values = np.stack([np.sin(9 * t), np.where(t < 0.7, t, 1.4 - t)])
    size = np.ones(2)
    found = pieces(t, [0.7], [], lambda k: values[:, k], size, 1e-14 * size)
    assert 0.7 in [piece.a for piece in found]
    worst = largest_errors(t, values, found, [], STEP * np.eye(2)).max()
    # half a step of each of some 20 coefficients
    assert worst <= 10 * STEP
