"""AX, AY and AZ of bodies that no hinge holds: whole turns, against closed forms and SciPy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import sim
from sim.checks import judge_recording
from sim.simulation import run
from tests.helpers.small_robots import joint, link, robot
from tests.helpers.solved_models import solved

MACHINE_CODE = True

I_XYZ = np.array([0.02, 0.03, 0.04])  # kg·m²
K, C = 0.2, 0.02  # N·m/rad, N·m·s/rad
BODY, WALL = sim.Marker("body", "body"), sim.Marker("wall", "world")
PIN = "pin.x", "pin.y", "pin.z"
NAMES = sim.Names((BODY, WALL))
READ = sim.Request("read", {"az": "AZ(body, wall)", "back": "AZ(wall, body)"}, names=NAMES)


def wound_angle(t):
    """I α'' = -k α - c α' from 60 rad/s."""
    decay = C / (2 * I_XYZ[2])
    fast = np.sqrt(K / I_XYZ[2] - decay**2)
    return 60.0 / fast * np.exp(-decay * t) * np.sin(fast * t)


def twisted(start, kind="spherical", engine="mujoco", duration=2.0, dt=0.1):
    """A body on a ball, or on a hinge about z, under -k AZ - c WZ about z of the world."""
    spun = link("body", 1.0, "0 0 0", "0.02 0.03 0.04")
    held = robot(spun, joint("pin", kind, "ground", "body", "0 0 1"))
    twist = sim.SForce(
        "twist", BODY, WALL, f"-{K}*AZ(body,wall) - {C}*WZ(body,wall,wall)", acts="rotational"
    )
    if kind == "spherical":
        motion = sim.JointMotion.torque({}, qd0=dict(zip(PIN, start, strict=True)))
    else:
        motion = sim.JointMotion.torque({"pin": 0.0}, qd0={"pin": start[2]})
    return sim.Scenario(
        held, motion, duration, dt, "adaptive", (0, 0, 0), forces=(twist,), requests=(READ,),
        engine=engine,
    )  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def in_machine_code(compiled, without_machine_code):
    """What a run takes a tenth of the time in; one test compares it with NumPy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIM_FAST", "1")
        yield


@pytest.fixture(scope="module", params=["mujoco", "bullet"])
def swing(request, in_machine_code):
    """A start of 60 rad/s, which winds the spring up by three turns and back through zero."""
    return run(twisted((0.0, 0.0, 60.0), engine=request.param))


def test_a_torsion_spring_winds_a_loose_body_through_many_turns(swing):
    angle = wound_angle(swing.t)
    assert np.ptp(angle) > 5 * 2 * np.pi
    for table in (swing.recorded, swing.analytic):
        assert table["request.read.az"].to_numpy() == pytest.approx(angle, abs=1e-9)
        assert table["request.read.back"].to_numpy() == pytest.approx(-angle, abs=1e-9)
    assert not [one for one in sim.check(swing) if not one.ok]


def test_it_moves_as_on_a_hinge(swing):
    hinged = run(twisted((0.0, 0.0, 60.0), "continuous"))
    for channel in ("request.read.az", "force.twist.m"):
        there = hinged.analytic[channel].to_numpy()
        assert swing.recorded[channel].to_numpy() == pytest.approx(there, abs=1e-9)


def test_a_lie_of_one_turn_is_found_in_the_files(swing):
    values = swing.analytic.copy()
    values["state.0"] += 2 * np.pi
    lie = judge_recording(swing.having(analytic=values))
    failed = {one.name for one in lie.run.checks if not one.ok}
    assert {"force by its law of model", "request by its function of model"} <= failed


def test_a_body_that_tumbles_keeps_the_turn_nearest_to_the_last(monkeypatch):
    """Euler's equations with quaternions, the turns unwound from dense output by NumPy."""
    start = np.array([4.0, 3.0, 30.0])

    def rate(t, y):
        R = Rotation.from_quat(y[:4]).as_matrix()
        w = y[4:7]  # along the body's axes
        x, x_rate = R[:, 0], R @ np.cross(w, [1.0, 0.0, 0.0])
        principal = np.arctan2(x[1], x[0])
        turned = principal + 2 * np.pi * np.round((y[7] - principal) / (2 * np.pi))
        about_z = -K * turned - C * (R @ w)[2]
        wd = (R[2] * about_z - np.cross(w, I_XYZ * w)) / I_XYZ
        vector, last = y[:3], y[3]
        dq = 0.5 * np.append(last * w + np.cross(vector, w), -vector @ w)
        return [*dq, *wd, (x[0] * x_rate[1] - x[1] * x_rate[0]) / (x[0] ** 2 + x[1] ** 2)]

    y0, t = np.concatenate([[0, 0, 0, 1], start, [0.0]]), np.linspace(0, 0.25, 501)
    exact = solve_ivp(rate, (0, 0.25), y0, "DOP853", t, rtol=1e-12, atol=1e-13)
    x = Rotation.from_quat(exact.y[:4].T).as_matrix()[:, :, 0]
    wanted = np.unwrap(np.arctan2(x[:, 1], x[:, 0]))[::250]
    assert wanted.max() > 2 * np.pi
    for fast in "01":  # by NumPy and in machine code
        monkeypatch.setenv("SIM_FAST", fast)
        found = solved(twisted(start, duration=0.25, dt=0.125))["request.read.az"].to_numpy()
        assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("method", "engine"), [("ideal", "mujoco"), ("stepped", "bullet")])
