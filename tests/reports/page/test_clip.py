import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from sim.maths import quaternion_xyzw
from sim.recording.schema.facts import EventFacts
from sim.reports.page.clip import TOLERANCE, WIDEST, animate, clip, key_rotations, key_samples
from sim.reports.page.glb_scene import GlbScene, scene_of
from tests.helpers.page_runs import arm_scene, chunks, good_run, numbers
from tests.helpers.short_runs import times_of
from tests.helpers.small_robots import lift


def played(tree, data, channel, at):
    """Rotation or translation of a node at a time, by SciPy."""
    sampler = tree["animations"][0]["samplers"][channel["sampler"]]
    t = numbers(tree, data, sampler["input"])[:, 0].astype(float)
    values = numbers(tree, data, sampler["output"]).astype(float)
    at = np.clip(at, t[0], t[-1])
    if channel["target"]["path"] == "rotation":
        return Slerp(t, Rotation.from_quat(values))(at)
    return np.column_stack([np.interp(at, t, column) for column in values.T])


def test_the_clip_turns_each_joint_as_it_was_recorded_at_every_sample():
    tree, data = chunks(animate(arm_scene(), good_run().recorded))
    t = times_of(good_run())
    for channel in tree["animations"][0]["channels"]:
        extras = tree["nodes"][channel["target"]["node"]]["extras"]
        q = good_run().recorded[f"q.{extras['joint']}"].to_numpy()
        wanted = Rotation.from_rotvec(np.outer(q, extras["axis"]))
        away = (played(tree, data, channel, t) * wanted.inv()).magnitude()
        assert away.max() < TOLERANCE + 1e-6  # [rad]; float32
        assert wanted.magnitude().max() > 0.01


def test_a_slide_is_moved_not_turned():
    scene = GlbScene.read(scene_of(lift(2.0)))
    table = good_run().recorded
    table = table.assign(**{"q.slide": np.sin(5 * table.index.to_numpy())})
    tree, data = chunks(animate(scene, table))
    (channel,) = tree["animations"][0]["channels"]
    z = played(tree, data, channel, times_of(good_run()))[:, 2]
    assert np.abs(z - table["q.slide"].to_numpy()).max() < TOLERANCE + 1e-6  # [m]


def test_a_clip_alone_has_nodes_of_the_same_names_and_no_shapes():
    whole, _ = chunks(animate(arm_scene(), good_run().recorded))
    alone, _ = chunks(clip(arm_scene(), good_run().recorded))
    moved = {
        whole["nodes"][c["target"]["node"]]["name"] for c in whole["animations"][0]["channels"]
    }
    assert {
        alone["nodes"][c["target"]["node"]]["name"] for c in alone["animations"][0]["channels"]
    } == moved
    assert "meshes" not in alone


def test_only_nodes_that_move_are_animated():
    tree, _ = chunks(animate(arm_scene(), good_run().recorded))
    targets = {channel["target"]["node"] for channel in tree["animations"][0]["channels"]}
    assert targets == {k for k, n in enumerate(tree["nodes"]) if "joint" in n.get("extras", {})}


def test_a_steady_turn_needs_few_keys_but_none_is_half_a_circle_wide():
    t = np.linspace(0, 10, 10_001)
    keys = key_samples(t, 3.0 * t)
    assert 30 / WIDEST <= keys.size < 60
    assert np.diff(3.0 * t[keys]).max() <= WIDEST


@pytest.mark.parametrize("wild", [lambda t: np.sin(40 * t), lambda t: np.round(8 * t) / 8])
def test_between_keys_the_curve_is_straight(wild):
    t = np.linspace(0, 1, 4001)
    keys = key_samples(t, wild(t))
    assert np.abs(np.interp(t, t[keys], wild(t)[keys]) - wild(t)).max() <= TOLERANCE


def test_keys_of_a_long_run_do_not_depend_on_its_duration():
    """Otherwise each split looks at the whole rest of a run, and ten minutes take longer."""
    t = 1e-3 * np.arange(2**16 + 1)
    half = t[: 2**15 + 1]
    keys = key_samples(t, np.sin(3 * t))
    np.testing.assert_array_equal(keys[keys <= 2**15], key_samples(half, np.sin(3 * half)))
    assert np.abs(np.interp(t, t[keys], np.sin(3 * t[keys])) - np.sin(3 * t)).max() <= TOLERANCE


def test_between_keys_a_ball_turns_evenly():
    """As a player turns it, by SciPy's slerp; a wobble about an axis that goes round."""
    t = np.linspace(0, 1, 4001)
    wobble = np.stack([np.sin(9 * t), np.cos(7 * t), 0 * t])
    turned = Rotation.from_euler("z", 12 * t[:, None]) * Rotation.from_rotvec(wobble.T)
    quaternions = quaternion_xyzw(np.moveaxis(turned.as_matrix(), 0, -1))
    keys = key_rotations(t, quaternions)
    assert keys.size < t.size / 2
    shown = Slerp(t[keys], Rotation.from_quat(quaternions[:, keys].T))(t)
    assert (shown.inv() * turned).magnitude().max() <= 1.01 * TOLERANCE


def test_the_scene_itself_is_not_changed():
    before = len(arm_scene().document.block)
    animate(arm_scene(), good_run().recorded)
    assert len(arm_scene().document.block) == before
    assert "animations" not in arm_scene().document.tree


def test_a_payload_is_there_while_it_is_carried_and_gone_before_and_after():
    events = [
        EventFacts(t=t, kind=kind, payload="load", link=link, mass=0.5, ke=0.0, pe=0.0)
        for t, kind, link in (
            (0.1, "pick up", "payload"),
            (0.2, "set down", "payload"),
            (0.2, "pick up", "nowhere"),
        )
    ]
    tree, data = chunks(animate(arm_scene(), good_run().recorded, events))
    (channel,) = (c for c in tree["animations"][0]["channels"] if c["target"]["path"] == "scale")
    assert tree["nodes"][channel["target"]["node"]]["extras"]["link"] == "payload"
    sampler = tree["animations"][0]["samplers"][channel["sampler"]]
    assert sampler["interpolation"] == "STEP"
    assert numbers(tree, data, sampler["input"])[:, 0] == pytest.approx([0.0, 0.1, 0.2])
    sizes = numbers(tree, data, sampler["output"])
    assert (sizes[[0, 2]] < 1e-5).all()
    assert (sizes[1] == 1).all()
