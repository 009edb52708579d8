"""Times and samples: when two times are one."""

from __future__ import annotations

# Printed, typed and computed times of one instant differ by rounding [s].
SAME_TIME = 1e-9
