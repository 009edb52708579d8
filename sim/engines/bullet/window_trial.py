"""PyBullet's window tried out, in a program of its own: it may take its process down."""

from __future__ import annotations

import json
import sys

from sim.engines.bullet.suppress_c_output import flush_c_output


def try_window() -> str:
    """Open PyBullet's window for a moment; the name of what draws in it."""
    import pybullet as p

    client = p.connect(p.GUI, options="--width=160 --height=120")
    p.stepSimulation()
    p.getCameraImage(16, 16, renderer=p.ER_BULLET_HARDWARE_OPENGL)
    p.disconnect(client)
    return "PyBullet's window opened and drew"


if __name__ == "__main__":
    answer = json.dumps(try_window())
    flush_c_output()  # else PyBullet's own words may come last
    sys.stdout.write("\n" + answer + "\n")
    sys.stdout.flush()
