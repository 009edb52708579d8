"""The sliders of a run's page, set in a browser, against the model and against bisection."""

import shlex
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from sim import (
    Bushing,
    DriveTrain,
    Force,
    JointSpring,
    Loop,
    Marker,
    Payload,
    PickUp,
    SetDown,
    inverse_dynamics,
    load_robot,
    shipped,
)
from sim.cli.command import status
from sim.motion import JointMotion
from sim.recording import Recording
from sim.reports.page.page import write_page
from sim.robots import read_urdf
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.opened_page import Opened, leaving_pages
from tests.helpers.page_runs import judged
from tests.helpers.short_runs import SMOOTH, rubbing_arm
from tests.helpers.small_robots import joint, link
from tests.helpers.small_robots import robot as small_robot

DURATION = 0.8  # [s]
MASS = 0.5  # of the run [kg]
BETWEEN = 1e-9  # of a joint's peak: the curves between samples
ANSWER = 1e-6  # of payload and speed
MEANS = 1e-4  # of means over a run: dry friction jumps between samples, where a joint turns back
# Payload, its centre and radius of gyration, speed, gravity; as the run, light and slow, heavy and
# fast, without gravity.
SETTINGS = (
    {},
    {"mass": 0.2, "x": 0.1, "y": -0.05, "spread": 0.03, "speed": 0.4},
    {"mass": 3.0, "x": -0.04, "z": 0.08, "spread": 0.1, "speed": 1.7, "gravity": 12.0},
    {"mass": 1.3, "y": 0.06, "speed": 2.2, "gravity": 0.0},
)
# Dense where the shoulder stops: its dry friction is there until it does.
FINE = np.sort(np.append(np.linspace(0.0, DURATION, 20_001), 0.3 - np.geomspace(1e-9, 1e-4, 60)))
READ = """() => {
  const { one, now, state } = run.whatIf;
  return { t: [...one.t], tau: state.tau.map(row => [...row]), peak: state.sizing.map(s => s.peak),
           most: state.most.mass, low: state.low.r, high: state.high.r, now: { ...now } };
}"""


@pytest.fixture(scope="module")
def robot():
    """With friction in both joints, and a spring with a damper in one."""
    return rubbing_arm().with_springs({"elbow": JointSpring(stiffness=4.0, damping=0.3)})


@pytest.fixture(scope="module")
def motion():
    return JointMotion.displacement(SMOOTH)


@contextmanager
def page_of(browser, robot, motion, path):
    """The page of a run of the robot with a payload, with its sliders."""
    scenario = Scenario(robot.with_payload(mass=MASS), motion, DURATION)
    write_page(path, judged(run(scenario, method="ideal", name="swing")))
    with leaving_pages():
        opened = Opened(browser, path).ready()
        opened.page.locator("#whatif").scroll_into_view_if_needed()
        opened.until("document.querySelector('#whatif').dataset.ready === 'yes'")
        yield opened


@pytest.fixture(scope="module")
def opened(flat_browser, robot, motion, tmp_path_factory):
    path = tmp_path_factory.mktemp("what_if") / "report.html"
    with page_of(flat_browser, robot, motion, path) as opened:
        yield opened


def type_in(opened, setting):
    """Type into the fields of the sliders, lengths in millimetres, after “as the run”."""
    opened.page.locator("#whatif .reset").click()
    for key, value in setting.items():
        field = opened.page.locator(f"#whatif [data-typed={key}]")
        field.fill(repr(value * (1000 if key in ("x", "y", "z", "spread") else 1)))
        field.press("Enter")
    opened.page.wait_for_timeout(50)  # redrawn with the next picture
    return opened.js(READ)


def torques(robot, motion, now, t, mass=None, speed=None):
    """Torques at times of the run's path with the payload as a link, shape (n, N)."""
    mass = now["mass"] if mass is None else mass
    r = now["speed"] if speed is None else speed
    at = motion.on(robot, DURATION).at(t)
    ball = mass * now["spread"] ** 2 * np.eye(3)
    heavier = robot.with_payload(mass, (now["x"], now["y"], now["z"]), ball)
    moved = at.q, r * at.qd, r * r * at.qdd
    return inverse_dynamics(heavier, *moved, (0, 0, -now["gravity"]))


