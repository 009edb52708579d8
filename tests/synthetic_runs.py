"""Recordings written by hand, for judges that know nothing of an engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sim.recording import Recording
from sim.units import unit_of


def joint(
    name: str,
    kind: str = "revolute",
    effort: float | None = None,
    velocity: float | None = None,
    mimic: str | None = None,
) -> dict[str, Any]:
    """What a run says of a joint."""
    return {"name": name, "kind": kind, "mimic": mimic, "effort": effort, "velocity": velocity}


def recording(
    t: np.ndarray,
    columns: dict[str, np.ndarray],
    *joints: dict[str, Any],
    method: str = "ideal",
    dt: float = 1e-3,
    free: tuple[str, ...] = (),
    corners: tuple[float, ...] = (),
    events: tuple[dict[str, Any], ...] = (),
    analytic: dict[str, np.ndarray] | None = None,
) -> Recording:
    """A run of two tables, the second with other values where `analytic` has them."""
    slides = [one["name"] for one in joints if one["kind"] == "prismatic"]
    index = pd.Index(t, name="t")
    info = {
        "scenario": "by hand",
        "method": method,
        "settings": {"dt": dt, "free": list(free), "corners": list(corners)},
        "robot": {"joints": list(joints)},
        "events": list(events),
        "units": {name: unit_of(name, slides) for name in columns},
    }
    changed = {**columns, **(analytic or {})}
    return Recording(pd.DataFrame(columns, index=index), pd.DataFrame(changed, index=index), info)
