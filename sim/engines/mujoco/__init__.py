"""MuJoCo: the only package that steps it; `sim.audit` also calls MuJoCo's own URDF importer."""

from sim.engines.mujoco.mujoco import Mujoco
from sim.engines.mujoco.mujoco_model import MujocoModel

__all__ = ["Mujoco", "MujocoModel"]
