"""SENSORs of decks, and STATIC before a simulation in time."""

import re

import numpy as np
import pytest
from scipy.optimize import brentq

import sim
from sim.decks import convert, deck_model
from sim.decks.deck_script import deck_script, settings_of_commands
from sim.scenario import load_script
from tests.decks.decks_of_tests import PENDULUM, SLIDERS, SPRING

K, M1, M2, REST, APART = 800.0, 2.0, 3.0, 0.5, 0.7  # of SLIDERS, in SI units


def run(text, duration=0.5, dt=1e-3):
    recording = sim.run(deck_model(text).scenario(duration, dt))
    assert recording.passed
    return recording


def first_at(distance):
    """When the sliders, apart by 700 mm at rest, are first so near [s]."""
    w = np.sqrt(K * (1 / M1 + 1 / M2))
    return np.arccos((distance - REST) / (APART - REST)) / w


@pytest.mark.parametrize(
    "sensor",
    [
        "SENSOR/4, FUNCTION = DX(31,21), LE, VALUE = 450, ERROR = 1E-3, HALT",
        "sensor/4\n, value = 450\n, error = 1.0\n, le\n, halt\n, function = dx(31,21)\\\n",
        "SENS/4, LE, HALT, PRINT, CODGEN, DT = 0.1, YYDUMP, FUNCTION = DX(31,21), VAL=450",
        "SENSOR/4, EQ, RETURN, VALUE = 450, FUNCTION = DX(31,21), LABEL = 'near'",
    ],
)
def test_a_sensor_halts_where_its_function_passes_its_value(sensor):
    recording = run(SLIDERS.format(force=f"{SPRING}\n{sensor}"))
    (event,) = recording.run.conditions
    (one,) = event.occurrences
    assert (one.t, one.recorded) == pytest.approx((first_at(0.45),) * 2, abs=1e-12)
    assert recording.t[-1] == pytest.approx(np.floor(one.t * 1e3) / 1e3)


def test_a_sensor_that_is_true_at_the_start_halts_once_it_is_true_again():
    sensor = "SENSOR/4, FUNCTION = DX(31,21), GE, VALUE = 650, HALT"
    recording = run(SLIDERS.format(force=f"{SPRING}\n{sensor}"))
    (one,) = recording.run.conditions[0].occurrences
    period = 2 * np.pi / np.sqrt(K * (1 / M1 + 1 / M2))
    assert (one.t, one.recorded) == pytest.approx((period - first_at(0.65),) * 2, abs=1e-12)
    assert any("it waits until it has been false, as is assumed" in n for n in recording.run.notes)


def test_senval_has_what_was_evaluated_and_forces_read_it():
    """The spring of the sensor's value pushes from its event on, in mm, ms and N."""
    sensor = "SENSOR/4, FUNCTION = DX(31,21), LE, VALUE = 450, EVAL = TIME*DX(31,21)"
    force = f"{SPRING}\n{sensor}\nVARIABLE/1, FUNCTION = SENVAL(4)\nSFORCE/2, TRANSLATIONAL"
    recording = run(SLIDERS.format(force=f"{force}, I = 21, J = 31, FUNCTION = 1E-3*SENVAL(4)"))
    first, *others = (one.t for one in recording.run.conditions[0].occurrences)
    assert first == pytest.approx(first_at(0.45), abs=1e-12)
    values = recording.recorded["variable.VARIABLE_1"].to_numpy()
    until = others[0] if others else np.inf
    t = np.asarray(recording.t)
    assert values[t < first] == pytest.approx(0)
    assert values[(t > first) & (t < until)] == pytest.approx(1e3 * first * 450, rel=1e-11)
    # the push moves the middle of the oscillation
    w, push = np.sqrt(K * (1 / M1 + 1 / M2)), first * 450
    during = (t > first) & (t < until)
    x0, v0 = -0.05, -0.2 * w * np.sin(w * first)
    shifted = push / K
    closed = (
        REST + shifted + (x0 - shifted) * np.cos(w * (t - first)) + v0 / w * np.sin(w * (t - first))
    )
    apart = recording.recorded["q.JOINT_2"] - recording.recorded["q.JOINT_1"] + 0.0
    apart = apart.to_numpy() - apart.to_numpy()[0] + APART
    assert apart[during] == pytest.approx(closed[during], abs=1e-9)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("USER(1)", "a subroutine"),
        ("CONTACT(1, 0, 1, 0)", r"CONTACT\(1\): there is no CONTACT/1"),
        ("DZ(99, 10)", "DZ.*'99' is not a marker"),
        ("TIME, VALUE = 1, GE, LE", "GE and LE exclude each other; give one of them"),
    ],
)
def test_a_sensor_that_cannot_be_read_is_named_and_the_deck_runs(function, reason):
    sensor = f"SENSOR/2, FUNCTION = {function}, HALT\nEND\n"
    model = deck_model(PENDULUM.replace("END\n", sensor))
    assert any(re.search(f"SENSOR/2: not followed: {reason}", note) for note in model.notes)
    assert not model.sensors.events


