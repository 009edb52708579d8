"""Camera of a view, as the matrices of a renderer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array, frozen

NEAR, FAR = 0.1, 5.0  # clipping planes, relative to the distance to the target

# Direction of light in the world: from over the left shoulder of a viewer in the default view.
LIGHT = np.array([2.0, -3.0, 6.0])


@dataclass(frozen=True, eq=False)
class Camera:
    """Position and direction of a view.

    Parameters
    ----------
    target : ndarray, shape (3,)
        Centre of the picture [m].
    distance : float
        Distance from the eye to the target [m].
    yaw, pitch : float
        Rotation about Z, elevation (negative: from above) [degrees], as in PyBullet.
    field_of_view : float
        Vertical field of view [degrees].
    """

    target: Array
    distance: float
    yaw: float = 50.0
    pitch: float = -20.0
    field_of_view: float = 35.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", frozen(self.target, (3,)))

    @property
    def axes(self) -> Array:
        """Rows: right, up and forward in the world, shape (3, 3)."""
        yaw, pitch = math.radians(self.yaw), math.radians(self.pitch)
        level = math.cos(pitch)
        forward = np.array([-math.sin(yaw) * level, math.cos(yaw) * level, math.sin(pitch)])
        right = np.array([math.cos(yaw), math.sin(yaw), 0.0])
        return np.array([right, np.cross(right, forward), forward])

    @property
    def view(self) -> Array:
        """Transform from the world to x right, y up, z backwards from the eye, shape (4, 4)."""
        right, up, forward = self.axes
        eye = self.target - self.distance * forward
        R = np.array([right, up, -forward])
        view = np.eye(4)
        view[:3, :3] = R
        view[:3, 3] = -R @ eye
        return view

    def projection(self, aspect: float) -> Array:
        """Return the transform from `view` to clip coordinates; `aspect` is width over height."""
        near, far = NEAR * self.distance, FAR * self.distance
        f = 1 / math.tan(math.radians(self.field_of_view) / 2)
        return np.array(
            [
                [f / aspect, 0.0, 0.0, 0.0],
                [0.0, f, 0.0, 0.0],
                [0.0, 0.0, (near + far) / (near - far), 2 * near * far / (near - far)],
                [0.0, 0.0, -1.0, 0.0],
            ]
        )


def shadow_on(height: float) -> Array:
    """Return the projection of points to their shadows on the floor at `height` [m], (4, 4)."""
    shadow = np.eye(4)
    shadow[:3, 2] -= LIGHT / LIGHT[2]
    shadow[:3, 3] = height * LIGHT / LIGHT[2]
    return shadow
