"""Markers on a mounted arm, and where they are by Pinocchio."""

import numpy as np
from scipy.spatial.transform import Rotation

from sim.robots import Marker, load_robot
from tests.helpers.pinocchio_model import PinocchioModel

ARM = load_robot("ur10").mounted((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
MARKERS = {
    "i": Marker("i", "wrist_3_link", (0.1, -0.2, 0.05), (0.3, 1.0, -2.0)),
    "j": Marker("j", "upper_arm_link", (0.0, 0.1, 0.3), (-1.0, 0.2, 0.5)),
    "k": Marker("k", "forearm_link", (0.2, 0.0, 0.0), (2.0, -0.4, 1.0)),
    "l": Marker("l", "shoulder_link", (0.0, 0.0, 0.1), (0.1, 0.2, 0.3)),
}


def place(name, q):
    """R and p of a marker by Pinocchio, (3, 3, N) and (3, N); the world without a name."""
    if name is None:
        return np.repeat(np.eye(3)[..., None], q.shape[1], -1), np.zeros((3, q.shape[1]))
    marker = MARKERS[name]
    found = PinocchioModel(ARM, (0.0, 0.0, 0.0)).frame_motion(marker.link, q, 0 * q)
    R, p = found[:9].reshape(3, 3, -1), found[9:12]
    own = Rotation.from_euler("xyz", marker.rpy).as_matrix()
    return np.einsum("abN,bc->acN", R, own), p + np.einsum("abN,b->aN", R, marker.xyz)
