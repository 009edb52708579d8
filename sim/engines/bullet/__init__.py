"""PyBullet engine; no other package imports PyBullet."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.engines.bullet.bullet import Bullet
    from sim.engines.bullet.world import World
else:
    load_names_on_use(__name__)