def bisect(is_inside, low, high):
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if is_inside(middle) else (low, middle)
    return low


@pytest.mark.rotates(2)
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: " ".join(s) or "as the run")
def test_the_sliders_give_what_the_model_gives(opened, robot, motion, setting):
    found = type_in(opened, setting)
    assert found["now"] == pytest.approx(
        {**dict.fromkeys("xyz", 0), "spread": 0, "mass": MASS, "speed": 1, "gravity": 9.81}
        | setting,
        abs=1e-12,
    )
    t = np.array(found["t"])
    at = motion.on(robot, DURATION).at(t)
    smooth = (np.abs(at.qd) > 1e-6) | (at.qd == 0.0)  # dry friction jumps where a joint turns back
    wanted = torques(robot, motion, found["now"], t)
    peak = np.abs(wanted).max(axis=1, keepdims=True)
    assert np.abs((np.array(found["tau"]) - wanted) / peak)[smooth].max() <= BETWEEN
    exact = np.abs(torques(robot, motion, found["now"], FINE)).max(axis=1)
    assert np.abs(found["peak"]) == pytest.approx(exact, rel=ANSWER)


def crank(setting=None):
    """A crank that drives two loose bars, with all that fits: a box comes and goes, a force and a
    bushing act, and the crank has a gear, rubs and has a spring in its loop.
    """
    mass, r = 1.0, 1.0
    com, k, g = (0.02, 0.0, 0.05), 0.05, 9.81
    if setting:
        mass, com, k, r, g = setting
    rubs = '<dynamics damping="0.3" friction="0.2"/>'
    plant = small_robot(
        *(link(name, 1.5, "0.2 0 0", "0.02 0.03 0.04") for name in ("crank", "coupler", "rocker")),
        joint("turn", "revolute", "ground", "crank", "0 1 0", rubs),
        joint("knee", "revolute", "crank", "coupler", "0 1 0", '<origin xyz="0.2 0 0"/>'),
        joint("rock", "revolute", "ground", "rocker", "0 1 0", '<origin xyz="0.45 0 0"/>'),
    )
    plant = read_urdf(plant.text, tool="coupler")
    plant = plant.with_drives({"turn": DriveTrain(50, 1e-4, efficiency=0.8)})
    plant = plant.with_springs({"rock": JointSpring(stiffness=3.0, damping=0.2)})
    pin = Loop("pin", "coupler", (0.5, 0, 0), "rocker", (0.4, 0, 0), (0, 1, 0), ("knee", "rock"))
    at = Marker("here", "coupler"), Marker("there", "ground", (0.1, 0.2, 0.7))
    box = Payload(mass, com, mass * k * k * np.eye(3))
    return Scenario(
        plant.with_loops(pin),
        JointMotion.displacement({"turn": f"4*{r!r}*time"}, q0={"knee": -1.0, "rock": -1.9}),
        0.6 / r,
        dt=1e-3 / r,
        method="ideal",
        gravity=(0, 0, -g),
        forces=(Force("rocker", (5.0, 0.0, -8.0)), Bushing("pad", *at, stiffness=30, damping=2)),
        events=(PickUp(0.2 / r, box, "box"), SetDown(0.45 / r, "box")),
    )


def test_loops_events_forces_and_gears_are_those_of_another_run(flat_browser, tmp_path):
    path = tmp_path / "report.html"
    write_page(path, judged(run(crank(), name="crank")))
    found = Opened(flat_browser, path).ready()
    found.page.locator("#whatif").scroll_into_view_if_needed()
    found.until("document.querySelector('#whatif').dataset.ready === 'yes'")
    assert "the one the run picks up, while it is carried" in found.page.inner_text("#whatif")
    r = 1.7
    told = {"mass": 3.0, "x": -0.04, "y": 0.0, "z": 0.08, "spread": 0.1, "speed": r, "gravity": 5.0}
    shown = type_in(found, told)
    other = run(crank((3.0, (-0.04, 0.0, 0.08), 0.1, r, 5.0)), name="crank").analytic
    wanted = np.asarray(other["tau.turn"])
    motor = np.abs(other["motor_tau.turn"]).max()  # at samples
    assert found.js("run.whatIf.state.sizing[0].motor.peak") == pytest.approx(motor, rel=1e-4)
    t, pieces = np.array(shown["t"]), found.js("[...run.whatIf.one.piece]")
    for piece in set(pieces):
        here = np.array(pieces) == piece
        curve = CubicSpline(t[here], np.array(shown["tau"])[0, here])
        place = r * other.index.to_numpy()
        between = (place > t[here][0] + 1e-6) & (place < t[here][-1] - 1e-6)
        off = np.abs(curve(place[between]) - wanted[between]).max()
        assert off <= BETWEEN * np.abs(wanted).max()


