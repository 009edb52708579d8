"""RobotAudit: all findings on a robot file, its torques, and its readings by other programs."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import asdict

from sim.audit.finding import Finding
from sim.audit.reading_facts import MEASURED
from sim.audit.readings import FeatureReading
from sim.audit.states import SEED
from sim.audit.torques import Torques


class RobotAudit(Struct, frozen=True, eq=False):
    """All findings on a robot file.

    Parameters
    ----------
    file : str
    findings : tuple of Finding
        Errors first.
    audited : bool
        False if there was nothing to judge: a template that cannot be expanded, macros to be
        included by others, no robot.
    torques : Torques or None
        None if the file does not load, or has no moving joint.
    readings : tuple of FeatureReading
        Readings of the file's features by other programs.
    """

    file: str
    findings: tuple[Finding, ...]
    torques: Torques | None
    audited: bool = True
    readings: tuple[FeatureReading, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return self.count("error") == 0

    def count(self, severity: str) -> int:
        """Return the number of findings of a severity."""
        return sum(1 for finding in self.findings if finding.severity == severity)

    @property
    def counts(self) -> str:
        """Return the numbers of findings by severity, as text."""
        counted = ((self.count(kind), kind) for kind in ("error", "warning", "note"))
        return ", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for count, kind in counted)

    def document(self) -> dict[str, object]:
        """Return the audit as plain values, for JSON."""
        return {
            "file": self.file,
            "findings": [asdict(finding) for finding in self.findings],
            "torques": None if self.torques is None else _describe_torques(self.torques),
            "ok": self.ok,
            "audited": self.audited,
            "readings": [one.document() for one in self.readings],
            "readings_of": {name: version for name, (_, version) in MEASURED.items()},
        }


def _describe_torques(torques: Torques) -> dict[str, object]:
    disagreement = torques.disagreement()
    return {
        "seed": SEED,
        "joints": list(torques.joints),
        "units": list(torques.units),
        "states": {key: getattr(torques.states, key).tolist() for key in ("q", "qd", "qdd")},
        "programs": {name: tau.tolist() for name, tau in torques.by.items()},
        "absent": dict(torques.absent),
        "peak": torques.peaks.tolist(),
        "disagreement": disagreement.tolist(),
        "outlier": [torques.outlier(k) for k in range(len(torques.joints))],
        "held": describe_readback(torques),
    }


def describe_readback(torques: Torques) -> Mapping[str, object] | None:
    """Return values read back from the engine, one row per link and one per joint."""
    if torques.held is None:
        return None
    engine, held = torques.held
    return {
        "engine": engine,
        "welded": sorted(held.welded),
        "links": {
            name: {"mass": one.mass, "com": one.com.tolist(), "tensor": one.tensor.tolist()}
            for name, one in held.inertias.items()
        },
        "joints": {
            name: {
                "axis": axis.tolist(),
                "origin": held.origins[joint].tolist(),
                **{
                    key: value if math.isfinite(value) else None
                    for key, value in asdict(held.limits[joint]).items()
                },
            }
            for name, axis in held.axes.items()
            for joint in [name if name in held.origins else name.rpartition(".")[0]]  # for a ball
        },
    }
