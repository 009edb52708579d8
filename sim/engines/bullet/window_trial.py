"""Trial of PyBullet's window in a separate program, since it may abort its process."""

from __future__ import annotations

import json
import sys

from sim.engines.bullet.suppress_c_output import flush_c_output


def try_window() -> str:
    """Open PyBullet's window briefly and return the name of its renderer."""
    import pybullet as p

    client = p.connect(p.GUI, options="--width=160 --height=120")
    p.stepSimulation()
    p.getCameraImage(16, 16, renderer=p.ER_BULLET_HARDWARE_OPENGL)
    p.disconnect(client)
    return "PyBullet's window opened and drew"


if __name__ == "__main__":
    answer = json.dumps(try_window())
    flush_c_output()  # otherwise PyBullet's own output may come last
    sys.stdout.write("\n" + answer + "\n")
    sys.stdout.flush()
