"""Camera of a view, as the matrices that a renderer takes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array, frozen

NEAR, FAR = 0.1, 5.0  # of the distance to the target; nothing nearer or farther is drawn

# From over the left shoulder of a viewer along the default view, in the world.
LIGHT = np.array([2.0, -3.0, 6.0])


@dataclass(frozen=True, eq=False)
class Camera:
    """Position and direction of a view.

    Parameters
    ----------
    target : ndarray, shape (3,)
        What is in the middle of the picture [m].
    distance : float
        From the eye to the target [m].
    yaw, pitch : float
        Turn about the world's Z, and up (negative: from above) [degrees], as PyBullet counts.
    field_of_view : float
        Angle over the height of the picture [degrees].
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
        """Takes the world to x right, y up, z backwards from the eye, shape (4, 4)."""
        right, up, forward = self.axes
        eye = self.target - self.distance * forward
        R = np.array([right, up, -forward])
        view = np.eye(4)
        view[:3, :3] = R
        view[:3, 3] = -R @ eye
        return view

    def projection(self, aspect: float) -> Array:
        """Takes what `view` gives to clip coordinates, for a picture `aspect` as wide as high."""
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
    """Takes a point of the world to its shadow on the floor at `height` [m], shape (4, 4)."""
    shadow = np.eye(4)
    shadow[:3, 2] -= LIGHT / LIGHT[2]
    shadow[:3, 3] = height * LIGHT / LIGHT[2]
    return shadow
