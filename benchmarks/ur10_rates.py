"""Motion of scenario ur10_step, for programs written by hand."""

from __future__ import annotations

import numpy as np

# Rates of the joints: top [deg/s], reached at, left at, zero again at [s].
RATES = (
    (72, 0.5, 5.5, 6),
    (40, 1, 9, 10),
    (40, 1, 9, 10),
    (50, 1, 7, 8),
    (60, 1, 6, 7),
    (80, 1, 5, 6),
)
START = np.radians([0, -90, 0, -90, 0, 0])[:, None]
DT, STEPS = 1e-3, 10_000  # s


def _step(t: np.ndarray, begin: float, end: float) -> np.ndarray:
    s = np.clip((t - begin) / (end - begin), 0, 1)
    return s * s * (3 - 2 * s)


def rates() -> tuple[np.ndarray, np.ndarray]:
    """Return times (N,) [s] and rates of the joints (6, N) [rad/s]."""
    t = DT * np.arange(STEPS + 1)
    rows = [np.radians(top) * (_step(t, 0, on) - _step(t, off, end)) for top, on, off, end in RATES]
    return t, np.array(rows)
