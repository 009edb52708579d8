"""What is welded is read by PyBullet from the text too, a part of the robot at a time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from sim.engines.bullet import readback
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.readback import read_in_parts, read_model
from sim.errors import EngineError
from sim.robots import Link
from tests.helpers.examples import examples
from tests.helpers.random_worlds import robots
from tests.helpers.small_robots import joint, link, robot

G = (0.0, 0.0, -9.81)


@given(
    robots(mimic=True),
)
@examples(8)
def test_in_parts_of_any_size_pybullet_reads_what_it_reads_of_the_whole(found):
    with Bullet(found, G) as engine:
        whole = read_model(engine)
    for size in (1, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(readback, "MOST_OF_A_PART", size)
            parts = read_in_parts(found)
        assert parts.inertias.keys() == whole.inertias.keys()
        for name, one in whole.inertias.items():
            assert parts.inertias[name].mass == one.mass
            np.testing.assert_array_equal(parts.inertias[name].com, one.com)
            np.testing.assert_array_equal(parts.inertias[name].tensor, one.tensor)
        assert list(parts.origins) == [joint.name for joint in found.joints]
        for name, T in whole.origins.items():
            np.testing.assert_allclose(parts.origins[name], T, rtol=0, atol=1e-14)
        assert parts.axes.keys() == whole.axes.keys()
        for name, axis in whole.axes.items():
            np.testing.assert_allclose(parts.axes[name], axis, rtol=0, atol=1e-14)
        assert parts.limits == whole.limits


def arm():
    """A hinge, and two links welded to what it moves."""
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/>'
    return robot(
        link("arm", 1.0, "0.1 0 0", "0.1 0.1 0.1"),
        joint("hinge", "revolute", "ground", "arm", "0 1 0"),
        link("box", 2.0, "0.1 0.2 0.3", "0.1 0.2 0.25"),
        joint("weld", "fixed", "arm", "box", "1 0 0", origin),
        link("tip", 0.5),
        joint("weld_2", "fixed", "box", "tip", "1 0 0", origin),
    )


def test_a_slip_in_the_mass_of_a_welded_link_is_named():
    """As the model's reader may have it: the engine is not told."""
    plant = arm()
    heavier = Link("box", replace(plant.link("box").inertia, mass=2.0001))
    links = tuple(heavier if one.name == "box" else one for one in plant.links)
    words = r"link 'box' with another mass \[kg\]: 2.0 instead of 2.0001"
    with pytest.raises(EngineError, match=words):
        Bullet(replace(plant, links=links), G, weld=True)


def test_a_slip_in_the_place_of_a_welded_link_is_named():
    plant = arm()
    joints = tuple(
        replace(one, T_pc=one.T_pc + 1e-8 * np.eye(4, k=3)) if one.name == "weld" else one
        for one in plant.joints
    )
    with pytest.raises(EngineError, match=r"joint 'weld' with another origin"):
        Bullet(replace(plant, joints=joints), G, weld=True)


def test_a_welded_body_that_pybullet_reads_otherwise_is_named(monkeypatch):
    """The text of the welded robot is ours, and its reading is compared as well."""
    whole = readback.principal_urdf
    monkeypatch.setattr(
        readback, "principal_urdf", lambda plant: whole(plant).replace('"3.0"', '"3.0001"')
    )
    with pytest.raises(EngineError, match=r"link 'arm' with another mass \[kg\]: 3.0001"):
        Bullet(arm(), G, weld=True)


def test_what_is_held_of_a_welded_robot_is_told_link_by_link():
    with Bullet(arm(), G, weld=True) as engine:
        found = engine.readback()
        assert read_model(engine).inertias["arm"].mass == 3.0
    assert found.welded == {"arm", "box"}  # the tip is the tool frame
    assert {name: one.mass for name, one in found.inertias.items()} == {
        "arm": 1.0,
        "box": 2.0,
        "tip": 0.5,
    }
    with Bullet(arm(), G) as engine:
        assert engine.readback().welded == frozenset()
