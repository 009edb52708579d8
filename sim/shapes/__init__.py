"""Shapes of a robot and link masses computed from them; they do not affect torques of a run."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.shapes.link_masses import LinkMass, link_masses
    from sim.shapes.look import Look, look_of
    from sim.shapes.mesh_files import with_mesh_scale
    from sim.shapes.plain import length_of, skeleton
    from sim.shapes.surface import Surface
    from sim.shapes.visuals import Visual, collisions
else:
    load_names_on_use(__name__)
