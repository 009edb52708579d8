"""A machine without its couplings, in PyBullet: the model that proves the closed loops."""

from sim.engines.bullet.free_rods.rods import FreeRods, free_rods