def test_turns_of_a_prescribed_motion_are_followed_from_sample_to_sample(method, engine):
    """Of Rz(5 t) Rx(0.3 t) AZ is 5 t; what it makes of a torque the first drive holds."""
    arm = robot(
        link("upper", 1.0, "0 0 0.1", "0.1 0.1 0.1"),
        link("lower", 1.0, "0 0 0.1", "0.1 0.1 0.1"),
        joint("one", "continuous", "ground", "upper", "0 0 1"),
        joint("two", "continuous", "upper", "lower", "1 0 0"),
    )
    motion = sim.JointMotion.displacement({"one": "5*time", "two": "0.3*time"})
    low, up = sim.Marker("body", "lower"), sim.Marker("up", "upper")
    twists = [
        sim.SForce("twist", low, WALL, "-2*AZ(body, wall)", acts="rotational"),
        sim.SForce("twist", up, WALL, "-2*AZ(up, wall)", acts="rotational"),
    ]
    read = sim.Request("read", {"az": "AZ(body, wall)"}, names=sim.Names((low, WALL)))
    loose, hinged = (
        run(sim.Scenario(arm, motion, 3.0, 0.1, method, forces=(one,), requests=(read,),
                         engine=engine))
        for one in twists
    )  # fmt: skip
    assert not [one for one in sim.check(loose) if not one.ok]
    for table, other in ((loose.recorded, hinged.recorded), (loose.analytic, hinged.analytic)):
        angle = table["request.read.az"].to_numpy()
        assert angle == pytest.approx(5 * loose.t, abs=1e-6 if method == "stepped" else 1e-12)
        wanted = other["tau.one"].to_numpy()
        assert table["tau.one"].to_numpy() == pytest.approx(wanted, abs=1e-9)


def wound(engine="mujoco", duration=2.0):
    """A torsion spring as the string of a motor about z; what it turns rolls freely about x."""
    arm = robot(
        link("upper", 1.0, "0 0 0", "0.01 0.01 0.01"),
        link("lower", 1.0, "0 0 0", "0.02 0.03 0.03"),
        joint("one", "continuous", "ground", "upper", "0 0 1"),
        joint("two", "continuous", "upper", "lower", "1 0 0"),
    )
    body = sim.Marker("body", "lower")
    names = sim.Names((body, WALL), variables={"twist": "AZ(body, wall)"})
    motion = sim.JointMotion.torque(
        {"one": f"-{K}*VARVAL(twist) - {C}*WZ(body, wall, wall)", "two": 0.0},
        names=names, qd0={"one": 60.0, "two": 3.0},
    )  # fmt: skip
    return sim.Scenario(arm, motion, duration, 0.1, "adaptive", (0, 0, 0), engine=engine)


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
def test_the_string_of_a_motor_winds_up_by_many_turns(engine):
    swung = run(wound(engine))
    angle = wound_angle(swung.t)
    assert np.ptp(angle) > 5 * 2 * np.pi
    for table in (swung.recorded, swung.analytic):
        assert table["q.one"].to_numpy() == pytest.approx(angle, abs=1e-9)
        assert table["q.two"].to_numpy() == pytest.approx(3.0 * swung.t, abs=1e-9)
    assert not [one for one in sim.check(swung) if not one.ok]
    values = swung.analytic.copy()
    values["state.0"] += 2 * np.pi
    lie = judge_recording(swung.having(analytic=values))
    assert "drive function" in {one.name for one in lie.run.checks if not one.ok}


def test_the_string_of_a_motor_winds_up_by_numpy_too(monkeypatch):
    monkeypatch.setenv("SIM_FAST", "0")
    found = solved(wound(duration=0.2))["q.one"].to_numpy()
    assert found == pytest.approx(wound_angle(np.linspace(0, 0.2, 3)), abs=1e-9)
