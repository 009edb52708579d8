"""PyBullet's window tried out, in a program of its own: it may take its process down."""

from __future__ import annotations

import json
import sys


def try_window() -> str:
    """Open PyBullet's window for a moment; the name of what draws in it."""
    import pybullet as p

    client = p.connect(p.GUI, options="--width=160 --height=120")
    p.stepSimulation()
    p.getCameraImage(16, 16, renderer=p.ER_BULLET_HARDWARE_OPENGL)
    p.disconnect(client)
    return "PyBullet's window opened and drew"


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(try_window()) + "\n")
    sys.stdout.flush()
