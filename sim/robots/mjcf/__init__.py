"""MJCF, the format of MuJoCo, read as robots."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.robots.mjcf.read_mjcf import read_mjcf
else:
    load_names_on_use(__name__)
