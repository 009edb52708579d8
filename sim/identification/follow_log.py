"""follow_log: a run along a robot's log, with the identified friction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.newton_euler import inverse_dynamics
from sim.functions.spline import FEWEST, Spline
from sim.identification.identified_urdf import with_joint_friction
from sim.identification.log import Log
from sim.identification.prepared_log import prepare_log
from sim.identification.result import FrictionLaw
from sim.identification.signals import LogSamples, bandwidth, require_cutoff, sample
from sim.maths.arguments import checked
from sim.motion.joint_motion import JointMotion
from sim.recording.schema.measured_facts import MeasuredFacts, MeasuredJoint
from sim.reference.beside_measured import MeasuredCurves, OwnCurves, beside_measured
from sim.reference.reference import Reference
from sim.robots.robot import Robot
from sim.robots.spring import held_torques
from sim.scenario.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

KNOTS = 16  # of the splines through measured positions, per period of the cut-off
DIGITS = 17  # significant digits; lossless
REMEDY = "sim.follow_log(…, despite_doubts=True) in a scenario of your own"


@checked
def follow_log(
    robot: Robot,
    log: Log,
    *,
    cutoff: float | None = None,
    despite_doubts: bool = False,
    is_synthetic: bool = False,
) -> Scenario:
    """Return a scenario that moves a robot along a log, to compare its torques with measured ones.

    The joints follow splines through the measured positions. Coulomb and viscous friction and an
    offset (a spring without stiffness) are identified from the first half of the log with the
    inertias of the robot's file. Verdict and page of the run show for each joint the torque
    unexplained by rigid bodies, and that unexplained with friction in the second half.

    Parameters
    ----------
    robot : Robot
    log : Log
        If it has gaps, its longest piece is used.
    cutoff : float, optional
        Cut-off of the low-pass on both sides [Hz] (default: from the log).
    despite_doubts : bool
        Accept a log whose units, joint order or signs are suspicious.
    is_synthetic : bool
        Whether the log is synthetic; a note of the run then states it.

    Raises
    ------
    ForeignError
        As `sim.identify`.
    """
    ready = prepare_log(robot, log, despite_doubts=despite_doubts, remedy=REMEDY)
    mounted = (f"gravity: {ready.gravity}",) if ready.robot is not robot else ()
    robot, log = ready.robot, ready.log
    at = require_cutoff(log, cutoff)
    samples = _longest_piece(sample(log), at)
    duration = float(samples.t[-1] - samples.t[0])
    how = MeasuredFacts(
        cutoff=at,
        bandwidth=bandwidth(log),
        middle=duration / 2,
        torque_from=log.torque_from,
        is_synthetic=is_synthetic,
    )
    t = np.arange(samples.t.size) / samples.rate
    joints = _joints(robot, samples, t, how)
    return Scenario(
        _with_friction(robot, joints),
        JointMotion.displacement(_drives(robot, samples, t, at)),
        duration=duration,
        dt=1 / samples.rate,
        method="ideal",
        reference=Reference(
            source=f"{'synthetic' if is_synthetic else 'measured'}: {log.source}",
            table=_table(robot, samples, t),
            digits=DIGITS,
            tolerances={},
            peer="",
            peer_tolerances={},
            measured=how,
        ),
        notes=(*_notes(log, how, samples), *mounted, *ready.notes, *log.notes),
    )


def _longest_piece(samples: LogSamples, cutoff: float) -> LogSamples:
    """Return the longest piece of a log, cut to whole spline intervals."""
    piece = max(samples.pieces, key=lambda piece: piece.stop - piece.start)
    step = _step(piece.stop - piece.start, samples.rate, cutoff)
    whole = (piece.stop - piece.start - 1) // step * step + 1
    return samples.piece(slice(piece.start, piece.start + whole))


def _step(samples: int, rate: float, cutoff: float) -> int:
    """Return the number of samples between knots; there are at least `FEWEST` knots."""
    return int(max(min(rate / (KNOTS * cutoff), (samples - 1) / (FEWEST - 1)), 1))


def _joints(
    robot: Robot, samples: LogSamples, t: np.ndarray, how: MeasuredFacts
) -> tuple[MeasuredJoint, ...]:
    """Compare each joint with the model alone, on the measured motion."""
    rigid = inverse_dynamics(robot, samples.q, samples.qd, samples.qdd)
    curves = OwnCurves(samples.q, samples.qd, rigid, rigid)
    return beside_measured(
        robot.coordinates, curves, MeasuredCurves(t, samples.q, samples.tau), how
    )


def _with_friction(robot: Robot, joints: tuple[MeasuredJoint, ...]) -> Robot:
    """Return the robot with the friction and the torque offsets of the joints."""
    laws = {one.joint: FrictionLaw(one.coulomb, one.viscous, one.offset) for one in joints}
    held = held_torques({name: law.offset for name, law in laws.items()})
    return with_joint_friction(robot, laws).with_springs(held)


def _drives(robot: Robot, samples: LogSamples, t: np.ndarray, cutoff: float) -> dict[str, Spline]:
    """Return a spline of ADAMS through each joint's positions, with knots set by the cut-off."""
    knots = np.arange(0, t.size, _step(t.size, samples.rate, cutoff))
    return {
        name: Spline(t[knots], row[knots])
        for name, row in zip(robot.row_names, samples.q, strict=True)
    }


def _table(robot: Robot, samples: LogSamples, t: np.ndarray) -> pd.DataFrame:
    import pandas as pd

    columns = {
        f"{group}.{name}": row
        for group, rows in (("q", samples.q), ("tau", samples.tau))
        for name, row in zip(robot.row_names, rows, strict=True)
    }
    return pd.DataFrame(columns, index=pd.Index(t, name="t"))


def _notes(log: Log, how: MeasuredFacts, samples: LogSamples) -> list[str]:
    synthetic = ["the log is synthetic: no robot was measured"] if how.is_synthetic else []
    begin = f", from {samples.t[0]:.6g} s of it on" if samples.t[0] > 1e-6 else ""
    return [
        *synthetic,
        f"{log.source}, {samples.t.size} samples at {samples.rate:.4g} Hz{begin}; a low-pass of "
        f"{how.cutoff:.3g} Hz on both sides, friction too; the log's own bandwidth is "
        f"{how.bandwidth:.3g} Hz; torques: {log.torque_from}",
    ]
