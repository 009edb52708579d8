"""PyBullet: the only package that imports it."""

from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.world import World

__all__ = ["Bullet", "World"]
