"""Robot arms simulated in PyBullet from ADAMS-style drives, and proved against a Lagrangian model.

Names are loaded on first use, so that importing this package costs nothing and prints nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sim.errors import SimError

if TYPE_CHECKING:
    from sim.checks import check
    from sim.cli import main
    from sim.comparison import compare
    from sim.functions import expression, spline
    from sim.motion import JointMotion, PointMotion
    from sim.playback import play
    from sim.recording.recording import Recording
    from sim.reports import report
    from sim.reports.exports import export
    from sim.robots import Payload, Robot, load_robot
    from sim.scenario.scenario import Scenario
    from sim.simulation.run import run

_HOMES = {
    "load_robot": "sim.robots",
    "Robot": "sim.robots",
    "Payload": "sim.robots",
    "JointMotion": "sim.motion",
    "PointMotion": "sim.motion",
    "expression": "sim.functions",
    "spline": "sim.functions",
    "Scenario": "sim.scenario.scenario",
    "Recording": "sim.recording.recording",
    "run": "sim.simulation.run",
    "check": "sim.checks",
    "compare": "sim.comparison",
    "report": "sim.reports",
    "export": "sim.reports.exports",
    "play": "sim.playback",
    "main": "sim.cli",
}

__all__ = [
    "JointMotion",
    "Payload",
    "PointMotion",
    "Recording",
    "Robot",
    "Scenario",
    "SimError",
    "check",
    "compare",
    "export",
    "expression",
    "load_robot",
    "main",
    "play",
    "report",
    "run",
    "spline",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'sim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