def test_payload_and_speed_are_those_of_bisection(opened, robot, motion):
    found = type_in(opened, {"mass": 0.6, "z": 0.05, "speed": 0.9})
    now = found["now"]
    rated = np.array([[row.limits.effort] for row in robot.coordinates])
    fastest = np.array([row.limits.velocity for row in robot.coordinates])
    top = np.abs(motion.on(robot, DURATION).at(FINE).qd).max(axis=1)

    def holds(**change):
        return bool(np.all(np.abs(torques(robot, motion, now, FINE, **change)) <= rated))

    def quick(speed):
        return holds(speed=speed) and bool(np.all(speed * top <= fastest))

    assert found["most"] == pytest.approx(bisect(lambda m: holds(mass=m), 1e-3, 1e3), rel=ANSWER)
    assert found["high"] == pytest.approx(bisect(quick, 1.0, 100.0), rel=ANSWER)


TRAINS = {
    "shoulder": DriveTrain(
        80, 2e-4, coulomb=0.02, coulomb_back=0.03, viscous=1e-4, efficiency=0.8,
        efficiency_back=0.7, motor_peak_torque=1.2, motor_rated_torque=0.9,
    ),
    "elbow": DriveTrain(
        -60, 1e-4, coulomb=0.01, efficiency=0.9, gear_peak_torque=7.5, gear_rated_torque=7.0,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def geared(flat_browser, motion, tmp_path_factory):
    bare = load_robot(shipped.scenarios() / "two_link.urdf")
    path = tmp_path_factory.mktemp("geared") / "report.html"
    with page_of(flat_browser, bare.with_drives(TRAINS), motion, path) as opened:
        yield opened, bare


class Shafts:
    """What motors and gears give on the path, by their law and the model of the links."""

    def __init__(self, bare, motion, now):
        self.at = [motion.on(bare, DURATION).at(t) for t in (FINE, EVEN)]
        self.bare, self.motion, self.now = bare, motion, now

    def used(self, **change):
        """Peaks and means [N·m] by what they are of, and their ratings."""
        r = change.get("speed", self.now["speed"])
        found = {}
        for t, at, is_fine in zip((FINE, EVEN), self.at, (True, False), strict=True):
            links = torques(self.bare, self.motion, self.now, t, **change)
            for (name, train), tau, qd, qdd in zip(
                TRAINS.items(), links, at.qd, at.qdd, strict=True
            ):
                N, sense = abs(train.ratio), np.sign(np.where(np.abs(qd) > 1e-8, qd, 0.0))
                forwards, backwards = train.efficiencies
                mesh = np.where(tau * sense > 0, 1 / forwards, np.where(sense == 0, 1, backwards))
                dry = np.where(sense > 0, train.coulomb, -(train.coulomb_back or train.coulomb))
                motor = mesh * tau / N + r * r * N * train.rotor_inertia * qdd
                motor += r * N * train.viscous * qd + dry * np.abs(sense)
                if is_fine:
                    found[f"{name} motor peak"] = np.abs(motor).max()
                    found[f"{name} gear peak"] = np.abs(tau).max()
                    continue
                found[f"{name} motor curve"] = np.abs(motor * N * r * qd).max()  # a power
                found[f"{name} motor RMS"] = np.sqrt(np.trapezoid(motor**2, t) / DURATION)
                way = np.trapezoid(np.abs(qd), t)
                worn = np.trapezoid(np.abs(qd) * np.abs(tau) ** 3, t)
                found[f"{name} gear mean"] = np.cbrt(worn / way)
        return found


EVEN = np.sort(np.append(np.linspace(0.0, DURATION, 8_001), [1e-6, 0.3 - 1e-6]))
NONE = {
    "shoulder": {"motor_peak": 5.0, "motor_rated": 5.0, "motor_power": 1e6},
    "elbow": {"gear_rated": 50.0},
}
CASES = (
    ({}, "gear peak", "gear peak"),
    ({"shoulder": {"motor_peak": 0.6}}, "motor peak", "motor peak"),
    ({"shoulder": {"motor_rated": 0.225}}, "motor RMS", "motor RMS"),
    ({"elbow": {"gear_rated": 3.1}}, "gear mean", "gear mean"),
    ({"shoulder": {"motor_power": 45.0}}, "motor curve", "motor curve"),
)


@pytest.mark.rotates(2)
@pytest.mark.parametrize(("ratings", "heavy", "fast"), CASES, ids=[case[1] for case in CASES])
def test_motors_and_gears_count_by_their_own_ratings(geared, motion, ratings, heavy, fast):
    page, bare = geared
    rated = {name: {**NONE[name], **ratings.get(name, {})} for name in NONE}
    page.js(
        """rated => run.whatIf.one.joints.forEach(
            ({ name, train }) => Object.assign(train, rated[name]))""",
        rated,
    )
    found = type_in(page, {"mass": 0.6, "z": 0.05, "speed": 0.9})
    shafts = Shafts(bare, motion, found["now"])
    used = shafts.used()
    for name, s in zip(TRAINS, page.js("run.whatIf.state.sizing"), strict=True):
        assert s["motor"]["peak"] == pytest.approx(used[f"{name} motor peak"], rel=ANSWER)
        assert s["motorRms"] == pytest.approx(used[f"{name} motor RMS"], rel=MEANS)
        assert s["gearMean"] == pytest.approx(used[f"{name} gear mean"], rel=MEANS)
    limits = {
        "shoulder motor peak": rated["shoulder"]["motor_peak"],
        "shoulder motor RMS": rated["shoulder"]["motor_rated"],
        "shoulder motor curve": rated["shoulder"]["motor_power"],
        "shoulder gear peak": 30.0,
        "elbow gear peak": 7.5,
        "elbow gear mean": rated["elbow"]["gear_rated"],
    }

    def holds(**change):
        used = shafts.used(**change)
        return all(used[name] <= limit for name, limit in limits.items())

    off = MEANS if heavy.endswith(("mean", "RMS", "curve")) else ANSWER
    for key, value in (("mass", found["most"]), ("speed", found["high"])):
        assert holds(**{key: value * (1 - off)}) and not holds(**{key: value * (1 + off)})
    assert page.js("[run.whatIf.state.most.what, run.whatIf.state.high.what]") == [heavy, fast]


def test_the_command_stands_where_the_scenario_has_no_parameter_only_for_the_run(opened):
    type_in(opened, {})
    assert opened.page.locator("#whatif .again code").inner_text() == (
        "sim run swing --method ideal --engine bullet --dt 0.001"
    )
    type_in(opened, {"z": 0.05})
    assert not opened.page.locator("#whatif .again").is_visible()
    assert "no parameter for centre z" in opened.page.locator("#whatif .cannot").inner_text()


def test_the_command_simulates_what_the_sliders_say(
    flat_browser, shipped_run, tmp_path, monkeypatch
):
    write_page(tmp_path / "report.html", Recording.read(shipped_run("two_link")))
    found = Opened(flat_browser, tmp_path / "report.html").ready()
    found.page.locator("#whatif").scroll_into_view_if_needed()
    found.until("document.querySelector('#whatif').dataset.ready === 'yes'")
    shown = type_in(found, {"mass": 0.8})
    words = shlex.split(found.page.locator("#whatif .again code").inner_text())
    assert words[0] == "sim" and "load=0.8" in words
    monkeypatch.chdir(tmp_path)
    assert status([*words[1:], "--no-report", "--out", "heavier"]) == 0
    peaks = Recording.read(tmp_path / "heavier").run.peaks
    told = dict(zip(("tau.shoulder", "tau.elbow"), np.abs(shown["peak"]), strict=True))
    assert told == pytest.approx({name: peaks[name] for name in told}, rel=1e-4)  # of samples