@pytest.mark.parametrize("first", ["SIM/STATIC\nSIM/DYN,", "SIMULATE/DYNAMIC, INITIAL_STATIC,"])
def test_a_simulation_after_statics_starts_at_rest_in_balance(first, tmp_path):
    (tmp_path / "arm.adm").write_text(PENDULUM, encoding="utf-8")
    (tmp_path / "arm.acf").write_text(f"FILE/MODEL=arm\n{first} END=1, STEPS=50\nSTOP\n")
    script = deck_script(tmp_path / "arm.adm")
    settings = settings_of_commands(script, tmp_path / "arm.acf")
    scenario, _ = script.build(settings)
    recording = sim.run(scenario)
    balance = brentq(lambda q: 200 * q + 2 * 9.80665 * np.cos(q), -1, 1, xtol=1e-14)
    assert recording.recorded["q.hinge"].to_numpy() == pytest.approx(balance, abs=1e-11)
    assert any("static equilibrium, which is stable" in note for note in recording.run.notes)


def test_a_converted_deck_ends_as_the_deck_does(tmp_path):
    sensor = "SENSOR/4, FUNCTION = DX(31,21), LE, VALUE = 450, HALT, EVALUATE = TIME"
    model = deck_model(SLIDERS.format(force=f"{SPRING}\n{sensor}"), "near.adm")
    paths = convert(model, tmp_path)
    scenario, _ = load_script(str(tmp_path / "near.py")).build({"duration": "0.2"})
    (event,) = scenario.events
    assert event.condition == "DX(31, 21) / 0.001 <= 450.0"
    assert [str(action) for action in event.actions] == ["end the run"]
    recording = sim.run(scenario)
    assert recording.run.conditions[0].occurrences[0].t == pytest.approx(first_at(0.45), abs=1e-12)
    assert any("SENVAL is 0 in the script" in path.read_text() for path in paths)


BUSHING = "BUSHING/1, I = 31, J = 21, K = 0, 0, 0.8, FORCE = 0, 0, 400"
BALLS = """GRAPHICS/1, ELLIPSOID, CM = 21, XSCALE = 710, YSCALE = 710, ZSCALE = 710
GRAPHICS/2, ELLIPSOID, CM = 31, XSCALE = 710, YSCALE = 710, ZSCALE = 710
GRAPHICS/3, ELLIPSOID, CM = 21, XSCALE = 50, YSCALE = 50, ZSCALE = 50
CONTACT/1, IGEOM = 1, 3, JGEOM = 2, IMPACT, STIFFNESS = 0.8, EXPONENT = 1, DAMPING = 0, DMAX = 0.1
, COULOMB_FRICTION = OFF"""


@pytest.mark.parametrize(
    ("force", "kind", "rest"),
    [(SPRING, "SPRING", 0.5), (BUSHING, "BUSHING", 0.5), (BALLS, "CONTACT", 0.71)],
)
def test_forces_are_switched_between_simulations_as_commands_say(force, kind, rest, tmp_path):
    """The spring acts for 30 ms, then the sliders move on evenly, then it acts again."""
    (tmp_path / "near.adm").write_text(SLIDERS.format(force=force), encoding="utf-8")
    text = f"SIM/DYN, END=30, DTOUT=1\nDEACT/{kind}, ID=1\nSIM/DYN, END=60, DTOUT=1\n"
    (tmp_path / "near.acf").write_text(f"{text}ACTIVATE/{kind}, ID=1,7\nSIM/DYN, END=68\n")
    paths = tmp_path / "near.adm", tmp_path / "near.acf"
    script = deck_script(paths[0])
    settings = settings_of_commands(script, paths[1])
    recording = sim.run(script.build(settings)[0])
    assert recording.passed
    assert any(re.search("there is no [A-Z]+/7", note) for note in recording.run.notes)
    w = np.sqrt(K * (1 / M1 + 1 / M2))
    t = np.asarray(recording.t)
    apart = (recording.recorded["q.JOINT_2"] - recording.recorded["q.JOINT_1"]).to_numpy()
    apart = apart - apart[0] + APART
    x, v = (APART - rest) * np.cos(w * 0.03), (rest - APART) * w * np.sin(w * 0.03)
    free = (t >= 0.03) & (t <= 0.06)
    assert apart[free] - rest == pytest.approx(x + v * (t[free] - 0.03), abs=1e-11)
    x += v * 0.03
    after = t > 0.06
    closed = x * np.cos(w * (t - 0.06)) + v / w * np.sin(w * (t - 0.06))
    assert apart[after] - rest == pytest.approx(closed[after], abs=1e-11)


