"""What a hard contact makes of two right motions that pass it one after the other."""

from functools import cache

import numpy as np
import pytest

import sim
from sim.checks import check
from sim.checks.run_view import RunView
from sim.checks.state_differences import StateDifferences
from sim.decks import deck_model
from sim.simulation import run
from tests.helpers.loop_robots import FourBar
from tests.helpers.short_runs import short_run, spoiled

HARD, DAMPED, DEPTH, GAP, SPEED, G = 1e8, 3.4, 1e-3, 0.1, 2.8, 9.80665
ASIDE = 1e-9  # m or rad, a hundredth of the limit of positions
DECK = """a block strikes a plate that goes up and down
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/11, PART = 1
PART/2, MASS = 2, CM = 21, IP = 1, 1, 1
MARKER/21, PART = 2
PART/3, MASS = {mass!r}, CM = 31, IP = 1, 1, 1, QG = 0, 0, {start!r}, VZ = {speed!r}
MARKER/31, PART = 3
JOINT/1, TRANSLATIONAL, I = 21, J = 11
JOINT/2, TRANSLATIONAL, I = 31, J = 21
MOTION/1, TRANSLATIONAL, JOINT = 1, FUNCTION = 0.005*SIN(20*TIME)
SFORCE/1, TRANSLATIONAL, I = 31, J = 21
, FUNCTION = IMPACT(DM(31,21), VR(31,21), {gap!r}, {hard!r}, 1.5, {damped!r}, {depth!r})
ACCGRAV/KGRAV = {g!r}
END
"""


@cache
def struck(start=0.102, hard=HARD, mass=1.0):
    """The block strikes after 0.7 ms, is at its lowest at 1.5 ms, and has left at 2.4 ms."""
    law = {"gap": GAP, "hard": hard, "damped": DAMPED, "depth": DEPTH}
    deck = DECK.format(mass=mass, start=start, speed=-SPEED, g=-G, **law)
    return run(deck_model(deck).scenario(2.6e-3, 2e-5))


def beside(**other):
    """The engine's table of another run beside the model's of this one."""
    return struck().having(recorded=struck(**other).recorded)


def failed(recording):
    return {(one.name, one.channel) for one in check(recording) if not one.ok}


def test_two_motions_1e_9_m_apart_agree_within_a_blow_too(monkeypatch):
    both = beside(start=0.102 + ASIDE)
    assert failed(both) == set()
    monkeypatch.setattr(StateDifferences, "of", lambda self, channel: np.zeros_like(self.view.t))
    of = {name for name, _ in failed(both)}
    assert {"velocity", "acceleration", "torque", "reaction", "kinetic energy"} <= of
    assert "position" not in of


@pytest.mark.parametrize("few", [1, 5, 13, 50])  # 65, 13, five and one or two samples in the blow
def test_so_does_their_speed_however_few_samples_show_it(few):
    both = beside(start=0.102 + ASIDE)
    for first in range(0, few, 4):
        tables = {of: getattr(both, of)[first::few] for of in ("recorded", "analytic")}
        view = RunView(both.having(**tables))
        off = view.recorded_values("qd.JOINT_2") - view.analytic("qd.JOINT_2")
        left = np.abs(off) - StateDifferences(view).of("qd.JOINT_2")
        assert left.max() < view.velocity_limit("JOINT_2")
    assert np.abs(off).max() > 5e-7  # m/s


