"""Where the parts of a deck are, how they move and what they weigh, by SciPy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim.decks import deck_model
from sim.kinematics import frame_pose
from sim.robots import read_urdf

DECK = """joints
UNITS/SYSTEM = MKS
PART/1, GROUND
PART/2, MASS = 1, CM = 23, IP = 1, 1, 1, {part}
MARKER/23, PART = 2
MARKER/{ground}, PART = 1, {on_ground}
MARKER/{moving}, PART = 2, {on_part}
JOINT/1, {kind}, I = 8, J = 9
END
"""


def placed(R, p, letter="P"):
    """Arguments of a pose: ADAMS's angles are intrinsic z x z."""
    numbers = [", ".join(f"{v:.17g}" for v in row) for row in (p, R.as_euler("ZXZ"))]
    return f"Q{letter} = {numbers[0]}, REULER = {numbers[1]}"


def about_z(angle):
    return Rotation.from_euler("z", angle)


# What a joint says of I in J: (rotation, position) by its coordinates.
MOVES = {
    "REVOLUTE": lambda q: (about_z(q[0]), (0, 0, 0)),
    "TRANSLATIONAL": lambda q: (about_z(0), (0, 0, q[0])),
    "CYLINDRICAL": lambda q: (about_z(q[1]), (0, 0, q[0])),
    "PLANAR": lambda q: (about_z(q[2]), (q[0], q[1], 0)),
}
FREEDOMS = {
    "REVOLUTE": 1,
    "TRANSLATIONAL": 1,
    "CYLINDRICAL": 2,
    "PLANAR": 3,
    "HOOKE": 2,
    "UNIVERSAL": 2,
}


def deck_of(kind, start, j_on_ground, rng):
    """A deck with I at a pose in J, and the poses of marker I and J on part and ground."""
    R_ij, p_ij = start
    R_0j, p_0j = Rotation.random(random_state=rng), rng.uniform(-1, 1, 3)
    R_0i, p_0i = R_0j * R_ij, p_0j + R_0j.apply(p_ij)
    R_0p, p_0p = Rotation.random(random_state=rng), rng.uniform(-1, 1, 3)
    (R_g, p_g), (R_m, p_m) = (
        ((R_0j, p_0j), (R_0i, p_0i)) if j_on_ground else ((R_0i, p_0i), (R_0j, p_0j))
    )
    ground, moving = (9, 8) if j_on_ground else (8, 9)
    inverse = R_0p.inv()
    return DECK.format(
        kind=kind,
        part=placed(R_0p, p_0p, "G"),
        ground=ground,
        moving=moving,
        on_ground=placed(R_g, p_g),
        on_part=placed(inverse * R_m, inverse.apply(p_m - p_0p)),
    ), (R_0j, p_0j)


def part_pose(model, q):
    """Pose of the part's link by the URDF at positions q."""
    robot = read_urdf(model.urdf)
    return frame_pose(robot, np.asarray(q, dtype=float)[:, None], robot.links[-1].name)[..., 0]


def i_in_j(model, T_start, T_now, start, j_on_ground):
    """Pose of I in J once the part has gone from one pose to another."""
    R_ij, p_ij = start
    T_ij = np.eye(4)
    T_ij[:3, :3], T_ij[:3, 3] = R_ij.as_matrix(), p_ij
    (R_0j, p_0j) = model
    T_0j = np.eye(4)
    T_0j[:3, :3], T_0j[:3, 3] = R_0j.as_matrix(), p_0j
    moved = T_now @ np.linalg.inv(T_start)
    if j_on_ground:
        return np.linalg.inv(T_0j) @ moved @ T_0j @ T_ij
    return np.linalg.inv(moved @ T_0j) @ T_0j @ T_ij


