"""Against closed forms, trimesh and MuJoCo; exact for the polyhedron, wherever it is."""

import mujoco
import numpy as np
import pytest
import trimesh
from scipy.stats import qmc

import sim
from sim.errors import ModelError, SimError
from sim.shapes import mass_properties
from tests.helpers.round_meshes import box, cylinder, sphere, together, torus

EXACT = 1e-12  # relative: what some thousand sums in double precision lose
ROUND = {"sphere": sphere, "cylinder": cylinder, "torus": torus}
BALL = sphere(24)
BALL_MESH = BALL.vertices, BALL.faces


def relative(found, wanted):
    return np.abs(np.asarray(found) - wanted).max() / np.abs(wanted).max()


@pytest.mark.parametrize("name", ROUND)
def test_what_is_left_to_a_round_body_falls_as_one_over_the_triangles(name):
    coarse, fine = (ROUND[name](n) for n in (32, 128))
    errors, counts = [], []
    for body in (coarse, fine):
        found = sim.inertia_of((body.vertices, body.faces), 1000.0)
        assert found.mass == pytest.approx(1000 * found.volume, rel=EXACT)
        moments = found.tensor / found.mass
        errors.append(
            [abs(found.volume / body.volume - 1), relative(moments, np.diag(body.moments))]
        )
        counts.append(len(body.faces))
    # a cylinder's triangles grow as n, what is missing of its circle falls as 1/n²
    growth = (counts[1] / counts[0]) ** (2 if name == "cylinder" else 1)
    np.testing.assert_allclose(np.divide(*errors) / growth, 1, atol=0.02)
    assert max(errors[1]) < 3e-3


def test_a_box_is_exact_and_its_centre_where_it_is():
    size, middle = np.array([0.3, 0.7, 1.1]), np.array([0.2, -5.0, 3.0])
    found = sim.inertia_of(box(size, middle), 2700)
    mass = 2700 * size.prod()
    wanted = mass * np.diag((size @ size - size**2) / 12)
    assert found.mass == pytest.approx(mass, rel=EXACT)
    assert found.area == pytest.approx(2 * (0.21 + 0.77 + 0.33), rel=EXACT)
    assert relative(found.com, middle) < EXACT
    assert relative(found.tensor, wanted) < EXACT
    assert (found.inertia.mass, found.bodies, found.counted_twice) == (found.mass, 1, 0.0)


def test_one_kilometre_from_the_origin_nothing_is_lost():
    """Coordinates there are multiples of 1.1e-13 m, which is what the vertices themselves lose."""
    body = torus(48)
    near = sim.inertia_of((body.vertices, body.faces))
    far = sim.inertia_of((body.vertices + 1000.0, body.faces))
    assert far.mass == pytest.approx(near.mass, rel=EXACT)
    assert relative(far.tensor, near.tensor) < EXACT
    assert np.abs(far.com - 1000.0 - near.com).max() < 1e-12  # [m]


def test_trimesh_and_mujoco_find_the_same_of_a_skew_body():
    points = np.random.default_rng(4).normal(size=(40, 3)) * (0.1, 0.2, 0.4) + (0.3, 0.0, -0.2)
    hull = trimesh.convex.convex_hull(points)
    found = sim.inertia_of((np.asarray(hull.vertices), np.asarray(hull.faces)), 1234.0)
    hull.density = 1234.0
    assert found.mass == pytest.approx(hull.mass, rel=EXACT)
    assert relative(found.com, hull.center_mass) < EXACT
    assert relative(found.tensor, hull.moment_inertia) < EXACT
    held = in_mujoco(np.asarray(hull.vertices), np.asarray(hull.faces), 1234.0)
    # MuJoCo keeps vertices in single precision
    assert found.mass == pytest.approx(held.body_mass[1], rel=1e-6)
    assert relative(found.com, held.body_ipos[1]) < 1e-6
    principal = np.linalg.eigvalsh(found.tensor)
    assert relative(principal, np.sort(held.body_inertia[1])) < 1e-6


def in_mujoco(vertices, faces, density):
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="m", uservert=vertices.ravel(), userface=faces.ravel())
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT
    body = spec.worldbody.add_body()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="m", density=density)
    body.add_freejoint()
    return spec.compile()


def test_a_link_of_the_ur10_has_the_volume_that_trimesh_finds_of_its_union(root_of_meshes):
    path = root_of_meshes / "ur10" / "wrist_1_link.obj"
    found = sim.inertia_of(path, "aluminium")
    mesh = trimesh.load_mesh(path)
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    parts = mesh.split(only_watertight=False, repair=False)
    union = trimesh.boolean.union(list(parts), engine="manifold", check_volume=False)
    assert found.bodies == len(parts) == 4
    # trimesh hands manifold3d single precision
    assert found.volume == pytest.approx(union.volume, rel=1e-7)
    assert found.counted_twice == pytest.approx(
        sum(p.volume for p in parts) - union.volume, rel=1e-6
    )
    assert relative(found.tensor, 2700 * union.moment_inertia) < 1e-7


