"""PyBullet: the only room that imports it."""

from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.world import World

__all__ = ["Bullet", "World"]
