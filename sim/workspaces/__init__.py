"""Workspace of a robot in sections: what is reached, how far from singular, what gravity takes."""

from sim.workspaces.section import Section
from sim.workspaces.workspace import Workspace, workspace

__all__ = ["Section", "Workspace", "workspace"]
