"""MuJoCo: the only room that steps it; `sim.audit` asks its own URDF importer besides."""

from sim.engines.mujoco.mujoco import Mujoco
from sim.engines.mujoco.mujoco_model import MujocoModel

__all__ = ["Mujoco", "MujocoModel"]
