"""Reader of SDF, the format of Gazebo."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.robots.sdf.read_sdf import read_sdf
else:
    load_names_on_use(__name__)
