import io
import math
from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

from sim.recording.plot_style import STYLE
from sim.reports.figures.torque_speed import RATED, RECORDED, RMS, torque_speed_figure
from tests.helpers.short_runs import short_run, spoiled
from tests.helpers.synthetic_runs import joint, recording

T = np.linspace(0.0, 1.0, 1001)
TORQUE, SPEED = 30.0, 2.0


def run(*joints, **facts):
    """Drives whose torque is a quarter of a period ahead of their speed: an ellipse."""
    columns = {}
    for one in joints:
        columns |= {
            f"tau.{one.name}": TORQUE * np.cos(2 * np.pi * T),
            f"qd.{one.name}": SPEED * np.sin(2 * np.pi * T),
        }
    return recording(T, columns, *joints, **facts)


def panels(figure):
    return [axis for axis in figure.axes if axis.get_visible()]


def lines(axis, color):
    return [line for line in axis.lines if line.get_color() == color]


def words(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def test_the_path_goes_through_speed_and_torque_in_the_units_of_the_labels():
    (axis,) = panels(torque_speed_figure(run(joint("elbow_joint"))))
    path = lines(axis, RECORDED)[0]
    x, y = path.get_xdata(), path.get_ydata()
    np.testing.assert_allclose(
        (x / math.degrees(SPEED)) ** 2 + (y / TORQUE) ** 2, 1, rtol=0, atol=1e-12
    )
    assert (x[0], y[0]) == (0.0, TORQUE)
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("speed [deg/s]", "torque [N·m]")
    assert axis.get_title("left") == "elbow"


def test_a_slide_is_drawn_in_metres_and_newtons():
    (axis,) = panels(torque_speed_figure(run(joint("z", "prismatic"))))
    assert max(lines(axis, RECORDED)[0].get_xdata()) == pytest.approx(SPEED)
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("speed [m/s]", "force [N]")


def test_the_rated_envelope_is_a_rectangle_and_in_sight():
    figure = torque_speed_figure(run(joint("a", effort=50.0, velocity=3.0)))
    (axis,) = panels(figure)
    (envelope,) = lines(axis, RATED)
    x, y = envelope.get_xdata(), envelope.get_ydata()
    assert sorted(set(np.round(x, 9))) == pytest.approx([-math.degrees(3), math.degrees(3)])
    assert sorted(set(y)) == [-50.0, 50.0]
    assert axis.get_xlim()[1] > math.degrees(3)
    assert axis.get_ylim()[1] > 50.0
    assert axis.get_title("right") == "60 % of torque, 67 % of speed"
    assert "rated" in words(figure)


@pytest.mark.parametrize(
    ("facts", "said"), [({"effort": 50.0}, "60 % of torque"), ({"velocity": 3.0}, "67 % of speed")]
)
def test_one_rating_alone_is_drawn_as_its_two_lines(facts, said):
    (axis,) = panels(torque_speed_figure(run(joint("a", **facts))))
    limit = 50.0 if "effort" in facts else math.degrees(3)
    ends = [
        (line.get_ydata() if "effort" in facts else line.get_xdata())[0]
        for line in lines(axis, RATED)
    ]
    assert sorted(ends) == pytest.approx([-limit, limit])
    assert axis.get_title("right") == said


def test_a_drive_without_ratings_has_no_envelope():
    figure = torque_speed_figure(run(joint("a")))
    assert lines(panels(figure)[0], RATED) == []
    assert panels(figure)[0].get_title("right") == "not rated"
    assert "rated" not in words(figure)


def test_a_rating_far_beyond_the_run_does_not_make_it_a_dot():
    (axis,) = panels(torque_speed_figure(run(joint("a", effort=1000.0, velocity=3.0))))
    assert axis.get_ylim()[1] == pytest.approx(1.1 * TORQUE)
    assert axis.get_xlim()[1] > math.degrees(3)
    assert axis.get_title("right").startswith("3 % of torque")


def test_the_rms_torque_is_drawn_on_both_sides():
    (axis,) = panels(torque_speed_figure(run(joint("a"))))
    heights = sorted(line.get_ydata()[0] for line in lines(axis, RMS))
    assert heights == pytest.approx([-TORQUE / math.sqrt(2), TORQUE / math.sqrt(2)], rel=1e-9)


def test_peaks_are_marked_where_they_are():
    """A power of A B/2 sin(2 w t) is highest at an eighth of the period."""
    (axis,) = panels(torque_speed_figure(run(joint("a"))))
    marks = {
        line.get_label(): (abs(line.get_xdata()[0]), abs(line.get_ydata()[0]))
        for line in lines(axis, RECORDED)
        if line.get_marker() != "None"
    }
    full, half = math.degrees(SPEED), math.sqrt(0.5)
    assert marks["peak torque"] == pytest.approx((0.0, TORQUE), abs=0.2)
    assert marks["peak speed"] == pytest.approx((full, 0.0), abs=0.2)
    assert marks["peak power"] == pytest.approx((full * half, TORQUE * half), rel=1e-6)


def test_the_quadrants_in_which_a_drive_brakes_are_shaded():
    (axis,) = panels(torque_speed_figure(run(joint("a"))))
    centres = [shade.get_paths()[0].get_extents() for shade in axis.collections]
    signs = {(np.sign(box.x0 + box.x1), np.sign(box.y0 + box.y1)) for box in centres}
    assert signs == {(1, -1), (-1, 1)}


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 7])
def test_any_number_of_drives_has_a_place(count):
    joints = [joint(f"joint_{k}", effort=50.0) for k in range(count)]
    figure = torque_speed_figure(run(*joints))
    names = [axis.get_title("left") for axis in panels(figure)]
    assert names == [f"joint {k}" for k in range(count)]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_title_legend_and_panels_are_inside_the_paper_and_apart(count):
    joints = [joint(f"shoulder_{k}_joint", effort=50.0, velocity=3.0) for k in range(count)]
    with mpl.rc_context(STYLE):
        figure = torque_speed_figure(run(*joints))
        figure.canvas.draw()
    (legend,), (title,) = figure.legends, figure.texts
    width, height = figure.bbox.size
    boxes = [title.get_window_extent(), legend.get_window_extent()]
    boxes += [axis.get_tightbbox() for axis in panels(figure)]
    for k, box in enumerate(boxes):
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= width
        assert box.y1 <= height
        assert not any(box.overlaps(other) for other in boxes[:k])
    for axis in panels(figure):
        name, used = (
            next(t for t in axis.get_children() if isinstance(t, Text) and t.get_text() == words)
            for words in (axis.get_title("left"), axis.get_title("right"))
        )
        assert name.get_window_extent().x1 < used.get_window_extent().x0


