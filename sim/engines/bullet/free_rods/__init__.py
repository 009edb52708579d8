"""A machine without couplings in PyBullet, to verify closed loops."""

from sim.engines.bullet.free_rods.rods import FreeRods, free_rods
