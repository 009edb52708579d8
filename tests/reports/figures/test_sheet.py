import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sim.recording.plot_style import STYLE
from sim.reports.figures.figures import write_figures
from sim.reports.figures.sheet import Numbers, Panels, fit_text, settle, width_of, write_legend
from tests.helpers.drawn_texts import collisions, drawn_texts
from tests.helpers.short_runs import short_run
from tests.helpers.synthetic_runs import joint, recording

T = np.linspace(0.0, 5.0, 501)


@pytest.fixture
def drawn(monkeypatch):
    """The figures that were written, by name."""
    kept, save = {}, Figure.savefig

    def savefig(figure, path, **options):
        kept[path.stem] = figure
        if path.suffix == "png":
            save(figure, path, **options)
        else:
            path.write_text("")

    monkeypatch.setattr(Figure, "savefig", savefig)
    return kept


def run(names, size, shift=0.0, **facts):
    """Joints that swing by `size` about `shift`, in all channels that are drawn."""
    wave = shift + size * np.sin(2 * np.pi * T)
    groups = ("q", "qd", "tau", "ke", "power")
    columns = {f"{group}.{name}": wave for group in groups for name in names}
    path = {f"{frame}.{c}": wave for frame in ("tool", "target") for c in "xyz"}
    return recording(T, columns | path, *(joint(name, **facts) for name in names))


def all_collisions(figures):
    return {name: found for name, figure in figures.items() if (found := collisions(figure))}


@pytest.mark.rotates(3)
@pytest.mark.parametrize(
    ("names", "size", "shift"),
    [
        (["hinge"], 0.0, 0.0),
        (["hinge"], 4e-4, 0.0),
        (["hinge"], 1.3e-12, 0.0),
        (["hinge"], 8.4e11, 0.0),
        (["hinge"], 2e-3, -1234.5),
        ([f"shoulder_{k}_joint" for k in range(2)], 987.6, 0.0),
        ([f"shoulder_{k}_joint" for k in range(7)], 3e-5, -0.1),
        (["the_first_of_all_the_joints_of_an_arm_of_a_palletizer_joint"], 30.0, 0.0),
        ([f"a_rather_long_name_of_a_joint_of_an_arm_{k}" for k in range(5)], 30.0, 0.0),
    ],
)
def test_no_text_is_cut_and_none_lies_over_another(drawn, tmp_path, names, size, shift):
    made = run(names, size, shift, effort=50.0, velocity=3.0)
    write_figures(made.with_description(scenario="a_scenario_of_some_length"), tmp_path)
    assert set(drawn) == {
        *("position", "velocity", "kinetic_energy", "torque", "path", "torque_speed")
    }
    assert all_collisions(drawn) == {}


def test_the_figures_of_a_run_have_no_collisions_in_a_wider_font(drawn, tmp_path):
    with mpl.rc_context({"font.family": "DejaVu Sans Mono"}):
        write_figures(short_run(), tmp_path)
    assert all_collisions(drawn) == {}


def test_a_title_of_a_long_scenario_is_shortened_or_the_sheet_is_wide(drawn, tmp_path):
    write_figures(run(["hinge"], 1.0).with_description(scenario="swing_" * 40), tmp_path)
    for figure in drawn.values():
        assert collisions(figure) == []
        assert figure.get_figwidth() < 12


def test_a_collision_is_seen():
    """The oracle of this file can see what it looks for."""
    figure = Figure(figsize=(2, 2))
    axis = figure.add_axes((0.0, 0.2, 0.9, 0.6))
    axis.set_title("a title", loc="left")
    axis.set_title("another one of some length", loc="right")
    found = " ".join(collisions(figure))
    assert "is cut" in found
    assert "'a title' lies over 'another one of some length'" in found


@pytest.mark.parametrize(
    ("ticks", "labels"),
    [
        ([-1200, 0, 1200], ["−1200", "0", "1200"]),
        ([0, 0.25, 0.5], ["0.00", "0.25", "0.50"]),
        ([-1e-3, -5e-4, 0, 5e-4], ["−1e−3", "−5e−4", "0", "5e−4"]),
        ([0, 2.5e-13, 5e-13], ["0", "2.5e−13", "5e−13"]),
        ([-2e5, 0, 2e5], ["−2e5", "0", "2e5"]),
        ([-1234.502, -1234.5], ["−1234.502", "−1234.500"]),
        ([0], ["0"]),
        ([3], ["3"]),
        ([], []),
    ],
)
def test_tick_labels_have_no_factor_beside_them_and_tell_ticks_apart(ticks, labels):
    assert Numbers().format_ticks(ticks) == labels


@pytest.mark.parametrize("seed", range(5))
def test_a_tick_label_reads_as_its_tick(seed):
    random = np.random.default_rng(seed)
    step = random.choice([1, 2, 2.5, 5]) * 10.0 ** random.integers(-14, 9)
    ticks = step * (random.integers(-40, 40) + np.arange(6))
    read = [float(label.replace("−", "-")) for label in Numbers().format_ticks(ticks)]
    np.testing.assert_allclose(read, ticks, rtol=0, atol=1e-2 * step)


@pytest.mark.parametrize("weight", ["normal", "bold"])
@pytest.mark.parametrize("text", ["−0.0010", "peak 21.04 N·m at 0.80 s", "shoulder pan"])
def test_a_width_is_that_of_the_renderer(text, weight):
    figure = Figure(dpi=720)
    figure.text(0.1, 0.5, text, fontsize=9, fontweight=weight)
    ((_, box),) = drawn_texts(figure)
    # side bearings and kerning: a hair of one letter
    assert width_of(text, 9, weight) == pytest.approx(box.width / 720, abs=0.03)


def test_a_name_without_room_is_cut_where_names_are_alike():
    assert fit_text("elbow", 3.0) == "elbow"
    short = fit_text("a" * 1000, 1.0)
    assert 0.8 < width_of(short) <= 1.0
    names = [f"an arm with a very long name, shoulder {which}" for which in ("pan", "lift")]
    pan, lift = (fit_text(name, 1.4) for name in names)
    assert (pan[:2], pan[-4:], lift[-5:]) == ("an", " pan", " lift")
    assert pan.count("…") == lift.count("…") == 1


def test_panels_have_the_size_that_was_asked_for():
    figure = Figure()
    axes = list(figure.subplots(2, 2).flat)
    for axis in axes:
        axis.plot([0, 1], [0, 1e-7])
    settle(figure, axes, Panels(2, 3.0, 1.5, above=0.4), "a title")
    width, height = figure.get_size_inches()
    for axis in axes:
        place = axis.get_position()
        assert place.width * width == pytest.approx(3.0)
        assert place.height * height == pytest.approx(1.5)
    assert collisions(figure) == []


def test_a_legend_is_read_row_by_row():
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 3))
        axis = figure.add_axes((0.1, 0.1, 0.8, 0.5))
        lines = [axis.plot([0, k])[0] for k in range(5)]
        write_legend(figure, lines, [f"line {k}" for k in range(5)], columns=3)
        FigureCanvasAgg(figure).draw()
    places = [text.get_window_extent() for text in figure.legends[0].get_texts()]
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    order = sorted(range(5), key=lambda k: (-round(places[k].y0), places[k].x0))
    assert [words[k] for k in order] == [f"line {k}" for k in range(5)]
