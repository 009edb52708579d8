"""The arm by MuJoCo."""

from dataclasses import replace
from pathlib import Path
from runpy import run_path

import sim


def scenario() -> sim.Scenario:
    """The arm for 0.3 s."""
    arm = run_path(str(Path(__file__).with_name("arm.py")))["scenario"]()
    return replace(arm, engine="mujoco")


if __name__ == "__main__":
    sim.main(scenario)
