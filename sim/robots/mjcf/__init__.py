"""Reader of MJCF, the format of MuJoCo."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.robots.mjcf.read_mjcf import read_mjcf
else:
    load_names_on_use(__name__)
