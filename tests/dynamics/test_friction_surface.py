"""Balls, and sleeves that slide and turn, which rub as they carry: against SciPy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import sim
from sim.decks import load_deck
from sim.dynamics import friction_torque
from sim.errors import ModelError
from sim.simulation import run
from tests.helpers.small_robots import joint, link, robot
from tests.helpers.solved_models import solved

MACHINE_CODE = True

G = np.array([0.0, 0.0, -9.81])
MASS, CENTRE, INERTIA = 2.0, np.array([0.05, 0.0, -0.2]), np.array([0.02, 0.03, 0.01])
RADIUS = 0.05  # m
LAW = sim.JointFriction(0.3, 0.2, stiction_velocity=0.05, pin_radius=RADIUS, preload=0.02)
BOB = link("bob", MASS, "0.05 0 -0.2", "0.02 0.03 0.01")


def ramp(s):
    """Through zero below the stiction velocity, STEP(s, -1, -1, 1, 1)."""
    return s * (3 - s * s) / 2 if s < 1 else 1.0


def mu(s):
    """STEP from 0.3 to 0.2 between one and one and a half stiction velocities."""
    x = np.clip(2 * (s - 1), 0, 1)
    return 0.3 - 0.1 * x * x * (3 - 2 * x)


def hung(law=LAW):
    """A bob on a ball, pushed aside and spun."""
    held = robot(BOB, joint("ball", "spherical", "ground", "bob", "0 0 1"))
    speeds = {"ball.x": 3.0, "ball.y": 1.0, "ball.z": 6.0}
    motion = sim.JointMotion.torque({}, qd0=speeds)
    rubbing = held.with_friction({"ball": law})
    return sim.Scenario(rubbing, motion, 0.1, 0.05, "adaptive", tuple(G), engine="bullet")


def test_a_ball_rubs_by_its_reaction(tmp_path):
    """I_p ω' + ω × I_p ω = c × R⁻¹ m g - D s(ω), D = μ R |F| + P, F = m (a - g), by Newton."""
    about_pin = np.diag(INERTIA) + MASS * (CENTRE @ CENTRE * np.eye(3) - np.outer(CENTRE, CENTRE))

    def rate(t, y):
        R, w = Rotation.from_quat(y[:4]).as_matrix(), y[4:]
        speed = np.linalg.norm(w)
        s = RADIUS * speed / 0.05
        against = ramp(s) * w / speed

        def turning(D):
            given = np.cross(CENTRE, MASS * (R.T @ G)) - np.cross(w, about_pin @ w) - D * against
            return np.linalg.solve(about_pin, given)

        def lacking(D):
            a = np.cross(turning(D), CENTRE) + np.cross(w, np.cross(w, CENTRE))
            return mu(s) * RADIUS * MASS * np.linalg.norm(a - R.T @ G) + 0.02 - D

        dq = 0.5 * np.append(y[3] * w + np.cross(y[:3], w), -y[:3] @ w)
        return [*dq, *turning(brentq(lacking, 0, 100, xtol=1e-15, rtol=1e-15))]

    t = np.linspace(0, 0.1, 3)
    y0 = [0, 0, 0, 1, 3.0, 1.0, 6.0]
    exact = solve_ivp(rate, (0, 0.1), y0, "DOP853", t, rtol=1e-11, atol=1e-12).y[4:]
    found = run(hung())
    for table in (found.recorded, found.analytic):
        for axis, wanted in zip("xyz", exact, strict=True):
            assert table[f"qd.ball.{axis}"].to_numpy() == pytest.approx(wanted, abs=1e-9)
    assert not [one for one in sim.check(found) if not one.ok]
    sim.export(found, tmp_path / "out.adm")  # and back
    again = solved(load_deck(tmp_path / "out.adm").scenario(0.1, 0.05))
    for axis in "xyz":
        wanted = found.analytic[f"qd.ball.{axis}"].to_numpy()
        assert again[f"qd.ball.{axis}"].to_numpy() == pytest.approx(wanted, abs=1e-9)


