"""Contacts that stick next to gears that lose torque, and to dry friction in closed loops."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sim
from sim.checks import check
from sim.robots import Loop
from sim.simulation import run
from tests.helpers.loop_robots import ACROSS, at, bar
from tests.helpers.small_robots import joint, link, robot

MACHINE_CODE = True

G, K, MU, MASS = 9.81, 1e5, 0.3, 1.0
HOLDS = MU * MASS * G
SOLE = sim.Contact(
    sim.ContactShape.box("body", (0.2, 0.1, 0.1)), sim.ContactShape.plane(),
    sim.ContactLaw.impact(K, 1.0, 200.0), name="sole", mu_static=MU, stiction=True,
)  # fmt: skip


def block(dry=0.0, **train):
    """A block on a floor, along x on a rail and up; with a gear if one is given."""
    rail = joint(
        "x", "prismatic", "ground", "a", "1 0 0", f'<dynamics friction="{dry}"/>' if dry else ""
    )
    body = robot(
        link("a", 0.0), link("body", MASS), rail, joint("z", "prismatic", "a", "body", "0 0 1")
    )
    return body.with_drives({"x": sim.DriveTrain(10.0, **train)}) if train else body


def pushed(body, force, duration, engine):
    """What the engine records and the model computes, t as the index; all checks must pass."""
    motion = sim.JointMotion.torque({"x": force}, free=["z"], q0={"z": 0.05 - MASS * G / K})
    scenario = sim.Scenario(body, motion, duration, 0.01, method="adaptive", contacts=(SOLE,))
    recording = run(scenario, engine=engine, name="pushed")
    assert [one for one in check(recording) if not one.ok] == []
    return recording.recorded, recording.analytic


@pytest.mark.parametrize(("efficiency", "engine"), [(0.7, "bullet"), (0.4, "mujoco")])
def test_a_block_slides_when_what_its_gear_passes_on_exceeds_mu_n(efficiency, engine):
    """Eta u = mu N; then (m + eta A) a = eta u - mu N."""
    rate, inertia = 20.0, 0.5
    body = block(rotor_inertia=inertia / 100, efficiency=efficiency, efficiency_back=0.2)
    starts = HOLDS / efficiency / rate
    duration = round(starts + 0.1, 2)
    for table in pushed(body, f"{rate}*time", duration, engine):
        t = table.index.to_numpy()
        on = np.maximum(t - starts, 0.0)
        moved = efficiency * rate * on**3 / 6 / (MASS + efficiency * inertia)
        np.testing.assert_allclose(table["q.x"], moved, rtol=0, atol=1e-9)  # m
        held = np.minimum(efficiency * rate * t, HOLDS)
        np.testing.assert_allclose(table["contact.sole.friction"], held, rtol=0, atol=1e-8)  # N


@pytest.mark.parametrize(
    ("body", "amplitude", "engine"),
    [
        (block(rotor_inertia=5e-3, efficiency=0.7, efficiency_back=0.3), 4.0, "mujoco"),
        (block(dry=2.0), 4.5, "bullet"),
    ],
)
def test_what_a_contact_holds_at_rest_does_not_depend_on_what_was_before(body, amplitude, engine):
    """A force to and fro: the gear passes on its efficiency, a rail holds what it can first."""
    for table in pushed(body, f"{amplitude}*SIN(10*time)", 0.5, engine):
        force = amplitude * np.sin(10 * table.index.to_numpy())
        expected = 0.7 * force if body.has_drives else np.sign(force) * np.fmax(abs(force) - 2, 0)
        np.testing.assert_allclose(table["q.x"], 0.0, atol=1e-15)
        np.testing.assert_allclose(-table["contact.sole.fx"], expected, rtol=0, atol=1e-8)  # N


CRANK, ROD, SLIDER = 0.2, 0.6, 2.0


def slider_crank(in_crank, in_guide):
    """A crank and a slider along x, both with dry friction, without gravity."""
    dry = (f'<dynamics friction="{one}"/>' if one else "" for one in (in_crank, in_guide))
    tree = robot(
        bar("crank", 1.0, CRANK), bar("rod", 0.8, ROD), link("slider", SLIDER, "0 0 0", "1 1 1"),
        joint("crank_joint", "revolute", "ground", "crank", "0 1 0", next(dry)),
        joint("slider_joint", "prismatic", "ground", "slider", "1 0 0", next(dry)),
        joint("rod_joint", "revolute", "crank", "rod", "0 1 0", at(f"0 0 {CRANK}")),
    )  # fmt: skip
    passive = ("rod_joint", "slider_joint")
    return replace(
        tree, loops=(Loop("pin", "rod", (0, 0, ROD), "slider", (0, 0, 0), ACROSS, passive),)
    )


def place(angle):
    """Direction of the rod, its rate and the slider's place and rate, per rate of the crank."""
    rod = np.arccos(-CRANK * np.cos(angle) / ROD)
    turn = -CRANK * np.sin(angle) / (ROD * np.sin(rod))
    x = CRANK * np.sin(angle) + ROD * np.sin(rod)
    return rod, turn, x, CRANK * np.cos(angle) + ROD * np.cos(rod) * turn


