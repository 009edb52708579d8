"""Scenario scripts as a user would write them, short enough for tests of the command."""

from __future__ import annotations

from pathlib import Path

from sim import shipped

URDF = (shipped.scenarios() / "two_link.urdf").read_text("utf-8")

DRIVES = '{"elbow": "STEP5(time, 0, 0, 0.1, 1d)"}'

SCRIPT = '''"""A short swing: the tests' own scenario."""
from pathlib import Path

import sim


def scenario(load: float = 0.5, duration: float = 0.1, dt: float = 1e-3):
    robot = sim.load_robot(Path(__file__).with_name("arm.urdf")).with_payload(mass=load)
    motion = sim.JointMotion.{level}({drives})
    return sim.Scenario(robot, motion, duration=duration, dt=dt)


if __name__ == "__main__":
    sim.main(scenario)
'''


def script_text(drives: str = DRIVES, level: str = "displacement") -> str:
    """A script with other drives."""
    return SCRIPT.replace("{drives}", drives).replace("{level}", level)


def write_swing(
    folder: Path, *, drives: str = DRIVES, level: str = "displacement", urdf: str = URDF
) -> None:
    """Write ``swing.py`` and the robot it loads, ``arm.urdf``."""
    (folder / "swing.py").write_text(script_text(drives, level), encoding="utf-8")
    (folder / "arm.urdf").write_text(urdf, encoding="utf-8")