def test_the_volume_of_a_union_is_that_of_the_points_inside(root_of_meshes):
    """By winding numbers, which know of no body: 1000 evenly spread points of the box."""
    triangles = trimesh.load_mesh(root_of_meshes / "kr210" / "base_link.obj").triangles
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    points = low + (high - low) * qmc.Halton(3, seed=1).random(1000)
    inside = np.concatenate([winding(part, triangles) > 0.5 for part in np.split(points, 10)])
    found = sim.inertia_of(root_of_meshes / "kr210" / "base_link.obj")
    # three times sqrt((1 - p) / p N), which points at random would have
    assert inside.mean() * np.prod(high - low) == pytest.approx(found.volume, rel=0.08)
    assert found.com == pytest.approx(points[inside].mean(axis=0), abs=0.02)  # [m] of 0.9
    assert found.counted_twice / found.volume > 0.4


def winding(points, triangles):
    """Solid angles of all triangles over 4π (van Oosterom and Strackee 1983)."""
    a, b, c = (triangles[None] - points[:, None, None]).transpose(2, 0, 1, 3)
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))

    def dot(x, y):
        return np.einsum("ijk,ijk->ij", x, y)

    above = dot(a, np.cross(b, c))
    below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return np.arctan2(above, below).sum(axis=1) / (2 * np.pi)


@pytest.fixture
def root_of_meshes():
    return sim.load_robot("ur10").folder.parent / "meshes"


def test_what_bodies_share_counts_once():
    """Two bars across each other: 2 × 3 less the cube in the middle."""
    cross = together(box((3, 1, 1)), box((1, 3, 1)))
    found = sim.inertia_of(cross, 1000.0)
    assert (found.volume, found.counted_twice) == pytest.approx((5, 1), rel=1e-12)
    wanted = 2 * 3 * np.array([2, 10, 10]) / 12 - np.array([2, 2, 2]) / 12
    wanted[:2] = (3 * 2 + 3 * 10 - 2) / 12
    wanted[2] = (2 * 3 * 10 - 2) / 12
    assert relative(found.tensor, 1000 * np.diag(wanted)) < 1e-12


def test_bodies_that_share_edges_are_told_apart_by_their_order():
    """Two bars on one corner: 1 + 1 less the half that they share; then face by face in turn."""
    bars = together(box((1, 1, 1), (0.5, 0.5, 0.5)), box((0.5, 2, 1), (0.25, 1, 0.5)))
    found = sim.inertia_of(bars, 1000.0)
    assert (found.bodies, found.volume, found.counted_twice) == pytest.approx((2, 1.5, 0.5))
    shuffled = bars[0], bars[1].reshape(2, 12, 3).transpose(1, 0, 2).reshape(-1, 3)
    with pytest.raises(ModelError, match=r"bodies overlap: .* edges have more than two faces"):
        sim.inertia_of(shuffled, 1000.0)


def test_bodies_that_share_a_face_are_as_large_as_both():
    found = sim.inertia_of(together(box(), box(middle=(1, 0, 0))), 1000.0)
    assert (found.bodies, found.volume, found.counted_twice) == pytest.approx((2, 2, 0))


def test_bodies_that_lie_apart_need_no_union(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "manifold3d", None)
    found = sim.inertia_of(together(box(), box(middle=(2, 0, 0))), 1000.0)
    assert (found.volume, found.com[0], found.bodies) == pytest.approx((2, 1, 2), rel=1e-12)
    with pytest.raises(SimError, match=r"requires manifold3d: pip install 'sim\[meshes\]'"):
        sim.inertia_of(together(box(), box(middle=(0.5, 0, 0))))


def test_a_cavity_is_taken_out_and_a_body_in_it_is_not():
    def inside(mesh):
        return mesh[0], mesh[1][:, ::-1]

    hollow = together(box((2, 2, 2)), inside(box((1, 1, 1))), box((0.5, 0.5, 0.5)))
    found = sim.inertia_of(hollow, 1000.0)
    assert found.volume == pytest.approx(8 - 1 + 1 / 8, rel=1e-12)
    moment = 1000 * (8 * 8 - 1 * 2 + 0.125 * 0.5) / 12
    assert relative(found.tensor, moment * np.eye(3)) < 1e-12