def test_what_follows_is_what_the_law_makes_of_it():
    view = RunView(beside(start=0.102 + ASIDE))
    apart = StateDifferences(view)

    def pushed(table):
        x, v = (table(f"{of}.JOINT_2") for of in ("q", "qd"))
        p = np.maximum(GAP - x, 0.0)
        z = np.minimum(p / DEPTH, 1.0)
        return np.maximum(HARD * p**1.5 - DAMPED * v * z * z * (3 - 2 * z), 0.0)

    force = np.abs(pushed(view.recorded_values) - pushed(view.analytic))
    assert force.max() > 3.9e-3  # N
    np.testing.assert_allclose(apart.of("qdd.JOINT_2"), force, rtol=0, atol=1e-10)  # of 1 kg
    np.testing.assert_allclose(apart.of("tau.JOINT_1"), force, rtol=0, atol=1e-10)
    np.testing.assert_allclose(apart.of("tool.a"), force, rtol=0, atol=1e-10)
    assert (apart.of("tau.JOINT_2") == 0).all()
    rises = view.recorded_values("q.JOINT_2") - view.analytic("q.JOINT_2")
    np.testing.assert_allclose(apart.of("pe"), np.abs(G * rises), rtol=0, atol=1e-13)
    speeds = (view.recorded_values, view.analytic)
    faster, usual = (table("qd.JOINT_1") + table("qd.JOINT_2") for table in speeds)
    gained = 0.5 * np.abs(faster**2 - usual**2)
    np.testing.assert_allclose(apart.of("ke.PART_3"), gained, rtol=0, atol=1e-14)


@pytest.mark.parametrize("wrong", [{"hard": HARD * (1 + 1e-6)}, {"mass": 1 + 1e-6}])
def test_a_wrong_law_or_mass_fails_by_a_millionth(wrong):
    assert ("acceleration", "qdd.JOINT_2") in failed(beside(**wrong))


FREE, LOWEST, LEFT = 20, 75, 125  # samples


@pytest.mark.parametrize("k", [FREE, LOWEST, LEFT])
@pytest.mark.parametrize(
    ("name", "channel", "change"),
    [
        ("acceleration", "qdd.JOINT_2", 6.5e-3),  # a millionth of the peak [m/s²]
        ("torque", "tau.JOINT_1", 6.5e-3),
        ("velocity", "qd.JOINT_2", 2.8e-6),
        ("kinetic energy", "ke.PART_3", 4e-6),
        ("tool acceleration", "tool.ax", 6.5e-3),
    ],
)
def test_a_wrong_number_fails_by_a_millionth(k, name, channel, change):
    both = beside(start=0.102 + ASIDE)
    usual = both.analytic[channel].to_numpy()[k]
    change += abs(both.recorded[channel].to_numpy()[k] - usual)
    if k == LOWEST and name == "velocity":
        change += 2e-6  # by so much a blow may have turned 1e-9 m into speed: √(k/m) of it
    sign = np.sign(both.recorded[channel].to_numpy()[k] - usual) or 1.0
    assert (name, channel) in failed(spoiled(both, channel, sign * change, k))


def test_nothing_follows_from_a_position_that_fails_by_itself():
    both = beside(start=0.102 + ASIDE)
    moved = spoiled(spoiled(both, "q.JOINT_2", 1e-6, LOWEST), "pe", G * 1e-6, LOWEST)
    assert {("position", "q.JOINT_2"), ("potential energy", "pe")} <= failed(moved)
    nowhere = spoiled(both, "q.JOINT_2", np.nan, LOWEST)
    assert ("finite numbers", "q.JOINT_2") in failed(nowhere)


@cache
def swung(angle=0.4):
    """A four-bar whose rocker's tip strikes a wall after 0.9 ms."""
    bars, still = FourBar(), np.zeros(1)
    robot, speed = bars.robot(), 20.0
    q0 = bars.motion(still + angle, still + speed, still)[0][:, 0]
    motion = sim.JointMotion.acceleration(
        {},
        q0=dict(zip(robot.joint_names, q0, strict=True)),
        qd0={"crank_joint": speed},
        free=["crank_joint"],
    )
    tip = sim.Marker("tip", "rocker", (0.0, 0.0, bars.rocker))
    wall = sim.Marker("wall", "ground", (0.5456, 0.0, 0.0))
    push = f"-IMPACT(DX(wall, tip), VX(wall, tip), 0.01, {HARD}, 1.5, 1, 0.001)"
    force = sim.VForce("push", tip, wall, (push, 0.0, 0.0))
    scenario = sim.Scenario(robot, motion, 2e-3, dt=1e-4, method="adaptive", forces=(force,))
    return run(scenario)


