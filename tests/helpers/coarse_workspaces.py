"""Workspaces on coarse grids, each computed once for all tests of a process."""

from functools import cache

from sim.robots import load_robot
from sim.workspaces import Workspace, workspace


@cache
def coarse_workspace(name: str) -> Workspace:
    """Of ``kr210`` with 210 kg, or of ``irb460``: section xz, 12 directions, 0.1 m."""
    payload = 210.0 if name == "kr210" else 0.0
    return workspace(load_robot(name), "xz", payload=payload, step=0.1, directions=12)
