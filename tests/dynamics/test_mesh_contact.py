"""Contacts of meshes: a box as a mesh is the box, others by coal and by their certificate."""

import math

import coal
import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from sim.dynamics.contact_law import ContactLaw
from sim.dynamics.contact_shape import ContactShape
from sim.dynamics.kernels.contact_forces import features_of_poses, meet_at_states
from sim.dynamics.shape_contact import Contact
from sim.errors import ModelError
from sim.robots import Marker
from tests.helpers.coal_shapes import coal_shape

LAW = ContactLaw.impact(1e5, 1.5, 50.0)
OTHERS = {
    "plane": (),
    "sphere": (0.1,),
    "capsule": (0.08, 0.15),
    "cylinder": (0.12, 0.1),
    "box": (0.1, 0.15, 0.2),
}
HALVES = (0.12, 0.2, 0.08)


def mesh(made, name="a"):
    return ContactShape.from_points(Marker("mesh", name), made.vertices)


def primitive(kind, name="b"):
    size = (*OTHERS[kind], 0.0, 0.0, 0.0)[:3]
    return ContactShape(kind, Marker(kind, name), size)


def poses(rng, count, spread):
    R = Rotation.random(2 * count, rng=rng).as_matrix().reshape(count, 2, 3, 3)
    p = np.stack([np.zeros((count, 3)), rng.uniform(-spread, spread, (count, 3))], axis=1)
    return R, p


def features(contact, R, p):
    rows, gaps = np.empty((len(R), 10)), np.empty(len(R))
    features_of_poses(contact.pair, R, p, rows, gaps)
    return rows, gaps


def totals(contact, R, p, v, w):
    rows = np.empty((len(R), 16))
    meet_at_states(contact.pair, np.zeros((len(R), 7)), R, p, v, w, rows)
    return rows


def shallow(contact, R, p, most):
    """The same poses with the second shape moved along the normal, so far that both just touch."""
    rows, _ = features(contact, R, p)
    depth = np.random.default_rng(2).uniform(0, most, len(R))
    p = p.copy()
    p[:, 1] -= (rows[:, 0] + depth)[:, None] * rows[:, 1:4]
    return p


@pytest.mark.parametrize("kind", OTHERS)
def test_a_box_as_a_mesh_touches_as_the_box(kind):
    """Distances, forces and moments, where it touches by one feature and lies flat."""
    rng = np.random.default_rng(4)
    box = ContactShape("box", Marker("box", "a"), HALVES)
    same = mesh(trimesh.creation.box(2 * np.array(HALVES)))
    contacts = [Contact(one, primitive(kind), LAW, mu_static=0.4) for one in (box, same)]
    R, p = poses(rng, 120, 0.35)
    of_box, of_mesh = (features(one, R, p)[0] for one in contacts)
    np.testing.assert_allclose(of_mesh[:, 0], of_box[:, 0], rtol=0, atol=1e-9)  # m
    assert 10 < np.sum(of_box[:, 0] < 0) < 119
    tilts = Rotation.from_rotvec(rng.normal(size=(120, 3)) * 3e-3).as_matrix()
    R[::2] = tilts.reshape(60, 2, 3, 3)  # half of them lie almost flat on each other
    p = shallow(contacts[0], R, p, 2e-3)
    v, w = rng.normal(size=(2, len(R), 2, 3))
    forces = [totals(one, R, p, v, w)[:, :14] for one in contacts]
    is_one = np.abs(features(contacts[1], R, p)[0][:, :4] - features(contacts[0], R, p)[0][:, :4])
    same_normal = is_one.max(axis=1) < 1e-7
    assert same_normal.mean() > 0.95
    # N; normals across a round edge are searched to 1e-8 m, where damping grows by 8e5 N/m
    allowed = 2e-2 if kind == "cylinder" else 1e-6
    first, second = (one[same_normal] for one in forces)
    np.testing.assert_allclose(second, first, rtol=0, atol=allowed)


@pytest.mark.parametrize("kind", [*OTHERS, "mesh"])
def test_distances_of_a_mesh_are_proved_and_those_of_coal(kind):
    rng = np.random.default_rng(6)
    stone = trimesh.convex.convex_hull(rng.normal(size=(24, 3)) * (0.1, 0.15, 0.08))
    other = mesh(trimesh.creation.icosphere(1, 0.15), "b") if kind == "mesh" else primitive(kind)
    first = mesh(stone)
    contact = Contact(first, other, LAW)
    R, p = poses(rng, 60, 0.35)
    rows, gaps = features(contact, R, p)
    flat = 1e-12 + first.hull.flatness
    assert np.abs(rows[:, 0] - gaps).max() <= flat  # m
    assert 10 < np.sum(rows[:, 0] < 0) < 59

    shapes = coal_shape(first), coal_shape(other)
    for k in range(len(R)):
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        places = [coal.Transform3s(R[k, m], p[k, m]) for m in range(2)]
        of_coal = coal.distance(shapes[0], places[0], shapes[1], places[1], request, result)
        d = rows[k, 0]
        assert abs(of_coal - d) <= 2e-5 or (d < 0 and of_coal < d)  # m


def test_an_icosphere_comes_to_the_sphere_with_the_square_of_its_edges():
    ball = ContactShape.sphere("a", 0.1)
    rng, errors = np.random.default_rng(1), []
    R, p = poses(rng, 40, 0.2)
    for level in (0, 1, 2):
        other = mesh(trimesh.creation.icosphere(level, 0.1))
        of_mesh, of_ball = (
            features(Contact(x, primitive("box"), LAW), R, p)[0] for x in (other, ball)
        )
        near = of_ball[:, 0] > -0.1
        errors.append(np.abs(of_mesh[near, 0] - of_ball[near, 0]).max())
    assert errors[0] / errors[1] > 3 and errors[1] / errors[2] > 3
    assert errors[2] < 2e-3  # m


def test_files_give_their_bodies_and_their_faults(tmp_path):
    box = trimesh.creation.box((0.2, 0.1, 0.1))
    box.export(tmp_path / "box.stl")
    shape = ContactShape.mesh("a", tmp_path / "box.stl", at=(1, 0, 0), rpy=(0, 0, math.pi / 2))
    assert shape.hull.smallest == pytest.approx(0.05, abs=1e-8)  # m, of floats of 24 bits
    assert shape.at.xyz == pytest.approx((1, 0, 0), abs=1e-8)
    assert len(shape.hull.faces) == 6 and len(shape.hull.edges) == 12
    two = trimesh.util.concatenate([box, box.copy().apply_translation((1, 0, 0))])
    two.export(tmp_path / "two.obj")
    assert len(ContactShape.meshes("a", tmp_path / "two.obj")) == 2
    cup = trimesh.creation.annulus(0.05, 0.1, 0.1)
    cup.export(tmp_path / "ring.obj")
    box.faces = box.faces[:-1]
    box.export(tmp_path / "open.obj")
    for name, message in (
        ("two.obj", "it has 2 bodies; ContactShape.meshes"),
        ("ring.obj", r"body 1 of 1 is not convex: it has \d\d\.\d % .* hull=True"),
        ("open.obj", "open.obj cannot touch: not closed, 3 edges have a face on one side only"),
        ("none.obj", "none.obj does not exist"),
    ):
        with pytest.raises(ModelError, match=message):
            ContactShape.mesh("a", tmp_path / name)
    hull = ContactShape.mesh("a", tmp_path / "ring.obj", hull=True)
    assert len(hull.hull.points) > 20
