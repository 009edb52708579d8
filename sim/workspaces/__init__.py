"""Workspace of a robot in sections: reach, singularity margin and gravity load."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.workspaces.section import Section
    from sim.workspaces.workspace import Workspace, workspace
else:
    load_names_on_use(__name__)