def inertia(angle):
    """Of all bodies at the crank [kg·m²]."""
    rod, turn, _, along = place(angle)
    v = np.array([
        CRANK * np.cos(angle) + ROD / 2 * np.cos(rod) * turn,
        -CRANK * np.sin(angle) - ROD / 2 * np.sin(rod) * turn,
    ])  # fmt: skip
    return CRANK**2 / 3 + 0.8 * (v @ v) + 0.8 * ROD**2 / 12 * turn**2 + SLIDER * along**2


def crank_run(robot, torque, angle, speed, duration, engine):
    """Recording with a foot under the slider that is pressed on a floor by HOLDS/MU."""
    rod, _, x, _ = place(angle)
    deep = HOLDS / MU / K
    foot = sim.Contact(
        sim.ContactShape.sphere("slider", 0.05), sim.ContactShape.plane(at=(0, 0, deep - 0.05)),
        sim.ContactLaw.impact(K, 1.0), name="foot", mu_static=MU, stiction=True,
        stiction_velocity=1e-6, friction_velocity=2e-6,
    )  # fmt: skip
    start = {"crank_joint": angle, "rod_joint": rod - angle, "slider_joint": x}
    motion = sim.JointMotion.torque({"crank_joint": torque}, q0=start, qd0={"crank_joint": speed})
    scenario = sim.Scenario(
        robot, motion, duration, 0.01, method="adaptive", contacts=(foot,), gravity=(0, 0, 0)
    )
    recording = run(scenario, engine=engine, name="crank")
    assert [one for one in check(recording) if not one.ok] == []
    return recording


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_slider_crank_breaks_loose_at_the_sum_of_its_frictions_at_the_crank(engine):
    """T = t_c + |x'| (f_g + mu N), by virtual work; then the equation of its one coordinate."""
    in_crank, in_guide, top, angle = 0.5, 1.0, 3.0, 0.4
    recording = crank_run(
        slider_crank(in_crank, in_guide), f"{top}*SIN(12*time)", angle, 0.0, 0.4, engine
    )

    def rubs(angle):
        return in_crank + abs(place(angle)[3]) * (in_guide + HOLDS)

    def rate(t, y):
        slope = (inertia(y[0] + 1e-6) - inertia(y[0] - 1e-6)) / 2e-6
        torque = top * math.sin(12 * t) - rubs(y[0]) - slope * y[1] ** 2 / 2
        return [y[1], torque / inertia(y[0])]

    def stops(t, y):
        return y[1] if t > starts + 0.01 else 1.0

    stops.terminal = True
    starts = math.asin(rubs(angle) / top) / 12
    assert 0.03 < starts < 0.04
    other = solve_ivp(
        rate, (starts, 0.4), [angle, 0.0], "DOP853", rtol=1e-11, atol=1e-13, dense_output=True,
        events=stops,
    )  # fmt: skip
    end = other.t[-1]
    assert 0.3 < end < 0.35
    for table in (recording.recorded, recording.analytic):
        t, q = table.index.to_numpy(), table["q.crank_joint"].to_numpy()
        moves = (t > starts) & (t < end)
        assert np.abs(q[t <= starts] - angle).max() < 1e-12
        np.testing.assert_allclose(q[moves], other.sol(t[moves])[0], rtol=0, atol=1e-9)  # rad


def test_friction_at_rest_is_taken_by_the_contact_first_whatever_was_before():
    """Below what moves it: the contact up to mu N, then the joints of the loop."""
    recording = crank_run(slider_crank(0.5, 1.0), "1.1*SIN(12*time)", 0.4, 0.0, 0.28, "bullet")
    along = abs(place(0.4)[3])
    for table in (recording.recorded, recording.analytic):
        torque = 1.1 * np.sin(12 * table.index.to_numpy())
        held = np.clip(torque / along, -HOLDS, HOLDS)
        assert np.ptp(table["q.crank_joint"]) < 1e-15
        np.testing.assert_allclose(-table["contact.foot.fx"], held, rtol=0, atol=1e-8)  # N


