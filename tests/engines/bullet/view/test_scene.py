import numpy as np
import pytest
import trimesh

from sim.engines.bullet import welding
from sim.engines.bullet.view import scene as scenes
from sim.engines.bullet.view.camera import Camera
from sim.engines.bullet.view.scene import Mesh, Scene, obj_text
from sim.errors import EngineError
from sim.maths import pose
from sim.robots import load_robot
from sim.shapes import Visual
from sim.shapes.visuals import visuals
from tests.helpers.small_robots import joint, lift, link, robot

WIDTH, HEIGHT = 80, 60
RED, BLUE = (0.9, 0.0, 0.0, 1.0), (0.0, 0.0, 0.9, 1.0)
TILE = (Visual("load", pose(), "box", size=(0.2, 0.002, 0.2), rgba=RED),)


def seen(scene, target=(0, 0, 0)):
    camera = Camera(np.array(target, dtype=float), 2.0, yaw=0.0, pitch=0.0)
    return scene.picture(camera.view, camera.projection(WIDTH / HEIGHT), WIDTH, HEIGHT)


def middle(mask):
    """Row and column of the middle of what is drawn."""
    return np.argwhere(mask).mean(axis=0)


def expected_row(height, distance=2.0, field_of_view=35.0):
    half = np.tan(np.radians(field_of_view) / 2)
    return HEIGHT / 2 * (1 - height / distance / half) - 0.5


def test_a_tile_is_seen_where_perspective_has_it_and_in_its_colour():
    with Scene() as scene:
        shown = scene.add(lift(1.0), TILE)
        for height in (0.0, 0.3, -0.2):
            scene.place(shown, np.array([height]))
            picture = seen(scene)
            row, column = middle(picture.drawn)
            assert row == pytest.approx(expected_row(height), abs=1.0)  # a pixel
            assert column == pytest.approx(WIDTH / 2 - 0.5, abs=1.0)
            red, green, blue = picture.rgb[picture.drawn].mean(axis=0)
            assert red > 100
            assert max(green, blue) < 30


def test_an_empty_scene_draws_nothing():
    with Scene() as scene:
        assert not seen(scene).drawn.any()


def test_what_is_hidden_is_not_drawn_and_comes_back():
    with Scene() as scene:
        shown = scene.add(lift(1.0), TILE)
        before = seen(scene)
        scene.hide(shown)
        assert not seen(scene).drawn.any()
        scene.hide(shown, hidden=False)
        np.testing.assert_array_equal(seen(scene).rgb, before.rgb)


def test_a_robot_can_be_shown_in_another_colour():
    with Scene() as scene:
        scene.add(lift(1.0), TILE, BLUE)
        picture = seen(scene)
        red, _, blue = picture.rgb[picture.drawn].mean(axis=0)
        assert blue > 100 > red


def test_a_robot_that_is_mounted_elsewhere_is_seen_there():
    with Scene() as scene:
        scene.add(lift(1.0).mounted((0.0, 0.0, 0.3)), TILE)
        assert middle(seen(scene).drawn)[0] == pytest.approx(expected_row(0.3), abs=1.0)


def test_two_scenes_do_not_see_each_other():
    with Scene() as one, Scene() as other:
        one.add(lift(1.0), TILE)
        assert seen(one).drawn.any()
        assert not seen(other).drawn.any()


def test_a_surface_is_drawn_and_written_as_obj_that_others_read():
    box = trimesh.creation.box((0.4, 0.4, 0.2))
    mesh = Mesh(np.array(box.vertices), np.array(box.vertex_normals), np.array(box.faces))
    again = trimesh.load(
        trimesh.util.wrap_as_stream(obj_text(mesh)), file_type="obj", process=False
    )
    assert again.volume == pytest.approx(0.4 * 0.4 * 0.2, rel=1e-8)
    with Scene() as scene:
        shown = scene.add_mesh(mesh, BLUE)
        picture = seen(scene)
        assert middle(picture.drawn)[0] == pytest.approx(HEIGHT / 2 - 0.5, abs=1.0)
        assert picture.rgb[picture.drawn].mean(axis=0)[2] > 100
        scene.hide(shown)
        assert not seen(scene).drawn.any()


def test_a_scene_is_closed_whatever_happens():
    with pytest.raises(ZeroDivisionError), Scene() as scene:
        raise ZeroDivisionError
    assert scene.client == -1
    scene.close()


