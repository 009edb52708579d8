"""Links weighed by their shapes: simple ones by formula, placed ones in the link frame."""

import numpy as np
import pytest
import trimesh

from sim import shipped
from sim.errors import ModelError
from sim.maths import pose, rotation_from_rpy
from sim.robots import load_robot, read_urdf
from sim.shapes.link_masses import link_masses, of_shapes
from sim.shapes.visuals import Visual
from tests.helpers.round_meshes import box

T = pose(rotation_from_rpy([0.3, -0.8, 1.9]), [0.2, -0.1, 0.4])
SIMPLE = {
    "box": ((0.1, 0.2, 0.4), trimesh.creation.box((0.1, 0.2, 0.4)), 1e-12),
    # trimesh's own polyhedra: 1 - sinc of the angle of a side
    "cylinder": ((0.1, 0.4), trimesh.creation.cylinder(0.1, 0.4, sections=512), 1e-4),
    "sphere": ((0.2,), trimesh.creation.icosphere(5, 0.2), 1e-3),
}


@pytest.mark.parametrize("shape", SIMPLE)
def test_a_simple_shape_weighs_what_its_formula_says(shape):
    size, mesh, tolerance = SIMPLE[shape]
    mesh = mesh.copy()
    mesh.apply_transform(T)
    mesh.density = 500.0
    found = of_shapes([Visual("arm", T, shape, size=size)], 500.0)
    assert found.mass == pytest.approx(mesh.mass, rel=tolerance)
    assert found.area == pytest.approx(mesh.area, rel=tolerance)
    np.testing.assert_allclose(found.com, T[:3, 3], rtol=0, atol=1e-15)
    scale = np.abs(mesh.moment_inertia).max()
    assert np.abs(found.tensor - mesh.moment_inertia).max() < 2 * tolerance * scale


def test_shapes_of_a_link_that_overlap_count_once():
    """A ball at the end of a bar: their union is the bar and half the ball, but for the circle."""
    bar = Visual("arm", pose(), "box", size=(1.0, 0.4, 0.4))
    ball = Visual("arm", pose(None, [0.5, 0, 0]), "sphere", size=(0.2,))
    found = of_shapes([bar, ball], 1000.0)
    half = 2 / 3 * np.pi * 0.2**3
    assert found.volume == pytest.approx(0.16 + half, rel=1e-4)  # a ball of 256 sides
    assert found.counted_twice == pytest.approx(half, rel=1e-3)
    assert found.bodies == 2


def test_a_mesh_is_scaled_and_mirrored_as_the_urdf_says(tmp_path):
    trimesh.Trimesh(*box((300, 200, 100), (50, 0, 0))).export(tmp_path / "part.stl")
    visual = Visual("arm", pose(), "mesh", tmp_path / "part.stl", scale=(-1e-3, 1e-3, 1e-3))
    found = of_shapes([visual], 1000.0)
    assert (found.mass, found.com[0]) == pytest.approx((6.0, -0.05), rel=1e-6)
    with pytest.raises(ModelError, match=r"link 'arm'.*is 300 m large.*scale=\"0.001"):
        of_shapes([Visual("arm", pose(), "mesh", tmp_path / "part.stl")], 1000.0)


@pytest.mark.parametrize("edge", [1e80, 1e-80])
def test_a_simple_shape_of_no_size_that_a_link_has_is_refused(edge):
    with pytest.raises(ModelError, match=r"link 'arm': box has the size .* m; at least 1e-06"):
        of_shapes([Visual("arm", T, "box", size=(edge, 1.0, 1.0))], 1000.0)


def test_what_a_urdf_implies_of_a_link_of_known_shape():
    """The two bars of the shipped arm are boxes: 2.4 and 1.5 kg in 1.25 and 1.0 l."""
    robot = load_robot(shipped.scenarios() / "two_link.urdf")
    upper = link_masses(robot, {})[[link.name for link in robot.links].index("upper_arm") - 1]
    assert upper.link == "upper_arm"
    assert upper.implied_density == pytest.approx(2.4 / (0.05 * 0.05 * 0.5), rel=1e-12)
    assert upper.centres_apart == pytest.approx(0.0, abs=1e-12)


def test_a_link_without_a_shape_is_named():
    robot = load_robot("ur10")
    with pytest.raises(ModelError, match=r"link 'tool0' has no shape; .*base_link"):
        link_masses(robot, {"tool0": 2700.0})
    with pytest.raises(ModelError, match="'elbow' is not in robot"):
        link_masses(robot, {"elbow": 2700.0})


def test_a_fault_is_that_of_its_link_alone(tmp_path):
    vertices, faces = box((0.1, 0.1, 0.1))
    trimesh.Trimesh(vertices, faces[1:], process=False).export(tmp_path / "open.stl")
    mesh = '<visual><geometry><mesh filename="open.stl"/></geometry></visual>'
    text = (shipped.scenarios() / "two_link.urdf").read_text("utf-8")
    text = text.replace('<link name="tip"/>', f'<link name="tip">{mesh}</link>')
    masses = {m.link: m for m in link_masses(read_urdf(text, folder=tmp_path), {})}
    assert "link 'tip': mesh " in masses["tip"].fault
    assert "not closed: 3 edges" in masses["tip"].fault
    assert masses["tip"].by_shapes is masses["tip"].implied_density is None
    assert masses["upper_arm"].fault == ""
