"""Colours that playback adds to a robot, from 0 to 1, chosen for the colour-blind."""

from __future__ import annotations

Rgb = tuple[float, float, float]

BLUE = (0.0, 0.447, 0.698, 1.0)  # the tool's path
ORANGE = (0.902, 0.624, 0.0, 0.35)  # a ghost
PEDESTAL = (0.72, 0.74, 0.77, 1.0)
GRID = (0.8, 0.83, 0.86, 1.0)
INK = (0.1, 0.1, 0.1)
GREEN, RED, GREY = (0.0, 0.45, 0.33), (0.78, 0.28, 0.0), (0.4, 0.4, 0.4)
BROWN, SLATE = (0.55, 0.38, 0.0), (0.25, 0.3, 0.4)

VERDICTS: dict[str, Rgb] = {"pass": GREEN, "fail": RED}


def in_bytes(colour: Rgb) -> tuple[int, int, int]:
    """Return the colour as red, green, blue from 0 to 255."""
    red, green, blue = (round(255 * part) for part in colour)
    return red, green, blue
