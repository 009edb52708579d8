"""PyBullet's window and camera, without simulation."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.engines.bullet.view.camera import Camera
    from sim.engines.bullet.view.scene import Scene, SceneItem
    from sim.engines.bullet.view.window import Window
else:
    load_names_on_use(__name__)