def test_the_same_scene_gives_the_same_picture_to_the_bit():
    pictures = []
    for _ in range(2):
        with Scene() as scene:
            scene.place(scene.add(lift(1.0), TILE), np.array([0.1]))
            pictures.append(seen(scene).rgb.tobytes())
    assert pictures[0] == pictures[1]


def test_a_shape_that_pybullet_does_not_take_is_an_engine_error(tmp_path):
    strange = tmp_path / "cube.glb"
    strange.write_bytes(b"no mesh")
    with Scene() as scene, pytest.raises(EngineError, match="could not show robot 'small'"):
        scene.add(lift(1.0), (Visual("load", pose(), "mesh", path=strange),))


@pytest.mark.parametrize("most", [13, 6])
def test_a_robot_with_welded_links_looks_as_it_does_without(monkeypatch, most):
    """First only frames without a shape are welded, then all fixed links."""
    plant = load_robot("ur10").with_payload(20.0, (0, 0, 0.2)).mounted((0, 0, -0.5))
    for _ in range(6):
        plant = plant.with_payload(1e-3, frame="tool0")
    shapes = visuals(plant)[:-6]  # six of the payloads are frames here
    pictures = []
    for limit in (127, most):
        monkeypatch.setattr(welding, "MOST_JOINTS", limit)
        monkeypatch.setattr(scenes, "MOST_JOINTS", limit)
        with Scene() as scene:
            shown = scene.add(plant, shapes)
            assert ("payload_2" in shown.poses) == (limit < 127)
            assert ("payload" in shown.poses) == (limit == 6)
            scene.place(shown, np.array([0.3, -1.0, 1.2, 0.4, -0.5, 0.6]))
            pictures.append(seen(scene))
    assert pictures[0].drawn.mean() > 0.02
    # single precision: a pixel at an edge may be another
    assert np.mean(pictures[0].drawn != pictures[1].drawn) < 2e-3
    apart = np.abs(pictures[0].rgb.astype(float) - pictures[1].rgb).max(axis=-1) > 30
    assert np.mean(apart) < 2e-3


def plate(link, rgba):
    return Visual(link, pose(), "box", size=(0.2, 0.002, 0.1), rgba=rgba)


def test_a_link_of_hundreds_that_are_fixed_is_seen_and_can_be_hidden_by_itself():
    step = '<origin xyz="0 0 0.001"/>'
    parts = [link("load", 1.0), joint("slide", "prismatic", "ground", "load", "0 0 1")]
    for k in range(300):
        above = "load" if k == 0 else f"l{k - 1}"
        parts += [link(f"l{k}", 0.1), joint(f"j{k}", "fixed", above, f"l{k}", "1 0 0", step)]
    dots = [Visual(f"l{k}", pose(), "sphere", size=(1e-4,)) for k in range(298)]
    with Scene() as scene:
        shapes = [*dots, plate("l299", RED), plate("l100", BLUE)]
        shown = scene.add(robot(*parts), shapes, keep_separate=("l299",))
        assert "l100" in shown.poses
        assert "l299" not in shown.poses
        scene.place(shown, np.array([0.05]))
        rgb = seen(scene).rgb.astype(int)
        for channel, height in ((0, 0.05 + 0.3), (2, 0.05 + 0.101)):
            row, column = middle(rgb[..., channel] > 100 + rgb[..., 2 - channel])
            assert row == pytest.approx(expected_row(height), abs=1.0)  # a pixel
            assert column == pytest.approx(WIDTH / 2 - 0.5, abs=1.0)
        scene.show(shown, {"l299": False})
        rgb = seen(scene).rgb.astype(int)
        assert not (rgb[..., 0] > 100 + rgb[..., 2]).any()
        assert (rgb[..., 2] > 100 + rgb[..., 0]).any()


def test_hundreds_of_shapes_on_one_link_are_all_drawn():
    """Slats side by side look like one board of their width."""
    n, wide = 400, 0.00125
    slats = [
        Visual(
            "load", pose(position=((k - (n - 1) / 2) * wide, 0, 0)), "box", size=(wide, 0.01, 0.1)
        )
        for k in range(n)
    ]
    drawn = []
    for shapes in (slats, [Visual("load", pose(), "box", size=(n * wide, 0.01, 0.1))]):
        with Scene() as scene:
            scene.add(lift(1.0), shapes)
            drawn.append(seen(scene).drawn)
    assert drawn[1].any(axis=0).sum() > WIDTH // 4
    np.testing.assert_array_equal(*drawn)
