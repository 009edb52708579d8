"""The physics engine: the only room that imports pybullet."""
