"""Tables of what the drives must do and of where the energy went, from a run's description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.reports.page.tables import generic_table, number

Table = dict[str, Any]

BALANCE = (
    ("motor_work", "Work of the drives"),
    ("external_work", "Work from outside"),
    ("events", "Brought by events"),
    ("friction_loss", "Lost to friction"),
    ("kinetic", "Kinetic energy gained"),
    ("potential", "Potential energy gained"),
    ("residual", "Largest imbalance at any time"),
    ("limit", "Allowed imbalance"),
)
OFTEN_NONE = ("external_work", "events", "friction_loss")


def sizing_table(drives: object) -> Table | None:
    """One row a drive: peaks, means, energies, and its ratings over what is used of them.

    A description of another shape is laid out as it is; None where there is none.
    """
    if not _has(drives, ("joint", "peak_torque", "rms_torque", "torque_margin")):
        return generic_table(drives)
    assert isinstance(drives, Sequence)
    columns = [
        "Drive",
        "Peak torque",
        "at [s]",
        "RMS torque",
        "Peak speed",
        "Peak power [W]",
        "Mean power [W]",
        "Delivered [J]",
        "Given back [J]",
        "Rating / peak",
        "Rating / RMS",
        "Rating / speed",
    ]
    return {"columns": columns, "rows": [_drive(drive) for drive in drives]}


def _drive(drive: Mapping[str, Any]) -> list[str]:
    torque, speed = drive["peak_torque"], drive["peak_speed"]
    return [
        str(drive["joint"]),
        f"{number(abs(torque['torque']))} {drive['torque_unit']}",
        number(torque["t"]),
        f"{number(drive['rms_torque']['value'])} {drive['torque_unit']}",
        f"{number(abs(speed['speed']))} {drive['speed_unit']}",
        number(drive["peak_power"]["power"]),
        number(drive["mean_power"]["value"]),
        number(drive["delivered"]["value"]),
        number(drive["regenerated"]["value"]),
        *(_factor(drive[name]) for name in ("torque_margin", "rms_margin", "speed_margin")),
    ]


def _factor(margin: Mapping[str, Any] | None) -> str:
    if margin is None:
        return "–"
    return "unused" if margin["factor"] is None else f"{number(margin['factor'], 3)} ×"


def audit_table(audits: object) -> Table | None:
    """Energies of the recorded table beside those of the analytic one [J].

    What is rounding beside the energy moved is shown as zero. A description of another shape is
    laid out as it is; None where there is none.
    """
    if not _has(audits, ("table", "moved", *(key for key, _ in BALANCE))):
        return generic_table(audits)
    assert isinstance(audits, Sequence)
    rows = []
    for key, title in BALANCE:
        if key not in OFTEN_NONE or any(one[key] for one in audits):
            rows.append([title, *(_energy(one, key) for one in audits)])
    return {"columns": ["Energy [J]", *(str(one["table"]) for one in audits)], "rows": rows}


def _energy(audit: Mapping[str, Any], key: str) -> str:
    value = audit[key]
    if value is not None and key not in ("residual", "limit") and audit["moved"] is not None:
        value = value if abs(value) > 1e-12 * audit["moved"] else 0.0
    return number(value)


def _has(rows: object, keys: Sequence[str]) -> bool:
    if not isinstance(rows, list | tuple) or not rows:
        return False
    return all(isinstance(row, Mapping) and set(keys) <= set(row) for row in rows)
