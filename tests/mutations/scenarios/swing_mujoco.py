"""The pendulum on a cart by MuJoCo."""

from dataclasses import replace
from pathlib import Path
from runpy import run_path

import sim


def scenario() -> sim.Scenario:
    """The cart for 0.3 s."""
    swing = run_path(str(Path(__file__).with_name("swing.py")))["scenario"]()
    return replace(swing, engine="mujoco")


if __name__ == "__main__":
    sim.main(scenario)
