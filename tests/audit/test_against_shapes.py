"""What a body within the shapes of its link can be, against bodies that are within them."""

import re

import numpy as np
import pytest
import trimesh
from lxml import etree

from sim import shipped
from sim.audit import audit, solids
from sim.audit.against_shapes import LinkShape, shape_of
from sim.robots import load_robot
from sim.shapes import link_masses
from tests.helpers.round_meshes import box, together

SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
MESH = '<mesh filename="arm.obj"/>'


def shape(points):
    hull = trimesh.convex.convex_hull(points)
    offsets = -np.einsum("ij,ij->i", hull.face_normals, hull.triangles[:, 0])
    planes = np.column_stack([hull.face_normals, offsets])
    return LinkShape(np.asarray(hull.vertices), planes, hull.volume, hull.volume, True)


@pytest.mark.parametrize("seed", range(5))
def test_no_masses_within_the_hull_spread_further_and_two_at_its_ends_do(seed):
    random = np.random.default_rng(seed)
    body = shape(random.normal(size=(12, 3)))
    along = random.normal(size=3)
    along /= np.linalg.norm(along)
    heights = body.corners @ along
    for _ in range(200):  # masses at corners spread more than any inside
        mass = random.dirichlet(np.full(len(body.corners), 0.2))
        centre = mass @ body.corners
        spread = np.sqrt(mass @ (heights - centre @ along) ** 2)
        assert spread <= body.largest_spread(centre, along) * (1 + 1e-12)
        assert body.outside(centre) <= 1e-12
    share = random.uniform(0.1, 0.9)
    ends = heights.argmax(), heights.argmin()
    centre = share * body.corners[ends[0]] + (1 - share) * body.corners[ends[1]]
    two = np.sqrt(share * (1 - share)) * np.ptp(heights)
    assert body.largest_spread(centre, along) == pytest.approx(two, rel=1e-12)


def test_how_far_a_place_is_outside_of_a_cube():
    body = shape(box((2, 2, 2))[0])
    assert body.outside(np.array([0.0, 0.25, 0.0])) == pytest.approx(-0.75)
    assert body.outside(np.array([0.0, 1.5, 0.0])) == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["ur10", "weld5"])
def test_the_volume_of_the_union_is_between_its_bounds(name):
    """The union itself by manifold3d."""
    robot = load_robot(name)
    links = {link.get("name"): link for link in etree.fromstring(robot.text.encode()).iter("link")}
    for one in link_masses(robot, {}):
        found = shape_of(links[one.link], robot.folder)
        assert 0 < found.least <= one.by_shapes.volume <= found.most, one.link
        assert not found.is_drawn


@pytest.fixture
def arm(tmp_path):
    """The shipped arm whose upper arm is two bars of a mesh, as one, in the first or the second."""

    def write(head, mass=2.4):
        bars = together(
            box((0.05, 0.03, 0.5), (0, 0, -0.25)), box((0.03, 0.05, 0.5), (0, 0, -0.25))
        )
        text = trimesh.Trimesh(*bars, process=False).export(file_type="obj")
        (tmp_path / "arm.obj").write_text(f"# {head}\n{text.strip()}")
        urdf = SOUND.replace('<box size="0.05 0.05 0.5"/>', MESH)
        urdf = urdf.replace('<mass value="2.4"/>', f'<mass value="{mass}"/>')
        if mass < 0.1:  # the rod as light as it is: else its tensor is doubted, and nothing else
            urdf = urdf.replace(
                '"0.05" ixy="0" ixz="0" iyy="0.05"', '"2e-4" ixy="0" ixz="0" iyy="2e-4"'
            )
            urdf = urdf.replace('izz="0.001"', 'izz="4e-6"')
        (tmp_path / "arm.urdf").write_text(urdf)
        return [f for f in audit(tmp_path / "arm.urdf").findings if f.code == "implied-density"]

    return write


@pytest.mark.parametrize(
    ("mass", "density", "grave"),
    [
        (0.0149, "less than 200", "warning"),  # in 0.75 l, of the larger bar: 20 kg/m³
        (0.0151, "less than 200", "note"),  # a thin shell may be drawn as a closed one
        (0.149, "less than 200", "note"),
        (0.151, None, None),  # it may be in less
        (22.9, None, None),  # in 1.15 l at most: the hull, less than the bars' 1.5 l
        (23.1, "more than 20000", "warning"),
    ],
)
def test_a_density_is_doubted_only_where_the_bodies_cannot_overlap_into_a_sound_one(
    arm, mass, density, grave
):
    found = arm("from CAD", mass)
    assert [re.search(r"(less|more) than \d+", f.text)[0] for f in found] == [density] * len(found)
    assert len(found) == (density is not None)
    assert {f.severity for f in found} <= {grave}


def test_a_mesh_that_calls_itself_an_illustration_makes_a_note(arm):
    (found,) = arm("arm, illustrative", 0.1)
    assert (found.severity, found.link_or_joint) == ("note", "upper_arm")


def test_an_open_mesh_bounds_a_density_by_its_hull_alone(arm, tmp_path):
    arm("from CAD", 0.1)
    lines = (tmp_path / "arm.obj").read_text().splitlines()
    (tmp_path / "arm.obj").write_text("\n".join(lines[:-1]))
    assert "implied-density" not in {f.code for f in audit(tmp_path / "arm.urdf").findings}


def test_a_mesh_of_many_links_is_read_once_and_anew_when_it_is_changed(arm, tmp_path, monkeypatch):
    reads, read_mesh = [], solids.read_mesh

    def counted(path, **options):
        reads.append(path.name)
        return read_mesh(path, **options)

    monkeypatch.setattr(solids, "read_mesh", counted)
    arm("from CAD")
    twice = (tmp_path / "arm.urdf").read_text()
    shown = f"<geometry>{MESH}</geometry>"
    twice = twice.replace("</visual>", f"</visual><visual>{shown}</visual>")
    (tmp_path / "arm.urdf").write_text(twice)
    audit(tmp_path / "arm.urdf")
    assert reads == ["arm.obj"]
    arm("from CAD, again")
    assert reads == ["arm.obj", "arm.obj"]