@pytest.mark.parametrize("j_on_ground", [True, False])
@pytest.mark.parametrize("kind", MOVES)
def test_coordinates_are_those_of_i_in_j(kind, j_on_ground):
    rng = np.random.default_rng(7)
    q0, q1 = rng.uniform(-1, 1, (2, FREEDOMS[kind]))
    start, wanted = MOVES[kind](q0), MOVES[kind](q1)
    text, of_j = deck_of(kind, start, j_on_ground, rng)
    model = deck_model(text)
    ordered = slice(None) if j_on_ground else slice(None, None, -1)  # the ground comes first
    starts = [model.drives.q0[name] for name in model.drives.free]
    assert starts == pytest.approx(q0[ordered], abs=1e-14)
    T_start, T_now = part_pose(model, q0[ordered]), part_pose(model, q1[ordered])
    found = i_in_j(of_j, T_start, T_now, start, j_on_ground)
    assert found[:3, :3] == pytest.approx(wanted[0].as_matrix(), abs=1e-14)
    assert found[:3, 3] == pytest.approx(np.array(wanted[1], float), abs=1e-14)  # m


@pytest.mark.parametrize("j_on_ground", [True, False])
@pytest.mark.parametrize(("kind", "of_j", "of_i"), [("HOOKE", 1, 0), ("UNIVERSAL", 2, 2)])
def test_a_cross_keeps_its_two_axes_square(kind, of_j, of_i, j_on_ground):
    rng = np.random.default_rng(8)
    angles = {"HOOKE": ("YX", [0.7, 0.2]), "UNIVERSAL": ("ZXZ", [0.3, np.pi / 2, 0.4])}
    start = (Rotation.from_euler(*angles[kind]), (0, 0, 0))
    text, frame = deck_of(kind, start, j_on_ground, rng)
    model = deck_model(text)
    T_start = part_pose(model, (0, 0))
    for q in rng.uniform(-1, 1, (3, 2)):
        found = i_in_j(frame, T_start, part_pose(model, q), start, j_on_ground)
        assert found[:3, 3] == pytest.approx(0, abs=1e-14)
        assert found[of_j, of_i] == pytest.approx(0, abs=1e-14)
        assert abs(np.linalg.norm(found[:3, :3] - start[0].as_matrix())) > 0.1


def test_masses_by_points():
    """IP about IM, turned and aside, products positive; against the sums over twelve points."""
    rng = np.random.default_rng(9)
    m, points = rng.uniform(0.1, 1, 12), rng.uniform(-1, 1, (12, 3))  # kg, m, in the part
    R_im, p_im = Rotation.random(random_state=rng), rng.uniform(-1, 1, 3)
    R_part, p_part = Rotation.random(random_state=rng), rng.uniform(-1, 1, 3)
    com = m @ points / m.sum()
    x, y, z = R_im.inv().apply(points - p_im).T
    ip = [m @ (y * y + z * z), m @ (x * x + z * z), m @ (x * x + y * y), m @ (x * y), m @ (x * z)]
    row = ", ".join(f"{v:.17g}" for v in (*ip, m @ (y * z)))
    text = DECK.replace("IP = 1, 1, 1", f"IP = {row}, IM = 24").replace(
        "MASS = 1", f"MASS = {m.sum():.17g}"
    )
    text = text.replace("MARKER/23, PART = 2", f"MARKER/23, PART = 2, {placed(R_im, com)}")
    text = text.replace("JOINT/1", f"MARKER/24, PART = 2, {placed(R_im, p_im)}\nJOINT/1")
    same = placed(R_part.inv(), -R_part.inv().apply(p_part))
    text = text.format(
        kind="REVOLUTE",
        part=placed(R_part, p_part, "G"),
        ground=9,
        moving=8,
        on_ground="",
        on_part=same,
    )
    model = deck_model(text.replace("PART = 1, \n", "PART = 1\n"))
    (link,) = read_urdf(model.urdf).links[1:]
    T = part_pose(model, (0,))
    world = R_part.apply(points) + p_part
    r = world - m @ world / m.sum()
    tensor = np.einsum(
        "k,kij->ij", m, np.eye(3) * np.sum(r * r, 1)[:, None, None] - np.einsum("ki,kj->kij", r, r)
    )
    assert T[:3, :3] @ link.inertia.com + T[:3, 3] == pytest.approx(m @ world / m.sum(), abs=1e-14)
    own = T[:3, :3] @ link.inertia.tensor @ T[:3, :3].T
    assert own == pytest.approx(tensor, abs=1e-13)  # kg·m² of about 5
