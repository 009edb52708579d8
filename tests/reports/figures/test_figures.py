import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest

import sim
from sim.motion import JointMotion
from sim.reports.figures.figures import model_of, write_figures
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import short_run, spoiled, with_settings
from tests.helpers.small_robots import cylindrical, geared, lift

NAMES = ("velocity", "kinetic_energy", "torque", "torque_speed")
SERIES = NAMES[:3]  # curves over time
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    write_figures(short_run(), folder)
    return folder


def words(path):
    """All text of an SVG."""
    return [" ".join(element.itertext()).strip() for element in ET.parse(path).iter(f"{SVG}text")]


def test_the_figures_are_written_as_png_and_svg_and_nothing_else(folder):
    wanted = {f"{name}.{suffix}" for name in NAMES for suffix in ("png", "svg")}
    assert {path.name for path in folder.iterdir()} == wanted


@pytest.mark.usefixtures("without_png")
def test_the_paths_are_returned(tmp_path):
    written = write_figures(short_run(), tmp_path)
    assert sorted(written) == sorted(tmp_path.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_a_png_decodes_and_shows_something(folder, name):
    image = plt.imread(folder / f"{name}.png")
    height, width = image.shape[:2]
    assert 200 <= height <= 3000
    assert 400 <= width <= 3000
    ink = np.mean(np.any(image[:, :, :3] < 0.9, axis=2))
    assert 0.005 < ink < 0.5
    # both curves: blue for the recorded, black for the analytic
    red, green, blue = (image[:, :, k] for k in range(3))
    assert np.sum((blue - red > 0.25) & (blue > green)) > 500
    assert np.sum((red < 0.15) & (green < 0.15) & (blue < 0.15)) > 200


@pytest.mark.parametrize("name", SERIES)
def test_an_svg_is_well_formed_and_names_what_it_shows(folder, name):
    text = words(folder / f"{name}.svg")
    things = (
        ("shoulder", "elbow") if name != "kinetic_energy" else ("upper arm", "forearm", "payload")
    )
    model = "prescribed" if name == "velocity" else "analytic (Lagrange)"
    for thing in (*things, "time [s]", "recorded (PyBullet)", model):
        assert thing in text
    unit = {"velocity": "[deg/s]", "kinetic_energy": "[J]", "torque": "[N·m]"}[name]
    assert any(line.startswith("swing: ") and line.endswith(unit) for line in text)


def curves(path, color):
    """Points of the long curves of one colour in an SVG, an array (N, 2) each [pt]."""
    drawn = (element.attrib for element in ET.parse(path).iter(f"{SVG}path"))
    long = [a["d"] for a in drawn if f"stroke: {color}" in a.get("style", "") and len(a["d"]) > 500]
    return [np.array(re.findall(r"-?[\d.]+", d), dtype=float).reshape(-1, 2) for d in long]


@pytest.mark.parametrize("name", SERIES)
def test_the_recorded_curve_lies_on_the_analytic_one_and_neither_is_flat(folder, name):
    recorded, analytic = (curves(folder / f"{name}.svg", c) for c in ("#0072b2", "#000000"))
    assert len(recorded) == len(analytic) == (3 if name == "kinetic_energy" else 2)
    for blue, black in zip(recorded, analytic, strict=True):
        t = np.linspace(blue[0, 0], blue[-1, 0], 50)
        heights = [np.interp(t, curve[:, 0], curve[:, 1]) for curve in (blue, black)]
        assert np.max(np.abs(heights[0] - heights[1])) < 0.5  # [pt]
        assert np.ptp(heights[0]) > 20


def test_a_curve_has_the_shape_of_its_channel(folder):
    (_, elbow) = curves(folder / "torque.svg", "#0072b2")
    tau = short_run().recorded["tau.elbow"].to_numpy()
    t = np.linspace(0, 1, 60)
    drawn = np.interp(t, (elbow[:, 0] - elbow[0, 0]) / np.ptp(elbow[:, 0]), -elbow[:, 1])
    wanted = np.interp(t, np.linspace(0, 1, tau.size), tau)
    unit = [(y - y.min()) / np.ptp(y) for y in (drawn, wanted)]
    assert np.max(np.abs(unit[0] - unit[1])) < 0.01


@pytest.mark.parametrize(
    ("name", "channel", "scale", "unit"),
    [
        ("velocity", "qd.elbow", 180 / math.pi, "deg/s"),
        ("torque", "tau.elbow", 1.0, "N·m"),
        ("kinetic_energy", "ke.forearm", 1.0, "J"),
    ],
)
def test_peak_and_error_are_written_with_the_unit_of_the_axis(folder, name, channel, scale, unit):
    values = short_run().recorded[channel].to_numpy()
    error = scale * np.max(np.abs(values - short_run().analytic[channel].to_numpy()))
    peak = scale * values[np.abs(values).argmax()]
    at = short_run().t[np.abs(values).argmax()]
    wanted = f"peak {peak:.4g} {unit} at {at:.2f} s · error {error:.1g} {unit}"
    assert wanted.replace("-", "−") in words(folder / f"{name}.svg")


@pytest.mark.usefixtures("without_png")
def test_the_same_run_gives_the_same_svg_byte_by_byte(folder, tmp_path):
    write_figures(short_run(), tmp_path)
    for name in NAMES:
        assert (tmp_path / f"{name}.svg").read_bytes() == (folder / f"{name}.svg").read_bytes()


@pytest.mark.usefixtures("without_png")
def test_another_run_gives_another_svg(folder, tmp_path):
    write_figures(spoiled(short_run(), "tau.elbow", 5.0, 100), tmp_path)
    assert (tmp_path / "torque.svg").read_bytes() != (folder / "torque.svg").read_bytes()
    assert (tmp_path / "velocity.svg").read_bytes() == (folder / "velocity.svg").read_bytes()


def test_drawing_leaves_the_users_own_settings_and_figures_alone(tmp_path):
    before = dict(plt.rcParams)
    write_figures(short_run(), tmp_path)
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == []


@pytest.mark.usefixtures("without_png")
def test_a_robot_with_one_slide_is_drawn_in_metres_and_newtons(tmp_path):
    scenario = Scenario(lift(3.0), JointMotion.velocity({"slide": "0.2"}), 0.05)
    write_figures(run(scenario, name="lift"), tmp_path)
    assert "lift: Joint velocities [m/s]" in words(tmp_path / "velocity.svg")
    assert "lift: Joint torques [N]" in words(tmp_path / "torque.svg")


@pytest.mark.usefixtures("without_png")
def test_joints_that_turn_and_slide_have_their_own_units(tmp_path):
    motion = JointMotion.velocity({"turn": "0.5", "slide": "0.2"})
    write_figures(run(Scenario(cylindrical(), motion, 0.05), name="both"), tmp_path)
    text = words(tmp_path / "velocity.svg")
    assert "both: Joint velocities [rad/s, m/s]" in text
    peaks = [line.split()[1:3] for line in text if line.startswith("peak ")]
    assert peaks == [["0.5", "rad/s"], ["0.2", "m/s"]]


@pytest.mark.parametrize(
    ("free", "group", "said"),
    [
        ((), "q", "prescribed"),
        ((), "tau", "analytic (Lagrange)"),
        (("elbow",), "qd", "prescribed, where free Lagrange"),
        (("shoulder", "elbow"), "qd", "analytic (Lagrange)"),
    ],
)
def test_a_motion_that_is_given_is_called_prescribed(free, group, said):
    assert model_of(group, with_settings(short_run(), free=free)) == said


@pytest.mark.usefixtures("without_png")
def test_a_joint_that_follows_is_drawn_where_it_has_a_curve(tmp_path):
    scenario = Scenario(geared(1.0, 1.0, 2.0), JointMotion.velocity({"input": "1"}), 0.05)
    write_figures(run(scenario), tmp_path)
    assert {"input", "output"} <= set(words(tmp_path / "velocity.svg"))
    assert "output" not in words(tmp_path / "torque.svg")


@pytest.mark.rotates(2)
@pytest.mark.usefixtures("without_png")
@pytest.mark.parametrize("count", [1, 2, 4, 5, 7, 8])
def test_any_number_of_curves_has_a_place(tmp_path, count):
    good = short_run()
    table = good.recorded.assign(**{f"ke.body_{k}": good.recorded["ke"] for k in range(count)})
    table = table.drop(columns=["ke.upper_arm", "ke.forearm", "ke.payload"])
    write_figures(replace(good, recorded=table, analytic=table), tmp_path)
    text = words(tmp_path / "kinetic_energy.svg")
    assert [f"body {k}" in text for k in range(count)] == [True] * count


@pytest.mark.usefixtures("without_png")
def test_of_many_curves_the_largest_are_drawn_and_the_title_says_so(tmp_path):
    good, count = short_run(), 20
    table = good.recorded.assign(
        **{f"ke.body_{k}": (k + 1) * good.recorded["ke"] for k in range(count)}
    )
    table = table.drop(columns=["ke.upper_arm", "ke.forearm", "ke.payload"])
    write_figures(replace(good, recorded=table, analytic=table), tmp_path)
    text = words(tmp_path / "kinetic_energy.svg")
    assert [f"body {k}" in text for k in range(count)] == [False] * 8 + [True] * 12
    wanted = "swing: Kinetic energy of the links, the 12 of 20 with the largest peaks [J]"
    assert wanted in text


def test_values_that_are_no_numbers_do_not_stop_the_drawing(tmp_path):
    broken = spoiled(short_run(), "tau.elbow", math.nan, 100)
    table = broken.recorded.assign(**{"ke.forearm": math.nan})
    write_figures(replace(broken, recorded=table), tmp_path)
    assert len(list(tmp_path.iterdir())) == 8


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path):
    with pytest.raises(sim.SimError, match=r"Cannot write .*nowhere"):
        write_figures(short_run(), tmp_path / "nowhere")
