"""Recordings written by hand, for judges that know nothing of an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from sim.recording.channels import units_of
from sim.recording.description import Run
from sim.recording.facts import (
    ClaimFacts,
    EventFacts,
    JointFacts,
    Provenance,
    ReferenceFacts,
    RobotFacts,
    Settings,
)
from sim.recording.methods import MethodName
from sim.recording.recording import Recording


def joint(name: str, kind: str = "revolute", **facts: Any) -> JointFacts:
    """What a run says of a joint: nothing rubs or pushes in it, and nothing is rated."""
    bare = JointFacts(
        name=name,
        kind=kind,
        mimic=None,
        axis=(0.0, 0.0, 1.0),
        lower=None,
        upper=None,
        velocity=None,
        effort=None,
        damping=0.0,
        friction=0.0,
        friction_law=None,
        forces={},
    )
    return msgspec.structs.replace(bare, **facts)


def event(t: float, ke: float, pe: float, mass: float = 2.0) -> EventFacts:
    """A box of some mass that is picked up, or set down where the mass is negative."""
    kind = "pick up" if mass > 0 else "set down"
    return EventFacts(t=t, kind=kind, payload="box", link="box", mass=abs(mass), ke=ke, pe=pe)


def described(
    *joints: JointFacts,
    method: MethodName = "ideal",
    dt: float = 1e-3,
    duration: float = 2.0,
    free: tuple[str, ...] = (),
    passive: tuple[str, ...] = (),
    corners: tuple[float, ...] = (),
    units: Mapping[str, str] | None = None,
    **entries: Any,
) -> Run:
    """The description of a run of a robot of which only the joints are known."""
    settings = Settings(
        duration=duration,
        dt=dt,
        samples=round(duration / dt) + 1,
        gravity=(0.0, 0.0, -9.81),
        corners=corners,
        free=free,
        passive=passive,
        tolerances={},
        path_tolerance=None,
    )
    own = [one for one in joints if one.mimic is None]
    robot = RobotFacts(
        name="by hand",
        urdf_sha256="0" * 64,
        tool=None,
        T_0b=tuple(map(tuple, np.eye(4).tolist())),
        mesh_folder=None,
        joints=joints,
        coupling=tuple(map(tuple, np.eye(len(joints), len(own)).tolist())),
        masses={},
        loops=(),
        assumed=(),
    )
    made = Provenance(
        created="2026-01-01T00:00:00+00:00",
        command=("sim",),
        python="3.11",
        platform="here",
        versions={},
    )
    return Run(
        scenario="by hand",
        method=method,
        settings=settings,
        robot=robot,
        units=dict(units or {}),
        provenance=made,
        **entries,
    )


def recording(
    t: np.ndarray,
    columns: Mapping[str, np.ndarray],
    *joints: JointFacts,
    analytic: Mapping[str, np.ndarray] | None = None,
    claims: Sequence[ClaimFacts] = (),
    events: Sequence[EventFacts] = (),
    **facts: Any,
) -> Recording:
    """A run of two tables, the second with other values where `analytic` has them."""
    rows = [row for one in joints for row in one.coordinates]
    index = pd.Index(t, name="t")
    units = units_of(columns, rows)
    run = described(*joints, units=units, claims=tuple(claims), events=tuple(events), **facts)
    changed = {**columns, **(analytic or {})}
    return Recording(pd.DataFrame(columns, index=index), pd.DataFrame(changed, index=index), run)


def with_reference(run: Recording, table: pd.DataFrame, **facts: Any) -> Recording:
    """The run beside what another program printed."""
    described = ReferenceFacts(
        **{
            "source": "another program",
            "digits": 6,
            "tolerances": {"*": 1.0},
            "peer": "a third one",
            "peer_tolerances": {"*": 1.0},
            "channels": tuple(table.columns),
            **facts,
        }
    )
    return replace(run.with_description(reference=described), reference=table)


def with_joint(run: Recording, name: str, **facts: Any) -> Recording:
    """The run with other facts of one joint."""
    joints = tuple(
        msgspec.structs.replace(joint, **facts) if joint.name == name else joint
        for joint in run.run.robot.joints
    )
    return run.with_description(robot=msgspec.structs.replace(run.run.robot, joints=joints))
