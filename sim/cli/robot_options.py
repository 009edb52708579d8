"""Options about a robot in several commands: how it is mounted."""

from __future__ import annotations

import argparse
import math

from sim.cli.arguments import number

# Position [m] and roll, pitch, yaw [rad] of the root link in the world.
MOUNTS = {
    "floor": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "wall": (0.0, 0.0, 0.0, 0.0, math.pi / 2, 0.0),
    "ceiling": (0.0, 0.0, 0.0, math.pi, 0.0, 0.0),
}


def add_mount_option(command: argparse._ActionsContainer) -> None:
    """The option ``--mount``; its value is a word, six numbers, or None where it is not typed."""
    command.add_argument(
        "--mount",
        type=_mount,
        metavar="floor|wall|ceiling|X Y Z ROLL PITCH YAW",
        help="where the root link is in the world: floor (z up), wall (z along the world's x, x "
        "down), ceiling (z down), or position [m] and angles about fixed axes as in a URDF [rad]",
    )


def mount_of(options: argparse.Namespace) -> tuple[float, ...] | None:
    """Position [m] and roll, pitch, yaw [rad] of ``--mount``; None where it is not typed."""
    typed = getattr(options, "mount", None)
    return MOUNTS[typed] if isinstance(typed, str) else typed


def _mount(text: str) -> str | tuple[float, ...]:
    """A word of `MOUNTS`, or six numbers."""
    if text in MOUNTS:
        return text
    numbers = tuple(number(word) for word in text.split())
    if len(numbers) != 6 or not all(abs(x) <= 1e6 for x in numbers):
        raise argparse.ArgumentTypeError(
            f"takes {', '.join(MOUNTS)}, or X Y Z ROLL PITCH YAW; got {text!r}"
        )
    return numbers
