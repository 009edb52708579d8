"""Results of ADAMS beside a deck's run, by the names of parts, joints, motions and VARIABLEs."""

import numpy as np
import pytest

from sim.cli.command import status
from sim.recording import Recording

# A disc that turns about z of the world, at a point 0.3 m off its mass centre; no gravity.
DISC = """a disc about an axis beside its centre
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
!                     adams_view_name='disc'
PART/2, MASS = 2, CM = 20, IP = 1E4, 1E4, 3E4, QG = 100, 0, 0
MARKER/20, PART = 2, QP = 200, 0, 0
MARKER/21, PART = 2, QP = -100, 0, 0
!                     adams_view_name='pin'
JOINT/1, REVOLUTE, I = 21, J = 10
!                     adams_view_name='drive'
MOTION/1, JOINT = 1, ROTATIONAL, VELOCITY, FUNCTION = 1440D*TIME
!                     adams_view_name='push'
SFORCE/1, ROTATIONAL, I = 21, J = 10, ACTIONONLY, FUNCTION = 500*TIME
!                     adams_view_name='way'
VARIABLE/1, FUNCTION = DX(20,10)
!                     adams_view_name='load'
VARIABLE/2, FUNCTION = 2*MOTION(1,0,8,0)
POUTPUT/1, VARIABLES = 1, 2
END
"""
DURATION, DT = 1.0, 0.01
T = np.arange(0, 101) * DT
W_DOT = np.radians(1440.0)  # rad/s²
ANGLE, RATE = 0.5 * W_DOT * T**2, W_DOT * T
COS, SIN, M = np.cos(ANGLE), np.sin(ANGLE), 2.0
# about the pin: J = 0.03 kg·m² + 2 kg (0.3 m)², of which the force of 500 N·mm/s t gives a share
TORQUE = 1e3 * (0.03 + M * 0.3**2) * W_DOT - 500 * T  # N·mm

EXPECTED = {
    "disc_XFORM.X": (100 * COS, "mm"),
    "disc_XFORM.Y": (100 * SIN, "mm"),
    "disc_XFORM.VX": (-100 * RATE * SIN, "mm/sec"),
    "disc_XFORM.WZ": (RATE, "rad/sec"),
    "disc_XFORM.ACCY": (100 * (W_DOT * COS - RATE**2 * SIN), "mm/sec**2"),
    "disc_XFORM.WDZ": (np.full(T.size, W_DOT), "rad/sec**2"),
    "PIN.FX": (M * 0.3 * (-W_DOT * SIN - RATE**2 * COS), "newton"),
    "pin.FY": (M * 0.3 * (W_DOT * COS - RATE**2 * SIN), "newton"),
    "drive.TZ": (TORQUE, "newton-mm"),
    "push.TZ": (500 * T, "newton-mm"),
    "way.Q": (300 * COS, "no_units"),
    "load.Q": (2 * TORQUE, "no_units"),
}
# Angles of one orientation: whole turns are left out, or the turn is PHI's, as THETA is 0.
TURNS = {
    "wrapped": (np.mod(ANGLE, 2 * np.pi), 0 * T, 0 * T),
    "the last angle": (0 * T, 0 * T, np.mod(ANGLE + np.pi, 2 * np.pi) - np.pi),
    "both": (ANGLE - 1.0, 0 * T, 0 * T + 1.0),
}


def results(columns):
    """A result file of ADAMS in XML."""
    entities = {}
    for place, (title, (_, unit)) in enumerate(columns.items(), 2):
        entity, component = title.split(".")
        row = f'<Component name="{component}" unitsValue="{unit}" id="{place}" />'
        entities.setdefault(entity, []).append(row)
    head = '<Entity name="time"><Component name="TIME" unitsValue="sec" id="1" /></Entity>'
    maps = head + "".join(f'<Entity name="{e}">{"".join(r)}</Entity>' for e, r in entities.items())
    rows = np.stack([T, *(values for values, _ in columns.values())], axis=1)
    steps = "".join(
        f'<Step type="dynamic">{" ".join(map(repr, row.tolist()))}</Step>' for row in rows
    )
    return (
        '<Results xmlns="http://www.mscsoftware.com/:xrf10"><Analysis name="run" Solver="Adams">'
        f'<StepMap name="m">{maps}</StepMap><Data name="d" id="1">{steps}</Data>'
        "</Analysis></Results>"
    )


@pytest.fixture
def disc(make_once):
    """The run of the disc, without a request of its own."""

    def fill(folder):
        folder.mkdir()
        (folder / "disc.adm").write_text(DISC, encoding="utf-8")
        short = ("--set", f"duration={DURATION}", "--set", f"dt={DT}", "--no-report")
        assert status(["run", str(folder / "disc.adm"), "--out", str(folder / "run"), *short]) == 0

    return make_once("disc-of-results", fill)


def compared(sim_command, disc, tmp_path, columns, *more):
    (tmp_path / "disc.res").write_text(results(columns), encoding="utf-8")
    return sim_command("compare", str(disc / "run"), "disc.res", "--json", *more)


