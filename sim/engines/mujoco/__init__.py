"""MuJoCo engine; no other package steps MuJoCo, and `sim.audit` uses only its URDF importer."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.engines.mujoco.mujoco import Mujoco
    from sim.engines.mujoco.mujoco_model import MujocoModel
else:
    load_names_on_use(__name__)
