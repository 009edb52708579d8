"""PyBullet's window and camera; nothing is simulated here."""

from sim.engines.bullet.view.camera import Camera
from sim.engines.bullet.view.scene import Scene, SceneItem
from sim.engines.bullet.view.window import Window

__all__ = [
    "Camera",
    "Scene",
    "SceneItem",
    "Window",
]