def test_a_crank_passes_the_dead_points_of_a_slider_that_sticks_there():
    """Two turns: energy falls by mu N times the way of the slider."""
    speed, angle = 20.0, 0.4
    recording = crank_run(slider_crank(0, 0), "0", angle, speed, 0.4, "bullet")
    begin = inertia(angle) * speed**2 / 2
    fine = np.linspace(angle, angle + 16, 200001)
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(place(fine)[2])))])
    for table in (recording.recorded, recording.analytic):
        q, qd = (table[f"{name}.crank_joint"].to_numpy() for name in ("q", "qd"))
        assert q[-1] > angle + 2 * math.pi
        left = begin - HOLDS * np.interp(q, fine, way)
        kinetic = [inertia(a) * v**2 / 2 for a, v in zip(q, qd, strict=True)]
        np.testing.assert_allclose(kinetic, left, rtol=0, atol=1e-6 * begin)  # J; of the way


def test_the_bearing_of_a_driven_table_feels_the_body_that_sticks_on_it():
    """A body at r on a table that turns at w: friction R mu m w² r, and its loss in time."""
    r, w, pin, mu = 0.3, 2.0, 0.05, 0.2
    law = sim.JointFriction(
        mu, mu, stiction_velocity=1e-3, pin_radius=pin, friction_arm=0.0,
        inputs=("reaction_force",),
    )  # fmt: skip
    body = robot(
        link("table", 5.0), link("a", 0.0), link("b", 0.0), link("body", MASS),
        joint("turn", "revolute", "ground", "table", "0 0 1"),
        joint("x", "prismatic", "ground", "a", "1 0 0"),
        joint("y", "prismatic", "a", "b", "0 1 0"),
        joint("z", "prismatic", "b", "body", "0 0 1"),
    ).with_friction({"turn": law})  # fmt: skip
    ball = sim.Contact(
        sim.ContactShape.sphere("body", 0.05), sim.ContactShape.plane("table"),
        sim.ContactLaw.impact(K, 1.0, 200.0), name="ball", mu_static=0.5, stiction=True,
    )  # fmt: skip
    start = {"x": r, "z": 0.05 - MASS * G / K}
    motion = sim.JointMotion.acceleration(
        {"turn": "0"}, start, {"turn": w, "y": r * w}, free=["x", "y", "z"]
    )
    scenario = sim.Scenario(body, motion, 0.1, 0.01, method="adaptive", contacts=(ball,))
    recording = run(scenario, engine="mujoco", name="table")
    assert [one for one in check(recording) if not one.ok] == []
    friction = pin * mu * MASS * w**2 * r
    for table in (recording.recorded, recording.analytic):
        t = table.index.to_numpy()
        np.testing.assert_allclose(table["friction.turn"], friction, rtol=1e-8)
        np.testing.assert_allclose(table["loss.turn"], friction * w * t, rtol=1e-8, atol=1e-15)


def test_a_lossy_gear_in_a_loop_passes_on_its_efficiency_to_what_sticks():
    """Before it breaks loose, and below that to and fro: |x'| f = eta u."""
    geared = slider_crank(0, 0).with_drives(
        {"crank_joint": sim.DriveTrain(10.0, 1e-3, efficiency=0.7, efficiency_back=0.4)}
    )
    along = abs(place(0.4)[3])
    starts = math.asin(HOLDS * along / 0.7 / 2.0) / 12
    for top, until in ((2.0, starts), (0.8, 0.3)):
        end = 0.05 if until < 0.05 else until
        recording = crank_run(geared, f"{top}*SIN(12*time)", 0.4, 0.0, end, "mujoco")
        for table in (recording.recorded, recording.analytic):
            t = table.index.to_numpy()
            rests = t < until
            passed = 0.7 * top * np.sin(12 * t) / along
            assert np.abs(table["q.crank_joint"] - 0.4)[rests].max() < 1e-14
            held = -table["contact.foot.fx"].to_numpy()
            np.testing.assert_allclose(held[rests], passed[rests], rtol=0, atol=1e-8)  # N
            if end == 0.05:
                assert (table["qd.crank_joint"].to_numpy()[~rests] > 1e-4).all()
