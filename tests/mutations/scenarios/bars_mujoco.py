"""The four-bar by MuJoCo."""

from dataclasses import replace
from pathlib import Path
from runpy import run_path

import sim


def scenario() -> sim.Scenario:
    """The crank for 0.3 s."""
    bars = run_path(str(Path(__file__).with_name("bars.py")))["scenario"]()
    return replace(bars, engine="mujoco")


if __name__ == "__main__":
    sim.main(scenario)