def test_a_motion_is_switched_off_between_simulations(tmp_path):
    """The first slider lets go of its drive after 30 ms, and both swing about their middle."""
    motion = f"{SPRING}\nMOTION/3, TRANSLATIONAL, JOINT = 1, FUNCTION = 0.5*TIME"
    (tmp_path / "near.adm").write_text(SLIDERS.format(force=motion), encoding="utf-8")
    text = "SIM/DYN, END=30, DTOUT=1\nDEACTIVATE/MOTION, ID=3\nSIM/DYN, END=60\n"
    (tmp_path / "near.acf").write_text(text)
    paths = tmp_path / "near.adm", tmp_path / "near.acf"
    script = deck_script(paths[0])
    settings = settings_of_commands(script, paths[1])
    recording = sim.run(script.build(settings)[0])
    assert recording.passed
    t = np.asarray(recording.t)
    first, second = (recording.recorded[f"q.JOINT_{k}"].to_numpy() for k in (1, 2))
    before, after = t <= 0.03, t > 0.03
    assert first[before] == pytest.approx(0.5 * t[before], abs=1e-14)
    # the second slider, seen from the first, which moves evenly at 0.5 m/s
    w, late = np.sqrt(K / M2), t[after] - 0.03
    apart = 0.2 * np.cos(w * 0.03) - 0.5 / w * np.sin(w * 0.03)
    rate = -0.2 * w * np.sin(w * 0.03) - 0.5 * np.cos(w * 0.03)
    w = np.sqrt(K * (1 / M1 + 1 / M2))
    closed = apart * np.cos(w * late) + rate / w * np.sin(w * late)
    seen = second - first - (second - first)[0] + APART - REST
    assert seen[after] == pytest.approx(closed, abs=1e-11)


BALL = """a ball falls on a floor, in mm
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/2, PART = 1, REULER = 0D, -90D, 0D
PART/2, MASS = 1, CM = 21, IP = 1000, 1000, 1000, QG = 0, 60, 0
MARKER/21, PART = 2
MARKER/22, PART = 2, QP = 0, 10, 0
GRAPHICS/1, PLANE, RM = 2
GRAPHICS/2, ELLIPSOID, CM = 21, XSCALE = 20, YSCALE = 20, ZSCALE = 20
GRAPHICS/3, ELLIPSOID, CM = 22, XSCALE = 40, YSCALE = 40, ZSCALE = 40
CONTACT/7, IGEOM = {shapes}, JGEOM = 1, IMPACT
, STIFFNESS = 100, DAMPING = 0, DMAX = 0.01, EXPONENT = 1
ACCGRAV/JGRAV = -9806.65
SENSOR/1, FUNCTION = CONTACT(7, {side}, {component}, {marker}), {sense}, VALUE = {value}, HALT
END
"""


@pytest.mark.parametrize("shapes", ["2", "2, 3"])
@pytest.mark.parametrize(("side", "component", "sense"), [(0, 1, "GE"), (1, 3, "LE")])
def test_a_sensor_halts_at_the_force_of_a_contact(shapes, side, component, sense):
    """Fall over 50 mm, then x'' = g - K x from v, where K counts each shape that touches."""
    g, v, total, pairs = 9.80665, np.sqrt(2 * 9.80665 * 0.05), 200.0, 1 + shapes.count(",")
    k = 1e5 * pairs
    w = np.sqrt(k)
    value = total if side == 0 else -total
    text = BALL.format(
        shapes=shapes, side=side, component=component, sense=sense, value=value, marker=0
    )
    recording = run(text, duration=0.2, dt=0.01)
    (one,) = recording.run.conditions[0].occurrences

    def excess(t):
        """Contact force beyond the one that halts, a time t after the touch."""
        return k * (g * (1 - np.cos(w * t)) / w**2 + v * np.sin(w * t) / w) - total

    wanted = v / g + brentq(excess, 0, np.pi / 3 / w, xtol=1e-15)
    assert (one.t, one.recorded) == pytest.approx((wanted,) * 2, abs=1e-11)