def test_free_joints_and_followers_have_no_panel():
    joints = (joint("a"), joint("free"), joint("follower", mimic="a"))
    figure = torque_speed_figure(run(*joints, free=("free",)))
    assert [axis.get_title("left") for axis in panels(figure)] == ["a"]
    assert torque_speed_figure(run(joint("free"), free=("free",))) is None


def test_a_png_decodes_and_shows_path_envelope_and_rms():
    with mpl.rc_context(STYLE):
        out = io.BytesIO()
        torque_speed_figure(short_run()).savefig(out, format="png", dpi=130)
    image = plt.imread(io.BytesIO(out.getvalue()))
    red, green, blue = (image[:, :, k] for k in range(3))
    assert np.sum((blue - red > 0.25) & (blue > green)) > 300
    assert np.sum((red - blue > 0.4) & (red > green)) > 300
    assert np.sum((green - red > 0.3) & (green > blue)) > 100


def test_the_title_names_the_run_and_the_users_own_settings_stay():
    before = dict(plt.rcParams)
    figure = torque_speed_figure(short_run())
    assert [text.get_text() for text in figure.texts] == ["swing: Torque over speed"]
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == []


def test_values_that_are_no_numbers_and_drives_that_rest_do_not_stop_the_drawing():
    broken = spoiled(short_run(), "tau.elbow", math.nan, 100)
    still = run(joint("a", effort=5.0, velocity=1.0))
    still.recorded.loc[:, ["tau.a", "qd.a"]] = 0.0
    for one in (broken, still):
        torque_speed_figure(one).savefig(io.BytesIO(), format="png")


def test_of_many_drives_those_with_the_largest_torques_are_drawn_and_the_title_says_so():
    many = run(*(joint(f"j{k}") for k in range(15)))
    strong = many.recorded.assign(**{f"tau.j{k}": many.recorded[f"tau.j{k}"] * 9 for k in (13, 14)})
    figure = torque_speed_figure(replace(many, recorded=strong))
    titles = [axis.get_title("left") for axis in panels(figure)]
    assert titles == [*(f"j{k}" for k in range(10)), "j13", "j14"]
    assert "the 12 of 15 with the largest peaks" in figure.texts[0].get_text()