def test_closed_loops_let_through_what_they_allow(monkeypatch):
    both = swung().having(recorded=swung(angle=0.4 + ASIDE).recorded)
    assert failed(both) == set()
    view = RunView(both)
    for joint in view.row_names:
        channel = f"qdd.{joint}"
        observed = np.abs(view.recorded_values(channel) - view.analytic(channel))
        left = np.abs(StateDifferences(view).of(channel) - observed)
        assert left.max() < 0.02 * observed.max()  # what the loop's own force makes of it
    monkeypatch.setattr(StateDifferences, "of", lambda self, channel: np.zeros_like(self.view.t))
    assert ("velocity", "qd.crank_joint") in failed(both)


def test_nothing_follows_where_all_is_prescribed_and_nothing_is_computed_within_the_limits(
    monkeypatch,
):
    view = RunView(short_run())
    assert not StateDifferences(view).of("qdd.elbow").any()
    monkeypatch.setattr(StateDifferences, "of", None)
    assert failed(struck()) == set()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("table", ["recorded", "analytic"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_a_speed_that_is_no_number_or_out_of_all_bounds_fails_and_raises_nothing(value, table):
    assert ("velocity", "qd.JOINT_2") in failed(spoiled(struck(), "qd.JOINT_2", value, 40, table))


CAM = """a roller on a disc that turns beside its centre
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1
MARKER/2, PART = 1, REULER = 0D, -90D, 0D
PART/2, MASS = 1, CM = 21, IP = 1E-3, 1E-3, 1E-3
MARKER/21, PART = 2, QP = 0.01, 0, -0.01
MARKER/22, PART = 2
JOINT/1, REVOLUTE, I = 22, J = 1
MOTION/1, ROTATIONAL, JOINT = 1, FUNCTION = 360D*TIME
GRAPHICS/1, CYLINDER, CM = 21, LENGTH = 0.02, RADIUS = 0.04
PART/3, MASS = 0.5, CM = 31, IP = 1E-4, 1E-4, 1E-4, QG = 0, 0.05408, 0
MARKER/31, PART = 3
MARKER/32, PART = 3, REULER = 0D, -90D, 0D
JOINT/2, TRANSLATIONAL, I = 32, J = 2
SFORCE/1, TRANSLATIONAL, I = 32, J = 2, ACTIONONLY, FUNCTION = -20
GRAPHICS/2, ELLIPSOID, CM = 31, XSCALE = 0.03, YSCALE = 0.03, ZSCALE = 0.03
CONTACT/1, IGEOM = 2, JGEOM = 1, IMPACT, STIFFNESS = 3E9, DAMPING = 5E4, DMAX = 1E-6, EXPONENT = 1.5
END
"""


def test_a_joint_bears_what_a_contact_makes_of_a_difference_of_speed_in_another_branch():
    """The force of 5e4 N·s/m along the contact, to the 4 digits to which speeds are small."""
    made = run(deck_model(CAM).scenario(0.02, 0.01))
    speed, table = 1e-9, made.recorded.copy()
    table.loc[table.index[-1], "qd.JOINT_2"] += speed
    explained = StateDifferences(RunView(made.having(recorded=table)))
    x, y, force = (made.recorded[f"contact.CONTACT_1.{c}"].iloc[-1] for c in ("fx", "fy", "normal"))
    assert np.hypot(x, y) == pytest.approx(force)
    pushed = 5e4 * speed * y / force
    for part in "xy":
        off = explained.of(f"reaction.JOINT_1.f{part}")
        assert off[-1] == pytest.approx(pushed, rel=1e-3)
        assert off[0] < 1e-3 * pushed