def sleeve(law):
    """A body on a rod along x, its mass centre off the axis."""
    return robot(
        link("ring", 0.0),
        BOB,
        joint("slide", "prismatic", "ground", "ring", "1 0 0"),
        joint("turn", "continuous", "ring", "bob", "1 0 0"),
    ).with_friction({"slide": law})


def test_a_sleeve_rubs_by_its_reaction():
    """m x'' = -D v/|v|, I α'' = m g r sin - D R (R α')/|v|, D = μ (|F| + |M|/R_b), by Newton."""
    law = sim.JointFriction(
        0.3, 0.2, stiction_velocity=0.05, pin_radius=RADIUS, bending_arm=0.4, turns_with="turn",
        inputs=("reaction_force", "bending_moment"),
    )  # fmt: skip
    depth, lever = 0.2, 0.05  # of the mass centre, below the axis and along it [m]
    about = INERTIA[0] + MASS * depth**2

    def rate(t, y):
        _, angle, v, w = y
        speed = np.hypot(v, RADIUS * w)
        share = ramp(speed / 0.05) / speed
        down = np.array([np.sin(angle), -np.cos(angle)])  # of the mass centre, along y and z

        def accelerations(D):
            return -D * share * v / MASS, (
                -MASS * 9.81 * depth * np.sin(angle) - D * share * RADIUS**2 * w
            ) / about

        def lacking(D):
            slid, turned = accelerations(D)
            out = np.array([np.cos(angle), np.sin(angle)])
            a = depth * (turned * out - w * w * down)
            force = MASS * np.array([slid, a[0], a[1] + 9.81])
            # about the sleeve's origin: of I ω and its rate there is nothing across x
            bend = np.cross([lever, *(depth * down)], force)[1:]
            return mu(speed / 0.05) * (np.hypot(*force[1:]) + np.hypot(*bend) / 0.4) - D

        return [v, w, *accelerations(brentq(lacking, 0, 1e3, xtol=1e-15, rtol=1e-15))]

    t = np.linspace(0, 0.1, 3)
    exact = solve_ivp(rate, (0, 0.1), [0, 0, 0.8, 9.0], "DOP853", t, rtol=1e-11, atol=1e-12).y
    start = {"slide": 0.8, "turn": 9.0}
    motion = sim.JointMotion.torque({}, qd0=start, free=["slide", "turn"])
    found = run(sim.Scenario(sleeve(law), motion, 0.1, 0.05, "adaptive", tuple(G), engine="mujoco"))
    for table in (found.recorded, found.analytic):
        for name, wanted in zip(("q.slide", "q.turn", "qd.slide", "qd.turn"), exact, strict=True):
            assert table[name].to_numpy() == pytest.approx(wanted, abs=1e-9)
    assert not [one for one in sim.check(found) if not one.ok]


def test_a_ball_without_load_rubs_by_its_preload_and_never_drives():
    law = sim.JointFriction(0.3, 0.2, stiction_velocity=0.05, preload=0.7, inputs=("preload",))
    plant = hung(law).robot
    qd = np.array([[3.0, 0.0, 1e-3], [-4.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    found = friction_torque(plant, qd)
    assert found[:, 0] == pytest.approx([0.6 * 0.7, -0.8 * 0.7, 0.0])
    assert found[:, 1] == pytest.approx(0.0)
    assert found[0, 2] == pytest.approx(0.7 * ramp(1e-3 / 0.05))


@pytest.mark.parametrize(
    ("named", "words"),
    [("ball", "ball"), ("nobody", "nobody")],
)
def test_a_sleeve_turns_with_a_hinge_beside_it(named, words):
    law = sim.JointFriction(0.3, 0.2, turns_with=named)
    with pytest.raises(ModelError, match=words):
        friction_torque(sleeve(law), np.zeros((2, 1)), np.zeros((2, 6, 1)))