def test_a_result_file_is_compared_by_its_own_names(sim_command, disc, tmp_path):
    done = compared(sim_command, disc, tmp_path, EXPECTED, "--rtol", "1e-6")
    assert done.status == 0, done.err + done.out
    channels = {one["channel"] for one in done.document["differences"]}
    assert channels >= {"part.disc.x", "part.disc.wdz", "result.pin.FX", "result.drive.TZ"}
    assert channels >= {"variable.way", "variable.load", "result.push.TZ"}
    assert len(channels) == len(EXPECTED)


@pytest.mark.parametrize("title", EXPECTED)
def test_a_curve_that_is_another_is_seen(sim_command, disc, tmp_path, title):
    values, unit = EXPECTED[title]
    wrong = values + 0.01 * np.max(np.abs(values)) * (1 + T)
    done = compared(sim_command, disc, tmp_path, {title: (wrong, unit)})
    assert done.status == 1
    assert [one["ok"] for one in done.document["differences"]] == [False]


@pytest.mark.parametrize("turns", TURNS)
def test_angles_of_a_part_are_compared_as_one_orientation(sim_command, disc, tmp_path, turns):
    named = zip(("PSI", "THETA", "PHI"), TURNS[turns], strict=True)
    columns = {f"disc_XFORM.{name}": (values, "rad") for name, values in named}
    done = compared(sim_command, disc, tmp_path, columns, "--rtol", "1e-6")
    assert done.status == 0, done.out
    notes = done.document["notes"]
    assert any(
        "part.disc: external psi, theta and phi are converted to the equivalent angles" in n
        for n in notes
    )
    psi, _ = columns["disc_XFORM.PSI"]
    columns["disc_XFORM.PSI"] = (psi + 0.02 * T, "rad")
    assert compared(sim_command, disc, tmp_path, columns).status == 1


def test_an_angle_that_is_wrapped_is_explained(sim_command, disc, tmp_path):
    """Two turns of a hinge in a column that stays within one."""
    columns = {"disc_XFORM.X": EXPECTED["disc_XFORM.X"], "a.b": (np.mod(ANGLE, 2 * np.pi), "rad")}
    done = compared(sim_command, disc, tmp_path, columns, "--map", "a.b=q.pin")
    (note,) = (one for one in done.document["notes"] if "is wrapped" in one)
    assert note.startswith("q.pin: the external curve is wrapped to 0 … 6.158 rad")
    assert "is -2 to 0 whole turns, first changing at t = 0.71 s" in note
    assert done.status == 1


def test_a_run_is_judged_by_a_result_file(sim_command, tmp_path):
    """As by any reference: what it names is recorded then."""
    (tmp_path / "disc.adm").write_text(DISC, encoding="utf-8")
    (tmp_path / "disc.res").write_text(results(EXPECTED), encoding="utf-8")
    asked = ("run", "disc.adm", "--set", "duration=0.2", "--no-report", "--out", "out")
    done = sim_command(*asked, "--reference", "disc.res")
    assert done.status == 0, done.err + done.out
    recording = Recording.read(tmp_path / "out")
    assert recording.units["part.disc.x"] == "m"
    kept = recording.analytic["part.disc.x"].to_numpy()
    assert kept == pytest.approx(0.1 * COS[:21], abs=1e-12)
    assert sim_command("check", "out").status == 0


def test_parts_are_recorded_on_request(sim_command, tmp_path):
    (tmp_path / "disc.adm").write_text(DISC, encoding="utf-8")
    short = ("--set", "duration=0.5", "--no-report")
    done = sim_command("run", "disc.adm", *short, "--parts", "DISC", "--out", "out")
    assert done.status == 0, done.err
    recording, n = Recording.read(tmp_path / "out"), 51
    zero = 0 * T[:n]
    own = {
        "x": 0.1 * COS, "y": 0.1 * SIN, "z": 0 * T, "vx": -0.1 * RATE * SIN,
        "vy": 0.1 * RATE * COS, "wz": RATE, "wdz": W_DOT + 0 * T,
        "ax": 0.1 * (-W_DOT * SIN - RATE**2 * COS),
        "qz": np.sin(ANGLE / 2), "qw": np.cos(ANGLE / 2), "qx": 0 * T,
    }  # fmt: skip
    for component, values in own.items():
        found = recording.analytic[f"part.disc.{component}"].to_numpy()
        assert found == pytest.approx(values[:n], abs=1e-11), component
    assert recording.recorded["part.disc.vz"].to_numpy() == pytest.approx(zero, abs=1e-12)
    assert recording.units["part.disc.ax"] == "m/s²"
    again = sim_command("run", "--from", "out", "--no-report", "--json")
    assert again.document["repeats"]["same"] is True
    refused = sim_command("run", "disc.adm", *short, "--parts", "wheel")
    assert (refused.status, "there is no part 'wheel'; " in refused.err) == (2, True)


def test_a_converted_deck_has_the_names_too(sim_command, tmp_path):
    (tmp_path / "disc.adm").write_text(DISC, encoding="utf-8")
    (tmp_path / "disc.res").write_text(results(EXPECTED), encoding="utf-8")
    assert sim_command("convert", "disc.adm", "own").status == 0
    asked = ("run", "own/disc.py", "--set", "duration=0.2", "--no-report", "--out", "out")
    assert sim_command(*asked).status == 0
    assert sim_command("compare", "out", "disc.res", "--rtol", "1e-6").status == 0
