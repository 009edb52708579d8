"""What an audit takes of a mesh follows the mesh."""

import numpy as np
from scipy.spatial import ConvexHull

from sim.audit.solids import solid_of

UNIT = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])


def test_a_changed_mesh_has_another_hull(tmp_path):
    path = tmp_path / "body.obj"
    faces = [f"f {a} {b} {c}\n" for a, b, c in ConvexHull(UNIT).simplices + 1]
    for size in (1.0, 2.5, 1.0):
        rows = [f"v {size * x} {y} {z}\n" for x, y, z in UNIT]
        path.write_text("".join([*rows, *faces]))
        assert np.ptp(solid_of(path).corners, axis=0).tolist() == [size, 1, 1]