@pytest.mark.parametrize("share", [0.01, 0.03])
def test_a_shell_says_how_much_too_heavy_it_is(share):
    """To second order in thickness over radius, of a ball and of a cube with its inner side."""
    body = sphere(64)
    ball = sim.inertia_of((body.vertices, body.faces), 1000.0, thickness=share)
    cube = sim.inertia_of(box((2, 2, 2)), 1000.0, thickness=share)
    for found in (ball, cube):
        radius = 3 * found.volume / found.area  # of the ball in the polyhedron
        exact = 1000 * found.volume * (1 - (1 - share / radius) ** 3)
        assert found.mass / exact - 1 == pytest.approx(found.excess, abs=1.5 * share**2)
    assert ball.excess == pytest.approx(share, rel=3e-3)  # less what the polyhedron lacks
    assert cube.mass == pytest.approx(1000 * share * 24, rel=EXACT)
    assert relative(ball.tensor / ball.mass, 2 / 3 * np.eye(3)) < 4e-3  # 4096 triangles
    walls = 1000 * share * 4 * (4 * (1 + 4 / 12 * 2 / 2) + 2 * 8 / 12)
    assert relative(cube.tensor, walls * np.eye(3)) < EXACT


FAULTS = {
    "inside out": (BALL.vertices, BALL.faces[:, ::-1]),
    "not closed": (BALL.vertices, BALL.faces[5:]),
    "turned": (BALL.vertices, np.vstack([BALL.faces[9:], BALL.faces[:9, ::-1]])),
    "faces twice": (BALL.vertices, np.vstack([BALL.faces, BALL.faces[:7]])),
    "no volume": (box((1, 1, 1))[0] * (1, 1, 0), box()[1]),
}  # fmt: skip


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_named(kind):
    with pytest.raises(ModelError, match=f"The mesh has no mass properties: .*{kind}: "):
        sim.inertia_of(FAULTS[kind])


def test_one_body_of_several_that_is_inside_out_is_named():
    for place in (5.0, 0.5):  # apart, and partly within
        two = together(box((2, 2, 2)), (box(middle=(place, 1, 1))[0], box()[1][:, ::-1]))
        with pytest.raises(ModelError, match="inside out: 1 of its 2 bodies is so"):
            sim.inertia_of(two)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mesh": (BALL.vertices * 500, BALL.faces)}, r"is 1000 m large.*scale=0\.001"),
        (
            {"mesh": (BALL.vertices * 1e80, BALL.faces), "scale": 1},
            "reaches 1e.80 m from its origin",
        ),
        ({"mesh": (BALL.vertices * 1e-9, BALL.faces)}, "no volume: it is 2e-09 m large"),
        ({"density": 7.85}, "Density 7.85 kg/m³.*7.85 g/cm³ are 7850"),
        ({"density": float("nan")}, "must be a finite number"),
        ({"density": "steal"}, "Material 'steal' is not in the table; there are steel, "),
        ({"thickness": -0.001}, "thickness -0.001 m must be above 0"),
        ({"thickness": 0.5}, "more than the .* l of the solid body; at most .* mm are allowed"),
        ({"scale": 0.0}, "scale 0.0 must be one or three finite numbers, none of them 0"),
        ({"mesh": "no.stl"}, "mesh no.stl does not exist"),
        ({"mesh": (BALL.vertices, BALL.faces + 1000)}, "faces must be whole numbers from 0 to"),
        ({"mesh": (BALL.vertices * np.nan, BALL.faces)}, "vertices must be finite"),
        ({"mesh": (np.zeros((0, 3)), BALL.faces)}, "vertices have shape"),
        ({"mesh": ("a", "b")}, "two arrays of numbers"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, message):
    with pytest.raises(ModelError, match=message):
        sim.inertia_of(**({"mesh": BALL_MESH} | given))


def test_a_file_in_millimetres_and_a_mirrored_one(tmp_path):
    mesh = trimesh.Trimesh(*box((300, 200, 100), (50, 0, 0)))
    mesh.export(tmp_path / "part.stl")
    with pytest.raises(ModelError, match=r"part\.stl is 300 m large"):
        sim.inertia_of(tmp_path / "part.stl")
    found = sim.inertia_of(str(tmp_path / "part.stl"), "steel", scale=0.001)
    assert found.mass == pytest.approx(7850 * 0.006, rel=1e-6)  # an STL has single precision
    mirrored = sim.inertia_of(tmp_path / "part.stl", scale=(-0.001, 0.001, 0.001))
    assert (mirrored.volume, mirrored.com[0]) == pytest.approx((0.006, -0.05), rel=1e-6)


def test_a_link_may_have_more_triangles_than_a_picture_draws():
    assert mass_properties.MOST_TRIANGLES > 1_000_000
